"""Who may see a post before it is published, and who may change it.

People without an account see it by a preview link, which is signed, valid for a week, and revocable.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.urls import reverse

from accounts.access import demands_second_factor, requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts import tokens
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import now_text
from foundation.acts.tokens import SECONDS_PER_DAY
from foundation.pages.times import from_text
from foundation.store.log import as_text, utc_now

from . import repository, services
from .repository import FullPost
from .rules import PREVIEW_DAYS, Post


def can_edit(user: User | AnonymousUser, post: Post) -> bool:
    """Whether a person may change a post, and so sees it at any time."""
    if not isinstance(user, User) or not user.can(Permission.USE_APPLICATION):
        return False
    if demands_second_factor(user) and not user.factors:
        return False
    try:
        services.check(user, post)
    except NotAllowed:
        return False
    return True


def check_editable(user: User, post: Post) -> None:
    """An unpublished post is a 404 for everyone but those who may edit it."""
    try:
        services.check(user, post)
    except NotAllowed:
        if not post.is_public(now_text()):
            raise Http404 from None
        raise


requires_editor: Any = requires(
    Permission.USE_APPLICATION, load=repository.find, rule=check_editable
)  # a page for a post's editors


PREVIEW_PURPOSE = "preview_post"


def preview_link(post: Post) -> str:
    """The token includes the number of revocations, so revoking once more voids all links."""
    token = tokens.create_token(PREVIEW_PURPOSE, post.id, str(post.previews), as_text(utc_now()))
    return absolute_url(reverse("preview_post", args=[token]))


def read_preview(token: str) -> tuple[FullPost, datetime] | None:
    """The post that may be previewed, and until when."""
    match tokens.read_token(PREVIEW_PURPOSE, token, PREVIEW_DAYS * SECONDS_PER_DAY):
        case [post_id, count, signed_at]:
            full = repository.find_full(post_id)
            if full is not None and str(full.post.previews) == count:
                return full, from_text(signed_at) + timedelta(days=PREVIEW_DAYS)
    return None
