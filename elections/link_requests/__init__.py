"""Links on request: somebody enters an address, and if it may vote in anything open, its links are mailed there."""
