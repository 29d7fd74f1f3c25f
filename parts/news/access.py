"""Who may see a post before it is published, and who may change it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from accounts.access import demands_second_factor, requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import now_text

from . import repository, services
from .rules import Post


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
