"""What an assembly is to come to: items are added also while it runs."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from acts.refusals import NotNow
from live import counting, repository, rules
from live.services import correcting

from . import resolutions, words

NOT_TIED = _("The votes have decided this: there is nothing to run off.")


def add_run_off(game_id: str, who: str, number: int) -> int:
    """After a tie: a vote between those that are level is the next item. Pressed twice it is there once."""
    game, state = repository.load(game_id)
    parts = repository.round_items(game_id, number) if 1 <= number <= len(state.played) and state.counts(number) else []
    if not game.format.has_agenda or not parts:
        raise NotNow(rules.NOT_NOW)
    place = state.played[number - 1]
    question = repository.questions(game_id)[place]
    wanted = resolutions.run_off(question, counting.round_of(parts), words.run_off_title(question))
    if wanted is None:
        raise NotNow(NOT_TIED)
    return correcting.add(game_id, who, wanted, first=place + 1, once=True)
