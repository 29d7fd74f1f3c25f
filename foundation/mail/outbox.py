"""The outbox: mails are queued in the transaction that causes them and sent by a worker, each at most once.

A mail is stored as its kind and what it is about, never as its text: links with tokens are created when it is sent and
are never stored. A worker claims a mail before sending it. If it dies in between, it is unknown whether the mail went
out, so it is not resent automatically; a person may resend it or set it aside.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_on_conflict
from foundation.acts.storage import table, write
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text
from foundation.store.parallel import run_parallel
from foundation.store.splitting import TRANSACTION_WRITES, by_count
from foundation.store.table import (
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    Less,
    Missing,
    Put,
    Span,
    StoreError,
    Update,
    Write,
)

from .emails import EMAIL_TEMPLATES, Ledger, Mail

QUEUED, SENDING, SENT, FAILED, UNKNOWN, ASIDE = STATES = ("queued", "sending", "sent", "failed", "unknown", "aside")
RETENTION_SECONDS = 30 * 24 * 3600
MOVES_PER_WRITE = TRANSACTION_WRITES // 3  # each changes the mail and, in its ledger, two items at most
QUEUE_SHARDS = 8  # index keys that a remote store spreads waiting mails over: each takes a thousand a second

REASONS = {
    "unknown": gettext_noop("The worker stopped while sending, so it is unknown whether the mail went out."),
    "unanswered": gettext_noop(
        "The mail server received it but did not confirm it, so it is unknown whether the mail went out: %(detail)s"
    ),
    "refused": gettext_noop("The mail server refused it: %(detail)s"),
    "later": gettext_noop("The mail server asked to try again later: %(detail)s"),
    "unreachable": gettext_noop("The mail server could not be reached: %(detail)s"),
    "expired": gettext_noop("It expired before it could be sent. Last reply: %(detail)s"),
    "restored": gettext_noop("It comes from a restored backup and may already have been sent."),
    "gone": gettext_noop("What it was about was deleted before it could be sent."),
    "taken back": gettext_noop("It was withdrawn before it was sent."),
    "unwritten": gettext_noop("It could not be composed, which is a bug in Plenum: %(detail)s"),
    "bounced": gettext_noop("The mail server accepted it, but it bounced: %(detail)s"),
}
NOTES = {
    "delayed": gettext_noop("Its delivery is delayed: %(detail)s"),
    "complaint": gettext_noop("The recipient reported it as spam: %(detail)s"),
}


# How ledgers count each state: a mail being sent is still waiting; one unknown or set aside has not arrived.
COUNTED_AS = {QUEUED: QUEUED, SENDING: QUEUED, SENT: SENT, FAILED: FAILED, UNKNOWN: FAILED, ASIDE: FAILED}


def is_urgent(kind: str) -> bool:
    """Whether people wait for mails of this kind."""
    return kind in EMAIL_TEMPLATES and EMAIL_TEMPLATES[kind].urgent


# --- queueing ---


def queued(kind: str, to: str, ledger: Ledger | None = None, **about: str) -> Put:
    """The write that queues a mail. With a ledger, the caller counts it as queued."""
    return _queued(_new_number(), kind, to, ledger, about)


def _new_number() -> str:
    """Sorts after those made earlier, so that mails of the same millisecond are sent in their order."""
    return f"{time.time_ns():016x}{secrets.token_hex(8)}"


def queued_once(occasion: str, kind: str, to: str, ledger: Ledger | None = None, **about: str) -> Put:
    """As `queued`, but fails if this address has been mailed on this occasion; the number derives from both."""
    free = Missing() | Less("ttl", int(time.time()))
    number = hashlib.sha256(f"{occasion}\0{keys.fold(to)}".encode()).hexdigest()[:32]
    return replace(_queued(number, kind, to, ledger, about), when=free)


def _queued(number: str, kind: str, to: str, ledger: Ledger | None, about: dict[str, str]) -> Put:
    place, now, account = keys.mail(number), as_text(datetime.now(UTC)), {}
    if ledger is not None:
        counts, failure = ledger.counts, ledger.failure
        account = {"account": {"kind": ledger.kind, "pk": counts.pk, "counts": counts.sk, "failure": failure.sk}}
    return Put(
        {
            **place.item,
            **account,
            "GSI1PK": keys.mail_list(QUEUED, number, queue_shards()),
            "GSI1SK": keys.mail_by_turn(now, number, urgent=is_urgent(kind)),
            "number": number,
            "kind": kind,
            "to": to,
            "about": about,
            "language": get_language() or "en",
            "state": QUEUED,
            "tries": 0,
            "not_before": 0,
            "queued_at": now,
        }
    )


def queued_nothing() -> Put:
    """A write as costly as queueing a mail, so that timing does not reveal whether a mail was sent."""
    return Put({**keys.mail(_new_number()).item, "about": {}, "ttl": int(time.time())})


# --- reading ---


def in_state(state: str, limit: int, cursor: str | None = None) -> tuple[list[Mail], str | None]:
    """Mails in one state: queued ones in sending order, all others newest first."""
    page = sharded_reads.page(table(), lists_of(state), limit=limit, cursor=cursor, backwards=state != QUEUED)
    return [mail_of(item) for item in page.items], page.cursor


def lists_of(state: str) -> list[Span]:
    """Index spans of the mails in a state."""
    return keys.mails_waiting(queue_shards()) if state == QUEUED else [keys.mails(state)]


def queue_shards() -> int:
    """How many index keys waiting mails are spread over; the embedded store needs only one."""
    return QUEUE_SHARDS if table().is_distant else 1


def due_by(moment: str, *, urgent: bool) -> list[Span]:
    """Queued mails due by then."""
    return keys.mails_due(moment, queue_shards(), urgent=urgent)


def find(number: str) -> Mail | None:
    item = table().get(keys.mail(number))
    return mail_of(item) if item and "number" in item else None


# --- state changes ---


Changes = Mapping[str, str | int]  # of a mail's attributes


@dataclass(frozen=True, slots=True)
class Move:
    """A mail's move from one state to another; it is not made if the mail is no longer in the old one."""

    mail: Mail
    old: str
    new: str
    changes: Changes = field(default_factory=dict)
    before: int | None = None  # only if its lease ended before then


