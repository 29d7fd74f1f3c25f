"""The public side of elections: lists, the page of one, calendar files and feeds."""

PUBLIC = "feed own_elections"
