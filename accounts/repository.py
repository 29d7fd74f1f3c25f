"""People in the store: lookups by name or address, and the writes that keep all items of a person consistent."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from foundation.acts.background import TaskType
from foundation.acts.storage import table
from foundation.photos import photos
from foundation.photos.photos import Photo, photo_of
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import (
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    Missing,
    Put,
    StoreError,
    Update,
    Write,
)

from .models import User
from .rules import Role, skeleton

REMOVAL = TaskType("remove person", _("Removing a person"))

VISIT_DURATION = timedelta(hours=6)
MAX_INDEXED_WORDS = 8  # words of a name in the search index: the first ones, and the last
_WORD = re.compile(r"[^\s\-\u2010'\u2019.,_/()]+")

# --- finding ---


def find(name: str) -> User | None:
    item = table().get(keys.user(name))
    return user_of(item) if item else None


def find_by_email(email: str) -> User | None:
    """By the index; the guard item covers what the index does not have yet."""
    for name in _names_by_email(email):
        user = find(name)
        if user and keys.fold(user.email) == keys.fold(email):
            return user
    return None


def find_by_identity(key: str) -> User | None:
    """By an identity at a provider. One of an earlier account of the same name does not count."""
    item = table().get(keys.identity(key))
    user = find(item["name"]) if item else None
    return user if user and item and user.created_at == item["account"] else None


def find_by_either(name_or_email: str) -> User | None:
    return find_by_email(name_or_email) if "@" in name_or_email else find(name_or_email)


def _names_by_email(email: str) -> Iterator[str]:
    for item in table().page(keys.users_by_email(email), limit=1).items:
        yield item["name"]
    if guard := table().get(keys.email(email)):
        yield guard["name"]


def owner_name() -> str | None:
    """The name of the site's owner; `None` before the first registration."""
    mark = table().get(keys.OWNER)
    return str(mark["name"]) if mark else None


class ListedPerson(NamedTuple):
    """A person as the people list shows them."""

    name: str
    email: str
    role: Role
    created_at: str


def has_lookalike(name: str) -> bool:
    """Whether an existing account has a name that looks the same."""
    return table().get(keys.lookalike(skeleton(name))) is not None


def people(
    *, prefix: str = "", role: Role | None = None, limit: int, cursor: str | None = None
) -> tuple[list[ListedPerson], str | None]:
    """People by name, all or of one role, starting at a prefix."""
    span = keys.people_with_role(role.name, prefix) if role is not None else keys.people(prefix)
    page = table().page(span, limit=limit, cursor=cursor)
    return [listed_person_of(item) for item in page.items], page.cursor


def people_by_word(
    start: str, *, role: Role | None = None, limit: int, cursor: str | None = None
) -> tuple[list[ListedPerson], str | None]:
    """People, all or of one role, with a word in their name that starts like this; each person once."""
    span = keys.name_words_with_role(role.name, start) if role is not None else keys.name_words(start)
    page = table().page(span, limit=limit, cursor=cursor)
    places = [keys.listed_person(item["name"]) for item in page.items if _is_first_match(item, span.prefix)]
    found = table().get_many(places) if places else {}
    return [listed_person_of(found[place]) for place in places if place in found], page.cursor


def _is_first_match(item: Item, prefix: str) -> bool:
    return item["SK"] == next((key.sk for key in _search_keys(item["name"]) if key.sk.startswith(prefix)), None)


def _search_keys(name: str) -> list[Key]:
    """The search keys of a name: the rest of it from each of its words."""
    starts = [0, *(found.start() for found in _WORD.finditer(name) if found.start())]
    some = starts if len(starts) <= MAX_INDEXED_WORDS else [*starts[: MAX_INDEXED_WORDS - 1], starts[-1]]
    return list(dict.fromkeys(keys.name_word(name[start:], name) for start in some))


def is_from_admin(invitation: Item) -> bool:
    """Whether it belongs on the list of those who manage people; addresses on rolls do not."""
    return "GSI1PK" in invitation


def invitations(*, limit: int, cursor: str | None = None) -> tuple[Sequence[Item], str | None]:
    """Invited addresses that have no account yet, newest first."""
    page = table().page(keys.INVITATIONS, limit=limit, cursor=cursor, backwards=True)
    return page.items, page.cursor


