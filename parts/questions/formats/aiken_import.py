"""Imports Aiken, the simplest text format of Moodle: https://docs.moodle.org/en/Aiken_format

A line with the question, lines with options (`A.` or `A)`), and a line `ANSWER: B`. Some programs write several right
answers. Questions of several lines are not valid Aiken, but their other lines are taken as details.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import ascii_uppercase

from django.utils.translation import gettext as _

from foundation.pages.lists import decode

from ..question import Flaw, Kind, Question
from ..rules import FullSet
from .rows import MAX_ROW_CHARS, ForeignQuestion, ImportedFile, judge_foreign, lines_of

OPTION = re.compile(r"([A-Za-z])[.)](?:\s+(.*))?$")
ANSWER = re.compile(r"answer\s{0,9}:(.*)$", re.IGNORECASE)


@dataclass(slots=True)
class Block:
    """The lines of one question so far."""

    line: int = 0
    texts: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    answer: str | None = None
    is_parted: bool = False  # a blank line has come since

    def __bool__(self) -> bool:
        return bool(self.texts or self.options or self.answer is not None)


def read(raw: bytes, full: FullSet) -> ImportedFile:
    return judge_foreign(map(_question, _blocks(decode(raw))), full)


def _blocks(text: str) -> Iterator[Block]:
    block = Block()
    for number, line in enumerate(lines_of(text), 1):
        text = line.strip()
        if block and _begins(text, block):
            yield block
            block = Block()
        block.line = block.line if block else number
        _add_line(text, block)
    if block:
        yield block


def _begins(text: str, block: Block) -> bool:
    """Whether a line starts another question."""
    if block.answer is not None:
        return bool(text)
    if not text or OPTION.match(text) or ANSWER.match(text):
        return False
    return bool(block.options) or block.is_parted


def _add_line(text: str, block: Block) -> None:
    if not text:
        block.is_parted = bool(block)
    elif option := OPTION.match(text):
        block.letters.append(option[1].upper())
        block.options.append((option[2] or "")[:MAX_ROW_CHARS])
    elif answer := ANSWER.match(text):
        block.answer = answer[1].strip()
    else:
        block.texts.append(text)


def _question(block: Block) -> ForeignQuestion:
    text = "\n".join(block.texts)
    problems: list[Flaw] = []
    if not block.options:
        return ForeignQuestion(
            block.line, text, cannot=_("It has no options, which are lines that begin with A, B and so on.")
        )
    if block.letters != list(ascii_uppercase[: len(block.letters)]):
        problems.append(Flaw("", _("Its options are not lettered A, B, C and so on, in order.")))
    question = Question("", Kind.CHOICE, options=tuple(block.options), right=_right(block, problems))
    return ForeignQuestion(block.line, text, question, problems=tuple(problems))


def _right(block: Block, problems: list[Flaw]) -> tuple[int, ...]:
    letters = re.findall(r"\w+", (block.answer or "").upper()[:100])
    if not letters:
        problems.append(Flaw("", _("Its ANSWER: line is missing or has no letter.")))
    for letter in letters:
        if letter not in block.letters:
            problems.append(Flaw("right", _("There is no option “%(word)s”.") % {"word": letter[:40]}))
    return tuple(block.letters.index(letter) for letter in letters if letter in block.letters)
