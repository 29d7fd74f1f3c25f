"""Reports of polls, and what moderators do about them: dismiss the reports, or hide the poll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import role_unchanged
from acts import storage
from acts.refusals import NotNow, NotThere
from acts.storage import now_text, table
from store import keys
from store.log import Event
from store.table import Check, Equals, Exists, Greater, Item, Missing, Put, Update, Write

from . import repository
from .rules import NOT_THERE, Poll
from .services import NOT_NOW, record

REPORTER = "@reporter"  # any reporter, in the log: no account name has an @
MAX_REPORT_CHARS = 1_000
REASONS = {
    "spam": _("Advertising or fraud"),
    "hate": _("Hateful or insulting"),
    "private": _("Private information about someone"),
    "unlawful": _("Illegal in another way"),
    "other": _("Something else"),
}


@dataclass(frozen=True, slots=True)
class Reported:
    """A reported poll in the moderators' list."""

    id: str
    title: str
    reports: int  # not dismissed yet
    reported_at: str  # time of the newest
    label: str | Promise  # of the newest
    dismissed_at: str = ""


# --- reading ---


def reported_page(*, limit: int, cursor: str | None = None) -> tuple[list[tuple[Reported, Poll]], str | None]:
    """Polls with reports that have not been dismissed, newest first."""
    page = table().page(keys.REPORTED_POLLS, limit=limit, cursor=cursor, backwards=True)
    found = [_reported_of(item) for item in page.items]
    polls = table().get_many([keys.poll(each.id) for each in found])
    there = [(each, polls[keys.poll(each.id)]) for each in found if keys.poll(each.id) in polls]
    return [(each, repository.poll_of(item)) for each, item in there], page.cursor


def find_reported(poll_id: str) -> tuple[Poll, Reported | None] | None:
    """A poll and its reports, in one round trip."""
    at, place = keys.poll(poll_id), keys.reported_poll(poll_id)
    found = table().get_many([at, place])
    if at not in found:
        return None
    return repository.poll_of(found[at]), _reported_of(found[place]) if place in found else None


def reports_page(
    reported: Reported, *, limit: int, cursor: str | None = None
) -> tuple[list[tuple[str | Promise, str, str]], str | None]:
    """Reports since the last dismissal, newest first: the reason, more about it, and when."""
    page = table().page(keys.reports(reported.id), limit=limit, cursor=cursor, backwards=True)
    new = [item for item in page.items if item["reportedAt"] > reported.dismissed_at]
    more = page.cursor if len(new) == len(page.items) else None
    return [(REASONS[item["reason"]], item["words"], item["reportedAt"]) for item in new], more


def _reported_of(item: Item) -> Reported:
    newest = item["reportedAt"], REASONS[item["reason"]]
    return Reported(item["id"], item["title"], item["reports"], *newest, item.get("dismissedAt", ""))


# --- reporting ---


def report(poll: Poll, report_id: str, reason: str, words: str) -> None:
    now = now_text()
    event_data = {"poll_id": poll.id, "report_id": report_id, "reason": reason, "reportedAt": now}
    writes = reporting(poll, report_id, reason, words, now)
    again = NotNow(_("You have already reported this poll. An administrator will look at it."))
    refusals = {0: again, len(writes) - 1: NotThere(NOT_THERE)}
    storage.record(Event(REPORTER, "PollReported", event_data), *writes, refusals=refusals)


def reporting(poll: Poll, report_id: str, reason: str, words: str, now: str) -> Sequence[Write]:
    """Refused in part 0 if this browser has already reported the poll."""
    fields = {"id": report_id, "pollId": poll.id, "reason": reason, "words": words, "reportedAt": now}
    newest = {"id": poll.id, "title": poll.title, "reason": reason, "reportedAt": now, "ttl": poll.ttl}
    place, by_date = keys.report(poll.id, report_id), keys.id_by_date(now, report_id)
    index = {"GSI1PK": keys.reports(poll.id).pk, "GSI1SK": by_date}
    entry = {"GSI1PK": keys.REPORTED_POLLS.pk, "GSI1SK": keys.id_by_date(now, poll.id)}
    report = {**place.item, "entity_type": "POLL_REPORT", **index, **fields, "ttl": poll.ttl}
    return [
        Put(report, when=Missing()),
        Update(keys.reported_poll(poll.id), set=newest | entry, add={"reports": 1}),
        Check(keys.poll(poll.id), Exists()),
    ]


# --- what is done about it ---


def dismiss(admin: User, reported: Reported) -> None:
    """Dismiss the reports that the moderator has seen; refused if there is a newer one."""
    event = Event(admin.name, "PollReportsDismissed", {"poll_id": reported.id, "dismissedAt": reported.reported_at})
    storage.record(event, dismissal(reported.id, reported.reported_at), role_unchanged(admin))


def dismissal(poll_id: str, newest: str) -> Update:
    unchanged_since = Equals("reportedAt", newest) & Greater("reports", 0)
    done = {"reports": 0, "dismissedAt": newest}
    return Update(keys.reported_poll(poll_id), set=done, remove=("GSI1PK", "GSI1SK"), when=unchanged_since)


def hide(admin: User, poll: Poll) -> None:
    """From everyone but its maker and moderators."""
    if poll.hidden_at:
        raise NotNow(NOT_NOW)
    after = replace(poll, hidden_at=now_text())
    event_data = {"hiddenAt": after.hidden_at}
    record(admin.name, "PollHidden", poll, event_data, *repository.change(poll, after), role_unchanged(admin))


def show(admin: User, poll: Poll) -> None:
    if not poll.hidden_at:
        raise NotNow(NOT_NOW)
    changed = repository.change(poll, replace(poll, hidden_at=None))
    record(admin.name, "PollShown", poll, {}, *changed, role_unchanged(admin))
