"""What pages say to people: a sentence on a page of its own, or on the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.contrib.messages.storage.cookie import CookieStorage
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property

from acts.refusals import Refusal


class MessageCookie(CookieStorage):
    """Sentences for the next page. A site below a path of its host keeps them there.

    Most pages have nothing to say: they need nothing to sign it with, and a browser that keeps nothing need not be told
    to drop it.
    """

    def __init__(self, request: HttpRequest, *arguments: Any, **words: Any):
        BaseStorage.__init__(self, request, *arguments, **words)

    @cached_property
    def signer(self) -> signing.Signer:
        return signing.get_cookie_signer(salt=self.key_salt)

    def _update_cookie(self, encoded_data: str, response: HttpResponse) -> None:
        if not encoded_data and self.cookie_name not in self.request.COOKIES:
            return
        super()._update_cookie(encoded_data, response)
        if self.cookie_name in response.cookies:
            response.cookies[self.cookie_name]["path"] = settings.SESSION_COOKIE_PATH


def say(request: HttpRequest, title: str, sentence: str, status: int = 200) -> HttpResponse:
    return render(request, "pages/said.html", {"title": title, "sentence": sentence}, status=status)


def ask(request: HttpRequest, title: str, button: str, **context: Any) -> HttpResponse:
    """One button. A mailed link only leads here: mail scanners follow links, but press no buttons."""
    return render(request, "pages/confirm.html", {"title": title, "button": button, **context})


def told(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Carry an act out and say so, or say why not."""
    try:
        act()
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return False
    messages.success(request, done)
    return True


def say_what_was_understood(request: HttpRequest, form: Any) -> None:
    for note in form.notes():
        messages.info(request, note)
