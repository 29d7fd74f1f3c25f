"""GitHub: OAuth 2 without OpenID Connect."""
