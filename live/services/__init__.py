"""Actions on live sessions."""

PUBLIC = "correcting deleting ending joining leaving making seating"
