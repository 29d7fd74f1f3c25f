"""Polls to test with, and the clock that tests of them need."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from foundation.store.log import as_text, utc_now
from parts.polls import counting, services, voters
from parts.polls.rules import Poll
from parts.polls.services import Runner

CHOSEN = {"title": "Lunch on Friday", "description": "", "time_zone": "UTC", "expires_at": None}
NAMES = ("Pizza", "Sushi", "Tacos")


def in_hours(hours: float) -> str:
    return as_text(utc_now() + timedelta(hours=hours))


@pytest.fixture
def made(site, person) -> Callable[..., Poll]:
    """A poll of Ida's, or of somebody without an account."""
    ida = person("Ida")

    def make(*names: str, by_nobody: bool = False, days: int = 30, **chosen) -> Poll:
        maker = AnonymousUser() if by_nobody else ida
        poll, _key = services.make(maker, names or NAMES, days, **CHOSEN | chosen)
        time.sleep(0.002)  # lists are by the millisecond, and the next one is newer
        return poll

    return make


def ranks(poll: Poll, ranking: str) -> dict[str, list[str]]:
    """Rank boxes for a ranking in names, such as `Pizza>Sushi=Tacos`."""
    numbers = {each.name: str(each.number) for each in poll.candidates}
    groups = [group.split("=") for group in ranking.split(">")]
    return {numbers[name]: [str(rank)] for rank, group in enumerate(groups, 1) for name in group}


def vote(poll: Poll, voter: str, ranking: str, form: str = "") -> int | None:
    said = ranks(poll, ranking)
    return services.cast(poll.id, voters.id_of(poll.id, voter), said, form or f"form {random.random()}")


def by_ida(poll: Poll) -> Runner:
    """Ida, running the poll as it is now."""
    from accounts import repository as people

    return services.find_runner(poll.id, people.find("Ida"), "")


def events(site, kind: str) -> list[dict]:
    from foundation.store.log import EventLog

    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


class Clock:
    """Time passes between looks, as much as a test says."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


@pytest.fixture
def shelf(monkeypatch) -> counting.PollWatch:
    """Every look looks anew."""
    new = counting.PollWatch(clock=Clock())
    monkeypatch.setattr("results.running_count.REST_FACTOR", 0)
    monkeypatch.setattr(counting, "watched_polls", new)
    return new
