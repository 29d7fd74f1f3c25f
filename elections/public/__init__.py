"""The public side of elections: lists, the page of one, its calendar file."""

PUBLIC = "own_elections"
