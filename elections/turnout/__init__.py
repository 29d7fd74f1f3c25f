"""How many have voted, when, and who may know of it."""
