"""Words out of HTML, as learning platforms write it into their questions: one walk through the text, whatever it is.

Nothing is looked up and nothing is kept of the markup. `html.parser` would do, but takes quadratic time for some texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

RAISED = re.compile(r"<(sup|sub)>([^<>]{1,20})</\1>", re.IGNORECASE)
SIGNS = {
    "sup": str.maketrans("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
LINES = (
    "address article aside blockquote br caption dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p section table tbody td tfoot th thead tr ul"
)
WORDS = (
    "a abbr b bdi bdo big cite code col colgroup data del dfn em font i ins kbd label mark nolink q rb rp rt ruby s "
    "samp small span strike strong sub sup time tt u var wbr"
)
MEDIA = "audio canvas embed iframe img math object picture source svg track video"
SILENT = "head script style template title"  # what is in them is not for readers
INSTEAD = {**dict.fromkeys(LINES.split(), "\n"), **dict.fromkeys(f"{WORDS} {MEDIA}".split(), "")}


def _mark(names: str) -> str:
    return rf"</?({names})(?=[\s/>])[^<>]*>"


MARK = re.compile(_mark("[A-Za-z][A-Za-z0-9]*"))
SEEN = re.compile(_mark(MEDIA.replace(" ", "|")), re.IGNORECASE)
TURN = re.compile(f"<!--|{_mark(f'pre {SILENT}'.replace(' ', '|'))}", re.IGNORECASE)
ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in SILENT.split()}
ENDLESS = re.compile("&#[xX]?[0-9A-Fa-f]{8,};?")  # no character has such a number


@dataclass(frozen=True, slots=True)
class Plain:
    """What is left to read, and whether there was something to see or to hear."""

    text: str
    has_media: bool = False


def plain(html: str, *, keeps_lines: bool = False) -> Plain:
    """The words of a text with marks that are known; others are words. In some texts line ends are line ends."""
    raised = RAISED.sub(_raised, html)
    words = "".join(_words(piece, keeps_lines or is_code) for piece, is_code in _pieces(raised))
    return Plain(_settled(words), SEEN.search(html) is not None)


def _raised(found: re.Match[str]) -> str:
    """Small figures, where there are signs for them: the square of a metre is not m2."""
    table = SIGNS[found[1].lower()]
    return found[2].translate(table) if all(ord(sign) in table for sign in found[2]) else found[2]


def _pieces(html: str) -> Iterator[tuple[str, bool]]:
    """What is for readers, and whether it is code, which keeps its lines."""
    at, deep = 0, 0
    while found := TURN.search(html, at):
        name = (found[1] or "").lower()
        if at < found.start():
            yield html[at : found.start()], deep > 0
        if name == "pre":
            deep = max(0, deep + (-1 if found[0].startswith("</") else 1))
            yield "\n", True
        at = _after(html, found, name)
    yield html[at:], deep > 0


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
    spaced = text if keeps_lines else re.sub(r"\s+", " ", text)
    if "<" not in spaced and "&" not in spaced:
        return spaced.replace("\xa0", " ")
    bare = MARK.sub(lambda found: INSTEAD.get(found[1].lower(), found[0]), spaced)
    return unescape(ENDLESS.sub("", bare)).replace("\xa0", " ")


def _settled(text: str) -> str:
    """Without spaces at the ends of lines, and without lines that have nothing in them at the ends or twice."""
    lines = [line.strip() for line in text.split("\n")]
    kept = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
    return "\n".join(kept).strip()
