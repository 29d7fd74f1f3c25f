"""The public side of elections: lists, and the page of one."""
