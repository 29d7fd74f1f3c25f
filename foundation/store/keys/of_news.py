"""Keys of news: posts, their URLs, lists of posts, likes and subscribers.

A post with a date is listed under that date, even if it is in the future: lists are read up to now, so publishing needs
no job. A post without a date is among the drafts.

The likes of a post are in as many partitions as it has counters, apart from the post: its page reads none of them, and
those of a deleted post can still be found. Only likes by accounts are in the index, under the account's name.

Subscribers are in one partition. It is written only when people confirm or leave, and read in batches by one worker, so
it is never busy; and a consistent read shows at once who has left.
"""

from __future__ import annotations

from dataclasses import replace

from ..table import Key, Span
from .parts import METADATA, escape, part

POSTS = Span("BLOG#ALL", index=True)
DRAFTS = Span("BLOG#DRAFTS", index=True)


def post(post_id: str) -> Key:
    return Key(f"BLOG#{escape(post_id)}", METADATA)


def all_of_post(post_id: str) -> Span:
    """The post, its text and its counts, in one query for its page."""
    return Span(post(post_id).pk)


def post_text(post_id: str) -> Key:
    return Key(post(post_id).pk, "TEXT")


def post_by_author(post_id: str) -> Key:
    return Key(post(post_id).pk, "AUTHOR")


def post_by_tag(post_id: str, tag: str) -> Key:
    return Key(post(post_id).pk, f"TAG#{part(tag)}")


def post_on_election(post_id: str) -> Key:
    return Key(post(post_id).pk, "ELECTION")


def post_slug(slug: str) -> Key:
    """Leads from a URL to its post; never deleted, so that no other post gets the same URL."""
    return Key(f"BLOGSLUG#{part(slug)}", METADATA)


def posts_by(author: str) -> Span:
    return Span(f"BLOGAUTHOR#{part(author)}", index=True)


def drafts_by(author: str) -> Span:
    return Span(f"BLOGDRAFTS#{part(author)}", index=True)


def posts_with(tag: str) -> Span:
    return Span(f"BLOGTAG#{part(tag)}", index=True)


def posts_on(election: str, made_at: str) -> Span:
    """Posts about one election, but not about a later one of the same name."""
    return Span(f"BLOGELECTION#{part(election)}#{escape(made_at)}", index=True)


def announcement(election: str, made_at: str, digest: str) -> Key:
    """Leads from a sealed result to the one post that announces it."""
    return Key(f"BLOGRESULT#{part(election)}", f"{escape(made_at)}#{escape(digest)}")


def up_to(posts: Span, moment: str) -> Span:
    """The part of a list that is visible at a moment, inclusive."""
    return replace(posts, last=f"{moment}$")  # sorts after every `#`


def posts_in(year: str, moment: str) -> Span:
    """The posts of a year, not a future one, that are visible at a moment."""
    return replace(POSTS, first=year, last=min(f"{year}~", f"{moment}$"))


# --- likes ---


def likes(post_id: str, shard: int) -> Key:
    """How many likes are in the shard; stored with the post, so that its page reads it too."""
    return Key(post(post_id).pk, f"LIKES#{shard:02d}")


def all_likes(post_id: str) -> Span:
    return Span(post(post_id).pk, prefix="LIKES#")


def like(post_id: str, shard: int, visitor: str) -> Key:
    """One visitor's like, under a code that identifies them on this post only."""
    return Key(marks_of_likes(post_id, shard).pk, f"VISITOR#{escape(visitor)}")


def marks_of_likes(post_id: str, shard: int) -> Span:
    return Span(f"LIKE#{escape(post_id)}#{shard:02d}")


def liked_by(name: str) -> Span:
    return Span(f"LIKES#{part(name)}", index=True)


# --- news by mail ---

SUBSCRIBERS = Span("SUBSCRIBERS")


def post_mailing(post_id: str) -> Key:
    """Exists once mailing has begun, so that it happens only once."""
    return Key(post(post_id).pk, "MAILING")


def subscriber(address: str) -> Key:
    """Somebody who gets the news by mail; exists from their confirmation until they unsubscribe."""
    return Key(SUBSCRIBERS.pk, part(address))
