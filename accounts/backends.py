"""Signing in by name or by email address, and how passwords are hashed."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest

from acts.rate_limits import Attempt
from acts.storage import table
from store.parallel import run_parallel

from . import repository, throttle
from .models import User
from .visitors import visitor


class NameOrEmail(BaseBackend):
    """A name is looked up by key, something with @ by the index. Somebody unknown costs the same hash, the same round
    trips, and is refused as often: by what was typed, so that nobody learns which address belongs to which name."""

    def authenticate(
        self, request: HttpRequest | None, username: str = "", password: str = "", **credentials: Any
    ) -> User | None:
        if request is None:
            user = repository.find_by_either(username)
            return user if _check_password(user, password) else None
        user, request.tries = _find_and_count(request, username)
        return user if _check_password(user, password) else None

    def get_user(self, user_id: str) -> User | None:
        return repository.find(user_id)


def _find_and_count(request: HttpRequest, typed: str) -> tuple[User | None, list[Attempt]]:
    """Both at once, unless it may be a device that is known: then it has to be known first to whom, and somebody may
    be signed in there. Whoever signs in the one who was right gives back what was counted."""
    who = visitor(request)
    if not who.device_tokens:
        return run_parallel(
            table(),
            lambda: repository.find_by_either(typed),
            lambda: throttle.count_try(throttle.SIGN_IN, typed, who, None),
        )
    user, _session = run_parallel(table(), lambda: repository.find_by_either(typed), request.session.keys)
    return user, throttle.count_try(throttle.SIGN_IN, typed, who, user)


def _check_password(user: User | None, password: str) -> bool:
    if user is None:
        User().set_password(password)
        return False
    return user.check_password(password)


class Argon2id(Argon2PasswordHasher):
    """19 MiB, two passes, one lane: OWASP's first choice, where Django's default would take 100 MiB a sign-in."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
