"""Candidates of an election: names, statements, links and pictures."""
