"""Actions on minutes: sealing them once at the end of an assembly, adding notes, deleting them."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import chain

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts.background import DELETIONS_PER_BATCH, Batch, Task, finished, next_deletions
from foundation.acts.refusals import NotNow, NotThere, TooMany
from foundation.acts.retry import retried
from foundation.acts.storage import SITE, delete_all, log, now_text, table, try_record
from foundation.store import keys
from foundation.store.limits import BATCH_PUTS
from foundation.store.log import Event
from foundation.store.purging import purge_mark
from foundation.store.splitting import by_count
from foundation.store.table import Delete

from . import repository
from .records import MAX_NOTES, Note, digest, head_of
from .repository import DELETING, SEALING


@SEALING.step
def seal(task: Task) -> Batch:
    """Copy the parts, then record the digest. Idempotent: a retry copies the same."""
    game_id = task.subject
    item = table().get(keys.minutes(game_id))
    if item is None:
        return finished()
    parts = list(repository.live_parts(game_id))
    copied = chain(repository.copies(game_id, parts), repository.attendances(head_of(item), parts))
    for batch in by_count(copied, BATCH_PUTS):
        table().put_all(batch)
    sealed_digest = digest(repository.digested_facts(item), parts)
    event = Event(
        SITE, "LiveMinutesSealed", {"game_id": game_id, "digest": sealed_digest, "rounds": len(item["played"])}
    )
    return Batch(event=event, noting=partial(repository.sealing, game_id, sealed_digest), is_last=True)


def delete(who: User, game_id: str) -> None:
    """By an administrator. The log keeps the digest."""
    event = Event(who.name, "LiveMinutesDeleted", {"game_id": game_id})
    if not try_record(event, *repository.deletion(game_id)):
        raise NotThere(_("This assembly has no sealed minutes."))
    DELETING.start(game_id)


@DELETING.step
def delete_batch(task: Task) -> Batch:
    """List entries first, then parts and notes."""
    done = task.progress.get("attendances", 0)
    upto = done + DELETIONS_PER_BATCH
    if places := repository.attendance_places(task.subject, task.data["ended_at"])[done:upto]:
        return Batch(map(Delete, places), {"attendances": upto})
    left = next_deletions(keys.all_of_minutes(task.subject))
    return Batch(left) if left else finished(purge_mark())


def forget_attendances(gone: User) -> None:
    """When an account is removed, its list goes; sealed minutes stay."""
    places = keys.attended_by(gone.name)
    if table().page(places, limit=1).items:
        delete_all(places)
        table().write(purge_mark())


@retried
def add_note(writer: User, game_id: str, text: str) -> Note:
    """A correction by a host; the sealed text does not change."""
    head = repository.find_head(game_id)
    if head is None or not head.is_sealed:
        raise NotNow(_("The assembly has not ended yet. You can add notes once its minutes are sealed."))
    number = table().count(keys.minutes_notes(game_id)) + 1
    if number > MAX_NOTES:
        raise TooMany(_("Minutes can have at most %(most)d notes.") % {"most": MAX_NOTES})
    added = Note(number, text, writer.name, now_text())
    event_data = {"game_id": game_id, "number": number, "digest": hashlib.sha256(text.encode()).hexdigest()}
    log().record(Event(writer.name, "LiveMinutesNoted", event_data), *repository.noting(game_id, added))
    return added
