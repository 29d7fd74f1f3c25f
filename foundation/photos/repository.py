"""Pictures in the store, one item for each width, and the writes that replace the picture of a thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Condition, Delete, Equals, Item, Key, Missing, Put, Update

from .encoding import Encoded, new_id
from .rules import Photo


def find(photo_id: str, width: int) -> Item | None:
    """A picture in one width: its kind, its digest and its content."""
    return table().get(keys.photo(photo_id, width))


def find_all(photo: Photo) -> list[bytes]:
    """Its bytes by width; incomplete if it is being deleted."""
    found = table().get_many(photo_keys(photo))
    return [found[place]["content"] for place in photo_keys(photo) if place in found]


def copy(photo: Photo) -> Encoded | None:
    """A copy with an id of its own; `None` if the picture is being deleted."""
    parts = find_all(photo)
    return Encoded(replace(photo, id=new_id()), tuple(parts)) if len(parts) == len(photo.widths) else None


def photo_keys(photo: Photo | None) -> list[Key]:
    return [keys.photo(photo.id, width) for width in photo.widths] if photo else []


# --- writes: parts of the transaction that updates the owner ---


def adding_bytes(encoded: Encoded) -> list[Put]:
    photo = encoded.photo
    fixed = {"kind": photo.kind}
    return [
        Put({**place.item, **fixed, "digest": digest, "content": content}, when=Missing())
        for place, digest, content in zip(photo_keys(photo), photo.digests, encoded.parts, strict=True)
    ]


def deleting_bytes(photo: Photo | None) -> list[Delete]:
    return [Delete(place) for place in photo_keys(photo)]


# --- owner ---


def photo_unchanged(photo: Photo | None) -> Condition:
    """Requires that the owner still has the picture it had when read, so that no picture is orphaned."""
    return Equals("photo", photo.as_item()) if photo else Missing("photo")


def setting_photo(key: Key, before: Photo | None, after: Photo | None, when: Condition | None = None) -> Update:
    """Sets or removes the owner's picture; fails if it has changed since it was read."""
    unchanged = photo_unchanged(before) & when if when else photo_unchanged(before)
    if after is None:
        return Update(key, remove=("photo",), when=unchanged)
    return Update(key, set={"photo": after.as_item()}, when=unchanged)


def event_data(photo: Photo | None) -> dict[str, Any]:
    """Event payload; picture data is never logged."""
    return {"photo": photo.as_item() if photo else None}
