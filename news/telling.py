"""What news tells somebody of themselves: what they have written, and what a removal would make of it."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import ngettext

from accounts.models import User
from accounts.telling import Part
from acts.site import now_text, table
from store import keys
from store.splitting import by_count
from store.table import Item, Span

from . import repository
from .rules import Post

MOST_COUNTED = 1000
READ_AT_ONCE = 20  # posts whose texts are read together
WORDS = ("title", "slug", "summary", "election", "created_at", "changed_at", "published_at")


def told(user: User) -> list[Part]:
    return [("posts", written_by(user))]


def written_by(user: User) -> Iterator[Item]:
    """Drafts included, each with all its words."""
    for span in (keys.posts_by(user.name), keys.drafts_by(user.name)):
        for some in by_count(table().each(span), READ_AT_ONCE):
            posts = [repository.post_of(item) for item in some]
            texts = table().get_many(keys.post_text(post.id) for post in posts)
            for post in posts:
                text = texts.get(keys.post_text(post.id), {}).get("text", "")
                yield {"post": post.id, **_words(post), "tags": list(post.tags), "text": text}


def _words(post: Post) -> Item:
    return {name: getattr(post, name) for name in WORDS}


def parting(user: User) -> str:
    """What a removal would take the name from, and what it would pass on."""
    seen = _count(keys.up_to(keys.posts_by(user.name), now_text()))
    ahead = _count(keys.posts_by(user.name)) + _count(keys.drafts_by(user.name)) - seen
    stays = ngettext("%(count)d post stays, without a name.", "%(count)d posts stay, without a name.", seen)
    passes = ngettext(
        "%(count)d post that nobody can read yet passes to the owner of the site.",
        "%(count)d posts that nobody can read yet pass to the owner of the site.",
        ahead,
    )
    sentences = [sentence % {"count": count} for sentence, count in ((stays, seen), (passes, ahead)) if count]
    return " ".join(sentences)


def _count(span: Span) -> int:
    return len(table().page(span, limit=MOST_COUNTED).items)
