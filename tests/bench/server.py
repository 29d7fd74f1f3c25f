"""Starts a site of any revision with its own `manage.py serve`, and measures what its processes use."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .client import HOST
from .data import ROOT, python_of

PROCESSES = 2
TIMEOUT_SECONDS = 120.0  # seconds until it must answer
TICKS = os.sysconf("SC_CLK_TCK")
MAX_RESTING_SECONDS = 0.02  # seconds of work in half a second
NEW, OLD = "new", "old"
REQUIREMENTS = "requirements.txt"


# --- which code ---


def revisions(folder: Path) -> dict[str, Path]:
    """The code here and, if BEFORE names a revision or the folder of a checkout, the code there. The code of a revision
    stays beside this folder for the next time, with its virtual environment if it needs other packages."""
    before = os.environ.get("BEFORE")
    if not before:
        return {NEW: ROOT}
    return {NEW: ROOT, OLD: Path(before).absolute() if Path(before).is_dir() else _extracted(before, folder)}


def _extracted(revision: str, folder: Path) -> Path:
    try:
        commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    except subprocess.CalledProcessError as error:
        sys.exit(f"BEFORE={revision} is neither a revision nor a folder: {error.stderr.decode().strip()}")
    there = folder.parent / "before" / commit
    if not there.exists():
        (folder / commit).mkdir()
        subprocess.run(["tar", "-x"], cwd=folder / commit, input=_git("archive", "--format=tar", commit), check=True)
        there.parent.mkdir(exist_ok=True)
        (folder / commit).rename(there)
    if (there / REQUIREMENTS).read_text() != (ROOT / REQUIREMENTS).read_text():
        subprocess.run(["make", ".venv/run", f"PYTHON={sys.executable}"], cwd=there, stdout=sys.stderr, check=True)
    return there


def _git(*asked: str) -> bytes:
    return subprocess.run(["git", *asked], cwd=ROOT, capture_output=True, check=True).stdout


@contextmanager
def work_folder(build: Path) -> Iterator[Path]:
    """On the disk of the build folder: the system's temporary folder may be memory, where a sync costs nothing."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=build.absolute()) as name:
        yield Path(name)


# --- a server ---


@dataclass(frozen=True, slots=True)
class Server:
    """A server and all processes that it has started."""

    leader: int
    port: int
    data: Path

    def cpu_seconds(self, *, with_worker: bool = False) -> float:
        """Of all processes that serve. The background worker does its work later, perhaps in another's turn."""
        return sum(map(_cpu_seconds, self._processes(with_worker=with_worker)))

    def worker_cpu_seconds(self) -> float:
        return self.cpu_seconds(with_worker=True) - self.cpu_seconds()

    def memory(self) -> float:
        """Megabytes of all processes, each page divided by the number of processes that share it (PSS)."""
        return sum(map(_pss, self._processes(with_worker=True))) / 1024

    def settle(self) -> None:
        """Wait until it rests, the worker too."""
        before, now = -1.0, self.cpu_seconds(with_worker=True)
        while now - before > MAX_RESTING_SECONDS:
            time.sleep(0.5)
            before, now = now, self.cpu_seconds(with_worker=True)

    def _processes(self, *, with_worker: bool) -> list[Path]:
        every = [each for each in Path("/proc").iterdir() if each.name.isdigit() and self._is_ours(int(each.name))]
        return [each for each in every if with_worker or not _is_worker(each)]

    def _is_ours(self, process: int) -> bool:
        try:
            return os.getsid(process) == self.leader
        except OSError:  # it has just ended
            return False


@contextmanager
def served(root: Path, data: Path, command: Sequence[str] = ()) -> Iterator[Server]:
    """The site of this folder of data, as soon as it answers."""
    port, log = _free_port(), data / "server.log"
    own = {"DATA_DIR": str(data), "PORT": str(port), "WEB_PROCESSES": str(PROCESSES), "LOG_LEVEL": "ERROR"}
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | own
    with log.open("wb") as output:
        process = subprocess.Popen(
            command or [python_of(root), "manage.py", "serve", "--no-demo"],
            cwd=root,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait_for_answer(port, process, log)
        yield Server(process.pid, port, data)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


@contextmanager
def served_copy(root: Path, data: Path) -> Iterator[Server]:
    """The same, of a copy that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="copy-", dir=data.parent) as name:
        copy = shutil.copytree(data, Path(name) / "data")
        with served(root, copy) as server:
            yield server


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_for_answer(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"The server did not start:\n{log.read_text()}")


# --- what /proc says ---


def _cpu_seconds(process: Path) -> float:
    """User and system time, ended threads and children included."""
    with suppress(OSError):
        fields = (process / "stat").read_text().rpartition(") ")[2].split()
        return sum(map(int, fields[11:15])) / TICKS
    return 0.0


def _pss(process: Path) -> int:
    with suppress(OSError):
        lines = (process / "smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 0


def _is_worker(process: Path) -> bool:
    """The background worker is a program of its own, or was forked and has a name of its own."""
    with suppress(OSError):
        return (process / "comm").read_text() == "plenum worker\n" or b"\0worker\0" in (
            process / "cmdline"
        ).read_bytes()
    return False
