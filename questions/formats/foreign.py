"""Questions of other programs: what each becomes here, what it loses on the way, and why some cannot be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pages.lists import Verdict

from ..question import MAX_OPTIONS, MAX_TITLE_CHARS, MIN_OPTIONS, Flaw, Kind, Question, flaws, line, tidied
from ..rules import Whole
from .rows import Read, Row, judged

MAX_SHOWN_CHARS = 200
MAX_TEXT_CHARS = 20_000  # characters of a question with all its markup
MAX_ANSWERS = 50  # more are not even looked at

DESCRIPTION = gettext_lazy("It is a text without answers, and so no question.")
MATCHING = gettext_lazy("It asks to match things with each other, which cannot be asked here.")
NUMBER = gettext_lazy("It asks for a number within bounds, which cannot be asked here.")
GAPS = gettext_lazy("It has several gaps to fill, which cannot be asked here.")
MEDIA = gettext_lazy("It has a picture, a sound or a film, which do not come along.")
BRACES = gettext_lazy("Its braces { } do not match.")
TOO_LONG = gettext_lazy("It is too long to be a question.")

FEEDBACK = gettext_lazy("Its feedback is left out: it would be shown before people answer.")
NOT_JUDGED = gettext_lazy("The answers it expects are left out: free texts are not judged here.")
PARTLY = gettext_lazy("Answers that are partly right count as wrong here.")
NONE_RIGHT = gettext_lazy("No answer of it is marked as right.")
BY_NAME = gettext_lazy("Its text is too long for a question: it stands in the details, below its name.")

LABELS = {
    "title": gettext_lazy("Question"),
    "detail": gettext_lazy("Details"),
    "category": gettext_lazy("Category"),
    "school": gettext_lazy("School"),
    "custom_instruction": gettext_lazy("Instruction"),
    "seconds": gettext_lazy("Seconds"),
    "right": gettext_lazy("Right answers"),
}


@dataclass(frozen=True, slots=True)
class Foreign:
    """A question as another program has it."""

    line: int
    text: str  # its first line is the question, the others are details
    kind: Kind = Kind.CHOICE
    name: str = ""
    category: str = ""
    school: str = ""
    custom_instruction: str = ""
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    seconds: int = Question("").seconds
    cannot: str = ""  # why it is none here
    found: tuple[Flaw, ...] = ()
    notes: tuple[str, ...] = ()  # what it loses


def read(questions: Iterable[Foreign], whole: Whole) -> Read:
    return judged(map(row_of, questions), whole)


def row_of(foreign: Foreign) -> Row:
    if len(foreign.text) > MAX_TEXT_CHARS or len(foreign.options) > MAX_ANSWERS:
        foreign = Foreign(foreign.line, foreign.text[:MAX_SHOWN_CHARS], cannot=str(TOO_LONG))
    is_long = _is_long(foreign)
    question = tidied(_question(foreign, is_long))
    if reasons := list(_reasons(foreign, question)):
        title = question.title or line(foreign.name)
        return Row(foreign.line, title[:MAX_SHOWN_CHARS], None, Verdict.INVALID, " ".join(reasons))
    notes = [*foreign.notes, *([BY_NAME] if is_long else ())]
    return Row(foreign.line, question.title, question, Verdict.NEW, note=" ".join(map(str, notes)))


def _is_long(foreign: Foreign) -> bool:
    """Whether its text has no room as a question, and its name has."""
    first = foreign.text.strip().partition("\n")[0]
    return len(line(first)) > MAX_TITLE_CHARS and 0 < len(line(foreign.name)) <= MAX_TITLE_CHARS


def _question(foreign: Foreign, is_long: bool) -> Question:
    title, _end, detail = foreign.text.strip().partition("\n")
    return Question(
        title=foreign.name if is_long else title,
        detail=foreign.text if is_long else detail,
        kind=foreign.kind,
        category=foreign.category,
        school=foreign.school,
        custom_instruction=foreign.custom_instruction,
        options=foreign.options,
        right=foreign.right,
        seconds=foreign.seconds,
    )


def _reasons(foreign: Foreign, question: Question) -> Iterator[str]:
    if foreign.cannot:
        yield str(foreign.cannot)
        return
    empty = [Flaw(f"option{place}", _("It is empty.")) for place, each in enumerate(question.options, 1) if not each]
    for flaw in (*foreign.found, *empty, *flaws(question)):
        label = _label(flaw, len(question.options))
        yield f"{label}: {flaw.sentence}" if label else flaw.sentence


def _label(flaw: Flaw, options: int) -> str:
    """What people call the field; how many options there are is about all of them."""
    if not flaw.field.startswith("option"):
        return str(LABELS.get(flaw.field, ""))
    if not MIN_OPTIONS <= options <= MAX_OPTIONS:
        return ""
    return _("Option %(number)d") % {"number": int(flaw.field.removeprefix("option"))}
