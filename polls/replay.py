"""What happens to polls when the log is replayed: for each kind of event, the writes of the live act.

A poll goes when its time has come, and nobody tells the log: events about one that is not there are passed over. That
none is lost shows when what there is is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from acts.following import follow
from acts.site import acting_on, table
from elections.replay import HTML
from pages.times import from_text
from store import keys
from store.replay import Act, DoesNotFit, Exempt, Happened, Step, announced, like
from store.splitting import by_count
from store.table import Check, Table, Update

from . import reports, repository, sealing, services
from .repository import PollStanding
from .rules import Poll

FIELDS = {stored: name for name, stored in repository.STORED_AS.items()}


def of_a_poll(act: Callable[[Happened, Poll], Iterator[Step]]) -> Act:
    def acted(event: Happened) -> Iterator[Step]:
        if (poll := repository.find(event.said["poll_id"])) is not None:
            yield from act(event, poll)

    return acted


def created(event: Happened) -> Iterator[Step]:
    poll = repository.poll_of(event.said)
    yield repository.creation(poll, int(from_text(poll.created_at).timestamp()))


@of_a_poll
def voted(event: Happened, poll: Poll) -> Iterator[Step]:
    """Through any gate: which one it was is chance, and whether it was open then, the order of the events tells."""
    said = event.said
    before = table().get(keys.vote(poll.id, said["vote_id"], poll.shards))
    standing = PollStanding(poll, said["vote_id"], before, gate=None, number=0, repeated=False)
    if (before is not None) != said["changed"]:
        raise DoesNotFit(f"takes a voter for somebody who has{'' if said['changed'] else ' not'} voted by then.")
    gate, vote = repository.casting(standing, said["rankings"], said["votedAt"])
    yield [vote, *([] if isinstance(gate, Check) else [replace(gate, when=None)])]


@of_a_poll
def updated(event: Happened, poll: Poll) -> Iterator[Step]:
    after = replace(poll, **_changes(event))
    yield repository.change(poll, after)


@of_a_poll
def reopened(event: Happened, poll: Poll) -> Iterator[Step]:
    after = replace(poll, closed_at=None, **_changes(event))
    early, writes = repository.reopening(poll, after)
    yield from by_count(early)
    yield writes


def _changes(event: Happened) -> dict[str, Any]:
    return {FIELDS.get(name, name): value for name, value in event.said.items() if name != "poll_id"}


@of_a_poll
def listed(event: Happened, poll: Poll) -> Iterator[Step]:
    yield repository.change(poll, replace(poll, listed=event.kind == "PollListed"))


@of_a_poll
def hidden(event: Happened, poll: Poll) -> Iterator[Step]:
    yield repository.change(poll, replace(poll, hidden_at=event.said.get("hiddenAt")))


@of_a_poll
def reported(event: Happened, poll: Poll) -> Iterator[Step]:
    said = event.said
    yield reports.reporting(poll, said["report_id"], said["reason"], "", said["reportedAt"])


@of_a_poll
def dismissed(event: Happened, poll: Poll) -> Iterator[Step]:
    yield [reports.dismissal(poll.id, event.said["dismissedAt"])]


@of_a_poll
def closed(event: Happened, poll: Poll) -> Iterator[Step]:
    yield _beginning(poll, event.actor, event.said["closedAt"])
    shut = repository.find(poll.id)
    assert shut is not None
    yield from by_count(repository.shut_gates(shut))
    yield repository.change(shut, replace(shut, closing=None))


def _beginning(poll: Poll, who: str, end: str) -> Step:
    return repository.change(poll, replace(poll, closed_at=end, closing=who))


@of_a_poll
def deleted(event: Happened, poll: Poll) -> Iterator[Step]:
    yield repository.deletion(poll)
    services.clear_away(poll.id)


@of_a_poll
def result_sealed(event: Happened, poll: Poll) -> Iterator[Step]:
    """Counted again, from the votes that the log gave."""
    sealing.count_and_seal(poll, repository.with_gates(poll.id))
    again = announced(table())
    for name, told in event.said.items():
        if name != "sealedAt" and again.get(name) != told:
            raise DoesNotFit(f"tells another result than the votes in the log give ({name}).")
    yield [Update(keys.poll_result(poll.id), set={"sealedAt": event.said["sealedAt"]})]


REPLAY: dict[str, Act] = {
    "PollCreated": created,
    "PollVoteCast": voted,
    "PollUpdated": updated,
    "PollReopened": reopened,
    "PollListed": listed,
    "PollUnlisted": listed,
    "PollHidden": hidden,
    "PollShown": hidden,
    "PollReported": reported,
    "PollReportsDismissed": dismissed,
    "PollClosed": closed,
    "PollDeleted": deleted,
    "PollResultSealed": result_sealed,
}

EXEMPT = (
    Exempt(like(keys.poll("")), HTML, attributes=("description_html", "html_version")),
    Exempt(
        like(keys.poll("")),
        "The log holds nothing that opens a door; nor does it tell whether a worker still has to look after a poll.",
        attributes=("key", "GSI1PK", "GSI1SK"),
    ),
    Exempt(
        like(keys.report("", "")),
        "What somebody wrote in a report goes with the poll; the log keeps for good only what kind of reason it was.",
        attributes=("words",),
    ),
    Exempt(
        like(keys.poll_gate("", 0)),
        "Which of the gates somebody came through is chance; together they count the same.",
        summed=True,
    ),
    Exempt(
        like(keys.poll_counted_part("", 0)),
        "The long texts of a result are written before its head, which makes them count.",
        until=keys.poll_result(""),
    ),
    Exempt(
        like(keys.poll(""))._replace(sk=""),
        "What a deleted poll left behind, when whoever deleted it was stopped on the way.",
        within=keys.poll(""),
    ),
)


def shut_what_is_shut(there: Table) -> None:
    """Close, up to what the log has yet to tell, what is being closed there; and there, too, as far as it is not."""
    for item in list(there.each(keys.polls_ending())):
        poll = repository.find(item["id"])
        if item.get("closing") and poll is not None and not poll.closed_at:
            table().write(*_beginning(poll, item["closing"], item["closedAt"]))
            shut = repository.shut_gates(repository.find(poll.id) or poll)
            for here in (table(), there):
                with acting_on(here):
                    follow(shut)
