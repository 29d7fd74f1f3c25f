"""Acts of live sessions, by noun."""

PUBLIC = "correcting ending expiring joining leaving making seating"
