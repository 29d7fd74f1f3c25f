"""Questions that people send and upvote, and that somebody reviews: for live sessions and for candidates."""
