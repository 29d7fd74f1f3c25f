"""Counting ballots: pure functions on values. Knows nothing of Django, of the store, or of who voted."""

PUBLIC = (
    "ballots closeness condorcet cost count_job explain formats lots majorities methods pairwise provisional result "
    "star"
)
