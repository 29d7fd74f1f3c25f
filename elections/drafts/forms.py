"""What organisers type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from accounts.forms import ConfirmNameForm
from accounts.models import User
from elections.invitations import messages, own_text
from elections.invitations.own_text import AS_BEFORE, MYSELF, NOBODY, Person, Words
from elections.invitations.reminders import BEFORE
from elections.roll.list_summary import Skipped, skipped_of
from elections.rules import ELECTORATES, MAX_SEATS, RESULTS, Election, check_settings, check_window
from pages import lists, rendered
from pages.cards import Cards
from pages.fields import LinesField, NameField, TitleField, kept_of, markdown_field, new_of, usable_rows
from pages.names import MAX_NAME_CHARS
from pages.time_fields import LocalTimeField, ZonedForm, ZoneField
from pages.times import Edge, from_text, typed, zone_label

from .method_cards import METHOD_CHOICES, UNRANKED_CARDS


def reminders_field() -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label=_("Remind those who have not voted"),
        choices=list(BEFORE.items()),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("By mail, everybody who was invited and did not ask to be left alone."),
    )


def seats_field(initial: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seats"),
        min_value=1,
        max_value=MAX_SEATS,
        initial=initial,
        help_text=_("More than one only with a proportional method: the others elect one."),
    )


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that belong together; those that few people need are folded."""

    title: Any
    fields: tuple[str, ...]
    folded: tuple[str, ...] = ()


GROUPS = (
    Group(_("Who votes"), ("electorate", "joining", "secret_ballot", "vote_by_link"), ("paper_ballots",)),
    Group(_("When"), ("ends", "time_zone", "remind_before"), ("begins",)),
    Group(_("How it is counted"), ("method", "seats", "unranked")),
    Group(_("The result"), ("results_visible", "results_public")),
    Group(_("Mail to voters"), ("mail_votes", "announces")),
)


class SettingsForm(ZonedForm):
    """Everything about an election but its name."""

    description = markdown_field(_("Description"), 6)
    electorate = forms.ChoiceField(label=_("Who may vote"), choices=list(ELECTORATES.items()), widget=forms.RadioSelect)
    joining = forms.BooleanField(
        label=_("Whoever joins later may vote, too"),
        required=False,
        help_text=_(
            "Only where everybody here may vote: also people who get an account, or the right to vote, while the "
            "election is open. Otherwise those who have it when it opens."
        ),
    )
    secret_ballot = forms.BooleanField(
        label=_("Secret ballot"),
        required=False,
        initial=True,
        help_text=_("Nobody who uses this site can tell how a person voted."),
    )
    paper_ballots = forms.BooleanField(
        label=_("Paper ballots"),
        required=False,
        help_text=_("You may enter ballots for voters who vote on paper. Whoever enters one knows it."),
    )
    mail_votes = forms.BooleanField(
        label=_("Tell voters by mail about their ballots"),
        required=False,
        initial=True,
        help_text=_(
            "Whenever a ballot is cast, changed, withdrawn or entered from paper: only that it happened, never how "
            "anybody voted. So nobody can vote in the name of somebody else unnoticed."
        ),
    )
    vote_by_link = forms.BooleanField(
        label=_("Vote by link"),
        required=False,
        help_text=_(
            "The link in the invitation leads straight to the ballot: no account, no password, in this election only. "
            "After the close it leads to the result. Whoever gets the mail, or is forwarded it, can vote in its "
            "addressee's place: leave the mails about ballots on, so that it is noticed; sending the invitation again "
            "ends the earlier link. Where everybody here may vote, only those listed by address are mailed such a link."
        ),
    )
    announces = forms.BooleanField(
        label=_("Mail the result to voters"),
        required=False,
        help_text=_(
            "As soon as it is counted: who won, and the link. You can also announce it yourself, with a button."
        ),
    )
    results_visible = forms.ChoiceField(label=_("Results are shown"), choices=list(RESULTS.items()), initial="closed")
    results_public = forms.BooleanField(
        label=_("Anybody on the web may see the result"),
        required=False,
        help_text=_(
            "After it has closed, by a link, without an account, with all ballots to check it by. "
            "Who voted is not shown there."
        ),
    )
    method = forms.ChoiceField(label=_("Method"), choices=METHOD_CHOICES, initial="schulze", widget=Cards)
    seats = seats_field(1)
    unranked = forms.ChoiceField(
        label=_("A candidate left out of a ranking counts as"),
        choices=list(UNRANKED_CARDS.items()),
        initial="below",
        widget=Cards,
    )
    time_zone = ZoneField()
    begins = LocalTimeField(edge=Edge.OPENING, label=_("Voting begins"), required=False)
    ends = LocalTimeField(edge=Edge.CLOSING, label=_("Voting ends"), required=False)
    remind_before = reminders_field()

    @staticmethod
    def initial_of(election: Election, description: str) -> dict[str, Any]:
        times = {"begins": election.no_voting_before, "ends": election.no_voting_after}
        local = {name: typed(from_text(text), election.time_zone) for name, text in times.items() if text}
        plain = (name for name in SettingsForm.base_fields if name not in (*times, "description"))
        return {"description": description, **{name: getattr(election, name) for name in plain}, **local}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors:
            check_settings(cleaned["method"], cleaned["seats"], cleaned["secret_ballot"], cleaned["results_visible"])
            check_window(self.stored("begins"), self.stored("ends"))
        return cleaned

    def values(self) -> dict[str, Any]:
        """As an election keeps them."""
        plain = {name: value for name, value in self.cleaned_data.items() if name not in ("begins", "ends")}
        return plain | {"no_voting_before": self.stored("begins"), "no_voting_after": self.stored("ends")}

    def clean_remind_before(self) -> tuple[int, ...]:
        return tuple(sorted(self.cleaned_data["remind_before"], reverse=True))

    def groups(self) -> Iterator[tuple[Any, list[Any], list[Any]]]:
        """Headings with their fields; what few people need is folded unless there is something wrong with it."""
        for group in GROUPS:
            wrong = [name for name in group.folded if self.errors.get(name) or self[name].value()]
            folded = [self[name] for name in group.folded if name not in wrong]
            yield group.title, [self[name] for name in (*group.fields, *wrong)], folded

    def before_groups(self) -> list[Any]:
        grouped = {name for group in GROUPS for name in (*group.fields, *group.folded)}
        return [self[name] for name in self.fields if name not in grouped]


