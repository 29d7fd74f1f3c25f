"""Words out of HTML, as learning platforms write it into their questions: one walk through the text, whatever it is.

Nothing is looked up and nothing is kept of the markup. `html.parser` would do, but takes quadratic time for some texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

MARK = re.compile(r"<!--|</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>])[^<>]*>")
RAISED = re.compile(r"<(sup|sub)>([^<>]{1,20})</\1>", re.IGNORECASE)
SIGNS = {
    "sup": str.maketrans("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
MARKS = {
    "line": "address article aside blockquote br caption dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr "
    "li main nav ol p pre section table tbody td tfoot th thead tr ul",
    "word": "a abbr b bdi bdo big cite code col colgroup data del dfn em font i ins kbd label mark nolink q rb rp rt "
    "ruby s samp small span strike strong sub sup time tt u var wbr",
    "media": "audio canvas embed iframe img math object picture source svg track video",
    "silent": "head script style template title",  # what is in them is not for readers
}
ROLES = {mark: role for role, marks in MARKS.items() for mark in marks.split()}
ENDS = {mark: re.compile(f"</{mark}", re.IGNORECASE) for mark in MARKS["silent"].split()}
ENDLESS = re.compile("&#[xX]?[0-9A-Fa-f]{8,};?")  # no character has such a number


@dataclass(frozen=True, slots=True)
class Plain:
    """What is left to read, and whether there was something to see or to hear."""

    text: str
    has_media: bool = False


def plain(html: str, *, keeps_lines: bool = False) -> Plain:
    """The words of a text with marks that are known; others are words. In some texts line ends are line ends."""
    pieces: list[str] = []
    has_media = False
    for words, role in _pieces(RAISED.sub(_raised, html), keeps_lines):
        pieces.append("\n" if role == "line" else words)
        has_media = has_media or role == "media"
    return Plain(_settled("".join(pieces)), has_media)


def _raised(found: re.Match[str]) -> str:
    """Small figures, where there are signs for them: the square of a metre is not m2."""
    table = SIGNS[found[1].lower()]
    return found[2].translate(table) if all(ord(sign) in table for sign in found[2]) else found[2]


def _pieces(html: str, keeps_lines: bool) -> Iterator[tuple[str, str]]:
    """Words and marks in turn: words have no role, and marks no words."""
    at, deep = 0, 0
    while found := MARK.search(html, at):
        name = (found[1] or "").lower()
        is_known = not name or name in ROLES
        if words := html[at : found.start() if is_known else found.end()]:
            yield _words(words, keeps_lines or deep > 0), ""
        if is_known:
            yield "", ROLES.get(name, "")
        if name == "pre":
            deep = max(0, deep + (-1 if found[0].startswith("</") else 1))
        at = _after(html, found, name)
    yield _words(html[at:], keeps_lines or deep > 0), ""


def _after(html: str, found: re.Match[str], name: str) -> int:
    """Where words begin again: a remark and what is not for readers go with all that is in them."""
    if not name:
        end = html.find("-->", found.end())
        return end + 3 if end >= 0 else len(html)
    if name in ENDS and not found[0].startswith("</"):
        closing = ENDS[name].search(html, found.end())
        return closing.start() if closing else len(html)
    return found.end()


def _words(text: str, keeps_lines: bool) -> str:
    kept = ENDLESS.sub("", text if keeps_lines else re.sub(r"\s+", " ", text))
    return unescape(kept).replace("\xa0", " ")


def _settled(text: str) -> str:
    """Without spaces at the ends of lines, and without lines that have nothing in them at the ends or twice."""
    lines = [line.strip() for line in text.split("\n")]
    kept = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
    return "\n".join(kept).strip()
