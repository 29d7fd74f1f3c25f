"""Pictures as they are stored, one item for each width, and the writes that replace the picture of a thing."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Condition, Delete, Equals, Item, Key, Missing, Put, Update

MAX_ALT_CHARS = 300
DEFAULT_WIDTH_PX = 640  # for clients that do not support srcset
CONTENT_TYPES = {"jpg": "image/jpeg", "webp": "image/webp"}


class NoPicture(Refusal):
    """The upload cannot be turned into a picture; the message says why."""


SENTENCES = {
    "large": _("This file is too large. A picture can have up to 8 MB."),
    "pixels": _("This picture has more than 40 million pixels. Please make it smaller."),
    "unread": _("This file cannot be read as a picture. Please use a JPEG, PNG or WebP file."),
    "svg": _("SVG files are not accepted because they can contain programs. Please use a JPEG, PNG or WebP file."),
    "animated": _("Animated pictures are not accepted. Please use a still picture."),
    "broken": _("This picture is damaged, or a part of it is missing. Please try another file."),
    "memory": _("This picture needs too much memory. Please make it smaller."),
    "long": _("This picture took too long to process. Please make it smaller."),
    "busy": _("Other people are adding pictures right now. Please try again in a moment."),
}


def no_picture(word: str) -> NoPicture:
    return NoPicture(SENTENCES.get(word, SENTENCES["broken"]))


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture's metadata, stored with its owner: all that a page needs to show it, except for its bytes.

    URLs cannot be guessed: the id has 128 random bits.
    """

    id: str
    alt: str
    wide: int  # of the largest width
    high: int
    widths: tuple[int, ...]  # smallest first
    kind: str  # file extension
    digests: tuple[str, ...]  # of each width's bytes

    def as_item(self) -> dict[str, Any]:
        """As stored in owners and events."""
        size = {"wide": self.wide, "high": self.high, "widths": list(self.widths)}
        return {"id": self.id, "alt": self.alt, **size, "kind": self.kind, "digests": list(self.digests)}

    def src(self, width: int) -> str:
        """URL of the smallest version at least this wide, or else of the largest."""
        stored = next((each for each in self.widths if each >= width), self.widths[-1])
        return reverse("picture", args=[self.id, stored, self.kind])

    @property
    def address(self) -> str:
        return self.src(DEFAULT_WIDTH_PX)

    @property
    def small(self) -> str:
        return self.src(self.widths[0])

    @property
    def large(self) -> str:
        return self.src(self.widths[-1])

    @property
    def srcset(self) -> str:
        return ", ".join(f"{self.src(width)} {width}w" for width in self.widths)


def photo_of(item: dict[str, Any] | None) -> Photo | None:
    """Reads the attribute `photo`, which items without a picture lack."""
    if not item:
        return None
    widths, digests = tuple(item["widths"]), tuple(item["digests"])
    return Photo(item["id"], item["alt"], item["wide"], item["high"], widths, item["kind"], digests)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture ready to be stored: its metadata, and its bytes by width."""

    photo: Photo
    parts: tuple[bytes, ...]  # in the order of `photo.widths`


def new_id() -> str:
    return secrets.token_hex(16)


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
