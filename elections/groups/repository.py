"""Groups of voters and their members in the table, and the writes that keep all items of a group consistent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from elections import repository as elections
from elections import rolls
from elections.rules import Election
from elections.voter_lists import Details
from foundation.acts.background import TaskType
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Equals, Exists, Item, Missing, Put, Update, Write

UNKNOWN = Details()
DELETING = TaskType("delete group", _("Deleting a group"))


@dataclass(frozen=True, slots=True)
class Group:
    """What lists show of a group; its members lie beside it. It never changes a roll by itself."""

    id: str
    name: str
    owner_name: str
    created_at: str
    members: int = 0
    version: int = 1

    def is_owned_by(self, person: str) -> bool:
        return keys.fold(person) == keys.fold(self.owner_name)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group, as on a roll: a user name with its account, an address, or a member number."""

    name: str
    account: str | None = None
    details: Details = UNKNOWN  # what letters to somebody with a member number need

    @property
    def label(self) -> str:
        return rolls.voter_label(self.name, self.details.display_name)

    @property
    def is_by_account(self) -> bool:
        return "@" not in self.name


# --- finding ---


def find(group_id: str) -> Group | None:
    item = table().get(keys.group(group_id))
    return group_of(item) if item else None


def list_own(name: str, *, limit: int, cursor: str | None = None) -> tuple[list[Group], str | None]:
    """By name."""
    page = table().page(keys.groups_of(name), limit=limit, cursor=cursor)
    return [group_of(item) for item in page.items], page.cursor


def every_group_of(name: str) -> Iterator[Group]:
    return map(group_of, table().each(keys.groups_of(name)))


def names_taken(person: str) -> set[str]:
    """Folded names of a person's groups, read from the unique name items, which are consistent."""
    return {keys.fold(item["name"]) for item in table().each(keys.group_names(person))}


def members(
    group_id: str, *, prefix: str = "", limit: int, cursor: str | None = None
) -> tuple[list[Member], str | None]:
    page = table().page(keys.members(group_id, prefix), limit=limit, cursor=cursor)
    return [member_of(item) for item in page.items], page.cursor


def every_member(group_id: str) -> Iterator[Member]:
    return (member_of(item) for item in table().each(keys.members(group_id)))


def existing_members(group_id: str, names: Iterable[str]) -> set[str]:
    """Those of the names, folded, that are in the group."""
    places = {keys.member(group_id, name): keys.fold(name) for name in names}
    return {places[place] for place in table().get_many(places)} if places else set()


def find_accounts(names: Iterable[str]) -> dict[str, str]:
    """Which account has each of the names, folded; by when it was made."""
    places = {keys.user(name): keys.fold(name) for name in names if rolls.is_by_account(name)}
    found = table().get_many(places) if places else {}
    return {places[place]: item["created_at"] for place, item in found.items()}


def current_members(members: Sequence[Member]) -> list[Member]:
    """Without those by the name of an account that is gone."""
    accounts = find_accounts(member.name for member in members)
    return [each for each in members if not each.is_by_account or accounts.get(keys.fold(each.name)) == each.account]


def on_roll(election: Election, *, by_name: bool) -> Iterator[Member]:
    """The current voters on a roll, as members."""
    for some in by_count(rolls.current_voters(election, by_name=by_name)):
        accounts, numbered = find_accounts(some), list(filter(rolls.is_by_number, some))
        voters = rolls.on_roll(election, numbered) if numbered else {}
        details = {folded: replace(voter.details, groups=None, weight=None) for folded, voter in voters.items()}
        yield from (
            Member(name, accounts.get(keys.fold(name)), details.get(keys.fold(name), Details())) for name in some
        )


# --- items ---


def group_of(item: Item) -> Group:
    return Group(**{name: item[name] for name in Group.__dataclass_fields__})


def member_of(item: Item) -> Member:
    return Member(item["member_name"], item.get("account"), _details_of(item.get(rolls.LETTER_OF_MEMBER, {})))


def _details_of(stored: Item) -> Details:
    return Details(**stored | {"postal": tuple(stored.get("postal", ()))})


# --- writes; each returns parts of a transaction ---


def creation(group: Group, source: Sequence[str] = ()) -> list[Write]:
    """Refused in part 0 if the owner has a group of that name. `source` is the election whose roll it was."""
    index = {"GSI1PK": keys.groups_of(group.owner_name).pk, "GSI1SK": keys.part(group.name)}
    own = Put({**keys.group(group.id).item, **index, **asdict(group)}, when=Missing())
    return [
        _name_item(group, group.name, is_new=True),
        own,
        *([elections.group_used(group.id, *source)] if source else []),
    ]


def _name_item(group: Group, name: str, *, is_new: bool) -> Put:
    item = {**keys.group_name(group.owner_name, name).item, "name": name, "id": group.id}
    return Put(item, when=Missing() if is_new else Equals("id", group.id))


def renaming(group: Group, name: str) -> list[Write]:
    """Refused in part 0 if its owner has another group of that name, in part 1 if it is called otherwise by now."""
    is_same = keys.fold(name) == keys.fold(group.name)
    listed = {"name": name, "GSI1SK": keys.part(name)}
    changed = Update(keys.group(group.id), set=listed, add={"version": 1}, when=Equals("name", group.name))
    old = [] if is_same else [Delete(keys.group_name(group.owner_name, group.name))]
    return [_name_item(group, name, is_new=not is_same), changed, *old]


def adding(group_id: str, members: Sequence[Member]) -> list[Write]:
    writes: list[Write] = []
    for member in members:
        index = {"GSI1PK": keys.groups_with(member.name).pk, "GSI1SK": keys.group_by_id(group_id)}
        fields: Item = {"group_id": group_id, "member_name": member.name}
        fields |= {} if member.account is None else {"account": member.account}
        fields |= {rolls.LETTER_OF_MEMBER: letter} if (letter := rolls.letter_fields(member.details)) else {}
        place = keys.member(group_id, member.name)
        writes.append(Put({**place.item, **index, **fields}, when=Missing()))
    return [*writes, Update(keys.group(group_id), add={"members": len(members), "version": 1}, when=Exists())]


def removing(group_id: str, names: Sequence[str]) -> list[Write]:
    gone = [Delete(keys.member(group_id, name), when=Exists()) for name in names]
    return [*gone, Update(keys.group(group_id), add={"members": -len(names), "version": 1}, when=Exists())]


def deletion(group: Group, at: str) -> list[Write]:
    """The group disappears at once. The worker deletes its members and the records of its use."""
    name = Delete(keys.group_name(group.owner_name, group.name))
    return [Delete(keys.group(group.id), when=Equals("name", group.name)), name, DELETING.begin(group.id, due=at)]


def member_data(members: Sequence[Member]) -> dict[str, list[str | None]]:
    """As in the event's payload."""
    return {"members": [each.name for each in members], "accounts": [each.account for each in members]}


def members_from(data: Mapping[str, Any]) -> list[Member]:
    letters = map(_details_of, data.get("letters", [{}] * len(data["members"])))
    return [Member(*each) for each in zip(data["members"], data["accounts"], letters, strict=True)]
