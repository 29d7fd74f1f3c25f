"""What a live session is, which step may follow which, and who may take it: pure decisions, refusals in sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from acts.refusals import NotNow
from pages.times import from_text
from questions.question import Kind, Question, Type
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
CODE_RETENTION = timedelta(days=1)  # after the end, for which a code says so


NOT_THERE = _("There is no such session. Perhaps its time has passed and it was removed.")
NOT_YOURS = _("This session is not yours to run.")
NOT_NOW = _("This cannot be done at this point of the session.")
STALE = _("The session had moved on already; this is where it is now.")
NOT_ON_THE_AGENDA = _("There is no such item on the agenda.")
LAST_QUESTION = _("That was the last question. End the session to show the final places.")


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
    engagement_type: Type
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
    def is_anonymous(self) -> bool:
        return self.engagement_type.is_anonymous

    @property
    def is_assembly(self) -> bool:
        return self.engagement_type == Type.ASSEMBLY

    @property
    def format(self) -> formats.Format:
        return formats.of(self.engagement_type)

    @property
    def is_public(self) -> bool:
        """Whether whoever has the code is in at once."""
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
    round: int = 0  # the number of the round at hand; 0 before the first
    closing: bool = False  # nobody is told any more that an answer counts; what was given is being read
    revealed: bool = False  # whether players see what came of the round
    clock: Clock = NO_CLOCK
    longest: int = DEFAULT_PERCENT  # percent of the time that anybody has
    kind: str = ""  # of the question at hand
    secret: bool = False  # whether it says that nobody signs what they vote
    twice: bool = False  # whether it can be asked again, to be compared
    before: int = 0  # the round that this one is compared with
    played: tuple[int, ...] = ()  # the place of the question of each round
    voided: tuple[int, ...] = ()  # rounds that do not count
    changed_at: str = ""
    began_at: str = ""  # when the first question was asked, or the first item was called

    @property
    def question(self) -> int:
        """The place of the question at hand among all; -1 before the first."""
        return self.played[self.round - 1] if self.round else -1

    @property
    def is_open(self) -> bool:
        """Whether people answer or vote."""
        return self.phase in (Phase.QUESTION, Phase.VOTING)

    @property
    def is_under_way(self) -> bool:
        """Whether the round at hand is not sealed yet."""
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
        return self.is_open and (self.closing or self.clock.is_over(now, self.longest))

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


def is_secret(game: Game, state: State) -> bool:
    """Whether nobody is to learn who says what in the round at hand."""
    return game.is_anonymous or state.secret


# --- steps ---


def offered(game: Game, state: State) -> tuple[Step, ...]:
    """What can be done next, the likeliest first: exactly what will be accepted."""
    if state.phase == Phase.ENDED:
        return ()
    if state.is_open:
        clock = (Step.RESUME if state.is_paused else Step.PAUSE,) if state.clock.seconds else ()
        again = () if game.engagement_type == Type.SURVEY else (Step.VOID, Step.REPEAT)
        return (Step.CLOSE, *clock, *again, Step.END)
    if state.phase == Phase.TALKING:
        return (*(() if state.kind == Kind.TOPIC else (Step.VOTE,)), Step.CLOSE, Step.END)
    if state.phase == Phase.SORTING:
        return (Step.VOTE, Step.CLOSE, Step.VOID, Step.END)
    on = (Step.NEXT,) if next_question(game, state) is not None else ()
    if state.phase == Phase.WAITING:
        return (*on, Step.END)
    reveal = () if state.revealed else (Step.REVEAL,)
    compare = (Step.AGAIN,) if state.twice and not state.before and state.counts(state.round) else ()
    void = (Step.VOID,) if state.counts(state.round) else ()
    return (*reveal, *compare, *(on or (Step.END,)), *void, Step.REPEAT, *((Step.END,) if on else ()))


def next_question(game: Game, state: State) -> int | None:
    """The place of the first question after the latest, of an agenda the first that was never called; a survey asks
    all of its questions at once."""
    at = state.question + 1
    if game.engagement_type == Type.SURVEY:
        return 0 if not state.round else None
    if game.format.has_agenda:
        at = next((place for place in range(game.total_questions) if place not in state.played), game.total_questions)
    return at if at < game.total_questions and len(state.played) < MAX_ROUNDS else None


def may_call(game: Game, state: State) -> bool:
    """Whether any item of the agenda may be come to now, also one that was called before."""
    return game.format.has_agenda and state.phase in (Phase.WAITING, Phase.RESULTS) and len(state.played) < MAX_ROUNDS


def check_offered(game: Game, state: State, step: Step) -> None:
    if step == Step.NEXT and state.phase == Phase.RESULTS and next_question(game, state) is None:
        raise NotNow(LAST_QUESTION)
    if step not in offered(game, state):
        raise NotNow(NOT_NOW)


def called(game: Game, state: State, item: int | None) -> int:
    """The place of what is asked next: what somebody called by its place on an agenda, or the next in order."""
    at = next_question(game, state)
    if item is None or not game.format.has_agenda:
        assert at is not None  # as it was offered
        return at
    if not 0 <= item < game.total_questions:
        raise NotNow(NOT_ON_THE_AGENDA)
    return item


def asked(game: Game, state: State, at: int, question: Question, now: int, before: int = 0) -> State:
    """A question is put to the room, in a round of its own; what an assembly decides is talked about first."""
    talked = game.is_assembly and question.kind != Kind.IDEAS
    return replace(
        state,
        version=state.version + 1,
        phase=Phase.TALKING if talked else Phase.QUESTION,
        round=len(state.played) + 1,
        played=(*state.played, at),
        closing=False,
        revealed=False,
        clock=Clock(now, 0 if talked else seconds_of(game, question)),
        kind=str(question.kind),
        secret=question.secret or question.kind == Kind.IDEAS,
        twice=question.twice and question.kind == Kind.RANKING and game.engagement_type == Type.POLL,
        before=before,
    )


def asked_anew(state: State, question: Question | None) -> State:
    """The same step after something of the session was corrected: `question` is the one at hand. What is talked about
    may have become another kind of vote."""
    if state.phase != Phase.TALKING or question is None:
        return _moved(state)
    return _moved(state, kind=str(question.kind), secret=question.secret or question.kind == Kind.IDEAS)


def linked(state: State) -> int:
    """The round whose first choices are kept to be compared with those of the next one; 0 if there is none."""
    if state.phase == Phase.QUESTION:
        return state.before
    waits = state.phase == Phase.RESULTS and state.twice and not state.before and state.counts(state.round)
    return state.round if waits else 0


def voting(state: State, seconds: int, now: int, *, waits: bool = False) -> State:
    """What was answered is put to the vote. While the host has to look at some of it, the time does not run."""
    clock = Clock(now, seconds)
    return _moved(state, phase=Phase.VOTING, closing=False, clock=clock.stopped(now) if waits and seconds else clock)


def sorting(state: State) -> State:
    """What was written is put in order before it is ranked."""
    return _moved(state, phase=Phase.SORTING, closing=False, clock=NO_CLOCK)


def sealed(state: State, *, revealed: bool = False) -> State:
    return _moved(state, phase=Phase.RESULTS, closing=False, revealed=revealed, clock=NO_CLOCK)


def revealed(state: State) -> State:
    return _moved(state, revealed=True)


def paused(state: State, now: int) -> State:
    return _moved(state, clock=state.clock.stopped(now))


def resumed(state: State, now: int) -> State:
    return _moved(state, clock=state.clock.started_again(now))


def voided(state: State) -> State:
    """The round at hand does not count; one that is open is not sealed at all."""
    others = () if state.round in state.voided else (state.round,)
    return _moved(
        state,
        phase=Phase.RESULTS,
        revealed=True,
        closing=False,
        clock=NO_CLOCK,
        voided=(*state.voided, *others),
    )


def ended(state: State) -> State:
    return _moved(state, phase=Phase.ENDED, revealed=True, clock=NO_CLOCK)


def with_longest(state: State, percent: int) -> State:
    """Somebody was given more time."""
    assert percent in PERCENTS
    return _moved(state, longest=max(state.longest, percent))


def _moved(state: State, **changes: Any) -> State:
    return replace(state, version=state.version + 1, **changes)


def seconds_of(game: Game, question: Question) -> int:
    """How long people have; a survey goes on until somebody closes it."""
    return 0 if game.engagement_type == Type.SURVEY else question.seconds


def voting_seconds(game: Game, question: Question) -> int:
    """To read what others have written takes no less than to write; a motion was talked about."""
    return question.seconds if game.is_assembly else question.seconds and max(question.seconds, 30)


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
