"""What a process caches of a session that changes while it runs: seats, the Q&A, and the number of answers.

Host decisions take effect at once. New seats and questions may be delayed by a second if there are many; upvotes and
answers are counted every second or two.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sized
from typing import Generic, TypeVar

from foundation.acts.storage import table
from foundation.qa import store
from foundation.store import keys, sharded_reads
from foundation.store.table import Item, Key
from parts.live import room_questions
from parts.live.moderation import QaQuestion, QaSettings, Texts
from parts.live.rules import Phase, State
from parts.live.snapshot import Snapshot

MIN_THROTTLED = 100  # seats or questions, from which on new ones are delayed
THROTTLED_REFRESH_MS = 1_000  # between two reads of many, unless a host has acted
MAX_AGE_MS = 10_000  # after which they are reloaded whatever the counters say
UPVOTES_REFRESH_MS = 2_000  # between two sums of upvotes
COUNT_REFRESH_MS = 1_000  # between two counts of answers

Many = TypeVar("Many", bound=Sized)


class Reloaded(Generic[Many]):
    """Seats or questions as last read; reloaded when a counter changes, by one thread at a time."""

    def __init__(self, empty: Many, read: Callable[[], Many]) -> None:
        self.found = empty
        self._read, self._turn = read, threading.Lock()
        self._read_for, self._read_at = (-1, -1), 0  # the counters when it was last read

    def at(self, decided: int, added: int, now: int) -> Many:
        """One thread reloads. The others wait for it if `decided` has changed, by which a host has acted, and otherwise
        use what is cached."""
        waits = self._read_for[0] != decided
        if self._is_fresh(decided, added, now) or not self._turn.acquire(blocking=waits):
            return self.found
        try:
            if not self._is_fresh(decided, added, now):
                found = self._read()
                if found != self.found:  # else it stays the same object, so that snapshots are the same
                    self.found = found
                self._read_for, self._read_at = (decided, added), now
        finally:
            self._turn.release()
        return self.found

    def _is_fresh(self, decided: int, added: int, now: int) -> bool:
        """A counter is incremented after the change is stored; if that fails, the maximum age catches it."""
        age = now - self._read_at
        if decided != self._read_for[0] or age >= MAX_AGE_MS:
            return False
        return added == self._read_for[1] or (len(self.found) >= MIN_THROTTLED and age < THROTTLED_REFRESH_MS)

    def forget(self) -> None:
        """Forces a reload on the next read."""
        self._read_at = 0


class QaCache:
    """The Q&A of a session, and what its hosts have decided about texts."""

    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.qa = QaSettings()
        self.upvotes: Mapping[str, int] = {}
        self.texts = Texts(game_id)
        self._questions: Reloaded[tuple[QaQuestion, ...]] = Reloaded((), self._read_questions)
        self._turn, self._decided_for, self._summed_at = threading.Lock(), 0, 0

    @property
    def questions(self) -> tuple[QaQuestion, ...]:
        return self._questions.found

    def look(self, item: Item | None, now: int) -> None:
        """Refreshes from the item just read, ignoring one that is older than the last. Blocks until host decisions are
        loaded, so that nothing hidden is shown afterwards."""
        qa = room_questions.qa_from_item(item)
        if (qa.changes, qa.sent) >= (self.qa.changes, self.qa.sent):
            self.qa = qa
        qa = self.qa
        if (qa.texts, qa.words, qa.decided) != (self.texts.mode, self.texts.words, self._decided_for):
            with self._turn:
                decided = (
                    room_questions.read_decisions(self.id) if qa.decided != self._decided_for else self.texts.decided
                )
                self.texts, self._decided_for = Texts(self.id, qa.texts, qa.words, decided), qa.decided
        if qa.is_on:
            self._questions.at(qa.changes, qa.sent, now)

    def _read_questions(self) -> tuple[QaQuestion, ...]:
        return tuple(sorted(room_questions.read_questions(self.id), key=lambda each: (each.at, each.id)))

    def sum_up(self, now: int, items: Mapping[Key, Item] | None = None) -> None:
        """Uses the sums in `items` if given; otherwise reads them, at a limited rate."""
        if items is None and now - self._summed_at < UPVOTES_REFRESH_MS:
            return
        self._summed_at = now
        found = store.read_upvotes(room_questions.board(self.id), items)
        if found != self.upvotes:
            self.upvotes = found


class AnswerCount:
    """How many have answered or voted in the open phase."""

    def __init__(self) -> None:
        self.phase: tuple[int, Phase] = (0, Phase.WAITING)
        self.number, self.read_at = 0, 0
        self.complete_at = 0  # when everybody was first found to have answered

    def of(self, state: State) -> int:
        return self.number if state.is_open and self.phase == (state.round, state.phase) else 0

    def look(self, snapshot: Snapshot, now: int) -> None:
        """At most once a second, because it reads the keys of all answers."""
        game_id, state = snapshot.game.id, snapshot.state
        phase = (state.round, state.phase)
        if not state.is_open or (self.phase == phase and now - self.read_at < COUNT_REFRESH_MS):
            return
        self.read_at = now
        shards = keys.live_votes if state.phase == Phase.VOTING else keys.live_answers
        given = {player for (player,) in sharded_reads.list_values(table(), shards(game_id, state.round), "player")}
        # in a secret round they are pseudonyms
        number = len(given) if state.secret else sum(each.player in given for each in snapshot.playing)
        since = self.complete_at if self.phase == phase else 0
        self.complete_at = (since or now) if 0 < len(snapshot.playing) <= number else 0
        self.phase, self.number = phase, number
