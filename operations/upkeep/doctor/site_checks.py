"""Checks of the machine and the store: settings, disks, clock, programs; the store, the worker, tasks and backups."""

from __future__ import annotations

import ctypes
import errno
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.acts import background, key_mark
from foundation.acts.pause import Pause
from foundation.store import formats, keys
from foundation.store.table import LOG, Check, Delete, Exists, Item, Key, Put, Refused, StoreError, Table, Update, Write
from operations.upkeep import archive, system
from operations.upkeep.figures import LATEST
from operations.upkeep.heartbeats import MISSED_SECONDS
from operations.upkeep.input_files import current_user

from .health import MAX_CLOCK_SKEW_SECONDS, Finding, Health, broken, ok, warn

if TYPE_CHECKING:
    from foundation.store.dynamodb import DynamoDbTable

CLOCK_UNSYNCHRONISED = 5  # the kernel's state for a clock that is not synchronised
SLOW_ROUND_TRIP_SECONDS = 0.25
MAX_BACKUP_AGE_DAYS = 2
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
    about, found = _("Disk"), system.disks()
    if not found:
        folder = {"folder": settings.DATA_DIR}
        yield broken(about, _("DATA_DIR %(folder)s does not exist.") % folder, _("Start the site once to create it."))
    for disk in found:
        values = {"folder": disk.folder, "megabytes": disk.megabytes}
        if disk.trouble:
            yield broken(about, disk.trouble, _("Free some space or make it writable. The site recovers by itself."))
        elif disk.is_low:
            sentence = _("Only %(megabytes)d MB are free in %(folder)s.") % values
            yield warn(about, sentence, _("Free some space: when the disk is full, nobody can vote."))
        else:
            yield ok(about, _("%(megabytes)d MB are free in %(folder)s.") % values)


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
    if found := system.unusable():
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
    others = []
    for name, wanted in PINNED.findall(requirements.read_text()):
        with suppress(PackageNotFoundError):
            others += [f"{name} {found}"] if (found := version(name)) != wanted else []
    return others


# --- the store ---


def check_store(seconds: float) -> Finding:
    values = {"milliseconds": max(1, round(seconds * 1000)), "address": system.store_address()}
    sentence = _("%(address)s answers within %(milliseconds)d ms.") % values
    return (
        warn(_("Store"), sentence, _("That is slow: every page asks it several times."))
        if seconds > SLOW_ROUND_TRIP_SECONDS
        else ok(_("Store"), sentence)
    )


def check_format(number: int | None) -> Finding:
    """Whether this program understands the store's format, as far as the store records it."""
    about = _("Format")
    if number is not None and number > formats.FORMAT:
        return broken(about, formats.too_new(number, "The store"), _("Run the version that wrote it."))
    if number is None:
        unsaid = _("The store has no format number.")
        return warn(about, unsaid, _("Start the site once to set it."))
    return ok(about, _("The store has format %(number)d.") % {"number": number})


def check_rights(table: Table) -> Finding:
    """Tries each kind of write under a condition that never holds: a missing permission is reported before the
    condition."""
    try:
        for write in _refused_operations(secrets.token_urlsafe(16)):
            try:
                table.write(write)
            except Refused:
                continue
    except StoreError as error:
        return broken(
            _("Rights"), str(error), _("Give the site the right to write to its store (docs/how-to/operations.md).")
        )
    return ok(_("Rights"), _("Both tables can be read and written."))


def _refused_operations(token: str) -> Iterator[Write]:
    """In the log, only what every process writes: with two roles, only the worker may do more."""
    void = Key(keys.void(0).pk, token, LOG)
    for put, updated in ((keys.once(token),) * 2, (void, Key(keys.EVENT_NUMBER.pk, token, LOG))):
        yield Put({"PK": put.pk, "SK": put.sk}, when=Exists(), table=put.table)
        yield Update(updated, set={"at": ""}, when=Exists())
        yield Check(put, Exists())
    yield Delete(keys.once(token), when=Exists())


