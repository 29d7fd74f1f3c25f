"""The agenda of an assembly: parsing the items typed at the start, and holding a run-off while it is running."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from foundation.acts.retry import retried
from parts.live import counting, repository, rules, steps
from parts.live.rules import Step
from parts.live.services import correcting, moving
from parts.questions.question import MAX_QUESTIONS, MAX_TITLE_CHARS, Kind, Question, tidied

from . import resolutions, wording

TOO_MANY_ITEMS = _("An agenda has at most %(most)d items.")
QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # at the end of a line of an agenda, in any script: it is put to the vote


@retried
def hold_run_off(game_id: str, who: str, number: int) -> int:
    """Call a vote between the options that a round left undecided, and return its position. Once for each round."""
    game, state = repository.load(game_id)
    parts = repository.round_items(game_id, number) if 1 <= number <= len(state.played) and state.counts(number) else []
    if not game.format.any_order or not parts:
        raise NotNow(rules.NOT_NOW)
    place, questions = state.played[number - 1], repository.read_questions(game_id)
    question = questions[place]
    run_off = resolutions.run_off_question(question, counting.round_from_parts(parts), wording.run_off_title(question))
    if run_off is None:
        raise NotNow(_("This vote was decisive, so no run-off is needed."))
    is_held = any(each.run_off == number and at in state.played for at, each in enumerate(questions))
    if not (is_held or steps.may_call(game, state)):
        raise NotNow(rules.NOT_NOW)
    at = correcting.add(game_id, who, run_off, first=place + 1)
    state = repository.load(game_id)[1]
    if at not in state.played:
        moving.drive(game_id, who, Step.NEXT, state.version, at)
    return at


def parse_agenda(typed: str) -> list[Question]:
    """One item per line: a line that ends with a question mark is a motion, every other one a topic."""
    lines = [" ".join(line.split()) for line in typed.splitlines() if line.strip()]
    if len(lines) > MAX_QUESTIONS:
        raise ValidationError(TOO_MANY_ITEMS % {"most": MAX_QUESTIONS})
    for line in lines:
        if len(line) > MAX_TITLE_CHARS:
            limits = {"most": MAX_TITLE_CHARS, "count": len(line), "line": f"{line[:40]} …"}
            raise ValidationError(_("Shorten this item to %(most)d characters; it has %(count)d: %(line)s") % limits)
    kinds = (Kind.MOTION if line.endswith(QUESTION_MARKS) else Kind.TOPIC for line in lines)
    return [tidied(Question(line, kind, seconds=0)) for line, kind in zip(lines, kinds, strict=True)]
