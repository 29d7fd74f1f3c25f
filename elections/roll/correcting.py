"""Correcting an address on the roll while an election is open: possible until the voter has voted.

Refusing it for somebody who has voted tells that they have. So where the roll page does not say who has voted, it is
possible only before the first vote: in a secret election with one or two votes, for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from elections import repository, rolls, sharding
from elections.multi_ballots import repository as multi_ballots
from elections.rules import Election, WrongState
from elections.turnout.counts import tells_who, turnouts
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Delete, Equals, Item, Key, Put, Write

NOT_SHOWN = _(
    "While the roll does not show who has voted, no address can be corrected, as that would reveal it. Usually it is "
    "shown once three people have voted."
)


def questions_of(election: Election) -> list[Election]:
    """The election, and the other questions on its ballot, which have the same roll."""
    return [election, *multi_ballots.other_questions(election)]


def check_correction(questions: Sequence[Election], voter: str, address: str) -> list[Item]:
    """The voter's entries, that of the leading question first; refuse what cannot be corrected."""
    first = questions[0]
    for each, counted in zip(questions, turnouts(*questions), strict=True):
        if counted.voted and not tells_who(each, counted.voted):
            raise WrongState(NOT_SHOWN)
    if not rolls.is_by_address(voter):
        raise WrongState(_("%(name)s is not listed by an address.") % {"name": voter})
    entries = entries_of(questions, voter)
    if not entries or keys.fold(entries[0]["election_name"]) != keys.fold(first.name):
        raise WrongState(_("%(name)s is not on the roll.") % {"name": voter})
    if rolls.on_roll(first, [address]):
        raise WrongState(_("%(name)s is on the roll already.") % {"name": address})
    if any(entry["voted"] for entry in entries):
        raise WrongState(_("%(name)s has voted, so the address stays as it is.") % {"name": voter})
    return entries


def entries_of(questions: Sequence[Election], voter: str) -> list[Item]:
    """On the rolls of those questions that are for them."""
    places = [sharding.voter_key(each, voter) for each in questions]
    found = table().get_many(places)
    return [found[place] for place in places if place in found]


def correcting(questions: Sequence[Election], entries: Sequence[Item], address: str) -> tuple[list[Put], list[Write]]:
    """New entries, that of the leading question first, and what removes the old: refused for somebody who has voted."""
    by_name = {keys.fold(each.name): each for each in questions}
    own = [(by_name[keys.fold(entry["election_name"])], entry) for entry in entries]
    new = [rolls.new_voter(election, address, None, rolls.voter_of(entry).details) for election, entry in own]
    old = (Delete(Key(entry["PK"], entry["SK"]), when=Equals("voted", False)) for entry in entries)
    return new, [*old, *(repository.touched(election) for election, _entry in own)]
