"""Creates a quick poll or a draft election from a round of a session, with those present as its electorate if wanted.

The poll or election and the session's follow-up item are one transaction, so of two clicks one creates it and the other
finds it. A second event, recorded by a background task, links it to the session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.rules import Permission
from acts.background import Batch, Task, finished
from acts.refusals import LostRace, NameTaken, NotAllowed, NotThere, Refusal
from acts.retry import retry_lost_race
from acts.storage import now_text
from acts.unique_names import unique_suffixes
from elections.convening import Convened
from elections.drafts import copying
from elections.drafts.copying import BY_ADDRESS
from elections.rules import Election
from live import counting, follow_up_store, repository, rules
from live.follow_up_store import RECORDING, FollowUp, FollowUpKind
from live.play import play_of
from live.qa_store import read_texts as texts_of
from live.rounds import Round, options_of
from live.rules import Game, State
from live.text_cleaning import single_line
from pages import times
from pages.names import MAX_NAME_CHARS, clean_title
from polls import allowance
from polls import services as polls
from polls.forms import usual_retention
from polls.rules import Poll
from questions.question import Question
from store import keys
from store.log import Event
from store.table import Write

from .electorate import Electorate

MAX_FOLLOW_UPS = 50  # polls and elections of one session

NO_SUCH = gettext_lazy("This question is not in this session.")
NOT_CLOSED = gettext_lazy("Close this question and reveal its result first.")
VOIDED = gettext_lazy("This question does not count, so it cannot become a poll or an election.")
TOO_FEW = gettext_lazy("Too few people answered to show a result, so it cannot become a poll or an election.")
NO_OPTIONS = gettext_lazy("This question has no options to vote on.")
NO_ASSEMBLY = gettext_lazy("Only in an assembly do people check in, so that they can be put on a roll.")
NOTHING_TO_RANK = gettext_lazy("A poll needs the options of a question.")
NOT_ALLOWED = gettext_lazy("You do not have permission to create elections.")
TOO_MANY = gettext_lazy("A session can lead to at most %(most)d polls and elections.")


class NoFollowUp(Refusal):
    """Nothing can be made of it."""


# --- what goes on ---


@dataclass(frozen=True, slots=True)
class Subject:
    """What a poll or an election is to be about: a round of a session, or those present as a whole."""

    game: Game
    state: State
    round: int = 0
    title: str = ""
    options: tuple[str, ...] = ()
    digest: str = ""  # of the sealed round


def subject(game: Game, state: State, number: int) -> Subject:
    """Refused in a sentence where nothing can be made of it."""
    if number == 0:
        if not game.format.checks_in:
            raise NoFollowUp(NO_ASSEMBLY)
        return Subject(game, state, 0, _as_name(game.title, game.title))
    if not 1 <= number <= len(state.played):
        raise NoFollowUp(NO_SUCH)
    question = repository.read_questions(game.id)[state.played[number - 1]]
    sealed = _sealed(game, state, number)
    check(game, state, question, sealed)
    options = _distinct(play_of(game, question).options(sealed, question, texts_of(game.id)))
    if len(options) < 2:
        raise NoFollowUp(NO_OPTIONS)
    return Subject(game, state, number, _as_name(question.title, game.title), options, counting.round_digest(sealed))


def _sealed(game: Game, state: State, number: int) -> Round:
    if not state.counts(number):
        raise NoFollowUp(VOIDED)
    items = [] if is_hidden(state, number) else repository.round_items(game.id, number)
    if not items:
        raise NoFollowUp(NOT_CLOSED)
    return counting.round_from_parts(items)


def is_hidden(state: State, number: int) -> bool:
    return number == state.round and not state.revealed


def check(game: Game, state: State, question: Question, sealed: Round) -> None:
    play = play_of(game, question)
    if not play.allows_follow_up(question, sealed):
        raise NoFollowUp(NO_OPTIONS)
    if play.is_suppressed(sealed):
        raise NoFollowUp(TOO_FEW)


def is_offered(game: Game, state: State, question: Question | None, sealed: Round | None) -> bool:
    """Whether a page offers it of a round: exactly what will be accepted."""
    if question is None or sealed is None or is_hidden(state, sealed.number) or not state.counts(sealed.number):
        return False
    with suppress(NoFollowUp):
        check(game, state, question, sealed)
        return len(_distinct(options_of(sealed, question))) > 1
    return False


def _distinct(options: Iterable[str]) -> tuple[str, ...]:
    """As names, each once, in their order."""
    first: dict[str, str] = {}
    for name in filter(None, (_as_name(each, "") for each in options)):
        first.setdefault(keys.fold(name), name)
    return tuple(first.values())


def _as_name(text: str, otherwise: str, most: int = MAX_NAME_CHARS) -> str:
    """As the name of something: of one line, without what cannot be seen, and no longer than a name is."""
    plain = single_line(text)
    cut = plain.strip() if len(plain.strip()) <= most else f"{plain.strip()[: most - 1].rstrip()}…"
    try:
        return clean_title(cut)
    except ValidationError:
        return _as_name(otherwise, "", most) if otherwise else ""


# --- who called for it ---


def convened(subject: Subject, hall: Electorate, *, listed: bool) -> Convened:
    """What those present say at this moment; of a session that has ended, what it was then."""
    game = subject.game
    roll = {"listed": hall.present - hall.without, "unlisted": hall.without} if listed else {}
    return Convened(
        assembly=game.title,
        assembly_id=game.id,
        at=game.ended_at or now_text(),
        present=hall.present,
        entitled=game.entitled,
        quorum=game.quorum,
        quorate=hall.is_quorate,
        round_digest=subject.digest,
        **roll,
    )


# --- making ---

PollOrElection = Poll | Election
ExtraWrites = Callable[[PollOrElection], list[Write]]  # what is written with what is made
Maker = Callable[[Subject, ExtraWrites], PollOrElection]


def make_poll(host: User, address: str, game_id: str, number: int) -> FollowUp:
    """A quick poll of the options of a round, open at once; as many as the host may make from this address."""

    def poll(wanted: Subject, also: ExtraWrites) -> Poll:
        if not wanted.options:
            raise NoFollowUp(NOTHING_TO_RANK)
        allowance.count_making(host, address)
        chosen = {
            "title": wanted.title,
            "description": description(wanted),
            "time_zone": wanted.game.time_zone,
            "expires_at": None,
        }
        return polls.make(host, wanted.options, usual_retention(), also, **chosen)[0]

    return _make_once(host, game_id, number, FollowUpKind.POLL, poll)


def make_election(
    host: User, game_id: str, number: int, *, of_those_present: bool = False, addresses: Mapping[str, str] | None = None
) -> FollowUp:
    """A draft with the options of a round as its candidates; of an assembly, if wanted, with its electorate. Those who
    checked in by a code vote by a link to the address that is typed for them, or that the roll has."""

    def election(wanted: Subject, also: ExtraWrites) -> Election:
        if not host.can(Permission.USE_APPLICATION):
            raise NotAllowed(NOT_ALLOWED)
        return _drafted(host, wanted, also, _electorate(wanted.game, addresses) if of_those_present else None)

    return _make_once(host, game_id, number, FollowUpKind.ELECTION, election)


def _make_once(host: User, game_id: str, number: int, kind: FollowUpKind, make: Maker) -> FollowUp:
    """What was made; or what was made before, by another click or in another tab, as long as it is there."""
    return retry_lost_race(lambda: _make(host, game_id, number, kind, make))


def _make(host: User, game_id: str, number: int, kind: FollowUpKind, make: Maker) -> FollowUp:
    game, state = repository.find(game_id) or (None, None)
    if game is None or state is None:
        raise NotThere(rules.NOT_THERE)
    there = follow_up_store.read_follow_ups(game_id)
    made = next(
        (each for each in there if (each.round, each.kind) == (number, kind) and follow_up_store.still_exists(each)),
        None,
    )
    if made is None:
        if len(there) >= MAX_FOLLOW_UPS:
            raise NoFollowUp(TOO_MANY % {"most": MAX_FOLLOW_UPS})
        of = partial(_follow_up, len(there) + 1, kind, number, host.name)
        made = of(make(subject(game, state, number), lambda thing: follow_up_store.making(game, state, of(thing))))
    RECORDING.start(follow_up_store.task_subject(game_id, made.number))
    return made


def _follow_up(place: int, kind: FollowUpKind, round_: int, by: str, thing: PollOrElection) -> FollowUp:
    what, title = (thing.id, thing.title) if isinstance(thing, Poll) else (thing.name, thing.name)
    return FollowUp(place, str(kind), what, title, round_, thing.created_at, by)


def _electorate(game: Game, addresses: Mapping[str, str] | None) -> Electorate:
    there = game.format.electorate(game)
    if there is None:
        raise NoFollowUp(NO_ASSEMBLY)
    return there if addresses is None else there.with_addresses(addresses)


def _drafted(host: User, wanted: Subject, also: ExtraWrites, electorate: Electorate | None) -> Election:
    there = electorate or wanted.game.format.electorate(wanted.game)
    called = convened(wanted, there, listed=electorate is not None) if there else None
    addressed = dict.fromkeys(electorate.addressed.values(), BY_ADDRESS) if electorate else {}
    voters = {**electorate.accounts, **addressed} if electorate else {}
    settings_ = {"time_zone": wanted.game.time_zone, "convened": called, "vote_by_link": bool(addressed)}
    for name in candidate_names(wanted.title):
        with suppress(NameTaken):
            return copying.make(host, name, wanted.options, voters, also, description=description(wanted), **settings_)
    raise LostRace


def candidate_names(title: str) -> Iterator[str]:
    """The title, and where it is taken, the title with something behind it, cut so that there is room for that."""
    for suffix in unique_suffixes():
        end = f" ({suffix})" if suffix else ""
        yield _as_name(title, title, MAX_NAME_CHARS - len(end)) + end


def description(wanted: Subject) -> str:
    """Where it comes from."""
    game = wanted.game
    words = {"title": game.title, "when": times.moment_text(times.local_time(_began(wanted), game.time_zone))}
    return str(game.format.origin_text) % words


def _began(wanted: Subject) -> datetime:
    return times.from_text(wanted.state.began_at or wanted.game.created_at)


# --- telling the log ---


@RECORDING.step
def record_follow_up(task: Task) -> Batch:
    """That it came of the session."""
    game_id, number = task.data["game_id"], task.data["number"]
    made = follow_up_store.find(game_id, number)
    if made is None:
        return finished()  # it went with the session
    said = {name: value for name, value in asdict(made).items() if name != "by"}  # who did it, every event says
    event = Event(made.by, "LiveOutcomeCarriedOn", {"game_id": game_id, **said})
    return finished(follow_up_store.marking_recorded(game_id, number), event=event)
