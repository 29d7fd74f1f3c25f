"""The commitment to the roll of a closed election; to a large one it is made while its ballots are published.

That takes half as long as all else that a seal does, and has nothing to do with it. So it is done in a process of its
own where the store is a file that another process can read. The process is a new program and no copy of this one, for
the reasons that results/apart.py gives. A closed election keeps its roll as it is: it does not matter when it is read.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Thread

import orjson

from acts.site import table
from elections import places
from elections.rules import Election
from elections.turnout import turnout
from store.sqlite import SqliteTable

from .roll import commitment_to, new_secret

LARGE = 20_000  # on the roll; fewer are done before a process has begun
PATIENCE = 600.0  # seconds
ROOT = Path(__file__).parent.parent
PROGRAM = (sys.executable, "-X", "utf8", "-m", "results.roll")


class Commitment:
    """To the roll of an election, with a secret of its own; made when it is asked for."""

    def __init__(self, election: Election):
        self.election, self.secret = election, new_secret()

    @property
    def text(self) -> str:
        return roll_commitment(self.election, self.secret)


class Meanwhile(Commitment):
    """Made apart from now on. If nothing comes of that, it is made here after all."""

    def __init__(self, election: Election, file: str):
        super().__init__(election)
        roll = [asdict(span) for span in places.roll(election)]
        self._asked, self._said = orjson.dumps({"file": file, "roll": roll, "secret": self.secret}), ""
        self._waiting = Thread(target=self._ask, name="plenum-roll", daemon=True)
        self._waiting.start()

    def _ask(self) -> None:
        with suppress(OSError, subprocess.SubprocessError):  # no room for a process, or it was ended
            done = subprocess.run(  # noqa: S603 - our own program
                PROGRAM, cwd=ROOT, env={}, input=self._asked, capture_output=True, timeout=PATIENCE, check=True
            )
            self._said = done.stdout.decode()

    @property
    def text(self) -> str:
        self._waiting.join()
        return self._said or super().text


def begin(election: Election) -> Commitment:
    here = table()
    if isinstance(here, SqliteTable) and _voters(election) >= LARGE:
        return Meanwhile(election, here.path)
    return Commitment(election)


def _voters(election: Election) -> int:
    """At least so many are on the roll; where everybody may vote, those who did."""
    return election.voter_count if election.electorate == "listed" else turnout(election).voted


def roll_commitment(election: Election, secret: str) -> str:
    return commitment_to(table(), places.roll(election), secret)
