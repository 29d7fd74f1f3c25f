"""Item types of the outbox."""

from __future__ import annotations

from typing import Any

from foundation.store import keys
from foundation.store.schema import WITHHELD, ItemType
from foundation.store.table import Item

from .emails import EMAIL_TEMPLATES


def hide_private_address(item: Item, may: Any) -> Item:
    """Hides the address of a private e-mail."""
    template = EMAIL_TEMPLATES.get(item.get("kind", ""))
    return item if template and not template.is_private else item | {"to": WITHHELD}


ITEMS = (
    ItemType("mail", keys.mail, "kind to:address language state reason detail tries:int queued_at not_before:int "
             "again_at note note_detail ttl:int", "number about:map account:map lease:int", rule=hide_private_address,
             lists=(keys.mails(""),)),
    ItemType("mail server", keys.mail_server, "failures:int since until:int words"),
    ItemType("mails again", keys.MAILS_AGAIN, "asked_by:person asked_at state how mailing"),
    ItemType("bounce mailbox", keys.BOUNCES_READ, "validity number:int trouble since unreadable:list"),
)  # fmt: skip
