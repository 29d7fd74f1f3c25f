"""Replaying events about posts and the site's page: for each event type, the same writes as the live act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from photos.rules import photo_of
from store.replay import Act, DoesNotFit, Happened, Step
from store.schema import EventType

from . import repository, site_page
from .items import PICTURE, SITE_PAGE
from .repository import FullPost
from .rules import Post
from .services import ANNOUNCED_FIELDS, AUTHOR_FIELDS


def post_of_event(event: Happened) -> FullPost:
    full = repository.find_full(event.data["post_id"])
    if full is None:
        raise DoesNotFit(f"is about the post {event.data['post_id']}, which does not exist at that point.")
    return full


def with_event_data(post: Post, event: Happened, *names: str) -> Post:
    values: dict[str, Any] = {name: event.data[name] for name in names if name in event.data}
    return replace(post, **values | ({"tags": tuple(values["tags"])} if "tags" in values else {}))


def written(event: Happened) -> Iterator[Step]:
    data = event.data
    draft = Post(data["post_id"], "", "", event.actor, data["at"], data["at"])
    yield repository.creation(with_event_data(draft, event, *AUTHOR_FIELDS, "election", "election_at"), data["text"])


def announced(event: Happened) -> Iterator[Step]:
    data = event.data
    post = Post(data["post_id"], "", "", event.actor, data["at"], data["at"], election=data["election_name"])
    post = with_event_data(post, event, *AUTHOR_FIELDS, *ANNOUNCED_FIELDS)
    yield repository.creation(replace(post, was_dated=True), data["text"])


def changed(*names: str, **always: Any) -> Act:
    """Applies the event's values for these fields, and those that every change has."""

    def act(event: Happened) -> Step:
        post = post_of_event(event).post
        after = replace(with_event_data(post, event, *names), **always)
        return repository.change(post, after, event.data.get("text"))

    return act


def pictured(event: Happened) -> Iterator[Step]:
    post = post_of_event(event).post
    yield repository.change(post, replace(post, photo=photo_of(event.data["photo"])))


def deleted(event: Happened) -> Iterator[Step]:
    full = post_of_event(event)
    yield repository.deletion(full.post, full.items)


# --- the site's page ---


def site_page_edited(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    data = {name: value for name, value in event.data.items() if name != "part"}
    yield site_page.writing(site_page.changed(page, data), page)


def site_page_removed(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    if not page.version:
        raise DoesNotFit("removes the site's page, which does not exist at that point.")
    yield site_page.removing(page)


AUTHOR_SCHEMA = "post_id title slug tags:list summary excerpt words:int changed_at text"
EVENTS = (
    EventType("PostWritten", written, f"{AUTHOR_SCHEMA} election election_at at"),
    EventType("ResultAnnounced", announced, f"{AUTHOR_SCHEMA} election_name election_at at result published_at "
              "time_zone", sentence=_("%(who)s announced the result in the news.")),
    EventType("PostEdited", changed(*AUTHOR_FIELDS, "revised_at"), f"{AUTHOR_SCHEMA} revised_at"),
    EventType("PostPublished", changed("published_at", "time_zone", "changed_at", was_dated=True),
              "post_id published_at time_zone changed_at mails:bool"),
    EventType("PostWithdrawn", changed("changed_at", published_at=None, revised_at=None), "post_id changed_at"),
    EventType("PostPictured", pictured, "post_id photo:map", inside=PICTURE),
    EventType("PreviewsRevoked", changed("previews"), "post_id previews:int"),
    EventType("PostPassedOn", changed("author"), "post_id author:person"),
    EventType("PostDeleted", deleted, "post_id"),
    EventType("SitePageEdited", site_page_edited, "part name colour text links:list projects:list photo:map "
              "hides_example:bool", inside=SITE_PAGE),
    EventType("SitePageRemoved", site_page_removed),
)  # fmt: skip
