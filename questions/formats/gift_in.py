"""Questions in GIFT, the text format of Moodle: https://docs.moodle.org/en/GIFT_format

Questions are parted by blank lines, so that one that is wrong takes no other with it. What has a backslash before it
is hidden in code points that no text can have (halves of pairs) until the text is parted, and shown again then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from pages.lists import decode

from ..question import MAX_CATEGORY_CHARS, Kind
from ..question import line as one_line
from ..rules import Whole
from . import foreign
from .foreign import MAX_TEXT_CHARS, Foreign
from .plain import Plain, plain
from .rows import MAX_ROW_CHARS, Read, lines_of

SURROGATE_OFFSET = 0xD800
ESCAPED = re.compile(r"\\([~=#{}:n\\])")
HIDDEN = re.compile("[\ud800-\ud8ff]")
FORMAT = re.compile(r"\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
WEIGHT = re.compile(r"%(-?[0-9]{1,3}(?:\.[0-9]{0,7})?)%")
ANSWER = re.compile("([~=])([^~=]*)")
CATEGORY = "$CATEGORY:"
GAP = "_____"
EXTRA = re.compile(r"//\s*\[(seconds|school|instruction):((?:\\.|[^\\\]])*)\]\s*")  # as Moodle does with [id:…]
MIN_RIGHT_PERCENT = 99.99  # of a hundred: what is worth that much is right
PARTING = re.compile("(?<!/)/(?!/)")  # between the names of a path; a slash in a name is doubled
CONTEXT = re.compile(r"\$[a-z]+[0-9]*\$")
YES, NO = ("T", "TRUE"), ("F", "FALSE")


def read(raw: bytes, whole: Whole) -> Read:
    """The questions of a file, each with its verdict for this set."""
    return foreign.read(_questions(decode(raw)), whole)


# --- from lines to blocks ---


@dataclass(frozen=True, slots=True)
class Block:
    """Lines without a blank one between them; what remarks say of the question in them stands apart."""

    line: int
    lines: tuple[str, ...]
    remarks: tuple[str, ...]


def _questions(text: str) -> Iterator[Foreign]:
    category = ""
    for block in _blocks(text):
        line, lines = block.line, list(block.lines)
        while lines and lines[0].startswith(CATEGORY):
            category = _category(lines.pop(0).removeprefix(CATEGORY)[:MAX_ROW_CHARS])
            line += 1
        if lines:
            yield replace(_question(line, "\n".join(lines)), category=category, **_extras(block.remarks))


def _blocks(text: str) -> Iterator[Block]:
    begin, kept, remarks = 0, list[str](), list[str]()
    for number, line in enumerate([*lines_of(text), ""], 1):
        words = line.strip()
        if words.startswith("//"):
            remarks.append(words)
        elif words:
            begin = begin if kept else number
            kept.append(words)
        else:
            if kept:
                yield Block(begin, tuple(kept), tuple(remarks))
            kept, remarks = [], []


def _category(path: str) -> str:
    """What it is called here, by its path as Moodle writes it: `$course$/top/Towns/In the south`. Where it lies in
    Moodle says nothing; of a path that is too long the last part is taken."""
    parts = [one_line(part.replace("//", "/")) for part in PARTING.split(path.strip())]
    if CONTEXT.fullmatch(parts[0]):
        parts = parts[1:]
    if parts and parts[0] == "top":
        parts = parts[1:]
    whole = "/".join(filter(None, parts))
    return whole if len(whole) <= MAX_CATEGORY_CHARS else parts[-1][:MAX_CATEGORY_CHARS]


def _extras(remarks: tuple[str, ...]) -> dict[str, Any]:
    """What GIFT has no place for and `gift_out` writes into remarks."""
    found = [match for remark in remarks if len(remark) <= MAX_ROW_CHARS and (match := EXTRA.fullmatch(remark))]
    said = {each[1]: re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], each[2]) for each in found}
    words = {"school": said.get("school", ""), "custom_instruction": said.get("instruction", "")}
    seconds = said.get("seconds", "")
    return {**words, "seconds": int(seconds)} if re.fullmatch("[0-9]{1,6}", seconds) else words


# --- from a block to a question ---


def _question(line: int, text: str) -> Foreign:
    if len(text) > MAX_TEXT_CHARS:
        return Foreign(line, text)
    name, rest = _named(_hidden(text))
    begin, end = rest.find("{"), rest.find("}")
    before, within, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
    words = _Words.of(before + (GAP if after.strip() else "") + after if 0 <= begin < end else rest)
    item = Foreign(line, words.text, name=_shown(name))
    if begin < 0 and end < 0:
        return replace(item, cannot=str(foreign.DESCRIPTION))
    if not 0 <= begin < end:
        return replace(item, cannot=str(foreign.BRACES))
    if "{" in within or "{" in after or "}" in after:
        return replace(item, cannot=str(foreign.GAPS))
    return _without_media(_answered(item, within.strip(), words.format), words.has_media)


def _named(text: str) -> tuple[str, str]:
    """Its name, which stands between double colons, and the rest."""
    if not text.startswith("::") or "::" not in text[2:]:
        return "", text
    name, _end, rest = text[2:].partition("::")
    return name.strip(), rest.strip()


def _answered(item: Foreign, answers: str, format_: str) -> Foreign:
    """By what stands between the braces."""
    before, mark, feedback = answers.rpartition("####")
    answers = before.strip() if mark else answers
    told = _with_notes(item, feedback if mark else "")
    if not answers:
        return replace(told, kind=Kind.TEXT)
    if answers.startswith("#"):
        return replace(told, cannot=str(foreign.NUMBER))
    if "~" in answers:
        return _choice(told, answers, format_)
    if "=" in answers and "->" in answers:
        return replace(told, cannot=str(foreign.MATCHING))
    return _true_or_false(told, answers) or _short(told, answers)


def _true_or_false(item: Foreign, answers: str) -> Foreign | None:
    word, _mark, feedback = (each.strip() for each in answers.partition("#"))
    if word.upper() not in YES + NO:
        return None
    choice = replace(item, options=(_("True"), _("False")), right=(0 if word.upper() in YES else 1,))
    return _with_notes(choice, feedback)


def _short(item: Foreign, answers: str) -> Foreign:
    short = replace(item, kind=Kind.TEXT, notes=(*item.notes, str(foreign.NOT_JUDGED)))
    return _with_notes(short, "".join(each.partition("#")[2] for each in answers.split("=")))


def _choice(item: Foreign, answers: str, format_: str) -> Foreign:
    first = min(answers.find(mark) for mark in "~=" if mark in answers)
    lead = [("~", answers[:first])] if answers[:first].strip() else []
    marked = [*lead, *((each[1], each[2]) for each in ANSWER.finditer(answers[first:]))]
    weighed = [_weighed(mark, words.strip()) for mark, words in marked]
    parted = [words.partition("#") for _weight, words in weighed]
    options = [_Words.of(words, format_) for words, _mark, _feedback in parted]
    right, notes = _right([weight for weight, _words in weighed], one="=" in answers)
    chosen = replace(item, options=tuple(each.text for each in options), right=right, notes=(*item.notes, *notes))
    feedback = "".join(said for _words, _mark, said in parted)
    return _without_media(_with_notes(chosen, feedback), any(each.has_media for each in options))


def _right(weights: Sequence[float], *, one: bool) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Which answers are right, by how much of a hundred each is worth, and what that leaves out. Where one is to be
    chosen, those that are fully right; where several are, all that are worth anything."""
    least = min(MIN_RIGHT_PERCENT, max(weights, default=0)) if one else 0.0
    right = tuple(place for place, weight in enumerate(weights) if weight > 0 and weight >= least)
    if not right:
        return (), (str(foreign.NONE_RIGHT),)
    return right, (str(foreign.PARTLY),) if any(0 < weight < least for weight in weights) else ()


