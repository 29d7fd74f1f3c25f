"""What webhooks are notified of: steps of other apps' transactions (config/hooks.py) that queue an event.

The transaction that opens an election cannot know how many endpoints want to hear of it, so it stores one task; the
worker then makes a delivery for each of them.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from elections.rules import Election
from foundation.acts.background import OVERWRITE, Batch, Task
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.store import keys
from foundation.store.table import Write
from parts.news import repository as posts
from parts.news.rules import Post

from . import repository
from .repository import NOTIFYING
from .rules import CLOSED, OPENED, PUBLISHED, REMINDED, SEALED, Delivery


def message_id() -> str:
    return f"msg_{secrets.token_hex(12)}"


def payload(event_type: str, moment: str, data: dict[str, Any]) -> str:
    """Small, and nothing that a visitor of the site could not read: names and addresses of pages."""
    return json.dumps({"type": event_type, "timestamp": moment, "data": data}, separators=(",", ":"))


# --- in the causing transaction ---


def opened(election: Election) -> list[Write]:
    times = {"opens_at": election.no_voting_before or election.opened_at, "closes_at": election.no_voting_after}
    return _about_election(OPENED, election, **times)


def closed(election: Election) -> list[Write]:
    return _about_election(CLOSED, election, closed_at=election.closed_at)


def reminded(election: Election) -> list[Write]:
    return _about_election(REMINDED, election, closes_at=election.no_voting_after)


def sealed(election: Election) -> list[Write]:
    return _about_election(SEALED, election)


def _about_election(event_type: str, election: Election, **more: Any) -> list[Write]:
    about = {"election": {"name": election.name}, **more}
    return [_notifying(message_id(), event_type, now_text(), _runners(election), about)]


def published(before: Post | None, after: Post) -> list[Write]:
    """When the post appears, which may be later; a public post that only gets another date is no news."""
    now, moment = now_text(), after.published_at
    if moment is None or (before is not None and before.is_public(now) and after.is_public(now)):
        return []
    data = {"post": {"title": after.title, "url": _url("post", after.slug)}, "published_at": moment}
    return [_notifying(f"post {after.id}", PUBLISHED, max(moment, now), [], data, post=after.id)]


def _notifying(subject: str, event_type: str, due: str, people: Iterable[str], data: Any, **more: str) -> Write:
    owners = ["", *dict.fromkeys(filter(None, people))]
    about = {"id": message_id(), "event": event_type, "moment": due, "owners": owners, "about": data, **more}
    return NOTIFYING.begin(subject, due=due, when=OVERWRITE, **about)


def _runners(election: Election) -> list[str]:
    return list({keys.fold(name): name for name in (election.owner_name, *election.managers)}.values())


def _url(page: str, name: str) -> str:
    return absolute_url(reverse(page, args=[name]))


# --- by the worker ---


@NOTIFYING.step
def queue_deliveries(task: Task) -> Batch:
    """A delivery for each endpoint of one owner that wants this event; the owners one after the other."""
    data, done, owners = task.data, task.progress.get("owners", 0), task.data["owners"]
    if data.get("post"):
        post = posts.find(data["post"])
        if post is None or post.published_at != data["about"]["published_at"]:
            return Batch(is_last=True)  # withdrawn, deleted or put off
        owners = [*owners, *filter(None, [post.author])]
    if done >= len(owners):
        return Batch(is_last=True)  # the author has left since
    owner, text = owners[done], payload(data["event"], data["moment"], _with_urls(data))
    wanting = (each for each in repository.endpoints_of(owner) if each.wants(data["event"]))
    now = now_text()
    deliveries = (Delivery(data["id"], each.id, owner, data["event"], text, now, now) for each in wanting)
    queued = [write for each in deliveries for write in repository.queueing(each)]
    return Batch(queued, {"owners": done + 1}, is_last=done + 1 >= len(owners))


def _with_urls(data: dict[str, Any]) -> dict[str, Any]:
    """What the event is about, with the addresses of the pages of its election."""
    about = data["about"]
    if "election" not in about:
        return about
    name = about["election"]["name"]
    urls = {"result_url": _url("results", name)} if data["event"] == SEALED else {}
    return {**about, "election": {"name": name, "url": _url("election", name)}, **urls}
