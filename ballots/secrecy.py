"""How a secret ballot is kept apart from its voter.

It is stored under a pseudonym: an HMAC of the voter's name on the roll, under a key made of the site's secret and a
random salt of the election. While the election is open, the two together find a voter's own ballot, so that it can be
changed. Closing destroys the salt, and the link can never be made again.

No backup contains it. A store that was restored from one gets a new salt for each open election: people who have not
voted can vote, and those who have can no longer change their ballot.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from acts.storage import now_text, table, try_record
from elections import repository as elections
from elections.rules import Election, State
from ranking.codes import new_code
from store import keys
from store.log import Event
from store.purging import purge_marks
from store.table import Delete, Item, Missing, Put, Write

PURPOSE = b"plenum: pseudonyms of ballots"
RECEIPT_GROUPS = 4
CHECK = b"check\n"  # no voter's name has a line break in it


class SecretReplaced(Refusal):
    """The site's secret is not the one the election was opened with, so ballots cannot be found."""


SECRET_REPLACED = _(
    "This site's secret key was replaced while this election was open. Nobody can vote until the operator"
    " restores the earlier key."
)


def new_confirmation() -> str:
    """Eighty random bits, such as K7QM-2XHD-94TP-WB3N."""
    return new_code(RECEIPT_GROUPS)


def pseudonym(salt: Item, voter: str) -> str:
    return hmac.digest(_checked_key(salt), keys.fold(voter).encode(), "sha256").hex()


def check_secret(salt: Item) -> None:
    """Refuse if the salt was made with another site secret."""
    _checked_key(salt)


def _checked_key(salt: Item) -> bytes:
    key = _key(salt["salt"])
    if not hmac.compare_digest(_check_of(key), salt["check"]):
        raise SecretReplaced(SECRET_REPLACED)
    return key


def candidate_order_seed(salt: Item, voter: str, credentials: str = "") -> bytes:
    """Seeds the order of the candidates on the voter's page; it is lost with the salt.

    Some people rank candidates in the order listed, so anyone who knew each voter's order could guess those ballots.
    After an account's credentials are reset, the order changes.
    """
    parts = "\n".join(filter(None, ("listing", keys.fold(voter), credentials)))
    return hmac.digest(_key(salt["salt"]), parts.encode(), "sha256")


def creating_salt(election: Election) -> list[Write]:
    """What opening a secret election writes."""
    return [*new_salt(election)] if election.secret_ballot else []


def new_salt(election: Election) -> list[Put]:
    """One salt, in as many places as an election of its size has for it."""
    salt = secrets.token_bytes(32)
    fields = {"salt": salt, "check": _check_of(_key(salt))}
    places = keys.salts(election.name, election.shards)
    return [Put({"PK": place.pk, "SK": place.sk, **fields}, when=Missing()) for place in places]


def destroying_salt(election: Election) -> list[Write]:
    """What closing a secret election deletes."""
    if not election.secret_ballot:
        return []
    return [*(Delete(place) for place in keys.salts(election.name, election.shards)), *purge_marks(table())]


def _key(salt: bytes) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), PURPOSE + salt, "sha256")


def _check_of(key: bytes) -> bytes:
    """A check value that identifies a key without revealing it."""
    return hmac.digest(key, CHECK, "sha256")[:8]


# --- after a restore from backup ---


def unlink_all() -> int:
    """Give every open secret election without a salt a new one; returns how many. Ballots cast before still count, but
    can no longer be linked to their voters."""
    names = [item["name"] for item in table().each(keys.elections())]
    return sum(_unlink(election) for name in names if (election := elections.find(name)) is not None)


def _unlink(election: Election) -> bool:
    is_open = election.state(now_text()) in (State.EDITABLE, State.OPEN)
    if not election.secret_ballot or not is_open:
        return False
    event = Event("plenum", "BallotsUnlinked", {"election_name": election.name})
    return try_record(event, *unlinking(election), *new_salt(election))  # else it has its salt


def unlinking(election: Election) -> list[Write]:
    return [*elections.change(election, replace(election, restores=election.restores + 1))]
