"""Pushes answers from phones to the projector, and every other change of a session to the pages that listen.

One thread runs while anybody listens. This is how an answer on a phone reaches the big screen.
Twice a second it reads all sessions with listeners in one round trip, and at once one that this process has changed;
it also closes questions whose time is up. Processes need nothing from each other: each polls the store. Fragments are
rendered once for all who see the same; slow clients are the server's concern (`foundation.pages.streams`).
"""

from __future__ import annotations

import logging
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.conf import settings
from django.utils import translation

from foundation.acts.storage import table
from foundation.pages.streams import Listener, send_all
from foundation.store.splitting import by_count
from foundation.store.table import StoreError
from parts.live import changes, clock
from parts.live.clock import DEFAULT_PERCENT
from parts.live.play import cached
from parts.live.screens import qa_display
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

from . import player_part, rendering, snapshots
from .formats import HOSTING, OF_QA, SCREENS, SEATED, Fragment, Role
from .presence import PRESENCE

REFRESH_SECONDS = 0.5
MAX_STREAMS_PER_SEAT = 2  # for each kind of page: the device in use, and one just left
# of a process's connections, for the streams of one address: a hall of 2,000 may share one, and the busier of two
# processes gets up to two thirds of them. An eighth of the streams is left for others
MAX_ADDRESS_SHARE = 0.7
BATCH_PLAYERS = 50  # players sent their own part in one batch
COUNTING = (Role.HOST, Role.REMOTE, Role.SCREEN)  # roles shown the number of answers

_LOG = logging.getLogger(__name__)


# --- events ---


@dataclass(frozen=True, slots=True)
class PushEvent:
    """An event for pages that stream or poll, rendered once per snapshot for all who are shown the same.

    | event | data | on the page |
    |---|---|---|
    | `screen` | `key`, `html` | replaces the screen if it has another key, so that a form in use stays |
    | `status` | `key`, `html` | the line that may change at any moment |
    | `clock` | `now`, `end`, `left`, `length`, `paused`, `starts` | by the server's clock |
    | `mine` | `key`, `html` | what one player alone sees |
    | `consent` | `key`, `html` | what a player is asked about their seat, if the format does |
    | `beside` | `key`, `html` | what the format shows beside |
    | `elsewhere` | | nothing more comes: another device has the seat |
    | `gone` | | nothing more comes: the session, or the seat in it, no longer exists |

    Each has a version as its id: the state's version, and a hash of the rest, so that pages never go back in time.
    """

    name: str
    key: str  # changes with the content
    data: bytes  # JSON


ELSEWHERE, GONE = PushEvent("elsewhere", "", b"{}"), PushEvent("gone", "", b"{}")  # no event follows these
LAST = "0"  # version of the last events


# --- rendered once per snapshot, in the active language ---


@dataclass(frozen=True, slots=True)
class SharedEvents:
    """What everybody in a role is shown, except the time."""

    events: tuple[PushEvent, ...]
    mark: int  # hash of their keys


def shared(role: Role, snapshot: Snapshot) -> SharedEvents:
    def events() -> SharedEvents:
        fragments = rendering.render_screen(role, snapshot), rendering.render_status(role, snapshot)
        panel = _optional("beside", rendering.render_panel(role, snapshot))
        found = (*map(_fragment_event, ("screen", "status"), fragments), *panel)
        return SharedEvents(found, zlib.crc32("".join(each.key for each in found).encode()))

    return cached(snapshot, "events", role, make=events)


# --- rendered each time ---


def clock_event(snapshot: Snapshot, percent: int = DEFAULT_PERCENT) -> PushEvent:
    """Current time, from which a page learns the server's clock."""
    data = orjson.dumps(rendering.clock_context(snapshot, percent))
    return PushEvent("clock", f"{snapshot.state.version}-{percent}", data)


def mine(snapshot: Snapshot, seat: Seat, role: Role = Role.PLAYER, **own: Any) -> PushEvent:
    if role == Role.QA:
        return _fragment_event("mine", qa_display.render_own_questions(snapshot, seat))
    return _fragment_event("mine", player_part.render_own(snapshot, seat, **own))


def consent(role: Role, snapshot: Snapshot, seat: Seat) -> list[PushEvent]:
    """What the player is asked about their seat."""
    return _optional("consent", SCREENS.of(snapshot.game).consent(snapshot, seat)) if role == Role.PLAYER else []


