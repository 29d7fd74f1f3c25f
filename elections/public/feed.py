"""A person's calendar feed: the elections they may vote in or run, at an address with a token, without a session.

The store has a digest of the token only. The first part of the token finds the item, and says nothing without the rest.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.crypto import constant_time_compare

from accounts import repository as people
from accounts.models import User
from acts.storage import now_text, table, write
from elections.repository import election_of
from elections.rules import State
from store import keys
from store.log import as_text
from store.table import Delete, Item, Put

from .calendar import Entry, entry_of
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
    """No drafts: calendars are often stored by others. Nor what was closed before voting began. An entry does not say
    whether somebody has voted."""
    found, _more = own_elections(user, limit=MAX_ELECTIONS)
    since = as_text(now - timedelta(days=PAST_DAYS))
    listed = [each.listed for each in found if each.listed.stored_state != State.DRAFT]
    recent = [each for each in listed if max(each.no_voting_before or "", each.no_voting_after or "") > since]
    places = [keys.election(each.name) for each in recent]
    items = table().get_many(places) if places else {}
    found_entries = (entry_of(election_of(items[place])) for place in places if place in items)
    yield from (each for each in found_entries if not (each.opens and each.closes and each.opens >= each.closes))


def personal_data(user: User) -> Iterator[Item]:
    if item := find(user):
        yield {"made_at": item["made_at"]}
