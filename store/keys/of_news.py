"""Keys of news: posts, the addresses that lead to them, the lists they stand in, and who gets them by mail.

A post that has a date stands in its lists under that date, also if it lies ahead: whoever reads a list asks for what is
not later than now. So nothing has to happen when the moment comes. One without a date stands among the drafts.

Marks of who likes a post lie in as many partitions as it has counters, apart from it: so its page reads none of them,
and those of a deleted post can be found. Only a mark of an account stands in the index, under the account's name.

Subscribers are one partition: it is written only when somebody confirms or leaves, and read by one worker, some at a
time, so that it is never busy; and whoever reads it by its own key sees at once who has left.
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
    """The post, its text and what is counted of it: one Query for its page."""
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
    """The way to a post by its address; it stays, so that no other post ever gets the address."""
    return Key(f"BLOGSLUG#{part(slug)}", METADATA)


def post_by_date(moment: str, post_id: str) -> str:
    return f"{moment}#{escape(post_id)}"


def posts_by(author: str) -> Span:
    return Span(f"BLOGAUTHOR#{part(author)}", index=True)


def drafts_by(author: str) -> Span:
    return Span(f"BLOGDRAFTS#{part(author)}", index=True)


def posts_with(tag: str) -> Span:
    return Span(f"BLOGTAG#{part(tag)}", index=True)


def posts_on(election: str, made_at: str) -> Span:
    """Of one election, and not of a later one to which somebody gave the same name."""
    return Span(f"BLOGELECTION#{part(election)}#{escape(made_at)}", index=True)


def announcement(election: str, made_at: str, digest: str) -> Key:
    """The way from a sealed result to the post that announces it: there is one for each."""
    return Key(f"BLOGRESULT#{part(election)}", f"{escape(made_at)}#{escape(digest)}")


def up_to(posts: Span, moment: str) -> Span:
    """The part of a list of posts that can be seen at a moment, which itself belongs to it."""
    return replace(posts, last=f"{moment}$")  # which comes after every `#`


def posts_in(year: str, moment: str) -> Span:
    """What can be seen at a moment of the posts of a year, which is not a later one."""
    return replace(POSTS, first=year, last=min(f"{year}~", f"{moment}$"))


# --- likes ---


def likes(post_id: str, shard: int) -> Key:
    """How many of those whose marks lie in the shard like the post; with the post, so that its page reads it along."""
    return Key(post(post_id).pk, f"LIKES#{shard:02d}")


def all_likes(post_id: str) -> Span:
    return Span(post(post_id).pk, prefix="LIKES#")


def like(post_id: str, shard: int, visitor: str) -> Key:
    """The mark of somebody who likes the post; they are called by a code that is theirs on this post alone."""
    return Key(marks_of_likes(post_id, shard).pk, f"VISITOR#{escape(visitor)}")


def marks_of_likes(post_id: str, shard: int) -> Span:
    return Span(f"LIKE#{escape(post_id)}#{shard:02d}")


def liked_by(name: str) -> Span:
    return Span(f"LIKES#{part(name)}", index=True)


# --- news by mail ---

SUBSCRIBERS = Span("SUBSCRIBERS")


def post_mailing(post_id: str) -> Key:
    """There once its mails have begun to leave, so that this does not happen twice."""
    return Key(post(post_id).pk, "MAILING")


def subscriber(address: str) -> Key:
    """Somebody who gets the news by mail: there only once they have confirmed it, and only until they leave."""
    return Key(SUBSCRIBERS.pk, part(address))