def _optional(name: str, fragment: Fragment | None) -> list[PushEvent]:
    return [_fragment_event(name, fragment)] if fragment else []


def _fragment_event(name: str, fragment: Fragment) -> PushEvent:
    return PushEvent(name, fragment.key, orjson.dumps({"key": fragment.key, "html": fragment.html}))


# --- encoding ---


def for_all(role: Role, snapshot: Snapshot, percent: int = DEFAULT_PERCENT) -> list[PushEvent]:
    """What everybody in a role is shown."""
    return [*shared(role, snapshot).events, clock_event(snapshot, percent)]


def page_version(role: Role, snapshot: Snapshot, seat: Seat | None = None) -> str:
    """Changes whenever any of the events changes."""
    own = player_part.own_key(snapshot, seat, role) if seat and role == Role.QA else ""
    mark = zlib.crc32(own.encode(), shared(role, snapshot).mark)
    return f"{snapshot.state.version}-{mark:x}-{seat.version if seat else 0}"


def as_stream(version: str, events: Iterable[PushEvent]) -> bytes:
    head = version.encode()
    return b"".join(b"id: %b\nevent: %b\ndata: %b\n\n" % (head, each.name.encode(), each.data) for each in events)


def as_json(version: str, events: Iterable[PushEvent]) -> bytes:
    """The same events for a page that polls."""
    encoded = b",".join(b'["%b",%b]' % (each.name.encode(), each.data) for each in events)
    return b'{"version":%b,"said":[%b]}' % (orjson.dumps(version), encoded)


# --- listeners ---


@dataclass(eq=False, slots=True)
class Subscriber:
    """A listener, and what has been sent to it."""

    listener: Listener
    role: Role
    language: str
    address: str = ""
    player: str = ""
    device: str = ""
    seat: int = 0  # version of the seat last shown
    own: str = ""  # version of the player's own part last sent
    version: int = 0  # of the newest state sent
    sent: dict[str, str] = field(default_factory=dict)  # key last sent for each kind of event

    def accepts(self, events: Iterable[PushEvent]) -> tuple[PushEvent, ...]:
        """Returns the events that are new to this listener, and marks them as sent."""
        new = tuple(each for each in events if self.sent.get(each.name) != each.key)
        self.sent.update((each.name, each.key) for each in new)
        return new


