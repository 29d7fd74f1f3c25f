"""Forms of assemblies: creating one, agenda items, checking in, the roll and the quorum."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from elections import voter_lists
from elections.kinds import SHARES
from foundation.pages import lists
from foundation.pages.fields import LinesField
from foundation.ranking.codes import code_symbols
from foundation.store.keys import fold
from foundation.tally.majorities import MAX_QUORUM_PEOPLE, Majority, Of, majority_of
from parts.live.rules import Game
from parts.live.services.correcting import CHANGED_SINCE
from parts.live.views.forms import times
from parts.questions.question import MAX_OPTIONS, WITH_OPTIONS, Kind, Question, flaws, tidied
from parts.questions.rules import question_fingerprint

from . import electorate, wording
from .electorate import MAX_ADDRESSES_CHARS, clean_line
from .roll import MAX_ROLL_PEOPLE
from .wording import QUORUMS

RELATIVE_MAJORITY = "most"  # in place of a share: the most votes win
WITH_MAJORITY = (Kind.MOTION, Kind.CHOICE, Kind.ALTERNATIVES)
BY_NUMBER = "number"
NO_NUMBER = gettext_lazy("Enter how many people must be present.")
WITH_WEIGHT = re.compile(r"(.*?)\s*[;\t]\s*([0-9]+)")  # as typed, or copied from two columns of a spreadsheet

FIELDS: dict[str, forms.Field] = {
    "agenda": LinesField(
        label=gettext_lazy("Agenda"),
        required=False,
        max_length=70_000,
        rows=6,
        help_text=gettext_lazy(
            "One item per line, if you already have them. A line that ends with a question mark is "
            "put to the vote: yes, no or abstain. Every other item is discussed. You can add choices,"
            " rankings, amendments and secret votes on the next page, even while the assembly is "
            "running."
        ),
    ),
    "entitled": forms.IntegerField(
        label=gettext_lazy("Number of people entitled to vote"),
        required=False,
        min_value=0,
        max_value=MAX_QUORUM_PEOPLE,
        initial=0,
        help_text=gettext_lazy(
            "Whether present or not. Enter 0 if unknown; a quorum or majority then cannot be a share of them."
        ),
    ),
    "quorum": forms.ChoiceField(
        label=gettext_lazy("Quorum: how many must be present to decide"),
        required=False,
        choices=[
            ("", gettext_lazy("none: those present decide")),
            (BY_NUMBER, gettext_lazy("a number of people")),
            *QUORUMS.items(),
        ],
    ),
    "quorum_number": forms.IntegerField(
        label=gettext_lazy("Number of people for the quorum"), required=False, min_value=1, max_value=MAX_QUORUM_PEOPLE
    ),
}


def no_change() -> str:
    """The last version of every motion with amendments, in the language of the person who adds it."""
    return _("No change")


class ItemForm(forms.Form):
    """An agenda item."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of item"),
        choices=[(str(kind), label) for kind, label in wording.KIND_LABELS.items()],
        initial=Kind.MOTION.value,
        help_text=gettext_lazy(
            "A motion is decided by yes, no or abstain. With amendments, all versions are ranked, "
            "including “No change”. Ideas are written by those present, sorted by you, and then "
            "ranked in secret."
        ),
    )
    title = forms.CharField(label=gettext_lazy("Title"), widget=forms.TextInput({"dir": "auto"}), max_length=1_000)
    detail = LinesField(label=gettext_lazy("Details"), required=False, max_length=10_000, rows=3)
    options = LinesField(
        label=gettext_lazy("Options or versions"),
        required=False,
        max_length=10_000,
        rows=5,
        help_text=gettext_lazy(
            "One per line. For a motion with amendments, start with the original motion, then add "
            "each amended version; “No change” is added automatically."
        ),
    )
    secrecy = forms.ChoiceField(
        label=gettext_lazy("How people vote"),
        choices=[("open", wording.OPEN_VOTE), ("secret", wording.SECRET_VOTE)],
        initial="open",
        widget=forms.RadioSelect,
    )
    share = forms.ChoiceField(
        label=gettext_lazy("Majority"),
        choices=[
            *SHARES.items(),
            (RELATIVE_MAJORITY, gettext_lazy("most votes (choices only)")),
        ],
        initial="1/2",
    )
    of = forms.ChoiceField(label=gettext_lazy("Out of"), choices=list(wording.OF.items()), initial="cast")
    seconds = forms.TypedChoiceField(label=gettext_lazy("Time to vote"), choices=times, coerce=int, initial=0)
    before = forms.ChoiceField(
        label=gettext_lazy("Place on the agenda"), required=False, error_messages={"invalid_choice": CHANGED_SINCE}
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *arguments: Any, game: Game, waiting: Iterable[tuple[str, str]] = (), **options: Any):
        super().__init__(*arguments, **options)
        of, before = self.fields["of"], self.fields["before"]
        assert isinstance(of, forms.ChoiceField)
        assert isinstance(before, forms.ChoiceField)
        places = [(seen, _("Before %(item)s") % {"item": item}) for seen, item in waiting]
        before.choices = [("", _("At the end")), *places]
        known = [each for each in Of if each != Of.ENTITLED or game.own.entitled]
        of.choices = [(each.value, wording.OF[each]) for each in known]

    @staticmethod
    def initial_of(question: Question) -> dict[str, Any]:
        majority = majority_of(question.majority)
        by_most = question.kind == Kind.CHOICE and not question.majority
        options = question.options[:-1] if question.kind == Kind.ALTERNATIVES else question.options
        return {
            "kind": str(question.kind),
            "title": question.title,
            "detail": question.detail,
            "options": "\n".join(options),
            "secrecy": "secret" if question.secret else "open",
            "share": RELATIVE_MAJORITY if by_most else majority.share,
            "of": majority.of.value,
            "seconds": question.seconds,
            "seen": question_fingerprint(question),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        question = self.question()
        if cleaned["share"] == RELATIVE_MAJORITY and question.kind in WITH_MAJORITY and question.kind != Kind.CHOICE:
            self.add_error("share", _("Only a choice can be decided by most votes. Choose a majority."))
        versions = len(question.options) - 1
        if question.kind == Kind.ALTERNATIVES and versions < 2:
            self.add_error("options", _("Enter the motion and at least one amendment, one per line."))
        elif question.kind == Kind.ALTERNATIVES and versions >= MAX_OPTIONS:
            problem = _("Enter at most %(most)d versions besides “No change”; there are %(count)d.")
            self.add_error("options", problem % {"most": MAX_OPTIONS - 1, "count": versions})
        else:
            for flaw in flaws(question):
                self.add_error("options" if flaw.field.startswith("option") else flaw.field, flaw.sentence)
        return cleaned

    def question(self) -> Question:
        typed = self.cleaned_data
        kind = Kind(typed["kind"])
        lines = [line.strip() for line in typed["options"].splitlines() if line.strip()] if kind in WITH_OPTIONS else []
        if kind == Kind.ALTERNATIVES:  # “No change” always comes last
            lines = [*(line for line in lines if fold(line) != fold(no_change())), no_change()]
        majority = "" if typed["share"] == RELATIVE_MAJORITY else str(Majority(typed["share"], Of(typed["of"])))
        question = Question(
            title=typed["title"],
            kind=kind,
            detail=typed["detail"],
            options=tuple(lines),
            seconds=0 if kind == Kind.TOPIC else typed["seconds"],
            secret=kind == Kind.IDEAS or (typed["secrecy"] == "secret" and kind != Kind.TOPIC),
            majority=majority if kind in WITH_MAJORITY else "",
        )
        return tidied(question)


def with_amendments(motion: Question) -> dict[str, Any]:
    """Initial values for adding amendments to an existing motion."""
    initial = ItemForm.initial_of(motion) | {"kind": Kind.ALTERNATIVES.value, "options": f"{motion.title}\n"}
    return {name: value for name, value in initial.items() if name != "seen"}


# --- who is entitled, and who is there ---


class PersonalCodeForm(forms.Form):
    """The code on a card."""

    code = forms.CharField(
        label=gettext_lazy("Your personal code"),
        max_length=40,
        error_messages={"required": gettext_lazy("Enter the code from your card.")},
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        code = code_symbols(self.cleaned_data["code"])
        if not code:
            raise forms.ValidationError(self.fields["code"].error_messages["required"])
        return code


class NamesForm(forms.Form):
    names = LinesField(
        label=gettext_lazy("One name per line"),
        max_length=MAX_ADDRESSES_CHARS,
        help_text=gettext_lazy(
            "People with an account in that name check in with it; everyone else gets a code. You can"
            " add an email address, as in Anna Berg <anna@example.org>, so that people without an "
            "account can vote in an election later. If someone's vote counts several times, end the line with a "
            "semicolon and how many, as in Anna Berg; 3."
        ),
        error_messages={"required": gettext_lazy("Enter at least one name.")},
        rows=6,
        attributes={"spellcheck": "false"},
    )

    def clean_names(self) -> list[lists.Row]:
        """Keeps the names, and the addresses and weights separately."""
        self.addresses: dict[str, str] = {}
        self.weights: dict[str, int] = {}
        try:
            rows = lists.read_people(self.cleaned_data["names"], MAX_ROLL_PEOPLE, self._named)
        except lists.NotAList as refusal:
            raise forms.ValidationError(str(refusal)) from None
        self.weights = {name: weight for name, weight in self.weights.items() if weight != 1}
        return rows

    def _named(self, line: str) -> str:
        found = WITH_WEIGHT.fullmatch(line)
        name, address = clean_line(found[1] if found else line)
        self.weights.setdefault(fold(name), voter_lists.clean_weight(found[2]) if found else 1)
        if address:
            self.addresses.setdefault(fold(name), address)
        return name


def join_line(name: str, address: str, weight: int) -> str:
    """As `NamesForm` reads it."""
    line = electorate.join_line(name, address)
    return f"{line}; {weight}" if weight != 1 or ";" in name else line


class EntitledForm(forms.Form):
    """The quorum, and how many are entitled to vote if there is no roll."""

    entitled = forms.IntegerField(
        label=gettext_lazy("Number of people entitled to vote"),
        required=False,
        min_value=0,
        max_value=MAX_QUORUM_PEOPLE,
        help_text=gettext_lazy("Whether present or not. Leave it empty if unknown."),
    )
    quorum = forms.ChoiceField(
        label=gettext_lazy("People who must be present"),
        required=False,
        choices=[
            ("", gettext_lazy("no quorum")),
            (BY_NUMBER, gettext_lazy("a number of people, entered below")),
            *QUORUMS.items(),
        ],
    )
    number = forms.IntegerField(
        label=gettext_lazy("How many"), required=False, min_value=1, max_value=MAX_QUORUM_PEOPLE
    )

    def __init__(self, *arguments: Any, game: Game):
        by_number = (
            {"quorum": BY_NUMBER, "number": game.own.quorum}
            if game.own.quorum.isdigit()
            else {"quorum": game.own.quorum}
        )
        super().__init__(*arguments, initial={"entitled": game.own.entitled or None, **by_number})
        if game.own.has_roll:
            del self.fields["entitled"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("quorum") == BY_NUMBER and not cleaned.get("number") and "number" not in self.errors:
            self.add_error("number", NO_NUMBER)
        return cleaned

    @property
    def quorum_text(self) -> str:
        """As `foundation.tally.majorities` writes it."""
        chosen: str = self.cleaned_data["quorum"]
        return str(self.cleaned_data["number"]) if chosen == BY_NUMBER else chosen
