"""What people read for kinds of questions, types of sessions and columns of a file."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from questions.question import Kind, Type

from .formats import Format
from .rules import QuestionSet

KINDS = {
    Kind.TEXT: gettext_lazy("Free text"),
    Kind.CHOICE: gettext_lazy("Choice"),
    Kind.RANKING: gettext_lazy("Ranking"),
    Kind.RATING: gettext_lazy("Rating from 1 to 5"),
    Kind.YES_NO: gettext_lazy("Yes or no"),
    Kind.IDEAS: gettext_lazy("Ideas that the room writes, then ranks"),
}
SERVES = {
    Type.CALL_AND_ANSWER: gettext_lazy("%(count)d for call and answer"),
    Type.TRIVIA: gettext_lazy("%(count)d for trivia"),
    Type.POLL: gettext_lazy("%(count)d for polls"),
    Type.SURVEY: gettext_lazy("%(count)d for surveys"),
}
FORMATS = {
    Format.CSV: "CSV",
    Format.GIFT: "GIFT",
    Format.AIKEN: "Aiken",
    Format.MOODLE: "Moodle XML",
    Format.KAHOOT: gettext_lazy("Kahoot's spreadsheet"),
}
READ_OF = (
    (
        FORMATS[Format.GIFT],
        gettext_lazy(
            "Text from Moodle and others. Choices with one or several right answers, true or false, short answers and "
            "essays as free texts; categories. Not: numbers, matching, several gaps, pictures."
        ),
    ),
    (FORMATS[Format.AIKEN], gettext_lazy("Text: a question, options A, B and so on, and a line ANSWER: B.")),
    (
        FORMATS[Format.MOODLE],
        gettext_lazy("What Moodle exports. The same kinds as GIFT; the words of texts come along, not how they look."),
    ),
    (
        FORMATS[Format.KAHOOT],
        gettext_lazy("The template of Kahoot, filled in, as an .xlsx file: questions, answers, right ones and times."),
    ),
)
COLUMNS = (
    ("title", gettext_lazy("The question itself. This column must be there.")),
    (
        "kind",
        gettext_lazy(
            "text, choice, ranking, rating, yes-no or ideas. Left empty: choice if there are options, else text."
        ),
    ),
    ("detail", gettext_lazy("More words about it, also of several lines.")),
    ("category", gettext_lazy("Under which heading it stands.")),
    ("school", gettext_lazy("Where it comes from, or whom it is for.")),
    ("custom_instruction", gettext_lazy("What to tell people when this question is asked.")),
    ("option1 … option10", gettext_lazy("What can be chosen or ranked.")),
    ("right", gettext_lazy("Which options are right: letters or numbers, several with a space or a comma: B, 2, A C.")),
    ("seconds", gettext_lazy("Until it closes by itself; 0: when the host closes it. Left empty: 30.")),
    ("twice", gettext_lazy("yes: a ranking that can be asked again in a poll, to show who moved. Left empty: no.")),
)


def serves(set_: QuestionSet) -> list[str]:
    """For which types of session it has questions, and how many."""
    return [str(words) % {"count": set_.suits(type_)} for type_, words in SERVES.items() if set_.suits(type_)]


def seconds_text(seconds: int) -> str:
    return _("%(seconds)d s") % {"seconds": seconds} if seconds else _("no time limit")
