"""The help desk of an election: requests to its organisers, and their answers."""

PUBLIC = "askers emails repository rules services"
