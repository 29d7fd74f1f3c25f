"""Follow-ups of a session: the polls and draft elections created from it, as stored in the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections import actions
from elections import repository as elections
from elections.rules import Relation
from elections.rules import State as ElectionState
from foundation.acts import features
from foundation.acts.background import TaskType
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Check, Equals, Exists, Item, Missing, Put, Update, Write
from parts.polls import repository as polls
from results import repository as results

from .repository import item_at, values, values_of
from .rules import Game, State

RECORDING = TaskType("tell live outcome", _("Recording the follow-up of a live session"))


class FollowUpKind(StrEnum):
    """Kinds of follow-up."""

    POLL = "poll"
    ELECTION = "election"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A poll or election created from a session. Times are UTC, as text."""

    number: int
    kind: str
    what: str  # id of the poll or name of the election
    title: str
    round: int  # it was created from; 0 for those present as a whole
    at: str  # creation time, by which a renamed election is found
    by: str

    @property
    def is_election(self) -> bool:
        return self.kind == FollowUpKind.ELECTION


def follow_up_from_item(item: Mapping[str, Any]) -> FollowUp:
    return FollowUp(**values_of(FollowUp, item))


def read_follow_ups(game_id: str) -> list[FollowUp]:
    """All follow-ups of a session, in order of creation."""
    return [follow_up_from_item(item) for item in table().each(keys.onwards(game_id))]


def find(game_id: str, number: int) -> FollowUp | None:
    item = table().get(keys.onward(game_id, number))
    return follow_up_from_item(item) if item else None


# --- where it is now ---


@dataclass(frozen=True, slots=True)
class LinkedFollowUp:
    """A follow-up as a reader may see it: without an address if deleted, or a draft they do not manage."""

    follow_up: FollowUp
    title: str
    address: str = ""
    digest: str = ""  # of the ballots, once the result of an election is sealed


def linked(game_id: str, reader: User) -> list[LinkedFollowUp]:
    return all_linked(read_follow_ups(game_id), reader)


def all_linked(made: Iterable[FollowUp], reader: User) -> list[LinkedFollowUp]:
    return [_election(each, reader) if each.is_election else _poll(each) for each in made]


def _poll(each: FollowUp) -> LinkedFollowUp:
    poll = polls.find(each.what) if features.is_on("polls") else None
    if poll is None:
        return LinkedFollowUp(each, each.title)
    return LinkedFollowUp(each, poll.title, reverse("poll", args=[poll.id]))


def _election(each: FollowUp, reader: User) -> LinkedFollowUp:
    election = elections.find_created(each.what, each.at)
    if election is None:
        return LinkedFollowUp(each, each.title)
    runs = reader.is_authenticated and actions.relation(reader, election) != Relation.NOBODY
    if election.stored_state == ElectionState.DRAFT and not runs:
        return LinkedFollowUp(each, election.name)
    _same, seal = results.find_seal(election.name) or (election, None)
    address = reverse("dashboard" if runs else "election", args=[election.name])
    return LinkedFollowUp(each, election.name, address, seal.digest if seal else "")


def still_exists(each: FollowUp) -> bool:
    """Whether it has been neither deleted nor expired."""
    found = elections.find_created(each.what, each.at) if each.is_election else polls.find(each.what)
    return found is not None


# --- writes ---


def making(game: Game, state: State, made: FollowUp) -> list[Write]:
    """Writes that accompany a new poll or election.

    Refused if another follow-up was created at the same time, if the session is gone, or if the current round has
    changed, because it may have been voided.
    """
    still = Equals("version", state.version) if made.round and made.round == state.round else Exists()
    data = {"game": game.id, **as_item(made), "untold": True}
    return [
        Put(item_at(keys.onward(game.id, made.number), game, data), when=Missing()),
        RECORDING.begin(task_subject(game.id, made.number), game_id=game.id, number=made.number),
        Check(keys.game_state(game.id), still),
    ]


def task_subject(game_id: str, number: int) -> str:
    return f"{game_id}#{number}"


def marking_recorded(game_id: str, number: int) -> Update:
    """Refused if the follow-up is gone or already recorded."""
    return Update(keys.onward(game_id, number), remove=("untold",), when=Equals("untold", True))


def as_item(made: FollowUp) -> Item:
    return values(made) | {"kind": str(made.kind)}
