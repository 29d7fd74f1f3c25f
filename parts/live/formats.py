"""The format of a session, by its type: what is known of it everywhere. The default is an ordinary session; other parts
register theirs. Plays handle single questions.

What a format does is said where it is done, each time with a registry: `services.formats`, `services.follow_ups`,
`screens.formats` and `views.formats`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import ClassVar, Protocol, TypeAlias, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts import features
from foundation.parts import part_of

from .clock import Lifetime

T = TypeVar("T")
Text: TypeAlias = str | Promise  # for people to read

ASKED = _("This has already been asked and can no longer be changed.")
NOT_OF_THIS_TYPE = _("This cannot be asked in this type of session.")


class Session(Protocol):
    @property
    def engagement_type(self) -> str: ...


class ByType(dict[str, T]):
    """What formats are or do, by the type of session; sessions of all other types are ordinary."""

    def __init__(self, ordinary: T):
        super().__init__()
        self.ordinary = ordinary

    def of(self, session: Session) -> T:
        return self.get(session.engagement_type, self.ordinary)

    def of_type(self, type_: str) -> T:
        return self.get(type_, self.ordinary)


class Format:
    """An ordinary session. Another format overrides what is different."""

    checks_in = False  # people are known by name when they come in, and present until they check out
    any_order = False  # questions are asked in any order and can be added while it runs; it may start empty
    has_scoreboard = True
    joining_page, first_page = "join_game", "host_game"
    questions_page, people_page = "game_questions", "game_players"
    record_page = ""  # of a record that outlives the session; empty if there is none
    record_label: Text = ""  # of links to it: by itself,
    record_of_session: Text = ""  # beside others,
    read_record: Text = ""  # and when the session is over
    questions_label: Text = _("What is asked")
    people_label: Text = _("Who is here")
    all_asked: Text = _("This is the last question.")
    voided: Text = _("This question does not count.")
    voided_aloud: Text = _("This question does not count.")  # by screen readers
    voided_for_players: Text = _("This question does not count. Nobody gets points for it.")
    not_a_question: Text = NOT_OF_THIS_TYPE
    no_such_question: Text = _("This question is not in this session.")
    too_many: Text = _("A session has at most %(most)d questions.")
    opens_at_once: Text = _(
        "This is already shown, and what it would become opens at once. Add a new question instead."
    )
    keeps_its_place: Text = ASKED  # a question that is removed, if a later one has been asked
    all_but_record_goes: Text = ""  # when a session is deleted that has a record
    origin_text: Text = _("Based on a ranking in the live session “%(title)s” on %(when)s.")
    own: ClassVar[type | None] = None  # a dataclass of what it stores with a session; each field has a default
    templates: ClassVar[Mapping[str, str]] = {}  # in place of `live/{part}.html`, or where ordinary sessions have none

    def template(self, part: str) -> str:
        """Template of a part of pages, such as "join/left"; those that only some formats have are in `templates`. Pages
        include it with the part as `slot`, so that one template can serve several."""
        return self.templates.get(part, f"live/{part}.html")

    def idle(self, lifetime: Lifetime) -> timedelta:
        """Time without a step, a host or an answer before the session ends automatically."""
        return lifetime.idle


FORMATS = ByType(Format())


def formats_on() -> dict[str, Format]:
    """By type, those besides the ordinary one whose part is switched on."""
    return {type_: each for type_, each in FORMATS.items() if is_there(type_)}


def shared_template(part: str) -> str:
    """Template of a part of pages about all sessions: of the first format that is on and has its own."""
    own = (each.templates[part] for each in formats_on().values() if part in each.templates)
    return next(own, f"live/{part}.html")


def is_there(type_: str) -> bool:
    """Whether the part of its format is switched on."""
    return features.is_on(part_of(type(FORMATS.of_type(type_)).__module__))
