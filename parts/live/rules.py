"""Session and state of a live session, its phases and steps, and who may host it. Pure, refusals as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.pages.times import from_text
from foundation.store.keys import fold
from foundation.store.log import as_text
from parts.questions.question import Question

from .clock import DEFAULT_PERCENT, MAX_SESSION_DURATION, Clock, Lifetime
from .formats import FORMATS, Format

NO_CLOCK = Clock()

MAX_SESSION_TITLE_CHARS = 100
MAX_CONTEXT_CHARS = 5_000
MAX_PLAYERS = 2_000
MAX_HOSTS = 10
MAX_ROUNDS = 400  # in one session, repetitions included, so that the state fits an item
DEFAULT_RETENTION = timedelta(days=15)  # from creation, for sessions without `kept_until`
MAX_CLOSING_MS = 3_000  # after which another process takes over a stalled closing
UNCOUNTABLE_MARK = -1  # in place of the time when closing began: counting failed, so nobody tries again unasked
CODE_RETENTION = timedelta(days=1)  # how long a code reports the end


NOT_THERE = _("This session does not exist. It may have expired and been removed.")
NOT_YOURS = _("You are not a host of this session.")
NOT_NOW = _("This is not possible at this point in the session.")
UNCOUNTABLE = _("This round cannot be counted: void it, and the session goes on.")
STALE = _("The session has already moved on. This is where it is now.")
LAST_QUESTION = _("That was the last question. End the session to show the final standings.")


class Phase(StrEnum):
    WAITING = "waiting"
    QUESTION = "question"
    SHOWN = "talking"  # a question that is not open yet, with which any play can begin
    SORTING = "sorting"  # the host sorts ideas before they are ranked
    VOTING = "voting"
    RESULTS = "results"
    ENDED = "ended"


class Names(StrEnum):
    """How players get their names."""

    TYPED = "typed"
    GENERATED = "generated"
    APPROVED = "approved"  # typed, and hidden until the host approves it


class Step(StrEnum):
    """Steps a host can take."""

    NEXT = "next"  # question, including the first
    VOTE = "vote"  # on what was shown, or on the ideas
    CLOSE = "close"
    REVEAL = "reveal"
    PAUSE = "pause"
    RESUME = "resume"
    VOID = "void"
    REPEAT = "repeat"
    AGAIN = "again"  # ask the same question again, for comparison
    END = "end"


def later(moment: str, by: timedelta) -> str:
    return as_text(from_text(moment) + by)


@dataclass(frozen=True, slots=True)
class Game:
    """The stored session: fixed while it runs, except for corrections by hosts, its hosts and its end."""

    id: str
    title: str
    engagement_type: str  # decides the play of questions that name none
    created_at: str
    created_by: str
    code: str
    token: str  # in the join link and QR code
    screen_token: str  # in the projector link
    total_questions: int
    question_set_id: str = ""
    set_version: int = 0
    custom_instructions: str = ""  # of the set
    context: str = ""  # the host's own notes
    debug_mode: int = 0  # number of robots playing
    names: Names = Names.TYPED
    speed_bonus: bool = False
    hosts: tuple[str, ...] = ()  # besides its creator
    own: Any = None  # what its format stores with it: see `Format.own`
    time_zone: str = "UTC"  # for the times in its record
    prepared_at: str = ""  # when a host last changed anything of it
    kept_until: str = ""  # hard limit for all its items
    began_at: str = ""  # time of the first step; set at the end
    ended_at: str | None = None
    expires_at: str | None = None  # when its data is removed; set at the end
    version: int = 1

    @property
    def format(self) -> Format:
        return FORMATS.of(self)

    @property
    def is_public(self) -> bool:
        """Whether anyone with the code can join at once."""
        return self.names != Names.APPROVED and not self.format.checks_in

    @property
    def gone_at(self) -> str:
        """When all its data except history lines is gone; for a running session, the latest possible date."""
        return self.expires_at or self._last_day

    @property
    def _last_day(self) -> str:
        return self.kept_until or later(self.created_at, DEFAULT_RETENTION)

    @property
    def ttl(self) -> int:
        """The same for every item from the start. A safety net: the worker removes ended sessions much earlier."""
        return int(from_text(self._last_day).timestamp())

    @property
    def code_ttl(self) -> int:
        """How long the code resolves; for a running session, long enough even if its end is never recorded."""
        end = from_text(self.ended_at) if self.ended_at else from_text(self.created_at) + MAX_SESSION_DURATION
        return int((end + CODE_RETENTION).timestamp())

    @property
    def last_prepared_at(self) -> str:
        return max(self.created_at, self.prepared_at)


@dataclass(frozen=True, slots=True)
class State:
    """Where a session is. Every step writes a new state, on condition that the version is unchanged."""

    version: int = 1
    phase: Phase = Phase.WAITING
    round: int = 0  # the number of the current round; 0 before the first
    closing: int = 0  # when closing began, in milliseconds, or a mark; answers are no longer confirmed
    revealed: bool = False  # whether players see the result of the round
    clock: Clock = NO_CLOCK
    longest: int = DEFAULT_PERCENT  # the highest percentage of any player
    play: str = ""  # the name of the current play; empty before the first question
    kind: str = ""  # of the current question
    secret: bool = False  # whether the current round is anonymous
    twice: bool = False  # whether it can be asked again for comparison
    before: int = 0  # the round this one is compared with
    played: tuple[int, ...] = ()  # position of each round's first question
    spans: tuple[int, ...] = ()  # number of questions in each round
    voided: tuple[int, ...] = ()  # rounds that do not count
    changed_at: str = ""
    began_at: str = ""  # when the first question was asked

    @property
    def question(self) -> int:
        """Position of the current question; -1 before the first."""
        return self.played[self.round - 1] if self.round else -1

    @property
    def span(self) -> int:
        """Number of questions in the current round."""
        return self.spans[self.round - 1] if self.round else 0

    def questions_in(self, round_: int, questions: Sequence[Question]) -> Sequence[Question]:
        first = self.played[round_ - 1]
        return questions[first : first + self.spans[round_ - 1]]

    @property
    def asked_places(self) -> set[int]:
        """Positions of all questions asked so far."""
        rounds = zip(self.played, self.spans, strict=True)
        return {place for first, span in rounds for place in range(first, first + span)}

    @property
    def is_open(self) -> bool:
        """Whether people can answer or vote."""
        return self.phase in (Phase.QUESTION, Phase.VOTING)

    @property
    def is_under_way(self) -> bool:
        """Whether the current round is not sealed yet."""
        return self.is_open or self.phase in (Phase.SHOWN, Phase.SORTING)

    @property
    def is_uncountable(self) -> bool:
        """Whether counting the current round has failed, so that it waits for a host to void it or try again."""
        return self.closing == UNCOUNTABLE_MARK

    @property
    def is_paused(self) -> bool:
        return bool(self.clock.paused)

    @property
    def key(self) -> str:
        """Identifies the current screen; while it is unchanged, forms on it are kept."""
        return f"{self.phase}-{self.round}-{int(self.revealed)}-{int(self.round in self.voided)}"

    def is_over(self, now: int) -> bool:
        """Whether it must be closed, because time is up or a process has begun to close it."""
        if not self.is_open or self.is_uncountable:
            return False
        return bool(self.closing) or self.clock.is_over(now, self.longest)

    def is_being_closed(self, now: int) -> bool:
        """Whether a process began to close it so recently that others should wait."""
        return now - self.closing < MAX_CLOSING_MS

    def counts(self, round_: int) -> bool:
        return round_ not in self.voided


def question_numbers(questions: Sequence[Question], played: Sequence[int]) -> list[str]:
    """The number of each question. A run-off has that of its item and one of its own, as 2.1, and moves no other."""
    numbers: dict[int, str] = {}
    taken: Counter[str] = Counter()
    for place in sorted(range(len(questions)), key=lambda place: questions[place].run_off):
        run_off = questions[place].run_off
        item = numbers[played[run_off - 1]].partition(".")[0] if run_off else ""
        taken[item] += 1
        numbers[place] = f"{item}.{taken[item]}" if run_off else str(taken[item])
    return [numbers[place] for place in range(len(questions))]


# --- who ---


def hosts(game: Game, name: str, role: Role | None) -> bool:
    """Whether a person runs the session: its creator and added hosts, while they may use the application."""
    if role is None or not has(role, Permission.USE_APPLICATION):
        return False
    return fold(name) in {fold(each) for each in (game.created_by, *game.hosts)}


def moderates(role: Role | None) -> bool:
    """Whether a role may end and remove other people's sessions."""
    return role is not None and has(role, Permission.MANAGE_USERS)


