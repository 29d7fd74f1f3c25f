"""Rehearses one small election, from draft to result, and meters what DynamoDB would charge for each act.

Acts that every voter does are done by a few of them and the cost is divided, so that a partition of each voter's own
can be told from one that all voters share.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from acts import caches
from acts.storage import use_table
from ballots import services as voting
from ballots.secret import new_secret
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import imports
from elections.rules import Election
from mail.emails import compose
from mail.sending import send_waiting
from ranking.candidates import Candidate
from results.waiting import waiting_context
from store import keys
from store.capacity_units import Bill, Charged, MeteredTable
from store.connect import connect
from store.formats import prepare
from store.table import Table
from upkeep.backups import drill
from upkeep.log.figures import COUNTED, SiteSealer
from upkeep.worker import jobs

NAME = "Sample"
PASSWORD = "sample-sample-sample"  # noqa: S105 - of temporary sample accounts
STAGE_VOTERS = 4
ROLL_VOTERS = imports.SLICE_VOTERS  # on the roll: one batch
STATEMENT_CHARS, DESCRIPTION_CHARS = 300, 1000
PAPER_BALLOTS = 40  # in an election sealed to see the cost of more ballots
OWN, MANY = "{…}", "{nn}"
SPREAD = re.compile(r"#\d{1,3}$")  # a shard, by its number
NAMES = (
    (re.compile(r"\bsample( \d)?(?=#|$)"), "{election}"),
    (re.compile(r"\bdirector(?=#|$)"), "{organiser}"),
    (re.compile(r"\bvoter[ .]\d{7}(@example\.org)?|\b\d{12}\b"), OWN),  # and event numbers
    (re.compile(r"(?<=^TASK#(?:import voters|tell webhooks)#).+"), OWN),
)
ELECTION = "ELECTION#{election}"


class Per(StrEnum):
    """How often an act happens."""

    VOTER = "a voter"
    READER = "one who looks at the result"  # as all voters do
    ONCE = "once"
    CHANGE = "one who does"
    BATCH = "a batch"
    SECOND = "a second"
    PROCESS = "a process and second"
    WAIT = "a process and second of waiting"


@dataclass(frozen=True, slots=True)
class Size:
    """What the units of an act depend on."""

    voters: int
    candidates: int = 5
    secret: bool = True
    mail: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """The cost of one act: per voter, or for the whole election."""

    name: str
    per: Per
    units: dict[Charged, float]  # by the pattern of a key instead of the key
    stored: float = 0.0  # bytes
    largest: int = 0  # bytes
    in_journey: bool = False  # whether a voter waits for it
    at_peak: bool = False  # whether it happens at the peak

    def total(self, kind: str) -> float:
        return sum(units for charged, units in self.units.items() if charged.kind == kind)


CLOCK = [0.0]  # of the rehearsal


class Meter(Protocol):
    def take_bill(self) -> Bill: ...


Step = Callable[[Client, User], None]


# --- patterns ---


def patterns(bill: Bill, players: int) -> dict[Charged, float]:
    """Units by key pattern: `{nn}` is one of several shards of one thing, `{…}` one that each voter, mail or form has
    of its own."""
    alike: defaultdict[Charged, set[str]] = defaultdict(set)
    for charged in bill.units:
        alike[_alike(charged)].add(charged.pk)
    found: defaultdict[Charged, float] = defaultdict(float)
    for charged, units in bill.units.items():
        pattern = pattern_of(charged.pk)
        if len(alike[_alike(charged)]) >= players > 1 and not pattern.endswith(MANY):
            pattern = "#".join((*pattern.split("#")[:-1], OWN))
        found[charged._replace(pk=pattern)] += units
    return dict(found)


def _alike(charged: Charged) -> Charged:
    """Groups keys that differ only in their last name; shards stay separate."""
    pattern = pattern_of(charged.pk)
    is_apart = pattern.endswith(MANY) or "#" not in pattern
    return charged._replace(pk=pattern if is_apart else pattern.rpartition("#")[0])


def pattern_of(pk: str) -> str:
    """A key without the names used only in the rehearsal."""
    for there, instead in NAMES:
        pk = there.sub(instead, pk)
    return SPREAD.sub(f"#{MANY}", pk)


# --- the temporary site ---


@contextmanager
def stage() -> Iterator[MeteredTable]:
    """Inside, everything happens on an empty temporary store and is metered."""
    with drill.temporary_site(), quietly():
        metered = MeteredTable(connect(settings.STORE_URL))
        with on(metered):
            yield metered


@contextmanager
def quietly() -> Iterator[None]:
    """Requests of a rehearsal are not worth logging."""
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@contextmanager
def on(table: Table) -> Iterator[None]:
    """Inside, pages cache what they normally cache for a second (acts/caches.py) until `Play.later`."""
    token = caches.clock.set(lambda: CLOCK[0])
    try:
        with use_table(table):
            prepare(table)
            yield
    finally:
        caches.clock.reset(token)


@dataclass
class Play:
    """Runs the acts on a table one by one; `meter` returns what was charged since the last call."""

    table: Table
    meter: Meter
    size: Size
    acts: list[Act] = field(default_factory=list)
    secrets: defaultdict[str, str] = field(default_factory=lambda: defaultdict(new_secret))  # of the players' ballots

    def all(self) -> list[Act]:
        self.director = self.person("Director", Role.OWNER)
        players = [self.person(f"Voter {number:07d}") for number in range(STAGE_VOTERS + 1)]
        self.clients = [
            Client(SERVER_NAME=drill.NOWHERE, REMOTE_ADDR=f"198.51.100.{number}") for number, _ in enumerate(players, 1)
        ]
        self.meter.take_bill()
        self.prepare()
        self.vote(players)
        self.finish()
        return self.acts

    def noted(self, name: str, per: Per, by: int = 1, **more: bool) -> None:
        """Record what was charged since the last call, as one act of `by` voters or of the whole election."""
        bill = self.meter.take_bill()
        units = {charged: units / by for charged, units in patterns(bill, by).items()}
        self.acts.append(Act(name, per, units, bill.stored / by, bill.largest, **more))

    def person(self, name: str, role: Role = Role.USER) -> User:
        made = accounts.new_user(name, _address(name), make_password(PASSWORD), role)
        accounts.create_account(made, *([people.first_owner(made)] if role == Role.OWNER else []))
        return made

    def election(self, name: str = NAME) -> Election:
        found = elections.find(name)
        assert found is not None
        return found

    # --- before ---

    def prepare(self) -> None:
        self.draft(NAME)
        self.noted("making the draft", Per.ONCE)
        self.list(NAME)
        self.noted("putting on the roll", Per.VOTER, ROLL_VOTERS)
        lifecycle.open_(self.director, self.election(), editable=False)
        self.noted("opening", Per.ONCE)
        if self.size.mail:
            mailing.invite(self.director, self.election())
            mailing.MAILING.advance(mailing.subject_of(NAME, mailing.INVITED))
            self.noted("queueing the invitation", Per.VOTER, ROLL_VOTERS)
            self.send("sending the invitation", ROLL_VOTERS)

    def draft(self, name: str) -> None:
        size = self.size
        chosen: dict[str, Any] = {"secret_ballot": size.secret, "mail_votes": size.mail, "paper_ballots": True}
        drafts.create(self.director, name, description="x" * DESCRIPTION_CHARS, results_public=True, **chosen)
        names = (f"Candidate {number}" for number in range(size.candidates))
        add_candidates(self.director, self.election(name), [Candidate(each, "x" * STATEMENT_CHARS) for each in names])

    def list(self, name: str) -> None:
        addresses = [_address(f"Voter {number:07d}") for number in range(ROLL_VOTERS)]
        begun = imports.start(self.director, self.election(name), addresses)
        imports.resume(self.director, self.election(name), begun, seconds=60)

    def send(self, name: str, mails: int) -> None:
        send_waiting(compose)
        self.noted(name, Per.VOTER, mails)

    # --- voters ---

    def vote(self, players: Sequence[User]) -> None:
        """The first voter goes ahead, to warm the caches of the process."""
        first, *others = zip(self.clients, players, strict=True)
        for _name, step in self.way():
            step(*first)
        SiteSealer(self.table, COUNTED).seal()
        send_waiting(compose)
        self.meter.take_bill()
        for name, step in self.way():
            self.done_by(others, name, step, Per.VOTER, in_journey=True, at_peak=True)
        self.later()
        self.get(self.clients[0], "ballot")
        self.remembered("what pages remember of it", Per.PROCESS, at_peak=True)
        self.noted_worker()
        self.few_events = self.seal_log()
        if self.size.mail:
            self.send("sending the confirmation", STAGE_VOTERS)  # when there is time
        self.done_by(others, "changing", self.change, Per.CHANGE)
        self.done_by(others, "withdrawing", self.withdraw, Per.CHANGE)
        self.done_by(others, "casting anew", self.change, Per.CHANGE)

    def done_by(self, voters: Sequence[tuple[Client, User]], name: str, step: Step, per: Per, **more: bool) -> None:
        for each in voters:
            step(*each)
        self.noted(name, per, STAGE_VOTERS, **more)

    def later(self) -> None:
        CLOCK[0] += caches.MAX_AGE_SECONDS

    def remembered(self, name: str, per: Per, **more: bool) -> None:
        """What a page read of the election because it was no longer cached."""
        bill = patterns(self.meter.take_bill(), 1)
        self.acts.append(Act(name, per, {each: units for each, units in bill.items() if each.pk == ELECTION}, **more))

    def noted_worker(self) -> None:
        """The cost of its jobs' regular checks for work."""
        units: defaultdict[Charged, float] = defaultdict(float)
        for job in jobs.JOBS:
            job.moment() if job.moment else job.waits()
            for charged, each in patterns(self.meter.take_bill(), 1).items():
                units[charged] += each / job.every
        self.acts.append(Act("worker at rest", Per.SECOND, dict(units), at_peak=True))

    def way(self) -> Sequence[tuple[str, Step]]:
        return [
            ("signing in", self.sign_in),
            ("home page", lambda client, _player: _expect(200, client.get(reverse("home"), secure=True))),
            ("ballot page", lambda client, _player: self.get(client, "ballot")),
            ("sending the ranking", lambda client, _player: self.post(client, "ballot", **self.ranks())),
            ("review page", lambda client, _player: self.get(client, "review")),
            ("casting", self.cast),
            ("receipt page", lambda client, _player: self.get(client, "receipt")),
        ]

    def sign_in(self, client: Client, player: User) -> None:
        fields = {"name_or_email": player.email, "password": PASSWORD, "next": reverse("ballot", args=[NAME])}
        _expect(302, client.post(reverse("sign_in"), fields, secure=True))

    def cast(self, client: Client, player: User) -> None:
        self.send_ballot(client, player, "cast")

    def change(self, client: Client, player: User) -> None:
        """A secret ballot by its secret."""
        self.send_ballot(client, player, "change_cast" if self.size.secret else "cast")

    def send_ballot(self, client: Client, player: User, page: str) -> None:
        """A secret ballot is answered with its receipt."""
        status = 200 if self.size.secret else 302
        fields = {**self.ranks(), "secret": self.secrets[player.name]}
        _expect(status, client.post(reverse(page, args=[NAME]), fields, secure=True))

    def withdraw(self, client: Client, player: User) -> None:
        self.post(client, "change_withdraw" if self.size.secret else "withdraw", secret=self.secrets[player.name])

    def ranks(self) -> dict[str, str]:
        return {f"rank-{number}": str(number + 1) for number in range(self.size.candidates)}

    def get(self, client: Client, page: str) -> None:
        _expect(200, client.get(reverse(page, args=[NAME]), secure=True))

    def post(self, client: Client, page: str, **fields: str) -> None:
        _expect(302, client.post(reverse(page, args=[NAME]), fields, secure=True))

    def unnamed(self, players: int) -> Act:
        """What was charged since the last call, to be compared with another."""
        bill = self.meter.take_bill()
        return Act("", Per.ONCE, patterns(bill, players), bill.stored, bill.largest)

    def seal_log(self) -> tuple[int, Act]:
        return SiteSealer(self.table, COUNTED).seal(), self.unnamed(STAGE_VOTERS)

    def noted_sealing(self, few: tuple[int, Act], many: tuple[int, Act]) -> None:
        """The cost of each event, and of each batch whatever its size."""
        (less, first), (more, second) = few, many
        each, batch = dict[Charged, float](), dict[Charged, float]()
        for charged, units in first.units.items():
            if charged.pk.endswith(OWN):  # indexed by actor
                each[charged] = units / less
            elif charged.pk.startswith(keys.EVENTS):
                each[charged] = max(0.0, (second.units[charged] - units) / (more - less))
                batch[charged] = units - less * each[charged]
            else:
                batch[charged] = units
        self.acts.append(Act("sealing its event", Per.VOTER, each, first.stored / less, first.largest, at_peak=True))
        self.acts.append(Act("sealing a batch of events", Per.BATCH, batch, at_peak=True))

    # --- after ---

    def finish(self) -> None:
        closing.close(self.director, self.election())
        self.noted("closing", Per.ONCE)
        address = waiting_context(self.election(), "/")["progress_url"]
        self.later()
        self.meter.take_bill()
        _expect(200, self.clients[0].get(address, secure=True))
        self.remembered("waiting for the result", Per.WAIT)
        few = self.sealed()
        self.later()
        self.get(self.clients[0], "results")
        self.remembered("what result pages remember", Per.WAIT)
        self.get(self.clients[1], "results")
        self.noted("result page", Per.READER)
        self.seal_log()
        self.fill_another()
        self.noted_sealing(self.few_events, self.seal_log())
        self.between("sealing and counting", few, STAGE_VOTERS + 1, self.sealed(), PAPER_BALLOTS)

    def fill_another(self) -> None:
        """Again with more ballots, to tell what grows with them from what does not."""
        name = f"{NAME} 2"
        self.draft(name)
        self.list(name)
        lifecycle.open_(self.director, self.election(name), editable=False)
        typed = {str(number): [str(number + 1)] for number in range(self.size.candidates)}
        for number in range(PAPER_BALLOTS):
            voting.enter_paper(self.director, name, _address(f"Voter {number:07d}"), typed, f"paper {number}")
        closing.close(self.director, self.election(name))
        self.meter.take_bill()

    def sealed(self) -> Act:
        voting.seal_closed()
        return self.unnamed(1)

    def between(self, name: str, few: Act, less: int, many: Act, more: int) -> None:
        """The cost of one more, from the cost with fewer and with more; and the fixed cost."""
        growth = {charged: units - few.units.get(charged, 0.0) for charged, units in many.units.items()}
        each = {charged: max(0.0, units / (more - less)) for charged, units in growth.items()}
        stored = (many.stored - few.stored) / (more - less)
        anyhow = {charged: max(0.0, units - less * each.get(charged, 0.0)) for charged, units in few.units.items()}
        self.acts.append(Act(name, Per.VOTER, each, stored, many.largest))
        self.acts.append(Act(f"{name}, however many", Per.ONCE, anyhow, few.stored - less * stored))


def _address(name: str) -> str:
    return f"{name.lower().replace(' ', '.')}@example.org"


def _expect(status: int, answer: Any) -> None:
    assert answer.status_code == status, f"{answer.status_code}: {answer.content.decode()[:2000]}"
