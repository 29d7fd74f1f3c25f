"""Builds and caches snapshots of sessions.

A read takes one round trip: session, state, roster, Q&A, and what format and play need. Questions and sealed rounds
never change and are cached; seats and Q&A are reloaded when their counters change. As long as nothing has changed the
same snapshot object is returned, so that everything rendered from it is rendered once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from foundation.acts.storage import SITE, table
from foundation.store import keys
from foundation.store.table import Conflict, Item, Key, Unavailable
from parts.live import changes, clock, repository, seats
from parts.live.moderation import NOTHING_WRITTEN, Texts
from parts.live.play import PlayContext, play_at, play_of
from parts.live.rounds import Round, round_from_parts
from parts.live.rules import Game, Phase, State
from parts.live.seats import Seat
from parts.live.services import closing
from parts.live.snapshot import Attendance, Snapshot
from parts.questions.question import Question

from . import robots
from .caches import AnswerCount, QaCache, Reloaded
from .formats import SCREENS
from .robots import Robots

MAX_CACHED_ENTRIES = 250_000  # seats and entries cached per process, about 60 MB
MAX_CODE_REFUSAL_MS = 600_000  # maximum time for which codes are refused at an address
RECENT_MS = 1_000  # how long players share a snapshot while its state is the same
COMPLETE_MS = 2_000  # from the last answer to closing: a moment to see it, and to change it


# --- reading ---


def current(game_id: str, *, counts: bool = False) -> Snapshot | None:
    """The current session, after closing whatever is due; with `counts`, also the number of answers."""
    snapshot, _items = current_with(game_id)
    return with_answer_count(snapshot) if snapshot is not None and counts else snapshot


def current_with(game_id: str, *others: Key) -> tuple[Snapshot | None, dict[Key, Item]]:
    """The current session and some other items, in one round trip."""
    items = table().get_many([*keys_to_read(game_id), *others])
    return from_items(game_id, items), items


def recent_with(
    game_id: str, *others: Key, suffices: Callable[[State], bool] = lambda state: False
) -> tuple[Snapshot | None, dict[Key, Item]]:
    """As `current_with`, for what a whole hall asks at once: only the state is read, and as long as it is the same, the
    last snapshot is returned, up to a second old. Callers that read the state later anyway may accept that of the
    last snapshot through `suffices`, and then only the other items are read."""
    at, recent = keys.game_state(game_id), SESSIONS.of(game_id).recent(clock.now())
    if recent is None:
        return current_with(game_id, *others)
    snapshot, state_item = recent
    if suffices(snapshot.state):
        return snapshot, table().get_many(others)
    items = table().get_many([at, *others])
    if items.get(at) == state_item and not snapshot.state.is_over(clock.now()):
        return snapshot, items
    changed, read = current_with(game_id)
    return changed, items | read


def salt_key(game_id: str) -> Key | None:
    """The key of an anonymous round's salt, if that round was open in the last snapshot."""
    last = SESSIONS.last(game_id)
    is_salted = last is not None and last.state.is_open and last.state.secret
    return keys.game_salt(game_id, last.state.round) if last and is_salted else None


def with_answer_count(snapshot: Snapshot) -> Snapshot:
    """The same with the current number of answers."""
    return SESSIONS.of(snapshot.game.id).counted(snapshot)


def with_upvotes(snapshot: Snapshot, items: Mapping[Key, Item] | None = None) -> Snapshot:
    """The same with current upvotes; pass `items` if the sums have already been read."""
    return SESSIONS.of(snapshot.game.id).upvoted(snapshot, items) if snapshot.qa.is_on else snapshot


def keys_to_read(game_id: str) -> tuple[Key, ...]:
    """The keys that make up a snapshot, with those of the play that was on in the last one."""
    last = SESSIONS.last(game_id)
    play = play_at(last.state) if last else None
    return (
        *_session_keys(game_id),
        *(play.extra_keys(game_id, last.state) if last and play else ()),
        *(place for each in SCREENS.values() if (place := each.extra_key(game_id))),
    )


def _session_keys(game_id: str) -> tuple[Key, ...]:
    return keys.game(game_id), keys.game_state(game_id), keys.game_roster(game_id), keys.game_qa(game_id)


def from_items(game_id: str, items: Mapping[Key, Item]) -> Snapshot | None:
    """Builds a snapshot from items that were just read."""
    game_item, state_item, roster, qa = map(items.get, _session_keys(game_id))
    if game_item is None or state_item is None:
        SESSIONS.forget(game_id)
        return None
    game, kept = repository.game_from_item(game_item), SESSIONS.of(game_id)
    state = kept.settled(game, repository.state_from_item(state_item))
    changes = roster.get("changes", 0) if roster else 0
    place = SCREENS.of(game).extra_key(game_id)
    panel = items.get(place) if place else None
    snapshot = kept.snapshot(game, state, changes, items, qa, panel, seats.refused_at(roster))
    kept.remember(snapshot, state_item)
    return snapshot


