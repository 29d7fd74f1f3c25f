"""The part of a person's data download that is about webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from accounts.models import User
from foundation.store.table import Item

from . import repository


def own_webhooks(user: User) -> Iterator[Item]:
    for endpoint in repository.endpoints_of(user.name):
        yield {name: value for name, value in asdict(endpoint).items() if name not in ("secret", "old_secret")}
