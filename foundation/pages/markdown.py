"""Markdown that people type, as HTML that is safe to show: nothing in it runs, loads from elsewhere or breaks out.

markdown-it turns the text into tokens, which we adapt to our pages; nh3 then parses the HTML as a browser would and
allows only a short list of tags and attributes. Each alone should be enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

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
    text = " ".join(unescape(TAG.sub(_gap, html)).split())
    if len(text) <= length:
        return text
    start, space, _cut = text[:length].rpartition(" ")
    return (start if space else text[: length - 1]) + "…"


def _gap(tag: re.Match[str]) -> str:
    """What replaces a tag between two words: blocks and line breaks separate them."""
    return "" if tag[1] in WITHIN_LINES else " "


def _printable(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNPRINTABLE.sub("\ufffd", lines)


def _is_too_much(text: str) -> bool:
    """Longer than forms accept, or with more costly markup than anyone needs."""
    links = text.count("[") + text.count("://") + text.count("@")
    marks = sum(map(text.count, "*_~`"))
    too_many = links > MAX_LINKS or marks > MAX_MARKS or text.count("\n") > MAX_LINES
    return too_many or len(text) > MAX_TEXT_CHARS or _cells(text) > MAX_CELLS


def _cells(text: str) -> int:
    """How many cells the tables could have: short rows are filled up, so lines times the widest line."""
    blocks = (block.split("\n") for block in text.split("\n\n"))
    return sum(len(lines) * max(line.count("|") for line in lines) for lines in blocks)


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


def _is_link(address: str) -> bool:
    """Whether a URL leads to a page or a mailbox. The cleaner has the final say."""
    return LINK.match(address) is not None and "href" in CLEANER.clean(f'<a href="{escape(address)}"></a>')


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's name for it
        return _is_link(url)


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
