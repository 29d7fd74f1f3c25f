"""What events about ballots do, for replay: the same writes as the act itself."""

from __future__ import annotations

from elections import rolls, sharding
from elections.replay import election_of
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.replay import DoesNotFit, Effect, LoggedEvent, Transactions
from foundation.store.splitting import by_count
from foundation.store.table import Put

from . import repository
from .repository import Standing
from .rules import Ballot


def standing_of(event: LoggedEvent) -> Standing:
    """Who is not on the roll joins where everyone may."""
    election, voter, account = election_of(event), event.data["voter_name"], event.data.get("account")
    entry = table().get(sharding.voter_key(election, voter))
    name = entry["voter_name"] if entry else voter if election.electorate == "everyone" else None
    if name != voter:
        raise DoesNotFit(f"is about {voter}, who is not on the roll by then.")
    if not election.is_for(rolls.groups_of(entry or {})):
        raise DoesNotFit(f"is about {voter}, who is in none of the groups that may vote.")
    bound = account if rolls.is_by_account(voter) else None
    return Standing(election, voter, entry, account=bound)


def cast(event: LoggedEvent) -> Transactions:
    standing, data = standing_of(event), event.data
    if standing.voted != data["changed"]:
        raise DoesNotFit(
            f"takes {standing.voter} for somebody who has{'' if data['changed'] else ' not'} voted by then."
        )
    paper = bool(data.get("paper", False))
    if standing.election.secret_ballot:
        yield repository.recording_vote(standing, paper=paper)
    else:
        ballot = Ballot(data["rankings"], data["confirmation"], event.when, rolls.weight_of(data))
        yield repository.casting(standing, ballot, paper=paper)


def changed(event: LoggedEvent) -> Transactions:
    more, weight = int(event.data.get("again", False)), rolls.weight_of(event.data)
    yield [repository.recording_replacement(election_of(event), more, weight)]


def withdrawn(event: LoggedEvent) -> Transactions:
    """A secret ballot names nobody."""
    if (election := election_of(event)).secret_ballot:
        yield [repository.recording_replacement(election, -1, rolls.weight_of(event.data))]
        return
    standing = standing_of(event)
    if not standing.voted:
        raise DoesNotFit(f"is about {standing.voter}, who has not voted by then.")
    yield repository.withdrawing(standing)


def sealed(event: LoggedEvent) -> Transactions:
    """The ballots of a secret election enter the log when it is closed. In the table they lay under a hash that the
    log does not have; here they lie under their code, to be counted."""
    election = election_of(event)
    pk = keys.election_shard(election.name, 0, election.shards)
    for some in by_count(event.data["ballots"]):
        yield [Put({"PK": pk, "SK": keys.ballot("", each["confirmation"]).sk, **each}) for each in some]


EFFECTS: dict[str, Effect] = {
    "BallotCast": cast,
    "BallotChanged": changed,
    "BallotWithdrawn": withdrawn,
    "BallotsSealed": sealed,
}
