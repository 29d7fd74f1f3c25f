"""Makes the site of effe9e3b, with which goals compare, by that revision's own measurements: its services had other
names, and it reads no data of ours."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .data import CANDIDATES, Person, python_of

MAKER = "bench.stage.prepare"


def is_earlier(root: Path) -> bool:
    return (root / "bench" / "stage" / "prepare.py").exists()


def election(folder: Path, root: Path, voters: int, cast: int = 0, sealed: int = 0) -> dict[str, Any]:
    size = {"voters": voters, "signed_in": voters, "candidates": CANDIDATES, "elections": 1}
    made = _run(folder, root, act="make", cast=cast, sealed=sealed, **size)
    return {"owner": _person(made["owner"]), "voters": [_person(each) for each in made["voters"]]}


def _person(made: dict[str, Any]) -> dict[str, Any]:
    cookies = {"plenum_session": made["session"], "csrftoken": made["cookie"]}
    return {"name": made["name"], "cookies": cookies, "form": made["form"] | {"csrfmiddlewaretoken": made["field"]}}


def check(folder: Path, root: Path, voted: Sequence[Person]) -> None:
    """Fails unless every one of these ballots is there."""
    _run(folder, root, act="check", voted=[each.name for each in voted], acknowledged=len(voted), unknown=0)


def _run(folder: Path, root: Path, **asked: Any) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    command = [python_of(root), "-m", MAKER, str(folder)]
    done = subprocess.run(command, cwd=root, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made
