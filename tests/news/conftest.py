"""Posts to test with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from accounts.rules import Role
from parts.news import repository, services
from parts.news.rules import Post
from parts.news.services import Written
from tests.clock import at_its_own_moment

LATER = "2100-01-01T09:00:00.000Z"


def written(title: str = "We have moved", text: str = "The *office* is in Mill Lane now.", **more) -> Written:
    return Written(title, text, **more)


@pytest.fixture
def admin(person) -> User:
    return person("Boss", Role.OWNER)


@pytest.fixture
def draft(admin) -> Callable[..., Post]:
    """A draft, as it is now."""

    def make(title: str = "We have moved", text: str = "The *office* is in Mill Lane now.", **more) -> Post:
        return at_its_own_moment(lambda: services.write(admin, written(title, text, **more)))

    return make


@pytest.fixture
def post(admin, draft) -> Callable[..., Post]:
    """A post that can be seen, or that will be."""

    def make(title: str = "We have moved", at: str | None = None, **more) -> Post:
        made = draft(title, **more)
        at_its_own_moment(lambda: services.publish(admin, made, at))
        return repository.find(made.id)

    return make
