"""Part `people`: what a signed-in page and a sign-in cost, and whether the people list grows with the people."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from .report import MILLISECONDS, Report
from .rounds import compare

PASSWORD = "a password of the bench"
FEW, MANY = 100, 100_000
PEOPLE_A_WRITE = 12  # eight parts each, one hundred at most
ROUNDS = 15


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        start_django(folder)
        _measure(report, Path(folder), max(1, int(MANY * scale)), max(2, int(ROUNDS * min(1.0, scale * 10))))


def start_django(folder: str) -> None:
    os.environ.update(DATA_DIR=folder, HOSTS="testserver", DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="ERROR")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)


def _measure(report: Report, folder: Path, many: int, rounds: int) -> None:
    from accounts.hashers import Argon2id

    small, large = _site(folder / "few.sqlite3", FEW), _site(folder / "many.sqlite3", many)
    report.heading(f"The people list at {many:,} people, and at {FEW}", f"at {FEW}")
    for path in ("/me/", "/people/", "/people/?role=VOTER", "/people/?q=voter 0000"):
        report.figure(f"trips.{path}", f"round trips of {path}", trips_of(small(path)), "(goal: at most 2)")
    for path in ("/people/", "/people/?role=VOTER", "/people/?q=voter 0000", "/people/?q=voter5@example.org"):
        comparison = compare(milliseconds(partial(large, path)), milliseconds(partial(small, path)), rounds)
        report.compare(f"list.{path}", path, comparison, MILLISECONDS, peer=f"at_{FEW}", at_least=0.7)
    hashing = milliseconds(lambda: Argon2id().encode(PASSWORD, "0123456789abcdef"))
    comparison = compare(milliseconds(_sign_in(small)), hashing, rounds)
    report.heading("Signing in", "Argon2id")
    report.compare("sign_in", "sign-in, and its one hash alone", comparison, MILLISECONDS, peer="Argon2id")


def _site(path: Path, people: int) -> Callable[..., Any]:
    """A site with so many people; answers how to ask it for a page as its owner."""
    from django.conf import settings
    from django.test import Client

    from accounts import repository, services
    from accounts.rules import Role
    from store.connect import connect

    url = settings.STORE_URL = f"sqlite://{path}"
    connect(url).create()
    services.make_owner("Owner", "owner@example.org", PASSWORD)
    voters = [services.new_user(f"Voter {n:06}", f"voter{n}@example.org", "!", Role.VOTER) for n in range(people)]
    for start in range(0, people, PEOPLE_A_WRITE):
        batch = voters[start : start + PEOPLE_A_WRITE]
        connect(url).write(*(write for voter in batch for write in repository.creation(voter)))
    owner, stranger = Client(), Client()

    def ask(path: str, form: dict[str, str] | None = None) -> Any:
        settings.STORE_URL = url
        stranger.cookies.clear()
        answer = owner.get(path) if form is None else stranger.post(path, form)
        assert answer.status_code in (200, 302), answer.status_code
        return answer

    owner.post("/sign-in/", {"name_or_email": "Owner", "password": PASSWORD})
    return ask


def _sign_in(site: Callable[..., Any]) -> Callable[[], Any]:
    return lambda: site("/sign-in/", {"name_or_email": "Owner", "password": PASSWORD})


def milliseconds(act: Callable[[], Any]) -> Callable[[], float]:
    def turn() -> float:
        start = perf_counter()
        for _ in range(5):
            act()
        return (perf_counter() - start) * 1000 / 5

    return turn


def trips_of(answer: Any) -> int:
    found = re.search(r'desc="(\d+) trips"', answer["Server-Timing"])
    assert found
    return int(found[1])
