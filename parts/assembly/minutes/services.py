"""Minutes: reading them, sealing them once at the end of an assembly, adding notes, deleting them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import chain
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts.background import DELETIONS_PER_BATCH, Batch, Task, TaskType, finished, next_deletions
from foundation.acts.refusals import NotNow, NotThere, TooMany
from foundation.acts.retry import retried
from foundation.acts.storage import SITE, delete_all, log, now_text, table, try_record
from foundation.store import keys
from foundation.store.limits import BATCH_PUTS
from foundation.store.log import Event
from foundation.store.purging import purge_mark
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Equals, Exists, Item, Missing, Put, Update, Write
from parts.live import repository as games
from parts.live import rules, seats
from parts.live.follow_up_store import follow_up_from_item
from parts.live.rules import Game, State

from .records import (
    MAX_NOTES,
    OF_STORE,
    Head,
    Minutes,
    Note,
    Part,
    build_minutes,
    digest,
    facts_of,
    head_of,
    parts_of,
    people_in,
)

SEALING = TaskType("seal minutes", _("Sealing minutes"))
DELETING = TaskType("delete minutes", _("Deleting minutes"))
PART, NOTE, MADE = "PART#", "NOTE#", "MADE#"  # of which items are about sealed minutes


@dataclass(frozen=True, slots=True)
class LoadedMinutes:
    """Minutes with the parts they were built from."""

    minutes: Minutes
    parts: tuple[Part, ...]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attended:
    """An entry in a person's list of assemblies."""

    game_id: str
    title: str
    began_at: str
    ended_at: str
    time_zone: str


ATTENDED = [each.name for each in fields(Attended)]


def find(game_id: str) -> LoadedMinutes | None:
    """Sealed minutes, or those of a running assembly so far."""
    items = list(table().each(keys.all_of_minutes(game_id)))
    noted = (item for item in items if item["SK"].startswith(NOTE))
    notes = tuple(Note(item["number"], item["text"], item["by"], item["at"]) for item in noted)
    additions = notes, tuple(follow_up_from_item(item) for item in items if item["SK"].startswith(MADE))
    head = next((item for item in items if item["SK"] == keys.minutes(game_id).sk), None)
    if head is not None and head.get("digest"):
        parts = tuple(_part(item) for item in items if item["SK"].startswith(PART))
        return LoadedMinutes(build_minutes(head_of(head), parts, additions), parts, _digested_facts(head))
    found = games.find(game_id)
    if found is None or not found[0].format.record_page:
        return None
    facts, parts = facts_of(*found), tuple(_live_parts(game_id))
    return LoadedMinutes(build_minutes(head_of(facts), parts, additions), parts, facts)


def _part(item: Item) -> Part:
    data = {name: value for name, value in item.items() if name not in OF_STORE}
    return Part(item["SK"].removeprefix(PART), data)


def _digested_facts(item: Item) -> dict[str, Any]:
    """What the digest covers besides the parts."""
    return {name: value for name, value in item.items() if name not in (*OF_STORE, "digest", "event")}


def _live_parts(game_id: str) -> Iterator[Part]:
    """Parts built from the session while it exists."""
    return parts_of(table().each(keys.all_of_game(game_id)), seats.read_seats(game_id))


def find_head(game_id: str) -> Head | None:
    item = table().get(keys.minutes(game_id))
    return head_of(item) if item else None


def attended_by(person: str, *, limit: int, cursor: str | None = None) -> tuple[list[Attended], str | None]:
    """Newest first."""
    page = table().page(keys.attended_by(person), limit=limit, cursor=cursor, backwards=True)
    return [Attended(**{name: item[name] for name in ATTENDED}) for item in page.items], page.cursor


# --- sealing ---


def opening(game: Game, state: State) -> list[Write]:
    """Starts copying the minutes of an assembly that ends; a rehearsal has none."""
    if not rules.keeps_record(game, state):
        return []
    return [Put({**keys.minutes(game.id).item, **facts_of(game, state)}, when=Missing()), SEALING.begin(game.id)]


