"""Forms of the help desk: asking, and each way of answering."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.rules import Election
from foundation.pages.fields import AddressField, LinesField, TitleField
from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name
from foundation.store.keys import fold

from .rules import MAX_REASON_CHARS, MAX_TEXT_CHARS, Asker, HelpRequest


class AskForm(forms.Form):
    """A request. Those who are known need not say who they are."""

    name = TitleField(label=_("Your name"))
    address = AddressField(help_text=_("The answer is sent there."))
    text = LinesField(
        label=_("Your request"),
        rows=6,
        max_length=MAX_TEXT_CHARS,
        help_text=_("Up to 2,000 characters. Never write how you voted or want to vote, nor your voting link."),
    )

    def __init__(self, *arguments: Any, asker: Asker | None, **options: Any):
        super().__init__(*arguments, **options)
        self.asker = asker
        if asker and asker.address:
            del self.fields["name"], self.fields["address"]

    @property
    def sender(self) -> Asker:
        """Who asks, with what they typed if they are not known."""
        if self.asker and self.asker.address:
            return self.asker
        voter = self.asker.voter if self.asker else ""
        return Asker(self.cleaned_data["name"], self.cleaned_data["address"], voter=voter)


class AnswerForm(forms.Form):
    """What an organiser does with a request, as they saw it."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    def __init__(self, *arguments: Any, request: HelpRequest, election: Election, voter: str, **options: Any):
        asker = request.asker
        other = "" if fold(asker.address) == fold(voter) else asker.address  # who picks a voter often corrects to this
        values = {"version": request.version, "voter": voter, "address": other}
        super().__init__(*arguments, initial=values | {"listed_as": asker.account or asker.address}, **options)
        if "groups" in self.fields:
            self.fields["groups"].choices = [(each, each) for each in election.voter_groups]
            if not election.voter_groups:
                del self.fields["groups"]


class ReplyForm(AnswerForm):
    text = LinesField(
        label=_("Your answer"),
        rows=4,
        max_length=MAX_TEXT_CHARS,
        help_text=_("It is emailed as you write it. If the request is private, do not repeat it."),
    )


class VoterForm(AnswerForm):
    """Only the button: about a voter on the roll."""

    voter = forms.CharField(widget=forms.HiddenInput, max_length=MAX_EMAIL_CHARS)


class CorrectForm(VoterForm):
    address = AddressField(label=_("Correct address"))


class AddForm(AnswerForm):
    listed_as = forms.CharField(
        label=_("On the roll as"),
        max_length=MAX_EMAIL_CHARS,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off"}),
        help_text=_("The user name of somebody with an account here, or an email address."),
    )
    groups = forms.MultipleChoiceField(
        label=_("Voter groups"), required=False, widget=forms.CheckboxSelectMultiple, choices=()
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_("It stays in the election's log for good, so write nothing personal. Example: member since May."),
    )

    def clean_listed_as(self) -> str:
        typed = self.cleaned_data["listed_as"]
        return clean_email(typed) if "@" in typed else clean_name(typed)


class FindForm(forms.Form):
    q = forms.CharField(
        label=_("Find on the roll by name, address or member number"), required=False, max_length=MAX_NAME_CHARS
    )