def keeps_record(game: Game, state: State) -> bool:
    """Whether a record outlives the session: only if anything was asked, and not for rehearsals."""
    return bool(game.format.record_page) and not game.debug_mode and bool(state.played)


# --- steps ---


def voting(state: State, seconds: int, now: int, *, waits: bool = False) -> State:
    """Put the answers to the vote; the clock is paused while some wait for the host."""
    clock = Clock(now, seconds)
    return moved(state, phase=Phase.VOTING, closing=0, clock=clock.stopped(now) if waits and seconds else clock)


def sorting(state: State) -> State:
    """Let the host sort the ideas before they are ranked."""
    return moved(state, phase=Phase.SORTING, closing=0, clock=NO_CLOCK)


def sealed(state: State, *, revealed: bool = False) -> State:
    return moved(state, phase=Phase.RESULTS, closing=0, revealed=revealed, clock=NO_CLOCK)


def voided(state: State) -> State:
    """Void the current round; an open one is never sealed."""
    rounds = state.voided if state.round in state.voided else (*state.voided, state.round)
    return moved(state, phase=Phase.RESULTS, revealed=True, closing=0, clock=NO_CLOCK, voided=rounds)


def moved(state: State, **changes: Any) -> State:
    return replace(state, version=state.version + 1, **changes)


def is_abandoned(game: Game, state: State, last_seen: str, now: str, lifetime: Lifetime) -> bool:
    """Whether a session should end automatically.

    A waiting session counts from its last preparation, a started one from its last activity: the last step, or
    `last_seen`, when a host was last seen or an answer last came in.
    """
    if state.phase == Phase.WAITING:
        end = later(game.last_prepared_at, lifetime.waiting)
    else:
        end = later(max(state.changed_at, last_seen), game.format.idle(lifetime))
    return now >= min(end, later(game.created_at, MAX_SESSION_DURATION))
