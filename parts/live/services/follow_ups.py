"""Creates a quick poll or a draft election from a round of a session, optionally with those present as its voters.

The poll or election and the session's follow-up item are written in one transaction, so if there are two clicks, one
creates it and the other finds it. A second event, recorded by a background task, links it to the session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.rules import Permission
from elections.drafts import copying
from elections.kinds import settings_of_kind
from elections.rules import Election
from foundation.acts import features
from foundation.acts.background import Batch, Task, finished
from foundation.acts.refusals import LostRace, NameTaken, NotAllowed, Refusal
from foundation.acts.retry import retry_lost_race, unique_suffixes
from foundation.pages import times
from foundation.pages.names import MAX_NAME_CHARS, clean_title, single_line
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Write
from parts.live import follow_up_store, repository, rounds
from parts.live.follow_up_store import RECORDING, FollowUp, FollowUpKind
from parts.live.formats import ByType
from parts.live.play import play_of
from parts.live.room_questions import read_texts as texts_of
from parts.live.rounds import Round, options_of
from parts.live.rules import Game, State
from parts.polls import services as polls
from parts.polls.forms import usual_retention
from parts.polls.rules import Poll
from parts.questions.question import Kind, Question

MAX_FOLLOW_UPS = 50  # polls and elections of one session

NO_SUCH = gettext_lazy("This question is not in this session.")
NOT_CLOSED = gettext_lazy("Close this question and reveal its result first.")
VOIDED = gettext_lazy("This question does not count, so it cannot become a poll or an election.")
TOO_FEW = gettext_lazy("Too few people answered to show a result, so it cannot become a poll or an election.")
NO_OPTIONS = gettext_lazy("This question has no options to vote on.")
NO_POLLS = gettext_lazy("This site has no quick polls.")
NO_HALL = gettext_lazy("People do not check in to this type of session, so they cannot be put on a roll.")
NOTHING_TO_RANK = gettext_lazy("A poll needs the options of a question.")
NOT_ALLOWED = gettext_lazy("You do not have permission to create elections.")
TOO_MANY = gettext_lazy("A session can lead to at most %(most)d polls and elections.")


class NoFollowUp(Refusal):
    """No poll or election can be created from this."""


# --- subject ---


@dataclass(frozen=True, slots=True)
class Subject:
    """What the poll or election is about: one round of a session, or those present as a whole."""

    game: Game
    state: State
    round: int = 0
    title: str = ""
    options: tuple[str, ...] = ()
    digest: str = ""  # of the sealed round
    is_choice: bool = False  # whether everybody chose one option, instead of ranking them

    @property
    def ballot(self) -> dict[str, Any]:
        """The kind of ballot of the poll, or election, goes with the question."""
        return {"kind": "choose", "most": 1} if self.is_choice else {}


def subject(game: Game, state: State, number: int) -> Subject:
    """Raises `NoFollowUp` if nothing can be created from this round."""
    if number == 0:
        if not FOLLOW_UPS.of(game).has_hall:
            raise NoFollowUp(NO_HALL)
        return Subject(game, state, 0, _as_name(game.title, game.title))
    if not 1 <= number <= len(state.played):
        raise NoFollowUp(NO_SUCH)
    question = repository.read_questions(game.id)[state.played[number - 1]]
    sealed = _sealed(game, state, number)
    check(game, question, sealed)
    options = _distinct(play_of(game, question).options(sealed, question, texts_of(game.id)))
    if len(options) < 2:
        raise NoFollowUp(NO_OPTIONS)
    title, digest = _as_name(question.title, game.title), rounds.round_digest(sealed)
    return Subject(game, state, number, title, options, digest, question.kind == Kind.CHOICE)


def _sealed(game: Game, state: State, number: int) -> Round:
    if not state.counts(number):
        raise NoFollowUp(VOIDED)
    items = [] if is_hidden(state, number) else repository.round_items(game.id, number)
    if not items:
        raise NoFollowUp(NOT_CLOSED)
    return rounds.round_from_parts(items)


def is_hidden(state: State, number: int) -> bool:
    return number == state.round and not state.revealed


def check(game: Game, question: Question, sealed: Round) -> None:
    play = play_of(game, question)
    if not play.allows_follow_up:
        raise NoFollowUp(NO_OPTIONS)
    if play.is_suppressed(sealed):
        raise NoFollowUp(TOO_FEW)


def is_offered(game: Game, state: State, question: Question | None, sealed: Round | None) -> bool:
    """Whether pages offer a follow-up for this round; uses the same check as creating one."""
    if question is None or sealed is None or is_hidden(state, sealed.number) or not state.counts(sealed.number):
        return False
    with suppress(NoFollowUp):
        check(game, question, sealed)
        return len(_distinct(options_of(sealed, question))) > 1
    return False


def _distinct(options: Iterable[str]) -> tuple[str, ...]:
    """Turns options into distinct names, in their original order."""
    first: dict[str, str] = {}
    for name in filter(None, (_as_name(each, "") for each in options)):
        first.setdefault(keys.fold(name), name)
    return tuple(first.values())


def _as_name(text: str, otherwise: str, most: int = MAX_NAME_CHARS) -> str:
    """Turns text into a valid name: one line, no invisible characters, cut to the maximum length."""
    plain = single_line(text)
    cut = plain.strip() if len(plain.strip()) <= most else f"{plain.strip()[: most - 1].rstrip()}…"
    try:
        return clean_title(cut)
    except ValidationError:
        return _as_name(otherwise, "", most) if otherwise else ""


# --- creating ---

PollOrElection = Poll | Election
ExtraWrites = Callable[[PollOrElection], list[Write]]  # writes that belong in the same transaction
Maker = Callable[[Subject, ExtraWrites], PollOrElection]


def make_poll(host: User, address: str, game_id: str, number: int) -> FollowUp:
    """Creates an open quick poll from a round's options; counts towards the host's limit for this address."""
    if not features.is_on("polls"):
        raise NoFollowUp(NO_POLLS)

    def poll(wanted: Subject, also: ExtraWrites) -> Poll:
        if not wanted.options:
            raise NoFollowUp(NOTHING_TO_RANK)
        polls.count_making(host, address)
        chosen = {"title": wanted.title, "description": description(wanted), "time_zone": wanted.game.time_zone}
        return polls.make(host, wanted.options, usual_retention(), also, expires_at=None, **chosen, **wanted.ballot)[0]

    return retry_lost_race(lambda: _make(host, game_id, number, FollowUpKind.POLL, poll))


def make_election(
    host: User, game_id: str, number: int, *, of_those_present: bool = False, typed: Any = None
) -> FollowUp:
    """Creates a draft election from a round's options, optionally with those present as its voters; `typed` is what
    the format read from the page about them."""

    def election(wanted: Subject, also: ExtraWrites) -> Election:
        if not host.can(Permission.USE_APPLICATION):
            raise NotAllowed(NOT_ALLOWED)
        return _drafted(host, wanted, also, _hall(wanted.game, typed) if of_those_present else None)

    return retry_lost_race(lambda: _make(host, game_id, number, FollowUpKind.ELECTION, election))


def _make(host: User, game_id: str, number: int, kind: FollowUpKind, make: Maker) -> FollowUp:
    """Idempotent: returns the existing follow-up if another click or tab has already created it."""
    game, state = repository.load(game_id)
    existing = follow_up_store.read_follow_ups(game_id)
    same = (each for each in existing if (each.round, each.kind) == (number, kind))
    made = next(filter(follow_up_store.still_exists, same), None)
    if made is None:
        if len(existing) >= MAX_FOLLOW_UPS:
            raise NoFollowUp(TOO_MANY % {"most": MAX_FOLLOW_UPS})
        of = partial(_follow_up, len(existing) + 1, kind, number, host.name)

        def making(thing: PollOrElection) -> list[Write]:
            follow_up = of(thing)
            return [
                *follow_up_store.making(game, state, follow_up),
                *FOLLOW_UPS.of(game).making(game, follow_up),
            ]

        made = of(make(subject(game, state, number), making))
    RECORDING.start(follow_up_store.task_subject(game_id, made.number))
    return made


def _follow_up(place: int, kind: FollowUpKind, round_: int, by: str, thing: PollOrElection) -> FollowUp:
    what, title = (thing.id, thing.title) if isinstance(thing, Poll) else (thing.name, thing.name)
    return FollowUp(place, str(kind), what, title, round_, thing.created_at, by)


def _hall(game: Game, typed: Any) -> Hall:
    hall = FOLLOW_UPS.of(game).hall(game, typed)
    if hall is None:
        raise NoFollowUp(NO_HALL)
    return hall


def _drafted(host: User, wanted: Subject, also: ExtraWrites, listed: Hall | None) -> Election:
    hall = listed or FOLLOW_UPS.of(wanted.game).hall(wanted.game)
    settings_: dict[str, Any] = {"time_zone": wanted.game.time_zone}
    if hall is not None:
        settings_ |= hall.settings(wanted.game, wanted.digest, listed=listed is not None)
    if wanted.is_choice:
        settings_ |= settings_of_kind(wanted.ballot)
    voters = listed.voters if listed else {}
    for name in candidate_names(wanted.title):
        with suppress(NameTaken):
            return copying.make(host, name, wanted.options, voters, also, description=description(wanted), **settings_)
    raise LostRace


def candidate_names(title: str) -> Iterator[str]:
    """Yields the title, then the title with suffixes in case it is taken, cut to leave room for the suffix."""
    for suffix in unique_suffixes():
        end = f" ({suffix})" if suffix else ""
        yield _as_name(title, title, MAX_NAME_CHARS - len(end)) + end


def description(wanted: Subject) -> str:
    """Says which session it comes from."""
    game = wanted.game
    began = times.local_time(times.from_text(wanted.state.began_at or game.created_at), game.time_zone)
    return str(game.format.origin_text) % {"title": game.title, "when": times.moment_text(began)}


# --- event log ---


@RECORDING.step
def record_follow_up(task: Task) -> Batch:
    """Records in the log that it originated in this session."""
    game_id, number = task.data["game_id"], task.data["number"]
    made = follow_up_store.find(game_id, number)
    if made is None:
        return finished()  # deleted with the session
    said = {name: value for name, value in asdict(made).items() if name != "by"}  # every event has its actor anyway
    event = Event(made.by, "LiveOutcomeCarriedOn", {"game_id": game_id, **said})
    return finished(follow_up_store.marking_recorded(game_id, number), event=event)


# --- what formats add ---


class Hall(Protocol):
    """Those present, who can become the voters of an election."""

    @property
    def voters(self) -> Mapping[str, str]:
        """By name on its roll, with the creation time of their account, or `BY_ADDRESS`."""

    def settings(self, game: Game, digest: str, *, listed: bool) -> Mapping[str, Any]:
        """Settings of the election, whether or not they are listed as its voters; `digest` is of the sealed round."""


class FollowUps:
    """Of an ordinary session. Another format overrides what is different."""

    has_hall: ClassVar[bool] = False  # so that an election can be made of those present, and of no question

    def hall(self, game: Game, typed: Any = None) -> Hall | None:
        """The people present, if they can become voters of an election; `typed` is what hosts know of them."""
        return None

    def typed(self, game: Game, post: QueryDict) -> Any:
        """What a host typed about those present; refused if something is wrong with it."""
        return None

    def page_context(self, game: Game, post: QueryDict) -> dict[str, Any]:
        """Additional context of the page on which they are created."""
        return {}

    def making(self, game: Game, made: FollowUp) -> list[Write]:
        """Additional writes when a poll or election is created from the session."""
        return []


FOLLOW_UPS = ByType(FollowUps())
