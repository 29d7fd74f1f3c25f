"""Who may vote: the roll, and lists on their way to it."""
