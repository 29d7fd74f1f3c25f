"""Roles and permissions in every combination, and what a name is."""

from __future__ import annotations

from itertools import product

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.rules import Permission, Role, check_manages, check_role_change, has, offered_roles
from foundation.acts.refusals import NotAllowed
from foundation.pages.names import clean_email, clean_name
from tests.rows import every_row

PERMISSIONS = {
    # permission:               NO_ACCESS OBSERVER VOTER  USER   ADMIN  AUDITOR OWNER
    Permission.VIEW_APPLICATION: (False, True, True, True, True, True, True),
    Permission.VOTE: (False, False, True, True, True, True, True),
    Permission.USE_APPLICATION: (False, False, False, True, True, True, True),
    Permission.MANAGE_USERS: (False, False, False, False, True, True, True),
    Permission.VIEW_SECRETS: (False, False, False, False, False, True, True),
    Permission.TRANSFER_OWNER: (False, False, False, False, False, False, True),
}


@every_row(("permission", "role"), product(Permission, Role))
def test_every_role_has_just_its_permissions(permission, role):
    assert has(role, permission) is PERMISSIONS[permission][role]


def test_no_two_permissions_are_one():
    """Of two that begin with the same role an enumeration makes one, and a table of them would not notice."""
    assert len(Permission.__members__) == len(PERMISSIONS)


def accepted(caller: Role, target: Role, new: Role, same_person: bool) -> bool:
    """The rule of the specification, written once more in another way."""
    if same_person or caller not in (Role.ADMIN, Role.AUDITOR, Role.OWNER):
        return False
    if caller == new == Role.OWNER:
        return True
    below = [role for role in Role if role.value < caller.value]
    return target in below and new in below


@every_row(("caller", "target", "new", "same_person"), product(Role, Role, Role, [False, True]))
def test_every_change_of_role(caller, target, new, same_person):
    mine, theirs = ("ada", caller), ("ada" if same_person else "bo", target)
    if accepted(caller, target, new, same_person):
        check_role_change(mine, theirs, new)
    else:
        with pytest.raises(NotAllowed, match=r"\.$"):
            check_role_change(mine, theirs, new)


@every_row(("caller", "target"), product(Role, Role))
def test_only_what_will_be_accepted_is_offered(caller, target):
    offered = offered_roles(("ada", caller), ("bo", target))
    assert offered == [new for new in Role if new != target and accepted(caller, target, new, same_person=False)]


@every_row(("caller", "target"), product(Role, Role))
def test_managing_is_for_admins_over_those_below_them(caller, target):
    if caller >= Role.ADMIN and target < caller:
        check_manages(("ada", caller), ("bo", target))
    else:
        with pytest.raises(NotAllowed):
            check_manages(("ada", caller), ("bo", target))
    with pytest.raises(NotAllowed):
        check_manages(("ada", caller), ("ada", target))


@every_row(
    ("typed", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada \t Lovelace\u00a0 ", "Ada Lovelace"),
        ("é", "é"),
        ("#1/100% \"quoted\" 'n' <b>", "#1/100% \"quoted\" 'n' <b>"),
        ("عائشة", "عائشة"),
        ("李小龍", "李小龍"),
        ("🦊", "🦊"),
        ("x" * 200, "x" * 200),
    ],
)
def test_a_name_is_kept_as_typed_but_for_white_space(typed, kept):
    assert clean_name(typed) == kept


@every_row(
    ("typed", "code"),
    [
        ("", "empty"),
        (" \t ", "empty"),
        ("\u200b\u200d", "empty"),
        ("x" * 201, "long"),
        ("ada@example.org", "at"),
        ("ada\x00", "control"),
        ("ada\x7f", "control"),
        ("\ud800", "control"),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(typed, code):
    with pytest.raises(ValidationError) as refused:
        clean_name(typed)
    assert refused.value.code == code
    assert refused.value.messages[0].endswith(".")


@given(st.text(max_size=250))
def test_cleaning_a_name_twice_changes_nothing(typed):
    try:
        name = clean_name(typed)
    except ValidationError:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 200


def test_an_email_address_is_trimmed_and_its_case_kept():
    assert clean_email(" Ada@Example.ORG ") == "Ada@Example.ORG"


@every_row("typed", ["", "ada", "ada@", "@example.org", "a b@example.org", "a@" + "x" * 250 + ".org"])
def test_what_is_no_email_address_is_refused(typed):
    with pytest.raises(ValidationError):
        clean_email(typed)
