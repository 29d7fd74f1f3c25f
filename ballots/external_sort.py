"""Sorts any number of lines of text: a limited number is held in memory, the others wait sorted in a file.

The file has no name, cannot be opened by anyone else, and disappears with its process, even if that is killed. Its
contents are masked by a stream made of a key that is only in memory. So not even the freed disk blocks reveal which
secret ballots were read one after another, which is in the order of their pseudonyms.
"""

from __future__ import annotations

import hashlib
import secrets
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import orjson

from foundation.store.splitting import by_count

Line = str  # a row of texts with a tab after each but the last, which none of the others has: so it sorts as the row
Block = list[Line]

MAX_LINES_IN_MEMORY = 150_000  # lines at once: with all that is around them some fifteen megabytes
STEP_LINES = 5_000  # lines that are read before others have their turn
BLOCK_LINES = 200  # lines that are read from the file together; while runs are merged, a block of each is held


class Sorter:
    """Takes lines in any order, and yields them sorted as often as needed."""

    def __init__(self, folder: Path):
        self._folder = folder  # on a disk: where temporary files usually lie may be memory
        self._held: list[Line] = []
        self._file: IO[bytes] | None = None
        self._runs: list[list[tuple[int, int]]] = []  # of each block of a run, where it begins and how long it is
        self._is_in_order, self._last = True, Line()
        self._key, self._written, self._spilled = secrets.token_bytes(32), 0, 0

    def add(self, lines: Iterable[Line]) -> None:
        left = iter(lines)
        while some := list(islice(left, MAX_LINES_IN_MEMORY - len(self._held))):
            self._held += some
            if len(self._held) >= MAX_LINES_IN_MEMORY:
                self._spill()

    def __len__(self) -> int:
        return self._spilled + len(self._held)

    def __iter__(self) -> Iterator[Line]:
        self._held.sort()
        runs = [*map(self._read, self._runs), iter([self._held] if self._held else [])]
        return chain.from_iterable(chain(*runs) if self._follows() else merge(runs))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._held, self._runs = [], []

    # --- the file ---

    def _spill(self) -> None:
        """Write the lines in memory to the file, as a sorted run."""
        self._held.sort()
        self._is_in_order, self._last = self._follows(), self._held[-1]
        self._runs.append([self._write(orjson.dumps(some)) for some in by_count(self._held, BLOCK_LINES)])
        self._spilled += len(self._held)
        self._held = []

    def _follows(self) -> bool:
        """Whether what is held, and all before it, has come in order: then there is nothing to merge."""
        return self._is_in_order and (not self._held or self._held[0] >= self._last)

    def _write(self, block: bytes) -> tuple[int, int]:
        if self._file is None:
            self._file = TemporaryFile(dir=self._folder)  # noqa: SIM115 - held as long as the lines
        at = self._written
        self._file.seek(at)
        self._file.write(self._mask(at, block))
        self._written += len(block)
        return at, len(block)

    def _read(self, run: list[tuple[int, int]]) -> Iterator[Block]:
        assert self._file is not None
        for at, size in run:
            self._file.seek(at)
            yield orjson.loads(self._mask(at, self._file.read(size)))

    def _mask(self, at: int, block: bytes) -> bytes:
        """XOR with the stream, so it also unmasks."""
        mask = hashlib.shake_256(self._key + at.to_bytes(8)).digest(len(block))
        return (int.from_bytes(block) ^ int.from_bytes(mask)).to_bytes(len(block))


class _Run:
    """Sorted blocks one after the other, and how far the one at hand was taken."""

    def __init__(self, blocks: Iterator[Block]):
        self._blocks, self._at = blocks, 0
        self.block: Block = []

    def is_left(self) -> bool:
        if self._at == len(self.block):
            self.block, self._at = next(self._blocks, []), 0
        return bool(self.block)

    def up_to(self, edge: Line) -> Block:
        """What is left of the block that is not beyond the edge."""
        start, self._at = self._at, bisect_right(self.block, edge, self._at)
        return self.block[start : self._at]


def merge(runs: Iterable[Iterator[Block]]) -> Iterator[Block]:
    """Merge sorted runs of blocks. The smallest last line of any block is the edge: nothing unread can come before it.
    What lies up to the edge is sorted, which is quick because it consists of a few sorted pieces."""
    left = list(map(_Run, runs))
    while left := [run for run in left if run.is_left()]:
        edge = min(run.block[-1] for run in left)
        yield sorted(chain.from_iterable([run.up_to(edge) for run in left]))
