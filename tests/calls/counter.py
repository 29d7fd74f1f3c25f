"""A browser that counts the Python functions that a request calls."""

from __future__ import annotations

import random
import sys
import threading
import zlib
from collections.abc import Mapping
from types import FrameType
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client
from django.test.client import ClientHandler

# How often these call each other is chance: a random number that is too large is drawn again, and whoever finds a lock
# free does not wait for it.
CHANCE = {random.__file__, threading.__file__}
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}  # which are no calls from Python 3.12 on
FORM = "application/x-www-form-urlencoded"
HEADERS = {
    "host": "localhost:8000",
    "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-encoding": "gzip, deflate",
    "accept-language": "en-GB,en;q=0.9,de;q=0.5",
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
}


class CountingHandler(ClientHandler):
    """Counts what Django calls from the request to the answer, in this thread alone, and nothing that the client does.
    The store writes in this thread, as no other one is writing."""

    def __init__(self) -> None:
        super().__init__(enforce_csrf_checks=True)
        self.load_middleware()
        self.calls = 0

    def __call__(self, environ: dict[str, Any]) -> HttpResponse:
        self.calls = 0
        sys.setprofile(self._count)
        try:
            return super().__call__(environ)
        finally:
            sys.setprofile(None)

    def _count(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename not in CHANCE and code.co_name not in COMPREHENSIONS:
            self.calls += 1


class Browser(Client):
    """Of one person, with cookies of its own."""

    def __init__(self, handler: CountingHandler, cookies: Mapping[str, str] | None = None, **headers: str) -> None:
        super().__init__(headers=HEADERS | headers)
        self.handler = handler
        self.cookies.load(dict(cookies or {}))

    def page(self, path: str) -> str:
        return page(self.get(path))

    def send(self, path: str, fields: Mapping[str, str], **more: Any) -> HttpResponse:
        """As browsers send a form without files; Django's client would send each field as if it were a file."""
        return self.post(path, urlencode(fields), content_type=FORM, **more)


def page(answer: HttpResponse) -> str:
    return zlib.decompress(answer.content, wbits=zlib.MAX_WBITS | 32).decode()
