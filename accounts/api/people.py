"""People, as far as profiles and the list for admins show them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts import repository
from accounts.access import PROFILE_VISIBILITY
from accounts.api.calls import Call, Page, Paging
from accounts.api_tokens import Scope
from accounts.models import User
from accounts.rules import Permission, Role
from foundation.pages.names import MAX_EMAIL_CHARS

from .operations import Area, link, operation

AREA = Area("people", "People", "Accounts and profiles.")
ROLES = {role.name.lower().replace("_", "-"): role for role in Role}

RoleName = Literal["no-access", "observer", "voter", "user", "admin", "auditor", "owner"]


class ListedPerson(msgspec.Struct):
    """A person in the list for admins."""

    name: str
    email: str
    role: RoleName
    created_at: datetime
    page: str


class ForAdmins(msgspec.Struct):
    """What only those who manage people see."""

    email: str
    role: RoleName
    second_factor: bool
    created_at: datetime
    page: str


class Person(msgspec.Struct):
    """A person, as their profile shows them."""

    name: str
    display_name: str
    about: Annotated[str | None, Meta(description="Markdown; `null` if they hide their profile from you.")]
    profile: Annotated[str | None, Meta(description="The page; `null` if they hide it from you.")]
    admin: ForAdmins | None


class Search(Paging):
    """Whom to list."""

    q: Annotated[
        str, Meta(max_length=MAX_EMAIL_CHARS, description="How a word of the name begins, or a whole mail address.")
    ] = ""
    role: RoleName | None = None


reading = {"scope": Scope.PEOPLE, "permission": Permission.VIEW_APPLICATION}


@operation(
    "GET", "people", AREA, "List people by name", query=Search, answers=Page[ListedPerson], scope=Scope.PEOPLE,
    permission=Permission.MANAGE_USERS,
)  # fmt: skip
def list_(call: Call) -> Page[ListedPerson]:
    """For those who manage people."""
    q, role = call.query.q, ROLES.get(call.query.role)
    if "@" in q:
        person = repository.find_by_email(q)
        return call.page([_listed(person)] if person and role in (None, person.role) else [], None)
    more: dict[str, Any] = {"role": role, "limit": call.query.limit, "cursor": call.cursor}
    found, cursor = repository.people_by_word(q, **more) if q else repository.people(**more)
    return call.page([_listed(each) for each in found], cursor)


def _listed(each: User | repository.ListedPerson) -> ListedPerson:
    return ListedPerson(each.name, each.email, *_account(each))


def _account(each: User | repository.ListedPerson) -> tuple[Any, datetime, str]:
    role = next(name for name, role in ROLES.items() if role == each.role)
    return role, datetime.fromisoformat(each.created_at), link("person", each.name)


@operation("GET", "people/<name:name>", AREA, "Read a person", answers=Person, **reading)
def read(call: Call, name: str) -> Person:
    """If they show you their profile, or you manage people."""
    person = repository.find(name)
    shows_profile = person is not None and any(sees(call.user, person.name) for sees in PROFILE_VISIBILITY)
    if person is None or not (shows_profile or call.user.can_manage_people):
        raise Http404
    role, created_at, page = _account(person)
    for_admins = ForAdmins(person.email, role, bool(person.factors), created_at, page)
    return Person(
        name=person.name,
        display_name=person.display_name,
        about=person.about if shows_profile else None,
        profile=link("profile", person.name) if shows_profile else None,
        admin=for_admins if call.user.can_manage_people else None,
    )