# --- items ---


def user_of(item: Item) -> User:
    return User(
        password=_join(item["salt"], item["hash"]),
        last_login=datetime.fromisoformat(item["last_login"]) if item.get("last_login") else None,
        name=item["name"],
        email=item["email"],
        role_name=item["role"],
        created_at=item["created_at"],
        voter_since=item.get("voter_since", ""),
        session_salt=item["session_salt"],
        display_name=item.get("display_name", ""),
        about=item.get("about", ""),
        factors=item.get("factors", []),
        lineage=item.get("lineage", ""),
        mails_a_day=item.get("mails_a_day"),
        confirmed=item.get("confirmed", False),
        photo=photo_of(item.get("photo")),
        visited_at=item.get("visited_at", ""),
        visited_before=item.get("visited_before", ""),
        asked_at=item.get("asked_at", ""),
        identities=item.get("identities", []),
        group_role=item.get("group_role"),
    )


def listed_person_of(item: Item) -> ListedPerson:
    return ListedPerson(item["name"], item["email"], Role[item["role"]], item["created_at"])


def _split(encoded: str) -> dict[str, str]:
    """Django's `method$...$salt$hash` as the schema's two attributes; the method stays with the hash."""
    method, dollar, rest = encoded.rpartition("$")[0].rpartition("$")
    if not dollar:
        return {"salt": "", "hash": encoded}  # an unusable password
    return {"salt": rest, "hash": f"{method}${encoded.rpartition('$')[2]}"}


def _join(salt: str, hashed: str) -> str:
    method, dollar, digest = hashed.rpartition("$")
    return f"{method}${salt}${digest}" if dollar else hashed


# --- writes; each returns the parts of a transaction ---


TAKEN, ADDRESS_TAKEN, NAME_LEAVES, ADDRESS_LEAVES, LOOKALIKE = 0, 1, 3, 4, 5  # parts of `creation`


def creation(user: User) -> list[Write]:
    """Refused in part 0 if the name is taken and in part 1 if the address is.

    Later parts refuse it if a former holder's removal is still under way, or if a name looks the same.
    """
    key, entry = keys.user(user.name), keys.listed_person(user.name)
    listed = {"name": user.name, "email": user.email, "role": user.role_name, "created_at": user.created_at}
    item = {
        **key.item,
        "GSI1PK": keys.users_by_email(user.email).pk,
        "GSI1SK": key.pk,
        **listed,
        **_split(user.password),
        "session_salt": user.session_salt,
        "lineage": user.lineage,
        **({"identities": user.identities} if user.identities else {}),
    }
    return [
        Put(item, when=Missing()),
        Put({**keys.email(user.email).item, "name": user.name}, when=Missing()),
        Put({**entry.item, "GSI1PK": keys.role(user.role_name), "GSI1SK": entry.sk, **listed}),
        name_is_free(user.name),
        name_is_free(user.email),
        Put(lookalike_guard(user.name), when=Missing()),
        *word_entries(user.name, user.role),
        *(_identity(user, each["key"]) for each in user.identities),
    ]


def _identity(user: User, key: str) -> Put:
    """Refused if the identity belongs to an account already."""
    return Put({**keys.identity(key).item, "name": user.name, "account": user.created_at}, when=Missing())


def lookalike_guard(name: str) -> Item:
    return {**keys.lookalike(skeleton(name)).item, "name": name}


def word_entries(name: str, role: Role) -> list[Put]:
    """The search entries of a person, among all people and within their role."""
    index = {"GSI1PK": keys.words_of_role(role.name), "name": name}
    return [Put({**key.item, "GSI1SK": key.sk, **index}) for key in _search_keys(name)]


def name_is_free(name_or_email: str) -> Check:
    """Check that no removal of the former holder is under way: their things must not pass to someone else."""
    return Check(keys.leaving(name_or_email), Missing())


def first_owner(user: User) -> Write:
    """Marks that the site has an owner; refused if it already has one."""
    return Put({**keys.OWNER.item, "name": user.name}, when=Missing())


