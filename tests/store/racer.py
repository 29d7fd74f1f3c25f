"""One of several who create the same items at once. As a process it says which of twenty races it has won."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from store.connect import connect
from store.table import Conflict, Key, Missing, Put, Refused, Table

Answer = TypeVar("Answer")


def insist(act: Callable[[], Answer]) -> Answer:
    """Try again as long as others are in the way."""
    while True:
        with suppress(Conflict):
            return act()


def created(table: Table, key: Key, who: int) -> bool:
    try:
        insist(lambda: table.write(Put({"PK": key.pk, "SK": key.sk, "who": who}, when=Missing())))
    except Refused:
        return False
    return True


def race(url: str, who: int) -> None:
    table = connect(url)
    table.get(Key("warm", "up"))
    print("ready", flush=True)
    sys.stdin.readline()
    print(*[n for n in range(20) if created(table, Key("race", f"{n:02d}"), who)])


if __name__ == "__main__":
    race(sys.argv[1], int(sys.argv[2]))
