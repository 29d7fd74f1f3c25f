"""The voting link, which opens the ballot without signing in, and the result after the close.

It names the election and the voter, and has a random secret. It is drawn when its mail is sent, and then forgotten: the
roll has only a hash of it, so neither the store nor the site's key is enough to make a link. The links of the latest
mails all work, as long as the election exists; a new link that an organiser sends on request ends all earlier ones.
Anybody may have links mailed to a voter (`elections.link_requests`), so those end no links but the oldest of their own.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import partial

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections import sharding
from elections.repository import election_of
from elections.rolls import is_by_account, is_by_number
from elections.rules import Election
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import NotAllowed
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import write
from foundation.acts.tokens import create_token, read_token
from foundation.store import keys
from foundation.store.table import Condition, Equals, Exists, Item, Key, Missing, Update, Write

LINKS = "links"  # on the roll: the mails that the latest links were sent in, each with the hash of its link
MAX_LINKS = 8
REQUESTED = "requested "  # before the number of a mail that anybody may have asked for
MAX_REQUESTED_LINKS = 40  # one a day at most while somebody keeps asking: those of a month
LETTER, STATION = "letter", "station"  # instead of a mail: of links that no mail is sent for
WITHOUT_MAIL = (LETTER, STATION)
SECRET_BYTES = 16
# Letters do so, which are above elections. What is to be written with it comes last.
REPLACING = Hooks[[User, Election, str, Sequence[Write]], object](
    "when somebody without an address needs another of what they vote with, and the one before must end"
)


class LinkRefused(NotAllowed):
    """A link that is not ours, or is no longer valid."""


NOT_LISTED = _("The person it was sent to is not on the roll of this election.")


@dataclass(frozen=True, slots=True)
class Link:
    """Identifies a voter in an election."""

    election_name: str
    created_at: str  # of the election: another one may have its name later
    voter: str  # as on the roll
    secret: str
    address: str = ""  # where it was mailed to, if the roll has the name of an account

    @property
    def token(self) -> str:
        return create_token("vote", *astuple(self))

    def place(self, shards: int) -> Key:
        """Of the entry on the roll that it was made for."""
        return keys.voter(self.election_name, self.voter, shards)

    @property
    def account_place(self) -> Key:
        """The item that says which account the voter has: an address's guard, or the account itself."""
        return keys.user(self.voter) if is_by_account(self.voter) else keys.email(self.voter)

    @property
    def hash(self) -> str:
        return hashlib.sha256(f"plenum: voting link on the roll\n{self.secret}".encode()).hexdigest()

    def mail_on(self, entry: Item) -> str | None:
        """The mail it was sent in, if the roll still has it."""
        return next((mail for mail, each in entry.get(LINKS, ()) if each == self.hash), None)

    def is_good_for(self, person: User) -> bool:
        """Whether the account still has the address it was mailed to; one by address is whose address it is."""
        return not is_by_account(self.voter) or keys.fold(person.email) == keys.fold(self.address)


def new_token(election_name: str, voter: str, address: str, mail: str) -> str | None:
    """The token of a new link for the mail of this number, if the election allows voting by link. A mail that is sent
    once more gets another, which replaces that of the attempt before."""
    return retry_lost_race(partial(_new_token, election_name, voter, address, mail))


def _new_token(election_name: str, voter: str, address: str, mail: str) -> str | None:
    item, entry = sharding.read_with_entry(election_name, voter)
    if item is None or entry is None or not (election := election_of(item)).vote_by_link:
        return None
    name = entry["voter_name"]
    mailed = address if is_by_account(name) else ""
    link = Link(election.name, election.created_at, name, secrets.token_hex(SECRET_BYTES), mailed)
    write(Update(Key(entry["PK"], entry["SK"]), set={LINKS: with_link(entry, mail, link)}, when=are_unchanged(entry)))
    return link.token


def with_link(entry: Item, mail: str, link: Link) -> list[list[str]]:
    """The latest links of an entry, with this one instead of the one before of the same mail. Those that were requested
    are counted on their own, so that requests do not end the link in an invitation. No mail ends a letter."""
    links = [*(each for each in entry.get(LINKS, ()) if each[0] != mail), [mail, link.hash]]
    kept = [each for each in links if each[0] in WITHOUT_MAIL]
    requested = [each for each in links if each[0].startswith(REQUESTED)]
    sent = [each for each in links if each not in kept and each not in requested]
    return [*kept, *sent[-MAX_LINKS:], *requested[-MAX_REQUESTED_LINKS:]]


def was_mailed(entry: Item) -> bool:
    """Whether a link was mailed to them. That of a polling station is no mail: it is there only while they vote, and
    must not tell that they did so at a station."""
    return any(mail not in WITHOUT_MAIL for mail, _hash in entry.get(LINKS, ()))


def are_unchanged(entry: Item) -> Condition:
    """That no link was sent to this entry, or ended, since it was read."""
    return Exists() & (Equals(LINKS, entry[LINKS]) if LINKS in entry else Missing(LINKS))


def read_link(token: str) -> Link:
    parts = read_token("vote", token, None)
    if parts is None or len(parts) != len(Link.__dataclass_fields__):
        raise LinkRefused(_("It is not one of ours, or part of it is missing. Please open it from the email itself."))
    return Link(*parts)


def check_link(link: Link, election: Election | None, entry: Item | None, channel: str = "") -> Election:
    """Refuse a link that is no longer valid, given its election and its entry on the roll as they are now. `channel`
    says how they came if it was by none of the mails."""
    if election is None or election.created_at != link.created_at:
        raise LinkRefused(_("The election it led to no longer exists."))
    if entry is None:
        raise LinkRefused(NOT_LISTED)
    mail = link.mail_on(entry)
    if mail is None and channel == STATION:
        raise LinkRefused(_("This visit to the polling station has ended. To vote, ask the officer there again."))
    if mail is None and (channel == LETTER or is_by_number(link.voter)):
        raise LinkRefused(_("A newer letter has replaced it. Please use the code in the latest letter."))
    if not (election.vote_by_link or mail in WITHOUT_MAIL or is_by_number(link.voter)):
        raise LinkRefused(_("Nobody votes by link in this election. Please vote in the way its invitation names."))
    if mail is None:
        sentence = _("A newer link has replaced it. Please open the one in the latest email about this election.")
        raise LinkRefused(sentence)
    return election
