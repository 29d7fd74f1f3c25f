"""The disks the site writes to: free space and problems, reported both before and after they are full."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from .server import LOCK
from .system import store_files

MEGABYTE = 1024**2
LOW_MB = 500  # free, below which the log and every page under /admin/ say so
MIN_FREE_BYTES = MEGABYTE  # with less than this, a write may fail at any moment
REPEAT_WARNING_SECONDS = 3600  # between two log lines about the same problem
log = logging.getLogger("plenum.disk")


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system that contains one of our folders."""

    folder: Path
    free: int  # bytes, for users other than root
    is_read_only: bool
    has_names: bool  # whether there are free inodes

    @property
    def megabytes(self) -> int:
        return self.free // MEGABYTE

    @property
    def is_full(self) -> bool:
        return self.free < MIN_FREE_BYTES or not self.has_names

    @property
    def is_low(self) -> bool:
        return self.megabytes < LOW_MB or not self.has_names

    @property
    def trouble(self) -> str:
        """Why nothing can be written, in a sentence, or nothing."""
        if self.is_read_only:
            return _("The disk holding %(folder)s is read-only.") % {"folder": self.folder}
        return _("The disk holding %(folder)s is full.") % {"folder": self.folder} if self.is_full else ""


def disks() -> list[Disk]:
    """Each file system once: that of DATA_DIR and, if it is a file, that of the store."""
    found: dict[int, Disk] = {}
    for folder in (settings.DATA_DIR, *(file.parent for file in store_files()[:1])):
        if os.path.isdir(folder):  # unlike its method, says no where we may not look
            state = os.statvfs(folder)
            has_names = state.f_favail > 0 or not state.f_files  # some file systems do not count inodes
            disk = Disk(folder, state.f_bavail * state.f_frsize, bool(state.f_flag & os.ST_RDONLY), has_names)
            found.setdefault(os.stat(folder).st_dev, disk)
    return list(found.values())


def write_problem() -> str:
    """Why nothing can be written right now, as far as the disks show."""
    if found := " ".join(disk.trouble for disk in disks() if disk.trouble):
        return found
    unusable_paths = unusable()
    return _("The site's user cannot read and write %(path)s.") % {"path": unusable_paths[0]} if unusable_paths else ""


def unusable() -> list[Path]:
    """Files that the site must read and write but may not, such as those of another user after a manual copy. A site
    that has them open already runs on for a while and fails at its next start."""
    others = (settings.DATA_DIR / LOCK, settings.STATIC_ROOT, *store_files())
    paths = (settings.DATA_DIR, *filter(os.path.exists, others))
    wanted = {path: os.R_OK | os.W_OK | (os.X_OK if os.path.isdir(path) else 0) for path in paths}
    return [path for path, mode in wanted.items() if not os.access(path, mode)]


def low_disks() -> list[Disk]:
    """Disks with little room left."""
    return [disk for disk in disks() if disk.is_low]


class DiskWatch:
    """Logs that space is running out, at once and then hourly, and when there is space again."""

    def __init__(self, ticking: Callable[[], float] = time.monotonic):
        self.ticking = ticking
        self._said: float | None = None

    def look(self) -> None:
        found = low_disks()
        if found and (self._said is None or self.ticking() - self._said >= REPEAT_WARNING_SECONDS):
            self._said = self.ticking()
            for disk in found:
                log.warning("little room", extra={"folder": str(disk.folder), "free_megabytes": disk.megabytes})
        if not found and self._said is not None:
            self._said = None
            log.warning("room again")
