"""Replaying a poll's events: for each, the writes of the original action.

Expired polls vanish without an event, so events about a missing poll are skipped; comparing the tables shows if one is
lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from acts.retry import write_each
from acts.storage import table, use_table
from pages.times import from_text
from store import keys
from store.replay import Act, DoesNotFit, Happened, Step, announced, nothing_kept
from store.schema import EventType
from store.splitting import by_count
from store.table import Check, Table, Update

from . import repository, sealing
from .repository import PollStanding
from .rules import Poll

FIELDS = {stored: name for name, stored in repository.STORED_AS.items()}


def of_a_poll(act: Callable[[Happened, Poll], Step | Iterator[Step]]) -> Act:
    def acted(event: Happened) -> Step | Iterator[Step]:
        poll = repository.find(event.data["poll_id"])
        return act(event, poll) if poll is not None else ()

    return acted


def created(event: Happened) -> Iterator[Step]:
    poll = repository.poll_of(event.data)
    yield repository.creation(poll, int(from_text(poll.created_at).timestamp()))


@of_a_poll
def voted(event: Happened, poll: Poll) -> Iterator[Step]:
    """Through any gate: which one is random, and the order of events shows whether it was open."""
    said = event.data
    before = table().get(keys.vote(poll.id, said["vote_id"], poll.shards))
    standing = PollStanding(poll, said["vote_id"], before, gate=None, number=0, repeated=False)
    if (before is not None) != said["changed"]:
        raise DoesNotFit(f"is of a voter who has{'' if said['changed'] else ' not'} voted before.")
    gate, vote = repository.casting(standing, said["rankings"], said["votedAt"])
    yield [vote, *([] if isinstance(gate, Check) else [replace(gate, when=None)])]


@of_a_poll
def reopened(event: Happened, poll: Poll) -> Iterator[Step]:
    after = replace(poll, closed_at=None, **_changes(event))
    early, writes = repository.reopening(poll, after)
    yield from by_count(early)
    yield writes


def changed(change: Callable[[Happened], dict[str, Any]]) -> Act:
    return of_a_poll(lambda event, poll: repository.change(poll, replace(poll, **change(event))))


def _changes(event: Happened) -> dict[str, Any]:
    return {FIELDS.get(name, name): value for name, value in event.data.items() if name != "poll_id"}


@of_a_poll
def closed(event: Happened, poll: Poll) -> Iterator[Step]:
    yield _beginning(poll, event.actor, event.data["closedAt"])
    shut = repository.find(poll.id)
    assert shut is not None
    yield from by_count(repository.closing_gates(shut))
    yield repository.change(shut, replace(shut, closing=None))


def _beginning(poll: Poll, who: str, end: str) -> Step:
    return repository.change(poll, replace(poll, closed_at=end, closing=who))


@of_a_poll
def deleted(event: Happened, poll: Poll) -> Iterator[Step]:
    yield repository.deletion(poll)
    repository.DELETING.advance(poll.id)


@of_a_poll
def result_sealed(event: Happened, poll: Poll) -> Iterator[Step]:
    """Counted again from the votes in the log."""
    sealing.count_and_seal(poll, repository.with_gates(poll.id))
    again = announced(table())
    for name, told in event.data.items():
        if name != "sealedAt" and again.get(name) != told:
            raise DoesNotFit(f"tells another result than the votes in the log give ({name}).")
    yield [Update(keys.poll_result(poll.id), set={"sealedAt": event.data["sealedAt"]})]


EVENTS = (
    EventType("PollCreated", created, "id title candidates:list createdAt goneAt maker:person description time_zone "
              "expiresAt sign_in:bool results_hidden:bool listed:bool closedAt closing:person version:int shards:int "
              "kind most:int",
              "code hiddenAt", inside="name number"),
    EventType("PollVoteCast", voted, "poll_id changed:bool", "vote_id rankings votedAt"),
    EventType("PollUpdated", changed(_changes), "poll_id title description expiresAt time_zone maker:person goneAt "
              "sign_in:bool results_hidden:bool"),
    EventType("PollReopened", reopened, "poll_id expiresAt goneAt time_zone"),
    EventType("PollListed", changed(lambda event: {"listed": True}), "poll_id"),
    EventType("PollUnlisted", changed(lambda event: {"listed": False}), "poll_id"),
    EventType("PollHidden", changed(lambda event: {"hidden_at": event.data["hiddenAt"]}), "poll_id", "hiddenAt"),
    EventType("PollShown", changed(lambda event: {"hidden_at": None}), "poll_id"),
    EventType("PollReported", nothing_kept, "poll_id", "report_id reason reportedAt"),  # by earlier versions
    EventType("PollReportsDismissed", nothing_kept, "poll_id", "dismissedAt"),  # by earlier versions
    EventType("PollClosed", closed, "poll_id closedAt"),
    EventType("PollDeleted", deleted, "poll_id"),
    EventType("PollResultSealed", result_sealed, "poll_id votes:int digest report_digest", "sealedAt"),
)  # fmt: skip


def shut_what_is_shut(there: Table) -> None:
    """Close, up to what the log has yet to record, what is being closed there; and finish it there, too."""
    for item in list(there.each(keys.polls_ending())):
        poll = repository.find(item["id"])
        if item.get("closing") and poll is not None and not poll.closed_at:
            table().write(*_beginning(poll, item["closing"], item["closedAt"]))
            shut = repository.closing_gates(repository.find(poll.id) or poll)
            for here in (table(), there):
                with use_table(here):
                    write_each(shut)
