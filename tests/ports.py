"""Ports for the servers that tests start: nobody else takes one between the choice and the start."""

from __future__ import annotations

import os
import socket
import tempfile
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import TextIO

FIRST, NUMBER = 20_000, 12_000  # below those that a system gives to clients, and to servers that ask for any
_held: list[TextIO] = []  # until this process ends


def free_port() -> int:
    """No other process of tests has it, or gets it while this one runs."""
    folder = Path(tempfile.gettempdir(), f"plenum-ports-{os.getuid()}")
    folder.mkdir(exist_ok=True)
    for number in range(NUMBER):
        port = FIRST + (37 * os.getpid() + number) % NUMBER
        file = (folder / str(port)).open("w")
        try:
            flock(file, LOCK_EX | LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:  # another test has it, or something else on this machine
            file.close()
            continue
        _held.append(file)
        return port
    raise AssertionError(f"None of the ports from {FIRST} to {FIRST + NUMBER - 1} is free.")
