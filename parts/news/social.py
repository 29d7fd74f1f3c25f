"""Link previews that other sites show of a post or a list of posts."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.text import Truncator

from foundation.acts.links import absolute_url
from foundation.pages.sharing import MAX_PREVIEW_CHARS, site_picture
from foundation.photos.photos import CONTENT_TYPES

from .feeds import Picture
from .rules import Post

MAX_WIDTH_PX = 1280


def address_of(post: Post) -> str:
    """The canonical URL, whichever way led here."""
    return absolute_url(reverse("post", args=[post.slug]))


def post_preview(post: Post) -> dict[str, Any]:
    """For news/parts/social.html."""
    about = {"title": post.title, "summary": Truncator(post.lead).chars(MAX_PREVIEW_CHARS), "address": address_of(post)}
    dates = {"published": post.published_at, "modified": post.modified_at, "tags": post.tags}
    if (picture := picture_of(post)) is None:
        return about | dates | {"image": site_picture()}
    size = {"wide": picture.wide, "high": picture.high, "alt": picture.alt}
    return about | dates | {"image": picture.address, **size}


def picture_of(post: Post) -> Picture | None:
    """The post's own picture, if it has one."""
    photo = post.photo
    if photo is None:
        return None
    wide = next((each for each in photo.widths if each >= MAX_WIDTH_PX), photo.widths[-1])
    high = round(photo.high * wide / photo.wide)
    return Picture(absolute_url(photo.src(MAX_WIDTH_PX)), CONTENT_TYPES[photo.kind], photo.alt, wide, high)


def feed_links(page: str, *arguments: str) -> dict[str, str]:
    """For news/parts/feed_links.html: the feeds of a list of posts, and its own URL."""
    kinds = {kind: absolute_url(reverse(f"{page}_{kind}", args=arguments)) for kind in ("atom", "json")}
    return {"address": absolute_url(reverse(page, args=arguments)), **kinds}
