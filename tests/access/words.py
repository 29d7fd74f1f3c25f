"""The texts people have written on the site that is built here, each as it is or as a test wants it.

Whatever somebody could have typed goes through `text` or `filled`, so that tests/fuzz can put markup into all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any
from unittest.mock import patch

MIN_TAG_CHARS = 40  # characters that a tag may have, or the name of a device
NOT_TYPED = {"kind", "play", "majority", "slug", "link"}  # chosen from a list, made of the title, or an address


def _as_it_is(plain: str, room: int) -> str:
    assert len(plain) <= room
    return plain


class Written:
    """How texts are written, and what was written so far, by what it would have been otherwise."""

    write: Callable[[str, int], str] = staticmethod(_as_it_is)
    texts: dict[str, str] = {}


def text(plain: str, room: int = 200) -> str:
    """What somebody typed where so many characters fit."""
    written = Written.write(plain, room)
    Written.texts[plain] = written
    return written


def note(plain: str, made: str) -> None:
    """An id that was made of a written text, and what it would have been otherwise."""
    Written.texts[plain] = made


def known(plain: str) -> str:
    """What was written for a name, if any was: for addresses and forms, which also have other words."""
    return Written.texts.get(plain, plain)


def filled(value: Any) -> Any:
    """A question, candidate or post with every text written; those it leaves empty only if texts are written anew."""
    found = {each.name: _written(each.name, getattr(value, each.name)) for each in _texts(value)}
    return replace(value, **found)


def _texts(value: Any) -> Iterator[Any]:
    return (each for each in fields(value) if each.name not in NOT_TYPED and "str" in str(each.type))


def _written(name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(text(each, MIN_TAG_CHARS) if name == "tags" else text(each) for each in value)
    return text(value or name) if value or Written.write is not _as_it_is else value


@contextmanager
def written_by(write: Callable[[str, int], str]) -> Iterator[None]:
    with patch.object(Written, "write", staticmethod(write)), patch.object(Written, "texts", {}):
        yield
