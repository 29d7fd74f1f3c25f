"""The log, for auditors: the search, and one event with what is hidden of it and what proves it unchanged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import allow_everyone, requires
from accounts.rules import Permission
from foundation.acts.storage import SITE, table
from foundation.acts.storage import log as event_log
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.log.rewriting import is_rewritten, sealed_digest
from foundation.store.log.seal import DIGEST_BYTES
from foundation.store.log.search import search
from foundation.store.schema import SCHEMA
from foundation.store.table import Item

from .forms import LogForm
from .tables.masks import HIDDEN

PAGE_ROWS = 50
SUBJECT_FIELDS = ("election_name", "poll_id", "name", "new_owner", "email")  # the first of these that an event has
MAX_VALUE_CHARS = 4000


# --- events ---


def load_numbered(number: int) -> tuple[int, Item | None] | None:
    """The event with that number, or the fact that the number is void."""
    if number >= 10**EVENT_NUMBER_DIGITS:
        return None
    found = event_log().find(number)
    return (number, found) if found or event_log().is_void(number) else None


def hidden_names(event: Item) -> list[str]:
    """The names of its data that even auditors are not shown."""
    withheld = SCHEMA.event_type(event["event_type"]).withheld
    return sorted(name for name, value in event["event_data"].items() if value and name in withheld)


@dataclass(frozen=True, slots=True)
class Proof:
    """The digest of an event, and the checkpoints that cover its number."""

    checkpoint: Item | None
    public: Item | None
    digest: str = ""  # of a void number: none
    intact: bool = True  # the checkpoint has this digest


def proof_of(number: int, event: Item | None) -> Proof:
    checkpoint, public = event_log().checkpoint_over(number), event_log().public_over(number)
    if event is None:
        return Proof(checkpoint, public)
    digest, intact = sealed_digest(event), True
    if checkpoint is not None:
        start = (number - checkpoint["first_event_id"]) * DIGEST_BYTES
        intact = bytes(checkpoint["digests"][start : start + DIGEST_BYTES]) == digest[:DIGEST_BYTES]
    return Proof(checkpoint, public, digest.hex(), intact)


@requires(Permission.VIEW_SECRETS)
@require_safe
def log(request: HttpRequest) -> HttpResponse:
    form = LogForm(request.GET)
    context: dict[str, Any] = {"form": form, "types": sorted(SCHEMA.events)}
    if not form.is_valid():
        return render(request, "audit/log/log.html", context, status=422)
    found = search(table(), form.query(), before=form.cleaned_data["before"], limit=PAGE_ROWS)
    context |= {
        "events": [(event, _subject(event)) for event in found.events],
        "further": reverse("log") + _query({**form.typed(), "before": found.before}) if found.before else "",
        "looked_to": found.before if len(found.events) < PAGE_ROWS else None,
        "filtered": bool(form.typed()),
        "newest": reverse("log") + _query(form.typed()) if form.cleaned_data["before"] else "",
    }
    return render(request, "audit/log/log.html", context)


def _subject(event: Item) -> tuple[str, str]:
    """What the event is about, and whether that is an election."""
    data = event["event_data"]
    name = next((name for name in SUBJECT_FIELDS if isinstance(data.get(name), str)), "")
    return (data[name], name) if name else ("", "")


def _query(parameters: dict[str, Any]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


@requires(Permission.VIEW_SECRETS, load=load_numbered, rule=allow_everyone)
@require_safe
def event(request: HttpRequest, numbered: tuple[int, Item | None]) -> HttpResponse:
    """One event with all its data, its digest, and the checkpoints that cover it; or a note that its number is void."""
    number, found = numbered
    proof = proof_of(number, found)
    if found is None:
        return render(request, "audit/log/void.html", {"number": number, "public": proof.public})
    data, hidden = found["event_data"], hidden_names(found)
    of_elections = ("election_name", "new_name") if found["event_type"] == "ElectionRenamed" else ("election_name",)
    shown = {name: str(HIDDEN) if name in hidden else value for name, value in sorted(data.items())}
    context = {
        "event": found,
        "elections": [data[name] for name in of_elections if isinstance(data.get(name), str)],
        "rows": [(name, _value_context(value)) for name, value in shown.items()],
        "digest": proof.digest,
        "checkpoint": proof.checkpoint,
        "public": proof.public,
        "intact": proof.intact,
        "by_itself": found["actor"] == SITE,
        "rewritten": is_rewritten(found),
    }
    return render(request, "audit/log/event.html", context)


def _value_context(value: Any) -> dict[str, Any]:
    """A value for the table: text unchanged, anything else as JSON, a list line by line, all limited in length."""
    lines = value if isinstance(value, list) else [value]
    text = value if isinstance(value, str) else "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    short = text[:MAX_VALUE_CHARS]
    left = len(text) - len(short)
    note = _("… and %(count)d more characters") % {"count": left} if left else ""
    return {"text": short, "note": note, "plain": isinstance(value, str)}
