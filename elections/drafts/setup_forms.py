"""Forms of the guided setup, one for each step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from django import forms
from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from elections import kinds
from elections.candidates import CandidatesForm
from elections.invitations.forms import reminders_field
from elections.roll.forms import VotersForm
from elections.rules import KINDS, RANKED_METHODS, SEVERAL_SEATS, UNRANKED, Election, check_window
from foundation.acts.storage import now_text
from foundation.pages.fields import Card, Cards, LocalTimeField, TitleField, ZonedForm, ZoneField, markdown_field
from foundation.pages.forms import new_token
from foundation.pages.times import Edge, form_time, from_text, is_selectable, local_time
from foundation.ranking.candidates import Candidate
from foundation.tally.majorities import Of

from .cards import (
    BALLOT_CARDS,
    CHANGE_CARDS,
    ELECTORATE_CARDS,
    SCORING_CARDS,
    TEMPLATES,
    end_after_days,
    initial_settings,
)
from .forms import (
    DefaultChoiceField,
    SettingsForm,
    VoterGroupsField,
    chosen_methods,
    counted_settings,
    seats_field,
)


def discard_field(form: forms.Form, name: str) -> None:
    """Ignore a field that belongs to another choice and is not shown."""
    form.cleaned_data.pop(name, None)
    form.errors.pop(name, None)


# --- what it is ---


class NewElectionForm(forms.Form):
    """What kind of election it is, and its name: all that a draft needs."""

    beginning = forms.ChoiceField(
        label=_("What is it?"),
        choices=[(name, each.card) for name, each in TEMPLATES.items()],
        initial="board",
        widget=Cards,
    )
    kind = SettingsForm.base_fields["kind"]
    seats = seats_field(TEMPLATES["seats"].seats)
    name = TitleField(
        help_text=_("Voters see it in their mail and on their ballot. You can change it until you open the election.")
    )
    description = markdown_field(_("A few words for voters"), 4)
    zone = forms.CharField(required=False, widget=forms.HiddenInput({"data-own-zone": True}))

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["seats"].help_text = _("How many people are elected.")

    def clean(self) -> None:
        beginning = self.cleaned_data.get("beginning", "")
        if beginning in TEMPLATES and not TEMPLATES[beginning].asks_seats:
            discard_field(self, "seats")

    def clean_zone(self) -> str:
        """The reader's own zone, reported by a script, unless the site has one."""
        zone = settings.SITE_TIME_ZONE or self.cleaned_data["zone"]
        return zone if is_selectable(zone) else "UTC"

    def values(self) -> dict[str, Any]:
        """As an election keeps them."""
        data = self.cleaned_data
        texts = {name: data[name] for name in ("name", "description")}
        beginning = TEMPLATES[data["beginning"]]
        settings = {"kind": data["kind"]} | initial_settings(
            beginning, data.get("seats", 1), data["zone"], from_text(now_text())
        )
        return texts | (settings if settings["kind"] == "ranked" else kinds.settings_of_kind(settings))


class WhatForm(forms.Form):
    """Name and description of an existing draft."""

    name = NewElectionForm.base_fields["name"]
    description = NewElectionForm.base_fields["description"]


# --- what is on the ballot ---


