"""What parts show on pages about an election: panels, candidates' answers, where to ask the organisers.

And the cards on home pages of those who run things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from accounts.models import User
from foundation.acts.hooks import Hooks
from foundation.parts import Panel

from .rules import Election

PANELS = Hooks[[User, Election], Panel | None]("when somebody looks at an election")


def panels(user: User, election: Election) -> list[Panel]:
    return [part for make in PANELS if (part := make(user, election)) is not None]


# --- what candidates have answered, shown with them on their election's page and on ballots ---


@dataclass(frozen=True, slots=True)
class AnswerShown:
    """A question and one candidate's answer."""

    question: str
    text: str
    is_edited: bool
    is_by_organisers: bool


ShownAnswers = Mapping[int, Sequence[AnswerShown]]  # by candidate

# Steps that read anything for a ballot cache it: very many open it at once.
ANSWERS = Hooks[[Election], ShownAnswers]("when voters see the candidates: what these have answered")


def answers_with_candidates(election: Election) -> ShownAnswers:
    shown: dict[int, Sequence[AnswerShown]] = {}
    for find in ANSWERS:
        for candidate, some in find(election).items():
            shown[candidate] = (*shown.get(candidate, ()), *some)
    return shown


# --- where people in trouble can ask the organisers ---


# Returns the path of a page, or nothing if it takes no requests. Without the election, as if there were one of that
# name: who is told the path must not learn whether there is.
PLACES_TO_ASK = Hooks[[str, Election | None], str]("when people are told where to ask the organisers of an election")


def where_to_ask(name: str, election: Election | None = None) -> str:
    """The path of the page, empty if there is none; with the election, also once it takes no more requests."""
    return next(filter(None, (page(name, election) for page in PLACES_TO_ASK)), "")


def asking_hint() -> str:
    """Where the election is not known: who asks learns nothing of any."""
    if next(iter(PLACES_TO_ASK), None) is None:
        return ""
    return _("Trouble voting? Your invitation or letter says where to ask the organisers.")


# --- cards on the home page, most urgent first ---

MAX_NEWEST = 25  # of what a person runs, the newest, among which those under way are looked for
MAX_CARDS = 6  # of one kind
NOW, RUNNING, LATER = range(3)  # how urgent something is, as `rules.urgency` counts
NO_TIME = "~"  # sorts after all times


class HomeCard(NamedTuple):
    urgency: int
    time: str  # when it ends, or is published
    template: str
    context: dict[str, Any]


HOME_CARDS = Hooks[[User, str], list[HomeCard]]("when somebody who may run things opens the home page")
