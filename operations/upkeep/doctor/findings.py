"""The result of a check: ok, a warning or broken, with a sentence and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext as _


class Grade(IntEnum):
    BROKEN = 0
    WARNING = 1
    OK = 2

    @property
    def label(self) -> str:
        return {Grade.OK: _("OK"), Grade.WARNING: _("Needs attention"), Grade.BROKEN: _("Broken")}[self]


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    grade: Grade
    sentence: str
    todo: str = ""


def ok(about: str, sentence: str) -> Finding:
    return Finding(about, Grade.OK, sentence)


def warn(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.WARNING, sentence, todo)


def broken(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.BROKEN, sentence, todo)
