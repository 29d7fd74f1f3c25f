"""What every picture is drawn with: elements of SVG, names cut to their room, numbers as a reader wants them.

Pictures are as wide as their place on the page and their writing keeps its size: lengths across are percentages,
lengths down are pixels. Only where that cannot be (a matrix, a graph) a picture has a size of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.utils.formats import get_format
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from foundation.tally.result import Result, exact_text

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HYPHENS = re.compile("[^-\u2010]*[-\u2010]|[^-\u2010]+")  # parts of a word after which a line may end
JOINERS = "\u200d\ufe0e\ufe0f"
LABEL_NAME_CHARS = 24  # characters of a name beside a number, about what fits on a phone
TICK = "M1 7 5 11 12 2"
CROSS = "M2 2 11 11M11 2 2 11"


# --- elements ---


def tag(name: str, *children: object, **attributes: object) -> SafeString:
    """An element. Words are escaped, elements are not; `text_anchor` says text-anchor and `class_` says class."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{conditional_escape(clean(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(conditional_escape(clean(child)) for child in children)
    return mark_safe(f"<{name}{pairs}>{inside}</{name}>" if inside else f"<{name}{pairs}/>")  # noqa: S308 - escaped above


def clean(value: object) -> object:
    """Without characters that XML cannot hold."""
    if isinstance(value, SafeString) or not isinstance(value, str):
        return value
    return NOT_XML.sub("\ufffd", value)


def joined(parts: Iterable[SafeString]) -> SafeString:
    return mark_safe("".join(map(conditional_escape, parts)))  # noqa: S308 - each is safe or escaped here


def fluid(height: float, title: str, desc: str, *children: object, kind: str) -> SafeString:
    """A picture as wide as its place."""
    return _picture(title, desc, *children, class_=f"picture {kind}", width="100%", height=short(height))


def sized(width: float, height: float, title: str, desc: str, *children: object, kind: str) -> SafeString:
    """A picture with a fixed size, scaled down where needed."""
    size = {"width": short(width), "height": short(height), "viewBox": f"0 0 {short(width)} {short(height)}"}
    return _picture(title, desc, *children, class_=f"picture {kind}", **size)


def _picture(title: str, desc: str, *children: object, **attributes: object) -> SafeString:
    spoken = tag("title", title), tag("desc", desc)
    return tag("svg", *spoken, *children, role="img", direction="ltr", **attributes)


def text(content: object, x: object, y: float, class_: str | None = None, **more: object) -> SafeString:
    return tag("text", content, x=x, y=short(y), class_=class_, **more)


def text_at_right(content: object, y: float, class_: str | None = None) -> SafeString:
    return text(content, "100%", y, class_, text_anchor="end")


def sign(path: str, x: float, y: float, class_: str) -> SafeString:
    """A tick or a cross, drawn: no font has to have it."""
    return tag("path", d=path, transform=f"translate({short(x)} {short(y)})", class_=f"sign {class_}")


# --- names ---


def isolated(name: str) -> str:
    """A name whose direction of writing leaves its neighbours alone."""
    return f"\u2068{name}\u2069"


def fit(name: str, room: float = LABEL_NAME_CHARS) -> str:
    """A name truncated to this many letters of average width, and isolated."""
    if width(name) <= room:
        return isolated(name)
    return isolated(name[: _fitting(name, room - 1)].rstrip() + "…")


def _fitting(name: str, room: float) -> int:
    """How many of its letters fit, the first in any case; what is joined stays together."""
    count = 0
    for letter in name:
        room -= _letter(letter)
        if room < 0:
            break
        count += 1
    while 1 < count < len(name) and (
        unicodedata.combining(name[count]) or name[count] in JOINERS or name[count - 1] in JOINERS
    ):
        count -= 1
    return max(1, count)


def width(name: str) -> float:
    return sum(_letter(letter) for letter in name)


