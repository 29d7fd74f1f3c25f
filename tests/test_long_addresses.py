"""Whatever is too long to be the name of anything names nothing: no address answers it with an error of ours."""

from __future__ import annotations

import pytest
from django.urls import NoReverseMatch, reverse
from django.urls.converters import IntConverter

from tests.people import make_owner, sign_in
from tests.test_routes import ROUTES, patterns

TOO_LONG_CHARS = 2_100  # characters: more than either part of a key may have


@pytest.fixture
def owner(site):
    return sign_in(make_owner())


def cases():
    for pattern in patterns():
        converters = pattern.pattern.converters
        for place, converter in enumerate(converters.values()):
            words = [str(word) for word in ROUTES[pattern.name][2]]
            if len(words) < len(converters):  # the same page about another question, which follows the election
                words.insert(1, "2")
            words[place] = "9" * 30 if isinstance(converter, IntConverter) else "x" * TOO_LONG_CHARS
            yield pattern.name, words


@pytest.mark.deep
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_address_is_answered_with_our_mistake_however_long_its_parts_are(owner, method):
    tried, found = set(), []
    for name, words in cases():
        try:
            address = reverse(name, args=words)
        except NoReverseMatch:
            continue  # a kind of word that is never that long
        tried.add(name)
        try:
            getattr(owner, method)(address)
        except Exception as error:  # which a visitor would see as our mistake
            found.append((name, type(error).__name__, str(error)))
    assert found == []
    assert len(tried) > 150


def test_what_was_seen_to_break_is_not_there(owner):
    assert owner.get(f"/mails/{'x' * TOO_LONG_CHARS}/").status_code == 404
    assert owner.get(f"/live/x/players/{'x' * 1_030}/").status_code == 404
