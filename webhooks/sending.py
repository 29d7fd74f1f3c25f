"""Sends what is due to webhooks: at least once, always with the same id, by any number of workers.

A worker claims a delivery by moving its turn: if the worker dies, the delivery is due again when the claim has expired.
An endpoint that fails is not asked again in the same run, so that a silent one delays the others only once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from accounts import repository as people
from acts import outbound
from acts.outbound import OutboundError, Response
from acts.queues import always, process_each
from acts.refusals import LostRace
from acts.storage import SITE, now_text, record, table, try_write
from mail import outbox
from store import keys
from store.log import Event, as_text
from store.table import Item, Write

from . import repository, rules
from .repository import RETENTION_SECONDS
from .rules import ACTIVE, DELIVERED, DISABLED, DROPPED, FAILED, GONE, Delivery, Endpoint

CLAIM_SECONDS = 60  # longer than a request can take
USUAL_HEADERS = {"Content-Type": "application/json", "User-Agent": "Plenum-Webhooks"}

Send = Callable[..., Response]
Now = Callable[[], datetime]

_log = logging.getLogger("plenum.webhooks")


def utc_now() -> datetime:
    return datetime.now(UTC)


def next_due() -> float | None:
    """In how many seconds a delivery is due, 0 for now."""
    first = table().page(keys.WAITING_DELIVERIES, limit=1).items
    if not first:
        return None
    return max(0.0, (datetime.fromisoformat(first[0]["due"]) - datetime.fromisoformat(now_text())).total_seconds())


def send_due(goes_on: Callable[[], bool] = always, send: Send = outbound.request, now: Now = utc_now) -> int:
    """Attempt every delivery that is due; returns how many arrived."""
    run = _Run(send, now)
    due = table().each(keys.deliveries_due(as_text(now())))
    return process_each((item for item in due if goes_on()), run.attempt)


class _Run:
    def __init__(self, send: Send, now: Now):
        self.send, self.now = send, now
        self.put_off: dict[str, str] = {}  # until when, by endpoint

    def attempt(self, item: Item) -> bool:
        delivery = repository.delivery_of(item)
        endpoint = repository.find(delivery.owner, delivery.webhook)
        if endpoint is None or endpoint.state != ACTIVE:
            try_write(repository.ending(delivery, DROPPED, self._ttl()))
            return False
        if endpoint.id in self.put_off:
            try_write(repository.moving(delivery, self.put_off[endpoint.id]))
            return False
        if (claimed := self._claim(delivery)) is None:
            return False  # another worker has it, or the index is late
        return self._settle(endpoint, claimed, *self._send(endpoint, claimed))

    def _claim(self, delivery: Delivery) -> Delivery | None:
        until = as_text(self.now() + timedelta(seconds=CLAIM_SECONDS))
        claimed = replace(delivery, due=until, tries=delivery.tries + 1)
        return claimed if try_write(repository.moving(delivery, until, tries=claimed.tries)) else None

    def _send(self, endpoint: Endpoint, delivery: Delivery) -> tuple[int, str]:
        """The status of the response; or 0, and why there was none."""
        body, now = delivery.payload.encode(), self.now()
        secrets = repository.secrets_of(endpoint, now.timestamp())
        if not secrets:
            return 0, "no secret"
        headers = USUAL_HEADERS | rules.headers(delivery.id, body, secrets, now)
        try:
            return self.send("POST", endpoint.url, body, headers).status, ""
        except OutboundError as error:
            return 0, error.reason

    def _settle(self, endpoint: Endpoint, delivery: Delivery, status: int, reason: str) -> bool:
        outcome: dict[str, Any] = {"status": status, "reason": reason}
        seen: dict[str, Any] = {"last_at": as_text(self.now()), "last_status": status, "last_reason": reason}
        if 200 <= status < 300:
            return try_write(
                repository.ending(delivery, DELIVERED, self._ttl(), **outcome),
                repository.noting(endpoint, **seen, failing_since=""),
            )
        _log.warning("webhook failed", extra={"webhook": endpoint.id, "status": status, "reason": reason})
        seen["failing_since"] = endpoint.failing_since or seen["last_at"]
        if rules.must_be_disabled(endpoint, status, self.now()):
            self._disable(endpoint, repository.ending(delivery, FAILED, self._ttl(), **outcome), seen)
            return False
        pause = rules.backoff(delivery.tries)
        if pause is None:
            ended: Write = repository.ending(delivery, FAILED, self._ttl(), **outcome)
        else:
            self.put_off[endpoint.id] = later = as_text(self.now() + timedelta(seconds=pause))
            ended = repository.moving(delivery, later, **outcome)
        try_write(ended, repository.noting(endpoint, **seen))
        return False

    def _disable(self, endpoint: Endpoint, ended: Write, seen: dict[str, Any]) -> None:
        """With a mail to its owner, or to the admin who added it for the site."""
        reason = "gone" if seen["last_status"] == GONE else "failing"
        person = people.find(endpoint.created_by)
        host = urlsplit(endpoint.url).hostname or ""
        mail = [outbox.queued("webhook_disabled", person.email, host=host, webhook=endpoint.id)] if person else []
        event = Event(SITE, "WebhookDisabled", {"webhook_id": endpoint.id, "owner": endpoint.owner, "reason": reason})
        with suppress(LostRace):  # changed or deleted meanwhile
            record(event, ended, repository.noting(endpoint, **seen, state=DISABLED), *mail)

    def _ttl(self) -> int:
        return int(self.now().timestamp()) + RETENTION_SECONDS
