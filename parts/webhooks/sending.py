"""Sends events to webhooks: at least once, always with the same id.

Each delivery is a task, which a worker claims before it sends: if the worker dies, the delivery is due again when the
claim has expired. An endpoint that is slow or silent rests after each request, so that those to others have their turn,
however many wait for it.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from accounts import repository as people
from foundation.acts import outbound
from foundation.acts.background import Batch, Task, finished
from foundation.acts.outbound import OutboundError
from foundation.acts.storage import SITE, now_text
from foundation.mail import outbox
from foundation.store.log import Event, as_text
from foundation.store.table import Key, Update

from . import repository, rules
from .repository import DELIVERING
from .rules import ACTIVE, DELIVERED, DISABLED, DROPPED, FAILED, GONE, WAITING, Delivery, Endpoint

RETENTION_SECONDS = 30 * 24 * 3600  # of a delivery that has ended
USUAL_HEADERS = {"Content-Type": "application/json", "User-Agent": "Plenum-Webhooks"}

_log = logging.getLogger("plenum.webhooks")


@DELIVERING.step
def deliver(task: Task) -> Batch:
    """One attempt."""
    delivery, now = repository.find_delivery(Key(task.data["pk"], task.data["sk"])), _now()
    if delivery is None or delivery.state != WAITING:
        return finished()
    endpoint = repository.find(delivery.owner, delivery.webhook)
    if endpoint is None or endpoint.state != ACTIVE:
        return finished(_ending(delivery, DROPPED, now))
    if endpoint.rests_until > as_text(now):
        until = datetime.fromisoformat(endpoint.rests_until)
        due = repository.changing(delivery, due=endpoint.rests_until)
        return Batch([due], wait_seconds=(until - now).total_seconds())
    status, reason = _send(endpoint, delivery, now)
    return _outcome(endpoint, delivery, status, reason, seconds=(_now() - now).total_seconds())


def _now() -> datetime:
    return datetime.fromisoformat(now_text())


def _send(endpoint: Endpoint, delivery: Delivery, now: datetime) -> tuple[int, str]:
    """The status of the response; or 0, and why there was none."""
    body = delivery.payload.encode()
    secrets = repository.secrets_of(endpoint, now.timestamp())
    if not secrets:
        return 0, "no secret"
    headers = USUAL_HEADERS | rules.headers(delivery.id, body, secrets, now)
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
        noted = repository.noting(endpoint, **seen, failing_since="")
        return finished(_ending(delivery, DELIVERED, now, **outcome), noted)
    _log.warning("webhook failed", extra={"webhook": endpoint.id, "status": status, "reason": reason})
    seen["failing_since"] = endpoint.failing_since or seen["last_at"]
    if rules.must_be_disabled(endpoint, status, now):
        return _disabling(endpoint, seen, _ending(delivery, FAILED, now, **outcome))
    pause, noted = rules.backoff(tries), repository.noting(endpoint, **seen)
    if pause is None:
        return finished(_ending(delivery, FAILED, now, **outcome), noted)
    later = repository.changing(delivery, due=as_text(now + timedelta(seconds=pause)), **outcome)
    return Batch([later, noted], wait_seconds=pause)


def _disabling(endpoint: Endpoint, seen: dict[str, Any], ended: Update) -> Batch:
    """With a mail to its owner, or to the admin who added it for the site."""
    reason = "gone" if seen["last_status"] == GONE else "failing"
    person = people.find(endpoint.created_by)
    host = urlsplit(endpoint.url).hostname or ""
    mail = [outbox.queued("webhook_disabled", person.email, host=host, webhook=endpoint.id)] if person else []
    event = Event(SITE, "WebhookDisabled", {"webhook_id": endpoint.id, "owner": endpoint.owner, "reason": reason})
    return finished(ended, repository.noting(endpoint, **seen, state=DISABLED), *mail, event=event)


def _ending(delivery: Delivery, state: str, now: datetime, **changes: Any) -> Update:
    return repository.changing(delivery, state=state, ttl=int(now.timestamp()) + RETENTION_SECONDS, **changes)
