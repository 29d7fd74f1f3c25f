"""Roles, permissions and names: pure decisions about people."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotAllowed
from foundation.store.keys import fold, without_invisible


class Role(IntEnum):
    """What a person may do here, from lowest to highest."""

    NO_ACCESS = 0
    OBSERVER = 1
    VOTER = 2
    USER = 3
    ADMIN = 4
    AUDITOR = 5
    OWNER = 6

    @property
    def label(self) -> str:
        return LABELS[self]


ROLES = {role.name: role for role in Role}
LABELS = {
    Role.NO_ACCESS: _("Waiting for approval"),
    Role.OBSERVER: _("Observer"),
    Role.VOTER: _("Voter"),
    Role.USER: _("User"),
    Role.ADMIN: _("Admin"),
    Role.AUDITOR: _("Auditor"),
    Role.OWNER: _("Owner"),
}


class Permission(IntEnum):
    """What a page or an act requires; the value is the lowest role that has it."""

    VIEW_APPLICATION = Role.OBSERVER
    VOTE = Role.VOTER
    USE_APPLICATION = Role.USER
    MANAGE_USERS = Role.ADMIN
    VIEW_SECRETS = Role.AUDITOR
    TRANSFER_OWNER = Role.OWNER


def has(role: Role, permission: Permission) -> bool:
    return role >= permission


# --- changing roles ---


def check_role_change(caller: tuple[str, Role], target: tuple[str, Role], new: Role) -> None:
    """Refuse a change of role unless both roles are strictly below the caller's. Names are compared folded."""
    (caller_name, caller_role), (target_name, target_role) = caller, target
    if not has(caller_role, Permission.MANAGE_USERS):
        raise NotAllowed(_("You cannot change roles."))
    if caller_name == target_name:
        raise NotAllowed(_("You cannot change your own role."))
    if new == Role.OWNER and caller_role == Role.OWNER:
        return  # handing over ownership: the only change that is not strictly below the caller
    if target_role >= caller_role:
        raise NotAllowed(_("You can only change the role of people whose role is below yours."))
    if new >= caller_role:
        raise NotAllowed(_("You can only assign roles below your own."))


def role_by_groups(role: Role, before: Role | None, granted: Role | None) -> Role:
    """The role of a person whose groups at a provider grant this one, if any. `before` is the role they had when a
    group gave them theirs; a role that people gave is never lowered, and those above an admin stay as they are."""
    if role > Role.ADMIN:
        return role
    own = role if before is None else before
    return max(own, granted or own)


def invitable_roles(caller: Role) -> list[Role]:
    """The roles that an invitation may promise: those strictly below the caller's that need no approval."""
    return [role for role in Role if Role.NO_ACCESS < role < caller]


def offered_roles(caller: tuple[str, Role], target: tuple[str, Role]) -> list[Role]:
    """The roles the caller may give the target, except the target's current one."""
    return [role for role in Role if role != target[1] and _accepts(caller, target, role)]


def _accepts(caller: tuple[str, Role], target: tuple[str, Role], new: Role) -> bool:
    try:
        check_role_change(caller, target, new)
    except NotAllowed:
        return False
    return True


def check_manages(caller: tuple[str, Role], target: tuple[str, Role]) -> None:
    """Refuse to let the caller manage or remove a person whose role is not strictly below theirs."""
    if not has(caller[1], Permission.MANAGE_USERS) or target[1] >= caller[1] or caller[0] == target[0]:
        raise NotAllowed(_("You can only do this for people whose role is below yours."))


# --- mail to others ---


def mails_a_day(role: Role, own: int | None, usual: int) -> int | None:
    """How many mails a person may send to others per day: their own limit, or the site's default.

    Those who manage people have no limit unless the owner sets one: they set everyone else's.
    """
    if own is not None:
        return own
    return None if has(role, Permission.MANAGE_USERS) else usual


def is_confirmed(role: Role, confirmed: bool) -> bool:
    """Whether a person may send their own text to many: a confirmed organiser, or a role that can confirm one."""
    return confirmed or has(role, Permission.MANAGE_USERS)


def check_confirmed(role: Role, confirmed: bool) -> None:
    if not is_confirmed(role, confirmed):
        raise NotAllowed(NOT_CONFIRMED)


NOT_CONFIRMED = _(
    "Only organisers confirmed by an admin can write to all voters in their own words. Until then you can send "
    "invitations and reminders with our text."
)


# --- names and addresses ---


def is_at(email: str, domains: Iterable[str]) -> bool:
    """Whether an address is at one of the domains; `.example.org` matches only subdomains of example.org."""
    domain = _folded_domain(email.rpartition("@")[2])
    return any(_is_below(domain, each) if each.startswith(".") else domain == _folded_domain(each) for each in domains)


def _is_below(domain: str, parent: str) -> bool:
    return domain.endswith(f".{_folded_domain(parent.removeprefix('.'))}")


def _folded_domain(domain: str) -> str:
    return fold(f"@{domain}").removeprefix("@")


LEFT_TO_RIGHT = "\u200e"  # the package's data puts it around right-to-left letters


def skeleton(name: str) -> str:
    """What the name looks like. Case is folded last, because it is the capital I that looks like a small l."""
    text = unicodedata.normalize("NFD", without_invisible(name))
    for _pass in range(2):  # a letter may look like several letters, which in turn look like others
        text = text.translate(_prototypes())
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """Maps every confusable character to its prototype. Loaded lazily: most processes never need it."""
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    alike: dict[str, set[str]] = {}
    for each, others in confusables_data.items():
        alike[_bare(each)] = {_bare(other["c"]) for other in others}
    # The one that the data lists with all its lookalikes; of two, the longer or plainer one.
    return {
        ord(each): max((each, *alike[each]), key=lambda text: (len(alike[text]), len(text), text.isascii(), text))
        for each in alike
        if len(each) == 1
    }


def _bare(text: str) -> str:
    return text.strip(LEFT_TO_RIGHT)
