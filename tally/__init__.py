"""Counting ranked ballots: pure functions on values. Knows nothing of Django, of the store, or of who voted."""

PUBLIC = "ballots closeness cost explain formats job lots methods pairwise result undrawn"
