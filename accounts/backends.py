"""Signing in by name or by email address."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from . import repository
from .models import User


class NameOrEmail(BaseBackend):
    """A name is looked up by key, something with @ by the index. Somebody unknown costs the same hash."""

    def authenticate(
        self, request: HttpRequest | None, username: str = "", password: str = "", **credentials: Any
    ) -> User | None:
        user = repository.find_by_email(username) if "@" in username else repository.find(username)
        if user is None:
            User().set_password(password)
            return None
        return user if user.check_password(password) else None

    def get_user(self, user_id: str) -> User | None:
        return repository.find(user_id)
