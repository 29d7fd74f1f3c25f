"""Parts of pages that say the same for the same values, whoever reads them: each is rendered once and remembered.

A part sees nothing but what it is given, so what it says hangs on that, on the language and on where the site lies;
those are what it is remembered by, and nothing of it needs to be forgotten. Nothing about the request is among it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from sys import getsizeof
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from store.memory import Memory

Place = tuple[str, tuple[str, ...], str | None, str]

MOST_REMEMBERED = 16_000_000  # bytes, about
A_QUESTION = 1000  # bytes, about, of what is remembered beside the text


def _weight(text: SafeString) -> int:
    return 2 * getsizeof(text) + A_QUESTION  # much of it may stand once more among what was given


memory = Memory[SafeString](MOST_REMEMBERED, _weight)


def part(name: str, given: Mapping[str, Any]) -> SafeString:
    """The part of that name, with these values."""
    return part_at(place(name, given), tuple(given.values()))


def place(name: str, given: Iterable[str]) -> Place:
    """Where it is remembered what a part says here, of values with these names. A folded template asks once."""
    return name, tuple(given), get_language(), get_script_prefix()


def part_at(place: Place, values: tuple[Any, ...]) -> SafeString:
    """A text that is safe and one that is not are two, and so are 1 and True, though Python holds them for the same.
    While templates are written (DEBUG) nothing is remembered."""
    if settings.DEBUG:
        return _made(place, values)
    return memory.get((place, values, tuple(map(type, values))), partial(_made, place, values))


def _made(place: Place, values: tuple[Any, ...]) -> SafeString:
    name, given, *_here = place
    return render_to_string(name, dict(zip(given, values, strict=True)))
