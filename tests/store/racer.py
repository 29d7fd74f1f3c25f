"""One of several who create the same items at once. As processes they say which of twenty races each has won."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from foundation.store.connect import connect
from foundation.store.table import Conflict, Key, Missing, Put, Refused, Table
from tests.forks import in_processes

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


def race(url: str, who: int) -> Callable[[], list[int]]:
    table = connect(url)
    table.get(Key("warm", "up"))
    return lambda: [n for n in range(20) if created(table, Key("race", f"{n:02d}"), who)]


if __name__ == "__main__":
    print(json.dumps(in_processes(partial(race, sys.argv[1]), range(int(sys.argv[2])))))
