"""Skills to test with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from accounts.rules import Role
from foundation.acts.storage import now_text
from parts.skills import repository, services
from parts.skills.rules import Skill

SAID: dict[str, Any] = {"level": 3, "years": 7, "last_used": "2026-10", "notes": "", "interest": False}
forms = iter(range(10**9))


def have(user: User, skill: str, **said: Any) -> None:
    """At a moment of its own: what is said next is said later."""
    services.hold(user, skill, f"form {next(forms)}", **SAID | said)
    moment = now_text()
    while now_text() == moment:
        pass


@pytest.fixture
def boss(person) -> User:
    return person("Boss", Role.OWNER)


@pytest.fixture
def ada(person, listed) -> User:
    """Who has a skill."""
    ada = person("Ada", Role.VOTER)
    have(ada, listed("Python").id, level=2)
    return ada


@pytest.fixture
def listed(boss) -> Callable[..., Skill]:
    """A skill of the catalogue, as it is now."""

    def make(name: str = "Python", category: str = "Programming", *aliases: str) -> Skill:
        made = services.add(boss, name, category, "")
        for alias in aliases:
            services.add_alias(boss, repository.find(made.id), alias)
        return repository.find(made.id)

    return make
