"""Pictures in the store, one item for each width, and the writes that replace the picture of a thing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acts.storage import table
from store import keys
from store.table import Condition, Delete, Equals, Item, Key, Missing, Put, Update

from .encoding import Encoded, new_id
from .rules import Photo


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture in one width, as it is sent."""

    kind: str
    digest: str
    content: bytes


def find(photo_id: str, width: int) -> StoredPicture | None:
    item = table().get(keys.photo(photo_id, width))
    return StoredPicture(item["kind"], item["digest"], item["content"]) if item else None


def find_all(photo: Photo) -> list[bytes]:
    """Its bytes by width; fewer, if it goes at this moment."""
    found = table().get_many(photo_keys(photo))
    return [found[place]["content"] for place in photo_keys(photo) if place in found]


def copy(photo: Photo) -> Encoded | None:
    """The same picture under an address of its own. Nothing, if it goes at this moment."""
    parts = find_all(photo)
    return Encoded(replace(photo, id=new_id()), tuple(parts)) if len(parts) == len(photo.widths) else None


def photo_keys(photo: Photo | None) -> list[Key]:
    return [keys.photo(photo.id, width) for width in photo.widths] if photo else []


# --- writes; each answers parts of the transaction in which the thing says which picture it has ---


def adding_bytes(encoded: Encoded) -> list[Put]:
    photo = encoded.photo
    return [
        Put(_item(place, photo.kind, digest, content), when=Missing())
        for place, digest, content in zip(photo_keys(photo), photo.digests, encoded.parts, strict=True)
    ]


def _item(place: Key, kind: str, digest: str, content: bytes) -> Item:
    return {**place.item, "entity_type": "PHOTO", "kind": kind, "digest": digest, "content": content}


def deleting_bytes(photo: Photo | None) -> list[Delete]:
    return [Delete(place) for place in photo_keys(photo)]


# --- of the thing itself ---


def photo_unchanged(photo: Photo | None) -> Condition:
    """That the thing has this picture, or none, as it had when it was read: so no picture is left without a thing."""
    return Equals("photo", photo.as_item()) if photo else Missing("photo")


def setting_photo(key: Key, before: Photo | None, after: Photo | None, when: Condition | None = None) -> Update:
    """The thing has this picture from now on, or none. Refused if it no longer has the one it had."""
    unchanged = photo_unchanged(before) & when if when else photo_unchanged(before)
    if after is None:
        return Update(key, remove=("photo",), when=unchanged)
    return Update(key, set={"photo": after.as_item()}, when=unchanged)


def event_data(photo: Photo | None) -> dict[str, Any]:
    """What an event says of it; the bytes are in no log."""
    return {"photo": photo.as_item() if photo else None}
