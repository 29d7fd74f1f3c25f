"""The real server, as `manage.py serve` starts it, for as long as it is needed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..serving import Server

ROOT = Path(__file__).parent.parent.parent
HOST = "127.0.0.1"
PROCESSES = 2
PATIENCE = 60  # seconds until it must answer


@contextmanager
def serving(folder: Path, store_url: str, secret_key: str, **more: str) -> Iterator[int]:
    """The port of a site served with this store. Whoever shares the secret can have signed people in beforehand."""
    own = {"STORE_URL": store_url, "SECRET_KEY": secret_key, **more}
    with started([sys.executable, "manage.py", "serve", "--no-demo"], folder, own) as server:
        yield server.port


@contextmanager
def started(command: list[str], folder: Path, own: Mapping[str, str], root: Path = ROOT) -> Iterator[Server]:
    """A site whose data are in this folder, of the code below that root, as soon as it answers."""
    port, log = _free_port(), folder / "server.log"
    variables = {"PATH": os.environ["PATH"], "DATA_DIR": folder, "PORT": port, "WEB_PROCESSES": PROCESSES, **own}
    environment = {name: str(value) for name, value in variables.items()}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        _wait_until_it_answers(port, process, log)
        yield Server(process, port)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"The server did not start:\n{log.read_text()}")
