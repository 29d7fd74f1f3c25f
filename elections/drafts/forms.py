"""Forms for the settings, description and name of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext_lazy as _

from elections import kinds
from elections.invitations.forms import reminders_field
from elections.kinds import BASES, NEEDS_A_ROLL, SHARES
from elections.rules import (
    ELECTORATES,
    MAX_CANDIDATES,
    MAX_SEATS,
    METHODS,
    RESULTS,
    SAFEGUARDS,
    Election,
    check_settings,
    check_window,
)
from foundation.acts.hooks import Hooks
from foundation.pages.fields import (
    Cards,
    LocalTimeField,
    SeveralCards,
    TitleField,
    ZonedForm,
    ZoneField,
    markdown_field,
)
from foundation.pages.times import Edge, form_time, from_text
from foundation.tally import methods
from foundation.tally.majorities import Of, majority_of

from .cards import KIND_CHOICES, METHOD_CHOICES, SAFEGUARD_CARDS, SCORING_CARDS, STRICT, UNRANKED_CARDS

OTHER_SHARE = "other"


def seats_field(initial: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seats"),
        min_value=1,
        max_value=MAX_SEATS,
        initial=initial,
        help_text=_("Of ranked ballots, more than one needs a proportional method; the others elect one winner."),
    )


class VoterGroupsField(forms.MultipleChoiceField):
    """For which voter groups of its roll a question is."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, groups: Sequence[str]) -> None:
        super().__init__(
            label=_("Only for these voter groups"),
            choices=[(each, each) for each in groups],
            required=False,
            help_text=_("If you choose none, it is for everybody on the roll."),
        )

    def clean(self, value: Any) -> tuple[str, ...]:
        return tuple(super().clean(value))


class DefaultChoiceField(forms.ChoiceField):
    """A choice with a default, which counts where none was sent."""

    def clean(self, value: Any) -> Any:
        return super().clean(value or self.initial)


class MethodField(forms.ChoiceField):
    """A method of ranked ballots. Programs may name that of any other kind."""

    def valid_value(self, value: Any) -> bool:
        return value in METHODS


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


class MajorityWidget(forms.MultiWidget):
    """Programs send one text instead, as it is stored."""

    use_fieldset = True

    def __init__(self) -> None:
        shares = [*SHARES.items(), (OTHER_SHARE, _("at least another share"))]
        super().__init__(
            {
                "share": forms.Select({"aria-label": _("Share")}, shares),
                "own": forms.TextInput(
                    {
                        "aria-label": _("Another share, such as 3/5 or 60%"),
                        "placeholder": "3/5",
                        "size": 5,
                        "maxlength": 9,
                    }
                ),
                "of": forms.Select({"aria-label": _("Out of")}, [(each.value, BASES[each]) for each in Of]),
            }
        )

    def decompress(self, value: str | None) -> list[str]:
        majority = majority_of(value or "")
        is_usual = majority.share in SHARES
        return [majority.share if is_usual else OTHER_SHARE, "" if is_usual else majority.share, majority.of.value]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return data[name] if name in data else super().value_from_datadict(data, files, name)

    def use_required_attribute(self, initial: Any) -> bool:
        return False

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data and super().value_omitted_from_data(data, files, name)


class MajorityField(forms.Field):
    """Its shape is checked with the other settings of the kind of ballot (`elections.kinds`)."""

    widget = MajorityWidget
    has_roll = True

    def follow(self, electorate: str) -> None:
        """A share of everyone on the roll needs a list of voters."""
        self.has_roll = electorate == "listed"
        if isinstance(self.widget, MajorityWidget) and not self.has_roll:
            self.widget.widgets[-1].choices = [(each.value, BASES[each]) for each in Of if each != Of.ENTITLED]

    def clean(self, value: Any) -> str:
        text = value
        if not isinstance(value, str):
            share, own, of = (each or "" for each in value or ("", "", ""))
            text = f"{own.strip() if share == OTHER_SHARE else share} {of}" if share else ""
        if text.endswith(Of.ENTITLED) and not self.has_roll:
            raise forms.ValidationError(NEEDS_A_ROLL)
        return text


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
    kind = DefaultChoiceField(label=_("Kind of ballot"), choices=KIND_CHOICES, initial="ranked", widget=Cards)
    method = MethodField(label=_("Method"), choices=METHOD_CHOICES, initial="schulze", widget=Cards)
    scoring = DefaultChoiceField(label=_("Method"), choices=list(SCORING_CARDS.items()), initial="star", widget=Cards)
    majority = MajorityField(
        label=_("Majority that the proposal needs"),
        help_text=_(
            "Of the votes cast, abstentions count neither for nor against. Of all who vote, or of everyone on the "
            "roll, abstaining has the effect of a no."
        ),
    )
    seats = seats_field(1)
    fewest = forms.IntegerField(
        label=_("Choose at least"),
        min_value=0,
        max_value=MAX_CANDIDATES,
        required=False,
        initial=0,
        help_text=_("With 0, a ballot may be left blank."),
    )
    most = forms.IntegerField(
        label=_("At most"),
        min_value=0,
        max_value=MAX_CANDIDATES,
        required=False,
        initial=0,
        help_text=_(
            "How many candidates voters may choose, or points they have. With 0: as many as seats, or 10 points."
        ),
    )
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
        self.layout = [(each.title, [*each.fields], [*each.folded]) for each in GROUPS]
        for added in (make() for make in ADDED_FIELDS):
            self.fields[added.name] = added.field
            for _title, fields, folded in self.layout:
                for names in (fields, folded):
                    if added.after in names:
                        names.insert(names.index(added.after) + 1, added.name)
        if groups is not None:
            self.fields["for_groups"] = VoterGroupsField(groups)
        if title:
            self.fields["title"] = TitleField(label=_("Question"))
            self.initial["title"] = title
            if groups is not None:
                self.fields["for_groups"].label = _("“%(title)s” is only for these voter groups") % {"title": title}

    @staticmethod
    def initial_of(election: Election, description: str) -> dict[str, Any]:
        times = {name: getattr(election, stored) for name, stored in TIMES.items()}
        local = {name: form_time(from_text(text), election.time_zone) for name, text in times.items() if text}
        plain = (name for name in SettingsForm.base_fields if name not in (*times, "description", "scoring"))
        added = (make().name for make in ADDED_FIELDS)
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
        for title, fields, folded in self.layout:
            wrong = [name for name in folded if self.errors.get(name) or self[name].value()]
            shown = [name for name in (*fields, *wrong) if name in self.fields]
            yield title, [self[name] for name in shown], [self[name] for name in folded if name not in wrong]

    def before_groups(self) -> list[Any]:
        grouped = {name for _title, fields, folded in self.layout for name in (*fields, *folded)}
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
