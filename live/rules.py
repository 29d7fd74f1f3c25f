"""Session and state of a live session, its phases and steps, and who may host it. Pure, refusals as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from pages.times import from_text
from questions.question import Question
from store.keys import fold
from store.log import as_text

from . import formats
from .clock import DEFAULT_PERCENT, PERCENTS, Clock
from .lifetimes import MAX_SESSION_DURATION, Lifetime

NO_CLOCK = Clock()

MAX_SESSION_TITLE_CHARS = 100  # letters of a session's title
MAX_CONTEXT_CHARS = 5_000
MAX_PLAYERS = 2_000
MAX_HOSTS = 10
MAX_ROUNDS = 400  # played in one session, repetitions included: what came of them fits the state
DEFAULT_RETENTION = timedelta(days=15)  # from the making of a session that does not say how long it is kept
MAX_CLOSING_MS = 3_000  # after which another process takes over a stalled closing
CODE_RETENTION = timedelta(days=1)  # after the end, for which a code says so


NOT_THERE = _("This session does not exist. It may have expired and been removed.")
NOT_YOURS = _("You are not a host of this session.")
NOT_NOW = _("This is not possible at this point in the session.")
STALE = _("The session has already moved on. This is where it is now.")
NOT_ON_THE_AGENDA = _("This item is not on the agenda.")
LAST_QUESTION = _("That was the last question. End the session to show the final standings.")


class Phase(StrEnum):
    WAITING = "waiting"
    QUESTION = "question"
    TALKING = "talking"  # about an item of an assembly, before it is voted on
    SORTING = "sorting"  # what the room wrote, before it is ranked
    VOTING = "voting"
    RESULTS = "results"
    ENDED = "ended"


class Names(StrEnum):
    """How players come to their names."""

    TYPED = "typed"
    GENERATED = "generated"
    APPROVED = "approved"  # typed, and shown to nobody before the host has agreed


class Step(StrEnum):
    """What somebody who hosts can do next."""

    NEXT = "next"  # question, also the first
    VOTE = "vote"  # on what was talked about, or on what was written
    CLOSE = "close"
    REVEAL = "reveal"
    PAUSE = "pause"
    RESUME = "resume"
    VOID = "void"
    REPEAT = "repeat"
    AGAIN = "again"  # the same once more, to be compared with the first time
    END = "end"


def later(moment: str, by: timedelta) -> str:
    return as_text(from_text(moment) + by)


@dataclass(frozen=True, slots=True)
class Game:
    """A session as it is stored: what does not change while it runs, but for who hosts it and its end."""

    id: str
    title: str
    engagement_type: str  # what it was made as: questions that name no play of their own are played so
    created_at: str
    created_by: str
    code: str
    token: str  # in the link and the QR code by which people join
    screen_token: str  # in the link by which a projector shows it
    total_questions: int
    question_set_id: str = ""
    set_version: int = 0
    custom_instructions: str = ""  # of the set
    context: str = ""  # the host's own notes
    debug_mode: int = 0  # how many robots play along
    names: Names = Names.TYPED
    speed_bonus: bool = False
    hosts: tuple[str, ...] = ()  # beside who made it
    entitled: int = 0  # how many may vote in an assembly, there or not; 0: nobody has said
    quorum: str = ""  # of an assembly, as `assembly.majorities` writes it
    has_roll: bool = False  # whether only those on a list may check in
    time_zone: str = "UTC"  # in which its record shows times
    prepared_at: str = ""  # when a host last changed what it asks, who is entitled, or its title
    kept_until: str = ""  # the last day of every item of it, whatever happens
    began_at: str = ""  # when the first step was taken; written at the end
    ended_at: str | None = None
    expires_at: str | None = None  # when its data goes; written at the end
    version: int = 1

    @property
    def format(self) -> formats.Format:
        return formats.of(self.engagement_type)

    @property
    def is_public(self) -> bool:
        """Whether anyone with the code is in at once."""
        return self.names != Names.APPROVED and not self.format.checks_in

    @property
    def gone_at(self) -> str:
        """When everything of it but its line in the history is gone; of one that runs, the last day it can be."""
        return self.expires_at or self._last_day

    @property
    def _last_day(self) -> str:
        return self.kept_until or later(self.created_at, DEFAULT_RETENTION)

    @property
    def ttl(self) -> int:
        """The same for every item, from the beginning. The worker removes them long before, after the end."""
        return int(from_text(self._last_day).timestamp())

    @property
    def code_ttl(self) -> int:
        """Until then the code leads here: long enough, should nobody tell the session's end."""
        end = from_text(self.ended_at) if self.ended_at else from_text(self.created_at) + MAX_SESSION_DURATION
        return int((end + CODE_RETENTION).timestamp())

    @property
    def last_prepared_at(self) -> str:
        return max(self.created_at, self.prepared_at)


