"""What a play is: how one kind of question is asked, answered, counted, shown and reported.

The engine (session, seats, clock, state, sealing, screens, push) knows no play by name. A question names its play or is
played by the first one registered for the type of the session that suits it; the state names the current play. Plays
are stateless and registered once, in `config/hooks.py`: see `live/plays/__init__.py` and `assembly/plays.py`.

| subject | members |
|---|---|
| identity | `name`, `label`, `types`, `story`; `is_scored`, `is_anonymous`, `has_texts` |
| questions | `suits`, `count_suiting`, `typed_question`, `flaws`; `spans`: consecutive questions form one round |
| timing | `first_phase`, `seconds`, `voting_seconds`, `is_secret`, `step_label` |
| answers | `answer` parses a form; `form_values`, `summary`, `answer_text`; `robot_answer` |
| form | `form_name` (`live/parts/ask_{form_name}.html`), `form`, `own_form`, `hint`, `received_message` |
| phases | `close` seals or opens another phase; `phase_data`, `open_vote`, `dropping`, `is_lost`, `extra_keys` |
| screens | `displayed_question`, `template`, `context`, `projector_hint`, `render_result` |
| moderation | `without_hidden`, `texts_to_moderate`, `own_text` |
| reports | `csv_rows`, `lists_answers`, `facts`, `reasons` |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, ClassVar, TypeAlias

from django.http import QueryDict
from django.urls import get_script_prefix
from django.utils import translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from pages.fragments import fragment
from questions.question import Question
from questions.rules import QuestionSet
from store.table import Item, Key, Write

from .moderation import ModeratedText, Texts
from .rounds import Entry, GivenAnswer, Round, options_of
from .rules import Game, Phase, State, Step
from .seats import Seat
from .snapshot import Snapshot

Text: TypeAlias = str | Promise  # that people read
TypedValues = Mapping[str, Sequence[str]]  # what fields say, right or wrong
CsvLine = dict[str, object]  # of the CSV, by its columns
NameOf = Callable[[str], str]  # of a player
Fact = tuple[Text, Any]

CHANGE_UNTIL_OVER = _("You can change it until time is up.")
CHANGE_UNTIL_CLOSED = _("You can change it until the host closes it.")


@dataclass(frozen=True, slots=True)
class PlayDescription:
    """A type of session in plain words."""

    happens: Text
    seen: Text


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question as it is typed where a session is made."""

    title: str
    lines: tuple[str, ...]
    seconds: int
    ideas: bool = False
    twice: bool = False


@dataclass(frozen=True, slots=True)
class AnswerBox:
    """All that counts of what was given in a phase that is closing."""

    last: tuple[GivenAnswer, ...]  # the last of each player that was in time
    percents: dict[str, int]  # how much of the usual time each player has, by the name that their answer lies under
    robots: frozenset[str] = frozenset()  # which of these names are robots'
    players: Mapping[str, str] = field(default_factory=dict)  # the ids of those who have these names
    present: tuple[str, ...] = ()  # the ids of those who were there at any time since it was opened, voting or not

    def by_robots(self, names: Iterable[str]) -> int:
        return sum(name in self.robots for name in names)


@dataclass(frozen=True, slots=True)
class Closing:
    """A phase that is being closed."""

    game: Game
    state: State
    questions: tuple[Question, ...]
    box: AnswerBox
    texts: Texts
    now: int
    gathered: Any = None  # what the play has kept of the phase before

    @property
    def question(self) -> Question:
        return self.questions[self.state.question]

    @property
    def asked(self) -> tuple[Question, ...]:
        """All questions of the round."""
        return self.questions[self.state.question : self.state.question + self.state.span]


@dataclass(frozen=True, slots=True)
class Closed:
    """What came of a phase: a sealed round, or what the next phase is about."""

    round: Round
    after: State | None = None  # where the session goes on with the same round; None: the round is sealed
    writes: tuple[Write, ...] = ()
    robots: int | None = None  # how many of those who gave something are robots, where the box does not say it
    empties: bool = False  # whether what was given goes now, before the round is sealed


