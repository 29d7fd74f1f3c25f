"""What a play is: what is asked, what an answer is, how answers are counted, what screens show, what reports contain.

The engine (session, seats, clock, state, sealing, screens, push) knows no play by name. A question names its play or
gets the first suitable one registered for the type of the session; the state names the current play. Plays are
stateless and registered once, in `config/hooks.py`: see `parts/live/plays/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, ClassVar, TypeAlias, TypeVar

from django.http import QueryDict
from django.urls import get_script_prefix
from django.utils import translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from foundation.pages.fragments import fragment
from foundation.store.table import Item, Key, Write
from parts.questions.question import Kind, Question
from parts.questions.rules import QuestionSet

from .moderation import ModeratedText, Texts
from .rounds import Entry, GivenAnswer, Round, options_of
from .rules import Game, Phase, State, Step
from .seats import Seat
from .snapshot import Snapshot

T = TypeVar("T")
Text: TypeAlias = str | Promise  # for people to read
TypedValues = Mapping[str, Sequence[str]]  # submitted form fields, valid or not
CsvLine = dict[str, object]  # by column
NameOf = Callable[[str], str]  # name of a player by id

CHANGE_UNTIL_OVER = _("You can change it until time is up.")
CHANGE_UNTIL_CLOSED = _("You can change it until the host closes it.")


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question as typed in the form that creates a session."""

    title: str
    lines: tuple[str, ...]
    seconds: int
    ideas: bool = False
    twice: bool = False


@dataclass(frozen=True, slots=True)
class AnswerBox:
    """Everything that counts in a phase being closed."""

    last: tuple[GivenAnswer, ...]  # the latest of each player, in time
    percents: dict[str, int]  # of the usual time, by the name an answer is stored under (id or pseudonym)
    robots: frozenset[str] = frozenset()  # the names that belong to robots
    players: Mapping[str, str] = field(default_factory=dict)  # player ids by name
    present: tuple[str, ...] = ()  # ids of all present at any time while it was open, voters or not
    weights: Mapping[str, int] = field(default_factory=dict)  # how many times a vote counts, by id, if not once

    def by_robots(self, names: Iterable[str]) -> int:
        return sum(name in self.robots for name in names)


@dataclass(frozen=True, slots=True)
class Closing:
    """A phase being closed."""

    game: Game
    state: State
    questions: tuple[Question, ...]
    box: AnswerBox
    texts: Texts
    now: int
    gathered: Any = None  # data the play stored in the previous phase

    @property
    def question(self) -> Question:
        return self.questions[self.state.question]

    @property
    def round_questions(self) -> Sequence[Question]:
        return self.state.questions_in(self.state.round, self.questions)


@dataclass(frozen=True, slots=True)
class Closed:
    """Outcome of a phase: a sealed round, or the input of the next phase."""

    round: Round
    after: State | None = None  # next phase of the same round; None if the round is sealed
    writes: tuple[Write, ...] = ()
    robots: int | None = None  # number of answers by robots, if the box cannot tell
    empties: bool = False  # whether answers are removed now, before the round is sealed


@dataclass(frozen=True, slots=True)
class PlayContext:
    """What a process has read when it builds a snapshot."""

    game_id: str
    state: State
    items: Mapping[Key, Item]
    texts: Texts
    removed: frozenset[str]  # players removed by the host
    before: Any = None  # phase data of the previous snapshot


