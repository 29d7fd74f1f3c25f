"""Stores as each format of them was written, kept for good: every later version opens, verifies, replays, upgrades and
serves them.

`N.sqlite3.gz` is the embedded store of a small site, `N.jsonl.gz` a backup of it; the program of that time has made
both, by the story in `story.py` as far as it could be told then:

- 0: commit 5e072cc. The log has no index, results no turnout, keys of open elections are recognised in another way, and
  moments of items are those before their event's.
- 1: commit a15a0a8, version 0.1.0. Nothing says the format yet.
- 2: what today's program writes is not kept before it is released; tests tell the story anew.
"""

from __future__ import annotations

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent
KEPT = (0, 1)
SECRET_KEY = "of the stores kept for tests, and of nothing else: known to everybody"
PASSWORD = "correct horse battery"


def unpack(number: int, to: Path) -> Path:
    """The embedded store of that format, as a file of its own."""
    to.write_bytes(gzip.decompress((FOLDER / f"{number}.sqlite3.gz").read_bytes()))
    return to


def backup_of(number: int) -> Path:
    return FOLDER / f"{number}.jsonl.gz"