@dataclass(frozen=True, slots=True)
class PlayContext:
    """What a process has at hand when it looks at a session."""

    game_id: str
    state: State
    items: Mapping[Key, Item]
    texts: Texts
    removed: frozenset[str]  # players whom the host has removed
    before: Any = None  # what the last look found between phases


class Play:
    name: ClassVar[str]
    label: ClassVar[Text]
    types: ClassVar[tuple[str, ...]] = ()  # of sessions in which questions that suit it are played so
    story: ClassVar[PlayDescription | None] = (
        None  # of a session made as this; None: it is chosen by its questions only
    )
    is_scored: ClassVar[bool] = False
    is_anonymous: ClassVar[bool] = False  # nobody ever learns who said what
    has_texts: ClassVar[bool] = False  # people's own words, which hosts can hide
    has_bonus: ClassVar[bool] = False  # for speed
    has_few_answers: ClassVar[bool] = False  # so that the words about each are made once, for all who gave it
    is_ranked: ClassVar[bool] = False  # whether phones need rank boxes, and a race is shown
    spans: ClassVar[bool] = False  # whether questions of it that follow one another are asked in one round
    first_phase: ClassVar[Phase] = Phase.QUESTION
    has_vote: ClassVar[bool] = True  # whether what is talked about can be voted on
    may_repeat: ClassVar[bool] = True  # while it is open
    is_revealed: ClassVar[bool] = False  # as soon as it is closed
    templates: ClassVar[Mapping[str, str]] = {}  # in place of `live/screens/{part}.html`
    farewell: ClassVar[Text] = _("The session is over. Votes were counted without names.")
    closes: ClassVar[Mapping[Phase, Text]] = {}  # what stands on the button that closes a phase

    # --- what is asked ---

    def suits(self, question: Question) -> bool:
        raise NotImplementedError

    def count_suiting(self, set_: QuestionSet) -> int:
        """How many questions of a set suit it."""
        return 0

    def typed_question(self, typed: TypedQuestion) -> Question:
        raise NotImplementedError

    def flaws(self, question: Question, typed: TypedQuestion) -> Iterator[tuple[str, Text]]:
        """What is wrong with a question that was typed, and with which field, besides what is always wrong."""
        return iter(())

    # --- how it goes ---

    def seconds(self, question: Question) -> int:
        return question.seconds

    def voting_seconds(self, question: Question) -> int:
        """To read what others have written takes no less than to write."""
        return question.seconds and max(question.seconds, 30)

    def is_secret(self, question: Question) -> bool:
        return self.is_anonymous or question.secret

    def is_compared(self, question: Question) -> bool:
        """Whether it can be asked again, and the two are compared."""
        return False

    def step_label(self, step: Step, state: State) -> Text | None:
        """What stands on a button, where it is not the usual words."""
        return self.closes.get(state.phase) if step == Step.CLOSE else None

    # --- what an answer is ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> Any:
        """What a form says, checked against what is asked; refused in a sentence."""
        raise NotImplementedError

    def form_values(self, said: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        """What the fields of the form show to somebody who has said this."""
        raise NotImplementedError

    def summary(self, said: Any, snapshot: Snapshot) -> dict[str, Any]:
        """What somebody has answered, as `live/parts/in_words.html` says it to them."""
        raise NotImplementedError

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> Any:
        """What a robot says; None if it has nothing to say."""
        raise NotImplementedError

    # --- the form ---

    def form_name(self, snapshot: Snapshot) -> str:
        raise NotImplementedError

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        """What the form shows; without anything typed, everybody's is the same."""
        raise NotImplementedError

    def own_form(self, snapshot: Snapshot, player: str, typed: TypedValues) -> dict[str, Any] | None:
        """A form that is another one for each player; None: all have the same."""
        return None

    def has_own_form(self, snapshot: Snapshot) -> bool:
        return False

    def hint(self, snapshot: Snapshot) -> Text:
        """What is to be done."""
        raise NotImplementedError

    def change_hint(self, snapshot: Snapshot) -> Text:
        """How long an answer can be changed."""
        return CHANGE_UNTIL_OVER if snapshot.state.clock.seconds else CHANGE_UNTIL_CLOSED

    def announcement(self, snapshot: Snapshot) -> Text:
        """What is said aloud when it is asked; empty: the question itself."""
        return ""

    def received_message(self, snapshot: Snapshot) -> Text:
        return _("Your vote is in.") if snapshot.state.phase == Phase.VOTING else _("Your answer is in.")

    # --- phases ---

    def read_previous_phase(self, game: Game, state: State) -> Any:
        """What `close` needs of the phase before; it is read together with what was given."""
        return None

    def close(self, closing: Closing) -> Closed:
        raise NotImplementedError

    def seal_event_data(self, game: Game, present: int) -> dict[str, Any]:
        """What the log is told besides when a phase is closed."""
        return {}

    def open_vote(self, game: Game, state: State) -> tuple[list[Write], dict[str, Any]]:
        """What is written when a host opens a vote, and what the log is told of it; refused if it cannot be opened."""
        return [], {}

    def dropping(self, game: Game, state: State) -> list[Write]:
        """Of a round that is not to count nothing is kept."""
        return []

    def moving_on(self, game: Game, state: State, after: State | None = None) -> list[Write]:
        """What goes with a step from here: the last one, or the one that leads to `after`."""
        return []

    def is_lost(self, game: Game, state: State) -> bool:
        """Whether the current round can never be closed, as what it takes is not in the store."""
        return False

    def extra_keys(self, game_id: str, state: State) -> tuple[Key, ...]:
        """What every look at the session has to read while this is on."""
        return ()

    def phase_data(self, look: PlayContext) -> Any:
        """What the room does something with between two phases; None if there is nothing."""
        return None

    # --- what screens show ---

    def displayed_question(self, asked: Question, between: Any, sealed: Round | None, look: PlayContext) -> Question:
        """The question as it is shown."""
        return asked

    def template(self, part: str) -> str:
        """Of a part such as "projector/question" or "player/results"."""
        return self.templates.get(part, f"live/screens/{part}.html")

    def context(self, snapshot: Snapshot) -> dict[str, Any]:
        """What the templates of every screen have at hand besides the usual."""
        return {}

    def screen_version(self, snapshot: Snapshot) -> str:
        """Of what changes on the screen within a phase."""
        return ""

    def projector_hint(self, snapshot: Snapshot) -> Text:
        """What the projector says about answering."""
        return ""

    def render_result(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str = ""
    ) -> SafeString:
        """What came of a round. `own` marks what one player said; without it everybody may see the same."""
        if round_.result.get("too_few"):
            return fragment("live/results/too_few.html", {"count": round_.count})
        template, context = self.result_context(round_, questions, seats, own)
        return fragment(f"live/results/{template}.html", context)

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        """The template of a picture in `live/results`, and what it shows."""
        raise NotImplementedError

    def verdict(self, round_: Round, entry: Entry) -> str:
        """Of a scored play: which of `outcome.VERDICTS` somebody is told."""
        raise NotImplementedError

    def public_vote(self, entry: Entry, question: Question, options: tuple[str, ...]) -> str:
        """What somebody voted, where everybody may know it."""
        return ""

    # --- what people wrote ---

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        """A sealed round without what nobody may see; the very same if there is nothing to leave out."""
        return round_

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        """All texts of a sealed round that hosts decide about, each once."""
        return []

    def unsealed_texts(self, snapshot: Snapshot, removed: Collection[str]) -> list[ModeratedText]:
        """The same of a round that is not sealed."""
        return []

    def own_text(self, snapshot: Snapshot, player: str) -> str | None:
        """What somebody wrote in the current round, where it is known whose it is."""
        return None

    # --- afterwards ---

    def csv_rows(self, round_: Round, questions: Sequence[Question], name_of: NameOf) -> Iterator[tuple[int, CsvLine]]:
        """Of the CSV: of which question, and what it says."""
        if round_.result.get("too_few"):
            yield round_.question, {"row": "too few", "number": round_.count}
            return
        yield from ((round_.question, line) for line in self.csv_lines(round_, questions[round_.question], name_of))

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        """Of the CSV, of a round of one question that may be told."""
        raise NotImplementedError

    def entry(self, entry: Entry) -> dict[str, Any]:
        """Of the JSON."""
        told = {"player": entry.player, "said": entry.said} if entry.player else {"said": entry.said}
        return told | ({"points": entry.points, "bonus": entry.bonus} if self.is_scored else {})

    def lists_answers(self, round_: Round) -> bool:
        """Whether a report lists everybody's answer below the picture."""
        return self.is_scored

    def options(self, round_: Round, question: Question, texts: Texts) -> tuple[str, ...]:
        """What there was to choose from, without what hosts have hidden."""
        return options_of(round_, question)

    def allows_follow_up(self, question: Question, round_: Round) -> bool:
        """Whether a poll or an election can be made of its options."""
        return False

    def facts(self, question: Question, round_: Round) -> Iterator[Fact]:
        """What came of a sealed round, in words."""
        yield _("Votes that count"), round_.count
        if self.is_suppressed(round_):
            yield _("Outcome"), _("Not counted: too few voted for a secret vote")
        else:
            yield from self.headline_facts(question, round_)

    def headline_facts(self, question: Question, round_: Round) -> Iterator[Fact]:
        return iter(())

    def is_suppressed(self, round_: Round) -> bool:
        """Whether so few took part that nothing may be told."""
        return bool(round_.result.get("too_few"))

    def reasons(self, question: Question, round_: Round) -> list[str]:
        return []

    def answer_text(self, said: Any, question: Question, options: tuple[str, ...]) -> Text:
        """What somebody voted or answered."""
        raise NotImplementedError

    def is_recountable(self, round_: Round) -> bool:
        """Whether a sealed round holds all that its result was made of."""
        return not round_.result.get("too_few")


def scored_csv_line(entry: Entry, answer: str, name_of: NameOf) -> CsvLine:
    got = {"points": entry.points, "bonus": entry.bonus}
    return {"row": "answer", "player": name_of(entry.player), "answer": answer, **got}


def cached(snapshot: Snapshot, *what_and_make: Any) -> Any:
    """Made of a room the first time somebody asks for it, for all the phones that ask after that."""
    *what, make = what_and_make
    key = ("phones", *what, translation.get_language(), get_script_prefix())
    if key not in snapshot.made:
        snapshot.made[key] = make()
    return snapshot.made[key]


# --- which there are ---

_PLAYS: dict[str, Play] = {}


def register(*plays: Play) -> None:
    _PLAYS.update((each.name, each) for each in plays)


def plays() -> tuple[Play, ...]:
    return tuple(_PLAYS.values())


def play_named(name: str) -> Play:
    return _PLAYS[name]


def play_for_type(type_: str, question: Question) -> Play | None:
    """How a session that was made as this plays a question that names no play of its own; None if it cannot."""
    own = _PLAYS.get(type_)
    if own is not None and own.suits(question):
        return own
    return next((each for each in _PLAYS.values() if type_ in each.types and each.suits(question)), None)


def play_of(game: Game, question: Question) -> Play:
    """The question's own, or that of the session."""
    play = _PLAYS[question.play] if question.play else play_for_type(game.engagement_type, question)
    assert play is not None  # as it was checked when the question came to the session
    return play


def play_at(state: State) -> Play | None:
    """The current one; None before the first question."""
    return _PLAYS[state.play] if state.play else None


def play_for(game: Game, state: State) -> Play:
    """The current one; before the first question, what the session was made as."""
    return _PLAYS[state.play or game.engagement_type]


def suits(type_: str, question: Question) -> bool:
    """Whether a session that was made as this can ask it: by the play it names, or by one of the type's own."""
    return _PLAYS[question.play].suits(question) if question.play else play_for_type(type_, question) is not None


def as_played(game: Game, question: Question) -> Question | None:
    """The question as the session can ask it: with the play it names if that suits it, otherwise as the type of the
    session says; None if it cannot."""
    if suits(game.engagement_type, question):
        return question
    plain = replace(question, play="")
    return plain if suits(game.engagement_type, plain) else None


def plays_of(game: Game, questions: Iterable[Question]) -> tuple[Play, ...]:
    """All that a session has, each once."""
    return tuple(dict.fromkeys(play_of(game, each) for each in questions))
