"""Nobody with copies of everything can tell how a person voted: the attack is made here, and must fail.

That it can succeed is shown as well: with leaks planted, and against those from whom nothing is promised.
"""

from __future__ import annotations

import base64
import logging
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail as sent
from django.core.mail import EmailMessage
from django.test import Client, override_settings

from accounts import repository as people
from accounts.models import User
from acts.queues import SomeFailed
from acts.storage import table
from ballots import passes, repository, services
from ballots.passes import Pass
from ballots.services import casting
from config.logs import JsonLines
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.invitations.voting_link import link_to
from elections.lifecycle import closing, deleting
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from mail.emails import compose
from mail.sending import send_waiting
from ranking.candidates import Candidate
from store import backup, keys, purging
from store.log import EventLog, as_text, utc_now
from store.log.seal import Sealer
from store.sqlite import writers
from store.table import DATA, LOG, Item
from tests.background import finish_background, queue_mailings
from tests.copies import copy_of
from tests.people import PASSWORD, make_person, sign_in

from .attack import Copy, Leak, Proposal, Scene, by_chance, leaks, salts, take_copy
from .leaks import LEAKS

NAME = "Board"
CANDIDATES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")
Ranks = dict[str, list[str]]


# --- an election day ---


class WebLog(logging.Handler):
    """The lines a server would write, as it writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@dataclass
class Day:
    """A secret election in which people vote, change and withdraw in random order; it knows who did what."""

    path: str
    chance: random.Random
    voters: list[User]
    browsers: dict[str, Client]  # of those who vote on the page; the others vote through the service behind it
    organiser: Client
    log: WebLog
    now: datetime
    truth: dict[str, str] = field(default_factory=dict)  # voter -> confirmation, as it is now
    copies: list[Copy] = field(default_factory=list)
    truths: list[dict[str, str]] = field(default_factory=list)  # at each copy
    passes: dict[str, Pass] = field(default_factory=dict)  # of those who vote by link
    mails: bool = True  # whether the worker mails what is waiting

    def clock(self) -> datetime:
        return self.now

    def acts(self, number: int, newcomers: list[User]) -> None:
        """Each of the newcomers casts; in between, people who voted change or withdraw, or come again."""
        waiting = list(newcomers)
        for _ in range(number):
            if waiting and self.chance.random() < len(waiting) / number * 1.2:
                self.cast(waiting.pop())
            else:
                self.change_of_mind(self.chance.choice(self.voters))
        for user in waiting:
            self.cast(user)

    def change_of_mind(self, user: User) -> None:
        if user.name in self.truth and self.chance.random() < 0.25:
            self.withdraw(user)
        elif user.name in self.truth:
            self.cast(user)

    def cast(self, user: User) -> None:
        browser = self.browsers.get(user.name)
        if browser is None:
            outcome = services.cast(self.who(user), NAME, self.ranks(), self.form())
            assert outcome.ballot is not None
            self.truth[user.name] = outcome.ballot.confirmation
        else:
            self.truth[user.name] = self.cast_on_the_page(user, browser)

    def who(self, user: User) -> User | Pass:
        """A pass, of somebody who votes by link."""
        browser = self.browsers.get(user.name)
        if browser and passes.COOKIE in browser.cookies:
            return passes.pass_for_election(browser.get(f"/election/{NAME}/ballot/state/").wsgi_request, NAME)
        return self.passes.get(user.name, user)

    def cast_on_the_page(self, user: User, browser: Client) -> str:
        """As a browser would: the page, the ballot, the receipt."""
        page = browser.get(f"/election/{NAME}/ballot/")
        listed = re.findall(r'name="rank-(\d+)"', page.content.decode())
        typed = {f"rank-{number}": rank[0] for number, rank in self.ranks(listed).items()}
        answer = browser.post(f"/election/{NAME}/ballot/cast/", {**typed, "token": self.form()}, follow=True)
        ballot = repository.ballot_of(services.standing_of(self.who(user), NAME))
        assert ballot.confirmation in answer.content.decode()
        return ballot.confirmation

    def withdraw(self, user: User) -> None:
        if browser := self.browsers.get(user.name):
            browser.post(f"/election/{NAME}/ballot/withdraw/", {"token": self.form()})
        else:
            services.withdraw(self.who(user), NAME, self.form())
        del self.truth[user.name]

    def ranks(self, listed: Sequence[str] = ()) -> Ranks:
        """Most rank all candidates, and on the page they do it as these are listed: if that were to tell, it should
        show. Others rank some, with equals. Whoever it is, rankings have the same chances."""
        numbers = [str(number) for number in range(len(CANDIDATES))]
        if self.chance.random() < 0.7:
            order = listed or self.chance.sample(numbers, len(numbers))
            return {number: [str(rank)] for rank, number in enumerate(order, 1)}
        some = self.chance.sample(numbers, self.chance.randint(1, len(numbers)))
        return {number: [str(rank - (self.chance.random() < 0.2))] for rank, number in enumerate(some, 2)}

    def form(self) -> str:
        """The token of a new form. Time goes by until it is sent, in which the worker mails what is waiting."""
        self.send_mails()
        self.now += timedelta(seconds=self.chance.uniform(1, 40))
        return f"{self.chance.getrandbits(128):032x}"

    def send_mails(self) -> None:
        if self.mails:
            send_waiting(compose)

    def copy(self, *, files: bool = False) -> None:
        """Everything as it is now, as an attacker would take it."""
        roll = self.organiser.get(f"/election/{NAME}/roll/roll.csv")
        mails = [f"{each.to[0]} {each.subject} {each.body}".replace("\n", " ") for each in sent.outbox]
        exported = b"".join(roll.streaming_content).decode().splitlines()
        lines = {"web log": self.log.lines, "mails": mails, "roll.csv": exported}
        self.copies.append(take_copy(self.path, lines, files=files))
        self.truths.append(dict(self.truth))

    def close(self) -> None:
        """And whatever the worker does next."""
        closing.close(people.find("the organiser"), elections.find(NAME))
        with suppress(SomeFailed):  # a planted mistake may keep the worker from emptying the box
            services.seal_closed()
        Sealer(table()).seal()
        self.send_mails()
        forget()

    def leaks(self, *moments: int, at: int | None = None, secret: str | None = None) -> list[Leak]:
        """What tells somebody who has the copies of these moments about the ballots of one of them."""
        at = moments[-1] if at is None else at
        scene = Scene(NAME, [self.copies[moment] for moment in moments], moments.index(at), secret)
        truth: Proposal = self.truths[at]
        assert set(truth) == set(scene.voters)
        assert set(truth.values()) == set(scene.ballots)
        return leaks(scene, truth)


def forget() -> None:
    """As the worker does: at once, and in the next quiet moment."""
    purging.purge_journal(table())
    assert purging.rewrite_file(table())


@pytest.fixture
def web_log():
    handler = WebLog()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


@dataclass(frozen=True)
class Morning:
    """A site on which a secret election was opened and everybody invited, and nobody has voted yet."""

    path: Path
    voters: list[User]
    mails: list[EmailMessage]
    chance: tuple[Any, ...]  # as it was left


@pytest.fixture(scope="module")
def morning(tmp_path_factory) -> Callable[[int], Morning]:
    """With so many voters; made once for all days that begin like this."""

    @cache
    def make(voters: int) -> Morning:
        path, chance = tmp_path_factory.mktemp("morning") / "plenum.sqlite3", random.Random(1)
        with override_settings(STORE_URL=f"sqlite://{path}"):
            table().create()
            users = invite_everybody(voters, chance)
            table().close()
        return Morning(path, users, list(sent.outbox), chance.getstate())

    return make


def invite_everybody(voters: int, chance: random.Random, by_link: bool = False) -> list[User]:
    organiser = make_person("the organiser")
    users = [make_person(f"{chance.getrandbits(24):06x}.voter") for _ in range(voters)]
    open_election(organiser, [user.name for user in chance.sample(users, len(users))], by_link)
    return users


@pytest.fixture
def day(site, morning, web_log, monkeypatch) -> Callable[..., Day]:
    """Open a secret election with so many voters, the first of whom vote on the page, and some by link."""

    def begin(
        voters: int,
        on_the_page: int = 0,
        before: Callable[[pytest.MonkeyPatch], None] = lambda monkeypatch: None,
        by_link: bool = False,
    ) -> Day:
        without_waiting_for_the_disk(monkeypatch)
        chance = random.Random(1)
        users = invite_everybody(voters, chance, by_link=True) if by_link else go_on_from(morning(voters), chance)
        before(monkeypatch)
        browsers = {
            user.name: signed_in_from(f"10.0.0.{number}", user) for number, user in enumerate(users[:on_the_page])
        }
        made = Day(site.path, chance, users, browsers, sign_in(people.find("the organiser")), web_log, utc_now())
        monkeypatch.setattr("acts.storage.EventLog", lambda table, _clock=None: EventLog(table, made.clock))
        monkeypatch.setattr(casting, "utc_now", made.clock)
        if by_link:
            come_by_link(made, users[::3])
        return made

    def go_on_from(start: Morning, chance: random.Random) -> list[User]:
        site.close()
        copy_of(start.path, Path(site.path))
        sent.outbox[:] = start.mails
        chance.setstate(start.chance)
        return start.voters

    return begin


def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is the same, and where; only a power cut would make a difference."""
    connect = writers.connect

    def open_quickly(path: str, **options: bool) -> Any:
        connection = connect(path, **options)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    monkeypatch.setattr(writers, "connect", open_quickly)


