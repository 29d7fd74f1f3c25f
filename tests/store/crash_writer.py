"""A process to be killed: its threads write transactions across both tables and name each that was acknowledged.

Run as `python -m tests.store.crash_writer URL ROUND`. A line on standard output is written only after `write` returned.
"""

from __future__ import annotations

import os
import random
import sys
import threading

from foundation.store.connect import connect
from foundation.store.table import LOG, Item, Key, Missing, Numbered, Put, Table, Update, Write, opened

THREADS = 4
COUNTER = Key("COUNTER", "METADATA")
NUMBERS = Key("NUMBERS", "METADATA", LOG)
GIVEN = Key("GIVEN", "METADATA", LOG)


def parts(round_number: str, name: str, count: int) -> list[Put | Update | Numbered]:
    """A change of `count` items, a counter that counts such changes, and its event under a number of its own."""
    items = [
        Put({"PK": f"ROUND#{round_number}", "SK": f"{name}#{n:02d}", "of": count, "text": "x" * 500}, when=Missing())
        for n in range(count)
    ]

    def event(given: Item) -> list[Write]:
        told = {"PK": f"ROUND#{round_number}", "SK": name, "of": count, "number": given["n"]}
        return [Put(told, when=Missing(), table=LOG)]

    return [*items, Update(COUNTER, add={"n": 1}), Numbered(GIVEN, "n", event)]


def write_until_killed(table: Table, round_number: str, thread: int) -> None:
    chance = random.Random(f"{round_number} {thread}")
    for n in range(1_000_000):
        name = f"{thread}-{n:06d}"
        writes = parts(round_number, name, chance.choice([1, 2, 5, 30]))
        table.write(*(opened(writes) if table.is_distant else writes))
        acknowledge(f"wrote {name}")
        acknowledge(f"took {table.increment(NUMBERS, 'n')}")


def acknowledge(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())  # one system call: whole lines, unbuffered


if __name__ == "__main__":
    table = connect(sys.argv[1])
    for thread in range(THREADS):
        threading.Thread(target=write_until_killed, args=(table, sys.argv[2], thread)).start()
