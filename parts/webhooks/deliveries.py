"""What webhooks are notified of, and sending it: at least once, always with the same id.

The transaction that opens an election cannot know how many endpoints want to hear of it, so it stores one task; the
worker then makes a delivery for each of them. Each delivery is a task, which a worker claims before it sends: if the
worker dies, the delivery is due again when the claim has expired. An endpoint that is slow or silent rests after each
request, so that those to others have their turn, however many wait for it.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts import repository as people
from elections.rules import Election
from foundation.acts import outbound
from foundation.acts.background import OVERWRITE, Batch, Task, finished
from foundation.acts.links import absolute_url
from foundation.acts.outbound import OutboundError
from foundation.acts.storage import SITE, now_text, table
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate
from foundation.store import keys
from foundation.store.log import Event, as_text
from foundation.store.table import Key, Update, Write
from parts.news import repository as posts
from parts.news.rules import Post

from . import repository, rules
from .repository import DELIVERING, NOTIFYING
from .rules import Delivery, Endpoint

RETENTION_SECONDS = 30 * 24 * 3600  # of a delivery that has ended
USUAL_HEADERS = {"Content-Type": "application/json", "User-Agent": "Plenum-Webhooks"}

_log = logging.getLogger("plenum.webhooks")


def message_id() -> str:
    return f"msg_{secrets.token_hex(12)}"


def payload(event_type: str, moment: str, data: dict[str, Any]) -> str:
    """Small, and nothing that a visitor of the site could not read: names and addresses of pages."""
    return json.dumps({"type": event_type, "timestamp": moment, "data": data}, separators=(",", ":"))


# --- in the causing transaction ---


def opened(election: Election) -> list[Write]:
    times = {"opens_at": election.no_voting_before or election.opened_at, "closes_at": election.no_voting_after}
    return _about_election(rules.OPENED, election, **times)


def closed(election: Election) -> list[Write]:
    return _about_election(rules.CLOSED, election, closed_at=election.closed_at)


def reminded(election: Election) -> list[Write]:
    return _about_election(rules.REMINDED, election, closes_at=election.no_voting_after)


def sealed(election: Election) -> list[Write]:
    return _about_election(rules.SEALED, election)


def _about_election(event_type: str, election: Election, **more: Any) -> list[Write]:
    runners = {keys.fold(name): name for name in (election.owner_name, *election.managers)}
    about = {"election": {"name": election.name}, **more}
    return [_notifying(message_id(), event_type, now_text(), runners.values(), about)]


def published(before: Post | None, after: Post) -> list[Write]:
    """When the post appears, which may be later; a public post that only gets another date is no news."""
    now, moment = now_text(), after.published_at
    if moment is None or (before is not None and before.is_public(now) and after.is_public(now)):
        return []
    data = {"post": {"title": after.title, "url": _url("post", after.slug)}, "published_at": moment}
    return [_notifying(f"post {after.id}", rules.PUBLISHED, max(moment, now), [], data, post=after.id)]


def _notifying(subject: str, event_type: str, due: str, people: Iterable[str], data: Any, **more: str) -> Write:
    owners = ["", *dict.fromkeys(filter(None, people))]
    about = {"id": message_id(), "event": event_type, "moment": due, "owners": owners, "about": data, **more}
    return NOTIFYING.begin(subject, due=due, when=OVERWRITE, **about)


def _url(page: str, name: str) -> str:
    return absolute_url(reverse(page, args=[name]))


# --- queued by the worker ---


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
    owner, about = owners[done], dict(data["about"])
    if "election" in about:
        name = about["election"]["name"]
        about |= {"election": {"name": name, "url": _url("election", name)}}
        about |= {"result_url": _url("results", name)} if data["event"] == rules.SEALED else {}
    text = payload(data["event"], data["moment"], about)
    wanting = (each for each in repository.endpoints_of(owner) if each.wants(data["event"]))
    now = now_text()
    deliveries = (Delivery(data["id"], each.id, owner, data["event"], text, now, now) for each in wanting)
    queued = [write for each in deliveries for write in repository.queueing(each)]
    return Batch(queued, {"owners": done + 1}, is_last=done + 1 >= len(owners))


# --- sent ---


def _now() -> datetime:
    return datetime.fromisoformat(now_text())


@DELIVERING.step
def deliver(task: Task) -> Batch:
    """One attempt."""
    item, now = table().get(Key(task.data["pk"], task.data["sk"])), _now()
    if item is None or item["state"] != rules.WAITING:
        return finished()
    delivery = repository.delivery_of(item)
    endpoint = repository.find(delivery.owner, delivery.webhook)
    if endpoint is None or endpoint.state != rules.ACTIVE:
        return finished(_ending(delivery, rules.DROPPED, now))
    if endpoint.rests_until > as_text(now):
        until = datetime.fromisoformat(endpoint.rests_until)
        due = repository.changing(delivery, due=endpoint.rests_until)
        return Batch([due], wait_seconds=(until - now).total_seconds())
    status, reason = _send(endpoint, delivery, now)
    return _outcome(endpoint, delivery, status, reason, seconds=(_now() - now).total_seconds())


def _send(endpoint: Endpoint, delivery: Delivery, now: datetime) -> tuple[int, str]:
    """The status of the response; or 0, and why there was none."""
    body = delivery.payload.encode()
    signing = repository.secrets_of(endpoint, now.timestamp())
    if not signing:
        return 0, "no secret"
    headers = USUAL_HEADERS | rules.headers(delivery.id, body, signing, now)
    try:
        return outbound.request("POST", endpoint.url, body, headers).status, ""
    except OutboundError as error:
        return 0, error.reason


def _outcome(endpoint: Endpoint, delivery: Delivery, status: int, reason: str, seconds: float) -> Batch:
    """What is written about a response that took so many seconds."""
    now, tries = _now(), delivery.tries + 1
    outcome: dict[str, Any] = {"tries": tries, "status": status, "reason": reason}
    seen: dict[str, Any] = {"last_at": as_text(now), "last_status": status, "last_reason": reason}
    rest = rules.rest(seconds)
    seen["rests_until"] = as_text(now + timedelta(seconds=rest)) if rest else ""
    if 200 <= status < 300:
        updated = repository.updating(endpoint, **seen, failing_since="")
        return finished(_ending(delivery, rules.DELIVERED, now, **outcome), updated)
    _log.warning("webhook failed", extra={"webhook": endpoint.id, "status": status, "reason": reason})
    seen["failing_since"] = endpoint.failing_since or seen["last_at"]
    if rules.must_be_disabled(endpoint, status, now):
        return _disabling(endpoint, seen, _ending(delivery, rules.FAILED, now, **outcome))
    pause, updated = rules.backoff(tries), repository.updating(endpoint, **seen)
    if pause is None:
        return finished(_ending(delivery, rules.FAILED, now, **outcome), updated)
    later = repository.changing(delivery, due=as_text(now + timedelta(seconds=pause)), **outcome)
    return Batch([later, updated], wait_seconds=pause)


def _disabling(endpoint: Endpoint, seen: dict[str, Any], ended: Update) -> Batch:
    """With a mail to its owner, or to the admin who added it for the site."""
    reason = "gone" if seen["last_status"] == rules.GONE else "failing"
    person = people.find(endpoint.created_by)
    host = urlsplit(endpoint.url).hostname or ""
    mail = [outbox.queued("webhook_disabled", person.email, host=host, webhook=endpoint.id)] if person else []
    event = Event(SITE, "WebhookDisabled", {"webhook_id": endpoint.id, "owner": endpoint.owner, "reason": reason})
    return finished(ended, repository.updating(endpoint, **seen, state=rules.DISABLED), *mail, event=event)


def _ending(delivery: Delivery, state: str, now: datetime, **changes: Any) -> Update:
    return repository.changing(delivery, state=state, ttl=int(now.timestamp()) + RETENTION_SECONDS, **changes)


EMAIL_TEMPLATES = {
    "webhook_disabled": EmailTemplate(
        gettext_noop("A webhook was switched off"),
        (
            gettext_noop("Events could no longer be delivered to %(host)s, so nothing more is sent there."),
            gettext_noop("Its page says what went wrong. Once the receiver works again, resume it there."),
        ),
        lambda mail: reverse("webhook", args=[mail.about["webhook"]]),
        gettext_noop("See the webhook"),
    ),
}
