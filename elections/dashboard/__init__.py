"""The page of those who run an election: the next step, what to think about, what is still missing."""
