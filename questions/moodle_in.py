"""Questions in Moodle XML: https://docs.moodle.org/en/Moodle_XML_format

A question is an element of its own. If the file breaks off or is spoilt, those before that place are still read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from pages.lists import decoded
from questions.question import Kind

from . import foreign, xml_in
from .foreign import MAX_ANSWERS, MAX_TEXT_CHARS, Foreign, right_of, true_or_false
from .moodle_paths import category_at
from .plain import Plain, plain
from .rows import MAX_ROW_CHARS, Read, check_count
from .rules import Whole
from .xml_in import Broken, Element

CANNOT = {
    "description": foreign.DESCRIPTION,
    **dict.fromkeys(("matching", "match", "ddmatch", "randomsamatch"), foreign.MATCHING),
    **dict.fromkeys(("numerical", "calculated", "calculatedsimple", "calculatedmulti"), foreign.NUMBER),
    **dict.fromkeys(("cloze", "multianswer", "gapselect", "ddwtos"), foreign.GAPS),
    **dict.fromkeys(("ddimageortext", "ddmarker"), foreign.MEDIA),
}
FEEDBACK = ("generalfeedback", "correctfeedback", "partiallycorrectfeedback", "incorrectfeedback", "hint")
MARKUP = re.compile(r"<[^<>]*>|&nbsp;|\s")
NUMBER = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{0,9})?")


def read(raw: bytes, whole: Whole) -> Read:
    """The questions of a file, each with its verdict for this set."""
    return foreign.read(_questions(decoded(raw)), whole)


def _questions(text: str) -> list[Foreign]:
    found: list[Foreign] = []
    category = ""

    def take(element: Element) -> None:
        nonlocal category
        if _type(element) == "category":
            category = category_at(element.words_of("category", "text")[:MAX_ROW_CHARS])
        else:
            found.append(replace(_question(element), category=category))
            check_count(len(found))

    try:
        xml_in.each(text.lstrip(), "quiz", "question", take)
    except Broken as broken:
        if not found:
            raise
        found.append(Foreign(broken.line, "", cannot=str(broken)))
    return found


def _type(element: Element) -> str:
    return element.attributes.get("type", "").strip().lower()


def _question(element: Element) -> Foreign:
    name = element.words_of("name", "text")[:MAX_ROW_CHARS]
    words = _plain(element.first("questiontext"))
    item = Foreign(element.line, words.text, name=name, notes=_notes(element))
    type_ = _type(element)
    if type_ not in KINDS:
        sentence = CANNOT.get(type_) or foreign.OTHER % {"type": type_[:40]}
        return replace(item, cannot=str(sentence))
    return replace(item, cannot=str(foreign.MEDIA)) if words.has_media else KINDS[type_](item, element)


def _plain(element: Element | None) -> Plain:
    """The words of a question or an answer. Pictures are named in the text, or lie beside it as files."""
    if element is None:
        return Plain("")
    text = element.words_of("text") if element.first("text") else element.words("feedback", "file")
    format_ = element.attributes.get("format", "html")
    if format_ in ("plain_text", "markdown"):
        return Plain(text.strip(), element.first("file") is not None)
    if len(text) > MAX_TEXT_CHARS:
        return Plain(text)
    said = plain(text, keeps_lines=format_ == "moodle_auto_format")
    return replace(said, has_media=said.has_media or element.first("file") is not None)


def _notes(element: Element) -> tuple[str, ...]:
    """What is left out of any question."""
    of_answers = (said for answer in element.all("answer") for said in answer.all("feedback"))
    has_feedback = any(MARKUP.sub("", each.words()) for each in (*element.all(*FEEDBACK), *of_answers))
    return (str(foreign.FEEDBACK),) if has_feedback else ()


# --- by its type ---


def _choice(item: Foreign, element: Element) -> Foreign:
    answers = [_plain(answer) for answer in islice(element.all("answer"), MAX_ANSWERS + 1)]
    one = element.words_of("single").strip().lower() not in ("false", "0")
    right, notes = right_of(list(_fractions(element)), one=one)
    options = tuple(each.text for each in answers)
    cannot = str(foreign.MEDIA) if any(each.has_media for each in answers) else ""
    return replace(item, options=options, right=right, cannot=cannot, notes=(*item.notes, *notes))


def _fractions(element: Element) -> Iterator[float]:
    """What each answer is worth; in old files that is an element."""
    for answer in islice(element.all("answer"), MAX_ANSWERS + 1):
        said = (answer.attributes.get("fraction") or answer.words_of("fraction")).strip()
        yield float(said) if NUMBER.fullmatch(said) else 0.0


def _true_or_false(item: Foreign, element: Element) -> Foreign:
    worth = dict(zip((_plain(each).text.lower() for each in element.all("answer")), _fractions(element), strict=False))
    options, right = true_or_false(worth.get("true", 0.0) > worth.get("false", 0.0))
    if not any(weight > 0 for weight in worth.values()):
        return replace(item, options=options, notes=(*item.notes, str(foreign.NONE_RIGHT)))
    return replace(item, options=options, right=right)


def _short(item: Foreign, element: Element) -> Foreign:
    lost = (str(foreign.NOT_JUDGED),) if element.first("answer") else ()
    return replace(item, kind=Kind.TEXT, notes=(*item.notes, *lost))


def _essay(item: Foreign, element: Element) -> Foreign:
    if element.words_of("attachmentsrequired").strip() not in ("", "0"):
        return replace(item, cannot=str(foreign.UPLOAD))
    lost = (str(foreign.FOR_GRADERS),) if _plain(element.first("graderinfo")).text else ()
    return replace(item, kind=Kind.TEXT, notes=(*item.notes, *lost))


KINDS: dict[str, Callable[[Foreign, Element], Foreign]] = {
    "multichoice": _choice,
    "truefalse": _true_or_false,
    "shortanswer": _short,
    "essay": _essay,
}
