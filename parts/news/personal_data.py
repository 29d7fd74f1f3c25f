"""Personal-data export of posts, and what happens to them when the author is removed."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from accounts.personal_data import count_items
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Item

from . import repository

BATCH_POSTS = 20  # posts whose texts are read together
EXPORTED_FIELDS = ("title", "slug", "summary", "election", "created_at", "changed_at", "published_at")


def export_posts(user: User) -> Iterator[Item]:
    """Including drafts, each with its full text."""
    for span in (keys.posts_by(user.name), keys.drafts_by(user.name)):
        for some in by_count(table().each(span), BATCH_POSTS):
            posts = [repository.post_of(item) for item in some]
            texts = table().get_many(keys.post_text(post.id) for post in posts)
            for post in posts:
                text = texts.get(keys.post_text(post.id), {}).get("text", "")
                fields = {name: getattr(post, name) for name in EXPORTED_FIELDS}
                yield {"post": post.id, **fields, "tags": list(post.tags), "text": text}


def count_posts(user: User) -> tuple[int, int]:
    """How many of their posts are public, and how many are not public yet."""
    seen, dated, drafts = count_items(
        lambda name: keys.up_to(keys.posts_by(name), now_text()), keys.posts_by, keys.drafts_by
    )(user)
    return seen, dated + drafts - seen
