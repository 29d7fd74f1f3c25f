"""What an election can begin as: the question it answers, and the settings that fit it. All of them can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.pages.cards import Card
from foundation.pages.times import Edge, interpret, local_time


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
            picture="elections/pictures/one_seat.html",
        )
    ),
    "option": ElectionTemplate(
        Card(
            _("Choose one option"),
            _("A date, a place, a name, a proposal: the one most people can agree on."),
            picture="elections/pictures/one_option.html",
        ),
        {"announces": True, "of_options": True},
    ),
    "seats": ElectionTemplate(
        Card(
            _("Fill several seats"),
            _("A board, a committee, delegates: every group of voters gets its fair share of the seats."),
            picture="elections/pictures/several_seats.html",
        ),
        {"method": "stv-scottish"},
        seats=3,
    ),
    "priorities": ElectionTemplate(
        Card(
            _("Rank priorities"),
            _("Topics, projects, wishes: the result is a list, most important first."),
            picture="elections/pictures/priorities.html",
        ),
        {"announces": True, "of_options": True, "unranked": "no-opinion"},
    ),
    "proposal": ElectionTemplate(
        Card(
            _("Yes or no to a proposal"),
            _("A contract, a budget, a change of the rules: carried if enough voters say yes."),
            picture="elections/pictures/proposal.html",
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