# --- cache ---


class CachedSession:
    """What this process caches of one session. Threads may use it concurrently; each gets what matches the state it has
    read."""

    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.questions: tuple[Question, ...] = ()
        self.asked_in = 0  # version of the session when the questions were read
        self.rounds: Mapping[int, Round] = {}
        self.never_sealed: frozenset[int] = frozenset()  # rounds voided while they were open
        self.phase_data: tuple[int, Any] = (0, None)  # round, and its play's data between two phases
        self.seats: Reloaded[Mapping[str, Seat]] = Reloaded({}, self._read_seats)
        self.robots, self.has_robots = Robots(), False
        self.count = AnswerCount()
        self.board = QaCache(game_id)
        self.present = Attendance()
        self.last: Snapshot | None = None
        self._visible: tuple[Texts, frozenset[str], dict[int, Round]] = (NOTHING_WRITTEN, frozenset(), {})
        self._closing = threading.Lock()
        self._recent: tuple[int, Snapshot, Item] | None = None  # when, what, and its state's item

    def remember(self, snapshot: Snapshot, state_item: Item) -> None:
        self._recent = clock.now(), snapshot, state_item

    def recent(self, now: int) -> tuple[Snapshot, Item] | None:
        """A snapshot that need not be built again yet, and the item of its state."""
        known = self._recent
        return known[1:] if known and now - known[0] < RECENT_MS else None

    def invalidate(self) -> None:
        """Forces the next read to go to the store."""
        self._recent = None

    def settled(self, game: Game, state: State) -> State:
        """The state after closing what is due."""
        return self._closed(game, state) if state.is_over(clock.now()) else state

    def _closed(self, game: Game, state: State) -> State:
        """One thread of one process closes it, the others see it soon after.

        If the store accepts no writes, or during a pause, it stays open until a later read.
        """
        if state.is_uncountable or state.is_being_closed(clock.now()) or not self._closing.acquire(blocking=False):
            return state
        try:
            return closing.close(game, state, SITE)
        except (Conflict, Unavailable):
            return state
        finally:
            self._closing.release()

    @property
    def weight(self) -> int:
        entries = sum(len(each.entries) for each in self.rounds.values())
        return len(self.seats.found) + entries + len(self.board.questions) + 1

    def snapshot(
        self,
        game: Game,
        state: State,
        changes: int,
        items: Mapping[Key, Item],
        qa: Item | None = None,
        panel: Item | None = None,
        refused_at: int = 0,
    ) -> Snapshot:
        now = clock.now()
        self.board.look(qa, now)
        self._have_robots_join(game, state, changes, now)
        questions, seated, sealed = self._questions(game), self.seats.at(0, changes, now), self._rounds(state)
        removed = frozenset(each.player for each in seated.values() if each.removed)
        rounds = self._visible_rounds(game, questions, sealed, removed)
        context = PlayContext(self.id, state, items, self.board.texts, removed)
        phase_data, question = self._current(context, questions, rounds)
        snapshot = Snapshot(
            game=game if len(questions) == game.total_questions else replace(game, total_questions=len(questions)),
            state=state,
            questions=questions,
            seats=seated,
            rounds=rounds,
            as_sealed=sealed,
            texts=self.board.texts,
            question=question,
            phase_data=phase_data,
            present=self.present,
            answered=self.count.of(state),
            qa=self.board.qa,
            qa_questions=self.board.questions if self.board.qa.is_on else (),
            upvotes=self.board.upvotes if self.board.qa.is_on else {},
            panel_data=SCREENS.of(game).panel_data(panel, self.last.panel_data if self.last else None),
            codes_refused=now - refused_at < MAX_CODE_REFUSAL_MS,
            at=now,
        )
        if game.debug_mode:
            self.robots.play(snapshot, [each for each in snapshot.playing if each.robot])
        return self._deduplicated(snapshot)

    def _have_robots_join(self, game: Game, state: State, changes: int, now: int) -> None:
        if self.has_robots or not game.debug_mode or state.phase == Phase.ENDED:
            return
        try:
            if robots.seat_all(game, self.seats.at(0, changes, now)):
                self.seats.forget()
        except (Conflict, Unavailable):
            return
        self.has_robots = True

    def counted(self, snapshot: Snapshot) -> Snapshot:
        """With the number of answers. A timed question of a game is closed a moment after everybody has answered."""
        now = clock.now()
        self.count.look(snapshot, now)
        number = self.count.of(snapshot.state)
        if number != snapshot.answered:
            snapshot = self._deduplicated(replace(snapshot, answered=number))
        play, end = play_at(snapshot.state), snapshot.state.clock.end()
        closes_early = snapshot.is_complete and play is not None and play.is_scored and end is not None
        if closes_early and now - self.count.complete_at >= COMPLETE_MS:
            self._closed(snapshot.game, snapshot.state)
        return snapshot

    def upvoted(self, snapshot: Snapshot, items: Mapping[Key, Item] | None) -> Snapshot:
        self.board.sum_up(clock.now(), items)
        updated = replace(snapshot, upvotes=self.board.upvotes)
        return snapshot if updated == snapshot else self._deduplicated(updated)

    def _deduplicated(self, snapshot: Snapshot) -> Snapshot:
        last = self.last
        if last is not None and last == snapshot:
            return last
        if last is None or last.state.version <= snapshot.state.version:
            self.last = snapshot
            SESSIONS.weigh()
        return snapshot

    def _questions(self, game: Game) -> tuple[Question, ...]:
        """Reloaded when the session's version changes, since questions can be corrected."""
        if self.asked_in != game.version:
            self.questions, self.asked_in = repository.read_questions(self.id), game.version
        return self.questions

    def _rounds(self, state: State) -> Mapping[int, Round]:
        over = range(1, state.round + (not state.is_under_way))
        missing = [number for number in over if number not in self.rounds and number not in self.never_sealed]
        if missing:
            parts: dict[int, list[Item]] = {}
            for item in repository.round_items(self.id, missing[0] if len(missing) == 1 else None):
                parts.setdefault(int(item["SK"].split("#")[1]), []).append(item)
            found = {number: round_from_parts(some) for number, some in parts.items()}
            self.rounds = dict(sorted({**self.rounds, **found}.items()))
            self.never_sealed |= set(missing) - found.keys()  # those were voided while open, and never will exist
        rounds = self.rounds
        return rounds if not rounds or max(rounds) in over else {each: rounds[each] for each in rounds if each in over}

    def _visible_rounds(
        self,
        game: Game,
        questions: tuple[Question, ...],
        sealed: Mapping[int, Round],
        removed: frozenset[str],
    ) -> Mapping[int, Round]:
        """Rounds without hidden content; cached until what is hidden changes."""
        texts = self.board.texts
        if texts.are_all_seen and not removed:
            return sealed
        if self._visible[:2] != (texts, removed):
            self._visible = texts, removed, {}
        visible = self._visible[2]
        for number in sealed.keys() - visible.keys():
            play = play_of(game, questions[sealed[number].question])
            visible[number] = play.without_hidden(texts, sealed[number], removed)
        return {number: visible[number] for number in sealed}

    def _read_seats(self) -> Mapping[str, Seat]:
        return {each.player: each for each in seats.read_seats(self.id)}

    def _current(
        self, context: PlayContext, questions: tuple[Question, ...], rounds: Mapping[int, Round]
    ) -> tuple[Any, Question | None]:
        """The current play's data between two phases, and the question as screens show it."""
        state, play = context.state, play_at(context.state)
        if play is None:
            return None, None
        number, before = self.phase_data
        phase_data = play.phase_data(replace(context, before=before if number == state.round else None))
        self.phase_data = state.round, phase_data
        sealed = None if state.is_under_way else rounds.get(state.round)
        return phase_data, play.displayed_question(questions[state.question], phase_data, sealed, context)


