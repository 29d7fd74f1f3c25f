"""Correcting an address on the roll while an election is open: possible until the voter has voted.

Refusing it for somebody who has voted tells that they have. So where the roll page does not say who has voted, it is
possible only before the first vote: in a secret election with one or two votes, for nobody.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from elections import repository, rolls, sharding
from elections.rules import Election, WrongState
from elections.turnout.counts import tells_who, turnout
from foundation.acts.storage import table
from foundation.store.table import Delete, Equals, Item, Key, Put, Write

NOT_SHOWN = _(
    "While the roll does not show who has voted, no address can be corrected, as that would reveal it. Usually it is "
    "shown once three people have voted."
)


def check_correction(election: Election, voter: str, address: str) -> Item:
    """The voter's entry; refuse what cannot be corrected."""
    voted = turnout(election).voted
    if voted and not tells_who(election, voted):
        raise WrongState(NOT_SHOWN)
    if not rolls.is_by_address(voter):
        raise WrongState(_("%(name)s is not listed by an address.") % {"name": voter})
    if (entry := table().get(sharding.voter_key(election, voter))) is None:
        raise WrongState(_("%(name)s is not on the roll.") % {"name": voter})
    if rolls.on_roll(election, [address]):
        raise WrongState(_("%(name)s is on the roll already.") % {"name": address})
    if entry["voted"]:
        raise WrongState(_("%(name)s has voted, so the address stays as it is.") % {"name": voter})
    return entry


def correcting(election: Election, entry: Item, address: str) -> tuple[Put, list[Write]]:
    """The new entry, and what removes the old one: refused if they have voted."""
    new = rolls.new_voter(election, address, None, rolls.voter_of(entry).details)
    old = Delete(Key(entry["PK"], entry["SK"]), when=Equals("voted", False))
    return new, [old, repository.touched(election)]
