"""Forms for the settings, description and name of a draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext_lazy as _

from elections import kinds
from elections.invitations.forms import reminders_field
from elections.rules import (
    CONFIRM,
    COUNTS,
    ELECTORATES,
    LEAVE,
    MAX_CANDIDATES,
    MAX_SEATS,
    METHODS,
    NO_DRAFTS,
    RESULTS,
    SAFEGUARDS,
    Election,
    check_settings,
    check_window,
)
from foundation.acts.hooks import Hooks
from foundation.pages.cards import Card, Cards, SeveralCards
from foundation.pages.fields import TitleField, markdown_field
from foundation.pages.time_fields import LocalTimeField, ZonedForm, ZoneField
from foundation.pages.times import Edge, form_time, from_text
from foundation.tally import methods

from .majority_field import MajorityField


def seats_field(initial: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seats"),
        min_value=1,
        max_value=MAX_SEATS,
        initial=initial,
        help_text=_("Of ranked ballots, more than one needs a proportional method; the others elect one winner."),
    )


def for_groups_field(groups: Sequence[str]) -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label=_("Only for these voter groups"),
        choices=[(each, each) for each in groups],
        coerce=str,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If you choose none, it is for everybody on the roll."),
    )


# What each method does and when to choose it; and what becomes of those left out of a ranking.
ONE_WINNER_CARD = Card(
    _("One winner"),
    _(
        "Elects the candidate who would beat every other head to head. This is the Schulze method; it "
        "suits nearly every election. It compares every pair of candidates, so counting by hand takes long."
    ),
    mark=_("recommended"),
)
SEVERAL_SEATS_CARD = Card(
    _("Several seats, proportional"),
    _(
        "A third of the voters gets about a third of the seats. This is the single transferable vote "
        "(STV), as Scottish councils count it. The count takes many rounds and passes on fractions of votes."
    ),
    mark=_("recommended"),
)
OTHER_METHODS = {
    "ranked-pairs": Card(
        _("Ranked pairs"),
        _(
            "One winner, compared head to head as above. The clearest contests count first, which is easier to "
            "follow, but takes long with many candidates. Choose it if your rules name it (also called Tideman)."
        ),
    ),
    "irv": Card(
        _("Instant runoff"),
        _(
            "One winner. The candidate with the fewest first places is dropped, round by round, until one "
            "has more than half. Choose it if your rules or your voters know it. A compromise that is "
            "nobody's first choice is dropped early."
        ),
    ),
    "borda": Card(
        _("Borda"),
        _(
            "One winner, by points for every rank on a ballot. Choose it for tastes and prizes among "
            "friends: ranking a rival last on purpose gives a voter more weight."
        ),
    ),
    "stv-meek": Card(
        _("STV (Meek)"),
        _(
            "Several seats, proportional, and a little fairer down to the last vote. It cannot be counted by "
            "hand. Choose it if your rules name it."
        ),
    ),
}
METHOD_CHOICES: list[Any] = [
    ("schulze", ONE_WINNER_CARD),
    ("stv-scottish", SEVERAL_SEATS_CARD),
    (_("More methods"), list(OTHER_METHODS.items())),
]
KIND_CARDS = {
    "ranked": Card(
        _("Ranked"),
        _(
            "Voters put the names in order. Use it for nearly everything: similar candidates do not take votes from "
            "each other. It asks more of voters than a cross."
        ),
        mark=_("recommended"),
    ),
    "yes-no": Card(
        _("Yes or no"),
        _(
            "Voters say yes or no to one proposal, or abstain. Use it to ratify or to change rules. With more than "
            "two possible answers, rank them instead."
        ),
    ),
    "choose": Card(
        _("Choose"),
        _(
            "Voters choose one or a few, and most votes win. Use it if your rules ask for it. Similar candidates "
            "take votes from each other, and a majority can win every seat."
        ),
    ),
    "approval": Card(
        _("Approval"),
        _(
            "Voters tick everyone they approve of, and most ticks win. Use it for dates and places, or for quick "
            "decisions. A favourite and an acceptable choice count the same."
        ),
    ),
    "score": Card(
        _("Score"),
        _(
            "Voters give each candidate 0 to 5. Use it if it matters how much people like each option. Voters who use "
            "only the ends of the scale have more weight; the runoff of STAR makes up for most of it."
        ),
    ),
    "points": Card(
        _("Points"),
        _(
            "Voters distribute a number of points. Use it for budgets, or to let a minority concentrate on one "
            "candidate. Voters who spread their points by taste lose to those who plan."
        ),
    ),
}
KIND_CHOICES: list[Any] = [
    ("ranked", KIND_CARDS["ranked"]),
    (_("Other kinds of ballot"), [each for each in KIND_CARDS.items() if each[0] != "ranked"]),
]
SCORING_CARDS = {
    "star": Card(
        _("STAR"),
        _(
            "Score, then automatic runoff: the two with the highest totals meet, and the one whom more voters scored "
            "higher wins. Exaggerating gains little."
        ),
        mark=_("recommended"),
    ),
    "score": Card(
        _("Highest total score"),
        _(
            "The scores are added up. Choose it if your rules ask for it. Voters who give only 0 and 5 have more "
            "weight."
        ),
    ),
}
UNRANKED_CARDS = {
    "below": Card(
        _("Below all who are ranked"),
        _("Leaving a name out means: everyone I ranked is better. That is what most people intend."),
        mark=_("recommended"),
        picture="elections/pictures/left_out_below.html",
    ),
    "no-opinion": Card(
        _("No opinion"),
        _("Leaving a name out means: I cannot judge it. Good for long lists that nobody knows in full."),
        picture="elections/pictures/left_out_no_opinion.html",
    ),
}


class UsualField(forms.ChoiceField):
    """A choice that has a usual one, which counts where none was sent."""

    def clean(self, value: Any) -> Any:
        return super().clean(value or self.initial)


class MethodField(forms.ChoiceField):
    """A method of ranked ballots. Programs may name that of any other kind."""

    def valid_value(self, value: Any) -> bool:
        return value in METHODS


def fewest_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Choose at least"),
        min_value=0,
        max_value=MAX_CANDIDATES,
        required=False,
        initial=0,
        help_text=_("With 0, a ballot may be left blank."),
    )


def most_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("At most"),
        min_value=0,
        max_value=MAX_CANDIDATES,
        required=False,
        initial=0,
        help_text=_(
            "How many candidates voters may choose, or points they have. With 0: as many as seats, or 10 points."
        ),
    )


def chosen_methods(election: Election) -> dict[str, str]:
    """The chosen cards: one of those for ranked ballots, and one of those for scores."""
    usual = {"method": "schulze", "scoring": "star"}
    chosen = {"ranked": "method", "score": "scoring"}.get(election.kind)
    return usual | {chosen: election.method} if chosen else usual


def counted_settings(cleaned: dict[str, Any]) -> dict[str, Any]:
    """The settings of the kind of ballot. A score ballot has its method from cards of its own, unless one is named."""
    scoring = cleaned.pop("scoring", "")
    is_named = cleaned.get("method") in methods.KINDS[cleaned["kind"]]
    return kinds.settings_of_kind(cleaned if is_named else cleaned | {"method": scoring})


STRICT = "strict"
SAFEGUARD_CARDS = {
    STRICT: Card(
        _("Strict: all of these"),
        _("As chambers and unions require. It suits final votes best: then voters have nothing to keep."),
    ),
    NO_DRAFTS: Card(
        _("No draft on the device"),
        _("Nothing of a ballot is stored there while somebody votes. What is left before it is cast is lost."),
    ),
    LEAVE: Card(
        _("Leave after casting"),
        _("The ballot disappears from the screen, and the voter is signed out at once, also if they came by link."),
    ),
    CONFIRM: Card(
        _("Protect the device"),
        _("Before they cast a ballot, voters confirm that they have read how to protect their device."),
    ),
    COUNTS: Card(
        _("Say that this vote counts"),
        _("The ballot and its review say that this is the real vote. Rehearsals and previews never say so."),
    ),
}


class SafeguardsField(forms.MultipleChoiceField):
    """Any of them, or all by one choice."""

    widget = SeveralCards

    def __init__(self) -> None:
        choices = list(SAFEGUARD_CARDS.items())
        super().__init__(label=_("Stricter rules for voting"), choices=choices, required=False)

    def prepare_value(self, value: Any) -> Any:
        return [STRICT, *value] if set(value or ()) >= set(SAFEGUARDS) else value

    def clean(self, value: Any) -> tuple[str, ...]:
        chosen = super().clean(value)
        return tuple(each for each in SAFEGUARDS if each in chosen or STRICT in chosen)


@dataclass(frozen=True, slots=True)
class SettingsGroup:
    """Settings that belong together; those that few people need are folded."""

    title: Any
    fields: tuple[str, ...]
    folded: tuple[str, ...] = ()


GROUPS = (
    SettingsGroup(
        _("Who votes"),
        ("electorate", "joining", "for_groups", "secret_ballot", "changeable", "vote_by_link"),
        ("paper_ballots", "safeguards"),
    ),
    SettingsGroup(_("When"), ("ends", "time_zone", "remind_before"), ("begins",)),
    SettingsGroup(
        _("How it is counted"),
        ("title", "kind", "method", "scoring", "majority", "seats", "fewest", "most", "unranked"),
    ),
    SettingsGroup(_("The result"), ("results_visible", "results_public")),
    SettingsGroup(_("Mail to voters"), ("mail_votes", "announces")),
)


TIMES = {"begins": "no_voting_before", "ends": "no_voting_after"}  # as they are stored


class AddedField(NamedTuple):
    """A setting of an election that a part knows: its name there, and the field that it comes after, in its group and
    folded if that is."""

    name: str
    field: forms.Field
    after: str


ADDED_FIELDS = Hooks[[], AddedField]("when the settings of an election are offered: a field of a part")


def added_fields() -> list[AddedField]:
    return [make() for make in ADDED_FIELDS]


def _with_added(names: Sequence[str], added: Iterable[AddedField]) -> tuple[str, ...]:
    found = list(names)
    for each in added:
        if each.after in found:
            found.insert(found.index(each.after) + 1, each.name)
    return tuple(found)


class SettingsForm(ZonedForm):
    """Everything about an election but its name."""

    description = markdown_field(_("Description"), 6)
    electorate = forms.ChoiceField(label=_("Who may vote"), choices=list(ELECTORATES.items()), widget=forms.RadioSelect)
    joining = forms.BooleanField(
        label=_("People who join later may vote, too"),
        required=False,
        help_text=_(
            "If everybody here may vote: include people who get an account, or the right to vote, while the "
            "election is open. Otherwise only those who have it when it opens."
        ),
    )
    secret_ballot = forms.BooleanField(
        label=_("Secret ballot"),
        required=False,
        initial=True,
        help_text=_("Nobody who uses this site can tell how a person voted."),
    )
    changeable = forms.BooleanField(
        label=_("Voters may change their ballot"),
        required=False,
        initial=True,
        help_text=_(
            "Until the close they can change or withdraw it; in a secret election with twelve words that they keep. "
            "Otherwise every vote is final: there is nothing to keep, and nothing by which a vote could be proved to "
            "others."
        ),
    )
    safeguards = SafeguardsField()
    paper_ballots = forms.BooleanField(
        label=_("Paper ballots"),
        required=False,
        help_text=_("You can enter ballots for people who vote on paper. The person who enters one sees it."),
    )
    mail_votes = forms.BooleanField(
        label=_("Mail voters about their ballots"),
        required=False,
        initial=True,
        help_text=_(
            "Whenever a ballot is cast or entered from paper, and in a public election also when it is changed or "
            "withdrawn. Changes of secret ballots name nobody, so no email is sent. The email says only that it "
            "happened, never how anyone voted. That way nobody can cast a ballot in someone else's name unnoticed."
        ),
    )
    vote_by_link = forms.BooleanField(
        label=_("Vote by link"),
        required=False,
        help_text=_(
            "The link in the invitation opens the ballot: no account, no password, for this election only. "
            "After the close it opens the result. Anyone who is forwarded the mail can vote in that person's "
            "place, so keep the mails about ballots on. Sending an invitation again ends the earlier link. "
            "If everybody here may vote, only people listed by address get such a link."
        ),
    )
    announces = forms.BooleanField(
        label=_("Mail the result to voters"),
        required=False,
        help_text=_(
            "As soon as it is counted: who won, and a link. You can also send it yourself later, with a button."
        ),
    )
    results_visible = forms.ChoiceField(label=_("Results are shown"), choices=list(RESULTS.items()), initial="closed")
    results_public = forms.BooleanField(
        label=_("Anyone on the web may see the result"),
        required=False,
        help_text=_(
            "After it closes: with a link, without an account, with all ballots to check it. Who voted is "
            "not shown there. Once it is open, anyone can see its name, and when voting begins and ends."
        ),
    )
    kind = UsualField(label=_("Kind of ballot"), choices=KIND_CHOICES, initial="ranked", widget=Cards)
    method = MethodField(label=_("Method"), choices=METHOD_CHOICES, initial="schulze", widget=Cards)
    scoring = UsualField(label=_("Method"), choices=list(SCORING_CARDS.items()), initial="star", widget=Cards)
    majority = MajorityField(
        label=_("Majority that the proposal needs"),
        help_text=_(
            "Of the votes cast, abstentions count neither for nor against. Of all who vote, or of everyone on the "
            "roll, abstaining has the effect of a no."
        ),
    )
    seats = seats_field(1)
    fewest = fewest_field()
    most = most_field()
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

    def __init__(self, *arguments: Any, groups: Sequence[str] | None = None, title: str = "", **options: Any):
        """With a choice among the voter groups of its roll, if they are given; and with the title of its question, if
        it is one of several."""
        super().__init__(*arguments, **options)
        self.added = added_fields()
        self.fields |= {each.name: each.field for each in self.added}
        if groups is not None:
            self.fields["for_groups"] = for_groups_field(groups)
        if title:
            self.fields["title"] = TitleField(label=_("Question"))
            self.initial["title"] = title
            if groups is not None:
                self.fields["for_groups"].label = _("“%(title)s” is only for these voter groups") % {"title": title}

    def clean_for_groups(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data["for_groups"])

    @staticmethod
    def initial_of(election: Election, description: str) -> dict[str, Any]:
        times = {name: getattr(election, stored) for name, stored in TIMES.items()}
        local = {name: form_time(from_text(text), election.time_zone) for name, text in times.items() if text}
        plain = (name for name in SettingsForm.base_fields if name not in (*times, "description", "scoring"))
        added = (each.name for each in added_fields())
        settings = {name: getattr(election, name) for name in (*plain, *added, "for_groups")} | chosen_methods(election)
        return {"description": description, **settings, **local}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors:
            cleaned = counted_settings(cleaned)
            check_settings(cleaned["method"], cleaned["seats"], cleaned["secret_ballot"], cleaned["results_visible"])
            check_window(self.stored("begins"), self.stored("ends"))
        return cleaned

    def values(self) -> dict[str, Any]:
        """As an election keeps them."""
        plain = {name: value for name, value in self.cleaned_data.items() if name not in TIMES}
        return plain | {stored: self.stored(name) for name, stored in TIMES.items()}

    def clean_remind_before(self) -> tuple[int, ...]:
        return tuple(sorted(self.cleaned_data["remind_before"], reverse=True))

    def groups(self) -> Iterator[tuple[Any, list[Any], list[Any]]]:
        """Headings with their fields; rarely used ones are collapsed unless they are set or have errors."""
        for group in self._all_groups():
            wrong = [name for name in group.folded if self.errors.get(name) or self[name].value()]
            folded = [self[name] for name in group.folded if name not in wrong]
            shown = [name for name in (*group.fields, *wrong) if name in self.fields]
            yield group.title, [self[name] for name in shown], folded

    def before_groups(self) -> list[Any]:
        grouped = {name for group in self._all_groups() for name in (*group.fields, *group.folded)}
        return [self[name] for name in self.fields if name not in grouped]

    def _all_groups(self) -> list[SettingsGroup]:
        return [
            replace(each, fields=_with_added(each.fields, self.added), folded=_with_added(each.folded, self.added))
            for each in GROUPS
        ]


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
