"""Who is asking, and what organisers see of them: no more than the roll page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from accounts import repository as people
from ballots.services import link_holder
from elections import rolls, sharding
from elections.invitations.mailing import INVITED, REMINDED
from elections.invitations.progress import Failure, invited_voters
from elections.rules import Election
from elections.turnout.counts import tells_names, tells_who
from foundation.acts.storage import table
from foundation.mail.emails import Mail
from foundation.store import keys
from foundation.store.table import Item

from .rules import Asker


def asker_of(request: HttpRequest, election: Election) -> Asker | None:
    """None for somebody who must type a name and an address."""
    user = request.user
    if user.is_authenticated:
        return Asker(user.display_name or user.name, user.email, user.name, user.created_at)
    voter = link_holder(request, election)
    if not voter:
        return None
    address = voter
    if not rolls.is_by_address(voter):
        person = people.find(voter)
        address = person.email if person else ""  # whoever is listed by number types one
    return Asker(rolls.voter_label(voter), address, voter=voter)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An entry on the roll, and what became of the mails to it."""

    entry: Item
    mail: Mail | None  # the latest invitation, as long as it is kept
    failures: Sequence[Failure]
    voted: bool | None  # None where the roll page does not say either

    @property
    def name(self) -> str:
        return str(self.entry["voter_name"])

    @property
    def display_name(self) -> str:
        return str(self.entry.get("display_name", ""))

    @property
    def is_by_address(self) -> bool:
        return rolls.is_by_address(self.name)

    @property
    def is_by_number(self) -> bool:
        return rolls.is_by_number(self.name)

    @property
    def has_letter(self) -> bool:
        return bool(rolls.voter_of(self.entry).letter_batch)

    @property
    def invited_at(self) -> datetime | None:
        moment = self.entry.get("invited_at")
        return datetime.fromisoformat(moment) if moment else None


def delivery(election: Election, voted: int, names: Iterable[str]) -> Delivery | None:
    """Of the first of these names or addresses that is on the roll; `voted` is how many have voted."""
    shown = [each for each in names if each and (tells_names(election, voted) or not rolls.is_by_account(each))]
    places = list(dict.fromkeys(sharding.voter_key(election, each) for each in shown))
    found = table().get_many(places) if places else {}
    entry = next((found[place] for place in places if place in found), None)
    if entry is None:
        return None
    ((_entry, mail),), voter = invited_voters([entry]), entry["voter_name"]
    failed = table().get_many([keys.failed_mail(election.name, kind, voter) for kind in (INVITED, REMINDED)])
    failures = [Failure(voter, each["kind"], each["reason"], each["detail"]) for each in failed.values()]
    return Delivery(entry, mail, failures, entry["voted"] if tells_who(election, voted) else None)
