"""A question set in GIFT, the text format of Moodle: what `gift_in` reads again as the same questions.

Every text says that it is plain, so that nothing in it is taken for markup. What GIFT has no place for stands in
remarks, as Moodle itself does it with numbers and tags of questions; kinds it does not have are named at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from ..question import IN_A_SET, Kind, Question, line
from ..rules import Whole

USUAL_SECONDS = Question("").seconds
SIGNS = str.maketrans({"\n": r"\n", **{sign: f"\\{sign}" for sign in "\\~=#{}:"}})
IN_REMARKS = str.maketrans({"\n": r"\n", "\\": r"\\", "]": r"\]"})
TOP = "$course$/top"
HELD = (Kind.TEXT, Kind.CHOICE)


def questions_gift(whole: Whole) -> Iterator[str]:
    yield f"// {line(whole.set.name)}\n"
    category = ""
    for question in whole.questions:
        if question.kind in HELD:
            if question.category != category:
                category = question.category
                yield f"\n$CATEGORY: {_path(category)}\n"
            yield f"\n{_block(question)}\n"
    yield from _left_out(whole)


def _path(category: str) -> str:
    """A slash in a name is doubled; the space keeps one at its beginning from the one before it."""
    name = category.replace("/", "//")
    return f"{TOP}/{' ' if name.startswith('/') else ''}{name}" if name else TOP


def _block(question: Question) -> str:
    text = f"{question.title}\n{question.detail}" if question.detail else question.title
    return f"{_remarks(question)}[plain]{text.translate(SIGNS)}{{{_answers(question)}}}"


def _remarks(question: Question) -> str:
    said = {
        "seconds": str(question.seconds) if question.seconds != USUAL_SECONDS else "",
        "school": question.school,
        "instruction": question.custom_instruction,
    }
    return "".join(f"// [{name}:{words.translate(IN_REMARKS)}]\n" for name, words in said.items() if words)


def _answers(question: Question) -> str:
    if question.kind != Kind.CHOICE:
        return ""
    lines = (f"\t{_mark(question, place)}{_option(option)}\n" for place, option in enumerate(question.options))
    return f"\n{''.join(lines)}"


def _mark(question: Question, place: int) -> str:
    """Several right ones share the hundred, and a wrong one takes it away: choosing all is worth nothing."""
    if len(question.right) <= 1:
        return "=" if place in question.right else "~"
    share = f"{100 / len(question.right):.5f}".rstrip("0").rstrip(".")
    return f"~%{share}%" if place in question.right else "~%-100%"


def _option(words: str) -> str:
    """One that begins like a format or like a weight says that it is neither."""
    return f"{'[plain]' if words.startswith(('[', '%')) else ''}{words.translate(SIGNS)}"


def _left_out(whole: Whole) -> Iterator[str]:
    out = [question for question in whole.questions if question.kind not in HELD]
    if out:
        yield "\n// " + _("Left out, because GIFT has no such questions:") + "\n"
        yield from (f"// {IN_A_SET[each.kind]}: {each.title}\n" for each in out)
