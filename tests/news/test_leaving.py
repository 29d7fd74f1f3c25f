"""Authors who leave: what can be read stays without a name, the rest passes on, and they are told of it before."""

from __future__ import annotations

import json
import zipfile

import pytest

from accounts import services as accounts
from accounts.personal_data import export_personal_data
from accounts.rules import Role
from parts.news import repository, services

from .conftest import LATER, written


@pytest.fixture
def author(person, admin):
    """Somebody with one post of each kind."""
    ann = person("Ann", Role.ADMIN)
    for title, at in (("Seen", None), ("Ahead", LATER)):
        services.publish(ann, services.write(ann, written(title, tags=("news",))), at)
    services.write(ann, written("Draft", "Not *yet*."))
    return ann


def test_what_can_be_read_stays_without_a_name_and_the_rest_is_the_owners(author, admin):
    accounts.remove(admin, author)
    (seen,) = repository.published(limit=9)[0]
    assert (seen.title, seen.author) == ("Seen", "")
    assert repository.by_author("Ann", limit=9)[0] == repository.drafts("Ann", limit=9)[0] == []
    assert [(each.title, each.author) for each in repository.drafts("Boss", limit=9)[0]] == [("Draft", "Boss")]
    assert [(each.title, each.author) for each in repository.scheduled(limit=9)[0]] == [("Ahead", "Boss")]
    services.edit(admin, seen, written("Seen", "Still."))


def test_whoever_takes_the_name_next_has_none_of_it(author, admin, person):
    accounts.remove(admin, author)
    assert repository.drafts(person("Ann", Role.ADMIN).name, limit=9)[0] == []


def test_they_are_told_before(author, person):
    assert accounts.removal_effects(author) == [
        "1 post stays online, without a name.",
        "2 unpublished posts pass to the site owner.",
    ]
    assert accounts.removal_effects(person("Eve")) == []


def test_their_posts_are_among_their_own_data(author):
    with zipfile.ZipFile(export_personal_data(author)) as packed:
        posts = json.loads(packed.read("posts.json"))
        assert "posts.json" in packed.read("README.txt").decode()
    assert {each["title"]: each["text"] for each in posts}["Draft"] == "Not *yet*."
    assert sorted(each["title"] for each in posts) == ["Ahead", "Draft", "Seen"]
