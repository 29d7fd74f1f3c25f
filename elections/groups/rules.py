"""What a group is, whose it is and how many it holds: frozen values and pure decisions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

from django.utils.translation import gettext_lazy as _

from elections.rolls import voter_label
from elections.voter_lists import Details
from foundation.acts.refusals import TooMany
from foundation.pages import lists
from foundation.pages.names import MAX_NAME_CHARS
from foundation.store.keys import fold

MAX_MEMBERS = lists.MAX_ROWS  # as many as a list for a roll may have
MAX_GROUPS_PER_PERSON = 200

UNKNOWN = Details()
NOT_THERE = _("This group no longer exists.")
NAME_TAKEN = _("You already have a group with that name. Please choose another name.")


@dataclass(frozen=True, slots=True)
class Group:
    """What lists show of a group; its members lie beside it. It never changes a roll by itself."""

    id: str
    name: str
    owner_name: str
    created_at: str
    members: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group, as on a roll: a user name with its account, an address, or a member number."""

    name: str
    account: str | None = None
    details: Details = UNKNOWN  # what letters to somebody with a member number need

    @property
    def label(self) -> str:
        return voter_label(self.name, self.details.display_name)

    @property
    def is_by_account(self) -> bool:
        return "@" not in self.name


def owns(name: str, group: Group) -> bool:
    return fold(name) == fold(group.owner_name)


def check_number(groups: int) -> None:
    if groups >= MAX_GROUPS_PER_PERSON:
        sentence = _("You have %(most)d groups, the maximum. Delete one you do not need.")
        raise TooMany(sentence % {"most": MAX_GROUPS_PER_PERSON})


def check_room(group: Group, more: int) -> None:
    if group.members + more > MAX_MEMBERS:
        sentence = _("A group has at most %(most)d members; with these it would have %(count)d.")
        raise TooMany(sentence % {"most": MAX_MEMBERS, "count": group.members + more})


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, or the first of “Name (2)”, “Name (3)” … that is not taken; the taken ones are folded."""
    endings = ("" if number == 1 else f" ({number})" for number in count(1))
    names = (wanted[: MAX_NAME_CHARS - len(ending)].rstrip() + ending for ending in endings)
    return next(name for name in names if fold(name) not in taken)
