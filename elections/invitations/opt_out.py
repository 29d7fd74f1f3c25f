"""Unsubscribing from result mails, and from reminders where everybody here may vote.

There are no events: a log would keep for ever what people may change again.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from accounts.models import User
from foundation.acts.links import absolute_url
from foundation.acts.storage import table
from foundation.acts.tokens import create_token
from foundation.mail.emails import Mail
from foundation.store import keys
from foundation.store.table import Delete, Item, Put

UNSUBSCRIBE = "no-results"  # what the token in a mail is for


def has_opted_out(address: str) -> bool:
    return table().get(keys.quiet(address)) is not None


def opted_out_among(addresses: Iterable[str]) -> set[str]:
    """Those of the addresses that want none."""
    places = {keys.quiet(each): each for each in addresses if each}
    return {places[place] for place in table().get_many(places)} if places else set()


def opt_out(address: str) -> None:
    """Idempotent."""
    place = keys.quiet(address)
    table().write(Put({"PK": place.pk, "SK": place.sk, "address": address}))


def opt_in(address: str) -> None:
    table().write(Delete(keys.quiet(address)))


# --- the link in a mail ---


def link(mail: Mail) -> str:
    return absolute_url(reverse("no_results_by_mail", args=[create_token(UNSUBSCRIBE, mail.to)]))


# --- people ---


def export_opt_out(user: User) -> list[Item]:
    """Whether they want such mails, for themselves."""
    return [{"address": user.email, "wanted": not has_opted_out(user.email)}] if user.email else []


def forget(gone: User) -> None:
    """Delete the preference of a person who was removed."""
    if gone.email:
        opt_in(gone.email)
