"""Counting ballots: pure functions on values. Knows nothing of Django, of the store, or of who voted."""
