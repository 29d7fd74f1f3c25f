"""The embedded adapter's SQL: the tables in the file, items as rows, spans as conditions."""

from __future__ import annotations

import base64
import hashlib
import hmac
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

import orjson

from .. import cursors, limits
from ..keys.declared import with_entity_type
from ..table import DATA, LOG, TABLES, Check, Delete, Invalid, Item, Key, Put, Span, TokenReused, Update, Value, Write

BATCH_ROWS = 256
TRUTHS = {"true": True, "fals": False}  # by their first letters in JSON, which are unambiguous
TOKEN_SECONDS = 600  # as long as DynamoDB remembers an idempotency token
STATEMENT_ITEMS = 8  # per statement: more would mean more prepared statements, and hardly be faster

# Clustered by key and without row ids, so that the file does not reveal the order of arrival.
TABLE = """
CREATE TABLE IF NOT EXISTS {table} (
    pk TEXT NOT NULL, sk TEXT NOT NULL, gsi1pk TEXT, gsi1sk TEXT, ttl INTEGER, body BLOB NOT NULL,
    PRIMARY KEY (pk, sk)
) WITHOUT ROWID;
"""
SCHEMA = f"""
{TABLE.format(table=DATA)}
{TABLE.format(table=LOG)}
CREATE INDEX IF NOT EXISTS gsi1 ON {DATA} (gsi1pk, gsi1sk) WHERE gsi1pk IS NOT NULL AND gsi1sk IS NOT NULL;
CREATE INDEX IF NOT EXISTS ttl ON {DATA} (ttl) WHERE ttl IS NOT NULL;
CREATE TABLE IF NOT EXISTS token (
    name BLOB PRIMARY KEY, meaning BLOB NOT NULL, expires INTEGER NOT NULL
) WITHOUT ROWID;
"""
GET = {table: f"SELECT body FROM {table} WHERE pk = ? AND sk = ? AND (ttl IS NULL OR ttl > ?)" for table in TABLES}
EVERYTHING = {table: f"SELECT body FROM {table} WHERE ttl IS NULL OR ttl > ? ORDER BY pk, sk" for table in TABLES}
COLUMNS = "pk, sk, gsi1pk, gsi1sk, ttl, body"
PUT = {
    table: f"INSERT INTO {table} ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (pk, sk) DO UPDATE SET gsi1pk = excluded.gsi1pk, gsi1sk = excluded.gsi1sk, "
    "ttl = excluded.ttl, body = excluded.body"
    for table in TABLES
}
DELETE = {table: f"DELETE FROM {table} WHERE pk = ? AND sk = ?" for table in TABLES}


# --- rows ---


def pack(item: Item) -> bytes:
    """The item as JSON; one that contains bytes in a tagged form, recognised by its first character."""
    try:
        return orjson.dumps(item)
    except TypeError:
        return b"~" + orjson.dumps({name: _tag(value) for name, value in item.items()})


def unpack(body: bytes) -> Item:
    if body[:1] == b"~":
        return {name: _untag(value) for name, value in orjson.loads(body[1:]).items()}
    return orjson.loads(body)  # type: ignore[no-any-return]


def unpack_all(bodies: list[bytes]) -> list[Item]:
    """Many at once, in half the time of one by one; in batches that fit the processor's cache."""
    items: list[Item] = []
    for at in range(0, len(bodies), BATCH_ROWS):
        items += _unpack_some(bodies[at : at + BATCH_ROWS])
    return items


def _unpack_some(bodies: list[bytes]) -> list[Item]:
    text = b",".join(bodies)
    if b"~" in text and any(body[:1] == b"~" for body in bodies):
        return [unpack(body) for body in bodies]
    return orjson.loads(b"[" + text + b"]")  # type: ignore[no-any-return]


def values_of(bodies: list[bytes], names: Sequence[str]) -> Iterator[Iterable[tuple[Value, ...]]]:
    """These attributes of every item, a batch of items at a time, cut out of the text where that is safe: it takes half
    the time of unpacking."""
    for at in range(0, len(bodies), BATCH_ROWS):
        some = bodies[at : at + BATCH_ROWS]
        columns = _columns(b"".join(some).decode(), len(some), names)
        yield columns or [tuple(map(item.get, names)) for item in _unpack_some(some)]


