"""Pages for checking a result yourself. They store nothing, and show nothing before the result is sealed."""
