"""The steps of the guided setup, from a new draft to opening."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from elections.rules import Action, Election
from foundation.pages.paths import path_of


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One page of the path, which can be left and come back to."""

    name: str
    label: str
    title: str
    lead: str
    action: Action


STEPS = (
    SetupStep(
        "what",
        _("What it is"),
        _("What is it?"),
        _("Its name, and what voters should know before they rank."),
        Action.SET_UP,
    ),
    SetupStep(
        "candidates",
        _("On the ballot"),
        _("What is on the ballot?"),
        _("The people or options to choose between, at least two. Every voter sees them in a different random order."),
        Action.ADD_CANDIDATES,
    ),
    SetupStep(
        "who",
        _("Who votes"),
        _("Who votes?"),
        _("Who can vote, whether ballots are secret, and how people get to them."),
        Action.SET_UP,
    ),
    SetupStep(
        "when",
        _("When"),
        _("When do people vote?"),
        _("Nobody can vote until you open the election. While it is open, you can still move the end later."),
        Action.SET_UP,
    ),
    SetupStep(
        "how",
        _("How it is counted"),
        _("How is it counted?"),
        _("What voters do, and how their ballots are counted. Nearly every election is best with a ranking."),
        Action.SET_UP,
    ),
)
BY_NAME = {step.name: step for step in STEPS}
WHAT = STEPS[0]
STEPS_WITHOUT_CANDIDATES = tuple(step for step in STEPS if step.name != "candidates")  # of a yes-or-no vote
QUESTIONS = replace(
    BY_NAME["candidates"],
    lead=_("Each question with the people or options to choose between, for whom it is, and how it is counted."),
    action=Action.SET_UP,
)
STEPS_OF_SEVERAL = (WHAT, QUESTIONS, BY_NAME["who"], BY_NAME["when"])


def steps_of(election: Election | None) -> tuple[SetupStep, ...]:
    if election and election.more:
        return STEPS_OF_SEVERAL
    return STEPS_WITHOUT_CANDIDATES if election and election.kind == "yes-no" else STEPS


def next_url(step: SetupStep, election: Election) -> str:
    """The next step; after the last one, the page that opens the election."""
    steps = steps_of(election)
    following = steps[steps.index(step) + 1 :]
    return step_url(following[0], election) if following else path_of("open_election", election.name)


def step_url(step: SetupStep, election: Election) -> str:
    return reverse("election_step", args=[election.name, step.name])


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """A step as the line of progress shows it."""

    label: str
    url: str = ""
    is_done: bool = False
    is_current: bool = False


def progress_steps(election: Election | None, current: SetupStep | None = None) -> list[ProgressStep]:
    """All steps up to opening, which is the current one by default; before a draft exists, the others have no link."""
    path = steps_of(election)
    at = path.index(current) if current else len(path)
    steps = [
        ProgressStep(step.label, step_url(step, election) if election else "", number < at, number == at)
        for number, step in enumerate(path)
    ]
    opening = path_of("open_election", election.name) if election else ""
    return [*steps, ProgressStep(_("Open it"), opening, is_current=not current)]
