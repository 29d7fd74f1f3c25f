"""Item types of webhooks."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from store import keys
from store.schema import Export, ItemType

from .personal_data import own_webhooks

ITEMS = (
    ItemType("webhook", keys.webhook, "id owner:person types:list created_by:person created_at state failing_since "
             "last_at last_status:int last_reason rests_until", "url secret old_secret old_until:int",
             replay="The log contains neither the addresses of webhooks, which may open something, nor their secrets.",
             exports=(Export("webhooks", _("webhooks.json: your webhooks, without their secrets."), own_webhooks),)),
    ItemType("webhook delivery", keys.delivery, "id webhook owner:person type queued_at due state tries:int status:int "
             "reason ttl:int", "payload", closed_lists=(keys.DELIVERIES_WITHOUT_TASK,),
             replay="Events on their way to other systems; each is deleted a month after it arrived."),
)  # fmt: skip
