"""Splitting what does not fit one item or one transaction, by its size in bytes as the store counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from .limits import check_value

PART_BYTES = 300_000  # of what one item holds beside its keys; DynamoDB takes 400 KB

T = TypeVar("T")


def in_batches(
    things: Iterable[T],
    max_bytes: int | None = None,
    size_of: Callable[[T], int] = check_value,
    *,
    max_count: int | None = None,
    exceeding: bool = False,
) -> Iterator[list[T]]:
    """Batches of at most so many bytes, and of at most so many things; a thing that is larger has a batch of its own.

    Some stored parts end with the thing that exceeds the limit, and must be split that way for good: for `exceeding`.
    """
    batch: list[T] = []
    size, max_bytes = 0, PART_BYTES if max_bytes is None else max_bytes
    for thing in things:
        more = size_of(thing)
        is_full = size > max_bytes if exceeding else size + more > max_bytes
        if batch and (is_full or len(batch) == max_count):
            yield batch
            batch, size = [], 0
        batch.append(thing)
        size += more
    if batch:
        yield batch


def split_counts(counts: Mapping[str, int], max_bytes: int | None = None) -> Iterator[dict[str, int]]:
    """How often each of many short texts is there, in parts that are no longer than that when written as JSON."""

    def size(counted: tuple[str, int]) -> int:
        text, count = counted
        return len(text.encode()) + len(str(count)) + len('"":,')

    return map(dict, in_batches(counts.items(), max_bytes, size))


def split_text(text: str, max_bytes: int | None = None) -> list[str]:
    """The text in parts of at most so many bytes, none of which ends inside a character; at least one part."""
    max_bytes = max_bytes or PART_BYTES
    if text.isascii():
        return [text[start : start + max_bytes] for start in range(0, len(text), max_bytes)] or [""]
    raw, start, parts = text.encode(), 0, []
    while start < len(raw):
        end = start + max_bytes
        while end < len(raw) and raw[end] & 0xC0 == 0x80:  # a byte that continues a character
            end -= 1
        parts.append(raw[start:end].decode())
        start = end
    return parts
