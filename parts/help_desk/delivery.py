"""What organisers see about a voter who asks for help: no more than the roll page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from elections import rolls, sharding
from elections.invitations.mailing import INVITED, REMINDED
from elections.invitations.progress import Failure, invited_voters
from elections.rules import Election
from elections.turnout.counts import tells_names, tells_who
from foundation.acts.storage import table
from foundation.mail.mail import Mail
from foundation.store import keys
from foundation.store.table import Item

from .rules import Asker

MAX_FOUND = 8  # entries of the roll that a search offers


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
    ((_entry, mail),) = invited_voters([entry])
    is_told = tells_who(election, voted)
    return Delivery(entry, mail, _failures(election, entry["voter_name"]), entry["voted"] if is_told else None)


def _failures(election: Election, voter: str) -> list[Failure]:
    found = table().get_many([keys.failed_mail(election.name, kind, voter) for kind in (INVITED, REMINDED)])
    return [Failure(voter, each["kind"], each["reason"], each["detail"]) for each in found.values()]


def names_of(asker: Asker) -> list[str]:
    """Under which somebody may be on the roll."""
    return [asker.voter, asker.account, asker.address]


def search(election: Election, voted: int, typed: str) -> list[Item]:
    by_name = tells_names(election, voted)
    return rolls.find_voters(election, typed, limit=MAX_FOUND, by_name=by_name)[0] if typed else []
