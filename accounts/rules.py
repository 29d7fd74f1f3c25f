"""Who may do what, and what a name is: pure decisions about people, each refusal a sentence."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, IntEnum

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _

LONGEST_NAME = 200
LONGEST_EMAIL = 254


class Refusal(Exception):
    """Something a person asked for and may not have. The class is for the program, the words are for the person."""


class NotAllowed(Refusal, PermissionDenied):
    """The person's role does not give this. Django answers it with the page for 403."""


class Role(IntEnum):
    """What a person may do here, lowest to highest."""

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


LABELS = {
    Role.NO_ACCESS: _("Waiting for approval"),
    Role.OBSERVER: _("Observer"),
    Role.VOTER: _("Voter"),
    Role.USER: _("User"),
    Role.ADMIN: _("Admin"),
    Role.AUDITOR: _("Auditor"),
    Role.OWNER: _("Owner"),
}


class Permission(Enum):
    """What a page or an act needs; the value is the lowest role that has it."""

    VIEW_APPLICATION = Role.OBSERVER
    VOTE = Role.VOTER
    USE_APPLICATION = Role.USER
    MANAGE_USERS = Role.ADMIN
    VIEW_SECRETS = Role.AUDITOR
    TRANSFER_OWNER = Role.OWNER


def has(role: Role, permission: Permission) -> bool:
    return role >= permission.value


# --- changing roles ---


def check_role_change(caller: tuple[str, Role], target: tuple[str, Role], new: Role) -> None:
    """Refuse a change of role that the caller may not make. Names are compared as keys are: folded."""
    (caller_name, caller_role), (target_name, target_role) = caller, target
    if not has(caller_role, Permission.MANAGE_USERS):
        raise NotAllowed(_("You may not change roles."))
    if caller_name == target_name:
        raise NotAllowed(_("Nobody changes their own role."))
    if new == Role.OWNER and caller_role == Role.OWNER:
        return  # handing ownership over: the one change that is not strictly below the caller
    if target_role >= caller_role:
        raise NotAllowed(_("You may only change the role of somebody below you."))
    if new >= caller_role:
        raise NotAllowed(_("You may only give roles below your own."))


def offered_roles(caller: tuple[str, Role], target: tuple[str, Role]) -> list[Role]:
    """The roles the caller may give the target, without the one the target has."""
    return [role for role in Role if role != target[1] and _accepts(caller, target, role)]


def _accepts(caller: tuple[str, Role], target: tuple[str, Role], new: Role) -> bool:
    try:
        check_role_change(caller, target, new)
    except NotAllowed:
        return False
    return True


def check_manages(caller: tuple[str, Role], target: tuple[str, Role]) -> None:
    """Refuse to let the caller remove the target or set a password for them."""
    if not has(caller[1], Permission.MANAGE_USERS) or target[1] >= caller[1] or caller[0] == target[0]:
        raise NotAllowed(_("You may only do this to somebody below you."))


# --- names and addresses ---


def clean_name(typed: str) -> str:
    """A user name as it is kept. It has no @."""
    name = clean_title(typed)
    if "@" in name:
        raise ValidationError(_("A name has no @: that is how it is told from an email address."), code="at")
    return name


def clean_title(typed: str) -> str:
    """Any name people give, as it is kept: trimmed, inner white space collapsed, composed."""
    if any(unicodedata.category(character) in ("Cc", "Cs") and not character.isspace() for character in typed):
        raise ValidationError(_("A name has no control characters."), code="control")
    name = unicodedata.normalize("NFC", re.sub(r"\s+", " ", typed).strip())
    if not any(_is_visible(character) for character in name):
        raise ValidationError(_("A name has at least one visible character."), code="empty")
    if len(name) > LONGEST_NAME:
        raise ValidationError(
            _("A name has at most %(most)d characters; this one has %(count)d."),
            code="long",
            params={"most": LONGEST_NAME, "count": len(name)},
        )
    return name


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


def clean_email(typed: str) -> str:
    """An email address as it is kept: trimmed and valid, the case as typed."""
    email = typed.strip()
    if len(email) > LONGEST_EMAIL:
        raise ValidationError(_("An email address has at most %(most)d characters."), params={"most": LONGEST_EMAIL})
    validate_email(email)
    return email
