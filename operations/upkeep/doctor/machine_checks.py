"""Checks of the machine: settings, disks, clock, programs."""

from __future__ import annotations

import ctypes
import errno
import re
import tempfile
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from operations.upkeep import disk, system
from operations.upkeep.backups.input_files import current_user

from .findings import Finding, broken, ok, warn
from .health import MAX_CLOCK_SKEW_SECONDS

CLOCK_UNSYNCHRONISED = 5  # the kernel's state for a clock that is not synchronised
PINNED = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)


# --- settings ---


def check_settings() -> Finding:
    """Invalid settings have already prevented the start; this is about ones that are missing, or no longer exist."""
    about = _("Settings")
    if settings.PRODUCTION and not settings.TRUSTED_PROXIES:
        sentence = _("TRUSTED_PROXIES is empty, but in production there is a proxy in front of the site.")
        return warn(about, sentence, _("Set TRUSTED_PROXIES to its address, such as 127.0.0.1."))
    if settings.IGNORED_SETTINGS:
        sentence = _("Earlier versions had these settings, which no longer have any effect: %(names)s.")
        return warn(about, sentence % {"names": ", ".join(settings.IGNORED_SETTINGS)}, _("Remove them."))
    return ok(about, _("All settings are valid (profile: %(profile)s).") % {"profile": settings.PROFILE})


# --- disks ---


def check_disks() -> Iterator[Finding]:
    found = disk.disks()
    if not found:
        folder = {"folder": settings.DATA_DIR}
        yield broken(
            _("Disk"), _("DATA_DIR %(folder)s does not exist.") % folder, _("Start the site once to create it.")
        )
    for each in found:
        yield _check_disk(each)


def _check_disk(each: disk.Disk) -> Finding:
    about, values = _("Disk"), {"folder": each.folder, "megabytes": each.megabytes}
    if each.trouble:
        return broken(about, each.trouble, _("Free some space or make it writable. The site recovers by itself."))
    if each.is_low:
        sentence = _("Only %(megabytes)d MB are free in %(folder)s.") % values
        return warn(about, sentence, _("Free some space: when the disk is full, nobody can vote."))
    return ok(about, _("%(megabytes)d MB are free in %(folder)s.") % values)


def check_writing() -> Finding:
    """Actually writes, because permissions alone do not tell."""
    about, values = _("Writing"), {"folder": settings.DATA_DIR}
    try:
        with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
            file.write(bytes(4096))
            file.flush()
    except OSError as error:
        sentence = _("%(folder)s is not writable: %(words)s.") % {**values, "words": error.strerror}
        return broken(about, sentence, _advice(error.errno))
    if found := disk.unusable():
        names = {"paths": ", ".join(map(str, found)), "user": current_user()}
        return broken(about, _("The user %(user)s cannot read and write %(paths)s.") % names, _advice(errno.EACCES))
    return ok(about, _("%(folder)s is writable.") % values)


def _advice(number: int | None) -> str:
    if number in (errno.ENOSPC, errno.EDQUOT):
        return _("Free some space. The site recovers by itself.")
    if number == errno.EROFS:
        return _("Mount its disk writable, then restart plenum and plenum-worker.")
    return _("It and everything in it must belong to the site's user: chown -R %(user)s: %(folder)s") % {
        "user": current_user(),
        "folder": settings.DATA_DIR,
    }


# --- the clock ---


def check_clock(now: datetime, newest: datetime | None, is_synchronised: bool | None) -> Finding:
    about, todo = _("Clock"), _("Turn on time synchronisation: timedatectl set-ntp true")
    if newest and (newest - now).total_seconds() > MAX_CLOCK_SKEW_SECONDS:
        sentence = _("The log contains an event from %(moment)s, in the future: the clock was set back.")
        return broken(about, sentence % {"moment": f"{newest:%Y-%m-%d %H:%M:%S} UTC"}, todo)
    if is_synchronised is False:
        return warn(about, _("It is not synchronised with a time server, and elections close by it."), todo)
    return ok(about, _("It says %(moment)s.") % {"moment": f"{now:%Y-%m-%d %H:%M:%S} UTC"})


def is_clock_synchronised() -> bool | None:
    """Whether the clock is synchronised, according to the kernel; `None` if it does not say."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(1024))  # read-only: changes nothing
    except (OSError, AttributeError):
        return None
    return None if state < 0 else bool(state != CLOCK_UNSYNCHRONISED)


# --- programs ---


def check_versions() -> Finding:
    about, names = _("Versions"), ", ".join(f"{name} {number}" for name, number in system.versions().items())
    if wrong := _other_than_pinned(settings.BASE_DIR / "requirements.txt"):
        sentence = _("Installed versions differ from requirements.txt: %(names)s.") % {"names": ", ".join(wrong)}
        return warn(about, sentence, _("Run .venv/bin/pip install --require-hashes -r requirements.txt and restart."))
    return ok(about, f"{names}.")


@cache  # packages do not change while a process runs
def _other_than_pinned(requirements: Path) -> list[str]:
    """Packages installed in another version; a missing one may be for another system."""
    pinned = PINNED.findall(requirements.read_text())
    return [f"{name} {found}" for name, wanted in pinned if (found := _installed(name)) not in (wanted, None)]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
