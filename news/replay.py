"""What happens to news when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from photos.rules import photo_of
from store.replay import Act, DoesNotFit, Happened, Step
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


def changed(*names: str, **always: Any) -> Act:
    """The post gets what the event says of these, and what always comes with it."""

    def act(event: Happened) -> Step:
        post = whole_of(event).post
        after = replace(with_words(post, event, *names), **always)
        return repository.change(post, after, event.said.get("text"))

    return act


def pictured(event: Happened) -> Iterator[Step]:
    post = whole_of(event).post
    yield repository.change(post, replace(post, photo=photo_of(event.said["photo"])))


def deleted(event: Happened) -> Iterator[Step]:
    whole = whole_of(event)
    yield repository.deletion(whole.post, whole.beside)


CHOSEN_WORDS = "post_id title slug tags:list summary excerpt words:int changed_at text"
EVENTS = (
    EventType("PostWritten", written, f"{CHOSEN_WORDS} election election_at at"),
    EventType("ResultAnnounced", announced, f"{CHOSEN_WORDS} election_name election_at at result published_at "
              "time_zone", sentence=_("%(who)s announced the result in the news.")),
    EventType("PostEdited", changed(*CHOSEN, "revised_at"), f"{CHOSEN_WORDS} revised_at"),
    EventType("PostPublished", changed("published_at", "time_zone", "changed_at", was_dated=True),
              "post_id published_at time_zone changed_at mails:bool"),
    EventType("PostWithdrawn", changed("changed_at", published_at=None, revised_at=None), "post_id changed_at"),
    EventType("PostPictured", pictured, "post_id photo:map", inside=PICTURE),
    EventType("PreviewsRevoked", changed("previews"), "post_id previews:int"),
    EventType("PostPassedOn", changed("author"), "post_id author:person"),
    EventType("PostDeleted", deleted, "post_id"),
)  # fmt: skip
