"""What people type to check in to an assembly, and those who run it to say who is entitled."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from live.onward.electorate import MAX_ADDRESSES_CHARS, cleaned
from live.rules import Game
from pages import lists
from pages.fields import LinesField
from store.keys import fold

from .majorities import MAX_QUORUM_PEOPLE
from .rolls import MAX_ROLL_PEOPLE, as_typed
from .words import QUORUMS

NO_QUORUM, BY_NUMBER = "", "number"
NO_NUMBER = _("Say how many have to be there.")


class PersonalCodeForm(forms.Form):
    """The code on somebody's card."""

    code = forms.CharField(
        label=_("Your personal code"),
        max_length=40,
        error_messages={"required": _("Type the code from your card.")},
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        code = as_typed(self.cleaned_data["code"])
        if not code:
            raise forms.ValidationError(self.fields["code"].error_messages["required"])
        return code


class NamesForm(forms.Form):
    """People pasted one a line."""

    names = LinesField(
        label=_("Names, one a line"),
        max_length=MAX_ADDRESSES_CHARS,
        help_text=_(
            "Whoever has an account of that name checks in with it; everybody else gets a code. An email address may "
            "follow, as in Anna Berg <anna@example.org>: by it those without an account can be voters of an election."
        ),
        error_messages={"required": _("Type at least one name.")},
        rows=6,
        attributes={"spellcheck": "false"},
    )

    def clean_names(self) -> list[lists.Row]:
        """What is kept of each line is the name; the addresses are beside."""
        self.addresses: dict[str, str] = {}
        try:
            return lists.read_people(self.cleaned_data["names"], MAX_ROLL_PEOPLE, self._named)
        except lists.NotAList as refusal:
            raise forms.ValidationError(str(refusal)) from None

    def _named(self, line: str) -> str:
        name, address = cleaned(line)
        if address:
            self.addresses.setdefault(fold(name), address)
        return name


class EntitledForm(forms.Form):
    """How many are entitled where no roll says so, and how many have to be there."""

    entitled = forms.IntegerField(
        label=_("How many are entitled"),
        required=False,
        min_value=0,
        max_value=MAX_QUORUM_PEOPLE,
        help_text=_("There or not. Leave it empty if nobody knows."),
    )
    quorum = forms.ChoiceField(label=_("To decide, there have to be"), required=False)
    number = forms.IntegerField(label=_("How many"), required=False, min_value=1, max_value=MAX_QUORUM_PEOPLE)

    def __init__(self, *arguments: Any, game: Game, **words: Any):
        super().__init__(*arguments, initial=_typed(game), **words)
        by_number = (BY_NUMBER, _("a number of people, given below"))
        self.fields["quorum"].choices = [(NO_QUORUM, _("no quorum")), by_number, *QUORUMS.items()]
        if game.has_roll:
            del self.fields["entitled"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("quorum") == BY_NUMBER and not cleaned.get("number") and "number" not in self.errors:
            self.add_error("number", NO_NUMBER)
        return cleaned

    @property
    def quorum_text(self) -> str:
        """As `assembly.majorities` writes it."""
        chosen: str = self.cleaned_data["quorum"]
        return str(self.cleaned_data["number"]) if chosen == BY_NUMBER else chosen


def _typed(game: Game) -> dict[str, Any]:
    is_number = game.quorum.isdigit()
    return {
        "entitled": game.entitled or None,
        "quorum": BY_NUMBER if is_number else game.quorum,
        "number": int(game.quorum) if is_number else None,
    }