def role_change(
    user: User, new: Role, voter_since: str | None = None, group_role: dict[str, str] | None = None
) -> list[Write]:
    """Also records since when they may vote, if that is new, and whether a group at a provider gave them the role.
    Refused in part 0 if the role has changed."""
    changes = {"role": new.name, "voter_since": voter_since, "group_role": group_role}
    gone = ("group_role",) if user.group_role and not group_role else ()
    return [
        Update(
            keys.user(user.name),
            set={name: value for name, value in changes.items() if value},
            remove=gone,
            when=Equals("role", user.role_name),
        ),
        Update(keys.listed_person(user.name), set={"role": new.name, "GSI1PK": keys.role(new.name)}),
        *word_entries(user.name, new),
    ]


def owner_change(old: User, new: User) -> Write:
    return Update(keys.OWNER, set={"name": new.name}, when=Equals("name", old.name))


def password_change(user: User, encoded: str, *, breaks: bool) -> Write:
    """A new password ends every session. Refused if the password has changed since it was read."""
    changes = {**_split(encoded), "session_salt": secrets.token_hex(16), **_lineage(breaks)}
    return Update(keys.user(user.name), set=changes, when=Equals("hash", _split(user.password)["hash"]))


def _lineage(breaks: bool) -> Item:
    """A change made without the earlier credentials may be someone else's, so it hides private data."""
    return {"lineage": secrets.token_hex(16)} if breaks else {}


def ending_sessions(user: User) -> Write:
    return Update(keys.user(user.name), set={"session_salt": secrets.token_hex(16)}, when=Exists())


def email_change(user: User, new: str) -> list[Write]:
    """Refused in part 0 if the address has changed, later if the new one is taken or its holder is being removed."""
    old_guard, guard = keys.email(user.email), keys.email(new)
    writes: list[Write] = [
        Update(
            keys.user(user.name),
            set={"email": new, "GSI1PK": keys.users_by_email(new).pk},
            when=Equals("email", user.email),
        ),
        Put({**guard.item, "name": user.name}, when=Missing() | Equals("name", user.name)),
        Update(keys.listed_person(user.name), set={"email": new}),
    ]
    if old_guard != guard:
        writes += [Delete(old_guard), name_is_free(new)]
    return writes


def removal(user: User, only_if: Condition | None = None) -> list[Write]:
    """Includes the picture. Refused in part 0 if picture, role or address changed, or `only_if` does not hold."""
    unchanged = Equals("role", user.role_name) & Equals("email", user.email) & photos.photo_unchanged(user.photo)
    unchanged &= _same_identities(user)
    return [
        Delete(keys.user(user.name), when=unchanged & only_if if only_if else unchanged),
        Delete(keys.email(user.email)),
        Delete(keys.listed_person(user.name)),
        Delete(keys.factors(user.name)),
        Delete(keys.lookalike(skeleton(user.name))),
        *(Delete(keys.identity(each["key"])) for each in user.identities),
        *map(Delete, _search_keys(user.name)),
        *photos.deleting_bytes(user.photo),
    ]


def profile_change(user: User, display_name: str, about: str) -> Write:
    """Refused if the profile has changed since it was read, so the log has changes in the order they happened."""
    unchanged = Exists() & _is_still("display_name", user.display_name) & _is_still("about", user.about)
    return Update(keys.user(user.name), set={"display_name": display_name, "about": about}, when=unchanged)


def picture_change(user: User, photo: Photo | None) -> Write:
    """Refused if the account is gone or a different one, or if its role or picture has changed."""
    same = Equals("created_at", user.created_at) & _same_role(user)
    return photos.setting_photo(keys.user(user.name), user.photo, photo, same)


def _is_still(name: str, text: str) -> Condition:
    """A missing text equals an empty one."""
    return Equals(name, text) if text else Equals(name, text) | Missing(name)


def factors_change(user: User, kinds: list[str], *, breaks: bool = False) -> Write:
    """Updates the kinds of factors on the account. Refused if it is a different account by now."""
    changes = {"factors": kinds, **_lineage(breaks)}
    return Update(keys.user(user.name), set=changes, when=Equals("created_at", user.created_at))


def linking(user: User, entry: dict[str, str]) -> list[Write]:
    """Refused in part 0 if the identity belongs to an account already, in part 1 if another was linked or unlinked."""
    return [_identity(user, entry["key"]), _identities_change(user, [*user.identities, entry])]


