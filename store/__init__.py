"""The single table behind Plenum: one port, two adapters, one event log. Knows no Django and no rule of any entity."""

PUBLIC = (
    "backup connect cursors formats limits log parallel purging replay round_trips "
    "schema sharded_reads splitting table wait_budget"
)
