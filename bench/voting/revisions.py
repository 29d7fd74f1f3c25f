"""The code as it was at another revision, in a folder of its own, ready to be measured."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from ..ballots.server import ROOT

STAGE = Path(__file__).parent.parent / "stage"


class NoSuchRevision(LookupError):
    """The words say which."""


def checked_out(revision: str, to: Path, root: Path = ROOT) -> Path:
    """What was committed there, and what makes and serves a site to measure, which it may not have itself."""
    command = ["git", "archive", "--format=tar", f"{revision}^{{commit}}"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode:
        raise NoSuchRevision(f"BEFORE={revision} cannot be measured: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as everything:
        everything.extractall(to, filter="data")
    shutil.rmtree(to / "bench" / STAGE.name, ignore_errors=True)
    shutil.copytree(STAGE, to / "bench" / STAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    return to
