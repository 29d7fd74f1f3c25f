"""What organisers type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.invitations.forms import reminders_field
from elections.rules import ELECTORATES, MAX_SEATS, RESULTS, Election, check_settings, check_window
from pages.cards import Card, Cards
from pages.fields import TitleField, markdown_field
from pages.time_fields import LocalTimeField, ZonedForm, ZoneField
from pages.times import Edge, form_time, from_text


def seats_field(initial: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seats"),
        min_value=1,
        max_value=MAX_SEATS,
        initial=initial,
        help_text=_("More than one only with a proportional method: the others elect one."),
    )


# What each method does and when to choose it; and what becomes of those left out of a ranking.
ONE_WINNER_CARD = Card(
    _("One winner"),
    _(
        "Elects whoever would win against each of the others, one to one. This is the Schulze method, and good for "
        "nearly everything."
    ),
    mark=_("recommended"),
)
SEVERAL_SEATS_CARD = Card(
    _("Several seats, proportional"),
    _(
        "A group of voters that is a third of all gets about a third of the seats. The single transferable vote (STV), "
        "as Scottish councils count it."
    ),
)
OTHER_METHODS = {
    "ranked-pairs": Card(
        _("Ranked pairs"),
        _(
            "One winner, one to one as above. Clear contests are taken first, which makes it easier to follow by hand. "
            "Choose it if your rules name it (also called Tideman)."
        ),
    ),
    "irv": Card(
        _("Instant runoff"),
        _(
            "One winner. Whoever has the fewest first places is dropped, round by round, until one has more than half. "
            "Choose it if your rules or your voters know it; a compromise that is nobody's first choice goes out early."
        ),
    ),
    "borda": Card(
        _("Borda"),
        _(
            "One winner, by points for every place on a ballot. Choose it for tastes and prizes among friends: whoever "
            "ranks a rival last on purpose has more weight."
        ),
    ),
    "stv-meek": Card(
        _("STV (Meek)"),
        _(
            "Several seats, proportional, and a little fairer to the last vote; it cannot be counted by hand. Choose "
            "it if your rules name it."
        ),
    ),
}
METHOD_CHOICES: list[Any] = [
    ("schulze", ONE_WINNER_CARD),
    ("stv-scottish", SEVERAL_SEATS_CARD),
    (_("More methods"), list(OTHER_METHODS.items())),
]
UNRANKED_CARDS = {
    "below": Card(
        _("Below all who are ranked"),
        _("Leaving somebody out means: everybody I ranked is better. That is how most people mean it."),
        mark=_("recommended"),
        picture="elections/pictures/left_out_below.html",
    ),
    "no-opinion": Card(
        _("No opinion"),
        _("Leaving something out means: I cannot judge it. Good for long lists that nobody knows by heart."),
        picture="elections/pictures/left_out_no_opinion.html",
    ),
}


@dataclass(frozen=True, slots=True)
class SettingsGroup:
    """Settings that belong together; those that few people need are folded."""

    title: Any
    fields: tuple[str, ...]
    folded: tuple[str, ...] = ()


GROUPS = (
    SettingsGroup(_("Who votes"), ("electorate", "joining", "secret_ballot", "vote_by_link"), ("paper_ballots",)),
    SettingsGroup(_("When"), ("ends", "time_zone", "remind_before"), ("begins",)),
    SettingsGroup(_("How it is counted"), ("method", "seats", "unranked")),
    SettingsGroup(_("The result"), ("results_visible", "results_public")),
    SettingsGroup(_("Mail to voters"), ("mail_votes", "announces")),
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
        local = {name: form_time(from_text(text), election.time_zone) for name, text in times.items() if text}
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


class NameForm(forms.Form):
    name = TitleField()
