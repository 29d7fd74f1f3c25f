"""The preview image of a link to a post without a picture of its own: its title, its day, and the site."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from acts.caches import SizedCache
from pages.http_cache import digest
from pages.times import from_text, local_time
from results.sharing.pen import ACCENT, HEIGHT_PX, INK, LEFT_PX, RIGHT_PX, SOFT, Pen, can_write, cut, edition, wrapped

from .rules import Post

FORMAT = 1  # of the drawing; a new one changes the URL


@dataclass(frozen=True, slots=True)
class Card:
    """The texts of the image, all in characters that can be drawn."""

    heading: str
    title: str
    day: str

    @property
    def edition(self) -> str:
        """Identifies this image, also across versions of Plenum."""
        return digest(FORMAT, edition(), self)


def card_of(post: Post) -> Card:
    """In the site's language, or in English if its script cannot be drawn."""
    with translation.override(settings.LANGUAGE_CODE):
        card = _card(post)
    if can_write(f"{card.heading}{card.title}{card.day}"):
        return card
    with translation.override("en"):
        return _card(post)


def _card(post: Post) -> Card:
    day = date_format(local_time(from_text(post.published_at or post.created_at), post.time_zone), "DATE_FORMAT")
    heading = ", ".join(tag for tag in post.tags if can_write(tag)) or _("News")
    return Card(heading, post.title if can_write(post.title) else _("Read the post"), day)


def picture(card: Card) -> bytes:
    """As PNG."""
    return _pictures.get(card.edition, lambda: _draw(card))


_pictures = SizedCache[bytes](4_000_000, len)  # about 20 KB each


def _draw(card: Card) -> bytes:
    pen, y = Pen(), 132.0
    pen.text(LEFT_PX, y, cut(card.heading, 32, RIGHT_PX - LEFT_PX), 32, ACCENT)
    for line in wrapped(card.title, 64, RIGHT_PX - LEFT_PX, 4):
        y += 84
        pen.text(LEFT_PX, y, line, 64, INK)
    pen.text(LEFT_PX, HEIGHT_PX - 46, card.day, 28, SOFT)
    pen.sign(HEIGHT_PX - 46)
    return pen.as_png()
