"""Minutes in the table: reading them, and the writes that copy, seal and annotate them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.background import TaskType
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Delete, Equals, Exists, Item, Key, Missing, Put, Update, Write
from parts.live import repository as games
from parts.live import rules, seats
from parts.live.follow_up_store import follow_up_from_item
from parts.live.rules import Game, State

from .records import (
    OF_STORE,
    Additions,
    Head,
    Minutes,
    Note,
    Part,
    build_minutes,
    facts_of,
    head_of,
    parts_of,
    people_in,
)

SEALING = TaskType("seal minutes", _("Sealing minutes"))
DELETING = TaskType("delete minutes", _("Deleting minutes"))


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
    head = next((item for item in items if item["SK"] == keys.minutes(game_id).sk), None)
    if head is None or not head.get("digest"):
        return _from_session(game_id, _additions(items))
    parts = tuple(_part(item) for item in items if item["SK"].startswith(PART))
    return LoadedMinutes(build_minutes(head_of(head), parts, _additions(items)), parts, digested_facts(head))


def _additions(items: list[Item]) -> Additions:
    noted = (item for item in items if item["SK"].startswith(NOTE))
    notes = tuple(Note(item["number"], item["text"], item["by"], item["at"]) for item in noted)
    return notes, tuple(follow_up_from_item(item) for item in items if item["SK"].startswith(MADE))


def _from_session(game_id: str, additions: Additions) -> LoadedMinutes | None:
    found = games.find(game_id)
    if found is None or not found[0].format.record_page:
        return None
    facts, parts = facts_of(*found), tuple(live_parts(game_id))
    return LoadedMinutes(build_minutes(head_of(facts), parts, additions), parts, facts)


def live_parts(game_id: str) -> Iterator[Part]:
    """Parts built from the session while it exists."""
    return parts_of(table().each(keys.all_of_game(game_id)), seats.read_seats(game_id))


def find_head(game_id: str) -> Head | None:
    item = table().get(keys.minutes(game_id))
    return head_of(item) if item else None


def digested_facts(item: Item) -> dict[str, Any]:
    """What the digest covers besides the parts."""
    return {name: value for name, value in item.items() if name not in (*OF_STORE, "digest", "event")}


PART, NOTE, MADE = "PART#", "NOTE#", "MADE#"


def _part(item: Item) -> Part:
    data = {name: value for name, value in item.items() if name not in OF_STORE}
    return Part(item["SK"].removeprefix(PART), data)


# --- writes ---


def opening(game: Game, state: State) -> list[Write]:
    """Starts copying the minutes of an assembly that ends; a rehearsal has none."""
    if not rules.keeps_record(game, state):
        return []
    return [Put({**keys.minutes(game.id).item, **facts_of(game, state)}, when=Missing()), SEALING.begin(game.id)]


def copies(game_id: str, parts: Iterable[Part]) -> Iterator[Item]:
    return ({**keys.minutes_part(game_id, part.name).item, **part.data} for part in parts)


def attendances(head: Head, parts: Iterable[Part]) -> Iterator[Item]:
    """List entries for everyone who attended with an account."""
    entry = {name: getattr(head, name) for name in ATTENDED}
    for account in _accounts(parts):
        yield {**keys.attended(account, head.ended_at or "", head.game_id).item, **entry}


def _accounts(parts: Iterable[Part]) -> Iterator[str]:
    return (each.account for each in people_in(parts) if each.account)


def attendance_places(game_id: str, ended_at: str) -> list[Key]:
    parts = [_part(item) for item in table().each(keys.minutes_parts(game_id))]
    return [keys.attended(account, ended_at, game_id) for account in _accounts(parts)]


def attended_by(person: str, *, limit: int, cursor: str | None = None) -> tuple[list[Attended], str | None]:
    """Newest first."""
    page = table().page(keys.attended_by(person), limit=limit, cursor=cursor, backwards=True)
    return [Attended(**{name: item[name] for name in ATTENDED}) for item in page.items], page.cursor


def sealing(game_id: str, digest: str, event: int) -> list[Write]:
    """Refused if they are already sealed."""
    unsealed = Equals("game_id", game_id) & Missing("digest")
    return [Update(keys.minutes(game_id), set={"digest": digest, "event": event}, when=unsealed)]


def noting(game_id: str, note: Note) -> list[Write]:
    """Refused if another note has this number."""
    return [Put({**keys.minutes_note(game_id, note.number).item, **asdict(note)}, when=Missing())]


def deletion(game_id: str) -> list[Write]:
    """Deletes the facts, and the rest in the background. Refused unless they are sealed."""
    place = keys.minutes(game_id)
    ended_at = (table().get(place) or {}).get("ended_at", "")  # part of the key of list entries
    return [Delete(place, when=Exists("digest")), DELETING.begin(game_id, ended_at=ended_at)]