class SessionCache:
    """All cached sessions of this process; evicts the least recently used first."""

    def __init__(self, most: int = MAX_CACHED_ENTRIES) -> None:
        self.most = most
        self._turn, self._sessions = threading.Lock(), OrderedDict[str, CachedSession]()

    def of(self, game_id: str) -> CachedSession:
        with self._turn:
            if game_id not in self._sessions:
                self._sessions[game_id] = CachedSession(game_id)
            self._sessions.move_to_end(game_id)
            return self._sessions[game_id]

    def last(self, game_id: str) -> Snapshot | None:
        with self._turn:
            return self._sessions[game_id].last if game_id in self._sessions else None

    def forget(self, game_id: str) -> None:
        with self._turn:
            self._sessions.pop(game_id, None)

    def invalidate(self, game_id: str) -> None:
        with self._turn:
            if game_id in self._sessions:
                self._sessions[game_id].invalidate()

    def weigh(self) -> None:
        with self._turn:
            weight = sum(each.weight for each in self._sessions.values())
            while weight > self.most and len(self._sessions) > 1:
                weight -= self._sessions.popitem(last=False)[1].weight


SESSIONS = SessionCache()
changes.subscribe(SESSIONS.invalidate)


def set_attendance(game_id: str, present: Attendance) -> None:
    """Stores attendance for later snapshots."""
    SESSIONS.of(game_id).present = present
