"""The single table behind Plenum: one port, two adapters, one event log. Knows no Django and no rule of any entity."""