class Broadcaster:
    def __init__(self, ticking: Callable[[], float] = time.monotonic, *, alone: bool = False):
        self.ticking = ticking
        self.alone = alone  # no thread: tests tick by hand
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext  # wraps each tick
        self._subscribers: dict[str, dict[Subscriber, None]] = {}  # by session, oldest first
        self._addresses: Counter[str] = Counter()  # listeners by address
        self._woken: set[str] = set()
        self._deadlines: dict[str, int] = {}  # when something has to be closed, by session
        self._shown: dict[str, Snapshot] = {}  # snapshot sent to all listeners except new ones
        self._new: dict[str, set[Subscriber]] = {}
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    # --- listeners ---

    def join(self, snapshot: Snapshot, subscriber: Subscriber) -> None:
        """Subscribes a listener to everything that differs from this snapshot, which it has been shown."""
        if subscriber.role in HOSTING:
            PRESENCE.saw_host(snapshot.game.id)
        if subscriber.player:  # a seat's oldest streams are closed when it opens more than it may have
            whose = subscriber.player, subscriber.role
            own = [each for each in self._all(snapshot.game.id) if (each.player, each.role) == whose]
            for oldest in own[: max(0, len(own) + 1 - MAX_STREAMS_PER_SEAT)]:
                oldest.listener.close()
                self.leave(snapshot.game.id, oldest.listener)
        with self._change:
            self._addresses[subscriber.address] += 1
            self._subscribers.setdefault(snapshot.game.id, {})[subscriber] = None
            self._new.setdefault(snapshot.game.id, set()).add(subscriber)
            if self._shown.get(snapshot.game.id, snapshot) is not snapshot:
                self._woken.add(snapshot.game.id)
                self._change.notify_all()
            if not self.alone and (self._thread is None or not self._thread.is_alive()):  # none survives a fork
                self._thread = threading.Thread(target=self._run, name="live hub", daemon=True)
                self._thread.start()

    def has_room_for(self, address: str) -> bool:
        """Whether an address may open another stream; each has a limited share, so that others can connect too."""
        return self._addresses[address] < MAX_ADDRESS_SHARE * settings.WEB_CONNECTIONS

    def leave(self, game_id: str, listener: Listener) -> None:
        with self._change:
            subscribers = self._subscribers.get(game_id, {})
            for gone in [each for each in subscribers if each.listener is listener]:
                del subscribers[gone]
                self._addresses[gone.address] -= 1
                if not self._addresses[gone.address]:
                    del self._addresses[gone.address]
            if not subscribers:
                for by_session in (self._subscribers, self._deadlines, self._shown, self._new):
                    by_session.pop(game_id, None)
            self._change.notify_all()

    def listeners(self, game_id: str) -> int:
        return len(self._subscribers.get(game_id, ()))

    def wake(self, game_id: str) -> None:
        """Refreshes a session at once, because it has changed."""
        with self._change:
            if game_id in self._subscribers:
                self._woken.add(game_id)
                self._change.notify_all()

    # --- the thread ---

    def _run(self) -> None:
        refreshed_at = self.ticking()
        while self._wait(refreshed_at):
            all_are_due = self.ticking() - refreshed_at >= REFRESH_SECONDS
            if all_are_due:
                refreshed_at = self.ticking()
            self.tick(only_woken=not all_are_due)

    def _wait(self, refreshed_at: float) -> bool:
        """Sleeps until the next tick; false if there are no listeners left."""
        with self._change:
            while self._subscribers:
                left = min(refreshed_at + REFRESH_SECONDS - self.ticking(), self._until_deadline())
                if left <= 0 or self._woken:
                    return True
                self._change.wait(left)
            self._thread = None
            return False

    def _until_deadline(self) -> float:
        """Seconds until something has to be closed; what failed to close waits for the next tick."""
        return (min(self._deadlines.values(), default=2**62) - clock.now()) / 1000

    # --- refreshing and sending ---

    def tick(self, *, only_woken: bool = False) -> None:
        """Refreshes all sessions that have listeners, or only those that have changed or have a deadline to enforce."""
        with self._change:
            over = {each for each, at in self._deadlines.items() if at <= clock.now()}
            ids = (self._woken | over) & self._subscribers.keys() if only_woken else set(self._subscribers)
            self._woken.clear()
            for game_id in over:
                del self._deadlines[game_id]
        with _log_failures("Live sessions could not be refreshed_at at."), self.around():
            self._refresh(sorted(ids))

    def _refresh(self, ids: Collection[str]) -> None:
        items = table().get_many(place for game_id in ids for place in snapshots.keys_to_read(game_id)) if ids else {}
        refreshed: list[Snapshot] = []
        for game_id in ids:
            with _log_failures("A live session could not be shown."), translation.override(self._language(game_id)):
                snapshot = snapshots.from_items(game_id, items)
                if snapshot is None:
                    self._dismiss(game_id, self._all(game_id), GONE)
                    continue
                self._note_deadline(snapshot)
                self._send_all(snapshot)
                refreshed.append(snapshot)
        for snapshot in refreshed:  # further round trips come after all have been sent the change
            with _log_failures("A live session could not be refreshed_at at more closely."):
                self._refresh_counts(snapshot)

    def _language(self, game_id: str) -> str:
        """The host's language."""
        return next((each.language for each in self._all(game_id) if each.role in HOSTING), settings.LANGUAGE_CODE)

    def _refresh_counts(self, snapshot: Snapshot) -> None:
        """Reads what takes more round trips: the number of answers, upvotes, and who is present."""
        subscribers = self._all(snapshot.game.id)
        if any(each.role in COUNTING for each in subscribers):
            self._send_all(snapshot := snapshots.with_answer_count(snapshot))
        if any(each.role in OF_QA for each in subscribers):
            self._send_all(snapshot := snapshots.with_upvotes(snapshot))
        if any(each.role in HOSTING for each in subscribers):
            PRESENCE.saw_host(snapshot.game.id)
        if subscribers:
            PRESENCE.look(snapshot, {each.player for each in subscribers if each.player})

    def _all(self, game_id: str) -> list[Subscriber]:
        with self._change:
            return list(self._subscribers.get(game_id, ()))

    def _note_deadline(self, snapshot: Snapshot) -> None:
        end = snapshot.state.clock.end(snapshot.state.longest) if snapshot.state.is_open else None
        at = end + clock.GRACE_MS + 1 if end is not None else 0
        with self._change:
            if at > clock.now() and snapshot.game.id in self._subscribers:
                self._deadlines[snapshot.game.id] = at

    def _send_all(self, snapshot: Snapshot) -> None:
        """Sends first what is shared by everybody in a role, then each player's own part."""
        by_kind = self._behind(snapshot)
        for (role, language), subscribers in by_kind.items():
            with _log_failures("A screen could not be made."), translation.override(language):
                self._send_shared(snapshot, role, subscribers)
        for (role, language), subscribers in by_kind.items():
            if role in SEATED:
                with _log_failures("What is a player's own could not be made."), translation.override(language):
                    self._send_own(snapshot, subscribers)

    def _behind(self, snapshot: Snapshot) -> dict[tuple[Role, str], list[Subscriber]]:
        """Listeners who may not have this snapshot yet, by role and language; never sends older state after newer."""
        with self._change:
            subscribers = self._subscribers.get(snapshot.game.id, {}).keys()
            is_shown = self._shown.get(snapshot.game.id) is snapshot
            if subscribers:
                self._shown[snapshot.game.id] = snapshot
            behind = self._new.pop(snapshot.game.id, set()) & subscribers if is_shown else subscribers
            found: dict[tuple[Role, str], list[Subscriber]] = {}
            for subscriber in behind:
                if subscriber.version <= snapshot.state.version:
                    subscriber.version = snapshot.state.version
                    found.setdefault((subscriber.role, subscriber.language), []).append(subscriber)
        return found

    def _send_shared(self, snapshot: Snapshot, role: Role, subscribers: Iterable[Subscriber]) -> None:
        events: dict[int, list[PushEvent]] = {}  # by the percentage of the usual time
        encoded: dict[tuple[PushEvent, ...], bytes] = {}
        version, pairs = page_version(role, snapshot), []
        for subscriber in subscribers:
            percent = (
                snapshot.seats[subscriber.player].percent
                if subscriber.player in snapshot.seats
                else clock.DEFAULT_PERCENT
            )
            if percent not in events:
                events[percent] = for_all(role, snapshot, percent)
            if new := subscriber.accepts(events[percent]):
                if new not in encoded:
                    encoded[new] = as_stream(version, new)
                pairs.append((subscriber.listener, encoded[new]))
        send_all(pairs)

    def _send_own(self, snapshot: Snapshot, subscribers: Sequence[Subscriber]) -> None:
        for some in by_count(subscribers, BATCH_PLAYERS):
            parts = ((subscriber, self._own(snapshot, subscriber)) for subscriber in some)
            send_all([(subscriber.listener, data) for subscriber, data in parts if data])

    def _own(self, snapshot: Snapshot, subscriber: Subscriber) -> bytes:
        """A player's own part, if it has changed."""
        seat = snapshot.seats.get(subscriber.player)
        if seat is None or seat.version < subscriber.seat:
            return b""  # the seats are older than this listener: a later tick will see it
        if seat.device != subscriber.device or seat.removed:
            self._dismiss(snapshot.game.id, [subscriber], GONE if seat.removed else ELSEWHERE)
            return b""
        mark = player_part.own_version(snapshot, seat, subscriber.role)
        if subscriber.own == mark:
            return b""
        subscriber.own, subscriber.seat = mark, seat.version
        new = subscriber.accepts(
            [
                mine(snapshot, seat, role=subscriber.role),
                *consent(subscriber.role, snapshot, seat),
            ]
        )
        return as_stream(page_version(subscriber.role, snapshot, seat), new)

    def _dismiss(self, game_id: str, subscribers: Iterable[Subscriber], last: PushEvent) -> None:
        for subscriber in subscribers:
            subscriber.listener.send(as_stream(LAST, [last]))
            subscriber.listener.close()
            self.leave(game_id, subscriber.listener)


@contextmanager
def _log_failures(what: str) -> Iterator[None]:
    """Contains failures, such as a store outage or a broken template, so that they do not affect other listeners."""
    try:
        yield
    except StoreError as error:
        _LOG.warning("%s %s", what, error)
    except Exception:
        _LOG.exception(what)


BROADCASTER = Broadcaster()
changes.subscribe(BROADCASTER.wake)
