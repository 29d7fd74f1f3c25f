"""Imports GIFT, the text format of Moodle: https://docs.moodle.org/en/GIFT_format

Questions are separated by blank lines, so a broken one affects no other. Escaped characters are hidden in lone
surrogates, which no text contains, until the text is split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

import nh3
from django.utils.translation import gettext as _

from foundation.pages.lists import decode

from ..question import MAX_CATEGORY_CHARS, Kind, clean_line
from ..rules import FullSet
from .rows import MAX_ROW_CHARS, MAX_TEXT_CHARS, ForeignQuestion, ImportedFile, judge_foreign, lines_of

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


def read(raw: bytes, full: FullSet) -> ImportedFile:
    return judge_foreign(_questions(decode(raw)), full)


# --- from lines to blocks ---


@dataclass(frozen=True, slots=True)
class Block:
    """Lines without a blank one in between; comments are kept separately."""

    line: int
    lines: tuple[str, ...]
    remarks: tuple[str, ...]


def _questions(text: str) -> Iterator[ForeignQuestion]:
    category = ""
    for block in _blocks(text):
        line, lines = block.line, list(block.lines)
        while lines and lines[0].startswith(CATEGORY):
            category = _category(lines.pop(0).removeprefix(CATEGORY)[:MAX_ROW_CHARS])
            line += 1
        if lines:
            foreign = _question(line, "\n".join(lines))
            yield _with(foreign, category=category, **_extras(block.remarks))


def _blocks(text: str) -> Iterator[Block]:
    begin, block_lines, remarks = 0, list[str](), list[str]()
    for number, line in enumerate([*lines_of(text), ""], 1):
        text = line.strip()
        if text.startswith("//"):
            remarks.append(text)
        elif text:
            begin = begin if block_lines else number
            block_lines.append(text)
        else:
            if block_lines:
                yield Block(begin, tuple(block_lines), tuple(remarks))
            block_lines, remarks = [], []


def _category(path: str) -> str:
    """From a Moodle path such as `$course$/top/Towns/In the south`, without its context; the last part if it is too
    long."""
    parts = [clean_line(part.replace("//", "/")) for part in PARTING.split(path.strip())]
    if CONTEXT.fullmatch(parts[0]):
        parts = parts[1:]
    if parts and parts[0] == "top":
        parts = parts[1:]
    joined = "/".join(filter(None, parts))
    return joined if len(joined) <= MAX_CATEGORY_CHARS else parts[-1][:MAX_CATEGORY_CHARS]


def _extras(remarks: tuple[str, ...]) -> dict[str, Any]:
    """Fields that GIFT lacks, which `exports.questions_gift` writes into comments."""
    found = [match for remark in remarks if len(remark) <= MAX_ROW_CHARS and (match := EXTRA.fullmatch(remark))]
    values = {each[1]: re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], each[2]) for each in found}
    texts = {"school": values.get("school", ""), "custom_instruction": values.get("instruction", "")}
    seconds = values.get("seconds", "")
    return {**texts, "seconds": int(seconds)} if re.fullmatch("[0-9]{1,6}", seconds) else texts


# --- from a block to a question ---


def _question(line: int, text: str) -> ForeignQuestion:
    if len(text) > MAX_TEXT_CHARS:
        return ForeignQuestion(line, text)
    name, rest = "", ESCAPED.sub(lambda sign: chr(SURROGATE_OFFSET + ord(sign[1])), text)
    if rest.startswith("::") and "::" in rest[2:]:  # the name is between double colons
        name, _end, rest = (each.strip() for each in rest[2:].partition("::"))
    begin, end = rest.find("{"), rest.find("}")
    before, within, after = rest[:begin], rest[begin + 1 : end], rest[end + 1 :]
    title, has_media, format_ = _readable(before + (GAP if after.strip() else "") + after if 0 <= begin < end else rest)
    item = ForeignQuestion(line, title, name=_unhidden(name))
    if begin < 0 and end < 0:
        return replace(item, cannot=_("It is text without answers, so it is not a question."))
    if not 0 <= begin < end:
        return replace(item, cannot=_("Its braces { } do not match."))
    if "{" in within or "{" in after or "}" in after:
        return replace(item, cannot=_("Questions with several gaps are not supported."))
    return _without_media(_answered(item, within.strip(), format_), has_media)


def _with(item: ForeignQuestion, **fields: Any) -> ForeignQuestion:
    return replace(item, question=replace(item.question, **fields))


def _answered(item: ForeignQuestion, answers: str, format_: str) -> ForeignQuestion:
    """Interprets what is between the braces."""
    before, mark, feedback = answers.rpartition("####")
    answers = before.strip() if mark else answers
    noted = _with_notes(item, feedback if mark else "")
    if not answers:
        return _with(noted, kind=Kind.TEXT)
    if answers.startswith("#"):
        return replace(noted, cannot=_("Numerical questions are not supported."))
    if "~" in answers:
        return _choice(noted, answers, format_)
    if "=" in answers and "->" in answers:
        return replace(noted, cannot=_("Matching questions are not supported."))
    word, _mark, feedback = (each.strip() for each in answers.partition("#"))
    if word.upper() in YES + NO:
        choice = _with(noted, options=(_("True"), _("False")), right=(0 if word.upper() in YES else 1,))
        return _with_notes(choice, feedback)
    note = _("Its expected answers are left out: free text is not graded here.")
    short = replace(_with(noted, kind=Kind.TEXT), notes=(*noted.notes, note))
    return _with_notes(short, "".join(each.partition("#")[2] for each in answers.split("=")))


def _choice(item: ForeignQuestion, answers: str, format_: str) -> ForeignQuestion:
    first = min(answers.find(mark) for mark in "~=" if mark in answers)
    lead = [("~", answers[:first])] if answers[:first].strip() else []
    marked = [*lead, *((each[1], each[2]) for each in ANSWER.finditer(answers[first:]))]
    weighed = [_weighed(mark, text.strip()) for mark, text in marked]
    parted = [text.partition("#") for _weight, text in weighed]
    options = [_readable(text, format_) for text, _mark, _feedback in parted]
    right, notes = _right([weight for weight, _text in weighed], one="=" in answers)
    choice = _with(item, options=tuple(text for text, _media, _format in options), right=right)
    feedback = "".join(each for _text, _mark, each in parted)
    noted = _with_notes(replace(choice, notes=(*item.notes, *notes)), feedback)
    return _without_media(noted, any(has_media for _text, has_media, _format in options))


def _right(weights: Sequence[float], *, one: bool) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Which answers are right, by weight, and what that loses. For a single choice those worth 100 %, otherwise all
    above 0."""
    least = min(MIN_RIGHT_PERCENT, max(weights, default=0)) if one else 0.0
    right = tuple(place for place, weight in enumerate(weights) if weight > 0 and weight >= least)
    if not right:
        return (), (_("None of its answers is marked as right."),)
    is_partial = any(0 < weight < least for weight in weights)
    return right, (_("Partly right answers count as wrong here."),) if is_partial else ()


