"""Date and time formats where Django's own differ from ours."""
