"""What auditors see of polls as tables: their options, and once a poll is counted its votes, without names or times."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow, NotThere
from foundation.acts.storage import now_text, table
from foundation.ranking.marks import ranked_names
from foundation.store import keys, sharded_reads
from foundation.store.table import Item
from foundation.tally.ballots import ratings_of

from . import repository
from .rules import HIDDEN, NOT_THERE, Poll

NOT_BEFORE_THE_RESULT = _("The votes of a poll are shown after it is closed and counted.")


def read_options(query: Any, limit: int) -> tuple[list[Item], str | None]:
    """All at once: there are few."""
    if not query.name:
        return [], None
    poll = repository.find(query.name)
    if poll is None:
        raise NotThere(NOT_THERE)
    return [{"poll": poll.id, "number": each.number, "name": each.name} for each in poll.candidates], None


def read_votes(query: Any, limit: int) -> tuple[list[Item], str | None]:
    """By their ids, which do not tell who voted, nor when. Before the result is sealed nothing is read."""
    if not query.name:
        return [], None
    found = repository.with_gates(query.name)
    if found is None:
        raise NotThere(NOT_THERE)
    poll, _voted, sealed = found
    if poll.hidden_at:
        raise NotNow(HIDDEN)
    if poll.is_open(now_text()) or sealed is None:
        raise NotNow(NOT_BEFORE_THE_RESULT)
    page = sharded_reads.page(table(), keys.votes(poll.id, poll.shards), limit=limit, cursor=query.cursor)
    return [{"poll": poll.id, "vote": each["id"], "ranking": _named(poll, each)} for each in page.items], page.cursor


def _named(poll: Poll, vote: Item) -> list[Any] | dict[str, int]:
    """By names: groups of equals, best first, or what each option was given."""
    names = {each.number: each.name for each in poll.candidates}
    if poll.kind == "score":
        return {names[number]: value for number, value in ratings_of(vote["rankings"]).items()}
    return [list(group) for group in ranked_names(vote["rankings"], poll.candidates)]