class ElectionForm(SettingsForm):
    """A new election."""

    name = TitleField()
    field_order = ("name",)

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["electorate"].initial = "listed"


class DescriptionForm(forms.Form):
    description = markdown_field(_("Description"), 10)


class RemindersForm(forms.Form):
    remind_before = reminders_field()


class MessageForm(forms.Form):
    """What an organiser writes to everybody on the roll."""

    subject = forms.CharField(
        label=_("Subject"), max_length=messages.MAX_SUBJECT_CHARS, widget=forms.TextInput({"dir": "auto"})
    )
    text = markdown_field(_("Message"), 8, required=True, max_length=messages.MAX_MESSAGE_CHARS)

    def clean_subject(self) -> str:
        """One line: a mail has no other."""
        return " ".join(str(self.cleaned_data["subject"]).split())


class WordsForm(forms.Form):
    """What an organiser adds to the invitation, and who gets the answers."""

    text = LinesField(
        label=_("Your own words"),
        required=False,
        max_length=own_text.MAX_WORDING_CHARS,
        validators=[rendered.check],
        rows=6,
        help_text=_(
            "They stand between our sentences, in invitations and reminders. You may use Markdown: *emphasis*, lists, "
            "links."
        ),
    )
    answers = forms.ChoiceField(label=_("Answers to these mails go to"), widget=forms.RadioSelect)

    def __init__(self, data: Mapping[str, Any] | None = None, *, known: Words, person: User):
        super().__init__(data, initial={"text": known.text})
        mine = _("me, at %(email)s: everybody who is mailed sees this address") % {"email": person.email}
        choices = [(NOBODY, _("nobody in particular, as with all mails of this site")), (MYSELF, mine)]
        if known.answers is not None and known.answers != Person(person.name, person.created_at):
            choices.append((AS_BEFORE, _("%(name)s, who chose so") % {"name": known.answers.name}))
        field = self.fields["answers"]
        field.choices, field.initial = choices, choices[-1][0] if known.answers is not None else NOBODY


