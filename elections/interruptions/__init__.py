"""Interruptions of the voting: organisers put them on record, and may extend the voting with it."""

PUBLIC = "services"
