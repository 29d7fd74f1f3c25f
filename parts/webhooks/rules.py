"""Endpoints and deliveries: values, and pure decisions about them."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from random import uniform

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foundation.acts import outbound

OPENED, CLOSED, SEALED, REMINDED = "election.opened", "election.closed", "election.sealed", "election.reminded"
PUBLISHED, TEST = "post.published", "webhook.test"
TYPES = {
    OPENED: _("An election opens"),
    CLOSED: _("An election closes"),
    SEALED: _("A result is sealed"),
    REMINDED: _("Voters are reminded"),
    PUBLISHED: _("A post is published"),
}

ACTIVE, PAUSED, DISABLED = "active", "paused", "disabled"
WAITING, DELIVERED, FAILED, DROPPED = "waiting", "delivered", "failed", "dropped"

MAX_ENDPOINTS = 10  # of one person, or of the site
SECRET_BYTES = 32
SECRET_PREFIX = "whsec_"  # noqa: S105 - not a secret
ROTATION_SECONDS = 24 * 3600  # for which the old secret signs too
PAUSES = (5, 60, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 22 * 3600)  # about three days
SLOW_SECONDS = 1
DISABLED_AFTER_SECONDS = 3 * 24 * 3600
GONE = 410

REASONS = outbound.REASONS | {
    "no secret": gettext_noop("The secret of this webhook can no longer be read. Create a new one.")
}
TOO_MANY = _("You have reached the maximum number of webhooks. Delete one you no longer need.")
NOT_ACTIVE = _("This webhook is not active. Resume it first.")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where events are sent. One without an owner is the site's, and gets the events of all elections and posts."""

    id: str
    owner: str
    url: str
    types: tuple[str, ...]
    secret: str  # encrypted
    created_by: str
    created_at: str
    state: str = ACTIVE
    old_secret: str = ""  # encrypted; signs too until `old_until`
    old_until: int = 0
    failing_since: str = ""  # the first of the failures since the last success
    last_at: str = ""
    last_status: int = 0  # of HTTP; 0 if there was no response
    last_reason: str = ""  # why there was none: a key of REASONS
    rests_until: str = ""  # after a slow request

    def wants(self, event_type: str) -> bool:
        return self.state == ACTIVE and (event_type in self.types or event_type == TEST)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event on its way to one endpoint. Its id and its payload are the same at every attempt."""

    id: str
    webhook: str
    owner: str
    type: str
    payload: str
    queued_at: str
    due: str
    state: str = WAITING
    tries: int = 0
    status: int = 0
    reason: str = ""


def backoff(tries: int, chance: Callable[[float, float], float] = uniform) -> float | None:
    """Seconds until the next attempt, randomised; `None` after the last."""
    return PAUSES[tries - 1] * chance(0.8, 1.2) if tries <= len(PAUSES) else None


def rest(seconds: float) -> float:
    """For how long an endpoint that took so long is left alone: all others get three quarters of the time."""
    return 3 * min(seconds, outbound.SECONDS) if seconds >= SLOW_SECONDS else 0


def must_be_disabled(endpoint: Endpoint, status: int, now: datetime) -> bool:
    """After days without a success, or at once if the endpoint says that it is gone for good."""
    since = datetime.fromisoformat(endpoint.failing_since) if endpoint.failing_since else now
    return status == GONE or (now - since).total_seconds() >= DISABLED_AFTER_SECONDS


# --- signing ---


def shown_secret(secret: bytes) -> str:
    return SECRET_PREFIX + base64.b64encode(secret).decode()


def headers(message_id: str, payload: bytes, secrets: Iterable[bytes], now: datetime) -> dict[str, str]:
    """The headers of one attempt, with a signature by each secret."""
    moment = str(int(now.astimezone(UTC).timestamp()))
    signed = b".".join((message_id.encode(), moment.encode(), payload))
    digests = (hmac.digest(secret, signed, "sha256") for secret in secrets)
    signatures = " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)
    return {"webhook-id": message_id, "webhook-timestamp": moment, "webhook-signature": signatures}
