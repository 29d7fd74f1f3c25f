"""Endpoints and deliveries in the store. Those of one owner are in one partition, so that one query finds them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.background import TaskType
from foundation.acts.storage import table, try_write
from foundation.acts.tokens import decrypt, encrypt
from foundation.store import keys
from foundation.store.table import Equals, Exists, Item, Key, Put, Update, Write

from .rules import WAITING, Delivery, Endpoint

RECENT_DELIVERIES = 20
CLAIM_SECONDS = 60  # longer than a request can take

NOTIFYING = TaskType("tell webhooks", _("Telling webhooks what happened"))
DELIVERING = TaskType("deliver", _("Delivering to a webhook"), keys.WEBHOOK_TASKS, CLAIM_SECONDS)


def find(owner: str, webhook_id: str) -> Endpoint | None:
    item = table().get(keys.webhook(owner, webhook_id))
    return endpoint_of(item) if item else None


def find_any(owners: list[str], webhook_id: str) -> Endpoint | None:
    """The endpoint with this id, if one of these has it."""
    found = table().get_many([keys.webhook(owner, webhook_id) for owner in owners])
    return next((endpoint_of(item) for item in found.values()), None)


def endpoints_of(owner: str) -> list[Endpoint]:
    """The oldest first."""
    found = map(endpoint_of, table().each(keys.webhooks_of(owner)))
    return sorted(found, key=lambda endpoint: endpoint.created_at)


def recent_deliveries(endpoint: Endpoint) -> list[Delivery]:
    """The newest first."""
    span = keys.deliveries_to(endpoint.owner, endpoint.id)
    return list(map(delivery_of, table().page(span, limit=RECENT_DELIVERIES, backwards=True).items))


def endpoint_of(item: Item) -> Endpoint:
    fields = {name: item[name] for name in Endpoint.__dataclass_fields__ if name in item}
    return Endpoint(**fields | {"types": tuple(item["types"])})


def delivery_of(item: Item) -> Delivery:
    return Delivery(**{name: item[name] for name in Delivery.__dataclass_fields__ if name in item})


def creation(endpoint: Endpoint) -> Put:
    place = keys.webhook(endpoint.owner, endpoint.id)
    return Put({**place.item, **asdict(endpoint), "types": list(endpoint.types)})


def change(endpoint: Endpoint, **changes: Any) -> Update:
    """Refused if it was deleted, or its secret was replaced, since it was read."""
    place = keys.webhook(endpoint.owner, endpoint.id)
    return Update(place, set=changes, when=Exists() & Equals("secret", endpoint.secret))


def updating(endpoint: Endpoint, **changes: Any) -> Update:
    """What the worker finds out about it, unless it was deleted."""
    return Update(keys.webhook(endpoint.owner, endpoint.id), set=changes, when=Exists())


def queueing(delivery: Delivery) -> list[Write]:
    return [Put({**_place(delivery).item, **asdict(delivery)}), beginning(delivery)]


def beginning(delivery: Delivery) -> Put:
    """The task of a delivery; what became of it so far is with the delivery itself, for its page."""
    place = _place(delivery)
    return DELIVERING.begin(_subject(delivery), due=delivery.due, pk=place.pk, sk=place.sk)


def task_of(item: Item) -> list[Key]:
    """Of a delivery that waits; endpoints and other deliveries have none."""
    return [DELIVERING.key(_subject(delivery_of(item)))] if item["state"] == WAITING else []


def _subject(delivery: Delivery) -> str:
    return f"{delivery.webhook} {delivery.id}"


def changing(delivery: Delivery, **changes: Any) -> Update:
    """Refused if it has ended, or was deleted with its webhook."""
    return Update(_place(delivery), set=changes, when=Equals("state", WAITING))


def _place(delivery: Delivery) -> Key:
    return keys.delivery(delivery.owner, delivery.webhook, delivery.queued_at, delivery.id)


def take_over() -> int:
    """Deliveries that the previous version queued are listed by themselves, without a task."""
    taken = 0
    for delivery in list(map(delivery_of, table().each(keys.DELIVERIES_WITHOUT_TASK))):
        unlisted = Update(_place(delivery), remove=("GSI1PK", "GSI1SK"), when=Equals("state", WAITING))
        taken += try_write(beginning(delivery), unlisted)
    return taken


# --- secrets ---


def encrypted(secret: bytes, webhook_id: str) -> str:
    return encrypt(secret, f"plenum webhook {webhook_id}")


def secrets_of(endpoint: Endpoint, now: float) -> list[bytes]:
    """The secrets that sign now. Empty if SECRET_KEY was replaced."""
    stored = [endpoint.secret, *([endpoint.old_secret] if endpoint.old_until > now else [])]
    found = (decrypt(each, f"plenum webhook {endpoint.id}") for each in stored)
    return [secret for secret in found if secret is not None]
