"""Questions to candidates before and during voting: asked, upvoted, reviewed, answered."""
