"""Subscriptions to the news by mail: confirmed by link, and deleted when the reader unsubscribes.

There are no events: a log would keep for good what must vanish without a trace. For the same reason nothing is stored
about former subscribers, and opening a link again shows the same as before.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from accounts import throttle
from accounts.models import User
from accounts.services import role_unchanged
from accounts.visitors import Visitor
from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, Limit, try_count
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table, try_write, write
from foundation.acts.tokens import create_token, read_token
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.table import Delete, Exists, Item, Missing, Put

CONFIRM_DAYS = 3
LEAVE = "no-news"  # purpose of the token in a mail
CONFIRM, ALREADY_SUBSCRIBED = "confirm_news", "news_known"  # the kinds of mail
REQUEST_LIMITS = throttle.Limits(
    Limit("news", 5, SECONDS_PER_HOUR),
    Limit("news-email", 20, SECONDS_PER_HOUR),
    Limit("news-address", 20, SECONDS_PER_HOUR),  # each may be a mail to a stranger
)
# Typing other people's addresses floods no one: beyond these limits mails are dropped silently.
MAIL_LIMITS = {
    CONFIRM: Limit("news-confirm", 3, SECONDS_PER_DAY),
    ALREADY_SUBSCRIBED: Limit("news-known", 1, SECONDS_PER_DAY),
}

NOT_SUBSCRIBED = _("This address is not subscribed.")


@dataclass(frozen=True, slots=True)
class Subscriber:
    address: str
    language: str
    since: str  # when they confirmed


def find(address: str) -> Subscriber | None:
    item = table().get(keys.subscriber(address))
    return subscriber_of(item) if item else None


def subscriber_of(item: Item) -> Subscriber:
    return Subscriber(item["address"], item["language"], item["since"])


def count_subscribers() -> int:
    return table().count(keys.SUBSCRIBERS)


# --- subscribing ---


def request_subscription(address: str, visitor: Visitor, user: User | None = None) -> None:
    """Mail a confirmation link. Only the address's owner learns whether it is already subscribed.

    Requests by others do not delay a signed-in person who types their own address.
    """
    own = user if user is not None and keys.fold(user.email) == keys.fold(address) else None
    throttle.count_try(REQUEST_LIMITS, address, visitor, own)
    known = find(address)
    letter = ALREADY_SUBSCRIBED if known else CONFIRM
    if not try_count(MAIL_LIMITS[letter], address):
        table().write(outbox.queued_nothing())
    elif known is None:
        table().write(outbox.queued(letter, address))
    else:
        with override(known.language):
            table().write(outbox.queued(letter, known.address))


def confirm_token(address: str, language: str) -> str:
    return create_token("news", address, language)


def read_confirmation(token: str) -> tuple[str, str] | None:
    """The address to confirm, and the language to write to it in."""
    values = read_token("news", token, CONFIRM_DAYS * SECONDS_PER_DAY)
    return (values[0], values[1]) if values and len(values) == 2 else None


def confirm(address: str, language: str) -> None:
    """Idempotent: confirming again keeps the first date."""
    fields = {"address": address, "language": language, "since": now_text()}
    try_write(Put({**keys.subscriber(address).item, **fields}, when=Missing()))


# --- unsubscribing ---


def leave_token(address: str) -> str:
    return create_token(LEAVE, address)


def leave(address: str) -> None:
    """At once, and idempotent."""
    table().write(Delete(keys.subscriber(address)))


def remove(actor: User, address: str) -> None:
    """Unsubscribe a reader who asked an admin for it."""
    gone = Delete(keys.subscriber(address), when=Exists())
    write(gone, role_unchanged(actor), refusals={0: Refusal(NOT_SUBSCRIBED)})


def forget_subscription(gone: User) -> None:
    """Unsubscribe a removed person's address."""
    if gone.email:
        leave(gone.email)


# --- export ---


def export_subscription(user: User) -> list[Item]:
    found = find(user.email)
    return [{"address": found.address, "since": found.since, "language": found.language}] if found else []
