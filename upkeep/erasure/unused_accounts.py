"""Unused accounts: after so many months without a sign-in they are warned by mail, and removed a month later.

Once a day the list of people is processed page by page; an item stores the progress. People who have been away for long
are checked more closely: a session still in use counts as use, and so does an open election that they run or may vote
in. The owner is never removed. Signing in after the warning starts the period afresh.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts import repository, services
from accounts.models import User
from accounts.rules import Role
from accounts.sessions import sessions_of
from acts.queues import process_each
from acts.refusals import LostRace
from acts.storage import table, try_write
from elections import repository as elections
from elections import rolls
from elections.rules import State
from mail import outbox
from mail.emails import EmailTemplate
from store import keys
from store.log import as_text, utc_now
from store.table import Equals, Item, Missing, Put

BATCH_PEOPLE = 100  # per run
NOTICE_PERIOD = timedelta(days=30)  # between the warning and the removal

EMAIL_TEMPLATES = {
    "unused_account": EmailTemplate(
        gettext_noop("Your account will be removed soon"),
        (
            gettext_noop("Nobody has signed in as %(name)s for a long time."),
            gettext_noop("This site removes unused accounts. Yours will be removed on %(day)s unless you sign in."),
        ),
        lambda mail: reverse("sign_in"),
        gettext_noop("Sign in to keep it"),
    )
}


def is_due(clock: Callable[[], datetime] = utc_now) -> bool:
    """Whether unused accounts are removed at all, and today's run is unfinished."""
    if not settings.ACCOUNT_RETENTION:
        return False
    walk = table().get(keys.RETENTION)
    return walk is None or walk["day"] < _day(clock) or walk["after"] is not None


def _day(clock: Callable[[], datetime]) -> str:
    return clock().date().isoformat()


def process_unused(clock: Callable[[], datetime] = utc_now) -> int:
    """Process one page of people; returns how many were warned or removed."""
    walk = table().get(keys.RETENTION) or {"day": "", "after": None}
    is_new = walk["day"] < _day(clock)
    found, after = repository.people(limit=BATCH_PEOPLE, cursor=None if is_new else walk["after"])
    people = table().get_many([keys.user(each.name) for each in found]) if found else {}
    now = clock()
    done = process_each(list(people.values()), lambda item: _warn_or_remove(repository.user_of(item), now))
    _store_position(walk, {"day": _day(clock), "after": after})
    return done


def _store_position(before: Item, walk: Item) -> None:
    place = keys.RETENTION
    same = Equals("day", before["day"]) & Equals("after", before["after"]) if before["day"] else Missing()
    # else another worker is doing this, and takes the next page
    try_write(Put({"PK": place.pk, "SK": place.sk, **walk}, when=same))


def _warn_or_remove(user: User, now: datetime) -> bool:
    """Warn people who have long been away, and remove those who were warned and did not sign in."""
    is_warned = user.warned_at > user.used_at
    limit = now - timedelta(days=settings.ACCOUNT_RETENTION * 365 // 12) + NOTICE_PERIOD
    if user.used_at > as_text(limit) or user.role == Role.OWNER or is_in_use(user, as_text(now)):
        return False
    if not is_warned:
        return _warn(user, now)
    return user.warned_at <= as_text(now - NOTICE_PERIOD) and _remove(user)


def is_in_use(user: User, now: str) -> bool:
    """Whether they are signed in, or an election is open that they run or may vote in."""
    if sessions_of(user.name):
        return True
    run = elections.list_elections(run_by=user.name, limit=BATCH_PEOPLE)[0]
    if any(each.state(now) in (State.EDITABLE, State.OPEN) for each in run):
        return True
    spans = map(keys.elections_of_voter, (user.name, user.email))
    names = {item["election_name"] for span in spans for item in rolls.newest_entries(span)}
    return bool(elections.open_elections(names, now))


def _warn(user: User, now: datetime) -> bool:
    day = (now + NOTICE_PERIOD).date().isoformat()
    email = outbox.queued("unused_account", user.email, name=user.name, day=day)
    # else they have signed in, or another worker has warned them
    return try_write(repository.recording_warning(user, as_text(now)), email)


def _remove(user: User) -> bool:
    try:
        services.remove_unused(user, repository.unused_since(user))
    except LostRace:
        return False  # they have just signed in
    return True
