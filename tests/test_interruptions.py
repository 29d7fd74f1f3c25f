"""Every act of more than one transaction is cut off at each of its writes; what is left of it, a worker finishes.

An act is done on a copy of one prepared site, first in peace. Then again for every write it makes, its worker's
included: at that write the process dies, or other transactions are in the way, or the answer is lost. After that a
worker comes by. Then the site must be what it is in peace; or, if the act had not begun, what it was before, and then
whoever wanted it tries again.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as ballots
from elections import repository as elections
from elections.candidates import add_candidates, change_picture
from elections.drafts import copying
from elections.drafts import services as drafts_services
from elections.drafts.services import add_question
from elections.groups import repository as kept_groups
from elections.groups import services as groups
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll import imports
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.acts import storage
from foundation.acts.queues import SomeFailed
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table, use_table
from foundation.mail import outbox as mail
from foundation.mail.emails import compose
from foundation.mail.sending import LEASE_SECONDS, send_waiting
from foundation.photos.changing import PictureChange
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.sqlite import SqliteTable
from foundation.store.table import LOG, Conflict, Item, Put, Table, Unavailable
from operations.upkeep import jobs
from parts.assembly import roll
from parts.live import clock as game_clock
from parts.live import repository as games
from parts.live import rules as game_rules
from parts.live import seats
from parts.live.plays import ideas_order
from parts.live.rules import Phase, Step
from parts.live.services import answering, deleting, follow_ups, making, moving
from parts.news import repository as posts
from parts.news import services as news
from parts.news.likes import member, set_like
from parts.news.services import Written
from parts.polls import services as polls
from parts.questions import repository as sets
from parts.questions import services as question_sets
from parts.questions.question import Kind, Question, Type
from parts.skills import merging
from parts.skills import repository as catalogue
from parts.skills import services as skills
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
from tests.background import finish_background
from tests.live.conftest import QUESTIONS, seated
from tests.photos.drawing import kept
from tests.stories.core import election, someone

MAX_ROUNDS = 20  # of a worker that finds nothing more to do long before
ADDRESSES = [f"voter{number:03d}@example.org" for number in range(100)]
NAMES = ("Ann", "Bea", "Col", "Dan", "Eve")


WAYS = ["killed", *(pytest.param(how, marks=pytest.mark.deep) for how in ("in conflict", "unanswered"))]


class Killed(BaseException):
    """The process is gone: nobody catches this."""


class Interrupted:
    """A table whose `at`-th write does not go as it should; after a kill, none does."""

    def __init__(self, table: Table, at: int = 0, how: str = ""):
        self._table = table
        self.at = at
        self.how = how
        self.writes = 0
        self.is_dead = False

    def __getattr__(self, name: str) -> Any:
        if self.is_dead:
            raise Killed
        return getattr(self._table, name)

    def write(self, *writes: Any, **options: Any) -> None:
        return self._meddled_with(lambda: self._table.write(*writes, **options))

    def increment(self, *arguments: Any, **options: Any) -> int:
        return self._meddled_with(lambda: self._table.increment(*arguments, **options))

    def put_all(self, *arguments: Any) -> None:
        return self._meddled_with(lambda: self._table.put_all(*arguments))

    def _meddled_with(self, write: Callable[[], Any]) -> Any:
        self.writes += 1
        if self.writes == self.at and self.how == "killed":
            self.is_dead = True
        if self.is_dead:
            raise Killed
        if self.writes == self.at and self.how == "in conflict":
            raise Conflict("Other changes kept getting in the way.")
        answer = write()
        if self.writes == self.at and self.how == "unanswered":
            raise Unavailable("The store did not answer in time.")
        return answer


# --- the acts, and the sites they are done on ---


def people_come() -> None:
    accounts.make_demo_person("Olga", Role.OWNER, "", "-")
    accounts.make_demo_person("Bo", Role.USER, "", "-")
    for name in NAMES:
        accounts.make_demo_person(name, Role.VOTER, "", "-")


def draft(owner: str, name: str, voters: list[str], **settings: Any) -> None:
    made = drafts_services.create(someone(owner), name, **settings)
    add_candidates(someone(owner), made, [Candidate(each) for each in ("Ada", "Bob", "Cy")])
    change_picture(someone(owner), election(name), "Ada", PictureChange(kept()))
    add_voters(someone(owner), election(name), voters)


def opened(owner: str, name: str, voters: list[str], **settings: Any) -> None:
    draft(owner, name, voters, **settings)
    lifecycle.open_(someone(owner), election(name), editable=False)
    for place, voter in enumerate(each for each in voters if each in NAMES):
        ballots.cast(someone(voter), name, {"0": ["1"], "1": [str(place + 1)]}, form=f"{name} {voter}")


def a_member_with_everything() -> None:
    people_come()
    accounts.change_picture(someone("Bo"), PictureChange(kept()))
    opened("Bo", "Board", [*NAMES])
    opened("Olga", "Prize", [*NAMES, "Bo"], secret_ballot=False)
    ballots.cast(someone("Bo"), "Prize", {"0": ["1"]}, form="Prize Bo")
    draft("Olga", "Later", ["Ann", "Bo"])
    add_manager(someone("Olga"), election("Later"), "Bo")
    polls.make(someone("Bo"), ["Soup", "Salad"], 30, title="Lunch", expires_at=None)
    said = {"level": 2, "years": 1, "last_used": "", "notes": "", "interest": False}
    skills.hold(someone("Bo"), skills.add(someone("Olga"), "Soup", "Kitchen", "").id, "form", **said)
    skills.hold(someone("Ann"), "soup", "form", **said)
    skills.endorse(someone("Ann"), someone("Bo"), "soup", (Ground.SAW,), "another form")
    skills.endorse(someone("Bo"), someone("Ann"), "soup", (Ground.SAW,), "another form")
    said_in_public("Bo", "Board", "Please vote")
    news.write(someone("Bo"), Written("Who will it be?", "Not known *yet*."), "Board")
    question_sets.share(someone("Bo"), a_set("Bo", "Shared", 3), on=True)
    a_set("Bo", "Private", 3)
    groups.make(someone("Bo"), "Club")
    groups.add(someone("Olga"), groups.make(someone("Olga"), "All").id, ["Bo", "Ann", someone("Bo").email])
    opened("Olga", "Secret", ["Ann", "Bo", "Bea", "Col"])
    ballots.cast(someone("Bo"), "Secret", {"0": ["1"]}, form="Secret Bo")
    making.make(someone("Bo"), Type.POLL, QUESTIONS[Type.POLL], title="Bo asks")
    making.make(someone("Olga"), Type.POLL, QUESTIONS[Type.POLL], title="Both ask", hosts=("Bo",))


def said_in_public(author: str, about: str, title: str) -> None:
    news.publish(someone(author), news.write(someone(author), Written(title, "It is *important*."), about))


def remove_somebody() -> None:
    if (bo := people.find("Bo")) is not None:
        accounts.remove(someone("Olga"), bo)


def an_election_with_ballots() -> None:
    people_come()
    opened("Bo", "Board", [*NAMES, *ADDRESSES])


def delete_it() -> None:
    if (board := elections.find("Board")) is not None:
        lifecycle.delete(someone("Bo"), board)


def close_it() -> None:
    if (board := election("Board")).allow_vote:
        closing.close(someone("Bo"), board)


def invite_its_voters() -> None:
    with suppress(Refusal):  # asked for already
        mailing.invite(someone("Bo"), election("Board"))


def a_long_draft() -> None:
    people_come()
    draft("Bo", "Board", [*NAMES, *ADDRESSES])
    more = [Candidate(f"Candidate {number}", "Words.") for number in range(100)]
    add_candidates(someone("Bo"), election("Board"), more)


def copy_it() -> None:
    if elections.find("Copy") is None:
        copying.copy(someone("Bo"), election("Board"), "Copy")


def rename_it() -> None:
    if elections.find("Council") is None:
        drafts_services.rename(someone("Bo"), election("Board"), "Council")


def import_a_list() -> None:
    if (board := election("Board")).voter_count < 300:
        names = [f"new{number:03d}@example.org" for number in range(200)]
        imports.resume(someone("Bo"), board, imports.start(someone("Bo"), board, names), 3600)


def three_questions() -> None:
    people_come()
    draft("Bo", "Board", [*NAMES, "new@example.org"])
    add_question(someone("Bo"), election("Board"), "The budget", kind="yes-no")
    asked = add_question(someone("Bo"), election("Board"), "A speaker", for_groups=("Staff",))
    add_candidates(someone("Bo"), asked, [Candidate("Kim"), Candidate("Lou")])
    change_picture(someone("Bo"), election("Board").at(3), "Kim", PictureChange(kept()))
    add_voters(someone("Bo"), election("Board"), NAMES[:3], dict.fromkeys(NAMES[:3], Details(groups=("Staff",))))


def three_open_questions() -> None:
    """Everybody has answered some of them."""
    three_questions()
    lifecycle.open_(someone("Bo"), election("Board"), editable=False)
    for place, voter in enumerate(NAMES):
        said = {"0": ["1"], "1": [str(place + 1)], "2:0": ["1"]}
        said |= {"3:1": ["1"]} if place < 2 else {}
        ballots.cast(someone(voter), "Board", said, form=voter)


def keep_its_roll() -> None:
    groups.save_roll(someone("Bo"), election("Board"), "form")


def a_roll() -> None:
    people_come()
    made = drafts_services.create(someone("Bo"), "Board")
    add_voters(someone("Bo"), made, [*NAMES, *ADDRESSES[:90]])


def a_group_and_a_draft() -> None:
    a_roll()
    groups.save_roll(someone("Bo"), election("Board"), "form")
    add_voters(someone("Bo"), drafts_services.create(someone("Bo"), "Next"), ["Ann"])


def put_the_group_on_a_roll() -> None:
    if (next_one := election("Next")).voter_count < 95:
        (group,) = kept_groups.every_group_of("Bo")
        imports.resume(someone("Bo"), next_one, groups.put_on_roll(someone("Bo"), next_one, group.id), 3600)


def delete_the_group() -> None:
    for group in list(kept_groups.every_group_of("Bo")):
        groups.delete(someone("Bo"), group.id)


def a_poll_with_votes() -> None:
    people_come()
    poll, _ = polls.make(someone("Bo"), ["Soup", "Salad", "Stew"], 30, title="Lunch", expires_at=None)
    for number, name in enumerate(NAMES):
        polls.cast(poll.id, f"{number:032x}", {"0": ["1"], "1": [str(number + 1)]}, form=name)


def the_poll() -> Any:
    listed = next(table().each(keys.made_by("Bo")), None)
    return polls.find_runner(listed["id"], someone("Bo"), "") if listed else None


def close_the_poll() -> None:
    if (runner := the_poll()).poll.closed_at is None:
        polls.close(runner)


def delete_the_poll() -> None:
    if (runner := the_poll()) is not None:
        polls.delete(runner)


def make_an_election_of_it() -> None:
    if elections.find("Lunch") is None:
        polls.make_election(the_poll(), someone("Bo"), "Lunch")


def a_post_that_many_like() -> None:
    people_come()
    post = news.write(someone("Olga"), Written("Moved", "We have moved."))
    news.publish(someone("Olga"), post)
    for name in NAMES:
        set_like(member(someone(name), post.id), on=True)


def delete_the_post() -> None:
    for post in posts.published(limit=1)[0]:
        news.delete(someone("Olga"), post)


def a_set(owner: str, name: str, count: int) -> str:
    set_id = question_sets.make(someone(owner), name).id
    some = [Question(f"Question {number}", category=f"Category {number % 2}") for number in range(count)]
    question_sets.add(someone(owner), set_id, some)
    return set_id


def a_long_question_set() -> None:
    people_come()
    a_set("Bo", "Long", 60)


def sets_of_bo() -> dict[str, Any]:
    return {each.name: sets.find_full(each.id) for each in sets.each_owned_by("Bo")}


def copy_the_set() -> None:
    if "Copy" not in (there := sets_of_bo()):
        question_sets.copy(someone("Bo"), there["Long"], "Copy")


def import_questions() -> None:
    long = sets_of_bo()["Long"]
    if long.set.total_questions + long.waiting == 60:
        question_sets.add(someone("Bo"), long.set.id, [Question(f"More {number}") for number in range(60)])


def delete_the_set() -> None:
    for whole in sets_of_bo().values():
        question_sets.delete(someone("Bo"), whole.set.id)


def a_skill_that_many_have() -> None:
    people_come()
    for name in ("Golang", "Go"):
        skills.add(someone("Olga"), name, "Programming", "")
    for name in (*NAMES, "Bo"):
        said = {"level": 2, "years": 1, "last_used": "", "notes": "", "interest": False}
        skills.hold(someone(name), "golang", "form", **said)
    skills.hold(someone("Bo"), "go", "another form", **said | {"level": 4})
    skills.endorse(someone("Olga"), someone("Bo"), "golang", (Ground.SAW,), "form of Olga")
    skills.show_to(someone("Bo"), Visibility.NOBODY)


def a_draft_and_its_readers() -> None:
    people_come()
    news.write(someone("Olga"), Written("We have moved", "To Mill Lane."))
    places = [keys.subscriber(address) for address in ADDRESSES]
    words = {"language": "en", "since": "2026-01-01T00:00:00.000Z"}
    for some in by_count(places):
        table().write(*(Put({"PK": pk, "SK": address, "address": address, **words}) for pk, address, _ in some))


def publish_it_and_mail_it() -> None:
    """As if it had been published an hour ago."""
    drafts, _ = posts.drafts(limit=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(storage, "utc_now", lambda: datetime.now(UTC) - timedelta(hours=1))
        for draft in drafts:
            news.publish(someone("Olga"), draft, mails=True)


def merge_it() -> None:
    if (skill := catalogue.find("golang")) is not None and skill.is_listed:
        merging.merge(someone("Olga"), skill, catalogue.find("go"))


def a_live_session(type_: Type) -> Callable[[], None]:
    """In which a question is open and everybody has answered it."""
    said = {Type.CALL_AND_ANSWER: "A bus for {}", Type.SURVEY: {"0": 4, "1": True}}

    def prepare() -> None:
        people_come()
        game = making.make(someone("Bo"), type_, QUESTIONS[type_], title="Friday")
        drive(Step.NEXT)
        for seat in seated(game, *NAMES[:3]):
            words = said[type_]
            text = words.format(seat.name) if isinstance(words, str) else words
            answering.submit(game, games.read_state(game.id), seat, text, game_clock.now())

    return prepare


def an_assembly() -> None:
    """That has decided one thing."""
    people_come()
    game = making.make(someone("Bo"), Type.ASSEMBLY, QUESTIONS[Type.ASSEMBLY][1:], title="Friday")
    players = seated(game, *NAMES[:3])
    for step in (Step.NEXT, Step.VOTE):
        drive(step)
    for seat in players:
        answering.submit(game, games.read_state(game.id), seat, "yes", game_clock.now())
    drive(Step.CLOSE)


def end_the_assembly() -> None:
    if games.read_state(the_game()).phase != Phase.ENDED:
        drive(Step.END)


def the_game() -> str:
    return next((line["id"] for line in table().each(keys.games_of("Bo"))), "")


def drive(step: Step) -> None:
    state = games.read_state(the_game())
    assert state is not None
    moving.drive(the_game(), "Bo", step, state.version)


def make_a_session_and_start_it() -> None:
    if not the_game():
        making.make(someone("Bo"), Type.POLL, QUESTIONS[Type.POLL], title="Friday")
    if games.read_state(the_game()).phase == Phase.WAITING:
        drive(Step.NEXT)


def close_its_answers_and_its_votes() -> None:
    for phase in (Phase.QUESTION, Phase.VOTING):
        if games.read_state(the_game()).phase == phase:
            drive(Step.CLOSE)


def a_poll_of(question: Question, said: Any) -> Callable[[], None]:
    """In which everybody has said this; `said` may name who says it."""

    def prepare() -> None:
        people_come()
        game = making.make(someone("Bo"), Type.POLL, [question], title="Friday")
        drive(Step.NEXT)
        for seat in seated(game, *NAMES[:3]):
            words = [said[0].format(seat.name)] if isinstance(said, list) else said
            answering.submit(game, games.read_state(game.id), seat, words, game_clock.now())

    return prepare


def sort_its_ideas() -> None:
    if games.read_state(the_game()).phase == Phase.QUESTION:
        drive(Step.CLOSE)
    if games.read_state(the_game()).phase == Phase.SORTING:
        if len(ideas_order.find_order(the_game(), 1).groups) == 3:
            ideas_order.sort(the_game(), 1, lambda found: found.merged([0, 1], "Buses"))
        drive(Step.VOTE)


def a_ranking_asked_twice() -> None:
    a_poll_of(Question("Where?", Kind.RANKING, options=("Sea", "Hills"), twice=True), "0>1")()
    drive(Step.CLOSE)
    drive(Step.AGAIN)


def compare_both() -> None:
    if games.read_state(the_game()).phase == Phase.QUESTION:
        drive(Step.CLOSE)


def delete_the_session() -> None:
    if the_game():
        deleting.delete(the_game(), "Bo")


def an_assembly_that_has_talked() -> None:
    people_come()
    question = Question("Who chairs?", Kind.CHOICE, options=("Ann", "Bea"), seconds=0)
    game = making.make(someone("Bo"), Type.ASSEMBLY, [question], title="Spring meeting", entitled=9, quorum="1/2")
    for name in NAMES:
        player = roll.player_of(game.id, name, someone(name).created_at)
        table().write(*seats.seating(game, seats.Seat(player, name, game.created_at, own={"account": name})))
    drive(Step.NEXT)
    drive(Step.CLOSE)


def make_an_election_of_those_present() -> None:
    if elections.find("Who chairs?") is None:
        follow_ups.make_election(someone("Bo"), the_game(), 1, of_those_present=True)


HOOKS: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
    "a person is removed": (a_member_with_everything, remove_somebody),
    "an election is deleted": (an_election_with_ballots, delete_it),
    "an election is closed and sealed": (an_election_with_ballots, close_it),
    "voters are invited": (an_election_with_ballots, invite_its_voters),
    "an election is copied": (a_long_draft, copy_it),
    "a draft is renamed": (a_long_draft, rename_it),
    "a draft with three questions is copied": (three_questions, copy_it),
    "a draft with three questions is renamed": (three_questions, rename_it),
    "an election with three questions is closed and sealed": (three_open_questions, close_it),
    "an election with three questions is deleted": (three_open_questions, delete_it),
    "a list is imported": (a_long_draft, import_a_list),
    "a roll is kept as a group": (a_roll, keep_its_roll),
    "a group is put on a roll": (a_group_and_a_draft, put_the_group_on_a_roll),
    "a group is deleted": (a_group_and_a_draft, delete_the_group),
    "a poll is closed and sealed": (a_poll_with_votes, close_the_poll),
    "a poll is deleted": (a_poll_with_votes, delete_the_poll),
    "a poll becomes an election": (a_poll_with_votes, make_an_election_of_it),
    "a skill is merged": (a_skill_that_many_have, merge_it),
    "a post is deleted": (a_post_that_many_like, delete_the_post),
    "a question set is copied": (a_long_question_set, copy_the_set),
    "questions are imported": (a_long_question_set, import_questions),
    "a question set is deleted": (a_long_question_set, delete_the_set),
    "a post is mailed": (a_draft_and_its_readers, publish_it_and_mail_it),
    "a room becomes an electorate": (an_assembly_that_has_talked, make_an_election_of_those_present),
}
# What somebody does before a room: whatever became of it, they look where the session is and go on from there.
BEFORE_A_ROOM: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
    "a live session is made and started": (people_come, make_a_session_and_start_it),
    "answers are gathered and voted on": (a_live_session(Type.CALL_AND_ANSWER), close_its_answers_and_its_votes),
    "an assembly ends and has minutes": (an_assembly, end_the_assembly),
    "ideas are sorted and voted on": (
        a_poll_of(Question("What?", Kind.IDEAS), ["A bus for {}"]),
        sort_its_ideas,
    ),
    "a ranking is asked twice": (a_ranking_asked_twice, compare_both),
    "a live session is ended and deleted": (a_live_session(Type.SURVEY), delete_the_session),
}


# --- the worker ---

RESTING = (
    jobs.MAIL,
    jobs.LOG,
    jobs.NIGHTLY,
    jobs.BACKUPS,
    jobs.SWEEP,
    jobs.REMINDERS,
    jobs.BACKGROUND,
)  # not about these acts


def finish_what_is_left() -> None:
    """What a worker does, as soon as it is sure that nobody else is at it."""
    for _ in range(MAX_ROUNDS):
        if not finish_background() + sum([job.work() for job in jobs.JOBS if job not in RESTING and job.waits()]):
            return
    raise AssertionError("The worker never comes to an end.")


# --- what a site is like, whenever it came to be so ---

LIKE_ANY_OTHER = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?"), "a time"),
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}\b"), "a code"),
    (re.compile(r"\b[0-9a-f]{16,}\b"), "a number"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "a number"),
)
PASSING = ("ONCE#", "LEASE#", "THROTTLE#", "SESSIONS#")
OF_CHANCE = ("ttl", "moved", "version", "not_before", "last_event_id", "upto", "event", "since", "counted")


def likeness(table: Table) -> Counter[str]:
    """Everything on the site, without when, and under which drawn numbers, it came there."""
    alike: Counter[str] = Counter()
    gates: Counter[str] = Counter()
    for name, item in table.everything():
        if name == LOG and item["PK"] != keys.events().pk:
            continue
        if item["PK"].startswith(PASSING) or item["PK"] == keys.METADATA:
            continue
        if item["SK"].startswith("GATE#"):
            gates.update({f"{item['PK']} {key}": value for key, value in item.items() if type(value) is int})
        else:
            alike[_like(_told(item) if name == LOG else item)] += 1
    return alike + Counter({f"{_plain(gate)}: {count}": 1 for gate, count in gates.items() if count})


def _told(event: Item) -> Item:
    return {name: event[name] for name in ("actor", "event_type", "event_data")}


def _like(item: Item) -> str:
    return _plain(repr(sorted((name, _wordy(value)) for name, value in item.items() if name not in OF_CHANCE)))


def _wordy(value: Any) -> Any:
    """Bytes are drawn, or sealed with what was drawn: among them may be anything, quotes and brackets too."""
    if isinstance(value, bytes):
        return "some bytes"
    if isinstance(value, dict):
        return {name: _wordy(each) for name, each in value.items()}
    return [_wordy(each) for each in value] if isinstance(value, list) else value


@cache  # the same things on every copy
def _plain(text: str) -> str:
    for pattern, word in LIKE_ANY_OTHER:
        text = pattern.sub(word, text)
    return text


# --- cutting off ---


@pytest.fixture(autouse=True)
def nobody_waits_for_the_dead(monkeypatch):
    """Who was killed while closing a round is known to be."""
    monkeypatch.setattr(game_rules, "MAX_CLOSING_MS", 0)


class Site:
    """A prepared site, and as many copies of it as are wanted."""

    def __init__(self, folder: Path, prepare: Callable[[], None]):
        self.folder = folder
        self.copies = 0
        self.path = str(folder / "prepared.sqlite3")
        table = SqliteTable(self.path)
        table.create()
        with use_table(table):
            prepare()
            finish_background("tell webhooks")  # of what was opened and published: no part of the act
        table.close()

    @contextmanager
    def copy(self) -> Iterator[Table]:
        self.copies += 1
        path = self.folder / f"{self.copies}.sqlite3"
        source, target = sqlite3.connect(self.path), sqlite3.connect(path)
        source.backup(target)
        target.execute("PRAGMA journal_mode = WAL")
        source.close()
        target.close()
        table = SqliteTable(str(path))
        table.wait_for_no_disk()
        try:
            with override_settings(STORE_URL=f"sqlite://{path}"):
                yield table
        finally:
            table.close()
            for left in self.folder.glob(f"{self.copies}.sqlite3*"):
                left.unlink()


def done(table: Any, act: Callable[[], None]) -> Counter[str]:
    with use_table(table):
        act()
        finish_what_is_left()
    return likeness(table)


def cut_off(table: Table, act: Callable[[], None], at: int, how: str) -> Counter[str]:
    """The act goes wrong at one write; then a worker comes by."""
    with use_table(Interrupted(table, at, how)), suppress(Killed, Conflict, Unavailable, Refusal, SomeFailed):
        act()
        finish_what_is_left()
    with use_table(table):
        finish_what_is_left()
    return likeness(table)


def lasting(alike: Counter[str]) -> Counter[str]:
    """Without what goes by itself in a few days."""
    goes = ("IMPORTED#", "COMING#")
    return Counter({text: count for text, count in alike.items() if not any(word in text for word in goes)})


@dataclass(frozen=True)
class InPeace:
    """An act that nothing interrupts: what there was before, what there is in the end, and how many writes it took."""

    site: Site
    before: Counter[str]
    end: Counter[str]
    writes: int


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory) -> Callable[[str], InPeace]:
    """Each act is done in peace once, for all that may go wrong with it. Acts that begin with the same share a site."""

    @cache
    def prepared(prepare: Callable[[], None]) -> Site:
        return Site(tmp_path_factory.mktemp("prepared"), prepare)

    @cache
    def make(name: str) -> InPeace:
        prepare, act = (HOOKS | BEFORE_A_ROOM)[name]
        site = prepared(prepare)
        with site.copy() as table:
            before = likeness(table)
        with site.copy() as table:
            counting = Interrupted(table)
            return InPeace(site, before, done(counting, act), counting.writes)

    return make


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", HOOKS)
def test_whatever_is_cut_off_is_finished(in_peace, name, how):
    act, peace = HOOKS[name][1], in_peace(name)
    assert peace.writes > 1, "this act takes one write, and cannot be cut off"
    for at in range(1, peace.writes + 1):
        with peace.site.copy() as table:
            after = cut_off(table, act, at, how)
            if lasting(after) == lasting(peace.before):
                after = done(table, act)
            assert_same(peace.end, after, f"{name}, {how} at write {at} of {peace.writes}")


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", BEFORE_A_ROOM)
def test_a_room_goes_on_from_whatever_was_cut_off(in_peace, name, how):
    act, peace = BEFORE_A_ROOM[name][1], in_peace(name)
    for at in range(1, peace.writes + 1):
        with peace.site.copy() as table:
            cut_off(table, act, at, how)
            after = done(table, act)
            when = f"{name}, {how} at write {at} of {peace.writes}"
            assert_same(whoever_closed_it(peace.end), whoever_closed_it(after), when)


OF_ROOMS = (
    (re.compile(r"'actor', '(Bo|plenum)'"), "somebody"),  # a worker closes what somebody began to close
    (re.compile(r"'(began|code|GSI1SK)'(: |, )('[^']*'|\d+)"), "chance"),
    (re.compile(r"CODE#\d{4}|[\w-]{22}(?=['#])|'(screen_)?token', '[\w-]{16}'"), "chance"),
    (re.compile(r"'asked', \d"), "often"),
    (re.compile(r"'event', \d+"), "which number"),  # of the log; what was cut off has voided some
)


def whoever_closed_it(alike: Counter[str]) -> Counter[str]:
    """Without what is drawn when a session is made, and who it was that came by."""
    plain: Counter[str] = Counter()
    for text, count in alike.items():
        for pattern, word in OF_ROOMS:
            text = pattern.sub(word, text)  # noqa: PLW2901
        plain[text] += count
    return plain


def assert_same(end: Counter[str], after: Counter[str], when: str) -> None:
    missing, too_much = sorted((end - after).elements()), sorted((after - end).elements())
    assert (missing, too_much) == ([], []), when


# --- mail: what was handed over cannot be taken back ---


def three_mails() -> None:
    table().write(*(mail.queued("already_registered", f"{name}@example.org", name=name) for name in "abc"))


@pytest.mark.parametrize("how", WAYS)
def test_a_mail_goes_out_once_or_says_that_nobody_knows(tmp_path, mailoutbox, how):
    site = Site(tmp_path, three_mails)
    for at in range(1, 9):
        mailoutbox.clear()
        with site.copy() as table:
            with use_table(Interrupted(table, at, how)), suppress(Killed, Conflict, Unavailable, SomeFailed):
                send_waiting(compose)
            with use_table(table):
                send_waiting(compose, now=lambda: time.time() + 2 * LEASE_SECONDS)
                states = {state: {each.to for each in mail.in_state(state, 9)[0]} for state in mail.STATES}
        sent = Counter(message.to[0] for message in mailoutbox)
        assert set(sent.values()) == {1}, f"{how} at write {at}: somebody was mailed twice"
        assert states[mail.SENT] <= sent.keys(), f"{how} at write {at}: called sent, but it was not"
        assert sum(map(len, states.values())) == 3, f"{how} at write {at}: a mail is lost"
        assert states[mail.QUEUED] | states[mail.SENDING] == set(), f"{how} at write {at}: a mail waits for ever"
