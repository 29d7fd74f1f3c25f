"""What an election says of itself, in an item of its own: most pages, and every cast, read the election without it.

In stores of earlier times it stands in the item of the election. There it is read, too, until it is changed, or until
an upgrade moves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from acts.handfuls import handfuls
from acts.site import table
from pages import rendered
from pages.rendered import Html
from store import keys
from store.backup import Progress, silent
from store.table import Delete, Equals, Item, Key, Missing, Put, Refused, Table, Update, Write

A_HANDFUL = 50  # elections that are looked at together
IN_THE_ELECTION = ("description", "description_html", "html_version")  # in its own item, once


@dataclass(frozen=True, slots=True)
class Description:
    """A text in Markdown, which may be empty, and where it lies. Whoever has none of these has not read it."""

    place: Key
    description: str = ""
    html: Html | None = None  # as kept beside the text


def read_with(name: str) -> list[Key]:
    """What is to be read for it, at best with something else."""
    return [keys.election(name), keys.description(name)]


def among(found: Mapping[Key, Item], name: str) -> Description:
    """Of items of which these two were read."""
    place, earlier = keys.description(name), keys.election(name)
    if place not in found and found.get(earlier, {}).get("description"):
        place = earlier
    item = found.get(place)
    return Description(place, item["description"], rendered.kept(item, "description")) if item else Description(place)


def of(name: str) -> Description:
    return among(table().get_many(read_with(name)), name)


# --- writes ---


def described(name: str, text: str) -> Write:
    place = keys.description(name)
    if not text:
        return Delete(place)
    return Put({"PK": place.pk, "SK": place.sk, "description": text, **rendered.beside("description", text)})


def move_all(store: Table, progress: Progress = silent) -> None:
    """Out of the items of all elections. It may be cut off anywhere, and done again."""
    done = 0
    for some in handfuls(store.each(keys.elections()), A_HANDFUL):
        places = {keys.election(listed["name"]): listed["name"] for listed in some}
        for place, item in store.get_many(places).items():
            if "description" in item:
                _move(store, places[place], item)
        progress(done := done + len(some))


def _move(store: Table, name: str, item: Item) -> None:
    text = item["description"]
    same = {each: item[each] for each in IN_THE_ELECTION if each in item}
    place = keys.description(name)
    put = Put({"PK": place.pk, "SK": place.sk, **same}, when=Missing())
    gone = Update(keys.election(name), remove=IN_THE_ELECTION, when=Equals("description", text))
    with suppress(Refused):  # then somebody has changed it since, and moved it with that
        store.write(gone, *([put] if text else []))
