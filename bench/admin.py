"""Part `admin`: whether the pages of those who look after the site, and those about its log, grow with the site."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import quote, urlencode

from store import keys
from store.log import as_text, new_nonce
from store.table import LOG, Item, Put, Table, Write

from .people import start_django, trips_of
from .report import MILLISECONDS, Report
from .rounds import Turn, compare

PASSWORD = "a password of the bench"
MANY, FEW = 10_000, 200  # elections; each brings a hundred events and ten people
EVENTS, PEOPLE, ORGANISERS, NEIGHBOURS = 100, 10, 10, 7
A_WRITE = 100  # items of one transaction, at most
ROUNDS = 45
MOST_TRIPS = 75  # of any page: a look into the log is bounded, and the next page goes on
APART = timedelta(seconds=8.64)  # between two events: ten thousand a day
THE_LONG_ONE = "The long one"  # an election in which something happens once in a thousand events


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        start_django(folder)
        few, many = max(10, int(FEW * scale)), max(10, int(MANY * scale))
        small, large = make_site(Path(folder, "few.sqlite3"), few), make_site(Path(folder, "many.sqlite3"), many)
        _compare(report, small, large, max(2, int(ROUNDS * min(1.0, scale * 10))))
        _look_far(report, large)


# --- what is asked ---


@dataclass(frozen=True, slots=True)
class Site:
    """A site with so many elections, and how to ask it for a page as its owner."""

    elections: int
    end: datetime
    ask: Callable[[str], Any]

    @property
    def events(self) -> int:
        return self.elections * EVENTS

    @property
    def middle(self) -> int:
        return self.elections // 2

    def pages(self) -> dict[str, str]:
        """Every page by the name it has in the report. There is as much to show on either site."""
        election, organiser = election_name(self.middle), organiser_of(self.middle)
        then = self.end - self.events * APART / 2
        window = {"since": _minute(then), "until": _minute(then + timedelta(hours=1))}
        return {
            "/admin/": "/admin/",
            "/admin/system/": "/admin/system/",
            "/admin/log/": _log(),
            "… by actor": _log(actor=organiser),
            "… by type": _log(event_type="ElectionOpened"),
            "… by election": _log(election=election),
            "… by time": _log(**window),
            "… by type, election and time": _log(event_type="BallotCast", election=election, until=window["until"]),
            "/admin/log/{number}/": f"/admin/log/{self.events // 2}/",
            "/checkpoints/": "/checkpoints/",
            "/election/{name}/history/": f"/election/{quote(election)}/history/",
            "/admin/tables/users/": "/admin/tables/users/",
            "/admin/tables/events/": "/admin/tables/events/",
            "/admin/tables/voters/": f"/admin/tables/voters/?{urlencode({'election': election_name(0)})}",
            "/people/": "/people/",
        }

    def turn(self, path: str) -> Turn:
        """One asking a turn, and many turns, so that both sites bear alike what else the machine does."""

        def milliseconds() -> float:
            start = perf_counter()
            self.ask(path)
            return (perf_counter() - start) * 1000

        return milliseconds


def _log(**words: str) -> str:
    return f"/admin/log/?{urlencode(words)}" if words else "/admin/log/"


def _minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")


def _compare(report: Report, small: Site, large: Site, rounds: int) -> None:
    peer = f"at {small.events:,}"
    report.heading(f"Pages at {large.events:,} events and {large.elections * PEOPLE:,} people", peer)
    for (name, ours), theirs in zip(large.pages().items(), small.pages().values(), strict=True):
        comparison = compare(large.turn(ours), small.turn(theirs), rounds)
        report.compare(f"page.{name}", name, comparison, MILLISECONDS, peer="few", at_least=0.7)
    report.say(f"\nRound trips of the same pages, and of those {peer} events")
    for (name, ours), theirs in zip(large.pages().items(), small.pages().values(), strict=True):
        before = trips_of(small.ask(theirs))
        report.fact(f"trips.few.{name}", before)
        report.figure(f"trips.{name}", name, trips_of(large.ask(ours)), f"({before})")


def _look_far(report: Report, large: Site) -> None:
    """Looks that go through much of the log: what is wanted is rare, or nowhere. A small log cannot ask for this."""
    looks = {
        "by a rare election": _log(election=THE_LONG_ONE),
        "history of a rare election": f"/election/{quote(THE_LONG_ONE)}/history/",
        "by actor and a rarer type": _log(actor=organiser_of(0), event_type="ElectionOpened"),
        "by actor and a type that is nowhere": _log(actor=organiser_of(0), event_type="UserRemoved"),
        "by two who never met": _log(actor=organiser_of(0), election=THE_LONG_ONE),
    }
    report.say("\nLooks that go far")
    for name, path in looks.items():
        report.figure(f"far.{name}.trips", name, trips_of(large.ask(path)), f"round trips (goal: at most {MOST_TRIPS})")
        report.figure(f"far.{name}.milliseconds", "", large.turn(path)(), "ms")


# --- the site ---


def make_site(path: Path, elections: int) -> Site:
    """Items are put as the services would put them, a hundred at a time; the log is sealed and indexed as always."""
    from django.conf import settings

    from store.connect import connect
    from upkeep.sealer import site_sealer

    url = settings.STORE_URL = f"sqlite://{path}"
    table, end = connect(url), datetime.now(UTC)
    table.create()
    _put(table, _people(elections * PEOPLE))
    _put(table, _elections(elections, end))
    _put(table, _roll(elections * PEOPLE))
    _put(table, (Put(event, table=LOG) for event in events(elections, end)))
    _put(table, [_last_number(elections * EVENTS)])
    site_sealer().seal()
    return Site(elections, end, _asking(url))


def _put(table: Table, writes: Iterable[Write]) -> None:
    left = iter(writes)
    while some := list(islice(left, A_WRITE)):
        table.write(*some)


def _asking(url: str) -> Callable[[str], Any]:
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.post("/sign-in/", {"name_or_email": "Owner", "password": PASSWORD})

    def ask(path: str) -> Any:
        settings.STORE_URL = url
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer

    return ask


def _people(count: int) -> Iterator[Write]:
    from django.contrib.auth.hashers import make_password

    from accounts import repository, services
    from accounts.rules import Role

    owner = services.new_user("Owner", "owner@example.org", make_password(PASSWORD), Role.OWNER)
    yield from (*repository.creation(owner), repository.first_owner(owner))
    for number in range(count):
        user = services.new_user(voter_name(number), f"voter{number}@example.org", "!", Role.VOTER)
        yield from repository.creation(user)


def _elections(count: int, end: datetime) -> Iterator[Write]:
    from elections import repository
    from elections.rules import Election

    made = [(election_name(number), organiser_of(number)) for number in range(count)]
    for name, owner in [*made, (THE_LONG_ONE, "Owner")]:
        opened = Election(name, owner, as_text(end), allow_edit=False, allow_vote=True, voter_count=count * PEOPLE)
        yield from repository.creation(opened)


def _roll(count: int) -> Iterator[Write]:
    """Everybody may vote in the first election."""
    from elections import repository

    election = repository.find(election_name(0))
    assert election
    return (repository.new_voter(election, voter_name(number)) for number in range(count))


def _last_number(number: int) -> Put:
    place = keys.event_number()
    return Put({"PK": place.pk, "SK": place.sk, "last": number}, table=LOG)


# --- its log ---


def voter_name(number: int) -> str:
    return f"Voter {number:06}"


def election_name(number: int) -> str:
    return f"E {number:06}"


def organiser_of(election: int) -> str:
    return voter_name(election % ORGANISERS)


def events(elections: int, end: datetime) -> Iterator[Item]:
    """Election after election, the last event at `end`."""
    last = elections * EVENTS
    for number in range(1, last + 1):
        actor, event_type, said = _happened(number - 1, elections * PEOPLE)
        when = as_text(end - (last - number) * APART)
        place = keys.event(number, when)
        shown = {"event_id": number, "actor": actor, "when_occurred": when, "nonce": new_nonce()}
        yield {"PK": place.pk, "SK": place.sk, **shown, "event_type": event_type, "event_data": said}


def _happened(turn: int, people: int) -> tuple[str, str, Item]:
    """What a turn brings: people join, an election is made and opened, neighbours vote in it, it is closed."""
    election, step = divmod(turn, EVENTS)
    said: Item = {"election_name": election_name(election)}
    if turn % 1000 == 550:
        return "Owner", "ElectionUpdated", {"election_name": THE_LONG_ONE, "seats": 1}
    if step < PEOPLE:
        name = voter_name(election * PEOPLE + step)
        joined = {"name": name, "email": f"{name}@example.org", "role": "VOTER", "created_at": "2026-01-01T00:00:00Z"}
        return name, "UserRegistered", joined
    kinds = {PEOPLE: "ElectionCreated", PEOPLE + 1: "ElectionUpdated", PEOPLE + 2: "ElectionOpened"}
    kinds |= {EVENTS - 1: "ElectionClosed"}
    if kind := kinds.get(step):
        return organiser_of(election), kind, said
    voter = voter_name((election * NEIGHBOURS + step) % people)
    return voter, "BallotCast", {**said, "voter_name": voter, "changed": False}
