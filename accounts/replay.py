"""What events about people do, for replay: the same writes as the act itself. The log contains no credentials."""

from __future__ import annotations

from foundation.store.log.events import DoesNotFit, Effect, LoggedEvent, Transactions

from . import repository
from .models import User
from .rules import Role

NO_PASSWORD = "!"  # noqa: S105 - matches no password


def person(name: str) -> User:
    user = repository.find(name)
    if user is None or user.name != name:
        raise DoesNotFit(f"is about {name}, but at that point nobody has that name.")
    return user


def registered(event: LoggedEvent) -> Transactions:
    data = event.data
    role = Role[data["role"]]
    user = User(
        name=data["name"],
        email=data["email"],
        password=NO_PASSWORD,
        role_name=role.name,
        created_at=data["created_at"],
    )
    yield [*repository.creation(user), *([repository.first_owner(user)] if role == Role.OWNER else [])]


def email_changed(event: LoggedEvent) -> Transactions:
    yield repository.email_change(person(event.data["name"]), event.data["email"])


def check_role(user: User, expected: str) -> None:
    if user.role_name != expected:
        raise DoesNotFit(f"expects {user.name} to have the role {expected}, but it is {user.role_name} at that point.")


def role_changed(event: LoggedEvent) -> Transactions:
    user = person(event.data["name"])
    check_role(user, event.data["old_role"])
    yield repository.role_change(user, Role[event.data["new_role"]], event.data.get("voter_since"))


def ownership_transferred(event: LoggedEvent) -> Transactions:
    old, new = person(event.data["old_owner"]), person(event.data["new_owner"])
    check_role(new, event.data["old_role"])
    since = event.data.get("voter_since")
    roles = [*repository.role_change(old, Role.AUDITOR), *repository.role_change(new, Role.OWNER, since)]
    yield [*roles, repository.owner_change(old, new)]


def profile_changed(event: LoggedEvent) -> Transactions:
    data = event.data
    yield [repository.profile_change(person(data["name"]), data["display_name"], data["about"])]


def confirmed(event: LoggedEvent) -> Transactions:
    yield [repository.confirmation(person(event.data["name"]), event.kind == "OrganiserConfirmed")]


def removed(event: LoggedEvent) -> Transactions:
    user = person(event.data["name"])
    check_role(user, event.data["role"])
    yield repository.removal(user)


EFFECTS: dict[str, Effect] = {
    "UserRegistered": registered,
    "UserEmailChanged": email_changed,
    "UserRoleChanged": role_changed,
    "OwnershipTransferred": ownership_transferred,
    "ProfileChanged": profile_changed,
    "OrganiserConfirmed": confirmed,
    "OrganiserUnconfirmed": confirmed,
    "UserRemoved": removed,
}
