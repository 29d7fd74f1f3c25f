"""Forms as a browser finds them on a page, and what can be typed into them at most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from tests.people import PASSWORD

FREE = ("text", "search", "url", "tel", "textarea")  # into which anything can be typed
UNSEEN = ("hidden", "submit", "button")
UNKNOWN_LIMIT_CHARS = 2_000  # characters, where a field does not say how many it takes
LINE_CHARS = 200  # characters of the longest name
EMAIL = "@"  # stands for every field that takes an address
LINKS = ("-link", "-address")  # ends of the names of fields that take addresses of pages
TRAPS = ("website", "slug")  # what only robots fill in, and what is made of the title if nobody says another


@dataclass
class Field:
    name: str
    type: str
    value: str = ""
    most: int = 0
    largest: int = 0
    chosen: bool = False
    is_valued: bool = False
    options: list[str] = field(default_factory=list)

    @property
    def is_free(self) -> bool:
        return self.type in FREE and self.name not in TRAPS

    @property
    def is_link(self) -> bool:
        return self.type == "url" or self.name.endswith(LINKS)


@dataclass
class Form:
    action: str
    method: str
    fields: list[Field] = field(default_factory=list)

    @property
    def free(self) -> list[Field]:
        return [each for each in self.fields if each.is_free]

    @property
    def is_filled_in(self) -> bool:
        """Whether there is anything to choose or to type, and not only a button."""
        return any(each.type not in UNSEEN for each in self.fields)

    def filled(self, text: dict[str, Any]) -> dict[str, Any]:
        """What is sent: everything as it stands on the page, and the free fields as they are given."""
        sent: dict[str, Any] = {}
        for each in self.fields:
            if each.name in text:
                sent |= {each.name: text[each.name]} if text[each.name] is not None else {}
            elif each.type == "number":
                sent[each.name] = str(each.largest or each.value or 1)
            elif each.is_free:
                sent[each.name] = each.value
            elif each.type in ("checkbox", "radio"):
                if each.chosen or each.name not in sent:
                    sent[each.name] = each.value if each.is_valued else "on"
            elif each.type == "select":
                sent[each.name] = each.value or (each.options[-1] if each.options else "")
            elif each.type == "email":
                sent[each.name] = each.value or text[EMAIL]
            elif each.type == "password":
                sent[each.name] = PASSWORD
            elif each.type not in ("file", "submit", "button"):
                sent[each.name] = each.value
        return sent

    @property
    def buttons(self) -> list[dict[str, str]]:
        """What each of its buttons adds to what is sent."""
        return [{each.name: each.value} if each.name else {} for each in self.fields if each.type == "submit"] or [{}]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._open: Form | None = None
        self._field: Field | None = None

    def handle_starttag(self, tag, attributes):
        told = {name: value or "" for name, value in attributes}
        if tag == "form":
            self._open = Form(told.get("action", ""), told.get("method", "get").lower())
            self.forms.append(self._open)
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        if self._open is None:
            return
        if (tag in ("input", "textarea", "select") and told.get("name")) or tag == "button":
            kind = told.get("type", {"input": "text", "button": "submit"}.get(tag, tag))
            most = int(told.get("maxlength", 0))
            largest = int(told["max"]) if told.get("max", "").isdecimal() else 0
            chosen, is_valued = "checked" in told, "value" in told
            self._field = Field(told.get("name", ""), kind, told.get("value", ""), most, largest, chosen, is_valued)
            self._open.fields.append(self._field)
        if tag == "option" and self._field is not None and "disabled" not in told:
            self._field.options.append(told.get("value", ""))
            if "selected" in told:
                self._field.value = told.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self._open = None
        if tag in ("textarea", "select"):
            self._field = None

    def handle_data(self, data):
        if self._field is not None and self._field.type == "textarea":
            self._field.value += data


def forms_on(html: str) -> list[Form]:
    reader = _Reader()
    reader.feed(html)
    return reader.forms


def links_on(html: str) -> list[str]:
    reader = _Reader()
    reader.feed(html)
    return reader.links


def states_of(path: str, html: str) -> list[str]:
    """Where the links of a page lead that show it in another state, as “?add” does; one for each name in a query."""
    found = {}
    for link in links_on(html):
        to = urlsplit(link)
        if to.path in ("", path) and to.query:
            found.setdefault(to.query.partition("=")[0], f"{path}?{to.query}")
    return list(found.values())


class Typing:
    """What is typed into a form: as much as each field says that it takes at first. Whatever the page finds fault with
    becomes shorter, or a list, at the next try; so what is accepted in the end is about the most there can be."""

    def __init__(self, form: Form, letter: str, number: int, given: dict[str, Any]):
        """`given` is what nobody can make up: names of people, codes, files."""
        self.form, self.number, self.given = form, number, given
        free = [each for each in form.free if each.name not in given]
        self.left = {each.name: list(sizes(each, letter, number + place)) for place, each in enumerate(free)}

    def sent(self) -> dict[str, Any]:
        text = {name: left[0] for name, left in self.left.items()}
        return self.form.filled(text | {EMAIL: long_address(self.number)} | self.given)

    def again(self, answer: str) -> bool:
        """Whether there is something else to try after this answer."""
        named = {name for name in self.left if re.search(f'href="#[^"]*_{re.escape(name)}"', answer)}
        for name in named or self.left:
            self.left[name] = self.left[name][1:] or self.left[name]
        return any(len(self.left[name]) > 1 for name in named or self.left)


def sizes(field: Field, letter: str, number: int) -> Iterator[str]:
    most = field.most or UNKNOWN_LIMIT_CHARS
    if field.is_link:
        yield f"https://example.org/{number}/{'a' * most}"[:most]
        return
    if field.type == "textarea":
        yield from (long_text(letter, most // share, number) for share in (1, 2, 5))
        for lines in (500, 200, 50, 20, 10, 3):
            yield long_lines(letter, field, lines, number)
    for tenths in (10, 20, 33, 40, 50, 100, 400, 1000):
        yield long_text(letter, max(8, 10 * most // tenths), number)
    yield ", ".join(long_text(letter, 40, 10 * number + place) for place in range(8))
    yield str(number)


def long_address(number: int) -> str:
    """An email address of 254 characters."""
    return f"{number:0>64}@{'a' * 61}.{'b' * 61}.{'c' * 58}.org"[:254]


def long_text(letter: str, length: int, number: int) -> str:
    """So many code points, and different from all others."""
    start = f"{number} "[:length]
    return (start + letter * length)[:length]


def long_lines(letter: str, field: Field, lines: int, number: int) -> str:
    most = (field.most or UNKNOWN_LIMIT_CHARS) // (LINE_CHARS + 2)
    return "\n".join(long_text(letter, LINE_CHARS, number * 1000 + line) for line in range(min(lines, most)))
