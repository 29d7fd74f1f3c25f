"""Acts of live sessions, by noun."""
