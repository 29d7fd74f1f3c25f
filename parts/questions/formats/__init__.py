"""Importing questions from files: detects the format and picks the reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import PurePath

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.pages.lists import NotAList, decode

from ..rules import FullSet
from . import aiken_import, csv_import, gift_import
from .rows import ImportedFile


class Format(StrEnum):
    CSV = "csv"
    GIFT = "gift"
    AIKEN = "aiken"


LABELS = {Format.CSV: "CSV", Format.GIFT: "GIFT", Format.AIKEN: "Aiken"}
HELP = {
    LABELS[Format.GIFT]: gettext_lazy(
        "Text from Moodle and other programs: choices with one or more right answers, true or "
        "false, short answers and essays as free text, and categories. Not supported: numbers, "
        "matching, several gaps, pictures."
    ),
    LABELS[Format.AIKEN]: gettext_lazy("Text: a question, options A, B and so on, and a line ANSWER: B."),
}
READERS: dict[Format, Callable[[bytes, FullSet], ImportedFile]] = {
    Format.CSV: csv_import.read,
    Format.GIFT: gift_import.read,
    Format.AIKEN: aiken_import.read,
}
BY_NAME = {".csv": Format.CSV, ".tsv": Format.CSV, ".gift": Format.GIFT}
AIKEN = re.compile(r"^[ \t]*ANSWER[ \t]*:", re.MULTILINE)


def read(raw: bytes, full: FullSet, *, name: str = "", chosen: Format | None = None) -> tuple[Format, ImportedFile]:
    """The questions of a file with a verdict each, and the format it was read as."""
    format_ = chosen or detected(raw, name)
    return format_, READERS[format_](raw, full)


def detected(raw: bytes, name: str = "") -> Format:
    """By file name, then by content."""
    ending = PurePath(name).suffix.lower()
    if ending in BY_NAME:
        return BY_NAME[ending]
    text = decode(raw)
    if csv_import.names_columns(text):
        return Format.CSV
    if AIKEN.search(text):
        return Format.AIKEN
    if "{" in text:
        return Format.GIFT
    raise NotAList(_("This does not look like a file of questions. If you know its format, choose it below."))
