"""Backup, restore and transfer: a whole store written as JSON lines, read back from them, or copied to another store.

A backup is a header, a line for every item, and a last line with the number of items and the SHA-256 of all lines
before it. Bytes are written as {"bytes": base64}; a map that could be mistaken for that is written as {"map": {...}}.

The sealer moves checkpoint, sync state and counts together. They are copied as of the start of the backup, and newer
checkpoints, including public ones, are left out, so that they are consistent even if the store has no snapshots; a
sealer recreates the newer ones with the same hashes.

Salts of anonymous rounds in live sessions are never copied, nor restored from a copy: a salt must not outlive its
round, and a copy would.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

import orjson

from . import formats, keys, limits
from .keys.declared import with_entity_type
from .log import EventLog, as_text, layout, utc_now
from .log.search import as_of
from .splitting import in_batches
from .table import DATA, LOG, TABLES, Delete, Item, Key, Missing, Put, Refused, StoreError, Table, Value

FORMAT = 1
MAX_LINE_BYTES = 4 * 1024 * 1024  # an item has at most 400 KB, and JSON turns one byte into at most six
MAX_ATTEMPTS = 5
GZIP = b"\x1f\x8b"
LIVE_SALTS = tuple(key("", 0).sk.rstrip("0123456789") for key in (keys.game_salt, keys.game_before))
LIVE_SESSION = keys.game_salt("", 0).pk
CHECKPOINTS = (keys.checkpoints().pk, keys.public_checkpoints().pk)
SEALED_TOGETHER = (keys.SYNC, keys.COUNTS)
LEFT_OUT = (*LIVE_SALTS, *(key.sk for key in SEALED_TOGETHER))  # sort key prefixes of items that a copy may lack

Entry = tuple[str, Item]  # the name of the table, and the item
Progress = Callable[[int], None]  # called with how many items are done
Notice = Callable[[Item], None]
Finish = Callable[[], None]  # run on a filled store before it is marked as complete; may run more than once


class Damaged(StoreError):
    """Not a valid backup file, or no longer one, or a copied item that differs; the message says where."""


class NotEmpty(StoreError):
    """The store already contains something, so nothing is restored into it."""


class Unfinished(StoreError):
    """A restore or transfer into this store was begun but not finished."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written: the number of items, the digest of the backup's lines, how far the log was sealed, and which
    secret elections were open: two backups of these should not be compared."""

    items: int
    sha256: str
    checkpoint: str  # as `checkpoint_text` writes it
    open: tuple[str, ...]  # as `tag` names them


def no_progress(items: int) -> None:
    """The default: progress is not reported."""


def ignore(item: Item) -> None:
    """The default `notice`: does nothing."""


# --- a consistent copy of everything in a store ---


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far the log was sealed at one moment, with the items that the sealer moved together with the checkpoint."""

    checkpoint: Item | None
    moved: dict[Key, Item]

    @property
    def number(self) -> int:
        return int(self.checkpoint["event_id"]) if self.checkpoint else 0

    @property
    def fits(self) -> bool:
        sync, counts = (self.moved.get(key, {}) for key in SEALED_TOGETHER)
        when = self.checkpoint["when_sealed"] if self.checkpoint else None
        return sync.get("last_event_id", 0) == self.number and counts.get("last_updated") == when


def take_snapshot(table: Table) -> Snapshot:
    """The snapshot as of now. One that is inconsistent even after retries was tampered with, and is returned
    unchanged."""
    for _ in range(MAX_ATTEMPTS):
        found = Snapshot(EventLog(table).newest_checkpoint(), table.get_many(SEALED_TOGETHER))
        if found.fits:
            break
    return found


def contents(table: Table, at: Snapshot) -> Iterator[Entry]:
    """Every item except salts, and the sealer's items newer than the snapshot.

    The last event number comes last and is never too small.
    """
    yield from ((key.table, item) for key, item in at.moved.items())
    last, newest = None, 0
    header = keys.EVENT_NUMBER.pk
    for name, item in _to_keep(table):
        if name == DATA:
            if not item["SK"].startswith(LEFT_OUT):  # settles it for almost all items
                yield name, item
                continue
            key = Key(item["PK"], item["SK"])
            if not _is_salt(key) and key not in SEALED_TOGETHER:
                yield name, item
        elif item["PK"] == header:
            last = item
        else:
            number = item["event_id"] if type(item.get("event_id")) is int else 0
            newest = max(newest, number)
            is_newer = number > at.number and item["PK"] in CHECKPOINTS
            if not is_newer and (copied := as_of(item, at.number)) is not None:
                yield name, copied
    if last is not None:
        # DynamoDB may have read this counter before some of the events: a number must not be given out twice.
        yield LOG, {**last, "last": max(last["last"], newest)}


