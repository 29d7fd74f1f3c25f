"""Pages open in Chromium with all their scripts, answered by the site in this process: what they ask for is noted."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route

from .reading import WALK

SITE = "http://localhost:8000"
ACT = re.compile(r"xqa\d+aqx$")  # at the end of an address: markup has asked for it
LOOK = "() => {" + WALK + "const wrong = new Set(); walk(document, wrong, new Set()); return [...wrong]; }"
SETTLE_MS = 30  # milliseconds, for what pages ask for as soon as they are there; not by a script, which some forbid
MAX_ATTEMPTS = 5
TIMEOUT_MS = 120_000  # milliseconds, on a busy machine
UNNEEDED = ("stylesheet", "image", "font")  # for what is looked for here
DROPPED = ("content-length", "content-encoding", "set-cookie")


def is_act(address: str) -> bool:
    return ACT.search(urlsplit(address).path) is not None


class Window:
    """A browser whose every request goes to whoever's turn it is. Each page is a new one: what the last one still
    wanted does not disturb it."""

    def __init__(self, context: BrowserContext, unneeded: Container[str] = UNNEEDED):
        self.context, self.unneeded = context, unneeded
        self.client = Client()
        self.planted: dict[str, bytes] = {}  # to be answered instead, by path
        self.asked: list[str] = []
        self.failed: list[str] = []
        self.pages = 0
        self._static: dict[str, dict[str, Any]] = {}

    def open(self, client: Client, address: str, asked: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """What is wrong with the page, and with what it asked for."""
        self.client, self.asked, self.failed = client, [], []
        self.pages += 1
        page = self.context.new_page()
        with suppress(Error):  # some pages go on to another by themselves; what has failed is told below
            page.goto(SITE + address + (f"?{urlencode(asked)}" if asked else ""), wait_until="load")
        found = _found(page)
        page.close()
        return found + [f"asked for {each}" for each in self.asked if is_act(each)] + self.failed

    def answer(self, route: Route) -> None:
        request = route.request
        self.asked.append(request.url)
        path = request.url.removeprefix(SITE)
        if not request.url.startswith(f"{SITE}/") or request.resource_type in self.unneeded:
            return route.abort()
        try:
            made = self._static.get(path) or self._made(request)
        except Exception as error:
            self.failed.append(f"{path}: {error!r}")
            return route.abort()
        if path.startswith("/static/"):
            self._static[path] = made
        return route.fulfill(**made)

    def _made(self, request: Any) -> dict[str, Any]:
        path, headers = request.url.removeprefix(SITE), {k: v for k, v in request.headers.items() if k[:2] == "hx"}
        body = request.post_data_buffer or b""
        kind = request.headers.get("content-type", "application/octet-stream")
        answer = self.client.generic(request.method, path, body, kind, headers=headers)
        if answer.status_code in (301, 302, 303):  # the browser would follow it to a server that is not there
            answer = self.client.get(answer.url, follow=True, headers=headers)
        content = answer.getvalue() if answer.streaming else answer.content
        kept = {name: value for name, value in answer.headers.items() if name.lower() not in DROPPED}
        return {"status": answer.status_code, "headers": kept, "body": self.planted.get(path, content)}


def _found(page: Page) -> list[str]:
    for _try in range(MAX_ATTEMPTS):
        with suppress(Error):
            page.wait_for_load_state("load")
            page.wait_for_timeout(SETTLE_MS)
            found: list[str] = page.evaluate(LOOK)
            if page.url.startswith(SITE):
                return found
    return [f"{page.url} does not come to rest"]


@contextmanager
def window(browser: Browser) -> Iterator[Window]:
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT_MS)
    found = Window(context)
    context.route("**/*", found.answer)
    yield found
    context.close()
