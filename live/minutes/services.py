"""Minutes are sealed once, at the end of an assembly, and then only added to, or removed as a whole."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import chain

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from acts.again import try_again
from acts.queues import take_each
from acts.refusals import Refusal
from acts.site import log, now_text, table
from acts.sweeping import sweep
from store import keys
from store.forgetting import to_forget
from store.limits import BATCH_PUTS
from store.log import Event
from store.splitting import by_count
from store.table import Delete, Equals, Item, Refused

from . import repository
from .records import MOST_NOTES, Note, digest, head_of

SITE = "plenum"
NOT_YET = _("The assembly has not ended. Notes can be added once its minutes are sealed.")
NOT_THERE = _("There are no sealed minutes of this assembly.")
TOO_MANY = _("Minutes have at most %(most)d notes.")


class NotSealed(Refusal):
    """There are no sealed minutes to add to."""


def seal(game_id: str) -> bool:
    """Copy what the session has, then say so in the log; whoever was cut off begins again, and copies the same."""
    item = table().get(keys.minutes(game_id))
    if item is None or item.get("digest") or item.get("deleted"):
        return False
    parts = list(repository.live_parts(game_id))
    copied = chain(repository.copies(game_id, parts), repository.attendances(head_of(item), parts))
    for some in by_count(copied, BATCH_PUTS):
        table().put_all(some)
    found = digest(repository.told_facts(item), parts)
    try:
        said = {"game_id": game_id, "digest": found, "rounds": len(item["played"])}
        sealed = partial(repository.sealing, game_id, found)
        log().record(Event(SITE, "LiveMinutesSealed", said), noting=sealed)
    except Refused:  # somebody else was quicker
        return False
    return True


def finish_all() -> int:
    """Seal or remove what somebody has begun to."""

    def finish(item: Item) -> bool:
        return (clear_away if item.get("deleted") else seal)(item["game_id"])

    return take_each(list(table().each(keys.UNSEALED_MINUTES)), finish)


def delete(who: User, game_id: str) -> None:
    """By somebody who looks after the site: the log keeps that there were minutes, and their digest."""
    try:
        event = Event(who.name, "LiveMinutesDeleted", {"game_id": game_id})
        log().record(event, *repository.deletion(game_id, now_text()))
    except Refused:
        raise NotSealed(NOT_THERE) from None
    clear_away(game_id)


def clear_away(game_id: str) -> bool:
    """Where those who were there find them, then parts and notes; the mark goes last, and has the files forget."""
    mark = keys.minutes(game_id)
    for some in by_count(repository.attendance_places(game_id)):
        table().write(*map(Delete, some))
    sweep(keys.all_of_minutes(game_id), (mark.sk,))
    try:
        table().write(Delete(mark, when=Equals("deleted", True)), to_forget())
    except Refused:
        return False
    return True


def forget_attendances(gone: User) -> None:
    """When somebody leaves for good: the list of what they attended goes. Minutes stay as they were sealed."""
    places = keys.attended_by(gone.name)
    if table().page(places, limit=1).items:
        sweep(places, ())
        table().write(to_forget())


def note(writer: User, game_id: str, text: str) -> Note:
    """What turned out to be wrong or is missing, by somebody who hosted the assembly; what stands there stays."""
    return try_again(lambda: _noted(writer, game_id, text))


def _noted(writer: User, game_id: str, text: str) -> Note:
    head = repository.find_head(game_id)
    if head is None or not head.is_sealed:
        raise NotSealed(NOT_YET)
    number = table().count(keys.minutes_notes(game_id)) + 1
    if number > MOST_NOTES:
        raise NotSealed(TOO_MANY % {"most": MOST_NOTES})
    added = Note(number, text, writer.name, now_text())
    said = {"game_id": game_id, "number": number, "digest": hashlib.sha256(text.encode()).hexdigest()}
    log().record(Event(writer.name, "LiveMinutesNoted", said), *repository.noting(game_id, added))
    return added