def signed_in_from(address: str, user: User) -> Client:
    client = Client(REMOTE_ADDR=address)
    client.post("/sign-in/", {"name_or_email": user.name, "password": PASSWORD})
    return client


def come_by_link(day: Day, users: list[User]) -> None:
    """Those who vote on the page by its door; the others hold what it gives."""
    election = elections.find(NAME)
    for user in users:
        link = link_to(election, table().get(keys.voter(NAME, user.name)), user.email)
        if user.name in day.browsers:
            day.browsers[user.name] = Client(REMOTE_ADDR="10.1.0.1")
            day.browsers[user.name].post(f"/vote/{link.token}/")
        else:
            day.passes[user.name] = Pass(link, secret=f"{day.chance.getrandbits(128):032x}")


def open_election(organiser: User, roll: list[str], by_link: bool = False) -> None:
    end = as_text(utc_now() + timedelta(days=2))
    election = drafts.create(organiser, NAME, no_voting_after=end, vote_by_link=by_link)
    add_candidates(organiser, election, [Candidate(name) for name in CANDIDATES])
    add_voters(organiser, election, roll)
    opened = lifecycle.open_(organiser, elections.find(NAME), editable=False)
    mailing.invite(organiser, opened)
    queue_mailings()
    send_waiting(compose)


