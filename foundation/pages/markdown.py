"""Markdown that people type, as HTML that is safe to show: nothing in it runs, loads from elsewhere or breaks out.

markdown-it turns the text into tokens, which we adapt to our pages; nh3 then parses the HTML as a browser would and
allows only a short list of tags and attributes. Each alone should be enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from sys import getsizeof
from typing import NamedTuple, Protocol

import nh3
from django.core.exceptions import ValidationError
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from foundation.acts.caches import SizedCache
from foundation.acts.storage import table
from foundation.store.table import Equals, Item, Key, StoreError, Update

MAX_TEXT_CHARS = 20_000
VERSION = 2  # raise with every change of the output; stored HTML of other versions is rendered again
MAX_NESTING = 20  # quotes in lists in quotes; anything deeper is not treated as markup
MAX_CELLS = 10_000  # in tables, where a few characters can create very many
MAX_LINKS = 1_000  # each may be searched for up to the end of the text, and grows many times longer
MAX_LINES = 2_000  # a short line can be a block of its own
MAX_MARKS = 4_000  # of emphasis and code
FIRST_HEADING_LEVEL = 3  # pages have their own h1 and h2
LINK = re.compile(r"(?:https?://|mailto:)[^/]", re.IGNORECASE)
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

TAG = re.compile(r'</?(\w+)(?:[^>"]|"[^"]*")*>')
WITHIN_LINES = {"a", "em", "strong", "s", "code"}

DIRECTED = {"p", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre", "table"}
OTHERS = {"li", "thead", "tbody", "tr", "th", "td", "a", "em", "strong", "s", "code", "br", "hr"}


def to_html(text: str) -> SafeString:
    """The text as safe HTML. What would take long to parse is shown without markup."""
    text = _printable(text)
    html = _escape_lines(text) if _is_too_much(text) else PARSER.render(text)
    return mark_safe(CLEANER.clean(html))  # noqa: S308 - this is what the cleaner is for


def without_markup(text: str) -> SafeString:
    """The text as typed, line by line."""
    return mark_safe(_escape_lines(_printable(text)))  # noqa: S308 - all of it is escaped


def excerpt(html: str, length: int) -> str:
    """The first words of a text, given as HTML, up to so many characters."""
    separated = TAG.sub(lambda tag: "" if tag[1] in WITHIN_LINES else " ", html)  # by blocks and line breaks
    text = " ".join(unescape(separated).split())
    if len(text) <= length:
        return text
    start, space, _cut = text[:length].rpartition(" ")
    return (start if space else text[: length - 1]) + "…"


def _printable(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNPRINTABLE.sub("\ufffd", lines)


def _is_too_much(text: str) -> bool:
    """Longer than forms accept, or with more costly markup than anyone needs."""
    links = text.count("[") + text.count("://") + text.count("@")
    marks = sum(map(text.count, "*_~`"))
    too_many = links > MAX_LINKS or marks > MAX_MARKS or text.count("\n") > MAX_LINES
    # Short rows of a table are filled up, so it can have as many cells as lines times those of the widest line.
    blocks = (block.split("\n") for block in text.split("\n\n"))
    cells = sum(len(lines) * max(line.count("|") for line in lines) for lines in blocks)
    return too_many or len(text) > MAX_TEXT_CHARS or cells > MAX_CELLS


def _escape_lines(text: str) -> str:
    paragraphs = re.split(r"\n{2,}", escape(text).strip())
    return "\n".join('<p dir="auto">{}</p>'.format(lines.replace("\n", "<br>\n")) for lines in paragraphs)


def _text_of(tokens: list[Token]) -> Iterator[str]:
    """The plain text of the tokens."""
    for token in tokens:
        if token.children is not None:
            yield "".join(_text_of(token.children))
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        else:
            yield token.content


# --- changing the tokens ---


def _level_headings(state: StateCore) -> None:
    """No level is left out, whatever was typed. A heading without text becomes a paragraph, so that screen readers do
    not jump to it.
    """
    around: list[str] = []  # the headings, as typed, that a heading is below
    for place, token in enumerate(state.tokens):
        if token.type == "heading_open":
            inline, end = state.tokens[place + 1 : place + 3]
            if is_visible := _is_visible(inline.content):
                around = [*(each for each in around if each < token.tag), token.tag]
            token.tag = end.tag = f"h{min(FIRST_HEADING_LEVEL + len(around) - 1, 6)}" if is_visible else "p"


def _judge_direction(state: StateCore) -> None:
    """Each outermost block gets its direction from its first letter, and everything inside it follows.

    Otherwise a browser that detects a list's direction would skip items that detect their own.
    """
    for token in state.tokens:
        if token.type == "fence":
            token.type = "code_block"  # its attributes are on the block, not on the code in it
        if token.level == 0 and token.nesting >= 0 and token.type != "inline":
            token.attrSet("dir", "auto")


def _name_links(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_with_named_links(token.children))


def _with_named_links(tokens: list[Token]) -> Iterator[Token]:
    """Links without text show their URL. Images, which would load from elsewhere, become links."""
    address, is_named = "", False
    for token in tokens:
        if token.type == "link_open":
            address, is_named = str(token.attrs["href"]), False
        elif token.type == "link_close":
            yield from [] if is_named else [_text_token(address)]
            address = ""
        elif token.type == "image":
            yield from _as_link(token, is_inside=bool(address))
            is_named = True
            continue
        is_named = is_named or _is_visible(token.content)
        yield token


def _as_link(image: Token, is_inside: bool) -> list[Token]:
    """The image's alt text, or else its URL; as a link, unless it is already inside one."""
    address = str(image.attrs["src"])
    alt = "".join(_text_of(image.children or []))
    text = _text_token(alt if _is_visible(alt) else address)
    begin = Token("link_open", "a", 1, attrs={"href": address})
    return [text] if is_inside else [begin, text, Token("link_close", "a", -1)]


