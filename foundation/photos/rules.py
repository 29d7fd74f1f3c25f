"""What a stored picture is, and the messages for files that are not accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal

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
