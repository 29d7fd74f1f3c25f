"""Cards that organisers choose between: what an election begins as, and its settings, each with what speaks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from elections.rules import CONFIRM, COUNTS, LEAVE, NO_DRAFTS
from foundation.pages.fields import Card
from foundation.pages.times import Edge, interpret, local_time

# --- what an election can begin as: the question it answers, and the settings that fit it ---


@dataclass(frozen=True, slots=True)
class ElectionTemplate:
    """A kind of election, as the first page shows it, and what a draft of it starts with."""

    card: Card
    settings: Mapping[str, Any] = field(default_factory=dict)
    seats: int = 1  # to start with; more than one is asked for

    @property
    def asks_seats(self) -> bool:
        return self.seats > 1


# People hear first that they were elected, so their result is announced with a button; options do not mind.
TEMPLATES = {
    "board": ElectionTemplate(
        Card(
            _("One person for an office"),
            _("A chair, a treasurer, a spokesperson: a secret ballot with one winner."),
            picture="elections/pictures/beginnings.html",
        )
    ),
    "option": ElectionTemplate(
        Card(
            _("Choose one option"),
            _("A date, a place, a name, a proposal: the one most people can agree on."),
            picture="elections/pictures/beginnings.html",
        ),
        {"announces": True, "of_options": True},
    ),
    "seats": ElectionTemplate(
        Card(
            _("Fill several seats"),
            _("A board, a committee, delegates: every group of voters gets its fair share of the seats."),
            picture="elections/pictures/beginnings.html",
        ),
        {"method": "stv-scottish"},
        seats=3,
    ),
    "priorities": ElectionTemplate(
        Card(
            _("Rank priorities"),
            _("Topics, projects, wishes: the result is a list, most important first."),
            picture="elections/pictures/beginnings.html",
        ),
        {"announces": True, "of_options": True, "unranked": "no-opinion"},
    ),
    "proposal": ElectionTemplate(
        Card(
            _("Yes or no to a proposal"),
            _("A contract, a budget, a change of the rules: carried if enough voters say yes."),
            picture="elections/pictures/beginnings.html",
        ),
        {"announces": True, "of_options": True, "kind": "yes-no"},
    ),
}


def initial_settings(beginning: ElectionTemplate, seats: int, zone: str, now: datetime) -> dict[str, Any]:
    """What a draft starts with: voting for a week, and a reminder the day before it ends."""
    window = {"time_zone": zone, "no_voting_after": end_after_days(7, zone, now), "remind_before": (24,)}
    return {**window, **beginning.settings, "seats": seats if beginning.asks_seats else 1}


def end_after_days(days: int, zone: str, since: datetime) -> str:
    """The stored end of an election that lasts so many days: at six in the evening, local time."""
    last = local_time(since, zone).date() + timedelta(days=days)
    return interpret(datetime.combine(last, time(18)), zone, Edge.CLOSING).stored


# --- settings ---

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
        picture="elections/pictures/left_out.html",
    ),
    "no-opinion": Card(
        _("No opinion"),
        _("Leaving a name out means: I cannot judge it. Good for long lists that nobody knows in full."),
        picture="elections/pictures/left_out.html",
    ),
}
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
ELECTORATE_CARDS = {
    "listed": Card(_("A list of people"), _("You list them, by user name or by mail address.")),
    "everyone": Card(_("Everybody here"), _("Everyone who has an account here and may vote.")),
}
BALLOT_CARDS = {
    "secret": Card(
        _("Secret"), _("Nobody who uses this site can tell how a person voted, not even you."), mark=_("recommended")
    ),
    "public": Card(
        _("Public"), _("Everyone who can see the election can see who ranked whom, as with a show of hands.")
    ),
}
CHANGE_CARDS = {
    "changeable": Card(
        _("Changeable until the close"),
        _("In a secret election voters keep twelve words for it, which nobody else has."),
        mark=_("recommended"),
    ),
    "final": Card(
        _("Final once cast"), _("There is nothing to keep, and nothing by which a vote could be proved to others.")
    ),
}
