"""Events about webhooks. None of them is replayed: addresses and secrets are not in the log."""

from __future__ import annotations

from store.replay import nothing_kept
from store.schema import EventType

ABOUT = "webhook_id owner:person"

EVENTS = (
    EventType("WebhookAdded", nothing_kept, f"{ABOUT} host types:list"),
    EventType("WebhookChanged", nothing_kept, f"{ABOUT} host types:list"),
    EventType("WebhookPaused", nothing_kept, ABOUT),
    EventType("WebhookResumed", nothing_kept, ABOUT),
    EventType("WebhookSecretRenewed", nothing_kept, ABOUT),
    EventType("WebhookDisabled", nothing_kept, f"{ABOUT} reason"),
    EventType("WebhookDeleted", nothing_kept, ABOUT),
)
