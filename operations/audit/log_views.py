"""The event log for auditors: all events, newest first, and each on a page of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from foundation.store.log.rewriting import is_rewritten
from foundation.store.log.search import search
from foundation.store.schema import SCHEMA
from foundation.store.table import Item

from . import events
from .forms import LogForm
from .tables.masks import HIDDEN

PAGE_ROWS = 50
SUBJECT_FIELDS = ("election_name", "poll_id", "name", "new_owner", "email")  # the first of these that an event has
MAX_VALUE_CHARS = 4000


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


def _query(parameters: dict[str, Any]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def _subject(event: Item) -> tuple[str, str]:
    """What the event is about, and whether that is an election."""
    data = event["event_data"]
    name = next((name for name in SUBJECT_FIELDS if isinstance(data.get(name), str)), "")
    return (data[name], name) if name else ("", "")


@requires(Permission.VIEW_SECRETS, load=events.load_numbered, rule=allow_everyone)
@require_safe
def event(request: HttpRequest, numbered: tuple[int, Item | None]) -> HttpResponse:
    """One event with all its data, its digest, and the checkpoints that cover it; or a note that its number is void."""
    number, found = numbered
    proof = events.proof_of(number, found)
    if found is None:
        return render(request, "audit/log/void.html", {"number": number, "public": proof.public})
    context = {
        "event": found,
        "elections": _elections(found),
        "rows": list(_rows(found)),
        "digest": proof.digest,
        "checkpoint": proof.checkpoint,
        "public": proof.public,
        "intact": proof.intact,
        "by_itself": found["actor"] == SITE,
        "rewritten": is_rewritten(found),
    }
    return render(request, "audit/log/event.html", context)


def _rows(event: Item) -> Iterator[tuple[str, dict[str, Any]]]:
    hidden = events.hidden_names(event)
    for name, value in sorted(event["event_data"].items()):
        yield name, _value_context(str(HIDDEN) if name in hidden else value)


def _elections(event: Item) -> list[str]:
    data = event["event_data"]
    names = ("election_name", "new_name") if event["event_type"] == "ElectionRenamed" else ("election_name",)
    return [data[name] for name in names if isinstance(data.get(name), str)]


def _value_context(value: Any) -> dict[str, Any]:
    """A value for the table: text unchanged, anything else as JSON, a list line by line, all limited in length."""
    lines = value if isinstance(value, list) else [value]
    text = value if isinstance(value, str) else "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    short = text[:MAX_VALUE_CHARS]
    left = len(text) - len(short)
    note = _("… and %(count)d more characters") % {"count": left} if left else ""
    return {"text": short, "note": note, "plain": isinstance(value, str)}
