"""What makers of an assembly type beside what every session needs."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from pages.fields import LinesField
from questions.checking import tidied
from questions.question import MAX_QUESTIONS, MAX_TITLE_CHARS, Kind, Question

from .majorities import MAX_QUORUM_PEOPLE
from .words import QUORUMS

ASKS = ("?", "\uff1f", "\u061f")  # at the end of a line of an agenda, in any script: it is put to the vote
A_NUMBER = "number"  # of people, in place of a share, that a quorum asks for
NO_TITLE = _("Give the assembly a title.")
NO_NUMBER = _("Say how many have to be present.")
OF_HOW_MANY = _("Say how many are entitled to vote: a share needs a number that it is a share of.")
TOO_LONG_AN_ITEM = _("An item has at most %(most)d characters; this one has %(count)d: %(line)s")
TOO_MANY_ITEMS = _("An agenda has at most %(most)d items.")

FIELDS: dict[str, forms.Field] = {
    "agenda": LinesField(
        label=_("Agenda"),
        required=False,
        max_length=70_000,
        rows=6,
        help_text=_(
            "One item a line, if you have them already. A line that ends with a question mark is put to the vote: yes, "
            "no or abstain. Every other one is talked about. Choices, rankings, amendments and secret votes are added "
            "on the next page, also while the assembly runs."
        ),
    ),
    "entitled": forms.IntegerField(
        label=_("How many are entitled to vote"),
        required=False,
        min_value=0,
        max_value=MAX_QUORUM_PEOPLE,
        initial=0,
        help_text=_("Present or not. 0: not known; then nothing can be asked of a share of them."),
    ),
    "quorum": forms.ChoiceField(
        label=_("Quorum: how many have to be present so that the assembly can decide"),
        required=False,
        choices=[("", _("none: whoever is there decides")), (A_NUMBER, _("a number of people")), *QUORUMS.items()],
    ),
    "quorum_number": forms.IntegerField(
        label=_("That number of people"), required=False, min_value=1, max_value=MAX_QUORUM_PEOPLE
    ),
}


def first_items(typed: str) -> list[Question]:
    """One a line: a line that asks is a motion, every other is talked about. Refused in words if there is too much."""
    lines = [" ".join(line.split()) for line in typed.splitlines() if line.strip()]
    if len(lines) > MAX_QUESTIONS:
        raise forms.ValidationError(TOO_MANY_ITEMS % {"most": MAX_QUESTIONS})
    for line in lines:
        if len(line) > MAX_TITLE_CHARS:
            words = {"most": MAX_TITLE_CHARS, "count": len(line), "line": f"{line[:40]} …"}
            raise forms.ValidationError(TOO_LONG_AN_ITEM % words)
    kinds = (Kind.MOTION if line.endswith(ASKS) else Kind.TOPIC for line in lines)
    return [tidied(Question(line, kind, seconds=0)) for line, kind in zip(lines, kinds, strict=True)]
