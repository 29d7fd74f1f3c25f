"""Caches the Q&A of a session in a process; reloads it when the counters of its item change.

Host decisions take effect at once. New questions may be delayed by a second if there are many, and upvotes are summed
at most every two seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from foundation.qa import store
from foundation.store.table import Item, Key
from parts.live import qa_store as repository
from parts.live.moderation import Texts
from parts.live.qa_rules import QaQuestion, QaSettings

MIN_THROTTLED_QUESTIONS = 100  # from here on new ones are delayed
THROTTLED_REFRESH_MS = 1_000  # between two reads of many questions, unless a host has acted
MAX_AGE_MS = 10_000  # after which they are reloaded whatever the counters say
UPVOTES_REFRESH_MS = 2_000  # between two sums of upvotes


class QaCache:
    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.qa = QaSettings()
        self.questions: tuple[QaQuestion, ...] = ()
        self.upvotes: Mapping[str, int] = {}
        self._read_for, self._read_at, self._summed_at = (-1, -1), 0, 0  # the counters when it was last read
        self._turn = threading.Lock()
        self.texts = Texts(game_id)
        self._decided_for = 0

    def look(self, item: Item | None, now: int) -> None:
        """Refreshes from the item just read; ignores one that is older than the last."""
        qa = repository.qa_from_item(item)
        if (qa.changes, qa.sent) >= (self.qa.changes, self.qa.sent):
            self.qa = qa
        self._read_what_was_decided()
        if self.qa.is_on:
            self._read_what_is_new(now)

    def _read_what_was_decided(self) -> None:
        """Blocks until host decisions are loaded, so that nothing hidden is shown afterwards."""
        qa = self.qa
        if (qa.texts, qa.words, qa.decided) == (self.texts.mode, self.texts.words, self._decided_for):
            return
        with self._turn:
            decided = repository.read_decisions(self.id) if qa.decided != self._decided_for else self.texts.decided
            self.texts, self._decided_for = Texts(self.id, qa.texts, qa.words, decided), qa.decided

    def _read_what_is_new(self, now: int) -> None:
        """One thread reads. The others wait for it if a host has acted, and otherwise use the cached questions."""
        if self._is_fresh(now) or not self._turn.acquire(blocking=self._read_for[0] != self.qa.changes):
            return
        try:
            if not self._is_fresh(now):
                self._read(now)
        finally:
            self._turn.release()

    def _is_fresh(self, now: int) -> bool:
        """The counter is incremented after the question is stored; if that fails, the maximum age catches it."""
        changes, sent = self._read_for
        age = now - self._read_at
        if changes != self.qa.changes or age >= MAX_AGE_MS:
            return False
        return sent == self.qa.sent or (len(self.questions) >= MIN_THROTTLED_QUESTIONS and age < THROTTLED_REFRESH_MS)

    def _read(self, now: int) -> None:
        numbers = (self.qa.changes, self.qa.sent)
        found = tuple(sorted(repository.read_questions(self.id), key=lambda each: (each.at, each.id)))
        if found != self.questions:
            self.questions = found
        self._read_for, self._read_at = numbers, now

    def sum_up(self, now: int, items: Mapping[Key, Item] | None = None) -> None:
        """Uses the sums in `items` if given; otherwise reads them, at a limited rate."""
        if items is None and now - self._summed_at < UPVOTES_REFRESH_MS:
            return
        self._summed_at = now
        found = store.read_upvotes(repository.board(self.id), items)
        if found != self.upvotes:
            self.upvotes = found