def move(mail: Mail, old: str, new: str, *, before: int | None = None, **changes: str | int) -> bool:
    """Moves a mail from one state to another; false if it is no longer in the old one."""
    return bool(move_all([Move(mail, old, new, changes, before)]))


def move_all(moves: Iterable[Move]) -> list[Move]:
    """Makes these moves, and returns those that were made; raises an error of the store when all have been tried."""
    done = move_each(moves)
    if done.error is not None:
        raise done.error
    return done.made


class Moves(NamedTuple):
    made: list[Move]
    failed: list[Move]  # because of an error of the store; those neither made nor failed were of mails that moved on
    error: StoreError | None


def move_each(moves: Iterable[Move]) -> Moves:
    """Makes these moves in as few writes as possible. A mail that has moved on, or a write that fails, stops none of
    the others.

    A distant store charges twice for what is written in a transaction, so mails without a ledger go there alone.
    """
    here, wanted = table(), list(moves)
    alone = [each for each in wanted if here.is_distant and each.mail.ledger is None]
    together = [each for each in wanted if not here.is_distant or each.mail.ledger is not None]
    batches = [*by_count(alone, 1), *by_count(together, MOVES_PER_WRITE)]
    results = run_parallel(here, *(partial(_try_together, each) for each in batches))
    failed = [each for batch, (_made, error) in zip(batches, results, strict=True) if error for each in batch]
    return Moves(
        [each for made, _error in results for each in made],
        failed,
        next((error for _made, error in results if error), None),
    )


def _try_together(moves: list[Move]) -> tuple[list[Move], StoreError | None]:
    try:
        return _move_together(moves), None
    except StoreError as error:
        return [], error


def _move_together(moves: list[Move]) -> list[Move]:
    """In one write, without the mails and ledgers for which it was refused: a ledger may have been closed meanwhile,
    for example because the election was deleted."""
    closed: set[Key] = set()
    while moves:
        counted = _counting_all(each for each in moves if each.mail.ledger and each.mail.ledger.counts not in closed)
        updates = [moving(each.mail, each.old, each.new, before=each.before, **each.changes) for each in moves]
        try:
            retry_on_conflict(partial(write, *updates, *counted.values()))
        except LostRace as refused:
            closed |= {place for part, place in enumerate(counted, len(moves)) if part in refused.parts}
            moves = [each for part, each in enumerate(moves) if part not in refused.parts]
        else:
            break
    return moves


