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
from questions.question import Question
from store.table import Item, Key, Write

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
    """The form by which hosts correct a question."""

    cleaned_data: dict[str, Any]

    @property
    def errors(self) -> Any: ...

    def is_valid(self) -> bool: ...

    def add_error(self, field: str | None, error: Any) -> None: ...

    def question(self) -> Question: ...


SeatActs = Mapping[str, Callable[[HttpRequest, "Game", "Pass"], HttpResponse]]


class Format:
    """An ordinary session. Another format overrides what is different."""

    checks_in = False  # people come in by account or personal code, and are present until they check out
    has_agenda = False  # questions are called in any order and added while it runs; at first there may be none
    keeps_minutes = False  # a record outlives the session
    folder = "live"  # of templates, for the parts that each format has of its own
    joining_page, first_page = "join_game", "host_game"
    questions_page, people_page = "game_questions", "game_players"
    origin_text: str | Promise = _("Based on a ranking in the live session “%(title)s” on %(when)s.")

    def idle(self, lifetime: Lifetime) -> timedelta:
        """Without a step, a host or an answer, before it ends by itself."""
        return lifetime.idle

    # --- making and correcting one ---

    fields: Mapping[str, Field] = {}  # of the form that makes a session, beside the usual ones

    def typed_questions(self, form: GameForm) -> tuple[Question, ...] | None:
        """What is typed in these fields to be asked; `None` where the usual fields say it."""
        return None

    def settings_from(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """What is typed in these fields, as settings of the session."""
        return {}

    def question_form(self, game: Game, question: Question, typed: QueryDict | None) -> QuestionEditor | None:
        """`None` for the usual one."""
        return None

    def copy(self, source: Game, made: Game, host: User) -> None:
        """Settings and questions are copied by now."""

    # --- coming and going ---

    seat_acts: SeatActs = {}  # what the page of one's own seat does, by the value of its buttons

    def claim(self, seat: Seat, game: Game, state: State) -> str:
        """The number of the request by which another device asks for the seat; empty if none does."""
        return ""

    def other_device_page(self, request: HttpRequest, game: Game, state: State) -> HttpResponse | None:
        """For a browser that had a seat before, or asks for it."""
        return None

    def on_left(self, game: Game, player: str) -> None:
        """Somebody has left, or was sent away."""

    # --- steps ---

    def confirmation(self, game: Game, step: Step, present: int) -> str | Promise | None:
        """What hosts are asked before a step; `None` for the usual words."""
        return None

    def open_vote(self, game: Game, state: State) -> dict[str, Any]:
        """What the log tells about those who may vote. Refused where they cannot."""
        return {}

    def end_debate(self, game: Game) -> None:
        """What was talked about is closed or voted on."""

    # --- what screens show ---

    def extra_key(self, game_id: str) -> Key | None:
        """An item that every look at the session reads along."""
        return None

    def panel_data(self, item: Item | None, known: Any) -> Any:
        """What a room has of that item; `known` is what the last look made of it."""
        return None

    def context(self, role: Role, snapshot: Snapshot) -> dict[str, Any]:
        """What templates of screens get, besides what every session shows."""
        return {}

    def panel(self, role: Role, snapshot: Snapshot) -> Fragment | None:
        """A part of the page that follows its own changes."""
        return None

    def consent(self, snapshot: Snapshot, seat: Seat) -> Fragment | None:
        """What somebody is asked or told about their seat."""
        return None

    def own_version(self, snapshot: Snapshot, player: str) -> str:
        """Another one if a player stands elsewhere in what is shown beside."""
        return ""

    def visitor_html(self, user: User) -> str:
        """What the page of all sessions shows to somebody who is signed in."""
        return ""

    # --- what comes of it ---

    def ending(self, game: Game, state: State) -> list[Write]:
        """What is written with the end."""
        return []

    def finish_ending(self, game_id: str, *, surely: bool = False) -> None:
        """Finish what the end has begun; with `surely`, before anything of the session goes."""

    def electorate(self, game: Game) -> Electorate | None:
        """Those present, where they can be voters of an election."""
        return None

    def following_up(self, game: Game, made: FollowUp) -> list[Write]:
        """What is written with a poll or an election that is made of the session."""
        return []


ORDINARY = Format()
FORMATS: dict[str, Format] = {}


def register(type_: str, format_: Format) -> None:
    FORMATS[type_] = format_


def of(type_: str) -> Format:
    return FORMATS.get(type_, ORDINARY)
