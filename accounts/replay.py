"""Replaying events about people: for each event type, the same writes as the live act."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from photos.rules import photo_of
from store.replay import DoesNotFit, Happened, Step, nothing_kept
from store.schema import EventType

from . import password_policy, repository
from .models import User
from .rules import Role

NO_PASSWORD = "!"  # noqa: S105 - matches no password: after a rebuild, people request a new one by mail


def person(name: str) -> User:
    user = repository.find(name)
    if user is None or user.name != name:
        raise DoesNotFit(f"is about {name}, but at that point nobody has that name.")
    return user


def registered(event: Happened) -> Iterator[Step]:
    data = event.data
    user = User(
        name=data["name"],
        email=data["email"],
        password=NO_PASSWORD,
        role_name=Role[data["role"]].name,
        created_at=data["created_at"],
        session_salt=secrets.token_hex(16),
        identities=data.get("identities", []),
    )
    owner = [repository.first_owner(user)] if user.role == Role.OWNER else []
    yield [*repository.creation(user), *owner]


def checked_only(event: Happened) -> Step:
    """The log holds no credentials, so all that can be checked is that the person exists."""
    person(event.data["name"])
    return ()


def email_changed(event: Happened) -> Iterator[Step]:
    yield repository.email_change(person(event.data["name"]), event.data["email"])


def check_role(user: User, expected: str) -> None:
    if user.role_name != expected:
        raise DoesNotFit(f"expects {user.name} to have the role {expected}, but it is {user.role_name} at that point.")


def role_changed(event: Happened) -> Iterator[Step]:
    user = person(event.data["name"])
    check_role(user, event.data["old_role"])
    since, group_role = event.data.get("voter_since"), event.data.get("group_role")
    yield repository.role_change(user, Role[event.data["new_role"]], since, group_role)


def linked(event: Happened) -> Iterator[Step]:
    yield repository.linking(person(event.data["name"]), event.data["identity"])


def unlinked(event: Happened) -> Iterator[Step]:
    user, key = person(event.data["name"]), event.data["identity"]["key"]
    if key not in [each["key"] for each in user.identities]:
        raise DoesNotFit(f"unlinks an identity from {user.name} that is not theirs at that point.")
    yield repository.unlinking(user, key)


def ownership_transferred(event: Happened) -> Iterator[Step]:
    old, new = person(event.data["old_owner"]), person(event.data["new_owner"])
    check_role(new, event.data["old_role"])
    since = event.data.get("voter_since")
    roles = [*repository.role_change(old, Role.AUDITOR), *repository.role_change(new, Role.OWNER, since)]
    yield [*roles, repository.owner_change(old, new)]


def profile_changed(event: Happened) -> Iterator[Step]:
    data = event.data
    yield [repository.profile_change(person(data["name"]), data["display_name"], data["about"])]


def pictured(event: Happened) -> Iterator[Step]:
    """Only the picture's metadata; its bytes are not in the log."""
    yield [repository.picture_change(person(event.data["name"]), photo_of(event.data["photo"]))]


def mail_limit_changed(event: Happened) -> Iterator[Step]:
    data, user = event.data, person(event.data["name"])
    if user.mails_a_day != data["old_mails_a_day"]:
        raise DoesNotFit(f"expects {user.name} to have another mail limit than they have at that point.")
    yield [repository.mail_limit_change(user, data["mails_a_day"])]


def confirmed(event: Happened) -> Iterator[Step]:
    yield [repository.confirmation(person(event.data["name"]), event.kind == "OrganiserConfirmed")]


def removed(event: Happened) -> Iterator[Step]:
    user = person(event.data["name"])
    check_role(user, event.data["role"])
    yield repository.removal(user)


def factors_changed(event: Happened) -> Iterator[Step]:
    """Only the kinds of factors; their secrets are not in the log."""
    user, kinds = person(event.data["name"]), event.data["factors"]
    if set(kinds) not in _possible(set(user.factors), event):
        raise DoesNotFit(f"expects {user.name} to have other second factors than they have at that point.")
    yield [repository.factors_change(user, kinds)]


def _possible(before: set[str], event: Happened) -> list[set[str]]:
    """The kinds possible afterwards. There may be several passkeys, so removing one may leave the kind."""
    match event.kind:
        case "SecondFactorAdded":
            return [before | {event.data["kind"]}]
        case "SecondFactorRemoved":
            return [before, before - {event.data["kind"]}] if event.data["kind"] in before else []
        case "SecondFactorsReset":
            return [set()]
    return [before]


EVENTS = (
    EventType("UserRegistered", registered, "name:person email:address role created_at", hidden="identities:list",
              own="identities"),
    EventType("PersonInvited", nothing_kept, "email:address role"),
    EventType("ResetLinkSent", checked_only, "name:person", is_told=True),
    EventType("UserPasswordChanged", checked_only, "name:person"),
    EventType("UserEmailChanged", email_changed, "name:person email:address"),
    EventType("UserRoleChanged", role_changed, "name:person old_role new_role voter_since", hidden="group_role:map",
              is_told=True),
    EventType("IdentityLinked", linked, "name:person", hidden="identity:map", own="identity"),
    EventType("IdentityUnlinked", unlinked, "name:person", hidden="identity:map", own="identity"),
    EventType("ProvidersRequired", lambda event: [password_policy.requiring(event.data)], "since"),
    EventType("PasswordsAllowed", lambda event: [password_policy.allowing()]),
    EventType("OwnershipTransferred", ownership_transferred, "old_owner:person new_owner:person old_role voter_since"),
    EventType("ProfileChanged", profile_changed, "name:person display_name about", own="display_name about"),
    EventType("PersonPictured", pictured, "name:person", hidden="photo:map", own="photo", is_told=True),
    EventType("MailLimitChanged", mail_limit_changed, "name:person old_mails_a_day:int mails_a_day:int"),
    EventType("OrganiserConfirmed", confirmed, "name:person"),
    EventType("OrganiserUnconfirmed", confirmed, "name:person"),
    EventType("UserRemoved", removed, "name:person role"),
    EventType("SecondFactorAdded", factors_changed, "name:person", hidden="kind factors:list"),
    EventType("SecondFactorRemoved", factors_changed, "name:person", hidden="kind factors:list"),
    EventType("SecondFactorsReset", factors_changed, "name:person", hidden="factors:list", is_told=True),
    EventType("RecoveryCodesMade", factors_changed, "name:person count:int", hidden="factors:list"),
    EventType("ApiTokenCreated", checked_only, "name:person token scopes:list expires_at"),
    EventType("ApiTokenRevoked", checked_only, "name:person token"),
    EventType("RecoveryCodeUsed", factors_changed, "name:person", hidden="factors:list"),
)  # fmt: skip
