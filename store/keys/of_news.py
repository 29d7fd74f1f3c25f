"""Keys of news: posts, the addresses that lead to them, and the lists they stand in.

| item            | table | PK              | SK        | GSI1PK / GSI1SK                           | read by       |
|-----------------|-------|-----------------|-----------|-------------------------------------------|---------------|
| post            | data  | BLOG#{id}       | METADATA  | BLOG#ALL / {published_at}#{id}            | news, feeds   |
| draft post      | data  | BLOG#{id}       | METADATA  | BLOG#DRAFTS / {changed_at}#{id}           | drafts        |
| post's text     | data  | BLOG#{id}       | TEXT      |                                           | post          |
| post by author  | data  | BLOG#{id}       | AUTHOR    | BLOGAUTHOR#{name} / {published_at}#{id}   | lists         |
| draft by author | data  | BLOG#{id}       | AUTHOR    | BLOGDRAFTS#{name} / {changed_at}#{id}     | drafts        |
| post by tag     | data  | BLOG#{id}       | TAG#{tag} | BLOGTAG#{tag} / {published_at}#{id}       | lists, feeds  |
| post on         | data  | BLOG#{id}       | ELECTION  | BLOGELECTION#{name} / {published_at}#{id} | election      |
| post's slug     | data  | BLOGSLUG#{slug} | METADATA  |                                           | post, guard   |

A post that has a date stands in its lists under that date, also if it lies ahead: whoever reads a list asks for what is
not later than now. So nothing has to happen when the moment comes. One without a date stands among the drafts.
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


def posts_on(election: str) -> Span:
    return Span(f"BLOGELECTION#{part(election)}", index=True)


def up_to(posts: Span, moment: str) -> Span:
    """The part of a list of posts that can be seen at a moment, which itself belongs to it."""
    return replace(posts, last=f"{moment}$")  # which comes after every `#`


def posts_in(year: str, moment: str) -> Span:
    """What can be seen at a moment of the posts of a year, which is not a later one."""
    return replace(POSTS, first=year, last=min(f"{year}~", f"{moment}$"))