def _columns(text: str, size: int, names: Sequence[str]) -> Iterable[tuple[Value, ...]] | None:
    """`None` unless all of the items are plain: with nothing escaped, every quotation mark in the text begins or ends a
    string, and with one brace each, whatever looks like an attribute's name is one of the item itself."""
    if not names or "\\" in text or text.count("{") != size or not all(name.isidentifier() for name in names):
        return None
    columns = [_column(text, size, name) for name in names]
    return None if any(column is None for column in columns) else zip(*columns, strict=True)


def _column(text: str, size: int, name: str) -> Sequence[Value] | None:
    """An attribute that all of the items have, as a string or a boolean, or that none of them has; `None` otherwise."""
    if f'"{name}":' not in text:
        return [None] * size
    found = [after.partition('"')[0] for after in text.split(f'"{name}":"')[1:]]
    if len(found) == size:
        return found
    truths = [TRUTHS.get(after[:4]) for after in text.split(f'"{name}":')[1:]]
    return truths if len(truths) == size and None not in truths else None


def _tag(value: Value) -> Value:
    if type(value) is bytes:
        return {"B": base64.b64encode(value).decode()}
    if type(value) is list:
        return [_tag(each) for each in value]
    if type(value) is dict:
        return {"M": {name: _tag(each) for name, each in value.items()}}
    return value


def _untag(value: Value) -> Value:
    if type(value) is list:
        return [_untag(each) for each in value]
    if type(value) is dict:
        if "B" in value:
            return base64.b64decode(value["B"])
        return {name: _untag(each) for name, each in value["M"].items()}
    return value


# --- several at once ---


def read(connection: sqlite3.Connection, keys: Sequence[Key], now: float | None = None) -> dict[Key, Item]:
    """The items that exist; without `now`, expired ones too. Several items share a statement, because each statement
    locks the file, checks for new writes and waits for the GIL."""
    found: dict[Key, Item] = {}
    for at in range(0, len(keys), STATEMENT_ITEMS):
        some = keys[at : at + STATEMENT_ITEMS]
        places = [text for key in some for text in (key.pk, key.sk)]
        statement = _get_many_sql(tuple([key.table for key in some]), now is None)
        rows = connection.execute(statement, places if now is None else [*places, now])
        for number, body in rows.fetchall():
            found[some[number]] = unpack(body)
    return found


@lru_cache
def _get_many_sql(tables: Sequence[str], also_expired: bool) -> str:
    """The parameters are the keys, then the time unless `also_expired`."""
    fresh = "" if also_expired else f" AND (ttl IS NULL OR ttl > ?{2 * len(tables) + 1})"
    return " UNION ALL ".join(
        f"SELECT {number}, body FROM {table} WHERE pk = ?{2 * number + 1} AND sk = ?{2 * number + 2}{fresh}"
        for number, table in enumerate(tables)
    )


def carry_out(connection: sqlite3.Connection, changes: Iterable[tuple[str, tuple[Value, ...]] | None]) -> None:
    """Order does not matter: each change concerns a different item."""
    alike: dict[str, list[tuple[Value, ...]]] = {}
    for statement, values in filter(None, changes):
        alike.setdefault(statement, []).append(values)
    for statement, each in alike.items():
        connection.executemany(statement, each)


def change(write: Write, stored: Item | None) -> tuple[str, tuple[Value, ...]] | None:
    """The statement for a write; a check has none."""
    if isinstance(write, Check):
        return None
    if isinstance(write, Delete):
        return DELETE[write.key.table], (write.key.pk, write.key.sk)
    if isinstance(write, Put):
        return PUT[write.table], _row(with_entity_type(write.item, write.table))
    return insertion(updated(stored, write), write.key.table)


def insertion(item: Item, table: str) -> tuple[str, tuple[Value, ...]]:
    """For an item that was changed. A short one needs no size check: DynamoDB counts less than twice the length of its
    text."""
    row = _row(with_entity_type(item, table))
    if 2 * len(row[-1]) > limits.MAX_ITEM_BYTES:
        limits.check_item(item)
    return PUT[table], row


def _row(item: Item) -> tuple[Value, ...]:
    return item["PK"], item["SK"], item.get("GSI1PK"), item.get("GSI1SK"), item.get("ttl"), pack(item)


