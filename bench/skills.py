"""Part `skills`: finding people at many entries and at few, and several skills at once by the rarest of them.

Times are compared between two sites in turns. What a search asks of the store is counted: round trips, and items read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

from store.table import Put, Write

from .people import PASSWORD, start_django, trips_of
from .report import MILLISECONDS, Report
from .rounds import compare

FEW, MANY = 500, 50_000  # entries of the popular skill
RARE = 40  # people who have the rarest of five
OTHERS = ("second", "third", "fourth", "rare")
ROUNDS, TIMES = 9, 5
NOT_SLOWER = 0.7
MOST_WRITES = 100  # of one transaction
MOST_KILOBYTES = 60

SEARCHES = {
    "a skill": {"skill": "Popular"},
    "skill and level": {"skill": "Popular", "level": "3"},
    "skill, level and years": {"skill": "Popular", "level": "3", "years": "20"},
    "five at once": {"skill": "Popular", **{f"skill{n}": name for n, name in enumerate(OTHERS, 2)}},
}


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale has fewer people on both sites."""
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        start_django(name)
        many, few = max(80, round(MANY * scale)), max(60, round(FEW * min(1.0, scale * 10)))
        large, small = _site(Path(name) / "many.sqlite3", many), _site(Path(name) / "few.sqlite3", few)
        rounds = max(1, round(ROUNDS * min(1.0, scale * 10)))
        _compared(report, large, small, rounds)
        _spread(report, _site(Path(name) / "apart.sqlite3", many, shards=8), large, rounds)


def _compared(report: Report, large: Site, small: Site, rounds: int) -> None:
    report.heading(f"Finding people at {large.entries:,} entries of a skill, and at {small.entries:,}", "few")
    for name, asked in SEARCHES.items():
        comparison = compare(large.turn(asked), small.turn(asked), rounds)
        report.compare(f"find.{name}", name, comparison, MILLISECONDS, peer="few", at_least=NOT_SLOWER)
    report.say("")
    for name, asked in SEARCHES.items():
        for which, site in (("", large), ("few.", small)):
            answer = site.find(asked)
            label = f"{name}{', at few' if which else ''}"
            report.figure(f"trips.{which}{name}", f"round trips: {label}", trips_of(answer), "")
            report.figure(f"items.{which}{name}", f"items read: {label}", site.items_read(asked), "")
            goal = f"kB (goal: at most {MOST_KILOBYTES})"
            report.figure(f"page.{which}{name}", f"page: {label}", len(answer.content) / 1000, goal)


def _spread(report: Report, apart: Site, whole: Site, rounds: int) -> None:
    """The same search where the skill lies in nine parts of the index, and where it lies in one."""
    asked = SEARCHES["skill and level"]
    report.heading("A popular skill, spread over nine parts of the index", "one part")
    comparison = compare(apart.turn(asked), whole.turn(asked), rounds)
    report.compare("spread", "skill and level", comparison, MILLISECONDS, peer="whole")
    report.figure("trips.spread", "round trips", trips_of(apart.find(asked)), "")
    report.figure("items.spread", "items read", apart.items_read(asked), "")


# --- a site with many who can do something ---


@dataclass(frozen=True, slots=True)
class Site:
    """How to search, and how much is read for it."""

    entries: int
    find: Callable[[dict[str, str]], Any]
    url: str

    def turn(self, asked: dict[str, str]) -> Callable[[], float]:
        """How long the page takes, in milliseconds."""

        def turn() -> float:
            start = perf_counter()
            for _ in range(TIMES):
                self.find(asked)
            return (perf_counter() - start) * 1000 / TIMES

        return turn

    def items_read(self, asked: dict[str, str]) -> int:
        """By the first page of a search, without what every page reads."""
        from acts.site import acting_on
        from skills import finding
        from skills.finding_forms import FindPeopleForm
        from store.connect import connect

        counting = Counting(connect(self.url))
        with acting_on(counting):  # type: ignore[arg-type]
            form = FindPeopleForm(asked)
            assert form.is_valid(), form.errors
            counting.items = 0
            finding.search(form.cleaned_data["wish"], limit=50)
        return counting.items


class Counting:
    """A table that counts the items it was read."""

    def __init__(self, there: Any):
        self._table, self.items = there, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def page(self, *asked: Any, **more: Any) -> Any:
        page = self._table.page(*asked, **more)
        self.items += len(page.items)
        return page

    def get_many(self, keys: Any) -> Any:
        found = self._table.get_many(keys)
        self.items += len(found)
        return found


def _site(path: Path, entries: int, shards: int = 0) -> Site:
    from django.conf import settings
    from django.test import Client

    from accounts import repository as people
    from accounts import services as accounts
    from skills import services
    from store.connect import connect

    url = settings.STORE_URL = f"sqlite://{path}"
    connect(url).create()
    accounts.make_owner("Owner", "owner@example.org", PASSWORD)
    owner = people.find("Owner")
    assert owner is not None
    for name in ("Popular", *OTHERS):
        services.add(owner, name, "Bench", "")
    for some in _in_writes(_people(entries, shards)):
        connect(url).write(*some)
    if shards:
        _mark_spread(shards)
    browser = Client()
    browser.post("/sign-in/", {"name_or_email": "Owner", "password": PASSWORD})

    def find(asked: dict[str, str]) -> Any:
        settings.STORE_URL = url
        answer = browser.get(f"/skills/find/?{urlencode(asked)}")
        assert answer.status_code == 200, answer.status_code
        assert b"/profile/" in answer.content
        return answer

    return Site(entries, find, url)


def _mark_spread(shards: int) -> None:
    from dataclasses import replace

    from acts.site import table
    from skills import repository

    skill = repository.find("popular")
    assert skill is not None
    table().write(*repository.change(skill, replace(skill, shards=shards)))


def _people(entries: int, shards: int) -> Iterator[list[Write]]:
    """Everybody has the popular skill; of the others, fewer and fewer, and few all of them."""
    from accounts import repository as people
    from accounts import services as accounts
    from accounts.rules import Role

    for number in range(entries):
        name = f"Member {number:06}"
        item = people.creation(accounts.new_user(name, f"member{number}@example.org", "!", Role.VOTER))[0]
        yield [item, *(_entry(name, skill, number, shards) for skill in _skills_of(number, entries))]


def _skills_of(number: int, entries: int) -> Iterator[str]:
    yield "popular"
    step = max(1, entries // RARE)
    for skill, every in zip(OTHERS, (2, 4, 8, step), strict=True):
        if number % every == 0 or number % step == 0:
            yield skill


def _entry(name: str, skill: str, number: int, shards: int) -> Write:
    from skills import repository
    from skills.rules import Held, OwnSkills

    shard = number % (shards + 1) if skill == "popular" else 0
    month = f"2026-{number % 11 + 1:02d}"
    held = Held(skill, number % 4 + 1, number // 4 * 13 % 40, month, "", False, "", "2026-11-15T12:00:00.000Z", shard)
    return Put(repository.held_item(OwnSkills(name), held))


def _in_writes(people: Iterator[list[Write]]) -> Iterator[list[Write]]:
    """As many items in one write as a transaction takes."""
    some: list[Write] = []
    for items in people:
        if len(some) + len(items) > MOST_WRITES:
            yield some
            some = []
        some += items
    yield some
