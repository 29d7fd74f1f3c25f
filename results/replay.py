"""Replays the sealing of a result: the rebuilt ballots are counted again and must give the same."""

from __future__ import annotations

from collections.abc import Iterator

from acts.storage import table
from ballots import replay as ballots
from elections import repository as elections
from elections.history import entries as history
from elections.replay import election_of
from elections.rules import Election
from store import keys
from store.replay import DoesNotFit, Happened, Step, announced
from store.schema import EventType
from store.table import Delete, Update, Write

from . import services

BY_CHANCE = ("sealed_at", "roll_commitment")  # another clock and another secret; the roll itself is compared by item


def result_sealed(event: Happened) -> Iterator[Step]:
    """The strongest check there is: from the log to the ballots, and from the ballots to the same result."""
    election = election_of(event)
    if not election.secret_ballot:
        yield from ballots.published(election)
    if secret := event.data["lots_secret"]:
        yield [elections.lots(election.name, secret)]
    services.seal_result(election)
    again, when = announced(table()), event.data["sealed_at"]
    for name, value in event.data.items():
        if name not in BY_CHANCE and again.get(name) != value:
            raise DoesNotFit(f"tells another result than the ballots in the log give ({name}).")
    head = Update(keys.result(election.name), set={"sealed_at": when}, remove=("roll_secret",))
    yield [head, Delete(keys.sealing(election.name)), *_outcome(election, when)]


def _outcome(election: Election, when: str) -> list[Write]:
    """What lists and cards say of it, as of then."""
    listed, shared = keys.listed_election(election.name), keys.shared_result(election.name)
    writes: list[Write] = [Update(listed, set={"sealed_at": when})]
    if election.results_public:
        date = keys.by_date(when, election.name)
        writes.append(Update(shared, set={"sealed_at": when, "GSI1SK": date}))
    return writes


EVENTS = (
    EventType("ResultSealed", result_sealed, "election_name ballots:int digest report_digest sealed_at roll_commitment "
              "lots_secret winners:list withdrawn:int", "seed summary:any", sentence=history.result_sealed),
)  # fmt: skip