def load(connection: sqlite3.Connection, entries: Sequence[tuple[str, Item]]) -> None:
    for table in TABLES:
        items = (with_entity_type(item, table) for name, item in entries if name == table)
        connection.executemany(PUT[table], map(_row, items))


def updated(stored: Item | None, update: Update) -> Item:
    """The parts have been checked already; only sums and the whole item may have become too large."""
    item = {**(stored or update.key.item), **update.set}
    for name, amount in update.add.items():
        if type(item.get(name, 0)) is not int:
            raise Invalid(f"{name} is not a number to add to.")
        item[name] = item.get(name, 0) + amount
        limits.check_value(item[name])
    for name in update.remove:
        item.pop(name, None)
    return item


# --- queries ---


def where(
    span: Span, now: float, cursor: str | None = None, backwards: bool = False
) -> tuple[str, list[str | bytes | float]]:
    """The SQL condition for the span, from the cursor on, without expired items."""
    limits.check_span(span)
    pk, sk = ("gsi1pk", "gsi1sk") if span.index else ("pk", "sk")
    terms: list[str] = [f"{pk} = ?", f"{sk} IS NOT NULL", "(ttl IS NULL OR ttl > ?)"]
    values: list[str | bytes | float] = [span.pk, now]
    bounds: dict[str, tuple[str, str | bytes]] = {}
    if span.prefix:
        # No UTF-8 text holds the byte FF, so this is the end of everything that begins with the prefix.
        bounds = {">": (f"{sk} >= ?", span.prefix), "<": (f"{sk} < CAST(? AS TEXT)", span.prefix.encode() + b"\xff")}
    if span.first is not None:
        bounds[">"] = (f"{sk} >= ?", span.first)
    if span.last is not None:
        bounds["<"] = (f"{sk} <= ?", span.last)
    if cursor is not None:
        side = "<" if backwards else ">"
        place = list(cursors.decode(span, cursor).items())[1:]
        names = ", ".join(name.lower() for name, _ in place)
        # A cursor lies within its span and takes the place of the bound on its side: given both, SQLite starts at the
        # looser one, and every page walks over all the pages before it.
        bounds.pop(side, None)
        terms.append(f"({names}) {side} ({', '.join('?' * len(place))})")
        values += [value for _, value in place]
    for term, value in bounds.values():
        terms.append(term)
        values.append(value)
    return " AND ".join(terms), values


def fill_page(rows: sqlite3.Cursor, limit: int | None) -> tuple[list[bytes], bool]:
    """The bodies that fit into a page, and whether there are more."""
    bodies: list[bytes] = []
    size = 0
    at_a_time = BATCH_ROWS if limit is None else min(BATCH_ROWS, limit + 1)  # some rows are large
    while some := list(chain.from_iterable(rows.fetchmany(at_a_time))):
        together = sum(map(len, some))
        if size + together < limits.PAGE_BYTES and limit is None:
            bodies += some  # all of them fit, so no need to check each
            size += together
            continue
        for body in some:
            if size >= limits.PAGE_BYTES or len(bodies) == limit:
                rows.close()
                return bodies, True
            bodies.append(body)
            size += len(body)
    return bodies, False


# --- idempotency tokens ---


def is_repeated(connection: sqlite3.Connection, writes: Sequence[Write], token: str, now: float) -> bool:
    """Whether a write has already happened with its idempotency token."""
    row = connection.execute(
        "SELECT meaning FROM token WHERE name = ? AND expires > ?", (_token_name(token), now)
    ).fetchone()
    if row is not None and row[0] != _meaning(token, writes):
        raise TokenReused("This token was already used for another write.")
    return row is not None


def store_token(connection: sqlite3.Connection, writes: Sequence[Write], token: str, now: float) -> None:
    values = (_token_name(token), _meaning(token, writes), int(now) + TOKEN_SECONDS)
    connection.execute("INSERT OR REPLACE INTO token VALUES (?, ?, ?)", values)


def _token_name(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _meaning(token: str, writes: Sequence[Write]) -> bytes:
    """Only the holder of the token can tell which write it was for. A plain digest of the write, beside its expiry
    time, would let a reader of the file test which voter's event and which ballot were written together."""
    return hmac.digest(token.encode(), repr(writes).encode(), "sha256")
