"""Signing in by name or by email address."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from . import repository, throttle
from .models import User
from .visitors import visitor


class NameOrEmail(BaseBackend):
    """A name is looked up by key, something with @ by the index. Somebody unknown costs the same hash, the same round
    trips, and is refused as often: by what was typed, so that nobody learns which address belongs to which name."""

    def authenticate(
        self, request: HttpRequest | None, username: str = "", password: str = "", **credentials: Any
    ) -> User | None:
        user = repository.find_by_either(username)
        if request is None:
            return user if _is_right(user, password) else None
        with throttle.guess(throttle.SIGN_IN, username, visitor(request), user) as guess:
            if _is_right(user, password):
                return user
            guess.wrong()
        return None

    def get_user(self, user_id: str) -> User | None:
        return repository.find(user_id)


def _is_right(user: User | None, password: str) -> bool:
    if user is None:
        User().set_password(password)
        return False
    return user.check_password(password)
