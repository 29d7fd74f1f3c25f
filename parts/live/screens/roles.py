"""The kinds of screens, and the pieces of HTML that they get."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.safestring import SafeString


class Role(StrEnum):
    """The kind of screen; the value is part of URLs."""

    PLAYER = "player"
    HOST = "host"  # projector and controls in one
    SCREEN = "screen"  # projector alone
    REMOTE = "remote"  # controls on a phone
    SCOREBOARD = "scoreboard"
    QA = "qa"  # questions from the room, as a player sees them
    MANAGE_QA = "manage_qa"  # the same, as hosts see them


HOSTING = (Role.HOST, Role.REMOTE, Role.MANAGE_QA)
SEATED = (Role.PLAYER, Role.QA)
OF_QA = (Role.QA, Role.MANAGE_QA)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Rendered HTML, with a key that tells a page whether it already has it."""

    key: str
    html: SafeString
