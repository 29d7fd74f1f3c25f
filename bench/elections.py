"""Part `elections`: importing a roll beside bare batched writes, and lists that must not grow with what they list."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from acts.site import table

from .people import milliseconds, start_django, trips_of
from .report import ITEMS, MILLISECONDS, Report
from .rounds import compare

PASSWORD = "a password of the bench"
VOTERS, FEW, MANY_ELECTIONS, MANY_VOTERS = 10_000, 100, 10_000, 100_000
ROUNDS = 9


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        start_django(folder)
        rounds = max(2, int(ROUNDS * min(1.0, scale * 10)))
        _import(report, Path(folder), max(100, int(VOTERS * scale)))
        _lists(report, Path(folder), scale, rounds)


def _import(report: Report, folder: Path, count: int) -> None:
    """Ours: a roll of so many, events and all. Theirs: the same items as bare batches of one hundred."""
    from elections import repository, services
    from pages import lists

    owner = _site(folder / "import.sqlite3")
    raw = ("name\n" + "\n".join(f"voter.{n}@example.org" for n in range(count))).encode()
    numbers = iter(range(1000))

    def ours() -> float:
        election = services.create(owner, f"import {next(numbers)}")
        start = perf_counter()
        services.add_voters(owner, election, [str(row.kept) for row in lists.read_voters(raw)])
        return count / (perf_counter() - start)

    def bare() -> float:
        election = services.create(owner, f"bare {next(numbers)}")
        writes = [repository.new_voter(election, f"voter.{n}@example.org") for n in range(count)]
        start = perf_counter()
        for at in range(0, count, 100):
            table().write(*writes[at : at + 100])
        return count / (perf_counter() - start)

    report.heading(f"Import of {count:,} voters", "bare")
    report.compare("import", "reading, checking, adding", compare(ours, bare, 3), ITEMS, at_least=0.5)


def _lists(report: Report, folder: Path, scale: float, rounds: int) -> None:
    many, voters = max(FEW, int(MANY_ELECTIONS * scale)), max(FEW, int(MANY_VOTERS * scale))
    small, large = _asked(folder / "few.sqlite3", FEW, FEW), _asked(folder / "many.sqlite3", many, voters)
    report.heading(f"Lists at {many:,} elections and {voters:,} voters, and at {FEW}", f"at {FEW}")
    roll = "/election/E 000000/roll/"
    for path in ("/", "/elections/", "/elections/?show=all", "/elections/?q=e 0000", roll, f"{roll}?q=voter.0000"):
        report.figure(f"trips.{path}", f"round trips of {path}", trips_of(small(path)), "")
        comparison = compare(milliseconds(partial(large, path)), milliseconds(partial(small, path)), rounds)
        report.compare(f"list.{path}", path, comparison, MILLISECONDS, peer=f"at_{FEW}", at_least=0.7)


def _site(path: Path) -> Any:
    from django.conf import settings

    from accounts import services
    from store.connect import connect

    settings.STORE_URL = f"sqlite://{path}"
    connect(settings.STORE_URL).create()
    return services.make_owner("Owner", "owner@example.org", PASSWORD)


def _asked(path: Path, elections: int, voters: int) -> Callable[[str], Any]:
    """A site with so many elections, one of which has so many voters; answers how to ask it for a page."""
    from django.conf import settings
    from django.test import Client

    from elections import repository, services
    from elections.rules import Election

    owner = _site(path)
    url = settings.STORE_URL
    made = [Election(f"E {n:06}", owner.name, f"2026-01-01T00:00:00.{n % 1000:03}Z") for n in range(elections)]
    for at in range(0, elections, 25):
        table().write(*(part for each in made[at : at + 25] for part in repository.creation(each)))
    services.add_voters(owner, made[0], [f"voter.{n:06}@example.org" for n in range(voters)])
    client = Client()
    client.post("/sign-in/", {"name_or_email": owner.name, "password": PASSWORD})

    def ask(path: str) -> Any:
        settings.STORE_URL = url
        answer = client.get(path)
        assert answer.status_code == 200, answer.status_code
        return answer

    return ask
