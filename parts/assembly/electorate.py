"""Those present as voters of an election, and parsing of pasted addresses such as “Anna Berg <anna@example.org>”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from elections.convening import Convened
from elections.drafts.copying import BY_ADDRESS
from foundation.acts.storage import now_text, table
from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name, natural_sort_key
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.splitting import by_count
from foundation.tally.majorities import Quorum
from parts.live import seats
from parts.live.rules import MAX_PLAYERS, Game

from . import roll
from .attendance import own_of

WITH_ADDRESS = re.compile(r"([^<>]*)<([^<>]*)>\s*")
MAX_ADDRESSES_CHARS = MAX_PLAYERS * (MAX_NAME_CHARS + MAX_EMAIL_CHARS + 5)  # letters of all lines


@dataclass(frozen=True, slots=True)
class Electorate:
    """Who is present and may vote: the head count, accounts by name, and the roll's addresses of those who checked in
    by code."""

    present: int
    accounts: Mapping[str, str]
    coded: Mapping[str, str] = field(default_factory=dict)
    needed: int = 1  # for a quorum
    is_quorate: bool = True
    # how many times a vote counts, by these names, if not once
    weights: Mapping[str, int] = field(default_factory=dict)

    @property
    def addressed(self) -> dict[str, str]:
        return {name: address for name, address in self.coded.items() if address}

    @property
    def voters(self) -> dict[str, str]:
        """As an election's roll takes them."""
        return {**self.accounts, **dict.fromkeys(self.addressed.values(), BY_ADDRESS)}

    @property
    def without(self) -> int:
        """How many people cannot be put on an election's roll."""
        return self.present - len(self.accounts) - len(self.addressed)

    @property
    def lines(self) -> str:
        """One line per person who checked in by code, for the host to fill in missing addresses."""
        return "\n".join(f"{name} <{address}>" for name, address in self.coded.items())

    def settings(self, game: Game, digest: str, *, listed: bool) -> dict[str, Any]:
        """Of an election that the assembly calls for, with those present on its roll if they are listed. It stays with
        the assembly as it is now or, once the session has ended, as it was at the end."""
        convened = Convened(
            assembly=game.title,
            assembly_id=game.id,
            at=game.ended_at or now_text(),
            present=self.present,
            entitled=game.own.entitled,
            quorum=game.own.quorum,
            quorate=self.is_quorate,
            round_digest=digest,
            **({"listed": self.present - self.without, "unlisted": self.without} if listed else {}),
        )
        if not listed:
            return {"convened": convened}
        # by the names and addresses that go on the roll
        weights = {self.coded.get(name, name): weight for name, weight in self.weights.items()}
        return {"convened": convened, "vote_by_link": bool(self.addressed), "weights": weights}


# --- of an assembly ---


def electorate_of(game: Game) -> Electorate:
    """People present as voters of an election, without robots; after the end, those who had not left."""
    there = [(each, own_of(each)) for each in seats.read_seats(game.id) if each.is_there and not each.robot]
    coded = sorted((each for each in there if not each[1].account), key=lambda each: natural_sort_key(each[0].name))
    emails = {each.folded: each.email for each in roll.each_entry(game.id)} if coded and game.own.has_roll else {}
    addresses = {seat.name: emails.get(fold(own.entry or seat.name), "") for seat, own in coded}
    accounts = dict[str, str]()
    for batch in by_count((seat.player, own.account) for seat, own in there if own.account):
        found = table().get_many({keys.user(account) for _player, account in batch})
        people = {item["name"]: item["created_at"] for item in found.values()}
        players = {player for player, _account in batch}  # without deleted accounts, even if others have their names
        accounts |= {name: at for name, at in people.items() if roll.player_of(game.id, name, at) in players}
    quorum = Quorum(game.own.quorum)
    is_met = quorum.is_met(len(there), game.own.entitled)
    weights = {own.account or seat.name: own.weight for seat, own in there if own.weight != 1}
    return Electorate(
        len(there), dict(sorted(accounts.items())), addresses, quorum.needed(game.own.entitled), is_met, weights
    )


# --- addresses ---


def split_line(line: str) -> tuple[str, str]:
    """Splits a line into name and address as typed; most lines have no address."""
    found = WITH_ADDRESS.fullmatch(line)
    return (found[1].strip(), found[2].strip()) if found else (line.strip(), "")


def clean_line(line: str) -> tuple[str, str]:
    """Raises a validation error if the name or the address is invalid."""
    name, address = split_line(line)
    return clean_name(name), clean_email(address) if address else ""


def join_line(name: str, address: str = "") -> str:
    return f"{name} <{address}>" if address else name


def read_addresses(text: str, names: Iterable[str]) -> dict[str, str]:
    """Parses typed addresses; rejects unknown names, invalid addresses and addresses shared by two people."""
    known, found = {fold(name): name for name in names}, dict[str, str]()
    for line in filter(None, map(str.strip, text.splitlines())):
        name, address = split_line(line)
        if fold(name) not in known:
            raise ValidationError(_("Nobody without an account has this name: %(line)s") % {"line": line[:100]})
        if address:
            try:
                found[known[fold(name)]] = clean_email(address)
            except ValidationError:
                raise ValidationError(_("Not an email address: %(line)s") % {"line": line[:100]}) from None
    if len({fold(each) for each in found.values()}) < len(found):
        raise ValidationError(_("An address appears twice. Everybody needs their own."))
    return found
