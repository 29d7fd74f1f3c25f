"""Who runs an election."""

PUBLIC = "services"
