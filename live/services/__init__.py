"""Acts of live sessions, by noun."""

PUBLIC = "correcting deleting ending joining leaving making seating"
