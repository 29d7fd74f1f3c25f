"""Doctor's checks of the store, the worker, background work and backups."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.acts import background, key_mark
from foundation.acts.pause import Pause
from foundation.store import formats, keys
from foundation.store.table import LOG, Check, Delete, Exists, Item, Key, Put, Refused, StoreError, Table, Update, Write
from operations.upkeep import system
from operations.upkeep.backups import retention as keeping
from operations.upkeep.log.figures import LATEST
from operations.upkeep.worker.heartbeats import MISSED_SECONDS

from .findings import Finding, broken, ok, warn
from .health import Health

if TYPE_CHECKING:
    from foundation.store.dynamodb import DynamoDbTable

SLOW_ROUND_TRIP_SECONDS = 0.25
MAX_BACKUP_AGE_DAYS = 2


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


def check_old_backups(folder: Path = keeping.FOLDER) -> Iterator[Finding]:
    """Unencrypted backups, which anyone who gets them can read."""
    if found := keeping.unencrypted_in(folder):
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
