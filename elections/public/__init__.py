"""What everybody sees of elections: lists, the page of one, its calendar file."""

PUBLIC = "own_elections"
