"""What is stored and logged about webhooks, and its export with personal data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType
from foundation.store.table import Item

from . import repository


def own_webhooks(user: User) -> Iterator[Item]:
    for endpoint in repository.endpoints_of(user.name):
        yield {name: value for name, value in asdict(endpoint).items() if name not in ("secret", "old_secret")}


ITEMS = (
    ItemType("webhook", keys.webhook, "id owner:person types:list created_by:person created_at state failing_since "
             "last_at last_status:int last_reason rests_until", "url secret old_secret old_until:int",
             exports=(Export("webhooks", _("webhooks.json: your webhooks, without their secrets."), own_webhooks),)),
    ItemType("webhook delivery", keys.delivery, "id webhook owner:person type queued_at due state tries:int status:int "
             "reason ttl:int", "payload", closed_lists=(keys.DELIVERIES_WITHOUT_TASK,)),
)  # fmt: skip

ABOUT = "webhook_id owner:person"
EVENTS = (
    EventType("WebhookAdded", f"{ABOUT} host types:list"),
    EventType("WebhookChanged", f"{ABOUT} host types:list"),
    EventType("WebhookPaused", ABOUT),
    EventType("WebhookResumed", ABOUT),
    EventType("WebhookSecretRenewed", ABOUT),
    EventType("WebhookDisabled", f"{ABOUT} reason"),
    EventType("WebhookDeleted", ABOUT),
)  # fmt: skip