class NameForm(forms.Form):
    name = TitleField()


class OpenForm(forms.Form):
    editable = forms.BooleanField(
        label=_("Candidates may still be added while people vote"),
        required=False,
        help_text=_("Whoever has voted by then has not seen those who come later."),
    )
    shows_skills = forms.BooleanField(
        label=_("Voters see, before they vote, what candidates say they can do"),
        required=False,
        help_text=_("Only of candidates who agreed, and only the skills this election needs."),
    )

    def __init__(self, *arguments: Any, has_needs: bool, **options: Any):
        super().__init__(*arguments, **options)
        if not has_needs:
            del self.fields["shows_skills"]


class EndForm(ZonedForm):
    ends = LocalTimeField(edge=Edge.CLOSING, label=_("New end"), required=False)

    def __init__(self, *arguments: Any, zone: str, **options: Any):
        self.zone = zone
        super().__init__(*arguments, **options)
        self.fields["ends"].help_text = _("In the time zone of the election: %(zone)s. Leave it empty for no end.") % {
            "zone": zone_label(zone)
        }

    def zone_name(self) -> str:
        return self.zone

    def end(self) -> str | None:
        return self.stored("ends")


class CandidatesForm(forms.Form):
    names = LinesField(
        label=_("Add candidates, one a line"),
        max_length=200_000,
        rows=5,
        help_text=_(
            "At most 500 candidates. Their names together have at most 40,000 Latin letters; those of other scripts, "
            "and emoji, count as two to four."
        ),
    )

    def clean_names(self) -> list[str]:
        rows = usable_rows(lists.read_candidates, self.cleaned_data["names"])
        self.skipped = skipped_of(rows)
        return new_of(rows)


class CandidateForm(forms.Form):
    statement = markdown_field(
        _("Statement"),
        8,
        _(
            "You may use Markdown: *emphasis*, lists, links. All statements of an election together have room for "
            "about a million Latin letters."
        ),
    )
    link = forms.CharField(label=_("Link"), required=False, max_length=500, widget=forms.URLInput)

    def clean_link(self) -> str:
        link = str(self.cleaned_data["link"]).strip()
        if link:
            URLValidator(schemes=["http", "https"])(link)
        return link


class VotersForm(forms.Form):
    voters = LinesField(
        label=_("Add voters, one a line"),
        max_length=200_000,
        rows=4,
        help_text=_("User names of people who have an account here, or email addresses."),
    )

    def clean_voters(self) -> list[str]:
        rows = usable_rows(lambda text: lists.read_voters(text.encode()), self.cleaned_data["voters"])
        self.skipped = skipped_of(rows)
        return new_of(rows)


class ImportForm(forms.Form):
    """A CSV file of voters."""

    file = forms.FileField(
        label=_("CSV file"),
        max_length=200,
        help_text=_(
            "One voter a row: the user name of somebody who has an account here, or an email address. With or without "
            "a header."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if file := cleaned.get("file"):
            try:
                cleaned["rows"] = lists.read_voters(file.read(lists.MAX_BYTES + 1))
            except lists.NotAList as refusal:
                self.add_error("file", str(refusal))
        return cleaned


class ImportedForm(forms.Form):
    """The voters of a preview, sent back to be kept, and what was left out of it."""

    voters = forms.CharField(widget=forms.HiddenInput, max_length=lists.MAX_BYTES)
    skipped = forms.CharField(widget=forms.HiddenInput, required=False, max_length=300)

    def clean_voters(self) -> list[str]:
        return kept_of(lambda text: lists.read_voters(text.encode()), self.cleaned_data["voters"])

    def clean_skipped(self) -> Skipped:
        return Skipped.from_text(self.cleaned_data["skipped"])


class SearchForm(forms.Form):
    q = forms.CharField(label=_("Name begins with"), required=False, max_length=MAX_NAME_CHARS)


class PersonForm(forms.Form):
    name = NameField(label=_("User name"))


class ConfirmDeletionForm(ConfirmNameForm):
    """The name of the election that is to be deleted, typed again."""