def unlinking(user: User, key: str) -> list[Write]:
    left = [each for each in user.identities if each["key"] != key]
    return [Delete(keys.identity(key)), _identities_change(user, left)]


def _identities_change(user: User, entries: list[dict[str, str]]) -> Write:
    same = Equals("created_at", user.created_at) & _same_identities(user)
    if not entries:
        return Update(keys.user(user.name), remove=("identities",), when=same)
    return Update(keys.user(user.name), set={"identities": entries}, when=same)


def _same_identities(user: User) -> Condition:
    return Equals("identities", user.identities) if user.identities else Missing("identities")


def mail_limit_change(user: User, most: int | None) -> Write:
    """Sets their daily mail limit; `None` is the site's default. Refused if the limit or the role has changed."""
    was = user.mails_a_day
    unchanged = _same_role(user) & (Missing("mails_a_day") if was is None else Equals("mails_a_day", was))
    if most is None:
        return Update(keys.user(user.name), remove=("mails_a_day",), when=unchanged)
    return Update(keys.user(user.name), set={"mails_a_day": most}, when=unchanged)


def confirmation(user: User, confirmed: bool) -> Write:
    """Confirms an organiser, or takes it back. Refused if that has happened already, or their role has changed."""
    if confirmed:
        return Update(keys.user(user.name), set={"confirmed": True}, when=_same_role(user) & Missing("confirmed"))
    return Update(keys.user(user.name), remove=("confirmed",), when=_same_role(user) & Equals("confirmed", True))


def confirmation_request(user: User, now: str) -> Write:
    """Refused if they have asked since they were read, or are no longer there."""
    unchanged = _same_role(user) & _is_still("asked_at", user.asked_at)
    return Update(keys.user(user.name), set={"asked_at": now}, when=unchanged)


def _same_role(user: User) -> Condition:
    return Equals("role", user.role_name)


def touch(user: User, fields: list[str]) -> None:
    """Stores what Django changes on its own and no event records."""
    changes: Item = {}
    if "last_login" in fields and user.last_login:
        changes["last_login"] = as_text(user.last_login)
    if "password" in fields:
        changes |= _split(user.password)
    if changes:
        table().write(Update(keys.user(user.name), set=changes, when=Exists()))


def last_visit(user: User, now: str) -> str:
    """When the previous visit began, or the account was created: anything later is new to this person.

    A visit begins after some hours without one, so this costs one write per visit and none per page.
    """
    if user.visited_at > as_text(datetime.fromisoformat(now) - VISIT_DURATION):
        return user.visited_before or user.created_at
    with suppress(StoreError):  # another tab was first, or the store is read-only: no reason to fail the page
        table().write(recording_visit(user, now))
    return user.visited_at or user.created_at


def recording_visit(user: User, now: str) -> Update:
    moments = {"visited_at": now, "visited_before": user.visited_at}
    return Update(keys.user(user.name), set=moments, when=Exists() & _is_still("visited_at", user.visited_at))


def reserving_names(user: User, now: str) -> list[Write]:
    """Reserves the name and the address until the removed person's ballots and elections are dealt with."""
    reserved = [Put(keys.leaving(each).item) for each in (user.name, user.email)]
    return [*reserved, REMOVAL.begin(user.name, email=user.email, removed_at=now)]


def releasing_names(user: User) -> list[Write]:
    """Everything of theirs has been dealt with."""
    return [Delete(keys.leaving(user.name)), Delete(keys.leaving(user.email)), Delete(keys.invitation(user.email))]


def forgetting_in_log(user: User, removed_at: str, upto: int) -> Put:
    """Marks that the log must forget them in events up to this number; later ones belong to someone else."""
    index = {"GSI1PK": keys.NAMES_TO_FORGET.pk, "GSI1SK": keys.by_date(removed_at, user.name)}
    person = {"name": user.name, "email": user.email, "removed_at": removed_at, "upto": upto}
    return Put({**keys.name_to_forget(user.name, removed_at).item, **index, **person})


def is_same_account(person: User) -> Check:
    """Check that this very account still exists, not a later one of the same name."""
    return Check(keys.user(person.name), Equals("created_at", person.created_at))
