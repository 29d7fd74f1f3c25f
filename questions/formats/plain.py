"""Words out of HTML, as learning platforms write it into their questions. Nothing is kept of the markup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import nh3

RAISED = re.compile(r"<(sup|sub)>([^<>]{1,20})</\1>", re.IGNORECASE)
SIGNS = {
    "sup": str.maketrans("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
LINES = (
    "address|article|aside|blockquote|br|caption|dd|div|dl|dt|figure|footer|form|h[1-6r]|header|li|main|nav|ol|p|"
    "section|table|tbody|td|tfoot|th|thead|tr|ul"
)
WORDS = (
    "a|abbr|b|bdi|bdo|big|cite|code|col|colgroup|data|del|dfn|em|font|i|ins|kbd|label|mark|nolink|q|rb|rp|rt|ruby|s|"
    "samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
MEDIA = "audio|canvas|embed|iframe|img|math|object|picture|source|svg|track|video"
SILENT = "head|script|style|template|title"  # what is in them is not for readers


def _tag(names: str) -> str:
    return rf"/?(?:{names})(?=[\s/>])[^<>]*>"


CODE = re.compile(f"<{_tag('pre')}", re.IGNORECASE)
LINE = re.compile(f"<{_tag(LINES)}", re.IGNORECASE)
SEEN = re.compile(f"<{_tag(MEDIA)}", re.IGNORECASE)
NO_TAG = re.compile(f"<(?!{_tag(f'{WORDS}|{MEDIA}|{SILENT}')}|!--)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Plain:
    """What is left to read, and whether there was something to see or to hear."""

    text: str
    has_media: bool = False


def plain(html: str, *, keeps_lines: bool = False) -> Plain:
    """The words of a text with tags that are known; others are words. In some texts line ends are line ends."""
    pieces = CODE.split(RAISED.sub(_raised, html))  # every second one is code, which keeps its lines
    spaced = (piece if keeps_lines or at % 2 else re.sub(r"\s+", " ", piece) for at, piece in enumerate(pieces))
    tagged = NO_TAG.sub("&lt;", LINE.sub("\n", "\n".join(spaced)))
    words = unescape(nh3.clean(tagged, tags=set(), clean_content_tags=set(SILENT.split("|"))))
    return Plain(_settled(words.replace("\xa0", " ")), SEEN.search(html) is not None)


def _raised(found: re.Match[str]) -> str:
    """Small figures, where there are signs for them: the square of a metre is not m2."""
    table = SIGNS[found[1].lower()]
    return found[2].translate(table) if all(ord(sign) in table for sign in found[2]) else found[2]


def _settled(text: str) -> str:
    """Without spaces at the ends of lines, and without lines that have nothing in them at the ends or twice."""
    lines = [line.strip() for line in text.split("\n")]
    kept = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
    return "\n".join(kept).strip()
