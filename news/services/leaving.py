"""What happens to posts whose author is removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accounts.handover import Handover, is_still_owner
from acts.storage import SITE, now_text, record, table
from news import repository
from news.rules import Post
from store import keys
from store.log import Event


def _listed(author: str) -> Iterator[str]:
    for span in (keys.posts_by(author), keys.drafts_by(author)):
        yield from [item["id"] for item in table().each(span)]


def _is_by(author: str, post: Post) -> bool:
    return keys.fold(author) == keys.fold(post.author)


def _record_heir(post: Post, gone: str, heir: str | None) -> None:
    """A public post stays without an author, as no one else wrote it. An unpublished one passes to the owner."""
    after = replace(post, author="" if post.is_public(now_text()) else heir or "")
    said = {"post_id": post.id, "author": after.author}
    record(Event(SITE, "PostPassedOn", said), *repository.change(post, after), *is_still_owner(after.author))


pass_on = Handover(_listed, repository.find, _is_by, _record_heir).pass_on
