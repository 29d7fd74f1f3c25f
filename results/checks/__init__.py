"""Checking a result oneself: nothing here is stored, and nothing is told of an election without a sealed result."""
