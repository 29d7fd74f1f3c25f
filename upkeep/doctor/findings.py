"""The result of a check: ok, a warning or broken, with a sentence and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext as _


class Grade(IntEnum):
    BROKEN = 0
    LOOK = 1
    WELL = 2

    @property
    def label(self) -> str:
        return {Grade.WELL: _("OK"), Grade.LOOK: _("check"), Grade.BROKEN: _("broken")}[self]


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    grade: Grade
    sentence: str
    todo: str = ""


def ok(about: str, sentence: str) -> Finding:
    return Finding(about, Grade.WELL, sentence)


def warn(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.LOOK, sentence, todo)


def broken(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.BROKEN, sentence, todo)


def worst_first(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda each: each.grade)
