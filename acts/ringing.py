"""Telling a worker on this machine that something waits for it, so that nobody has to wait for its next look.

A pipe with a name in DATA_DIR: whoever has left something rings, and a worker that is there hears which of its jobs is
meant (upkeep/worker/bell.py). Nothing hangs on it. A worker that does not hear, or is killed when it has heard, leaves
all to the next look, its own or another's: what waits is found by its mark in the store, never by the ringing.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

BALLOTS = "ballots"  # the job that seals closed elections


def pipe() -> Path:
    return Path(settings.DATA_DIR) / "worker.bell"


def ring(job: str) -> bool:
    """Whether a worker is there to hear it."""
    try:
        file = os.open(pipe(), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # nobody has ever listened, or nobody does now
        return False
    try:
        os.write(file, f"{job}\n".encode())
    except OSError:  # it is full: somebody is about to hear all that was rung before
        pass
    finally:
        os.close(file)
    return True
