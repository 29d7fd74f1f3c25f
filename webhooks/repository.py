"""Endpoints and deliveries in the store. Those of one owner are in one partition, so that one query finds them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from acts.background import TaskType
from acts.encryption import decrypt, encrypt
from acts.storage import table
from store import keys
from store.table import Condition, Equals, Exists, Item, Key, Put, Update

from .rules import WAITING, Delivery, Endpoint

RECENT_DELIVERIES = 20
RETENTION_SECONDS = 30 * 24 * 3600  # of a delivery that has ended

NOTIFYING = TaskType("tell webhooks", _("Telling webhooks what happened"))


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


def noting(endpoint: Endpoint, **changes: Any) -> Update:
    """What the worker notes about it, unless it was deleted."""
    return Update(keys.webhook(endpoint.owner, endpoint.id), set=changes, when=Exists())


def queueing(delivery: Delivery) -> Put:
    return Put({**_place(delivery).item, **_turn(delivery, delivery.due), **asdict(delivery)})


def moving(delivery: Delivery, due: str, **changes: Any) -> Update:
    """Another turn for a delivery, in the state in which it was read; claims, too, are such turns."""
    return Update(_place(delivery), set={**_turn(delivery, due), "due": due, **changes}, when=_unchanged(delivery))


def ending(delivery: Delivery, state: str, ttl: int, **changes: Any) -> Update:
    ended = {"state": state, "ttl": ttl, **changes}
    return Update(_place(delivery), set=ended, remove=("GSI1PK", "GSI1SK"), when=_unchanged(delivery))


def _place(delivery: Delivery) -> Key:
    return keys.delivery(delivery.owner, delivery.webhook, delivery.queued_at, delivery.id)


def _unchanged(delivery: Delivery) -> Condition:
    return Equals("state", WAITING) & Equals("due", delivery.due) & Equals("tries", delivery.tries)


def _turn(delivery: Delivery, due: str) -> Item:
    turn = keys.delivery_by_turn(due, delivery.webhook, delivery.id)
    return {"GSI1PK": keys.WAITING_DELIVERIES.pk, "GSI1SK": turn}


# --- secrets ---


def encrypted(secret: bytes, webhook_id: str) -> str:
    return encrypt(secret, f"plenum webhook {webhook_id}")


def secrets_of(endpoint: Endpoint, now: float) -> list[bytes]:
    """The secrets that sign now. Empty if SECRET_KEY was replaced."""
    stored = [endpoint.secret, *([endpoint.old_secret] if endpoint.old_until > now else [])]
    found = (decrypt(each, f"plenum webhook {endpoint.id}") for each in stored)
    return [secret for secret in found if secret is not None]
