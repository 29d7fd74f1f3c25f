"""Robots who play along, so that a host can rehearse alone: seated at the first look, answering by themselves.

When a robot answers and what, comes from the session, the round and its number alone. So every process finds the same,
and whoever looks first writes what all of them would: the same item at the same key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext as _

from acts.recording import write
from acts.refusals import LostRace
from acts.site import table
from assembly.resolutions import ABSTAIN, NO, YES
from questions.question import RANKED, RATINGS, Kind, Question, Type
from store import keys
from store.limits import BATCH_PUTS
from store.splitting import by_count
from store.table import StoreError

from . import clock, repository, rules, seats
from .gathering import Gathered
from .pseudonyms import pseudonym
from .rounds import Given
from .rules import Game, Phase, State
from .seats import Seat

MAX_ROBOTS = 50  # in one session
MIN_ANSWER_MS, MAX_ANSWER_MS = 700, 5_000  # milliseconds of the clock that a robot takes
RIGHT_PROBABILITY = 0.75  # how often a robot is right
ANSWERS_PER_VOTE = 3  # answers that a vote names
ABSTENTION_PROBABILITY = 0.12  # how often a robot abstains in an assembly


def sentences() -> list[str]:
    """What robots say, in the language of whoever hosts."""
    return [
        _("More plants in every room"),
        _("A walk together after lunch"),
        _("Shorter meetings, longer breaks"),
        _("Cake on Fridays"),
        _("A quiet hour every morning"),
        _("Somebody new to talk to each week"),
        _("A shelf of books to borrow"),
        _("Music while we tidy up"),
        _("A day outside once a month"),
        _("Fewer mails, more visits"),
        _("A good question on the board"),
        _("Bicycles for everybody"),
        _("Soup for those who stay late"),
        _("A picture on the wall that changes"),
        _("Time to finish what we began"),
        _("A garden on the roof"),
    ]


def name(number: int) -> str:
    return _("Robot %(number)d") % {"number": number}


# --- seats ---


def seat_all(game: Game, found: Mapping[str, Seat]) -> bool:
    """Whether robots were missing, and have a seat now. One whose name is somebody's takes a longer one."""
    missing = [number for number in range(1, min(game.debug_mode, MAX_ROBOTS) + 1) if player(number) not in found]
    seated = [number for number in missing if _seat(game, number)]
    if seated:
        seats.touched(game)
    return bool(seated)


def player(number: int) -> str:
    return f"robot-{number:04d}"


def _seat(game: Game, number: int) -> bool:
    for named in (name(number), f"{name(number)} ({player(number)})"):
        robot = Seat(player(number), named, game.created_at, robot=True)
        try:
            write(*seats.seating(game, robot))
        except LostRace as refused:
            if refused.parts == (0,):
                continue  # the name is another's
            return False  # somebody else was quicker
        return True
    return False


# --- answers and votes ---


class Robots:
    """Those of one session, as one process has seen them play."""

    def __init__(self) -> None:
        self.given: set[tuple[int, str, str]] = set()  # rounds, phases and robots that are done

    def play(
        self, game: Game, state: State, questions: Sequence[Question], robots: Sequence[Seat], gathered: Gathered | None
    ) -> None:
        """Give what is due by now. A store in trouble is asked again at the next look."""
        due = [each for each in robots if self._is_due(game, state, each)]
        if not due or state.closing:
            return
        try:
            _give(game, state, questions, due, gathered)
        except StoreError:
            return
        self.given.update((state.round, state.phase, each.player) for each in due)

    def _is_due(self, game: Game, state: State, robot: Seat) -> bool:
        is_done = (state.round, state.phase, robot.player) in self.given
        return state.is_open and not is_done and moment(game, state, robot) <= clock.now()


def moment(game: Game, state: State, robot: Seat) -> int:
    """When a robot answers: early enough for the shortest clock."""
    latest = min(MAX_ANSWER_MS, state.clock.seconds * 700) if state.clock.seconds else MAX_ANSWER_MS
    waits = _chance(game, state, robot, "when").randint(min(MIN_ANSWER_MS, latest), latest)
    return state.clock.began + clock.LEAD_MS + waits