def _text_token(text: str) -> Token:
    return Token("text", "", 0, content=text)


def _is_visible(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)


# --- the cleaner and the parser, created once ---

CLEANER = nh3.Cleaner(
    tags=DIRECTED | OTHERS,
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
    tag_attribute_values={tag: {"dir": {"auto"}} for tag in DIRECTED},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="nofollow noopener",
)


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's name for it
        """Whether a URL leads to a page or a mailbox. The cleaner has the final say."""
        return LINK.match(url) is not None and "href" in CLEANER.clean(f'<a href="{escape(url)}"></a>')


def _make_parser() -> MarkdownIt:
    """Raw HTML stays text, and a line break is a line break, as people new to Markdown expect."""
    parser = _Parser("js-default", {"html": False, "breaks": True, "linkify": True, "maxNesting": MAX_NESTING})
    assert parser.linkify is not None, "linkify-it-py is not installed"
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})  # README.md is not a URL
    parser.linkify.add("ftp:", None).add("//", None)
    parser.inline.ruler.disable("linkify")  # its twin among the core rules finds them too, and faster
    for rule in (_level_headings, _judge_direction, _name_links):
        parser.core.ruler.push(rule.__name__, rule)
    return parser


PARSER = _make_parser()


# --- what was rendered once ---

# The HTML is stored with the text when it is saved, with the version of the renderer, and pages show that. If there is
# none, or another version rendered it, the text is rendered then, and stored if it is still the same text. A request
# has a budget for that; what exceeds it is shown without markup.

MAX_HTML_BYTES = 100_000  # bytes of HTML per text; together they fit into one item
MAX_REQUEST_CHARS = 200_000  # characters rendered per request, if none of the HTML is stored
WRITE_COST_CHARS = 2_000  # the cost of storing the HTML of one text, in rendered characters
MAX_MOVED_HTML_CHARS = 10_000  # characters of HTML that are moved with their text
CACHE_BYTES = 4_000_000  # bytes of HTML


class Html(NamedTuple):
    """The HTML rendered from a text."""

    text: str
    html: SafeString


cache = SizedCache[str](CACHE_BYTES, getsizeof)  # what this process rendered recently


def render(text: str) -> str:
    """The text as HTML, from the cache if it was rendered recently."""
    # what is added to is no longer a safe string, but one that an item can hold
    return cache.get(text, lambda: to_html(text) + "") if text else ""


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


def html_attributes(name: str, text: str) -> Item:
    """The attributes an item needs besides the text: its HTML and the version of the renderer."""
    return {f"{name}_html": render(text), "html_version": VERSION}


def stored_html(item: Item, name: str) -> Html | None:
    """The HTML stored beside the text, if it is up to date."""
    html = item.get(f"{name}_html")
    if html is None or item.get("html_version") != VERSION:
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
    return html.html if html is not None and html.text == text else without_markup(text)


def load_or_render(place: Key, name: str, text: str, html: Html | None) -> SafeString:
    """The stored HTML of a text; if there is none, render and store it."""
    if not text or (html is not None and html.text == text):
        return html.html if html is not None and text else SafeString()
    with suppress(StoreError):  # if it cannot be written, the next reader stores it; never over that of a newer text
        table().write(Update(place, set=html_attributes(name, text), when=Equals(name, text)))
    return _safe(render(text))


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
