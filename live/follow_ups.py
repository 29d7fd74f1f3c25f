"""What came of a session: the quick polls and draft elections that were made of it, as the table keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from acts.background import TaskType
from acts.storage import table
from elections import actions
from elections import repository as elections
from elections.rules import Relation
from elections.rules import State as ElectionState
from polls import repository as polls
from results import repository as results
from store import keys
from store.table import Check, Equals, Exists, Item, Key, Missing, Put, Update, Write

from .rules import Game, State

TELLING = TaskType("tell live outcome", _("Recording what came of a live session"))


class Made(StrEnum):
    """What a session can lead on to."""

    POLL = "poll"
    ELECTION = "election"


@dataclass(frozen=True, slots=True)
class Onward:
    """Something that was made of a session. Times are UTC, as text."""

    number: int
    kind: str
    what: str  # the id of a poll, the name of an election
    title: str
    round: int  # that it was made of; 0: of an assembly as a whole
    at: str  # when the poll or the election was made, by which an election is found under another name
    by: str

    @property
    def is_election(self) -> bool:
        return self.kind == Made.ELECTION


def onward_of(item: Mapping[str, Any]) -> Onward:
    return Onward(**{each.name: item[each.name] for each in fields(Onward)})


def listed(game_id: str) -> list[Onward]:
    """Everything that was made of a session, in its order."""
    return [onward_of(item) for item in table().each(keys.onwards(game_id))]


def find(game_id: str, number: int) -> Onward | None:
    item = table().get(keys.onward(game_id, number))
    return onward_of(item) if item else None


# --- where it is now ---


@dataclass(frozen=True, slots=True)
class Linked:
    """What was made, as somebody may see it now: without an address if it is gone, or a draft of somebody else's."""

    onward: Onward
    title: str
    address: str = ""
    digest: str = ""  # of the ballots of an election whose result is sealed


def linked(game_id: str, reader: User) -> list[Linked]:
    return all_linked(listed(game_id), reader)


def all_linked(made: Iterable[Onward], reader: User) -> list[Linked]:
    return [_linked(each, reader) for each in made]


def _linked(each: Onward, reader: User) -> Linked:
    return _election(each, reader) if each.is_election else _poll(each)


def _poll(each: Onward) -> Linked:
    poll = polls.find(each.what)
    return Linked(each, each.title) if poll is None else Linked(each, poll.title, reverse("poll", args=[poll.id]))


def _election(each: Onward, reader: User) -> Linked:
    election = elections.find_created(each.what, each.at)
    if election is None:
        return Linked(each, each.title)
    runs = reader.is_authenticated and actions.relation(reader, election) != Relation.NOBODY
    if election.stored_state == ElectionState.DRAFT and not runs:
        return Linked(each, election.name)
    _same, seal = results.find_seal(election.name) or (election, None)
    address = reverse("dashboard" if runs else "election", args=[election.name])
    return Linked(each, election.name, address, seal.digest if seal else "")


def is_there(each: Onward) -> bool:
    """Whether it has not been deleted, nor has gone by itself."""
    found = elections.find_created(each.what, each.at) if each.is_election else polls.find(each.what)
    return found is not None


# --- writes ---


def making(game: Game, state: State, made: Onward) -> list[Write]:
    """What goes with a poll or an election that is made of a session. Refused if something else was made at the same
    moment, if the session is gone, or if the round that is at hand has changed: it may not count any more."""
    still = Equals("version", state.version) if made.round and made.round == state.round else Exists()
    return [
        Put(_item(game, made) | {"untold": True}, when=Missing()),
        TELLING.begin(task_subject(game.id, made.number), game_id=game.id, number=made.number),
        Check(keys.game_state(game.id), still),
        *game.format.onward(game, made),
    ]


def task_subject(game_id: str, number: int) -> str:
    return f"{game_id}#{number}"


def telling(game_id: str, number: int) -> Update:
    """Refused if it is gone."""
    return Update(keys.onward(game_id, number), remove=("untold",), when=Equals("untold", True))


def told(game: Game, made: Onward) -> list[Write]:
    """As replay makes it again."""
    return [Put(_item(game, made), when=Missing())]


def _item(game: Game, made: Onward) -> Item:
    place: Key = keys.onward(game.id, made.number)
    return {"PK": place.pk, "SK": place.sk, "game": game.id, **as_item(made), "ttl": game.ttl}


def as_item(made: Onward) -> Item:
    return {each.name: getattr(made, each.name) for each in fields(Onward)} | {"kind": str(made.kind)}
