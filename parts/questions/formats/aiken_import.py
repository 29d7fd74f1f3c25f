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
        option, answer = OPTION.match(text), ANSWER.match(text)
        is_text = bool(text) and not option and not answer
        begins = bool(text) if block.answer is not None else is_text and (bool(block.options) or block.is_parted)
        if block and begins:
            yield block
            block = Block()
        block.line = block.line if block else number
        if not text:
            block.is_parted = bool(block)
        elif option:
            block.letters.append(option[1].upper())
            block.options.append((option[2] or "")[:MAX_ROW_CHARS])
        elif answer:
            block.answer = answer[1].strip()
        else:
            block.texts.append(text)
    if block:
        yield block


def _question(block: Block) -> ForeignQuestion:
    text, problems = "\n".join(block.texts), list[Flaw]()
    if not block.options:
        reason = _("It has no options, which are lines that begin with A, B and so on.")
        return ForeignQuestion(block.line, text, cannot=reason)
    if block.letters != list(ascii_uppercase[: len(block.letters)]):
        problems.append(Flaw("", _("Its options are not lettered A, B, C and so on, in order.")))
    letters = re.findall(r"\w+", (block.answer or "").upper()[:100])
    if not letters:
        problems.append(Flaw("", _("Its ANSWER: line is missing or has no letter.")))
    unknown = [letter for letter in letters if letter not in block.letters]
    problems += [Flaw("right", _("There is no option “%(word)s”.") % {"word": letter[:40]}) for letter in unknown]
    right = tuple(block.letters.index(letter) for letter in letters if letter in block.letters)
    question = Question("", Kind.CHOICE, options=tuple(block.options), right=right)
    return ForeignQuestion(block.line, text, question, problems=tuple(problems))