def _weighed(mark: str, words: str) -> tuple[float, str]:
    if weight := WEIGHT.match(words):
        return float(weight[1]), words[weight.end() :]
    return 100.0 if mark == "=" else 0.0, words


def _with_notes(item: Foreign, feedback: str) -> Foreign:
    said = str(foreign.FEEDBACK)
    return replace(item, notes=(*item.notes, said)) if feedback.strip() and said not in item.notes else item


def _without_media(item: Foreign, has_media: bool) -> Foreign:
    return replace(item, cannot=str(foreign.MEDIA)) if has_media and not item.cannot else item


# --- words ---


@dataclass(frozen=True, slots=True)
class _Words:
    text: str
    has_media: bool
    format: str

    @classmethod
    def of(cls, hidden: str, usual: str = "moodle") -> _Words:
        """What is to be read. A line end of the file is a space; one of the text is written with a backslash."""
        joined = " ".join(filter(None, (line.strip() for line in hidden.split("\n"))))
        mark = FORMAT.match(joined)
        format_ = mark[1].lower() if mark else usual
        text = _shown(joined[mark.end() :] if mark else joined).strip()
        said = plain(text, keeps_lines=format_ == "moodle") if format_ in ("html", "moodle") else Plain(text)
        return cls(said.text, said.has_media, format_)


def _hidden(text: str) -> str:
    return ESCAPED.sub(lambda sign: chr(SURROGATE_OFFSET + ord(sign[1])), text)


def _shown(text: str) -> str:
    return HIDDEN.sub(lambda sign: _sign(chr(ord(sign[0]) - SURROGATE_OFFSET)), text)


def _sign(escaped: str) -> str:
    return "\n" if escaped == "n" else escaped