def _give(
    game: Game, state: State, questions: Sequence[Question], robots: Sequence[Seat], gathered: Gathered | None
) -> None:
    salt = repository.salt(game.id, state.round) if rules.is_secret(game, state) else None
    if rules.is_secret(game, state) and salt is None:
        return  # it is being sealed
    key = keys.live_vote if state.phase == Phase.VOTING else keys.live_answer
    items = []
    for robot in robots:
        said = _given(game, state, questions, robot, gathered)
        if said is None:
            continue
        given = Given(pseudonym(salt, robot.player), said, moment(game, state, robot), _receipt(game, state, robot))
        items.append(repository.given_item(game, key(game.id, state.round, given.player, given.at), given))
    for some in by_count(items, BATCH_PUTS):
        table().put_all(some)


def _given(game: Game, state: State, questions: Sequence[Question], robot: Seat, gathered: Gathered | None) -> Any:
    if state.phase != Phase.VOTING or state.kind == Kind.IDEAS:
        return _said(game, state, questions, robot)
    if game.is_assembly:
        return _ballot(questions[state.question], _chance(game, state, robot, "vote"))
    return _vote(game, state, robot, gathered)


def _receipt(game: Game, state: State, robot: Seat) -> str:
    """Nobody asks by it; it is the same each time."""
    return hashlib.sha256(f"{game.id} {state.round} {state.phase} {robot.player}".encode()).hexdigest()[:12]


def _chance(game: Game, state: State, robot: Seat, what: str) -> Random:
    return Random(f"{game.id} {state.round} {state.phase} {robot.player} {what}")  # noqa: S311 - chance, no secret


def _said(game: Game, state: State, questions: Sequence[Question], robot: Seat) -> Any:
    chance, question = _chance(game, state, robot, "what"), questions[state.question]
    if question.kind == Kind.IDEAS and state.phase == Phase.QUESTION:
        return [_sentence(game, state, robot)]
    if game.engagement_type == Type.TRIVIA:
        return _chosen(question, chance)
    if game.engagement_type == Type.CALL_AND_ANSWER:
        return _sentence(game, state, robot)
    if game.engagement_type == Type.POLL or question.kind == Kind.IDEAS:
        return _ranking(question, chance)
    return {str(place): _value(each, chance) for place, each in enumerate(questions)}


def _chosen(question: Question, chance: Random) -> list[int]:
    wrong = [place for place in range(len(question.options)) if place not in question.right]
    return sorted(question.right) if chance.random() < RIGHT_PROBABILITY or not wrong else [chance.choice(wrong)]


def _sentence(game: Game, state: State, robot: Seat) -> str:
    """Robots seldom say the same."""
    all_of_them = sentences()
    Random(f"{game.id} {state.round}").shuffle(all_of_them)  # noqa: S311 - chance, no secret
    return all_of_them[int(robot.player[-4:]) % len(all_of_them)]


def _ranking(question: Question, chance: Random) -> str:
    """Those named first are a little likelier to lead, so that there is a race to see."""
    places = list(range(len(question.options)))
    if question.kind not in RANKED:
        return str(min(chance.choice(places), chance.choice(places)))
    places.sort(key=lambda place: place + chance.uniform(0, len(places)))
    return ">".join(map(str, places))


def _ballot(question: Question, chance: Random) -> str:
    """A vote of an assembly; a few abstain."""
    if chance.random() < ABSTENTION_PROBABILITY:
        return "" if question.kind in RANKED else ABSTAIN
    if question.kind == Kind.MOTION:
        return YES if chance.random() < RIGHT_PROBABILITY else NO
    return _ranking(question, chance)


def _value(question: Question, chance: Random) -> Any:
    if question.kind == Kind.RATING:
        return max(chance.choice(RATINGS), chance.choice(RATINGS))
    if question.kind == Kind.YES_NO:
        return chance.random() < RIGHT_PROBABILITY
    if question.kind == Kind.TEXT:
        return chance.choice(sentences())
    return chance.randrange(len(question.options))


def _vote(game: Game, state: State, robot: Seat, gathered: Gathered | None) -> dict[str, Any] | None:
    shown = gathered.shown_to(robot.player) if gathered else ()
    if not shown:
        return None
    best = _chance(game, state, robot, "vote").sample(sorted(shown), min(ANSWERS_PER_VOTE, len(shown)))
    return {"ranks": {str(place): rank for rank, place in enumerate(best, 1)}, "shown": list(shown)}