def check_protection(table: Table) -> Iterator[Finding]:
    """DynamoDB's features for its tables: expiry, recovery, deletion protection; nothing for the embedded store."""
    if urlsplit(settings.STORE_URL).scheme != "dynamodb":
        return
    try:
        lacking = cast("DynamoDbTable", table).lacking()
    except StoreError as error:
        yield warn(_("Protection"), str(error), _("Give the site the policies of deploy/aws/store.json."))
        return
    for sentence in lacking:
        yield warn(_("Protection"), sentence, _("Run plenum create_tables with the rights to turn it on."))
    if not lacking:
        yield ok(_("Protection"), _("Expiry, recovery and protection against deletion are on."))


def newest_moment(found: Health, checkpoint: Item | None) -> datetime | None:
    """The latest moment known to be in the log, without reading it."""
    moments = [found.waiting_since, checkpoint["when_sealed"] if checkpoint else None, found.figures.get(LATEST)]
    return max((datetime.fromisoformat(each) for each in moments if each), default=None)


def check_key(mark: Item | None) -> Finding:
    """Whether SECRET_KEY is the one with which links, letters and stored secrets were made."""
    if key_mark.is_replaced(mark):
        todo = _(
            "Put the earlier key back and restart. If the change is meant, invite people and print letters again, then "
            "run: plenum doctor --accept-key"
        )
        return broken(_("Secret key"), key_mark.sentence(), todo)
    return ok(_("Secret key"), _("SECRET_KEY is the one that this site was used with."))


# --- the worker ---


def check_worker(seconds: float | None, pause: Pause | None) -> Finding:
    about, todo = _("Worker"), _("Find out why it stopped: journalctl -u plenum-worker, or the server's log.")
    if seconds is None:
        return broken(about, _("None has been running for ten minutes. Mails, closing and counting wait."), todo)
    if seconds > MISSED_SECONDS:
        return warn(about, _("Its last heartbeat was %(seconds)d seconds ago.") % {"seconds": seconds}, todo)
    if pause:
        return warn(about, _("It is idle because the site is paused."), _("To resume: plenum resume"))
    return ok(about, _("It is running; its last heartbeat was %(seconds)d seconds ago.") % {"seconds": seconds})


# --- backups ---


def check_background_work() -> Finding:
    """Tasks that failed too often wait until they are retried by hand."""
    about, set_aside = _("Background work"), [task for task in background.failing() if task.is_set_aside]
    if not set_aside:
        return ok(about, _("No task was set aside."))
    details = {"count": len(set_aside), "label": background.label_of(set_aside[0]), "reason": set_aside[0].reason}
    sentence = _("Tasks set aside after repeated failures: %(count)d, such as “%(label)s”: %(reason)s")
    return broken(about, sentence % details, _("Fix the cause, then retry them at /admin/system/."))


def check_old_backups(folder: Path = archive.FOLDER) -> Iterator[Finding]:
    """Unencrypted backups, which anyone who gets them can read."""
    if found := archive.unencrypted_in(folder):
        values = {"count": len(found), "folder": folder, "first": found[0].name}
        sentence = _("Unencrypted backups: %(count)d in %(folder)s, such as %(first)s.") % values
        yield warn(_("Backup"), sentence, _("They may link secret ballots to voters. Delete them and all copies."))


def check_backup(item: Item | None, now: datetime) -> Finding:
    about, todo = _("Backup"), _("Make one now, and schedule more (deploy/plenum-backup.timer).")
    if not item:
        return warn(about, _("There has been no backup yet."), todo)
    ended = datetime.fromisoformat(item["ended_at"])
    days = (now - ended).days
    if days >= (settings.BACKUP_MAX_AGE_DAYS or MAX_BACKUP_AGE_DAYS):
        return warn(about, _("The last one is %(days)d days old.") % {"days": days}, todo)
    return ok(about, _("The last one ended at %(moment)s.") % {"moment": f"{ended:%Y-%m-%d %H:%M} UTC"})
