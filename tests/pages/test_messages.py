"""Messages for the next page: in a cookie, and in the session what is too long for one."""

from __future__ import annotations

import random
from string import ascii_letters

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import mark_safe

from accounts.sessions import SessionStore


def page_with(*texts: str) -> HttpRequest:
    """The request for the page after one that left these messages."""
    request, response = HttpRequest(), HttpResponse()
    request.session = SessionStore()
    storage = default_storage(request)
    for each in texts:
        storage.add(constants.SUCCESS, each)
    assert not storage.update(response), "none is lost"
    if request.session.modified:
        request.session.save()
    following = HttpRequest()
    following.COOKIES = {name: cookie.value for name, cookie in response.cookies.items()}
    following.session = SessionStore(request.session.session_key)
    return following


def read(request: HttpRequest) -> list[str]:
    return [each.message for each in default_storage(request)]


def random_texts(count: int, length: int) -> list[str]:
    """Which no compression makes shorter."""
    chance = random.Random(1)
    return ["".join(chance.choices(ascii_letters, k=length)) for _ in range(count)]


@pytest.mark.parametrize(
    "texts",
    [
        ["Your vote has been cast."],
        ["Deine Stimme ist abgegeben. ä – „“", "Und noch etwas."],
        [mark_safe("<b>bold</b>"), "<b>not bold</b>"],
        random_texts(40, 100),
        random_texts(1, 5_000),
    ],
)
def test_messages_are_read_on_the_next_page(site, texts):
    found = read(page_with(*texts))
    assert found == texts
    assert [type(each) for each in found] == [type(each) for each in texts]


def test_a_usual_message_needs_no_session(site):
    assert not page_with("Your vote has been cast.").session.session_key


def test_messages_are_shown_once(site):
    request, response = page_with("Saved."), HttpResponse()
    storage = default_storage(request)
    assert [each.message for each in storage] == ["Saved."]
    storage.update(response)
    assert response.cookies["messages"]["max-age"] == 0


def test_a_page_without_messages_sets_no_cookie(site):
    request, response = HttpRequest(), HttpResponse()
    request.session = SessionStore()
    storage = default_storage(request)
    assert not list(storage)
    storage.update(response)
    assert not response.cookies


def test_messages_signed_with_an_earlier_key_are_read(site, settings):
    old, request = settings.SECRET_KEY, page_with("Said before.")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [old]
    assert read(request) == ["Said before."]
    settings.SECRET_KEY_FALLBACKS = []
    assert read(request) == []
