"""A cache of rendered Markdown: the HTML is stored with the text when it is saved, with the version of the renderer.

A page shows the stored HTML. If there is none, or another version rendered it, the text is rendered then, and stored
if it is still the same text. A request has a budget for that; what exceeds it is shown without markup.
"""

from __future__ import annotations

from contextlib import suppress
from sys import getsizeof
from typing import NamedTuple, Protocol

from django.core.exceptions import ValidationError
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from foundation.acts.caches import SizedCache
from foundation.acts.storage import table
from foundation.store.table import Equals, Item, Key, StoreError, Update

from . import markdown
from .markdown import MAX_TEXT_CHARS

MAX_HTML_BYTES = 100_000  # bytes of HTML per text; together they fit into one item
MAX_REQUEST_CHARS = 200_000  # characters rendered per request, if none of the HTML is stored
WRITE_COST_CHARS = 2_000  # the cost of storing the HTML of one text, in rendered characters
MAX_MOVED_HTML_CHARS = 10_000  # characters of HTML that are moved with their text
CACHE_BYTES = 4_000_000  # bytes of HTML


class Html(NamedTuple):
    """The HTML rendered from a text."""

    text: str
    html: SafeString


# --- rendering ---


cache = SizedCache[str](CACHE_BYTES, getsizeof)  # what this process rendered recently


def render(text: str) -> str:
    """The text as HTML, from the cache if it was rendered recently."""
    return cache.get(text, lambda: _render(text)) if text else ""


def _render(text: str) -> str:
    return markdown.to_html(text) + ""  # no longer a safe string, but one that an item can hold


def cached_or_text(text: str) -> str:
    """The HTML if it was rendered recently, otherwise the text, which is about as long; renders nothing."""
    return cache.peek(text) or text


def check_length(text: str) -> None:
    """A form validator: refuse a text whose HTML would be too long for a page."""
    if len(text) <= MAX_TEXT_CHARS and len(render(text).encode()) > MAX_HTML_BYTES:
        raise ValidationError(_("This text has too many links, tables or lists to fit on a page. Please shorten it."))


def preview(text: str) -> SafeString:
    return _safe(render(text))


def _safe(html: str) -> SafeString:
    """HTML from our own cleaner: clients send only text, and nothing else is stored beside it."""
    return SafeString(html)


# --- storing ---


def html_attributes(name: str, text: str) -> Item:
    """The attributes an item needs besides the text: its HTML and the version of the renderer."""
    return {f"{name}_html": render(text), "html_version": markdown.VERSION}


def stored_html(item: Item, name: str) -> Html | None:
    """The HTML stored beside the text, if it is up to date."""
    html = item.get(f"{name}_html")
    if html is None or item.get("html_version") != markdown.VERSION:
        return None
    return Html(item[name], _safe(html))


def without_long_html(item: Item) -> Item:
    """Drops long HTML."""
    return {
        name: value for name, value in item.items() if not name.endswith("_html") or len(value) <= MAX_MOVED_HTML_CHARS
    }


def stored_or_plain(text: str, html: Html | None) -> SafeString:
    """The stored HTML of a text, or the text without markup."""
    if not text:
        return SafeString()
    return html.html if html is not None and html.text == text else markdown.without_markup(text)


def load_or_render(place: Key, name: str, text: str, html: Html | None) -> SafeString:
    """The stored HTML of a text; if there is none, render and store it."""
    if not text or (html is not None and html.text == text):
        return html.html if html is not None and text else SafeString()
    _store(place, name, text)
    return _safe(render(text))


def _store(place: Key, name: str, text: str) -> None:
    """Never overwrites the HTML of a newer text. If the store cannot be written, the next reader stores it."""
    with suppress(StoreError):
        table().write(Update(place, set=html_attributes(name, text), when=Equals(name, text)))


class RenderBudget:
    """How much may be rendered and stored for one request."""

    def __init__(self, characters: int = MAX_REQUEST_CHARS):
        self.left = characters

    def load_or_render(self, place: Key, name: str, text: str, html: Html | None) -> Html | None:
        """Like the function; `None` once the budget is used up."""
        if not text or html is not None:
            return html
        if self.left < len(text):
            return None
        self.left -= len(text) + WRITE_COST_CHARS
        return Html(text, load_or_render(place, name, text, None))


class Described(Protocol):
    """An election or a poll."""

    @property
    def place(self) -> Key: ...

    @property
    def description(self) -> str: ...

    @property
    def html(self) -> Html | None: ...


def description_html(thing: Described) -> SafeString:
    return load_or_render(thing.place, "description", thing.description, thing.html)
