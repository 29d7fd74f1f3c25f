"""The polling station: a browser in a booth, which an officer unlocks for one voter after the other."""
