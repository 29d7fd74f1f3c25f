"""What an assembly is to come to: items are added also while it runs, and never taken away."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from acts.again import try_again
from acts.refusals import Refusal
from acts.site import log
from store.log import Event

from .. import repository, rules, waking
from ..questions import MOST_QUESTIONS, Question

NOT_HERE = _("This cannot be an item of an assembly.")
TOO_MANY = _("An agenda has at most %(most)d items.")


class NotAnItem(Refusal):
    """It cannot be put on the agenda."""


def add(game_id: str, who: str, question: Question) -> int:
    """Put one more item on the agenda; answers its place."""
    return try_again(lambda: _add(game_id, who, question))


def _add(game_id: str, who: str, question: Question) -> int:
    found = repository.find(game_id)
    if found is None:
        raise rules.NotThere(rules.NOT_THERE)
    game = found[0]
    if game.ended_at:
        raise rules.NotNow(rules.NOT_NOW)
    if not (game.is_assembly and question.suits(game.engagement_type)):
        raise NotAnItem(NOT_HERE)
    if game.total_questions >= MOST_QUESTIONS:
        raise NotAnItem(TOO_MANY % {"most": MOST_QUESTIONS})
    questions = (*repository.questions(game_id), question)
    after = replace(game, total_questions=len(questions))
    said = {"game_id": game.id, "total_questions": after.total_questions}
    log().record(Event(who, "LiveItemAdded", said), *repository.growing(game, after, questions))
    waking.moved(game.id)
    return len(questions) - 1
