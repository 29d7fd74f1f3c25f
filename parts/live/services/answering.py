"""Submitting an answer: write first, then read the state, so that no answer is confirmed and then not counted.

An answer written before the state was read as open is included when the round is closed, because closing marks the
state first. If the state is already closed, the list of receipts that were counted says whether the answer counts.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from enum import StrEnum
from typing import Any

from foundation.acts.retry import SingleFlight
from foundation.acts.storage import SITE, table
from foundation.ranking.codes import new_code
from foundation.store import keys
from foundation.store.parallel import copy_of
from foundation.store.table import Item, Key

from .. import repository
from ..rounds import GivenAnswer, device_hash, pseudonym
from ..rules import Game, Phase, State
from ..seats import Seat
from . import closing


class AnswerStatus(StrEnum):
    """Outcome of submitting an answer or vote."""

    COUNTED = "counted"
    LATE = "late"  # not counted
    NOT_OPEN = "not open"  # nothing is asked, or something else by now


RECEIPT_READS: SingleFlight[list[str] | None] = SingleFlight()
RECEIPT_GROUPS = 3  # sixty random bits, so that receipts of a session do not collide


def new_receipt() -> str:
    """Random, so that the order of anonymous answers reveals nothing; nobody is shown it."""
    return new_code(RECEIPT_GROUPS)


def submit(game: Game, state: State, seat: Seat, value: Any, at: int, salt: bytes | None = None) -> AnswerStatus:
    """Store a validated answer or vote in the open phase.

    `at` is when the request came in, and the state must have been read after that. `salt` is that of the round, if
    already read.
    """
    if not state.is_open or not seat.plays:
        return AnswerStatus.NOT_OPEN
    if not state.clock.takes(at, seat.percent):
        return AnswerStatus.LATE
    salt = _salt(game, state, salt)
    if state.secret and salt is None:
        return AnswerStatus.LATE  # it has just been sealed
    given = GivenAnswer(pseudonym(salt, seat.player), value, at, new_receipt(), device_hash(salt, seat.secret))
    key = keys.live_vote if state.phase == Phase.VOTING else keys.live_answer
    item = repository.given_item(game, key(game.id, state.round, given.player, given.at), given)
    state_item = BATCHES.put_then_look(item, keys.game_state(game.id))
    if state_item is None:
        return AnswerStatus.LATE  # the session was removed in the meantime
    if (state_item["version"], state_item["closing"]) == (state.version, 0):
        return AnswerStatus.COUNTED
    return answer_status(game, state, repository.state_from_item(state_item), given.receipt)


def answer_status(game: Game, before: State, after: State, receipt: str) -> AnswerStatus:
    """Whether an answer counts that was written before the state `after` was read."""
    same = after.round == before.round and after.phase == before.phase
    if same and not after.closing:
        return AnswerStatus.COUNTED
    if same and not after.is_uncountable:
        closing.close(game, after, SITE)
    counted = RECEIPT_READS.run(
        (game.id, before.round, before.phase), lambda: repository.read_receipts(game.id, before.round, before.phase)
    )
    return AnswerStatus.COUNTED if counted is not None and receipt in counted else AnswerStatus.LATE


def own(game: Game, state: State, seat: Seat, salt: bytes | None = None) -> GivenAnswer | None:
    """A player's own answer in the open phase; `salt` is that of the round, if already read.

    After an anonymous round is sealed it can no longer be looked up.
    """
    if not state.is_open:
        return None
    salt = _salt(game, state, salt)
    if state.secret and salt is None:
        return None
    given = repository.own_answer(game.id, state, pseudonym(salt, seat.player))
    if given is None or given.device_hash == device_hash(salt, seat.secret):
        return given
    return replace(given, value=None, receipt="")  # another device has taken over the seat since


def answer_context(given: GivenAnswer | None) -> dict[str, Any]:
    """Context showing a player's own answer; in an anonymous round only to the device that gave it."""
    if given is None:
        return {}
    return {"answer": given.value} if given.receipt else {"is_elsewhere": True}


def _salt(game: Game, state: State, known: bytes | None) -> bytes | None:
    """Salt of the current round if it is anonymous; `None` once it is sealed."""
    return known or (repository.read_salt(game.id, state.round) if state.secret else None)


# --- batches ---

# Answers that arrive together are written together: while one batch is being written, the next one collects. Each
# caller gets the state as read after its own put. A single answer is written at once, without waiting for more.


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
