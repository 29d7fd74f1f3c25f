"""Levels, ids, who sees what, and when an entry has grown old."""

from __future__ import annotations

import pytest

from accounts.rules import Role
from foundation.acts.refusals import NotNow, TooMany
from parts.skills import rules
from parts.skills.rules import Held, Skill, State, Visibility
from tests.rows import every_row

NOW = "2026-11-15T12:00:00.000Z"


def test_each_level_has_its_sentence():
    assert [str(each) for each in rules.LEVELS] == [
        "Beginner: works with help",
        "Intermediate: works alone on ordinary tasks",
        "Advanced: handles hard cases",
        "Expert: others ask for advice",
    ]
    assert rules.level_of(4).label == "Expert"


@every_row(
    ("name", "suffix", "made"),
    [
        ("Python", "", "python"),
        ("C++", "", "c-plus-plus"),
        ("C#", "", "c-sharp"),
        ("C", "2", "c-2"),
        ("Straßenbau & Brücken", "", "strassenbau-and-brucken"),
        ("写作", "", "skill"),
        ("写作", "7", "skill-7"),
        ("x" * 300, "", "x" * 60),
        ("x" * 300, "2", "x" * 58 + "-2"),
    ],
)
def test_an_id_has_only_plain_letters(name, suffix, made):
    assert rules.new_id(name, suffix) == made


@pytest.mark.parametrize(
    ("visibility", "who", "sees"),
    [
        (Visibility.MEMBERS, ("bob", Role.OBSERVER), True),
        (Visibility.MEMBERS, ("bob", Role.NO_ACCESS), False),
        (Visibility.ADMINS, ("bob", Role.USER), False),
        (Visibility.ADMINS, ("bob", Role.ADMIN), True),
        (Visibility.NOBODY, ("bob", Role.OWNER), False),
        (Visibility.NOBODY, ("ada", Role.OBSERVER), True),
    ],
)
def test_who_sees_a_profile(visibility, who, sees):
    assert rules.may_see(who, "ada", visibility) is sees


def test_an_entry_says_after_a_year_that_nobody_confirmed_it():
    assert not Held("python", 3, 1, confirmed_at="2025-11-15T12:00:00.000Z").is_stale(NOW)
    assert Held("python", 3, 1, confirmed_at="2025-11-15T11:59:59.999Z").is_stale(NOW)


def skill(skill_id: str, **more) -> Skill:
    return Skill(skill_id, skill_id, "Some", **more)


@pytest.mark.parametrize(
    ("source", "target", "refusal"),
    [
        (skill("a"), skill("a"), NotNow),
        (skill("a", merging="c"), skill("b"), NotNow),
        (skill("a"), skill("b", merging="c"), NotNow),
        (skill("a"), skill("b", closing="Boss"), NotNow),
        (skill("a", state=State.PROPOSED), skill("b"), NotNow),
        (skill("a"), skill("b", state=State.MERGED, into="a"), NotNow),
        (skill("a", aliases=tuple(map(str, range(40)))), skill("b", aliases=tuple(map(str, range(40)))), TooMany),
    ],
)
def test_what_cannot_be_merged(source, target, refusal):
    with pytest.raises(refusal):
        rules.check_merge(source, target)
    rules.check_merge(skill("a"), skill("b"))


def test_of_two_entries_the_newer_wins_and_of_equals_the_one_that_is_there():
    old, new = Held("a", 1, 1, confirmed_at="1"), Held("b", 1, 1, confirmed_at="2")
    assert rules.newer(new, old)
    assert not rules.newer(old, new)
    assert not rules.newer(old, old)
    assert rules.newer(old, None)