class BallotForm(CandidatesForm):
    """More names, or none if there are some already."""

    def __init__(self, *arguments: Any, there: int, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["names"].label = _("One name per line")
        self.fields["names"].required = not there
        self.fields["names"].error_messages["required"] = _(
            "Nothing is on the ballot yet. Enter a name, or skip this step for now."
        )
        self.fields["names"].widget.attrs["rows"] = 6


# --- who votes ---


class WhoForm(VotersForm):
    plain = ("electorate", "joining", "safeguards", "vote_by_link", "announces")
    electorate = forms.ChoiceField(label=_("Who may vote"), choices=list(ELECTORATE_CARDS.items()), widget=Cards)
    joining = SettingsForm.base_fields["joining"]
    ballots = forms.ChoiceField(label=_("The ballots are"), choices=list(BALLOT_CARDS.items()), widget=Cards)
    changes = forms.ChoiceField(label=_("A vote is"), choices=list(CHANGE_CARDS.items()), widget=Cards)
    safeguards = SettingsForm.base_fields["safeguards"]
    vote_by_link = SettingsForm.base_fields["vote_by_link"]
    announces = SettingsForm.base_fields["announces"]

    def __init__(self, *arguments: Any, election: Election, **options: Any):
        self.election = election
        initial = {name: getattr(election, name) for name in self.plain}
        initial["ballots"] = "secret" if election.secret_ballot else "public"
        initial["changes"] = "changeable" if election.changeable else "final"
        super().__init__(*arguments, initial=initial, **options)
        self.fields["voters"].required = False

    def clean_voters(self) -> list[str]:
        return super().clean_voters() if self.cleaned_data["voters"].strip() else []

    def clean_electorate(self) -> str:
        electorate = str(self.cleaned_data["electorate"])
        questions = self.election.questions
        if electorate != "listed" and any(each.majority.endswith(Of.ENTITLED) for each in questions):
            raise forms.ValidationError(
                _(
                    "The proposal needs a share of everyone on the roll, so the voters must be listed. Choose another "
                    "majority under “How it is counted” first."
                )
            )
        return electorate

    def clean_ballots(self) -> str:
        ballots = str(self.cleaned_data["ballots"])
        if ballots == "secret" and self.election.results_visible == "live":
            raise forms.ValidationError(
                _(
                    "This draft shows its result while it is open, but a secret election shows it only after it "
                    "closes. Change that under “All settings at once” first."
                )
            )
        return ballots

    def values(self) -> dict[str, Any]:
        plain = {name: self.cleaned_data[name] for name in self.plain}
        chosen = {"secret_ballot": self.cleaned_data["ballots"] == "secret"}
        return plain | chosen | {"changeable": self.cleaned_data["changes"] == "changeable"}


# --- when ---

DAYS = {"day": 1, "three-days": 3, "week": 7, "two-weeks": 14}
AT_CHOSEN_TIME, WHEN_CLOSED = "moment", "closed"
OPENINGS = {
    "pressed": Card(_("As soon as I open it"), _("With a button, after the last step or on any later day.")),
    AT_CHOSEN_TIME: Card(_("At a time I choose"), _("Open it before then: voters see it, but cannot vote yet.")),
}


def duration_choices(zone: str, now: datetime) -> list[tuple[str, Card]]:
    """How long people can vote, with the day on which that ends if it is opened today."""
    choices = []
    for name, days in DAYS.items():
        count, length = days, ngettext("%(count)d day", "%(count)d days", days)
        if days % 7 == 0:
            count, length = days // 7, ngettext("%(count)d week", "%(count)d weeks", days // 7)
        ends = local_time(from_text(end_after_days(days, zone, now)), zone)
        end = {"day": date_format(ends, gettext("l, j F")), "time": date_format(ends, "H:i")}
        choices.append((name, Card(length % {"count": count}, gettext("until %(day)s, %(time)s") % end)))
    until_closed = Card(
        _("Until I close it"), _("No end: you close it with a button. Automatic reminders need an end.")
    )
    return [
        *choices,
        (AT_CHOSEN_TIME, Card(_("Until a date I choose"), _("Any day and time."))),
        (WHEN_CLOSED, until_closed),
    ]


class WhenForm(ZonedForm):
    opens = forms.ChoiceField(label=_("Voting begins"), choices=list(OPENINGS.items()), widget=Cards)
    begins = LocalTimeField(edge=Edge.OPENING, label=_("Begins"))
    lasts = forms.ChoiceField(label=_("How long can people vote?"), widget=Cards)
    ends = LocalTimeField(edge=Edge.CLOSING, label=_("Ends"))
    time_zone = ZoneField()
    remind_before = reminders_field()

    def __init__(self, *arguments: Any, election: Election, **options: Any):
        self.now = from_text(now_text())
        begins, ends = (
            form_time(each, election.time_zone) if each else None for each in (election.begins, election.ends)
        )
        initial: dict[str, Any] = {"time_zone": election.time_zone, "remind_before": election.remind_before}
        since, end = election.begins or self.now, election.no_voting_after
        quick = {end_after_days(days, election.time_zone, since): name for name, days in DAYS.items()}
        lasts = WHEN_CLOSED if end is None else quick.get(end, AT_CHOSEN_TIME)
        opens = AT_CHOSEN_TIME if begins else "pressed"
        initial |= {"opens": opens, "begins": begins, "lasts": lasts, "ends": ends}
        super().__init__(*arguments, initial=initial, **options)
        self.fields["lasts"].choices = duration_choices(election.time_zone, self.now)

    def clean(self) -> dict[str, Any]:
        for choice, name in (("opens", "begins"), ("lasts", "ends")):
            if self.cleaned_data.get(choice) != AT_CHOSEN_TIME:
                discard_field(self, name)
        cleaned = super().clean()
        if self.errors:
            return cleaned
        begin, end = (self.values()[name] for name in ("no_voting_before", "no_voting_after"))
        try:
            check_window(begin, end)
        except forms.ValidationError as refusal:
            self.add_error("ends", refusal)
        if end is not None and end <= now_text():
            self.add_error("ends", _("This is in the past. Choose a later time."))
        return cleaned

    clean_remind_before = SettingsForm.clean_remind_before

    def values(self) -> dict[str, Any]:
        """As an election keeps them."""
        begin, end = self.stored("begins"), self.stored("ends")
        stored = {name: self.cleaned_data[name] for name in ("time_zone", "remind_before")}
        if (lasts := self.cleaned_data["lasts"]) in DAYS:
            end = end_after_days(DAYS[lasts], stored["time_zone"], from_text(begin) if begin else self.now)
        return stored | {"no_voting_before": begin, "no_voting_after": end}


# --- how it is counted ---

FIELDS_OF_KINDS = {
    "ranked": ("method", "seats", "unranked"),
    "yes-no": ("majority",),
    "choose": ("seats", "fewest", "most"),
    "approval": ("seats",),
    "score": ("scoring", "seats"),
    "points": ("seats", "most"),
}


class HowForm(forms.Form):
    kind = SettingsForm.base_fields["kind"]
    method = SettingsForm.base_fields["method"]
    scoring = SettingsForm.base_fields["scoring"]
    majority = SettingsForm.base_fields["majority"]
    seats = SettingsForm.base_fields["seats"]
    fewest = SettingsForm.base_fields["fewest"]
    most = SettingsForm.base_fields["most"]
    unranked = SettingsForm.base_fields["unranked"]

    def __init__(self, *arguments: Any, election: Election, **options: Any):
        settings = {name: getattr(election, name) for name in kinds.SETTINGS} | chosen_methods(election)
        super().__init__(*arguments, initial=settings, **options)
        self.fields["majority"].follow(election.electorate)

    def clean(self) -> dict[str, Any]:
        """Fields of other kinds are not shown, so what they hold is of no matter."""
        kind = self.cleaned_data.get("kind", "")
        shown = FIELDS_OF_KINDS.get(kind, tuple(self.fields))
        for name in {*chain(*FIELDS_OF_KINDS.values())} - {*shown}:
            discard_field(self, name)
        if kind == "ranked" and self.cleaned_data.get("method", SEVERAL_SEATS[0]) not in SEVERAL_SEATS:
            discard_field(self, "seats")
        return self.cleaned_data if self.errors else counted_settings(self.cleaned_data)

    def values(self) -> dict[str, Any]:
        """As an election keeps them; a method that elects one has one seat."""
        return self.cleaned_data


# --- several questions ---


class QuestionForm(HowForm):
    """One of several questions: its title, for which voters it is, and all that `HowForm` has."""

    title = TitleField(label=_("Question"))
    field_order = ("title", "for_groups")

    def __init__(self, *arguments: Any, election: Election, **options: Any):
        super().__init__(*arguments, election=election, **options)
        self.initial |= {"title": election.title, "for_groups": election.for_groups}
        if election.voter_groups:
            self.fields["for_groups"] = VoterGroupsField(election.voter_groups)
            self.order_fields(self.field_order)


class QuestionCard(QuestionForm):
    """The same with lists instead of cards, beside the other questions; and more names for the ballot."""

    names = CandidatesForm.base_fields["names"]
    kind = DefaultChoiceField(label=_("Kind of ballot"), choices=list(KINDS.items()), initial="ranked")
    method = forms.ChoiceField(label=_("Method"), choices=list(RANKED_METHODS.items()))
    scoring = DefaultChoiceField(label=_("Method"), choices=list(SCORING_CARDS.items()), initial="star")
    unranked = forms.ChoiceField(label=_("A candidate left out of a ranking counts as"), choices=list(UNRANKED.items()))

    def __init__(self, *arguments: Any, election: Election, there: Sequence[Candidate], **options: Any):
        super().__init__(*arguments, election=election, prefix=f"question-{election.number}", **options)
        self.election, self.there = election, there
        self.fields["names"].label, self.fields["names"].help_text = _("One name per line"), ""
        self.fields["names"].required = False
        self.fields["names"].widget.attrs["rows"] = 4

    clean_names = CandidatesForm.clean_names

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("kind") == "yes-no":
            self.cleaned_data["names"] = []
            self.errors.pop("names", None)
        return super().clean()

    def values(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "names"}


class AskForm(forms.Form):
    """Another question; and what the first one is called from now on, once it is no longer alone."""

    title = TitleField(label=_("The new question"), help_text=_("For example: Treasurer, or The budget for next year."))
    kind = DefaultChoiceField(label=_("Kind of ballot"), choices=list(KINDS.items()), initial="ranked")
    first_title = TitleField(
        label=_("The question so far"), help_text=_("Voters now see it beside the others, so it needs a title.")
    )
    token = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *arguments: Any, election: Election, **options: Any):
        super().__init__(*arguments, initial={"first_title": election.name, "token": new_token()}, **options)
        if election.more:
            del self.fields["first_title"]
        if election.voter_groups:
            self.fields["for_groups"] = VoterGroupsField(election.voter_groups)

    def values(self) -> dict[str, Any]:
        return kinds.settings_of_kind({name: value for name, value in self.cleaned_data.items() if name != "token"})
