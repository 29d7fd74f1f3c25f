"""Splitting what does not fit into one item or one transaction, by its size in bytes as the store counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from .limits import check_value

PART_BYTES = 200_000  # stored in one item or event: DynamoDB allows 400 KB including everything else in it

TRANSACTION_WRITES = 90  # of our own, besides those of the log; DynamoDB allows 100

T = TypeVar("T")


def by_count(things: Iterable[T], max_count: int | None = None) -> Iterator[list[T]]:
    """Batches of at most `max_count` things; by default as many as one transaction writes."""
    left = iter(things)
    while batch := list(islice(left, max_count or TRANSACTION_WRITES)):
        yield batch


def in_parts(
    things: Iterable[T], size_of: Callable[[T], int] = check_value, *, max_count: int | None = None
) -> Iterator[list[T]]:
    """Batches that each fit into an item, of at most `max_count` things."""
    return in_batches(things, PART_BYTES, size_of, max_count=max_count)


def in_batches(
    things: Iterable[T],
    max_bytes: int,
    size_of: Callable[[T], int] = check_value,
    *,
    max_count: int | None = None,
) -> Iterator[list[T]]:
    """Batches of at most so many bytes and so many things; a larger thing gets a batch of its own."""
    batch: list[T] = []
    size = 0
    for thing in things:
        more = size_of(thing)
        if batch and (size + more > max_bytes or len(batch) == max_count):
            yield batch
            batch, size = [], 0
        batch.append(thing)
        size += more
    if batch:
        yield batch


def fitting(things: Iterable[T], max_bytes: int, size_of: Callable[[T], int] = check_value) -> Iterator[T]:
    """The things that fit together into so many bytes, in order. One that does not fit is skipped."""
    for thing in things:
        if (size := size_of(thing)) <= max_bytes:
            max_bytes -= size
            yield thing


def split_counts(counts: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Counts of many short texts, in parts that fit into an item as JSON."""

    def size(counted: tuple[str, int]) -> int:
        text, count = counted
        return (len(text) if text.isascii() else check_value(text)) + len(str(count)) + len('"":,')

    return map(dict, in_parts(counts.items(), size))


def split_text(text: str) -> list[str]:
    """The text in parts that fit into an item, split between characters; at least one part."""
    if text.isascii():
        return [text[start : start + PART_BYTES] for start in range(0, len(text), PART_BYTES)] or [""]
    raw, start, parts = text.encode(), 0, []
    while start < len(raw):
        end = start + PART_BYTES
        while end < len(raw) and raw[end] & 0xC0 == 0x80:  # a byte that continues a character
            end -= 1
        parts.append(raw[start:end].decode())
        start = end
    return parts