def _counting_all(moves: Iterable[Move]) -> dict[Key, Write]:
    """What `counting` writes for each of these mails, with one write for each item."""
    writes: dict[Key, Write] = {}
    for each in moves:
        for change in counting(each.mail, each.old, each.new, each.changes):
            before = writes.get(change.key)
            writes[change.key] = change
            if isinstance(change, Update) and isinstance(before, Update):
                sums = Counter(before.add)
                sums.update(change.add)
                writes[change.key] = replace(change, add=sums)
    return writes


def moving(mail: Mail, old: str, new: str, *, before: int | None = None, **changes: str | int) -> Update:
    held = Equals("state", old)
    if new == QUEUED:
        not_before = int(changes.get("not_before", mail.not_before))
        due = as_text(datetime.fromtimestamp(not_before, UTC)) if not_before else mail.queued_at
        listed = keys.mail_by_turn(due, mail.number, urgent=is_urgent(mail.kind))
    else:
        listed = keys.id_by_date(mail.queued_at, mail.number)
    return Update(
        keys.mail(mail.number),
        set={"state": new, "GSI1PK": keys.mail_list(new, mail.number, queue_shards()), "GSI1SK": listed, **changes},
        remove=("ttl",) if new == QUEUED else (),  # queued mails do not expire
        when=held if before is None else held & Less("lease", before),
    )


def counting(mail: Mail, old: str, new: str, changes: Changes) -> list[Write]:
    """Updates the mail's ledger; a closed ledger stays closed."""
    if mail.ledger is None:
        return []
    before, after = COUNTED_AS[old], COUNTED_AS[new]
    numbers = {mail.ledger.counted(before): -1, mail.ledger.counted(after): 1}
    counts = [Update(mail.ledger.counts, add=numbers, when=Exists())] if before != after else []
    return [*counts, *_failure(mail, mail.ledger, before, after, changes)]


def _failure(mail: Mail, ledger: Ledger, before: str, after: str, changes: Changes) -> list[Write]:
    """The ledger entry of a failed mail; a later mail to the same voter may have replaced it."""
    place = ledger.failure
    if after == FAILED and "reason" in changes:
        why = {"reason": changes["reason"], "detail": changes.get("detail", mail.detail), "number": mail.number}
        return [Put({**place.item, "kind": ledger.kind, "about": mail.about, **why})]
    if before != FAILED or after == FAILED:
        return []
    entry = table().get(place)
    return [Delete(place)] if entry and entry.get("number", mail.number) == mail.number else []


def setting_aside(number: str) -> list[Write]:
    """Sets an undelivered mail aside when another one is sent in its place."""
    mail = find(number) if number else None
    if mail is None or mail.state not in (FAILED, UNKNOWN):
        return []
    return [moving(mail, mail.state, ASIDE)]


def mail_of(item: Item) -> Mail:
    fields = {name: item.get(name, "") for name in Mail.__dataclass_fields__ if name != "ledger"}
    stored = item.get("account")
    if stored is None:
        return Mail(**fields)
    counts, failure = (Key(stored["pk"], stored[name]) for name in ("counts", "failure"))
    return Mail(**fields, ledger=Ledger(counts, stored["kind"], failure))


# --- for people ---


def state_label(state: str) -> str:
    return {
        QUEUED: _("Queued"),
        SENDING: _("Sending"),
        SENT: _("Sent"),
        FAILED: _("Failed"),
        UNKNOWN: _("Unknown"),
        ASIDE: _("Put aside"),
    }[state]


def reason_text(mail: Mail) -> str:
    """Explains the state of a mail, if there is more to say."""
    return _(REASONS[mail.reason]) % {"detail": mail.detail} if mail.reason else ""


def note_text(mail: Mail) -> str:
    """What was reported after it was sent."""
    return _(NOTES[mail.note]) % {"detail": mail.note_detail} if mail.note else ""


def mail_title(mail: Mail) -> str:
    """A kind that the site does not have was of a part that it has left out."""
    template = EMAIL_TEMPLATES.get(mail.kind)
    return _(template.title or template.subject) if template else mail.kind
