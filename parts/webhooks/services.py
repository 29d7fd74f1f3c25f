"""What people do with their webhooks, and with those of the site."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from accounts.models import User
from accounts.rules import Permission
from accounts.services import role_unchanged
from foundation.acts.background import next_deletions
from foundation.acts.refusals import NotNow, TooMany
from foundation.acts.storage import now_text, record, table, write
from foundation.acts.wakeups import wake_worker
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Exists, Span, Write

from . import repository, rules
from .deliveries import message_id, payload
from .rules import ACTIVE, PAUSED, ROTATION_SECONDS, SECRET_BYTES, TEST, Delivery, Endpoint

SITE_OWNER = ""  # the owner of the site's own webhooks
JOB = "webhooks"


def owners_for(user: User) -> list[str]:
    """Whose webhooks this person looks after: their own, and those of the site."""
    return [user.name, *([SITE_OWNER] if user.can(Permission.MANAGE_USERS) else [])]


def add(user: User, owner: str, url: str, types: Iterable[str]) -> tuple[Endpoint, bytes]:
    """The endpoint, and its secret, which nobody can read later."""
    if len(repository.endpoints_of(owner)) >= rules.MAX_ENDPOINTS:
        raise TooMany(rules.TOO_MANY)
    webhook_id, secret = secrets.token_hex(8), secrets.token_bytes(SECRET_BYTES)
    sealed = repository.encrypted(secret, webhook_id)
    endpoint = Endpoint(webhook_id, owner, url, tuple(types), sealed, user.name, now_text())
    data = {"host": urlsplit(url).hostname, "types": list(endpoint.types)}
    _record(user, "WebhookAdded", endpoint, repository.creation(endpoint), **data)
    return endpoint, secret


def change(user: User, endpoint: Endpoint, url: str, types: Iterable[str]) -> None:
    changes = {"url": url, "types": list(types)}
    data = {"host": urlsplit(url).hostname, "types": changes["types"]}
    _record(user, "WebhookChanged", endpoint, repository.change(endpoint, **changes), **data)


def pause(user: User, endpoint: Endpoint) -> None:
    """Nothing is sent, and what happens meanwhile is not sent later."""
    _record(user, "WebhookPaused", endpoint, repository.change(endpoint, state=PAUSED))


def resume(user: User, endpoint: Endpoint) -> None:
    """Also one that was disabled: its failures are forgotten."""
    _record(user, "WebhookResumed", endpoint, repository.change(endpoint, state=ACTIVE, failing_since=""))


def renew_secret(user: User, endpoint: Endpoint) -> bytes:
    """A new secret; the old one signs too for a day, so that the receiver can change over."""
    secret, until = secrets.token_bytes(SECRET_BYTES), int(time.time()) + ROTATION_SECONDS
    new = {"secret": repository.encrypted(secret, endpoint.id), "old_secret": endpoint.secret, "old_until": until}
    _record(user, "WebhookSecretRenewed", endpoint, repository.change(endpoint, **new))
    return secret


def delete(user: User, endpoint: Endpoint) -> None:
    """With its deliveries, which go first."""
    _delete_all(keys.deliveries_to(endpoint.owner, endpoint.id))
    _record(user, "WebhookDeleted", endpoint, Delete(keys.webhook(endpoint.owner, endpoint.id), when=Exists()))


def send_test(endpoint: Endpoint) -> Delivery:
    if endpoint.state != ACTIVE:
        raise NotNow(rules.NOT_ACTIVE)
    now = now_text()
    body = payload(TEST, now, {"webhook": {"id": endpoint.id}})
    delivery = Delivery(message_id(), endpoint.id, endpoint.owner, TEST, body, now, now)
    write(*repository.queueing(delivery))
    wake_worker(JOB)
    return delivery


def forget_webhooks(gone: User) -> None:
    """When a person is removed: their webhooks, and what was sent to them."""
    _delete_all(keys.everything_about_webhooks_of(gone.name))


def _delete_all(span: Span) -> None:
    while left := next_deletions(span, elsewhere=repository.task_of):
        table().write(*left)


def _record(user: User, event_type: str, endpoint: Endpoint, put: Write, **data: object) -> None:
    event = Event(user.name, event_type, {"webhook_id": endpoint.id, "owner": endpoint.owner, **data})
    record(event, put, role_unchanged(user))