class Play:
    name: ClassVar[str]
    label: ClassVar[Text]
    description: ClassVar[Text] = ""  # what happens, for hosts; empty if it is no session type of its own
    privacy: ClassVar[Text] = ""  # who sees what
    types: ClassVar[tuple[str, ...]] = ()  # other session types that use it for suitable questions
    kinds: ClassVar[tuple[Kind, ...]] = ()  # of suitable questions
    set_type: ClassVar[str] = ""  # the type as which question sets count suitable questions, if not its name
    is_scored: ClassVar[bool] = False
    is_anonymous: ClassVar[bool] = False  # no one ever learns who answered what
    is_ranked: ClassVar[bool] = False  # phones need rank boxes, and screens show the count
    is_timed: ClassVar[bool] = True
    is_revealed: ClassVar[bool] = False  # as soon as the round is closed
    is_comparable: ClassVar[bool] = False  # can be asked again to compare the two rounds
    has_texts: ClassVar[bool] = False  # free text, which hosts can hide
    has_bonus: ClassVar[bool] = False  # for speed
    has_few_answers: ClassVar[bool] = False  # so each answer is rendered once and shared
    is_answered: ClassVar[bool] = True  # if not, it is only shown
    may_repeat: ClassVar[bool] = True  # while it is open
    spans: ClassVar[bool] = False  # consecutive questions form one round
    allows_follow_up: ClassVar[bool] = False  # a poll or election can be created from its options
    first_phase: ClassVar[Phase] = Phase.QUESTION  # or `SHOWN`, whose templates are the play's own
    own_form_phase: ClassVar[Phase | None] = None  # in which each player has a form of their own
    min_voting_seconds: ClassVar[int] = 30  # because reading the answers takes as long as writing one
    templates: ClassVar[Mapping[str, str]] = {}  # in place of `live/screens/{part}.html`
    results: ClassVar[str] = "live/results"  # folder of the templates of its results
    farewell: ClassVar[Text] = _("The session is over. Votes were counted without names.")
    phase_labels: ClassVar[Mapping[Phase, Text]] = {}  # that differ from the default
    closes: ClassVar[Mapping[Phase, Text]] = {}  # label of the button that closes a phase

    # --- what is asked ---

    def suits(self, question: Question) -> bool:
        return question.kind in self.kinds

    def count_suiting(self, set_: QuestionSet) -> int:
        """Number of suitable questions in a set."""
        return set_.suiting.get(self.set_type or self.name, 0)

    def typed_question(self, typed: TypedQuestion) -> Question:
        return Question(typed.title, Kind.TEXT, seconds=typed.seconds)

    def flaws(self, question: Question, typed: TypedQuestion) -> Iterator[tuple[str, Text]]:
        """Errors in a typed question, by field, besides the general checks."""
        return iter(())

    def voting_seconds(self, question: Question) -> int:
        return question.seconds and max(question.seconds, self.min_voting_seconds)

    def is_secret(self, question: Question) -> bool:
        return self.is_anonymous or question.secret

    def step_label(self, step: Step, state: State) -> Text | None:
        """Label of a step's button, if it differs from the default."""
        return self.closes.get(state.phase) if step == Step.CLOSE else None

    # --- what an answer is ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        """Parse and validate a submitted form; an invalid one is refused."""
        raise NotImplementedError

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        """Field values that prefill the form with an earlier answer."""
        raise NotImplementedError

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        """Context of `live/parts/summary.html`, which repeats a player's answer."""
        raise NotImplementedError

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        raise NotImplementedError

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        """A robot's answer; None to abstain."""
        raise NotImplementedError

    def form_name(self, snapshot: Snapshot) -> str:
        """Which form of `live/parts/ask.html` it is."""
        raise NotImplementedError

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        """Context of the form; without typed values it is the same for everyone."""
        raise NotImplementedError

    def own_form(self, snapshot: Snapshot, player: str, typed: TypedValues) -> dict[str, Any]:
        """Context of a form specific to the player, in the phase `own_form_phase`."""
        raise NotImplementedError

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        """How to answer (`hint`, `projector_hint`), until when it can be changed (`until`), that an answer is in
        (`received`), and what screen readers announce when it is asked, if not the question itself (`announced`)."""
        is_vote = snapshot.state.phase == Phase.VOTING
        return {
            "hint": "",
            "projector_hint": "",
            "until": CHANGE_UNTIL_OVER if snapshot.state.clock.seconds else CHANGE_UNTIL_CLOSED,
            "received": _("Your vote is in.") if is_vote else _("Your answer is in."),
            "announced": "",
        }

    # --- how answers are counted, phase by phase ---

    def read_previous_phase(self, game: Game, state: State) -> Any:
        """Data of the previous phase that `close` needs; read in parallel with the answers."""
        return None

    def close(self, closing: Closing) -> Closed:
        """Seal the round, or open its next phase."""
        raise NotImplementedError

    def seal_event_data(self, game: Game, present: int) -> dict[str, Any]:
        """Additional payload of the event that closes a phase."""
        return {}

    def open_vote(self, game: Game, state: State) -> tuple[list[Write], dict[str, Any]]:
        """Additional writes and event payload when a host opens a vote; refused if it cannot be opened."""
        return [], {}

    def moving_on(self, game: Game, state: State, after: State | None = None) -> list[Write]:
        """Additional writes of a step from this state: to `after`, or the end of the session."""
        return []

    def is_lost(self, game: Game, state: State) -> bool:
        """Whether the current round can never be closed, because required data is missing."""
        return False

    def extra_keys(self, game_id: str, state: State) -> tuple[Key, ...]:
        """Keys that every snapshot reads while this play is active."""
        return ()

    def phase_data(self, context: PlayContext) -> Any:
        """Data kept between two phases, such as sorted ideas; None if there is none."""
        return None

    # --- what screens show ---

    def displayed_question(
        self, question: Question, phase_data: Any, sealed: Round | None, context: PlayContext
    ) -> Question:
        """The question as screens show it."""
        return question

    def template(self, part: str) -> str:
        """Template of a part such as "projector/question" or "player/results"."""
        return self.templates.get(part, f"live/screens/{part}.html")

    def screen(self, snapshot: Snapshot) -> dict[str, Any]:
        """What the templates of every screen show of this play, without anything specific to one player."""
        is_shown, sealed = snapshot.is_result_shown, snapshot.round
        return {
            "form_name": self.form_name(snapshot),
            **self.hints(snapshot),
            "picture": self.render_result(sealed, snapshot.questions, snapshot.seats) if sealed and is_shown else "",
        }

    def screen_version(self, snapshot: Snapshot) -> str:
        """Version of what changes on screen within a phase."""
        return ""

    def is_withheld(self, round_: Round) -> bool:
        """Whether nothing of a round is shown, because too few took part."""
        return bool(round_.result.get("too_few"))

    def render_result(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str = ""
    ) -> SafeString:
        """Render the result of a round; `own` highlights one player's answer, without it all see the same."""
        if self.is_withheld(round_):
            return fragment("live/results/too_few.html", {"count": round_.count})
        template, context = self.result_context(round_, questions, seats, own)
        return fragment(f"{self.results}/{template}.html", context)

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        """Name of a template among `results`, and its context."""
        raise NotImplementedError

    def verdict(self, round_: Round, entry: Entry) -> str:
        """For scored plays: the key in `player_part.VERDICTS` for a player's entry."""
        raise NotImplementedError

    # --- moderation of what people wrote ---

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        """A sealed round without hidden texts; the same object if nothing is hidden."""
        return round_

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        """All texts of a sealed round that hosts can moderate, without duplicates."""
        return []

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        """The same for a round that is not sealed yet."""
        return []

    def own_text(self, snapshot: Snapshot, player: str) -> str | None:
        """A player's own text in the current round, unless it is anonymous."""
        return None

    # --- what reports contain ---

    def csv_rows(self, round_: Round, questions: Sequence[Question], name_of: NameOf) -> Iterator[tuple[int, CsvLine]]:
        """Rows for the CSV, each with the position of its question."""
        if self.is_withheld(round_):
            yield round_.question, {"row": "too few", "number": round_.count}
            return
        yield from ((round_.question, line) for line in self.csv_lines(round_, questions[round_.question], name_of))

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        """CSV lines of a round with one question and enough answers."""
        raise NotImplementedError

    def lists_answers(self, round_: Round) -> bool:
        """Whether a report lists every answer below the chart."""
        return self.is_scored

    def options(self, round_: Round, question: Question, texts: Texts) -> tuple[str, ...]:
        """The options of a round, without those hidden by hosts."""
        return options_of(round_, question)

    def is_suppressed(self, round_: Round) -> bool:
        """Whether too few voted for an outcome."""
        return bool(round_.result.get("too_few"))


