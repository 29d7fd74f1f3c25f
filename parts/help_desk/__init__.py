"""The help desk of an election: requests to its organisers, and their answers."""
