"""Books: elections that are bound together as several questions on one ballot."""

PUBLIC = "addresses repository rules services"
