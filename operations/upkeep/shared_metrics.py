"""The folder in which the processes of a site add up their metrics.

prometheus_client shares values through memory-mapped files if PROMETHEUS_MULTIPROC_DIR is set when it is imported; so
this module does not import it. On a full disk, writing to such a file ends the process (SIGBUS), so the folder is in
memory.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
MAX_FILES = 1000  # a worker that crashes and is restarted all day leaves a few files each time
MEMORY = Path("/dev/shm")  # noqa: S108 - only a folder of our own is used in it


def default_folder(data: Path) -> Path:
    """On the disk only where the system has no folder in memory, such as macOS."""
    if not os.access(MEMORY, os.W_OK):
        return data / "metrics"
    return MEMORY / f"plenum-{sha256(os.fsencode(data)).hexdigest()[:16]}"


def environment(folder: Path) -> dict[str, str]:
    """The environment variable for prometheus_client; empty if the folder cannot be used, and then every process counts
    for itself."""
    if problem(folder):
        return {}
    if len(list(folder.glob("*.db"))) > MAX_FILES:
        clear(folder)
    return {VARIABLE: str(folder)}


def problem(folder: Path) -> str:
    """Why the folder cannot be used, or nothing. Any user can create one in /dev/shm, so it must be ours."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        return error.strerror or type(error).__name__
    if not S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), 0):
        return "It belongs to somebody else"
    return "" if os.access(folder, os.W_OK) else "Permission denied"


def clear(folder: Path, *ending: int) -> None:
    """Remove the counts of processes that have ended or are about to; those of a worker that keeps running stay. The
    folder stays too, because another process may be starting."""
    for path in folder.glob("*.db"):
        pid = path.stem.rpartition("_")[2]
        if pid in map(str, ending) or not _is_running(pid):
            path.unlink(missing_ok=True)


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, OSError):  # an id reused by another user's process cannot be signalled
        return False
    return True
