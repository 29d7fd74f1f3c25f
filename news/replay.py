"""What happens to news when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from photos.rules import photo_of
from store import keys
from store.replay import Act, DoesNotFit, Exempt, Happened, Step, like

from . import repository
from .repository import Whole
from .rules import Post
from .services.announcing import SAID as ANNOUNCED
from .services.writing import CHOSEN


def whole_of(event: Happened) -> Whole:
    whole = repository.whole(event.said["post_id"])
    if whole is None:
        raise DoesNotFit(f"is about the post {event.said['post_id']}, and there is none of that id by then.")
    return whole


def with_words(post: Post, event: Happened, *names: str) -> Post:
    said: dict[str, Any] = {name: event.said[name] for name in names if name in event.said}
    return replace(post, **said | ({"tags": tuple(said["tags"])} if "tags" in said else {}))


def written(event: Happened) -> Iterator[Step]:
    said = event.said
    draft = Post(said["post_id"], "", "", event.actor, said["at"], said["at"])
    yield repository.creation(with_words(draft, event, *CHOSEN, "election", "election_at"), said["text"])


def announced(event: Happened) -> Iterator[Step]:
    said = event.said
    post = Post(said["post_id"], "", "", event.actor, said["at"], said["at"], election=said["election_name"])
    post = with_words(post, event, *CHOSEN, *ANNOUNCED)
    yield repository.creation(replace(post, was_dated=True), said["text"])


def edited(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    yield repository.change(post, with_words(post, event, *CHOSEN, "revised_at"), event.said["text"])


def published(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    after = with_words(post, event, "published_at", "time_zone", "changed_at")
    yield repository.change(post, replace(after, was_dated=True))


def withdrawn(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    after = with_words(post, event, "changed_at")
    yield repository.change(post, replace(after, published_at=None, revised_at=None))


def pictured(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    yield repository.change(post, replace(post, photo=photo_of(event.said["photo"])))


def previews_revoked(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    yield repository.change(post, with_words(post, event, "previews"))


def passed_on(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    yield repository.change(post, with_words(post, event, "author"))


def deleted(event: Happened) -> Iterator[Step]:
    whole = whole_of(event)
    yield repository.deletion(whole.post, whole.beside)


REPLAY: dict[str, Act] = {
    "PostWritten": written,
    "ResultAnnounced": announced,
    "PostEdited": edited,
    "PostPublished": published,
    "PostWithdrawn": withdrawn,
    "PostPictured": pictured,
    "PreviewsRevoked": previews_revoked,
    "PostPassedOn": passed_on,
    "PostDeleted": deleted,
}
EXEMPT: tuple[Exempt, ...] = (
    Exempt(like(keys.like("", 0, "")), "Who likes a post is forgotten after a while; the log would keep it for good."),
    Exempt(
        like(keys.likes("", 0)),
        "How many like a post follows from who does, which the log is not to keep.",
        attributes=("likes",),
    ),
    Exempt(
        keys.subscriber(""),
        "Who gets the news by mail is to be gone without a trace once they leave; the log would keep it for good.",
    ),
    Exempt(
        like(keys.post_mailing("")),
        "Whether a post was mailed: a store that is made again has no subscribers, and mails nobody.",
    ),
)
