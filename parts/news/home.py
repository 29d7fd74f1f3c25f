"""News on the home page."""

from __future__ import annotations

from typing import Any

from accounts.models import User
from elections.dashboard.home_cards import LATER, MAX_CARDS, Card
from foundation.parts import Panel

from .repository import newest, scheduled


def newest_posts(_user: Any) -> Panel | None:
    posts = newest()
    return Panel("news/parts/newest.html", {"posts": posts}) if posts else None


def post_cards(user: User, _now: str) -> list[Card]:
    """Of a person's scheduled posts."""
    posts, _cursor = scheduled(user.name, limit=MAX_CARDS)
    return [Card(LATER, str(post.published_at), "news/parts/home_card.html", {"post": post}) for post in posts]
