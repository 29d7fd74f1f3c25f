"""The event log, for auditors."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api_tokens import Scope
from accounts.rules import Permission
from api.calls import Call, Page, Paging, cleaned
from api.operations import operation
from api.values import described, link
from foundation.acts.storage import table
from foundation.store.log.rewriting import is_rewritten
from foundation.store.log.search import search
from foundation.store.table import Item
from operations.audit.events import hidden_names, load_numbered, proof_of
from operations.audit.forms import MAX_SEARCH_CHARS, LogForm

AREA = "Event log"

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
