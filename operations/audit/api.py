"""The event log, for auditors."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api.calls import Call, Page, Paging, cleaned
from accounts.api.operations import Area, Moment, described, link, operation
from accounts.api_tokens import Scope
from accounts.rules import Permission
from foundation.acts.storage import log, table
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.log.rewriting import is_rewritten
from foundation.store.log.seal import ranges_over
from foundation.store.log.search import search
from foundation.store.table import Item
from operations.audit.forms import MAX_SEARCH_CHARS, LogForm
from operations.audit.log_views import hidden_names, load_numbered, proof_of

CHECKPOINTS = Area(
    "public", "Checkpoints", "Public checkpoints of the event log, by which anyone can tell whether it was changed."
)
AREA = Area("log", "Event log", "Everything that has happened, for auditors.")

Text = Annotated[str, Meta(max_length=MAX_SEARCH_CHARS)]
Typed = Annotated[
    str,
    described(
        "^(2[01][0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}.*)?)?$",
        max_length=40,
        description="In UTC: 2027-03-01 for the day, 2027-03-01T18:00 for a minute.",
    ),
]


class Event(msgspec.Struct):
    """An event, without what is kept secret even from auditors."""

    number: int
    type: str
    actor: str
    at: datetime
    data: dict[str, Any]
    hidden: Annotated[list[str], Meta(description="The names of data that is not shown.")]
    rewritten: Annotated[bool, Meta(description="Names were erased from it, as the law demands.")]
    page: str


class NumberedEvent(msgspec.Struct):
    """A number of the log, with the digest and the checkpoints that prove what it was used for."""

    number: int
    event: Annotated[Event | None, Meta(description="`null` if the number is void.")]
    digest: Annotated[str, Meta(description="SHA-256; empty if the number is void.")]
    intact: Annotated[bool, Meta(description="Whether the digest is the one in the checkpoint, if there is one yet.")]
    checkpoint: Annotated[int | None, Meta(description="The number of the checkpoint that covers it.")]
    public_checkpoint: Annotated[str | None, Meta(description="The page of the public checkpoint that covers it.")]


class Filter(Paging):
    """Which events to list; all that is given has to fit."""

    actor: Text = ""
    event_type: Text = ""
    election: Text = ""
    since: Typed = ""
    until: Typed = ""


auditing = {"scope": Scope.AUDIT, "permission": Permission.VIEW_SECRETS}


@operation("GET", "log", AREA, "List events, newest first", query=Filter, answers=Page[Event], **auditing)
def list_(call: Call) -> Page[Event]:
    """A search stops after a while: follow `next` even if a part is empty."""
    form = LogForm({each: getattr(call.query, each) for each in ("actor", "event_type", "election", "since", "until")})
    cleaned(form)
    before = int(call.cursor) if call.cursor else None
    found = search(table(), form.query(), before=before, limit=call.query.limit)
    return call.page([_event(each) for each in found.events], str(found.before) if found.before else None)


def _event(found: Item) -> Event:
    hidden = hidden_names(found)
    return Event(
        number=found["event_id"],
        type=found["event_type"],
        actor=found["actor"],
        at=datetime.fromisoformat(found["when_occurred"]),
        data={name: value for name, value in found["event_data"].items() if name not in hidden},
        hidden=hidden,
        rewritten=is_rewritten(found),
        page=link("event", found["event_id"]),
    )


@operation("GET", "log/<int:number>", AREA, "Read an event", answers=NumberedEvent, **auditing)
def read(call: Call, number: int) -> NumberedEvent:
    if (numbered := load_numbered(number)) is None:
        raise Http404
    found, proof = numbered[1], proof_of(*numbered)
    return NumberedEvent(
        number=number,
        event=_event(found) if found else None,
        digest=proof.digest,
        intact=proof.intact,
        checkpoint=proof.checkpoint["event_id"] if proof.checkpoint else None,
        public_checkpoint=link("checkpoint", proof.public["event_id"]) if proof.public else None,
    )


# --- checkpoints, which need no token ---


class Checkpoint(msgspec.Struct):
    """A public checkpoint of the event log. With a saved one, anyone can later tell whether the log was changed."""

    first: Annotated[int, Meta(description="The first event that it covers and no earlier one does.")]
    number: Annotated[int, Meta(description="The last event that it covers.")]
    hash: Annotated[str, Meta(description="Of the chain of all events up to that number, and of `sealed_by`.")]
    sealed_by: Annotated[
        Moment | None,
        Meta(
            description="By when all these events had been recorded: the end of a quarter of an hour. It may lie up to "
            "fifteen minutes ahead. `null` in a checkpoint of an earlier version: its hash is that of the chain."
        ),
    ]
    page: str


def _checkpoint(item: Item) -> Checkpoint:
    number, sealed_by = item["event_id"], item.get("sealed_by")
    moment = datetime.fromisoformat(sealed_by) if sealed_by else None
    return Checkpoint(item["first_event_id"], number, item["hash"], moment, link("checkpoint", number))


class Digests(msgspec.Struct):
    """From one public checkpoint to the next: what the hash of the next is made of."""

    previous: Annotated[str, Meta(description="The chain before the first number; 64 zeros where the log begins.")]
    digests: Annotated[
        list[str],
        Meta(
            description="SHA-256 of every event that it covers, one for each number. In their order, each makes the "
            "chain SHA-256(chain + digest); at the end comes the SHA-256 of two lines, `plenum: sealed by` and "
            "`sealed_by`, if it has one; and the outcome is its hash. They reveal nothing: every event has a random "
            "nonce."
        ),
    ]


@operation(
    "GET", "checkpoints", CHECKPOINTS, "List public checkpoints, newest first", query=Paging, answers=Page[Checkpoint]
)
def checkpoints(call: Call) -> Page[Checkpoint]:
    page = log().public_checkpoints(limit=call.query.limit, cursor=call.cursor)
    return call.page([_checkpoint(item) for item in page.items], page.cursor)


@operation("GET", "checkpoints/<int:number>", CHECKPOINTS, "Read the checkpoint over an event", answers=Checkpoint)
def checkpoint(call: Call, number: int) -> Checkpoint:
    return _checkpoint(_public_over(number))


@operation(
    "GET", "checkpoints/<int:number>/digests", CHECKPOINTS, "Read what the hash over an event is made of",
    answers=Digests,
)  # fmt: skip
def digests(call: Call, number: int) -> Digests:
    """For whoever checks from outside that each checkpoint continues the one before it."""
    covered = next(ranges_over(table(), [_public_over(number)["event_id"]]))
    found = covered.digests().hex()
    return Digests(covered.previous, [found[at : at + 64] for at in range(0, len(found), 64)])


def _public_over(number: int) -> Item:
    found = log().public_over(number) if 0 < number < 10**EVENT_NUMBER_DIGITS else None
    if found is None:
        raise Http404
    return found