def _is_salt(key: Key) -> bool:
    """The salt of an anonymous round of a live session, which lasts a minute. The link between two rounds has a salt of
    its own, which is left out too."""
    return key.table == DATA and key.sk.startswith(LIVE_SALTS) and key.pk.startswith(LIVE_SESSION)


def _to_keep(table: Table) -> Iterator[Entry]:
    """Everything except leases, heartbeats and how far a sealer has published, which concern processes and not the
    site."""
    leases, of_processes = keys.lease("").pk, (keys.PUBLISHING.pk, keys.WORKERS.pk)
    return (
        (name, item)
        for name, item in layout.everything(table)
        if not item["PK"].startswith(leases) and item["PK"] not in of_processes
    )


# --- backup ---


def backup(
    table: Table, file: BinaryIO, progress: Progress = no_progress, clock: Callable[[], datetime] = utc_now
) -> Summary:
    """Write everything to the file, line by line."""
    _refuse_unfinished(table)
    at, lines, open_ = take_snapshot(table), _Writing(file), set[str]()
    sealed = at.checkpoint and {name: at.checkpoint[name] for name in ("event_id", "hash")}
    header = {"plenum_backup": FORMAT, "store_format": formats.format_of(table), "made_at": as_text(clock())}
    lines.write(header | {"checkpoint": sealed, "tables": list(TABLES)})
    items = 0
    for items, (name, item) in enumerate(contents(table, at), 1):
        lines.write_item(name, item)
        if item.get("allow_vote") and item.get("secret_ballot"):
            open_.add(tag(item))
        progress(items)
    sha256 = lines.digest.hexdigest()
    lines.write({"items": items, "sha256": sha256})
    return Summary(items, sha256, checkpoint_text(at.checkpoint), tuple(sorted(open_)))


def checkpoint_text(checkpoint: Item | None) -> str:
    """In the format of `verify --checkpoint`; empty for a log that is not sealed yet."""
    return f"{checkpoint['event_id']}:{checkpoint['hash']}" if checkpoint else ""


def tag(election: Item) -> str:
    """A name for an open secret election that only those who can see the election recognise."""
    return hashlib.sha256(f"plenum backup {election.get('lots_commitment')}".encode()).hexdigest()[:32]


class _Writing:
    """Writes lines to a file and keeps their running digest."""

    def __init__(self, file: BinaryIO):
        self.file = file
        self.digest = hashlib.sha256()

    def write(self, line: dict[str, Value]) -> None:
        self._put(_as_line(line))

    def write_item(self, name: str, item: Item) -> None:
        """Few items need encoding; the quickest test is to look at the resulting JSON."""
        try:
            text = _as_line({"table": name, "item": item})
            is_plain = not _looks_encoded(text)
        except TypeError:  # bytes
            is_plain = False
        self._put(text if is_plain else _as_line({"table": name, "item": encoded(item)}))

    def _put(self, text: bytes) -> None:
        self.digest.update(text)
        self.file.write(text)


