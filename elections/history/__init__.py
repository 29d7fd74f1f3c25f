"""The history of an election, as far as it is public."""
