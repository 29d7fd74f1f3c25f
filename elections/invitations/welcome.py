"""What a voter is asked, on the page behind the link of the mail: in the mail's own words."""

from __future__ import annotations

from itertools import islice

from accounts.welcoming import Asked
from acts.site import now_text, table
from elections import repository
from elections.rules import Election, State
from store import keys
from store.table import Item

from . import wording
from .mailing import INVITED

MAX_ELECTIONS = 5


def asked_of(email: str) -> list[Asked]:
    """The open elections on whose rolls the address is, the newest first."""
    listed = repository.newest(keys.elections_of_voter(email))
    entries = {keys.election(each["election_name"]): each for each in listed}
    found = table().get_many(entries) if entries else {}
    there = [(repository.election_of(found[place]), entry) for place, entry in entries.items() if place in found]
    open_ = islice(((each, entry) for each, entry in there if _is_open(each)), MAX_ELECTIONS)
    return [Asked(each.name, sentences(each, entry.get(INVITED, ""))) for each, entry in open_]


def sentences(election: Election, invitation: str = "") -> tuple[str, ...]:
    """Who asks, for what, until when: whoever sent the invitation of that number, otherwise the owner."""
    return wording.sentences(election, _sender(invitation), now_text())


def who_asks(election: Election, invitation: str) -> str:
    return wording.shown_name(_sender(invitation) or election.owner_name)


def _sender(invitation: str) -> str:
    mail: Item = (table().get(keys.mail(invitation)) if invitation else None) or {}
    return str(mail.get("about", {}).get("invited_by", ""))


def _is_open(election: Election) -> bool:
    return election.state(now_text()) in (State.EDITABLE, State.OPEN)
