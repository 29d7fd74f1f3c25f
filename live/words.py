"""What people read for the types, phases and steps of a session; the words of the data stay as they are."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from questions.question import Kind, Type

from .rules import Game, Phase, State, Step

TYPES: dict[Type, str | Promise] = {
    Type.TRIVIA: _("Trivia"),
    Type.CALL_AND_ANSWER: _("Call and answer"),
    Type.POLL: _("Poll"),
    Type.SURVEY: _("Survey"),
    Type.ASSEMBLY: _("Assembly"),
}

PHASES: dict[Phase, str | Promise] = {
    Phase.WAITING: _("Waiting for people to join"),
    Phase.QUESTION: _("Question"),
    Phase.TALKING: _("Talking it over"),
    Phase.SORTING: _("Putting in order what was written"),
    Phase.VOTING: _("Voting"),
    Phase.RESULTS: _("Results"),
    Phase.ENDED: _("Ended"),
}

STEPS: dict[Step, str | Promise] = {
    Step.NEXT: _("Next question"),
    Step.VOTE: _("Open the vote"),
    Step.CLOSE: _("Close the question"),
    Step.REVEAL: _("Reveal the results"),
    Step.PAUSE: _("Pause"),
    Step.RESUME: _("Go on"),
    Step.VOID: _("Do not count it"),
    Step.REPEAT: _("Ask it again"),
    Step.AGAIN: _("Ask once more, and compare"),
    Step.END: _("End the session"),
}

FIRST_QUESTION = _("Start with the first question")
START_SURVEY = _("Open the survey")
CLOSE_SURVEY = _("Close the survey")
CLOSE_ANSWERS = _("Close the answers")
CLOSE_VOTING = _("Close the voting")
CLOSE_IDEAS = _("Close the collection of ideas")
WITHOUT_A_VOTE = _("Close it without a vote")

IN_AN_ASSEMBLY: dict[Step, str | Promise] = {
    Step.NEXT: _("Next item"),
    Step.CLOSE: _("Close the vote"),
    Step.REPEAT: _("Call it again"),
    Step.END: _("End the assembly"),
}
FIRST_ITEM = _("Call the first item")
CLOSE_ITEM = _("Close the item")


@dataclass(frozen=True, slots=True)
class Story:
    """A type of session in plain words, for whoever chooses one."""

    happens: str | Promise
    seen: str | Promise


STORIES: dict[Type, Story] = {
    Type.TRIVIA: Story(
        _("People choose the right answer against the clock and collect points."),
        _("Everybody sees the right answer after each question, who leads, and the winners at the end."),
    ),
    Type.CALL_AND_ANSWER: Story(
        _("People answer in their own words, then each ranks the answers of others that they like best."),
        _("Nobody sees whose an answer is before the results; its author gets the points."),
    ),
    Type.POLL: Story(
        _("People rank the options, or write them first; the ranked votes are counted, round by round."),
        _("Everybody sees the count as a race. Nobody learns who voted how, not even you."),
    ),
    Type.SURVEY: Story(
        _("People fill in all questions on one page, at their own pace, until you close it."),
        _("You see numbers and texts without names. Nobody learns who wrote what, not even you."),
    ),
    Type.ASSEMBLY: Story(
        _("People check in by account or with a code, talk about each item of the agenda, and then decide it."),
        _(
            "Everybody sees how many are present, what a majority takes and what was decided. Who voted how is seen in "
            "open votes only."
        ),
    ),
}


def type_words(type_: Type) -> str | Promise:
    return TYPES[type_]


def phase_words(phase: Phase) -> str | Promise:
    return PHASES[phase]


def step_words(step: Step, game: Game | None = None, state: State | None = None) -> str | Promise:
    """What stands on the button of a step; with the session, what it does there."""
    if game is None or state is None:
        return STEPS[step]
    if game.is_assembly:
        return _in_an_assembly(step, state)
    survey = game.engagement_type == Type.SURVEY
    if step == Step.NEXT and not state.round:
        return START_SURVEY if survey else FIRST_QUESTION
    if step == Step.CLOSE and state.kind == Kind.IDEAS:
        return {Phase.QUESTION: CLOSE_IDEAS, Phase.SORTING: WITHOUT_A_VOTE}.get(state.phase, CLOSE_VOTING)
    if step == Step.CLOSE and game.engagement_type == Type.CALL_AND_ANSWER:
        return CLOSE_VOTING if state.phase == Phase.VOTING else CLOSE_ANSWERS
    return CLOSE_SURVEY if step == Step.CLOSE and survey else STEPS[step]


def _in_an_assembly(step: Step, state: State) -> str | Promise:
    if step == Step.NEXT and not state.round:
        return FIRST_ITEM
    if step == Step.CLOSE and state.phase == Phase.TALKING:
        return CLOSE_ITEM if state.kind == Kind.TOPIC else WITHOUT_A_VOTE
    return IN_AN_ASSEMBLY.get(step, STEPS[step])
