"""What an election says of itself, in an item of its own: most pages, and every cast, read the election without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acts.site import table
from pages import rendered
from pages.rendered import Html
from store import keys
from store.table import Delete, Item, Key, Put, Write


@dataclass(frozen=True, slots=True)
class Description:
    """A text in Markdown, which may be empty, and where it lies. Whoever has none of these has not read it."""

    place: Key
    description: str = ""
    html: Html | None = None  # as kept beside the text


def among(found: Mapping[Key, Item], name: str) -> Description:
    """Of items among which its own was read."""
    place = keys.description(name)
    item = found.get(place)
    return Description(place, item["description"], rendered.kept(item, "description")) if item else Description(place)


def of(name: str) -> Description:
    place = keys.description(name)
    item = table().get(place)
    return among({place: item} if item else {}, name)


# --- writes ---


def described(name: str, text: str) -> Write:
    place = keys.description(name)
    if not text:
        return Delete(place)
    return Put({"PK": place.pk, "SK": place.sk, "description": text, **rendered.beside("description", text)})
