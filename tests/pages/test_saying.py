"""Sentences for the next page travel in a cookie that Django could have written."""

from __future__ import annotations

import random
from string import ascii_letters

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import mark_safe

from pages.saying import MessageCookie

SENTENCES = [
    ["Your ballot is cast."],
    ["Deine Stimme ist abgegeben. ä – „“", "Und noch etwas."],
    [mark_safe("<b>bold</b>"), "<b>not bold</b>"],
    ["A sentence that is long enough to be packed. " * 20],
]


def written(*sentences: str) -> HttpResponse:
    storage, answer = MessageCookie(HttpRequest()), HttpResponse()
    for each in sentences:
        storage.add(constants.SUCCESS, each)
    assert not storage.update(answer)
    return answer


def asked_with(answer: HttpResponse) -> HttpRequest:
    request = HttpRequest()
    request.COOKIES = {name: cookie.value for name, cookie in answer.cookies.items()}
    return request


@pytest.mark.parametrize("sentences", SENTENCES)
@pytest.mark.parametrize("reader", [MessageCookie, CookieStorage])
def test_what_is_said_is_read_on_the_next_page(sentences, reader):
    read = [each.message for each in reader(asked_with(written(*sentences)))]
    assert read == sentences
    assert [type(each) for each in read] == [type(each) for each in sentences]


def test_what_is_too_long_for_a_cookie_loses_its_oldest():
    chance = random.Random(1)
    sentences = ["".join(chance.choices(ascii_letters, k=100)) for _ in range(40)]  # which cannot be packed
    storage, answer = MessageCookie(HttpRequest()), HttpResponse()
    for each in sentences:
        storage.add(constants.INFO, each)
    lost = [each.message for each in storage.update(answer)]
    read = [each.message for each in MessageCookie(asked_with(answer))]
    assert lost
    assert read
    assert lost + read == sentences
    assert len(answer.cookies["messages"].value) <= CookieStorage.max_cookie_size


def test_what_was_signed_with_the_key_of_before_is_read_again_and_again(settings):
    old, answer = settings.SECRET_KEY, written("Said before.")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [old]
    for _ in range(3):
        assert [each.message for each in MessageCookie(asked_with(answer))] == ["Said before."]
    settings.SECRET_KEY_FALLBACKS = []
    assert not list(MessageCookie(asked_with(answer)))
