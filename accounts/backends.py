"""Signing in by name or by email address, and how passwords are hashed."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest

from foundation.acts.storage import table
from foundation.store.parallel import run_parallel

from . import repository, throttle
from .models import User
from .visitors import visitor


class NameOrEmail(BaseBackend):
    """Looks a name up by key and anything with an @ by the index.

    An unknown user costs the same hash and round trips. Tries are throttled by the text typed, so the limits do not
    reveal which address belongs to which name.
    """

    def authenticate(
        self, request: HttpRequest | None, username: str = "", password: str = "", **credentials: Any
    ) -> User | None:
        if request is None:
            user = repository.find_by_either(username)
            return user if _check_password(user, password) else None
        # Find the user and count the try, in parallel unless the browser has device tokens: those can only be matched
        # once the user is known, and that browser may have a session. A successful sign-in gives the try back.
        who = visitor(request)
        if who.device_tokens:
            user, _session = run_parallel(table(), lambda: repository.find_by_either(username), request.session.keys)
            request.tries = throttle.count_try(throttle.SIGN_IN, username, who, user)
        else:
            user, request.tries = run_parallel(
                table(),
                lambda: repository.find_by_either(username),
                lambda: throttle.count_try(throttle.SIGN_IN, username, who, None),
            )
        return user if _check_password(user, password) else None

    def get_user(self, user_id: str) -> User | None:
        return repository.find(user_id)


def _check_password(user: User | None, password: str) -> bool:
    """Where a provider is required, passwords of others than the owner's are wrong: it cannot be guessed which of
    them were right."""
    if user is None:
        User().set_password(password)
        return False
    return bool(user.check_password(password)) and user.uses_password


class Argon2id(Argon2PasswordHasher):
    """19 MiB, two passes, one lane: OWASP's first choice. Django's default would take 100 MiB per sign-in."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
