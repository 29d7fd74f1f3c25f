"""After a restore from backup: new salts for secret elections whose ballots can no longer be linked to voters."""

from __future__ import annotations

from dataclasses import replace

from acts.storage import now_text, table, try_record
from ballots import secrecy
from elections import repository as elections
from elections.rules import Election, State
from store import keys
from store.log import Event
from store.table import Write


def unlink_all() -> int:
    """Give every open secret election without a salt a new one, as after a restore from backup; returns how many.

    Ballots cast before that still count.
    """
    names = [item["name"] for item in table().each(keys.elections())]
    return sum(_unlink(election) for name in names if (election := elections.find(name)) is not None)


def _unlink(election: Election) -> bool:
    is_open = election.state(now_text()) in (State.EDITABLE, State.OPEN)
    if not election.secret_ballot or not is_open:
        return False
    event = Event("plenum", "BallotsUnlinked", {"election_name": election.name})
    return try_record(event, *unlinking(election), *secrecy.new_salt(election))  # else it has its salt


def unlinking(election: Election) -> list[Write]:
    return [*elections.change(election, replace(election, restores=election.restores + 1))]
