"""The single table behind Plenum: one port, two adapters, one event log. Knows no Django and no rule of any entity."""

PUBLIC = (
    "backup connect cursors forgetting formats limits log memory metered patience replay schema spans "
    "splitting table together trips units"
)
