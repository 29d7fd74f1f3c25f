"""People: accounts, sign-in by name or email, roles, sessions."""
