"""Nobody with copies of everything can tell how a person voted: the attack is made here, and must fail.

That it can succeed is shown as well: with leaks planted, and against those from whom nothing is promised.
"""

from __future__ import annotations

import logging
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import mail as sent
from django.core.mail import EmailMessage
from django.test import Client, override_settings

from accounts import repository as people
from accounts.models import User
from ballots import passes, robots, services
from ballots.passes import Pass
from ballots.rules import HasNotVoted
from ballots.sealing import CannotSeal, seal_closed
from ballots.secret import code, of_link
from config.logs import JsonLines
from elections import actions
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.drafts.services import add_question
from elections.invitations import mailing
from elections.invitations.voting_link import read_link
from elections.kinds import settings_of_kind
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action
from elections.voter_lists import Details
from foundation.acts.storage import table
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import purging
from foundation.store.log import EventLog, as_text, utc_now
from foundation.store.log.seal import Sealer
from foundation.store.sqlite import writers
from tests import voting
from tests.background import finish_background, queue_mailings
from tests.copies import copy_of
from tests.people import PASSWORD, make_person, sign_in

from .attack import (
    Copy,
    Leak,
    Proposal,
    Scene,
    leaks,
    links,
    repeated_by_chance,
    repeated_leaks,
    take_copy,
)
from .leaks import (
    LEAKS,
    WHOSE,
    a_group_on_the_ballot,
    one_mark_on_all_ballots_of_a_voter,
    the_ranking_in_the_event,
)

