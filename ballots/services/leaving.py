"""Withdraws the public ballots of a removed person where voting is still open, and takes them off the roll.

Only those who have not voted can be taken off, so it tells who has. Where the roll page does not say so, everybody
stays.
"""

from __future__ import annotations

from functools import partial

from accounts.models import User
from ballots import repository
from ballots.repository import Lookup
from elections import repository as elections
from elections import rolls, sharding
from elections.invitations.mailing import forgetting
from elections.roll.services import removing
from elections.rules import State
from elections.turnout.counts import tells_who, turnout
from foundation.acts.queues import process_each
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import SITE, now_text, record, table
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now

from .casting import MAX_ATTEMPTS, record_withdrawal


def remove_ballots_of(gone: User) -> None:
    """Withdraw their public ballots where voting is still open, and take them off those rolls. A secret ballot stays,
    and so does the mark on the roll that they voted: else there would be more ballots than voters.

    Only those who have not voted can be taken off, so it tells who has. Where the roll page does not say so, everybody
    stays.
    """
    names = (gone.name, gone.email)
    listed = [(item["election_name"], name) for name in names for item in table().each(keys.elections_of_voter(name))]
    for remove in (_withdraw_public_ballot, _remove_from_roll):
        process_each(listed, lambda each, remove=remove: retry_lost_race(partial(remove, *each), MAX_ATTEMPTS))
    process_each(names, rolls.forget_display_names)


def _withdraw_public_ballot(election_name: str, voter: str) -> None:
    context, now = repository.context_of_entry(voter, Lookup(election_name)), utc_now()
    if context is None or not context.voted or not context.election.takes_votes(as_text(now)):
        return
    if not context.election.secret_ballot:
        record_withdrawal(SITE, context, now)


def _remove_from_roll(election_name: str, voter: str) -> None:
    """A freed name must not stay on a roll, and the person must get no more mail about it. Where a ballot remains, or
    nobody may know whether one does, so does the name."""
    item, entry = sharding.read_with_entry(election_name, voter)
    election = elections.election_of(item) if item else None
    if election is None or election.state(now_text()) == State.CLOSED or entry is None or entry["voted"]:
        return
    voted = turnout(election).voted
    if voted and not tells_who(election, voted):
        return
    event = Event(SITE, "VotersRemoved", {"election_name": election.name, "voters": [voter]})
    record(event, *removing(election, [voter]), *forgetting(election, entry))
