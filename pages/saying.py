"""What pages say to people: a sentence on a page of its own, or on the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage, Message
from django.contrib.messages.storage.cookie import CookieStorage, MessageEncoder, MessagePartGatherSerializer
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from acts.refusals import Refusal

from .packing import WORTH_PACKING

SHORT = 1000  # characters of a cookie that surely fits: half of what Django lets it have
_written = MessageEncoder(separators=(",", ":")).encode


class MessageCookie(CookieStorage):
    """Sentences for the next page. A site below a path of its host keeps them there.

    Most pages have nothing to say: they need nothing to sign it with, and a browser that keeps nothing need not be told
    to drop it.
    """

    def __init__(self, request: HttpRequest, *arguments: Any, **words: Any):
        BaseStorage.__init__(self, request, *arguments, **words)

    @property
    def signer(self) -> signing.Signer:
        return _signer(self.key_salt, settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)

    def _store(
        self, messages: Sequence[Message], response: HttpResponse, *more: Any, **words: Any
    ) -> Sequence[Message]:
        """A sentence or two surely fit. Django would write the cookie once more to measure it."""
        encoded = self._encode_parts([_written(each) for each in messages])
        if encoded and len(encoded) > SHORT:
            return super()._store(messages, response, *more, **words)
        self._update_cookie(encoded, response)
        return []

    def _encode_parts(self, messages: Sequence[str], encode_empty: bool = False) -> str | None:
        if not messages and not encode_empty:
            return None
        long = sum(map(len, messages)) > WORTH_PACKING
        return self.signer.sign_object(messages, serializer=MessagePartGatherSerializer, compress=long)

    def _update_cookie(self, encoded_data: str | None, response: HttpResponse) -> None:
        if not encoded_data and self.cookie_name not in self.request.COOKIES:
            return
        super()._update_cookie(encoded_data, response)
        if self.cookie_name in response.cookies:
            response.cookies[self.cookie_name]["path"] = settings.SESSION_COOKIE_PATH


@lru_cache(1)
def _signer(salt: str, *keys: str) -> signing.Signer:
    """It hangs on nothing but these. Django gives it the keys of before as something that can be gone through once."""
    signer = signing.get_cookie_signer(salt=salt)
    signer.fallback_keys = list(signer.fallback_keys)
    return signer


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