NAME = "Board"
CANDIDATES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")
LINK = re.compile(r"/vote/\S+")  # in mails: whoever has one of these and the site's key is not meant here
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
    truth: dict[str, str] = field(default_factory=dict)  # voter -> confirmation, also of a withdrawn ballot
    copies: list[Copy] = field(default_factory=list)
    truths: list[dict[str, str]] = field(default_factory=list)  # at each copy
    passes: dict[str, Pass] = field(default_factory=dict)  # of those who vote by link
    mails: bool = True  # whether the worker mails what is waiting
    secrets: dict[str, str] = field(default_factory=dict)  # of those who have voted, but for paper
    on_paper: set[str] = field(default_factory=set)  # whose ballots the organiser enters
    questions: tuple[str, ...] = ()  # beside the first, on one ballot
    prompt: bool = False  # whether people change their minds at once or never: acts that name nobody, at any later
    # time, would hide a planted leak

    def clock(self) -> datetime:
        return self.now

    def acts(self, number: int, newcomers: list[User]) -> None:
        """Each of the newcomers casts; in between, people who voted change or withdraw, or come again."""
        waiting = list(newcomers)
        for _ in range(0 if self.prompt else number):
            if waiting and self.chance.random() < len(waiting) / number * 1.2:
                self.cast(waiting.pop())
            else:
                self.change_of_mind(self.chance.choice(self.voters))
        for user in waiting:
            self.cast(user)
            if self.prompt:
                self.second_thoughts(user)

    def second_thoughts(self, user: User) -> None:
        """Every third changes the ballot at once, and some of these withdraw it first."""
        chance = self.chance.random()
        if chance < 0.15:
            self.withdraw(user)
        if chance < 0.3:
            self.change(user)

    def change_of_mind(self, user: User) -> None:
        if user.name in self.secrets and self.chance.random() < 0.25:
            self.withdraw(user)
        elif user.name in self.secrets:
            self.change(user)

    def cast(self, user: User) -> None:
        """On the page, by link or on paper; the service behind the page is quicker."""
        browser = self.browsers.get(user.name)
        if browser is not None:
            code = self.cast_on_the_page(user, browser)
        elif user.name in self.on_paper:
            owner = people.find("the organiser")
            code = services.enter_paper(owner, NAME, user.name, self.ranks(), self.form()).ballot.confirmation
        else:
            code = self.cast_by_service(user)
        self.truth[user.name] = code

    def cast_by_service(self, user: User) -> str:
        who, secret = self.passes.get(user.name, user), f"{self.chance.getrandbits(128):032x}"
        self.remember(user, who.secret if isinstance(who, Pass) else secret)
        form, ranks = self.form(), self.ranks()
        codes = []
        for name in (NAME, *self.questions):
            outcome = services.cast(who, name, ranks, f"{form}-{name}"[:60], secret=self.secrets[user.name])
            assert outcome.ballot is not None
            codes.append(outcome.ballot.confirmation)
        return codes[0]

    def remember(self, user: User, secret: str) -> None:
        """As the voter does, and nobody else should."""
        self.secrets[user.name] = secret
        WHOSE[secret] = user.name

    def cast_on_the_page(self, user: User, browser: Client) -> str:
        """As a browser would: the page, the ballot, the receipt."""
        page = browser.get(f"/election/{NAME}/ballot/")
        listed = re.findall(r'name="rank-(\d+)"', page.content.decode())
        typed = {f"rank-{number}": rank[0] for number, rank in self.ranks(listed).items()}
        secret = f"{self.chance.getrandbits(128):032x}"
        if passes.COOKIE in browser.cookies:
            held = passes.pass_for_election(browser.get(f"/election/{NAME}/ballot/state/").wsgi_request, NAME)
            assert held is not None
            secret = held.secret
        self.remember(user, secret)
        form = {**typed, "token": self.form(), "secret": secret}
        answer = browser.post(f"/election/{NAME}/ballot/cast/", form)
        (found,) = set(re.findall(r'<code id="confirmation">([^<]+)<', answer.content.decode()))
        return found

    def change(self, user: User) -> None:
        """On a page of nobody's, or by link, where those vote who vote on the page."""
        secret, form = self.secrets[user.name], self.form()
        if browser := self.browsers.get(user.name):
            typed = {f"rank-{number}": rank[0] for number, rank in self.ranks().items()}
            pages = "ballot" if passes.COOKIE in browser.cookies else "change"
            sent = {**typed, "token": form, "secret": secret}
            assert browser.post(f"/election/{NAME}/{pages}/cast/", sent).status_code == 200
        else:
            services.cast(self.passes.get(user.name), NAME, self.ranks(), form, secret=secret)

    def withdraw(self, user: User) -> None:
        """Who has done so before votes again instead."""
        secret, form = self.secrets[user.name], self.form()
        with suppress(HasNotVoted):
            if (browser := self.browsers.get(user.name)) and passes.COOKIE not in browser.cookies:
                browser.post(f"/election/{NAME}/change/withdraw/", {"token": form, "secret": secret})
            else:
                services.withdraw(self.passes.get(user.name), NAME, form, secret=secret)

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
        mails = [LINK.sub("", f"{each.to[0]} {each.subject} {each.body}".replace("\n", " ")) for each in sent.outbox]
        exported = b"".join(roll.streaming_content).decode().splitlines()
        lines = {"web log": self.log.lines, "mails": mails, "roll.csv": exported}
        self.copies.append(take_copy(self.path, lines, files=files))
        self.truths.append(dict(self.truth))

    def close(self) -> None:
        """And whatever the worker does next."""
        closing.close(people.find("the organiser"), elections.find(NAME))
        with suppress(CannotSeal):  # a planted mistake may keep the worker from emptying the box
            seal_closed()
        Sealer(table()).seal()
        self.send_mails()
        forget()

    def leaks(self, *moments: int, at: int | None = None) -> list[Leak]:
        """What tells the operator, who has the copies of these moments, about the ballots of one of them."""
        at = moments[-1] if at is None else at
        return leaks(self.scene(*moments, at=at), self.truths[at])

    def scene(self, *moments: int, at: int) -> Scene:
        scene = Scene(NAME, [self.copies[moment] for moment in moments], moments.index(at), settings.SECRET_KEY)
        assert set(self.truths[at]) == set(scene.voters)
        return scene


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
        monkeypatch.setattr("foundation.acts.storage.EventLog", lambda table, _clock=None: EventLog(table, made.clock))
        monkeypatch.setattr(services, "utc_now", made.clock)
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
    for user in users:
        link = voting.link_to(NAME, user.name, user.email)
        if user.name in day.browsers:
            day.browsers[user.name] = Client(REMOTE_ADDR="10.1.0.1")
            day.browsers[user.name].post(f"/vote/{link.token}/")
        else:
            day.passes[user.name] = Pass(link)


def open_election(organiser: User, roll: list[str], by_link: bool = False) -> None:
    end = as_text(utc_now() + timedelta(days=2))
    election = drafts.create(organiser, NAME, no_voting_after=end, vote_by_link=by_link, paper_ballots=True)
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


@pytest.mark.seconds(10)
def test_no_join_of_anything_with_anything_does_better_than_chance(day):
    """The operator has the site's key, and copies made while people vote, twenty casts apart, and after the close. A
    third votes by link, and some on paper."""
    voted = day(180, on_the_page=30, by_link=True)
    voted.on_paper = {user.name for user in voted.voters[60:180:10]} - set(voted.passes)
    waiting = voted.chance.sample(voted.voters, len(voted.voters))
    while waiting:
        some, waiting = waiting[:20], waiting[20:]
        voted.acts(30, some)
        voted.copy()
    voted.close()
    voted.copy(files=True)
    last = len(voted.copies) - 1
    for at in (7, last):
        assert voted.leaks(*range(last + 1), at=at) == [], f"the copies tell of the ballots at {at}"
    sizes = {len(crowd.voters) for crowd in voted.scene(*range(last + 1), at=last).crowds}
    assert sizes == {20}


