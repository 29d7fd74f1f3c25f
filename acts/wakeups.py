"""Waking the worker on this machine when there is work, so that the work does not wait for its next poll.

A named pipe in DATA_DIR carries the name of the job (upkeep/worker/wakeups.py reads it). This only saves time: work is
found by its mark in the store, so a lost wakeup costs no more than the wait for the next poll.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

SEALING_JOB = "ballots"  # the job that seals closed elections


def pipe_path() -> Path:
    return Path(settings.DATA_DIR) / "worker.bell"


def wake_worker(job: str) -> bool:
    """Wake the worker for this job; whether one is listening."""
    try:
        file = os.open(pipe_path(), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # no worker has ever listened, or none does now
        return False
    try:
        os.write(file, f"{job}\n".encode())
    except OSError:  # full: the worker is about to read the earlier wakeups
        pass
    finally:
        os.close(file)
    return True
