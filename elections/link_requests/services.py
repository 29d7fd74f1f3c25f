"""Asking for one's links, and answering.

A request counts for its network and stores a task, always at the same cost: it reads nothing of the address, so neither
the response nor its timing depends on who the address belongs to. Requests for one address are one task. A worker looks
the address up, and mails it once for all requests of some minutes. What has to wait until then is a task apart: the
task that requests store is gone soon, whether or not the address may vote.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _

from accounts import mail_quota
from elections.invitations.mailing import invitation
from foundation.acts.background import OVERWRITE, Batch, Task, TaskType, due_in, finished, wait
from foundation.acts.rate_limits import TooOften, count_beyond, count_each
from foundation.acts.storage import now_text, table, try_write
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME
from foundation.store import keys
from foundation.store.table import Condition, Equals, Item, Missing, Put, Write

from . import open_votes
from .emails import REQUESTED_LINKS
from .open_votes import OpenVotes
from .rules import (
    LATE_SECONDS,
    NO_QUOTA_LEFT_SECONDS,
    PER_NETWORK,
    PROMPT_PER_NETWORK,
    SITE_WIDE,
    Answered,
    after_answer,
)

ANSWERING = TaskType("mail requested links", _("Mailing links on request"), keys.LINK_TASKS)


def request_links(address: str, network: str, election_name: str = "") -> None:
    """Ask for the links of an address; the election is listed first in the mail.

    A network that floods is never refused, but comes later, and apart: it puts off nothing that others asked for. There
    the first request for an address keeps its turn.
    """
    about: Item = {"address": address, "network": _mark("network", network)}
    about |= {"first": election_name, "language": get_language() or "en"}
    if beyond := count_beyond(PROMPT_PER_NETWORK, network):
        late = _mark("late address", f"{network} {address}")
        try_write(ANSWERING.begin(late, due=due_in(LATE_SECONDS * beyond), **about))
    else:
        table().write(ANSWERING.begin(_mark("address", address), due=now_text(), when=OVERWRITE, **about))


def _mark(kind: str, text: str) -> str:
    return salted_hmac("elections.link_requests", f"{kind} {keys.fold(text)}", algorithm="sha256").hexdigest()


@ANSWERING.step
def answer(task: Task) -> Batch:
    """Mail the links, unless a mail went out just now."""
    found = open_votes.find(task.data["address"])
    if not found.votes:
        return finished()  # no mail, so no pause either
    open_ = [_mark("vote", f"{each.election.name} {each.election.created_at}")[:16] for each in found.votes]
    place = keys.link_request(_mark("address", task.data["address"]))
    before, now = _answered_of(table().get(place)), int(datetime.fromisoformat(now_text()).timestamp())
    if before.must_wait(now, open_):
        return _later(task, before.until - now)
    answered = _stored(place.item, after_answer(before, now, open_), before)
    try:
        count_each((PER_NETWORK, task.data["network"]), (SITE_WIDE, ""))
    except TooOften as refusal:
        return _later(task, refusal.seconds)
    return _mailing(task, found, answered)


def _later(task: Task, seconds: float) -> Batch:
    """One request for the address waits for all others."""
    waiting = _mark("waiting", task.data["address"])
    if task.subject == waiting:
        return wait(seconds)
    if ANSWERING.find(waiting):
        return finished()
    return finished(ANSWERING.begin(waiting, due=due_in(seconds), **task.data))


def _answered_of(item: Item | None) -> Answered:
    return Answered(**{name: (item or {})[name] for name in Answered.__dataclass_fields__ if name in (item or {})})


def _stored(place: Item, after: Answered, before: Answered) -> Put:
    """Refused if another request was answered meanwhile."""
    unchanged: Condition = Equals("turn", before.turn)
    return Put({**place, **asdict(after)}, when=unchanged if before.turn else Missing())


def _mailing(task: Task, found: OpenVotes, answered: Put) -> Batch:
    """People nobody has mailed yet count for the organiser who listed them, as an invitation would: requests must not
    be a way around the daily quota."""
    about = {"first": task.data["first"]} | ({RECIPIENT_NAME: found.name} if found.name else {})
    with override(task.data["language"]):
        email = outbox.queued(REQUESTED_LINKS, found.to, None, **about)
    if found.person is not None or any(each.was_invited for each in found.votes):
        return finished(answered, email)
    owner = found.votes[0].election.owner_name
    quota = mail_quota.quota_today_of(owner)
    if not quota.holds(1):
        return _later(task, NO_QUOTA_LEFT_SECONDS)
    inviting: list[Write] = invitation(found.to, owner)
    return finished(answered, email, *inviting, *quota.reserving(1))