def _weighed(mark: str, text: str) -> tuple[float, str]:
    if weight := WEIGHT.match(text):
        return float(weight[1]), text[weight.end() :]
    return 100.0 if mark == "=" else 0.0, text


def _with_notes(item: ForeignQuestion, feedback: str) -> ForeignQuestion:
    note = _("Its feedback is left out: it would be shown before people answer.")
    return replace(item, notes=(*item.notes, note)) if feedback.strip() and note not in item.notes else item


def _without_media(item: ForeignQuestion, has_media: bool) -> ForeignQuestion:
    if not has_media or item.cannot:
        return item
    return replace(item, cannot=_("Questions with pictures, sound or video are not supported."))


# --- text ---


def _readable(hidden: str, usual: str = "moodle") -> tuple[str, bool, str]:
    """Readable text, whether it had a picture, sound or video, and its format. A line break in the file is a space; one
    in the text is escaped."""
    joined = " ".join(filter(None, (line.strip() for line in hidden.split("\n"))))
    mark = FORMAT.match(joined)
    format_ = mark[1].lower() if mark else usual
    text = _unhidden(joined[mark.end() :] if mark else joined).strip()
    if format_ not in ("html", "moodle"):
        return text, False, format_
    return plain(text, keeps_lines=format_ == "moodle"), MEDIA.search(text) is not None, format_


def _unhidden(text: str) -> str:
    line_ended = text.replace(chr(SURROGATE_OFFSET + ord("n")), "\n")
    return HIDDEN.sub(lambda sign: chr(ord(sign[0]) - SURROGATE_OFFSET), line_ended)


# --- plain text out of HTML, as learning platforms put it into their questions ---

RAISED = re.compile(r"<(sup|sub)>([^<>]{1,20})</\1>", re.IGNORECASE)
SMALL_FIGURES = {
    "sup": str.maketrans("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
LINES = (
    "address|article|aside|blockquote|br|caption|dd|div|dl|dt|figure|footer|form|h[1-6r]|header|li|main|nav|ol|p|"
    "section|table|tbody|td|tfoot|th|thead|tr|ul"
)
WORDS = (
    "a|abbr|b|bdi|bdo|big|cite|code|col|colgroup|data|del|dfn|em|font|i|ins|kbd|label|mark|nolink|q|rb|rp|rt|ruby|s|"
    "samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
MEDIA_TAGS = "audio|canvas|embed|iframe|img|math|object|picture|source|svg|track|video"
SILENT = "head|script|style|template|title"  # what is in them is not for readers


def _tag(names: str) -> str:
    return rf"/?(?:{names})(?=[\s/>])[^<>]*>"


CODE = re.compile(f"<{_tag('pre')}", re.IGNORECASE)
LINE = re.compile(f"<{_tag(LINES)}", re.IGNORECASE)
MEDIA = re.compile(f"<{_tag(MEDIA_TAGS)}", re.IGNORECASE)
NO_TAG = re.compile(f"<(?!{_tag(f'{WORDS}|{MEDIA_TAGS}|{SILENT}')}|!--)", re.IGNORECASE)


def plain(html: str, *, keeps_lines: bool = False) -> str:
    """Text without known tags, repeated blank lines and spaces around lines; unknown tags are text. Some formats keep
    line breaks."""

    def raised(match: re.Match[str]) -> str:
        """As in Unicode, if possible: m² is not m2."""
        table = SMALL_FIGURES[match[1].lower()]
        return match[2].translate(table) if all(ord(sign) in table for sign in match[2]) else match[2]

    pieces = CODE.split(RAISED.sub(raised, html))  # every second one is code, which keeps its lines
    spaced = (piece if keeps_lines or at % 2 else re.sub(r"\s+", " ", piece) for at, piece in enumerate(pieces))
    tagged = NO_TAG.sub("&lt;", LINE.sub("\n", "\n".join(spaced)))
    text = unescape(nh3.clean(tagged, tags=set(), clean_content_tags=set(SILENT.split("|"))))
    lines = [line.strip() for line in text.replace("\xa0", " ").split("\n")]
    unrepeated = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
    return "\n".join(unrepeated).strip()
