"""Resolves join codes, and throttles guessing by address.

Too many wrong codes block an address for a while. A hall shares one address, so these codes are always resolved:

- the code of a session that somebody at that address has already found, or hosts;
- the code of a poll: six letters and digits are too many to guess.

Someone at a host's address can therefore find that host's session by trying some thousand codes (docs/threats.md). When
a right code is refused, the host is notified.
"""

from __future__ import annotations

from django.urls import reverse

from foundation.acts.rate_limits import (
    SECONDS_PER_DAY,
    TEN_MINUTES_IN_SECONDS,
    Limit,
    TooOften,
    check_attempts_left,
    count,
    key_of,
    try_count,
)
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item, Key

from . import changes, clock, repository, seats
from .rules import Game

WRONG = Limit("live-code-wrong", 60, TEN_MINUTES_IN_SECONDS)
FOUND = Limit("live-code-found", 1, SECONDS_PER_DAY)  # at this address
HOSTED = Limit("live-hosted-from", 1, SECONDS_PER_DAY)
MS_PER_MINUTE = 60_000


def address_of(code: str) -> str | None:
    """Codes of sessions are numbers; those of polls are not."""
    return reverse("join_by_code", args=[code]) if code.isdecimal() else None


def resolve_code(code: str, address: str) -> Item | None:
    """A session under `game`, a poll under `poll`, otherwise `None`; refused after too many wrong codes."""
    code_there = f"{code} {address}"
    wrong, found, at = key_of(WRONG, address), key_of(FOUND, code_there), keys.short_code(code)
    hosted = hosting_key(code, address)
    items = table().get_many([wrong, found, hosted, at])
    item = items.get(at)
    is_hard_to_guess = item is not None and "poll" in item and not code.isdecimal()
    if not items.keys() & {found, hosted} and not is_hard_to_guess:
        _check_left(items.get(wrong), item)
    if item is None:
        count(WRONG, address)
    elif found not in items:
        try_count(FOUND, code_there)
    return item


def _check_left(tries: Item | None, item: Item | None) -> None:
    try:
        check_attempts_left(WRONG, tries)
    except TooOften:
        if item is not None and "game" in item:
            _tell_host(item["game"], clock.now())
        raise


def _tell_host(game_id: str, now: int) -> None:
    """Notify the host of refused codes, at most once a minute."""
    place = keys.game_roster(game_id)
    found, items = repository.find_shown_with(game_id, place)
    if found is not None and now - seats.refused_at(items.get(place)) > MS_PER_MINUTE:
        seats.refuse_code(found[0], now)
        changes.publish(game_id)


def hosting_key(code: str, address: str) -> Key:
    """Key of the mark that the session with this code is hosted from this address."""
    return key_of(HOSTED, f"{code} {address}")


def remember_host_address(game: Game, address: str) -> None:
    """Always resolve the session's code at this address, however many wrong codes are typed there."""
    if not game.ended_at and table().get(hosting_key(game.code, address)) is None:
        try_count(HOSTED, f"{game.code} {address}")
