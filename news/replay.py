"""What happens to news when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from photos.rules import photo_of
from store.replay import DoesNotFit, Happened, Step
from store.schema import EventType

from . import repository
from .items import PICTURE
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


CHOSEN_WORDS = "post_id title slug tags:list summary excerpt words:int changed_at text"
EVENTS = (
    EventType("PostWritten", written, f"{CHOSEN_WORDS} election election_at at"),
    EventType("ResultAnnounced", announced, f"{CHOSEN_WORDS} election_name election_at at result published_at "
              "time_zone", sentence=_("%(who)s announced the result in the news.")),
    EventType("PostEdited", edited, f"{CHOSEN_WORDS} revised_at"),
    EventType("PostPublished", published, "post_id published_at time_zone changed_at mails:bool"),
    EventType("PostWithdrawn", withdrawn, "post_id changed_at"),
    EventType("PostPictured", pictured, "post_id photo:map", inside=PICTURE),
    EventType("PreviewsRevoked", previews_revoked, "post_id previews:int"),
    EventType("PostPassedOn", passed_on, "post_id author:person"),
    EventType("PostDeleted", deleted, "post_id"),
)  # fmt: skip