MIXED = {
    "Chair": {"kind": "ranked"},
    "Rules": {"kind": "yes-no"},
    "Members": {"kind": "choose", "most": 2, "seats": 2},
    "Colour": {"kind": "score"},
}


@pytest.mark.deep
@pytest.mark.parametrize("planted", [None, the_ranking_in_the_event, one_mark_on_all_ballots_of_a_voter])
def test_nothing_tells_of_the_ballots_of_several_questions_nor_joins_them(day, monkeypatch, planted):
    """Of mixed kinds, cast by one form with one secret; on a ballot of yes or no, which many fill in alike, a leak
    shows as well. Half of the voters have a question of their own."""
    voted, owner = day(60), people.find("the organiser")
    (first, kind), *others = MIXED.items()
    drafts.create(owner, "Annual", **settings_of_kind(kind))
    for title, kind in others:
        groups = {"for_groups": ("Staff",)} if title == "Colour" else {}
        add_question(owner, elections.find("Annual"), title, first_title=first, **settings_of_kind(kind), **groups)
    for each in elections.find("Annual").questions:
        if each.kind != "yes-no":
            add_candidates(owner, each, [Candidate(name) for name in CANDIDATES])
    known = {user.name: Details(groups=("Staff",) if place % 4 < 2 else ()) for place, user in enumerate(voted.voters)}
    add_voters(owner, elections.find("Annual"), list(known), known)
    made = lifecycle.open_(owner, elections.find("Annual"), editable=False)
    candidates = {each.number: elections.candidates("Annual", each.number) for each in made.questions}
    if planted is not None:
        planted(monkeypatch)
    codes: dict[int, dict[str, str]] = defaultdict(dict)
    for place, user in enumerate(voted.chance.sample(voted.voters, len(voted.voters)), 1):
        ranks, secret = dict[str, list[str]](), f"{voted.chance.getrandbits(128):032x}"
        voted.remember(user, secret)
        for asked in made.questions_for(known[user.name].groups):
            prefix = "" if asked.number == 1 else f"{asked.number}:"
            marks = robots.random_marks(asked, candidates[asked.number], voted.chance)
            ranks |= {f"{prefix}{number}": typed for number, typed in marks.items()}
        outcome = services.cast(user, "Annual", ranks, voted.form(), secret=secret)
        for number, ballot in outcome.ballots.items():
            codes[number][user.name] = ballot.confirmation
        if place % 20 == 0 and (planted is None or place == 60):
            voted.copy()
    last = len(voted.copies) - 1
    assert_nothing_is_told(voted, codes, last, planted)
    if planted is None:
        closing.close(owner, elections.find("Annual"))
        seal_closed("Annual")
        Sealer(table()).seal()
        forget()
        voted.copy()
        assert_nothing_is_told(voted, codes, last + 1, planted)


def assert_nothing_is_told(voted: Day, codes: dict[int, dict[str, str]], at: int, planted: Any) -> None:
    """Or exactly what was planted: how somebody voted, or which answers are one person's."""
    scenes = {number: Scene("Annual", voted.copies, at, settings.SECRET_KEY, number) for number in codes}
    assert [sum(len(crowd.voters) for crowd in scene.crowds) for scene in scenes.values()] == [60, 60, 60, 30]
    told = {number: leaks(scene, codes[number]) for number, scene in scenes.items()}
    leaking = [number for number in told if told[number]]
    assert leaking == (list(scenes) if planted is the_ranking_in_the_event else []), told
    for first, second in pairwise((1, 2, 3)):  # which are for all
        truth = {codes[first][user]: codes[second][user] for user in voted.secrets}
        linked = links(scenes[first], scenes[second], truth)
        assert bool(linked) == (planted is one_mark_on_all_ballots_of_a_voter), linked


@pytest.mark.deep
@pytest.mark.parametrize("is_planted", [False, True])
def test_nothing_tells_the_group_of_the_voter_of_a_ballot(day, monkeypatch, is_planted):
    """Of a question for some groups of four, on one ballot with another for everybody; a group that is stored with the
    ballot is found."""
    voted = day(75)
    owner, second = people.find("the organiser"), drafts.create(people.find("the organiser"), "Second")
    add_candidates(owner, second, [Candidate(name) for name in CANDIDATES])
    groups = {user.name: f"Group {place // 4:02}" for place, user in enumerate(voted.voters)}
    known = {name: Details(groups=(own,)) for name, own in groups.items()}
    add_voters(owner, second, list(groups), known)
    asked = sorted({*groups.values()})[:15]
    actions.change(owner, elections.find("Second"), Action.SET_UP, for_groups=tuple(asked))
    lifecycle.open_(owner, elections.find("Second"), editable=False)
    if is_planted:
        a_group_on_the_ballot(monkeypatch)
    for user in voted.chance.sample(voted.voters, len(voted.voters)):
        voted.questions = ("Second",) if groups[user.name] in asked else ()
        voted.cast(user)
    voted.copy()
    codes = {name: code(voted.secrets[name], "Second") for name, own in groups.items() if own in asked}
    scene = Scene("Second", voted.copies, 0, settings.SECRET_KEY)
    assert sorted(scene.voters) == sorted(codes)
    told = leaks(scene, codes)
    assert bool(told) == is_planted, told[:5]


