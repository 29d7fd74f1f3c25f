"""What events about ballots do, for replay: the same writes as the act itself."""

from __future__ import annotations

from elections import rolls, sharding
from elections.replay import election_of
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log.events import DoesNotFit, Effect, LoggedEvent, Transactions
from foundation.store.splitting import by_count
from foundation.store.table import Put, Write

from . import repository
from .repository import VoterContext
from .rules import Ballot


def voter_context_of(event: LoggedEvent) -> VoterContext:
    """Who is not on the roll joins where everyone may."""
    election, voter, account = election_of(event), event.data["voter_name"], event.data.get("account")
    entry = table().get(sharding.voter_key(election, voter))
    name = entry["voter_name"] if entry else voter if election.electorate == "everyone" else None
    if name != voter:
        raise DoesNotFit(f"is about {voter}, who is not on the roll by then.")
    if not election.questions_for(rolls.groups_of(entry or {})):
        raise DoesNotFit(f"is about {voter}, who is in none of the groups that may vote.")
    bound = account if rolls.is_by_account(voter) else None
    return VoterContext(election, voter, entry, account=bound)


def cast(event: LoggedEvent) -> Transactions:
    context, data = voter_context_of(event), event.data
    if context.voted != data["changed"]:
        raise DoesNotFit(
            f"takes {context.voter} for somebody who has{'' if data['changed'] else ' not'} voted by then."
        )
    paper = bool(data.get("paper", False))
    if context.election.secret_ballot:
        yield repository.recording_vote(context, paper=paper)
    else:
        answers = dict(data["answers"]) if "answers" in data else {1: data["rankings"]}
        own = data["confirmation"], event.when, rolls.weight_of(data)
        yield repository.casting(context, {number: Ballot(text, *own) for number, text in answers.items()}, paper=paper)


def changed(event: LoggedEvent) -> Transactions:
    yield [_replaced(event, int(event.data.get("again", False)))]


def _replaced(event: LoggedEvent, more: int) -> Write:
    election = election_of(event)
    questions = map(election.at, event.data.get("questions", (1,)))
    return repository.passing_gate(election, questions, more, rolls.weight_of(event.data), withdrawn=-more)


def withdrawn(event: LoggedEvent) -> Transactions:
    """A secret ballot names nobody."""
    if election_of(event).secret_ballot:
        yield [_replaced(event, -1)]
        return
    context = voter_context_of(event)
    if not context.voted:
        raise DoesNotFit(f"is about {context.voter}, who has not voted by then.")
    yield repository.withdrawing(context)


def sealed(event: LoggedEvent) -> Transactions:
    """The ballots of a secret election enter the log when it is closed. In the table they lay under a hash that the
    log does not have; here they lie under their code, to be counted."""
    election, question = election_of(event), event.data.get("question", 1)
    pk = keys.election_shard(election.name, 0, election.shards)
    for some in by_count(event.data["ballots"]):
        sort_keys = (keys.ballot("", each["confirmation"], question=question).sk for each in some)
        yield [Put({"PK": pk, "SK": sk, **each}) for sk, each in zip(sort_keys, some, strict=True)]


EFFECTS: dict[str, Effect] = {
    "BallotCast": cast,
    "BallotChanged": changed,
    "BallotWithdrawn": withdrawn,
    "BallotsSealed": sealed,
}
