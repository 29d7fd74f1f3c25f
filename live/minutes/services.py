"""Minutes are sealed once, at the end of an assembly, and then only added to."""

from __future__ import annotations

import hashlib
from functools import partial

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from acts.again import try_again
from acts.handfuls import handfuls
from acts.queues import take_each
from acts.refusals import Refusal
from acts.site import log, now_text, table
from store import keys
from store.limits import BATCH_PUTS
from store.log import Event
from store.table import Refused

from . import repository
from .records import MOST_NOTES, Note, digest

SITE = "plenum"
NOT_YET = _("The assembly has not ended. Notes can be added once its minutes are sealed.")
TOO_MANY = _("Minutes have at most %(most)d notes.")


class NotSealed(Refusal):
    """There are no sealed minutes to add to."""


def seal(game_id: str) -> bool:
    """Copy what the session has, then say so in the log; whoever was cut off begins again, and copies the same."""
    item = table().get(keys.minutes(game_id))
    if item is None or item.get("digest"):
        return False
    parts = list(repository.live_parts(game_id))
    for some in handfuls(repository.copies(game_id, parts), BATCH_PUTS):
        table().put_all(some)
    found = digest(repository.told_facts(item), parts)
    try:
        said = {"game_id": game_id, "digest": found, "rounds": len(item["played"])}
        sealed = partial(repository.sealing, game_id, found)
        log().record(Event(SITE, "LiveMinutesSealed", said), noting=sealed)
    except Refused:  # somebody else was quicker
        return False
    return True


def seal_all() -> int:
    return take_each(list(table().each(keys.UNSEALED_MINUTES)), lambda item: seal(item["game_id"]))


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
