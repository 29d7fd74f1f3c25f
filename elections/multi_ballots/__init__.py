"""Multi-question ballots: elections that are bound together as several questions on one ballot."""
