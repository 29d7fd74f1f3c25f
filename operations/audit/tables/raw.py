"""The two tables as stored, partition by partition, with everything secret hidden."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from elections import sharding
from elections.turnout.counts import NOTHING_ALLOWED, Allowed, allowed
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.acts.tokens import create_token, read_token
from foundation.store import cursors, keys, sharded_reads
from foundation.store.schema import KEYS, ItemType
from foundation.store.table import DATA, LOG, BadCursor, Invalid, Item, Key, Page, Span

from . import masks
from .masks import HIDDEN, Hidden

PAGE_ROWS = 50
MAX_SHOWN_BYTES = 64  # of a binary value that is shown in full
MAX_VALUE_CHARS = 4_000  # characters of a value on an item's page
MAX_SUMMARY_CHARS = 160
TABLE_NAMES = {"data": DATA, "log": LOG}
SHORT_NAMES = {name: short for short, name in TABLE_NAMES.items()}


class CannotShow(Refusal):
    """Why something cannot be shown, as a sentence."""


HIDDEN_PARTITION = _("Items under this key are hidden, or no such key exists.")
HIDDEN_BALLOTS = _("Secret ballots are hidden. After the election closes, find them by code under PUBLISHED#.")
BAD_KEY = _("This is not a valid key.")
BAD_CURSOR = _("This link no longer works. Go back to the start of the list.")


@dataclass(frozen=True, slots=True)
class Row:
    """An item of a partition; of a hidden one only its existence is shown."""

    sort_key: str | Hidden
    kind: str = ""
    summary: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    text: str
    is_hidden: bool
    links: tuple[Link, ...]
    cut: int = 0  # total characters, if not all are shown


# --- a partition ---


def rows(span: Span, cursor: str | None) -> tuple[list[Row], str | None]:
    """The items of a partition by sort key, and the cursor for the next page."""
    if not masks.may_open(span):
        raise CannotShow(HIDDEN_PARTITION)
    try:
        return _rows(span, decrypt_cursor(cursor) if cursor else None)
    except BadCursor:
        raise CannotShow(BAD_CURSOR) from None
    except Invalid:
        raise CannotShow(BAD_KEY) from None


def _rows(span: Span, cursor: str | None) -> tuple[list[Row], str | None]:
    own = not span.index and masks.is_of_election(span.pk)
    may = {span.pk: _allowed_in(span.pk)} if own else {}
    readable = masks.readable_parts(span, may.get(span.pk, NOTHING_ALLOWED))
    if not readable:
        raise CannotShow(HIDDEN_BALLOTS if own else HIDDEN_PARTITION)
    page = _page(span, readable, cursor)
    if not own:  # all elections on the page in one round trip: turnouts would be too much, so who voted is left out
        partitions = {item["PK"] for item in page.items if masks.is_of_election(item["PK"])}
        homes = {pk: Key(keys.home(pk), keys.METADATA) for pk in partitions}
        found = table().get_many(set(homes.values())) if homes else {}
        may = {pk: allowed(found.get(place)) for pk, place in homes.items()}
    shown = [_row(span, item, may.get(item["PK"], NOTHING_ALLOWED)) for item in page.items]
    return shown, encrypt_cursor(page.cursor) if page.cursor else None


def _page(span: Span, readable: list[Span], cursor: str | None) -> Page:
    """Of one part of a partition after the other. A sharded log is shown as one partition, under the name its events
    are known by."""
    if not span.index and (span.pk, span.table) == (keys.EVENTS, LOG):
        logs = [replace(span, pk=each.pk) for each in keys.events_in(table().log_partitions)]
        return sharded_reads.page(table(), logs, limit=PAGE_ROWS, cursor=cursor)
    at = cursors.decode(span, cursor)[span.key_names[1]] if cursor else ""
    items = list[Item]()
    for part in readable:
        if part.last is not None and part.last < at:
            continue
        page = table().page(part, limit=PAGE_ROWS - len(items), cursor=cursor if part.holds(at) else None)
        items += page.items
        if page.cursor is not None:
            return Page(items, page.cursor)
        if len(items) == PAGE_ROWS:
            return Page(items, cursors.encode(span, items[-1]))
    return Page(items, None)


def _row(span: Span, item: Item, may: Allowed) -> Row:
    shown = masks.mask_item(span.table, item, may)
    if shown is None:
        return Row(HIDDEN)
    key = Key(item["PK"], item["SK"], span.table)
    kind = masks.type_of(key)
    # the summary has the visible values that are not empty, names first
    visible = [name for name, value in shown.items() if name not in KEYS and value not in (HIDDEN, None, "", [])]
    names_first = sorted(visible, key=lambda name: not name.endswith("name"))
    text = "; ".join(f"{name}: {_text(shown[name])[:MAX_SUMMARY_CHARS]}" for name in names_first)
    summary = text if len(text) <= MAX_SUMMARY_CHARS else f"{text[: MAX_SUMMARY_CHARS - 1]}…"
    return Row(item["GSI1SK" if span.index else "SK"], kind.label if kind else "", summary, item_href(key))


def _allowed_in(pk: str) -> Allowed:
    """For one election, with its turnout, in one round trip."""
    return allowed(*sharding.read_with_gates(Key(keys.home(pk), keys.METADATA)))


# --- an item ---


def view_item(key: Key) -> tuple[str, list[Attribute]] | None:
    """The kind of an item and its visible attributes; also `None` if its existence is hidden."""
    if (kind := masks.type_of(key)) is None:
        return None
    try:
        may = _allowed_in(key.pk) if masks.is_of_election(key.pk) else NOTHING_ALLOWED
        is_readable = masks.readable_parts(Span(key.pk, prefix=key.sk, table=key.table), may)
        found = table().get(key) if is_readable else None
    except Invalid:
        return None
    shown = masks.mask_item(key.table, found, may) if found else None
    return None if shown is None else (kind.label, [_attribute(key.table, kind, *each) for each in shown.items()])


def _attribute(table_name: str, kind: ItemType, name: str, value: Any) -> Attribute:
    text = _text(value)
    meant = NAME_REFERS_TO.get(kind.fields.get(name, ""), name) if name == "name" else name
    links = tuple({link.href: link for link in _links(table_name, meant, value)}.values())
    cut = len(text) if len(text) > MAX_VALUE_CHARS else 0
    return Attribute(name, text[:MAX_VALUE_CHARS], value is HIDDEN, links, cut)


def _text(value: Any) -> str:
    """Long binary values, which are unreadable, are shown as a byte count."""
    if isinstance(value, str | Hidden):
        return str(value)
    if not isinstance(value, bytes):
        return json.dumps(
            value, ensure_ascii=False, default=lambda each: _text(each) if isinstance(each, bytes) else str(each)
        )
    return value.hex() if len(value) <= MAX_SHOWN_BYTES else str(_("%(count)d bytes") % {"count": len(value)})


# --- links along keys ---

PEOPLE = {"person", "owner_name", "managers", "voter_name", "voter", "voters", "actor", "asked_by", "invited_by"}
PEOPLE |= {"written_by", "by", "maker", "closing", "old_owner", "new_owner"}
ELECTIONS = {"election_name", "new_name", "renamed_to", "renamed_from"}
EVENTS = {"event_id", "first_event_id", "last_event_id", "upto"}
NAME_REFERS_TO = {"person": "person", "election": "election_name"}  # what `name` refers to, by kind of item
MAX_LINKS = 20  # per attribute


def _links(table_name: str, name: str, value: Any) -> Iterator[Link]:
    """Links from the value, and from the values nested in it."""
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from _links(table_name, inner, each)
    elif isinstance(value, list):
        for each in value[:MAX_LINKS]:
            yield from _links(table_name, name, each)
    elif (span := _span_of(table_name, name, value)) is not None and masks.may_open(span):
        yield Link(f"{span.pk} {span.prefix}".strip(), href(span))


def _span_of(table_name: str, name: str, value: Any) -> Span | None:
    if isinstance(value, int) and not isinstance(value, bool) and name in EVENTS:
        place = keys.event(value, "", table().log_partitions)
        return Span(place.pk, prefix=keys.sequence(value), table=LOG) if value > 0 else None
    if not isinstance(value, str) or not value:
        return None
    if name in ("PK", "GSI1PK"):
        return Span(value, index=name == "GSI1PK", table=table_name)
    if name in PEOPLE:
        return Span(keys.email(value).pk if "@" in value else keys.user(value).pk)
    if name in ELECTIONS:
        return Span(keys.election(value).pk)
    return Span(keys.mail(value).pk) if name == "invited" else None


def href(span: Span, after: str = "") -> str:
    values = {"table": SHORT_NAMES[span.table], "pk": span.pk, "prefix": span.prefix, "after": after}
    parameters = {name: value for name, value in values.items() if value} | ({"index": "on"} if span.index else {})
    return f"{reverse('raw_tables')}?{urlencode(parameters)}"


def item_href(key: Key) -> str:
    return f"{reverse('raw_item')}?{urlencode({'table': SHORT_NAMES[key.table], 'pk': key.pk, 'sk': key.sk})}"


def well_known() -> list[Link]:
    """Starting points for those who know no keys."""
    spans = (keys.people(), keys.elections(), Span(keys.METADATA), keys.events(), keys.checkpoints())
    return [Link(span.pk, href(Span(span.pk, table=span.table))) for span in spans]


# --- cursors ---


def encrypt_cursor(cursor: str) -> str:
    """A cursor contains the key of the page's last item, which may be a hidden one."""
    return create_token("cursors", cursor)


def decrypt_cursor(token: str) -> str:
    values = read_token("cursors", token, None)
    if values is None:
        raise BadCursor("This is not a cursor.")
    return values[0]