@dataclass(frozen=True, slots=True)
class State:
    """Where a session is. Every step makes a new one, on condition that it leaves the version it says."""

    version: int = 1
    phase: Phase = Phase.WAITING
    round: int = 0  # the number of the current round; 0 before the first
    closing: int = 0  # since when (milliseconds) somebody reads what was given; nobody is told any more that it counts
    revealed: bool = False  # whether players see what came of the round
    clock: Clock = NO_CLOCK
    longest: int = DEFAULT_PERCENT  # percent of the time that anybody has
    play: str = ""  # the name of the current play; empty before the first question
    kind: str = ""  # of the current question
    secret: bool = False  # whether nobody is to learn who says what in the current round
    twice: bool = False  # whether it can be asked again, to be compared
    before: int = 0  # the round that this one is compared with
    played: tuple[int, ...] = ()  # the place of the question of each round
    spans: tuple[int, ...] = ()  # how many questions from there on each round asks
    voided: tuple[int, ...] = ()  # rounds that do not count
    changed_at: str = ""
    began_at: str = ""  # when the first question was asked, or the first item was called

    @property
    def question(self) -> int:
        """The place of the current question among all; -1 before the first."""
        return self.played[self.round - 1] if self.round else -1

    @property
    def span(self) -> int:
        """How many questions the current round asks."""
        return self.spans[self.round - 1] if self.round else 0

    def asked_in(self, round_: int, questions: Sequence[Question]) -> Sequence[Question]:
        """All questions of a round."""
        first = self.played[round_ - 1]
        return questions[first : first + self.spans[round_ - 1]]

    @property
    def asked(self) -> set[int]:
        """The places of all questions that were ever put to the room."""
        rounds = zip(self.played, self.spans, strict=True)
        return {place for first, span in rounds for place in range(first, first + span)}

    @property
    def is_open(self) -> bool:
        """Whether people answer or vote."""
        return self.phase in (Phase.QUESTION, Phase.VOTING)

    @property
    def is_under_way(self) -> bool:
        """Whether the current round is not sealed yet."""
        return self.is_open or self.phase in (Phase.TALKING, Phase.SORTING)

    @property
    def is_paused(self) -> bool:
        return bool(self.clock.paused)

    @property
    def key(self) -> str:
        """Names the screen that is shown: as long as it is the same, a form on it stays."""
        return f"{self.phase}-{self.round}-{int(self.revealed)}-{int(self.round in self.voided)}"

    def is_over(self, now: int) -> bool:
        """Whether it is to be closed: because its time is up, or because somebody has begun to."""
        return self.is_open and (bool(self.closing) or self.clock.is_over(now, self.longest))

    def is_being_closed(self, now: int) -> bool:
        """Whether somebody has begun to close it so lately that others leave it to them."""
        return now - self.closing < MAX_CLOSING_MS

    def counts(self, round_: int) -> bool:
        return round_ not in self.voided


# --- who ---


def hosts(game: Game, name: str, role: Role | None) -> bool:
    """Whether somebody drives the session: who made it and whom they asked, while they may make polls at all."""
    if role is None or not has(role, Permission.USE_APPLICATION):
        return False
    return fold(name) in {fold(each) for each in (game.created_by, *game.hosts)}


def moderates(role: Role | None) -> bool:
    """Whether somebody may end and remove anybody's session."""
    return role is not None and has(role, Permission.MANAGE_USERS)


def keeps_minutes(game: Game, state: State) -> bool:
    """Whether there is a record that outlives the session: of one that came to an item, and no rehearsal."""
    return game.format.keeps_minutes and not game.debug_mode and bool(state.played)


# --- steps ---


def voting(state: State, seconds: int, now: int, *, waits: bool = False) -> State:
    """What was answered is put to the vote. While the host has to look at some of it, the time does not run."""
    clock = Clock(now, seconds)
    return moved(state, phase=Phase.VOTING, closing=0, clock=clock.stopped(now) if waits and seconds else clock)


def sorting(state: State) -> State:
    """What was written is put in order before it is ranked."""
    return moved(state, phase=Phase.SORTING, closing=0, clock=NO_CLOCK)


def sealed(state: State, *, revealed: bool = False) -> State:
    return moved(state, phase=Phase.RESULTS, closing=0, revealed=revealed, clock=NO_CLOCK)


def revealed(state: State) -> State:
    return moved(state, revealed=True)


def paused(state: State, now: int) -> State:
    return moved(state, clock=state.clock.stopped(now))


def resumed(state: State, now: int) -> State:
    return moved(state, clock=state.clock.started_again(now))


def voided(state: State) -> State:
    """The current round does not count; one that is open is not sealed at all."""
    others = () if state.round in state.voided else (state.round,)
    return moved(
        state,
        phase=Phase.RESULTS,
        revealed=True,
        closing=0,
        clock=NO_CLOCK,
        voided=(*state.voided, *others),
    )


def ended(state: State) -> State:
    return moved(state, phase=Phase.ENDED, revealed=True, clock=NO_CLOCK)


def with_longest(state: State, percent: int) -> State:
    """Somebody was given more time."""
    assert percent in PERCENTS
    return moved(state, longest=max(state.longest, percent))


def moved(state: State, **changes: Any) -> State:
    return replace(state, version=state.version + 1, **changes)


def is_abandoned(game: Game, state: State, last_seen: str, now: str, lifetime: Lifetime) -> bool:
    """Whether a session is to end by itself. One that waits counts from its last preparation; one that was started
    from the last sign of life: its last step, or `last_seen`, when a host looked or somebody answered."""
    if state.phase == Phase.WAITING:
        end = later(game.last_prepared_at, lifetime.waiting)
    else:
        end = later(max(state.changed_at, last_seen), game.format.idle(lifetime))
    return now >= min(end, later(game.created_at, MAX_SESSION_DURATION))


def expiry(ended_at: str, lifetime: Lifetime) -> str:
    """When the data of a session goes that ended then."""
    return later(ended_at, lifetime.retention)
