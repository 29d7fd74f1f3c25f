"""Signing in with an identity provider: one folder for each kind of connector."""
