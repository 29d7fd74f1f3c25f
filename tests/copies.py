"""Copies of a prepared site: what many tests begin with is made once, and each changes a copy of its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def copy_of(path: Path, to: Path) -> Path:
    """The embedded store as another file, also if the other one is in use."""
    with sqlite3.connect(path) as source, sqlite3.connect(to) as target:
        source.backup(target)
    source.close()
    target.close()
    return to