@pytest.mark.seconds(8)
@pytest.mark.parametrize(("size", "rounds"), [pytest.param(3, 17, marks=pytest.mark.deep), (5, 9)])
def test_nor_in_many_elections_with_few_voters(day, monkeypatch, size, rounds):
    """Of which one alone would tell nothing: a leak that is right of everybody each time is found."""
    voted = day(30)
    bound = repeated_by_chance(size, rounds)
    assert bound <= size * rounds, "or nothing could be found"

    def small_elections() -> list[tuple[Scene, Proposal]]:
        scenes = []
        for number in range(rounds):
            name = f"Small {number} {voted.chance.random()}"
            voters = voted.chance.sample(voted.voters, size)
            open_small(name, [user.name for user in voters])
            truth = {}
            for user in voted.chance.sample(voters, size):
                secret = f"{voted.chance.getrandbits(128):032x}"
                WHOSE[secret] = user.name
                cast = services.cast(user, name, voted.ranks(), f"{name} {user.name}"[-60:], secret=secret)
                truth[user.name] = cast.ballot.confirmation
                if len(truth) == 2:  # changes at once; the first withdraws, and votes again
                    services.withdraw(None, name, f"{name} withdrawn"[-60:], secret=secret)
                if len(truth) < 3:
                    services.cast(None, name, voted.ranks(), f"{name} {len(truth)} again"[-60:], secret=secret)
            copy = take_copy(voted.path, {}, files=False)
            scenes.append((Scene(name, [copy], 0, settings.SECRET_KEY), truth))
        return scenes

    assert repeated_leaks(small_elections(), bound) == []
    LEAKS["a number on the ballot"].plant(monkeypatch)
    assert repeated_leaks(small_elections(), bound)


def open_small(name: str, roll: list[str]) -> None:
    owner = people.find("the organiser")
    election = drafts.create(owner, name)
    add_candidates(owner, election, [Candidate(each) for each in CANDIDATES])
    add_voters(owner, election, roll)
    lifecycle.open_(owner, elections.find(name), editable=False)


# --- the attack is able to succeed ---


@pytest.mark.deep
@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(day, leak):
    planted = LEAKS[leak]
    begun = day(planted.voters, planted.on_the_page, before=planted.plant, by_link=planted.by_link)
    begun.mails, begun.prompt = planted.mails, True
    voted = whole_day(begun, planted.moments)
    told = voted.leaks(*range(len(voted.copies)))
    assert told, "nothing was found"
    assert told[0].share >= planted.share, told[:5]


# --- what is not promised: here the attack succeeds, and docs/explanation/threats.md says so ---


def test_whoever_has_a_voters_mail_and_the_sites_key_finds_the_ballot(day):
    """While it is open, and afterwards by its code."""
    voted = day(6, by_link=True)
    user = voted.voters[0]
    mailed = voting.link_to(NAME, user.name, user.email).token
    voted.cast(user)
    secret = of_link(read_link(mailed).secret)
    assert services.voter_context(None, NAME, secret=secret).ballots[1].confirmation == voted.truth[user.name]
    assert code(secret, NAME) == voted.truth[user.name]


@pytest.mark.deep
def test_the_journal_of_the_embedded_store_tells_while_it_is_open(day):
    voted = day(60)
    voted.acts(60, voted.voters)
    voted.copy(files=True)
    shares = {leak.join: leak.share for leak in voted.leaks(0)}
    assert shares["one transaction of the journal"] > 0.5  # its last thousand pages; earlier ones were written over


@pytest.mark.deep
def test_a_copy_after_every_act_tells_everything(day):
    """Everybody is a crowd of one: there is nothing to be found out that is not seen."""
    voted = day(30)
    for user in voted.voters:
        voted.cast(user)
        voted.copy()
    crowds = Scene(NAME, voted.copies, len(voted.copies) - 1).crowds
    assert {crowd.voters[0]: crowd.ballots[0] for crowd in crowds} == voted.truth


# --- smaller things the attack does not reach ---


def test_an_election_that_is_deleted_while_open_leaves_no_ballot_in_any_file(day):
    voted = day(20)
    voted.acts(30, voted.voters)
    voted.copy(files=True)
    lifecycle.delete(people.find("the organiser"), elections.find(NAME))
    assert finish_background("delete election") == 1
    forget()
    left = take_copy(voted.path, {}, files=True).files
    assert not [code for code in voted.truth.values() if any(code.encode() in raw for raw in left.values())]
