"""The data stored and read back: ballots of about 200 bytes, and the other items that a cast writes."""

from __future__ import annotations

from foundation.store.table import Item

LARGE = "ELECTION#large"  # read as a whole
SMALL = "ELECTION#small"  # read as one page
SMALL_ITEMS = 1000
CAST = "ELECTION#cast"  # written to
MOMENT = "2026-11-15T10:30:00.123Z"

_ODD = 0x9E3779B97F4A7C15F39CC0605CEDC835  # odd, so that no two numbers share a product of 128 bits


def sort_key(number: int) -> str:
    """Ballots lie in an order that has nothing to do with their number, as those of real voters do."""
    return f"BALLOT#{number * _ODD % 2**128:032x}"


def ballot(partition: str, number: int) -> Item:
    return {
        "PK": partition,
        "SK": sort_key(number),
        "rankings": "3>1=4>0>2>5>6=7>8>9",
        "confirmation": "7Q4M-XK2P-9T5C-WBHD-3RZ8",
        "cast_at": MOMENT,
        "version": number % 3 + 1,
    }


def mark(number: int) -> Item:
    """That somebody has voted: may be written only once."""
    return {"PK": CAST, "SK": f"VOTER#{number:012d}", "voted_at": MOMENT}


def event(number: int) -> Item:
    return {
        "PK": "EVENTS",
        "SK": f"{number:012d}#{MOMENT}",
        "event_id": number,
        "actor": "ada",
        "when_occurred": MOMENT,
        "event_type": "BallotCast",
    }
