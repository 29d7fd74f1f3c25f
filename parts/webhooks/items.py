"""Item and event types of webhooks."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType

from .personal_data import own_webhooks

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