def _letter(letter: str) -> float:
    if unicodedata.combining(letter) or letter in JOINERS or unicodedata.category(letter) == "Cf":
        return 0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.9
    return 1.25 if letter.isupper() or letter in "mwMW—" else 1


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names put side by side; of very many the first ones."""
    every = list(names)
    shown = [isolated(name) for name in every[:most]]
    return ", ".join(shown) + (f" + {len(every) - most}" if len(every) > most else "")


def wrapped(name: str, room: float, most: int = 2) -> list[str]:
    """A name wrapped to at most this many lines of about this many letters, each isolated; truncated only if needed."""
    found = [""]
    for word in name.split():
        gap = " "
        for part in HYPHENS.findall(word):
            for piece in _pieces(part, room):
                if found[-1] and width(f"{found[-1]}{gap}{piece}") > room:
                    found.append("")
                found[-1] = f"{found[-1]}{gap}{piece}".strip()
                gap = ""
    lines = found[:most]
    if len(found) > most:
        lines[-1] = fit(f"{lines[-1]} {found[most]}", min(room, width(lines[-1]) + 1)).strip("\u2068\u2069")
    return [isolated(line) for line in lines]


def _pieces(word: str, room: float) -> list[str]:
    """A word that is longer than the room, between its letters."""
    pieces = []
    while width(word) > room:
        count = _fitting(word, room)
        pieces.append(word[:count])
        word = word[count:]
    return [*pieces, word] if word else pieces


def text_lines(
    content: Sequence[str], x: object, y: float, step: float, class_: str | None = None, **more: object
) -> SafeString:
    """Text in lines; the first is at y."""
    if len(content) == 1:
        return text(content[0], x, y, class_, **more)
    spans = (tag("tspan", line, x=x, dy=short(step) if at else None) for at, line in enumerate(content))
    return tag("text", *spans, x=x, y=short(y), class_=class_, **more)


# --- numbers ---


def number(votes: Fraction | int | str, beside: Fraction | int | str | None = None) -> str:
    """Rounded to two decimals, as people count; with every digit beside a number that would look the same but is not,
    so that no one seems to reach what they just missed."""
    looks_same = beside is not None and rounded(votes) == rounded(beside) and Fraction(votes) != Fraction(beside)
    return exact(exact_text(Fraction(votes) if looks_same else rounded(votes)))


def rounded(votes: Fraction | int | str) -> Fraction:
    """As it is shown: differences of what is shown are computed from these, so that they add up."""
    return round(Fraction(votes), 2)


def exact(votes: int | str) -> str:
    """Exactly, as people write it: no zeros at the end of a decimal, a fraction with its whole number before it."""
    content = str(votes)
    if "." in content:
        return content.rstrip("0").rstrip(".").replace(".", get_format("DECIMAL_SEPARATOR"))
    if "/" not in content:
        return content
    whole, rest = divmod(Fraction(content), 1)
    return f"{whole} {rest}" if whole and rest else str(whole or rest)


def short(length: float | Fraction) -> str:
    """A length in a drawing."""
    return f"{float(length):.2f}".rstrip("0").rstrip(".")


def share(part: Fraction | int, whole: Fraction | int) -> str:
    """Part of the whole, as a length across."""
    return f"{short(100 * Fraction(part) / Fraction(whole)) if whole else 0}%"


# --- results ---


def in_order(result: Result) -> list[str]:
    """All candidates, best first."""
    return [name for name, _place in result.places]


def voters(result: Result) -> int:
    """The number of ballots that are not blank."""
    return result.total - result.blank


# --- Pictures ---


WHOLE = ("panels", "full", "rows")


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    title: str
    drawn: SafeString  # an svg element; or rows of words with bars, side by side where there is room
    note: str = ""  # how to read it, and what it leaves out
    table: Table | None = field(default=None)  # None where the page's own tables say the same
    kind: str = ""  # a class for the look of it
    alone: bool = False  # whether nothing is beside it, although it would take only half a row

    @property
    def is_whole(self) -> bool:
        """Whether it takes a whole row."""
        return self.kind in WHOLE

    @property
    def css_class(self) -> str:
        return f"{self.kind or 'plain'}{' alone' if self.alone else ''}"
