"""Batches answers that arrive together: while one batch is being written, the next one collects.

Each caller gets the state as read after its own put. A single answer is written at once, without waiting for more.
"""

from __future__ import annotations

import threading

from foundation.acts.storage import table
from foundation.store.parallel import copy_of
from foundation.store.table import Item, Key

BATCH_ITEMS = 25  # limit of the store for one batch write


class AnswerBatch:
    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}
        self.looks: set[Key] = set()
        self.done = threading.Event()
        self.seen: dict[Key, Item] = {}
        self.error: BaseException | None = None

    def add(self, item: Item, look: Key) -> None:
        self.items[Key(item["PK"], item["SK"])] = item
        self.looks.add(look)

    @property
    def is_full(self) -> bool:
        return len(self.items) >= BATCH_ITEMS

    def carry_out(self) -> None:
        try:
            table().put_all(list(self.items.values()))
            self.seen = table().get_many(self.looks)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.done.set()


class AnswerBatches:
    def __init__(self) -> None:
        self._turn = threading.Lock()  # held while a batch is being written
        self._gathering = threading.Lock()
        self._next: AnswerBatch | None = None

    def put_then_look(self, item: Item, look: Key) -> Item | None:
        """Put an item, then return the item at another key as read afterwards."""
        with self._gathering:
            opens = self._next is None or self._next.is_full
            if opens:
                self._next = AnswerBatch()
            batch = self._next
            assert batch is not None
            batch.add(item, look)
        if opens:
            self._write(batch)
        else:
            batch.done.wait()
        if batch.error is not None:
            raise copy_of(batch.error)
        return batch.seen.get(look)

    def _write(self, batch: AnswerBatch) -> None:
        """The thread that opened the batch writes it after the previous one; until then others may join."""
        with self._turn:
            with self._gathering:
                if self._next is batch:
                    self._next = None
            batch.carry_out()


BATCHES = AnswerBatches()
