"""Passwords: Argon2id at a cost that a small server bears when many sign in at once."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2id(Argon2PasswordHasher):
    """19 MiB, two passes, one lane: OWASP's first choice, where Django's default would take 100 MiB a sign-in."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
