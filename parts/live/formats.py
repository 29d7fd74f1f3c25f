"""The format of a session, by its type: what is known of it everywhere. The default is an ordinary session; other parts
register theirs (assemblies). Plays handle single questions.

What a format does is said where it is done, each time with a registry: `services.formats`, `follow_ups.formats`,
`screens.formats` and `views.formats`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts import features
from foundation.parts import part_of

from .lifetimes import Lifetime

T = TypeVar("T")


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


FORMATS = ByType(Format())


def is_there(type_: str) -> bool:
    """Whether the part of its format is switched on."""
    return features.is_on(part_of(type(FORMATS.of_type(type_)).__module__))
