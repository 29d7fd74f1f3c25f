"""A person's calendar feed: the elections they may vote in or run, at an address with a token, without a session.

The store has a digest of the token only. The first part of the token finds the item, and says nothing without the rest.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.crypto import constant_time_compare

from accounts import repository as people
from accounts.models import User
from acts.links import absolute_url
from acts.storage import now_text, table, write
from elections.rules import State
from store import keys
from store.table import Delete, Item, Put

from .calendar import Entry
from .own_elections import own_elections

MAX_ELECTIONS = 200
PAST_DAYS = 90  # for which an election that is over stays in the calendar


def make(user: User) -> str:
    """A new token, which replaces an earlier one. It is shown once."""
    secret = secrets.token_urlsafe(24)
    place = keys.calendar_feed(_selector(user.name))
    stored = {"name": user.name, "account": user.created_at, "digest": _digest(secret), "made_at": now_text()}
    write(Put({**place.item, **stored}))
    return f"{_selector(user.name)}-{secret}"


def revoke(user: User) -> None:
    table().write(Delete(keys.calendar_feed(_selector(user.name))))


def find(user: User) -> Item | None:
    """What is known about their feed: when it was made."""
    item = table().get(keys.calendar_feed(_selector(user.name)))
    return item if item and item["account"] == user.created_at else None


def person_of(token: str) -> User | None:
    """Whose feed it is, if the token is still good."""
    selector, _dash, secret = token.partition("-")
    item = table().get(keys.calendar_feed(selector))
    if item is None or not constant_time_compare(item["digest"], _digest(secret)):
        return None
    user = people.find(item["name"])
    return user if user and user.created_at == item["account"] and user.can_look else None


def _selector(name: str) -> str:
    return hashlib.sha256(f"calendar feed\0{keys.fold(name)}".encode()).hexdigest()[:20]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def entries(user: User, now: datetime) -> Iterator[Entry]:
    """No drafts: calendars are often stored by others. Nor does an entry say whether somebody has voted."""
    found, _more = own_elections(user, limit=MAX_ELECTIONS)
    for each in found:
        election = each.listed
        opens, closes = (
            datetime.fromisoformat(moment) if moment else None
            for moment in (election.no_voting_before, election.no_voting_after)
        )
        is_recent = max(filter(None, (opens, closes)), default=now) > now - timedelta(days=PAST_DAYS)
        if election.stored_state != State.DRAFT and (opens or closes) and is_recent:
            url = absolute_url(reverse("election", args=[election.name]))
            yield Entry(election.name, url, "", opens, closes, datetime.fromisoformat(election.created_at))


def personal_data(user: User) -> Iterator[Item]:
    if item := find(user):
        yield {"made_at": item["made_at"]}