@SEALING.step
def seal(task: Task) -> Batch:
    """Copy the parts, then record the digest. Idempotent: a retry copies the same."""
    game_id = task.subject
    item = table().get(keys.minutes(game_id))
    if item is None:
        return finished()
    parts, head = list(_live_parts(game_id)), head_of(item)
    copies = ({**keys.minutes_part(game_id, part.name).item, **part.data} for part in parts)
    entry = {name: getattr(head, name) for name in ATTENDED}  # in the lists of all who attended with an account
    places = (keys.attended(each.account, head.ended_at or "", game_id) for each in people_in(parts) if each.account)
    for batch in by_count(chain(copies, ({**place.item, **entry} for place in places)), BATCH_PUTS):
        table().put_all(batch)
    sealed_digest = digest(_digested_facts(item), parts)
    event = Event(
        SITE, "LiveMinutesSealed", {"game_id": game_id, "digest": sealed_digest, "rounds": len(item["played"])}
    )

    def sealing(number: int) -> list[Write]:
        """Refused if they are already sealed."""
        unsealed = Equals("game_id", game_id) & Missing("digest")
        return [Update(keys.minutes(game_id), set={"digest": sealed_digest, "event": number}, when=unsealed)]

    return Batch(event=event, noting=sealing, is_last=True)


# --- notes ---


@retried
def add_note(writer: User, game_id: str, text: str) -> Note:
    """A correction by a host; the sealed text does not change."""
    head = find_head(game_id)
    if head is None or not head.is_sealed:
        raise NotNow(_("The assembly has not ended yet. You can add notes once its minutes are sealed."))
    number = table().count(keys.minutes_notes(game_id)) + 1
    if number > MAX_NOTES:
        raise TooMany(_("Minutes can have at most %(most)d notes.") % {"most": MAX_NOTES})
    added = Note(number, text, writer.name, now_text())
    event_data = {"game_id": game_id, "number": number, "digest": hashlib.sha256(text.encode()).hexdigest()}
    put = Put({**keys.minutes_note(game_id, number).item, **asdict(added)}, when=Missing())  # if none has this number
    log().record(Event(writer.name, "LiveMinutesNoted", event_data), put)
    return added


# --- deleting ---


def delete(who: User, game_id: str) -> None:
    """By an administrator: the facts at once, the rest in the background. Refused unless they are sealed. The log keeps
    the digest."""
    place = keys.minutes(game_id)
    ended_at = (table().get(place) or {}).get("ended_at", "")  # part of the key of list entries
    event = Event(who.name, "LiveMinutesDeleted", {"game_id": game_id})
    if not try_record(event, Delete(place, when=Exists("digest")), DELETING.begin(game_id, ended_at=ended_at)):
        raise NotThere(_("This assembly has no sealed minutes."))
    DELETING.start(game_id)


@DELETING.step
def delete_batch(task: Task) -> Batch:
    """List entries first, then parts and notes."""
    done = task.progress.get("attendances", 0)
    upto = done + DELETIONS_PER_BATCH
    parts = [_part(item) for item in table().each(keys.minutes_parts(task.subject))]
    accounts = [each.account for each in people_in(parts) if each.account]
    if accounts := accounts[done:upto]:
        places = (keys.attended(account, task.data["ended_at"], task.subject) for account in accounts)
        return Batch(map(Delete, places), {"attendances": upto})
    left = next_deletions(keys.all_of_minutes(task.subject))
    return Batch(left) if left else finished(purge_mark())


def forget_attendances(gone: User) -> None:
    """When an account is removed, its list goes; sealed minutes stay."""
    places = keys.attended_by(gone.name)
    if table().page(places, limit=1).items:
        delete_all(places)
        table().write(purge_mark())
