"""The format of a session, by its type: how people join and leave, the order of questions, what screens add.

The default is an ordinary session; `config/hooks.py` registers others (assemblies). Plays handle single questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from django.forms import Field
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts import features
from foundation.parts import part_of
from foundation.store.table import Item, Key, Write
from parts.questions.question import Question

from .lifetimes import Lifetime

if TYPE_CHECKING:
    from .follow_up_store import FollowUp
    from .follow_ups.electorate import Electorate
    from .players import Pass
    from .rules import Game, State, Step
    from .screens.rendering import Fragment, Role
    from .seats import Seat
    from .snapshot import Snapshot
    from .views.forms import GameForm


class QuestionEditor(Protocol):
    """The form in which hosts edit a question."""

    cleaned_data: dict[str, Any]

    @property
    def errors(self) -> Any: ...

    def is_valid(self) -> bool: ...

    def add_error(self, field: str | None, error: Any) -> None: ...

    def question(self) -> Question: ...


SeatActs = Mapping[str, Callable[[HttpRequest, "Game", "Pass"], HttpResponse]]


class Format:
    """An ordinary session. Another format overrides what is different."""

    checks_in = False  # people join by account or personal code, and are present until they check out
    has_agenda = False  # items are called in any order and can be added while it runs; it may start empty
    keeps_minutes = False  # a record outlives the session
    folder = "live"  # template folder of the parts specific to a format
    joining_page, first_page = "join_game", "host_game"
    questions_page, people_page = "game_questions", "game_players"
    origin_text: str | Promise = _("Based on a ranking in the live session “%(title)s” on %(when)s.")

    def idle(self, lifetime: Lifetime) -> timedelta:
        """Time without a step, a host or an answer before the session ends automatically."""
        return lifetime.idle

    # --- making and correcting one ---

    fields: Mapping[str, Field] = {}  # additional fields of the form that creates a session

    def typed_questions(self, form: GameForm) -> tuple[Question, ...] | None:
        """Questions typed into these fields; `None` to use the default fields."""
        return None

    def settings_from(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Session settings typed into these fields."""
        return {}

    def question_form(self, game: Game, question: Question, typed: QueryDict | None) -> QuestionEditor | None:
        """The form to edit a question; `None` for the default one."""
        return None

    def copy(self, source: Game, made: Game, host: User) -> None:
        """Copy what the format adds; settings and questions have already been copied."""

    # --- coming and going ---

    seat_acts: SeatActs = {}  # actions of the seat page, by button value

    def claim(self, seat: Seat, game: Game, state: State) -> str:
        """Id of another device's claim to the seat; empty if there is none."""
        return ""

    def other_device_page(self, request: HttpRequest, game: Game, state: State) -> HttpResponse | None:
        """Page for a browser that used to have the seat, or claims it."""
        return None

    def on_left(self, game: Game, player: str) -> None:
        """Called after a player has left or been removed."""

    # --- steps ---

    def confirmation(self, game: Game, step: Step, present: int) -> str | Promise | None:
        """Confirmation text before a step; `None` for the default."""
        return None

    def open_vote(self, game: Game, state: State) -> dict[str, Any]:
        """Event payload about who may vote; refused if a vote cannot be opened."""
        return {}

    def end_debate(self, game: Game) -> None:
        """Called when a debate ends, because its item is closed or put to the vote."""

    # --- what screens show ---

    def extra_key(self, game_id: str) -> Key | None:
        """Key of an additional item that every snapshot reads."""
        return None

    def panel_data(self, item: Item | None, known: Any) -> Any:
        """Snapshot data built from that item; `known` is the data of the previous snapshot."""
        return None

    def context(self, role: Role, snapshot: Snapshot) -> dict[str, Any]:
        """Additional context for the templates of screens."""
        return {}

    def panel(self, role: Role, snapshot: Snapshot) -> Fragment | None:
        """A part of the page that updates independently."""
        return None

    def consent(self, snapshot: Snapshot, seat: Seat) -> Fragment | None:
        """A question or notice to a player about their seat."""
        return None

    def own_version(self, snapshot: Snapshot, player: str) -> str:
        """Version that changes with a player's position in the panel."""
        return ""

    def visitor_html(self, user: User) -> str:
        """HTML that the list of sessions adds for a signed-in user."""
        return ""

    # --- what comes of it ---

    def ending(self, game: Game, state: State) -> list[Write]:
        """Additional writes when the session ends."""
        return []

    def finish_ending(self, game_id: str, *, surely: bool = False) -> None:
        """Finish work begun at the end; `surely` when session data is about to be deleted."""

    def electorate(self, game: Game) -> Electorate | None:
        """The people present, if they can become voters of an election."""
        return None

    def following_up(self, game: Game, made: FollowUp) -> list[Write]:
        """Additional writes when a poll or election is created from the session."""
        return []


ORDINARY = Format()
FORMATS: dict[str, Format] = {}


def register(type_: str, format_: Format) -> None:
    FORMATS[type_] = format_


def of(type_: str) -> Format:
    return FORMATS.get(type_, ORDINARY)


def is_there(type_: str) -> bool:
    """Whether the part of its format is switched on."""
    return features.is_on(part_of(type(of(type_)).__module__))
