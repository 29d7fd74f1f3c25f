"""Counts a poll that is over and seals the result."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from foundation.acts.queues import ExplainedError, log_failure, process_each
from foundation.acts.refusals import LostRace
from foundation.acts.storage import SITE, now_text, table, try_write
from foundation.store import keys
from foundation.store.table import Conflict, Unavailable

from . import repository
from .counting import MethodComparison
from .rules import Poll
from .services import record, with_end_recorded

_log = logging.getLogger("plenum.polls")


class Disagreement(ExplainedError):
    """The votes and the gates do not match: something was lost or added."""


def seal(poll_id: str) -> bool:
    """Count a poll that is over from its votes and seal the result; returns whether it is sealed. Safe to run
    concurrently."""
    found = repository.with_gates(poll_id)
    if found is None or found[0].is_open(now_text()):
        return False
    if found[2] is not None:
        try_write(repository.marking_sealed(found[0]))  # in case it was changed since it was sealed
        return True
    try:
        poll = with_end_recorded(found[0])
        count_and_seal(poll, repository.with_gates(poll_id))
    except LostRace:
        return False  # another is at it, or it was opened again at the last moment
    return True


def count_and_seal(poll: Poll, found: tuple[Poll, int, Any] | None) -> None:
    counted = repository.read_ballots(poll).normal
    voted = found[1] if found else 0
    if counted.total != voted:
        raise Disagreement(f"There are {counted.total} votes, but the gates have counted {voted}.")
    repository.write_counted(poll, counted)
    report, now = MethodComparison.of(counted, poll.seed, poll.kind).as_bytes(), now_text()
    head = repository.sealing(poll, report, counted.total, counted.digest, now)
    event_data = {"votes": counted.total, "digest": counted.digest, "report_digest": hashlib.sha256(report).hexdigest()}
    event_data["sealedAt"] = now
    record(SITE, "PollResultSealed", poll, event_data, head, repository.marking_sealed(poll))


def anything_over() -> bool:
    """A cheap check for the worker."""
    page = table().page(keys.polls_ending(now_text()), limit=1)
    return bool(page.items or page.cursor)


def seal_what_is_over() -> int:
    """Record the end of polls that are over and seal them. Returns how many."""
    return process_each(list(table().each(keys.polls_ending(now_text()))), lambda item: _seal_or_log(item["id"]))


def try_seal(poll_id: str) -> bool:
    """As `seal`; whatever is wrong with the votes or the count is logged for the operator, and the page still works."""
    try:
        return _seal_or_log(poll_id)
    except (Conflict, Unavailable):
        raise
    except Disagreement:
        return False
    except Exception as error:
        log_failure(error)
        return False


def _seal_or_log(poll_id: str) -> bool:
    try:
        return seal(poll_id)
    except Disagreement as error:
        _log.error("not sealed", extra={"words": str(error)})
        raise