def whole_day(day: Day, moments: Sequence[int] = (0, 1, 2, 3)) -> Day:
    """Three copies while people vote, with many who act in between, and one of everything at the end. If somebody has
    only those of some moments, only these are made; and of a day that nobody sees the end of, it is spared."""
    each = len(day.voters) // 3
    shuffled = day.chance.sample(day.voters, len(day.voters))
    for part in range(3):
        day.acts(each * 3 // 2, shuffled[part * each : (part + 1) * each])
        if part in moments:
            day.copy()
    if 3 in moments:
        day.close()
        day.copy(files=True)
    return day


# --- the promise ---


@pytest.mark.slow
def test_no_join_of_anything_with_anything_does_better_than_chance(day, settings):
    """All copies joined, for the ballots during the election and after it; afterwards also with the site's secret. A
    third votes by link."""
    voted = whole_day(day(300, on_the_page=40, by_link=True))
    for at in (1, 3):
        assert voted.leaks(0, 1, 2, 3, at=at) == [], f"the copies tell of the ballots at {at}"
    assert voted.leaks(3, secret=settings.SECRET_KEY) == []


# --- the attack is able to succeed ---


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(day, settings, leak):
    planted = LEAKS[leak]
    begun = day(planted.voters, planted.on_the_page, before=planted.plant)
    begun.mails = planted.mails
    voted = whole_day(begun, planted.moments)
    told = voted.leaks(*range(len(voted.copies)), secret=settings.SECRET_KEY if planted.operator else None)
    assert told, "nothing was found"
    assert told[0].share >= planted.share, told[:5]


# --- what is not promised: here the attack succeeds, and docs/explanation/threats.md says so ---


def test_the_secret_and_a_copy_made_while_it_was_open_tell_everything(day, settings):
    voted = day(60)
    voted.acts(90, voted.voters)
    voted.copy()
    assert voted.leaks(0) == []
    assert voted.leaks(0, secret=settings.SECRET_KEY)[0].share == 1


def early_copies(voted: Day, settings) -> tuple[list[Leak], list[Leak], float]:
    """After the close, with the site's secret: what a backup that was made at noon tells, and what a copy of the tables
    tells; and of how many the ballot was cast by then and not changed since."""
    early, late = voted.voters[:40], voted.voters[40:]
    voted.acts(60, early)
    voted.copy()
    voted.copies.append(as_a_backup(voted.copies[0]))
    voted.truths.append(voted.truths[0])
    voted.acts(60, late)
    voted.close()
    voted.copy(files=True)
    by_then = [name for name, code in voted.truth.items() if voted.truths[0].get(name) == code]
    told = (voted.leaks(moment, 2, at=2, secret=settings.SECRET_KEY) for moment in (1, 0))
    return next(told), next(told), len(by_then) / len(voted.truth)


def as_a_backup(copy: Copy) -> Copy:
    """What the command would have written at the same moment."""
    file = BytesIO()
    backup.backup(table(), file)
    file.seek(0)
    entries = list(backup.Reading(file))
    items, events = ([item for name, item in entries if name == table] for table in (DATA, LOG))
    assert len(lasting(items)) == len(lasting(copy.items)) - 1  # the salt
    return replace(copy, items=items, events=events)


def lasting(items: list[Item]) -> list[Item]:
    """Without those that may have expired meanwhile."""
    return [item for item in items if "ttl" not in item]


def test_an_early_backup_and_the_secret_tell_nothing_after_the_close(day, settings):
    from_backup, from_tables, by_then = early_copies(day(80), settings)
    assert from_backup == []
    assert from_tables[0].share == by_then  # this is not promised: the salt is in the tables as long as it is open
    assert 0.2 < by_then < 0.6


def test_the_journal_of_the_embedded_store_tells_while_it_is_open(day):
    voted = day(60)
    voted.acts(60, voted.voters)
    voted.copy(files=True)
    shares = {leak.join: leak.share for leak in voted.leaks(0)}
    assert shares["one transaction of the journal"] > 0.5  # its last thousand pages; earlier ones were written over


def test_a_copy_after_every_act_tells_everything(day):
    """Everybody is a crowd of one: there is nothing to be found out that is not seen."""
    voted = day(30)
    for user in voted.voters:
        voted.cast(user)
        voted.copy()
    crowds = Scene(NAME, voted.copies, len(voted.copies) - 1).crowds
    assert {crowd.voters[0]: crowd.ballots[0] for crowd in crowds} == voted.truth


# --- smaller things the attack does not reach ---


def test_nothing_that_lies_beside_the_salt_is_the_key_of_somebody(site, person, opened):
    """Whatever a voter is called."""
    opened("Check")
    services.cast(person("Check"), "Board", {"1": ["1"]}, "1")
    (ballot,) = site.each(*keys.ballots("Board"))
    beside = site.get(keys.salt("Board"))["check"]
    assert not ballot["SK"].startswith(f"BALLOT#{beside.hex()}")


def test_an_election_that_is_deleted_while_open_leaves_no_ballot_in_any_file(day):
    voted = day(20)
    voted.acts(30, voted.voters)
    voted.copy(files=True)
    (salt,) = salts(Scene(NAME, voted.copies, 0)) & {table().get(keys.salt(NAME))["salt"]}
    deleting.delete(people.find("the organiser"), elections.find(NAME))
    assert finish_background("delete election") == 1
    forget()
    left = take_copy(voted.path, {}, files=True).files
    assert not [code for code in voted.truth.values() if any(code.encode() in raw for raw in left.values())]
    assert not [name for name, raw in left.items() if base64.b64encode(salt) in raw]


def test_chance_is_what_it_is_said_to_be():
    """Random guesses at random pairings stay below the bound, and are right once in every crowd on average."""
    chance = random.Random(1)
    hits = [sum(each == guess for each, guess in enumerate(chance.sample(range(50), 50))) for _ in range(2000)]
    assert 0.9 < sum(hits) / len(hits) < 1.1
    assert max(hits) < by_chance(1) == 15
    assert by_chance(8) < 45
