"""Every form of every page, filled with markup and sent by whoever the page is for."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import Resolver404, resolve

from tests.people import PASSWORD

from .payloads import Payloads

TYPED = ("text", "search", "textarea", "email", "url", "tel", "password", "file")
NEVER_SHOWN = ("password", "file")  # nobody is shown a password; the files here are none that a form accepts
BUTTONS = ("submit", "button", "image", "reset", "fieldset", "output")
OURS = "csrfmiddlewaretoken"
WITH_PASSWORD = ("change_email", "name_passkey", "add_app")  # forms that ask for it and are to be let through
PRESSED_INSTEAD = {"sort_ideas": "words 0"}  # of the first button, if that does not use what is typed
MUCH_ROOM_CHARS, LITTLE_ROOM_CHARS = 100_000, 40  # characters
LAST = "pause"  # refuses what is sent after it


@dataclass(frozen=True)
class Form:
    """A form on a page."""

    route: str
    path: str
    method: str
    fields: tuple[dict[str, Any], ...]
    pressed: str  # the name of its first button
    who: str  # was shown it

    @property
    def mark(self) -> tuple[Any, ...]:
        """Equal for those that are filled in alike, such as one for every row of a list."""
        return self.route, self.method, self.names

    @property
    def names(self) -> frozenset[str]:
        return frozenset(each["name"] for each in self.fields)

    @property
    def typed(self) -> list[dict[str, Any]]:
        return [each for each in self.fields if each["kind"] in TYPED]

    def plausible(self, payloads: Payloads, room: int = MUCH_ROOM_CHARS) -> dict[str, Any]:
        """Markup where people type, and elsewhere what the page had chosen: most of it is accepted and kept."""
        data: dict[str, Any] = {}
        for each in self.fields:
            if each["kind"] in TYPED:
                data[each["name"]] = self._typed(each, payloads, room)
            elif each["kind"] == "submit" and each["name"] == self.pressed:
                data.setdefault(each["name"], PRESSED_INSTEAD.get(self.route, each["values"][0]))
            elif each["chosen"] and each["kind"] not in BUTTONS:
                data.setdefault(each["name"], []).extend(each["values"])
        return data

    def tampered(self, payloads: Payloads) -> dict[str, Any]:
        """Markup also where a page offers a choice, and code as the address of a link: most of it is refused, with a
        sentence that may repeat it."""
        plausible = self.plausible(payloads)
        offered = plausible.keys() - {OURS} - {each["name"] for each in self.typed}
        sent = {name: payloads.typed(f"{self.route}: {name}, tampered with", "text", 1000) for name in sorted(offered)}
        links = [each["name"] for each in self.typed if each["kind"] == "url"]
        sent |= {name: payloads.typed(f"{self.route}: {name}, as code", "code", 200) for name in links}
        return plausible | sent if sent else {}

    def _typed(self, field: dict[str, Any], payloads: Payloads, room: int) -> Any:
        if field["kind"] == "password" and self.route in WITH_PASSWORD:
            return PASSWORD
        if re.search(r"zq\d+z", field["values"][0]):
            return field["values"][0]  # markup from the builder of the site; under another name some pages were gone
        typed = payloads.typed(self.place(field["name"]), field["kind"], min(room, field["room"]))
        if field["kind"] == "file":
            return SimpleUploadedFile(f"{typed}.csv", typed.encode(), "text/csv")
        return typed

    def place(self, name: str) -> str:
        return f"{self.route}: {name}"


def forms_in(found: Iterable[dict[str, Any]], path: str, who: str) -> Iterator[Form]:
    """Of a page at this path, those in which something is typed."""
    for each in found:
        to = urlsplit(urljoin(path, each["action"]))
        try:
            route = resolve(to.path).url_name or ""
        except Resolver404:  # the address of another site
            continue
        path_and_query = to._replace(scheme="", netloc="").geturl()
        form = Form(route, path_and_query, each["method"], tuple(each["fields"]), each["pressed"], who)
        if form.typed:
            yield form


def distinct(forms: Iterable[Form], filled: Container[Any] = ()) -> list[Form]:
    """The first of those that are filled in alike, unless one was filled before."""
    found: dict[Any, Form] = {}
    for form in forms:
        if form.mark not in filled:
            found.setdefault(form.mark, form)
    return sorted(found.values(), key=lambda form: form.route == LAST)


def fill(form: Form, client: Client, payloads: Payloads) -> Iterator[Any]:
    """The pages that come of a form: filled in at length, or shortly if that is refused; and tampered with."""
    yield (answer := _send(form, client, form.plausible(payloads)))
    if form.method == "post" and not answer.redirect_chain:
        yield _send(form, client, form.plausible(payloads, LITTLE_ROOM_CHARS))
    if tampered := form.tampered(payloads):
        yield _send(form, client, tampered)


def _send(form: Form, client: Client, data: dict[str, Any]) -> Any:
    if form.method == "get":
        return client.get(form.path.partition("?")[0], data, follow=True)
    return client.post(form.path, data, follow=True)
