"""Preview links to unpublished posts, for people without an account: signed, valid for a week, and revocable."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.urls import reverse

from foundation.acts import tokens
from foundation.acts.links import absolute_url
from foundation.acts.tokens import SECONDS_PER_DAY
from foundation.pages.times import from_text
from foundation.store.log import as_text, utc_now

from . import repository
from .repository import FullPost
from .rules import PREVIEW_DAYS, Post

PURPOSE = "preview_post"


def link_to(post: Post) -> str:
    """The token includes the number of revocations, so revoking once more voids all links."""
    token = tokens.create_token(PURPOSE, post.id, str(post.previews), as_text(utc_now()))
    return absolute_url(reverse("preview_post", args=[token]))


def read(token: str) -> tuple[FullPost, datetime] | None:
    """The post that may be previewed, and until when."""
    match tokens.read_token(PURPOSE, token, PREVIEW_DAYS * SECONDS_PER_DAY):
        case [post_id, count, signed_at]:
            full = repository.find_full(post_id)
            if full is not None and str(full.post.previews) == count:
                return full, from_text(signed_at) + timedelta(days=PREVIEW_DAYS)
    return None
