"""`python -m tests.calls.table` counts the calls of each act anew, and writes them down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("calls.toml")
HEAD = """\
# Python functions that one request calls, in Python 3.11. Other versions differ by less than one per cent.
# `make calls` counts anew. Whoever raises a number says why in the same commit.

"""
INHERITED = ("PATH", "HOME", "TMPDIR", "COMPILED_TEMPLATES")  # variables that change no count
MOST, LEAST = 1.03, 0.9  # times the number that is written down


def count() -> dict[str, int]:
    """In a process of its own, with an environment of its own."""
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    environment |= {"DJANGO_SETTINGS_MODULE": "tests.calls.settings"}
    command = [sys.executable, "-m", "tests.calls.acts"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read() -> dict[str, int]:
    return tomllib.loads(FILE.read_text())


def text(counts: Mapping[str, int]) -> str:
    return HEAD + "".join(f'"{name}" = {calls}\n' for name, calls in sorted(counts.items()))


def complaints(written: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
    """A number that is far too high would hide the next growth, so a fall is a complaint, too."""
    found = [
        f"{name} is counted or written down, but not both: make calls"
        for name in sorted(written.keys() ^ counts.keys())
    ]
    for name in sorted(written.keys() & counts.keys()):
        before, now = written[name], counts[name]
        both = f"{name} calls {now:,} functions instead of {before:,} ({now / before - 1:+.1%})."
        if now > before * MOST:
            found.append(f"{both} If it is worth that, raise the number in the same commit (make calls) and say why.")
        elif now < before * LEAST:
            found.append(f"{both} Lower the number in the same commit (make calls), so that it stays so.")
    return found


if __name__ == "__main__":
    FILE.write_text(text(count()))
    print(FILE.read_text(), end="")