def scored_csv_line(entry: Entry, answer: str, name_of: NameOf) -> CsvLine:
    got = {"points": entry.points, "bonus": entry.bonus}
    return {"row": "answer", "player": name_of(entry.player), "answer": answer, **got}


def cached(snapshot: Snapshot, *what: Any, make: Callable[[], T]) -> T:
    """Compute once per snapshot and language, and share the result among all who see the same."""
    key = (*what, translation.get_language(), get_script_prefix())
    if key not in snapshot.made:
        snapshot.made[key] = make()
    value: T = snapshot.made[key]
    return value


# --- which there are ---

_PLAYS: dict[str, Play] = {}


def register(*plays: Play) -> None:
    _PLAYS.update((each.name, each) for each in plays)


def registered_plays() -> tuple[Play, ...]:
    return tuple(_PLAYS.values())


def play_named(name: str) -> Play:
    return _PLAYS[name]


def play_for_type(type_: str, question: Question) -> Play | None:
    """The play a session type uses for a question that names none; None if none suits."""
    own = _PLAYS.get(type_)
    if own is not None and own.suits(question):
        return own
    return next((each for each in _PLAYS.values() if type_ in each.types and each.suits(question)), None)


def play_of(game: Game, question: Question) -> Play:
    """The play a question names, or the one its session type uses."""
    play = _PLAYS[question.play] if question.play else play_for_type(game.engagement_type, question)
    assert play is not None  # checked when the question was added
    return play


def play_at(state: State) -> Play | None:
    """The current play; None before the first question."""
    return _PLAYS[state.play] if state.play else None


def play_for(game: Game, state: State) -> Play:
    """The current play; before the first question, that of the session type."""
    return _PLAYS[state.play or game.engagement_type]


def suits(type_: str, question: Question) -> bool:
    """Whether a session type can ask a question, by the play it names or one of the type's own."""
    return _PLAYS[question.play].suits(question) if question.play else play_for_type(type_, question) is not None


def as_played(game: Game, question: Question) -> Question | None:
    """The question with the play it names if that suits, otherwise without; None if the session cannot ask it."""
    if suits(game.engagement_type, question):
        return question
    plain = replace(question, play="")
    return plain if suits(game.engagement_type, plain) else None


def plays_of(game: Game, questions: Iterable[Question]) -> tuple[Play, ...]:
    """All plays of a session, without duplicates."""
    return tuple(dict.fromkeys(play_of(game, each) for each in questions))
