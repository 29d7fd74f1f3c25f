"""Questions to candidates before and during voting: asked, upvoted, reviewed, answered."""

PUBLIC = "listing repository rules services telling"
