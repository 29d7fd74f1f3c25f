"""Labels of session types, phases and steps."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .play import play_for, play_named
from .rules import Game, Phase, State, Step

PHASE_LABELS: dict[Phase, str | Promise] = {
    Phase.WAITING: _("Waiting for people to join"),
    Phase.QUESTION: _("Question"),
    Phase.SHOWN: _("Not open yet"),
    Phase.SORTING: _("Sorting the ideas"),
    Phase.VOTING: _("Voting"),
    Phase.RESULTS: _("Results"),
    Phase.ENDED: _("Ended"),
}

STEP_LABELS: dict[Step, str | Promise] = {
    Step.NEXT: _("Next question"),
    Step.VOTE: _("Open the vote"),
    Step.CLOSE: _("Close the question"),
    Step.REVEAL: _("Reveal the results"),
    Step.PAUSE: _("Pause"),
    Step.RESUME: _("Resume"),
    Step.VOID: _("Do not count it"),
    Step.REPEAT: _("Ask it again"),
    Step.AGAIN: _("Ask again and compare"),
    Step.END: _("End the session"),
}

FIRST_QUESTION = _("Start with the first question")
OF_UNCOUNTABLE: dict[Step, str | Promise] = {
    Step.VOID: _("Void this round"),
    Step.CLOSE: _("Try to count it again"),
}


def type_label(type_: str) -> str | Promise:
    """Label of a session type."""
    return play_named(type_).label


def phase_label(game: Game, state: State) -> str | Promise:
    """Label of the phase that fits the current play."""
    return play_for(game, state).phase_labels.get(state.phase, PHASE_LABELS[state.phase])


def step_label(step: Step, game: Game, state: State) -> str | Promise:
    """Label of a step's button that fits the current play."""
    if state.is_uncountable and step in OF_UNCOUNTABLE:
        return OF_UNCOUNTABLE[step]
    own = play_for(game, state).step_label(step, state)
    return own or (FIRST_QUESTION if step == Step.NEXT and not state.round else STEP_LABELS[step])
