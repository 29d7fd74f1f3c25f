"""A site with something of everything, on which each part is switched off and on again: nothing fails, no link leads to
what is not there, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from django.http import HttpResponse
from django.urls import Resolver404, resolve

from accounts import repository as people
from accounts.api.operations import route_name
from foundation.acts.storage import table
from foundation.parts import part_of, parts
from operations.features import services
from tests.access.site import Look, Site
from tests.walk.test_walk import built

SWITCHED = [part.label for part in parts() if part.title]
TARGET = re.compile(r'<(?:a|form|button|area)\b[^>]*\s(?:href|action|formaction)="(/[^"]*)"')


@pytest.fixture(scope="module")
def everything(tmp_path_factory, django_test_environment) -> Iterator[Site]:
    with built(tmp_path_factory.mktemp("everything")) as site:
        yield site


@cache
def parts_of_routes() -> dict[str, str]:
    from accounts.api.urls import routes  # only once the site's addresses are known

    return {route_name(route): next(iter(each.values())).part for route, each in routes.items()}


def owner_of(look: Look) -> str:
    """The part whose page it is."""
    if look.page == "api/people/-":
        return "skills"  # without it, nobody sees profiles of others
    if look.page in parts_of_routes():
        return parts_of_routes()[look.page]
    return "assembly" if "assembly" in look.of else part_of(resolve(look.address).func.__module__)


def led_to(html: str) -> set[str]:
    """The parts whose pages something on this page leads to."""
    found = set()
    for address in TARGET.findall(html):
        try:
            found.add(part_of(resolve(address.partition("?")[0].partition("#")[0]).func.__module__))
        except Resolver404:
            continue  # a file
    return found


def contents() -> set[tuple[str, str]]:
    """Without the counts of attempts, which expire after minutes."""
    return {(item["PK"], item["SK"]) for _table, item in table().everything() if not item["PK"].startswith("THROTTLE#")}


@pytest.fixture(scope="module")
def usual(everything) -> list[int]:
    """How each page answers while everything is on, and again once it is."""
    return [asked(everything, look).status_code for look in everything.looks]


def asked(site: Site, look: Look) -> HttpResponse:
    return site.browsers[look.who].get(look.address, look.asked)


@pytest.mark.deep
@pytest.mark.seconds(2)  # each
@pytest.mark.parametrize("name", SWITCHED)
def test_a_part_is_gone_while_it_is_off_and_back_as_it_was(everything, usual, name):
    owner, part, stored = people.find(people.owner_name()), services.find(name), contents()
    services.switch_off(owner, part)
    off = {each.label for each in parts() if not each.is_on}
    assert name in off
    wrong = []
    for look, status in zip(everything.looks, usual, strict=True):
        answer = asked(everything, look)
        if answer.status_code != (404 if owner_of(look) in off else status):
            wrong.append((look.page, look.of, look.who, answer.status_code))
        elif "html" in answer.get("Content-Type", "") and not answer.streaming:
            wrong += [(look.page, look.of, look.who, to) for to in led_to(answer.content.decode()) & off]
    assert wrong == []
    services.switch_on(owner, part)
    assert all(each.is_on for each in parts())
    assert stored - contents() == set()