def _as_line(line: dict[str, Value]) -> bytes:
    return orjson.dumps(line, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def encoded(value: Value) -> Value:
    """The value with its bytes as text; `decoded` is the exact inverse."""
    if type(value) is bytes:
        return {"bytes": b64encode(value).decode()}
    if type(value) is list:
        return [encoded(each) for each in value]
    if type(value) is dict:
        inside = {name: encoded(each) for name, each in value.items()}
        return {"map": inside} if _is_tagged(value) else inside
    return value


def decoded(value: Value) -> Value:
    if type(value) is list:
        return [decoded(each) for each in value]
    if type(value) is not dict:
        return value
    if not _is_tagged(value):
        return {name: decoded(each) for name, each in value.items()}
    if "bytes" in value:
        return b64decode(value["bytes"], validate=True)
    return {name: decoded(each) for name, each in value["map"].items()}


def _looks_encoded(text: bytes) -> bool:
    """Whether a line may contain something encoded, or something that could be mistaken for it."""
    return b'"bytes"' in text or b'"map"' in text


def _is_tagged(value: dict[str, Value]) -> bool:
    return len(value) == 1 and ("bytes" in value or "map" in value)


# --- reading a backup ---


def unzipped(file: Any) -> BinaryIO:
    """The lines of a file that may be compressed; `file` is a buffered reader."""
    return gzip.GzipFile(fileobj=file) if file.peek(2)[:2] == GZIP else file  # type: ignore[return-value]


class Reading:
    """One pass over a backup. When all items have been read without `Damaged`, the backup is complete."""

    def __init__(self, file: BinaryIO, is_checked: bool = False):
        """With `is_checked`, items are not validated again, because the file has been read before and its digest is
        known."""
        self.file = file
        self.is_checked = is_checked
        self.digest = hashlib.sha256()
        self.number = 0  # of the line
        self.size = 0  # of the line
        self.header = self._parsed(self._take())
        if "plenum_backup" not in self.header:
            raise Damaged("This is no backup of Plenum: its first line does not say so.")
        if self.header["plenum_backup"] != FORMAT:
            raise Damaged(f"This backup has the format {self.header['plenum_backup']}; this Plenum reads {FORMAT}.")
        number = self.header.get("store_format")
        if type(number) is int and number > formats.FORMAT:
            raise formats.TooNew(formats.too_new(number, "The store this backup was made of"))

    def __iter__(self) -> Iterator[Entry]:
        while "sha256" not in (line := self._parsed(text := self._take())):
            self.digest.update(text)
            try:
                name, item = line["table"], decoded(line["item"]) if _looks_encoded(text) else line["item"]
                if not self.is_checked:
                    limits.check_item(item)
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                raise Damaged(f"Line {self.number} of the backup is damaged.") from None
            if name not in TABLES:
                raise Damaged(f"Line {self.number} of the backup names a table that there is not.")
            yield name, item
        if line.get("items") != (items := self.number - 2):
            raise Damaged(f"The backup should have {line.get('items')} items, but has {items}.")
        if line["sha256"] != self.digest.hexdigest():
            raise Damaged("The backup was changed: its items are not those it was made of.")
        if self.file.read(1):
            raise Damaged("The backup goes on after its last line.")

    def _take(self) -> bytes:
        """The next line. The header joins the digest here, other lines once they are known not to be the last."""
        try:
            text = self.file.readline(MAX_LINE_BYTES)
        except EOFError:
            text = b""
        except (gzip.BadGzipFile, zlib.error):
            raise Damaged(f"The backup cannot be unpacked after line {self.number}.") from None
        self.number += 1
        self.size = len(text)
        if not text.endswith(b"\n") and len(text) < MAX_LINE_BYTES:
            raise Damaged("The backup is cut short: its last line is missing.")
        if self.number == 1:
            self.digest.update(text)
        return text

    def _parsed(self, text: bytes) -> dict[str, Value]:
        try:
            line = orjson.loads(text)
        except ValueError:
            line = None
        if type(line) is not dict:
            raise Damaged(f"Line {self.number} of the backup is damaged.")
        return line


def check(file: BinaryIO, progress: Progress = no_progress) -> str:
    """Read a backup without writing anything; returns its digest or raises `Damaged`."""
    reading = Reading(file)
    for items, _ in enumerate(reading, 1):
        progress(items)
    return reading.digest.hexdigest()


# --- restore and transfer ---


def restore(
    table: Table,
    file: BinaryIO,
    sha256: str | None = None,
    progress: Progress = no_progress,
    finish: Finish = lambda: None,
    notice: Notice = ignore,
) -> int:
    """Write a backup into an empty store; returns the number of items. `notice` is called with every item, before
    `finish`.

    With the digest returned by `check`, an interrupted restore resumes where it stopped. Without it, as from a pipe,
    damage is only found at the end, and until then the store is marked as incomplete.
    """
    reading = Reading(file, is_checked=sha256 is not None)
    done = begin(table, sha256)
    entries = islice(_laid_out(table, reading, notice), done, None)
    try:
        items = _fill(table, entries, done, sha256, progress, weigh=lambda item: reading.size)
        if sha256 not in (None, reading.digest.hexdigest()):
            raise Damaged("The file was changed while it was read.")
    except Damaged as damaged:
        table.write(Put(_mark(None, 0)))
        raise Damaged(f"{damaged} The store is not whole now: restore a good backup into a new one.") from None
    finish()
    table.write(Delete(keys.RESTORING))
    return items


def transfer(source: Table, target: Table, progress: Progress = no_progress) -> int:
    """Copy everything into an empty store and read every item back; returns the number of items."""
    _refuse_unfinished(source)
    entries = contents(source, take_snapshot(source))
    begin(target, None)
    items = _fill(target, _laid_out(target, entries), 0, None, progress, check_batch=_compare)
    target.write(Delete(keys.RESTORING))
    return items


def begin(table: Table, sha256: str | None) -> int:
    """Mark the store as incomplete; returns how many items an earlier attempt has written."""
    mark = table.get(keys.RESTORING)
    if mark is not None and sha256 is not None and mark["sha256"] == sha256:
        return int(mark["items"])
    _refuse_unfinished(table)
    housekeeping = []
    for name, item in _to_keep(table):
        key = Key(item["PK"], item["SK"], name)
        is_housekeeping = name == DATA and key.pk == keys.SYNC.pk  # written at the first start, such as the first link
        if not is_housekeeping and key not in formats.PLACES:
            raise NotEmpty("The store is not empty. Only a new one can be filled.")
        housekeeping += [key] if name == DATA else []
    try:  # the copy brings its own format, or none
        table.write(Put(_mark(sha256, 0), when=Missing()), *map(Delete, {*formats.PLACES, *housekeeping}))
    except Refused:
        raise Unfinished("Somebody else began to restore into this store just now.") from None
    return 0


def _laid_out(table: Table, entries: Iterable[Entry], notice: Notice = ignore) -> Iterator[Entry]:
    """What is stored of a copy: no salts, events in the target's own layout, because a copy does not record that of its
    source, and in an embedded store a single list of waiting mails. What an interrupted restore wrote earlier is
    noticed again, because `notice` does not remember it."""
    for name, item in entries:
        if not _is_salt(Key(item["PK"], item["SK"], name)):
            notice(item)
            yield layout.entry(table, name, item if table.is_distant else keys.in_one_list(item))


def _refuse_unfinished(table: Table) -> None:
    mark = table.get(keys.RESTORING)
    if mark is None:
        return
    if mark["sha256"] is None:
        raise Unfinished("The store is not whole: what was copied into it broke off. Start again with a new one.")
    raise Unfinished("The store is not whole: restore the same file again to go on, or start with a new one.")


def _mark(sha256: str | None, items: int) -> Item:
    return {**keys.RESTORING.item, "sha256": sha256, "items": items}


def _fill(
    table: Table,
    entries: Iterable[Entry],
    done: int,
    sha256: str | None,
    progress: Progress,
    weigh: Callable[[Item], int] = limits.check_item,
    check_batch: Callable[[Table, list[Entry]], None] = lambda table, batch: None,
) -> int:
    """Write batch by batch, each together with a mark of the progress."""
    items, size = table.most_loaded
    for batch in batches(entries, items - 1, size, weigh):  # one is for the mark
        done += len(batch)
        table.load([*batch, (DATA, _mark(sha256, done))])
        check_batch(table, batch)
        progress(done)
    return done


def batches(
    entries: Iterable[Entry],
    most: int = Table.most_loaded[0],
    most_bytes: int = Table.most_loaded[1],
    weigh: Callable[[Item], int] = limits.check_item,
) -> Iterator[list[Entry]]:
    return in_batches(entries, most_bytes, lambda entry: weigh(entry[1]), max_count=most)


def _compare(table: Table, batch: list[Entry]) -> None:
    stored, now = table.get_many(Key(item["PK"], item["SK"], name) for name, item in batch), utc_now().timestamp()
    for name, item in batch:
        key = Key(item["PK"], item["SK"], name)
        if key not in stored and item.get("ttl", now + 1) <= now:
            continue  # expired meanwhile
        if canonical(stored.get(key)) != canonical(with_entity_type(item, name)):
            raise Damaged(f"The item {key.pk} / {key.sk} did not arrive as it was. The new store is not whole.")


def canonical(value: Value) -> bytes:
    """As text that is the same only for the same value: it tells true from 1, and text from bytes."""
    return orjson.dumps(encoded(value), option=orjson.OPT_SORT_KEYS)
