"""The history of an election, as far as everybody may know it."""

PUBLIC = "entries"
