"""Who runs an election."""
