PUBLIC = "watching"
