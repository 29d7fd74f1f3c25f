"""The sealing of a result, for replay: the rebuilt ballots are counted again and must give the same."""

from __future__ import annotations

import secrets

from ballots import repository as ballots
from elections.replay import question_of
from elections.turnout.counts import final_turnout
from foundation.store import keys
from foundation.store.log.events import DoesNotFit, Effect, LoggedEvent, Transactions
from foundation.store.table import Put
from foundation.tally import lots
from foundation.tally.methods import count

from .repository import settings_of
from .services import roll_commitment


def result_sealed(event: LoggedEvent) -> Transactions:
    """The strongest check there is: from the log to the ballots, and from the ballots to who won. Their report is not
    written again: a later version may word it in another way, and `verify` compares it with its digest."""
    election, data = question_of(event), event.data
    counted, turnout = ballots.read_ballots(election).normal, final_turnout(election)
    secret = data["lots_secret"]
    if secret and lots.commitment(secret) != election.lots_commitment:
        raise DoesNotFit("tells a secret of the lots that is not the one to which the election is committed.")
    seed = lots.seed_of(secret, counted.digest, election.number) if secret else ""
    entitled = roll_commitment(election, secrets.token_hex(32)).entitled
    winners = count(counted, election.method, **settings_of(election, seed, entitled)).winners
    again = {
        "ballots": turnout.voted,
        "digest": counted.digest,
        "withdrawn": turnout.withdrawn,
        "seed": seed,
        "winners": list(winners),
    }
    for name, value in again.items():
        if (data.get(name) or None) != (value or None):
            raise DoesNotFit(f"tells another result than the ballots in the log give ({name}).")
    told = {name: data[name] for name in ("report_digest", "sealed_at", "lots_secret")}
    head = keys.result(election.name, election.number).item
    yield [Put({**head, **again, **told, "candidates": list(counted.candidates)})]


EFFECTS: dict[str, Effect] = {"ResultSealed": result_sealed}
