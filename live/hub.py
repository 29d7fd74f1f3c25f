"""Those who listen in this process, and the thread that tells them what has changed in their sessions.

It runs only while somebody listens. Twice a second it looks at all their sessions in one round trip, and at once at one
that this process has moved; at the end of a question it closes it. Processes and machines need nothing from each other:
all of them look. What is the same for many is made once; who is slow, is the server's to deal with (`pages.streams`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from django.conf import settings
from django.utils import translation

from acts.site import table
from pages.streams import Listener, send_all
from store.table import StoreError

from . import clock, fragments, rooms, waking
from .fragments import Said
from .presence import PRESENCE
from .rooms import Room
from .screens import Role
from .seats import Seat

LOOK_EVERY = 0.5  # seconds
A_HANDFUL = 50  # players who are told at once what is theirs alone
HOSTING = (Role.HOST, Role.REMOTE)
COUNTING = (Role.HOST, Role.REMOTE, Role.SCREEN)  # who is shown how many have answered

_LOG = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Ear:
    """Somebody who listens, and what they have heard."""

    listener: Listener
    role: Role
    language: str
    player: str = ""
    device: str = ""
    version: int = 0  # of the newest state they were told of
    heard: dict[str, object] = field(default_factory=dict)

    def hears(self, room: Room, said: Iterable[tuple[Said, object]]) -> list[Said]:
        """Of what could be said that which is new to them; from now on it is not."""
        new = [(each, mark) for each, mark in said if self.heard.get(each.name) != mark]
        self.heard.update((each.name, mark) for each, mark in new)
        self.version = room.state.version
        return [each for each, _mark in new]


class Hub:
    def __init__(self, ticking: Callable[[], float] = time.monotonic, *, alone: bool = False):
        self.ticking = ticking
        self.alone = alone  # without a thread: somebody ticks by hand
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext  # each look
        self._ears: dict[str, set[Ear]] = {}
        self._woken: set[str] = set()
        self._due: dict[str, int] = {}  # when something has to be closed
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    # --- who listens ---

    def join(self, room: Room, ear: Ear) -> None:
        """From now on they hear of all that is not as in this room, which they were shown."""
        if ear.role in HOSTING:
            PRESENCE.saw_host(room.game.id)
        with self._change:
            self._ears.setdefault(room.game.id, set()).add(ear)
            self._woken.add(room.game.id)
            self._start()

    def leave(self, game_id: str, listener: Listener) -> None:
        with self._change:
            ears = self._ears.get(game_id, set())
            ears -= {each for each in ears if each.listener is listener}
            if not ears:
                self._ears.pop(game_id, None)
                self._due.pop(game_id, None)
            self._change.notify_all()

    def listeners(self, game_id: str) -> int:
        return len(self._ears.get(game_id, ()))

    def wake(self, game_id: str) -> None:
        """The session has moved: look at once."""
        with self._change:
            if game_id in self._ears:
                self._woken.add(game_id)
                self._change.notify_all()

    # --- the thread ---

    def _start(self) -> None:
        """One that was started before a fork is not here."""
        if not self.alone and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._run, name="live hub", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        looked = self.ticking()
        while self._waits(looked):
            all_of_them = self.ticking() - looked >= LOOK_EVERY
            if all_of_them:
                looked = self.ticking()
            self.tick(only_woken=not all_of_them)

    def _waits(self, looked: float) -> bool:
        """Until it is time to look again; false if nobody listens any more."""
        with self._change:
            while self._ears:
                left = min(looked + LOOK_EVERY - self.ticking(), self._until_due())
                if left <= 0 or self._woken:
                    return True
                self._change.wait(left)
            self._thread = None
            return False

    def _until_due(self) -> float:
        """Seconds. What was due at the last look and could not be closed waits for the next one."""
        return (min(self._due.values(), default=2**62) - clock.now()) / 1000

    # --- looking and telling ---

    def tick(self, *, only_woken: bool = False) -> None:
        """One look at the sessions that somebody listens to, or only at those that have moved or are over."""
        with self._change:
            over = {each for each, at in self._due.items() if at <= clock.now()}
            ids = (self._woken | over) & self._ears.keys() if only_woken else set(self._ears)
            self._woken.clear()
            for game_id in over:
                del self._due[game_id]
        try:
            with self.around():
                self._look(sorted(ids))
        except StoreError as error:
            _LOG.warning("Live sessions could not be looked at: %s", error)
        except Exception:
            _LOG.exception("Live sessions could not be looked at.")

    def _look(self, ids: Collection[str]) -> None:
        items = table().get_many(place for game_id in ids for place in rooms.places(game_id)) if ids else {}
        for game_id in ids:
            try:
                self._see(game_id, rooms.of_items(game_id, items, counts=self._counts(game_id)))
            except StoreError as error:
                _LOG.warning("A live session could not be looked at: %s", error)
            except Exception:
                _LOG.exception("A live session could not be shown.")

    def _counts(self, game_id: str) -> bool:
        return any(each.role in COUNTING for each in self._all(game_id))

    def _see(self, game_id: str, room: Room | None) -> None:
        ears = self._all(game_id)
        if room is None:
            self._dismiss(game_id, ears, fragments.GONE)
            return
        self._note_due(room)
        self._tell_all(room, ears)
        if any(each.role in HOSTING for each in ears):
            PRESENCE.saw_host(game_id)
        PRESENCE.look(room, {each.player for each in ears if each.player})

    def _all(self, game_id: str) -> list[Ear]:
        with self._change:
            return list(self._ears.get(game_id, ()))

    def _note_due(self, room: Room) -> None:
        end = room.state.clock.end(room.state.longest) if room.state.is_open else None
        at = end + clock.GRACE + 1 if end is not None else 0
        with self._change:
            if at > clock.now() and room.game.id in self._ears:
                self._due[room.game.id] = at

    def _tell_all(self, room: Room, ears: Collection[Ear]) -> None:
        """First what is the same for all of a kind, then what is each player's own."""
        current = [each for each in ears if each.version <= room.state.version]
        by_kind: dict[tuple[Role, str], list[Ear]] = {}
        for ear in current:
            by_kind.setdefault((ear.role, ear.language), []).append(ear)
        for (role, language), some in by_kind.items():
            with translation.override(language):
                _shielded(room, lambda role=role, some=some: self._tell_kind(room, role, some))  # type: ignore[misc]
        for (role, language), some in by_kind.items():
            if role == Role.PLAYER:
                with translation.override(language):
                    _shielded(room, lambda some=some: self._tell_each(room, some))  # type: ignore[misc]

    def _tell_kind(self, room: Room, role: Role, ears: Iterable[Ear]) -> None:
        clocks: dict[int, Said] = {}
        wholes: dict[tuple[int, ...], bytes] = {}
        status, version, pairs = fragments.status(role, room), fragments.version(role, room), []
        for ear in ears:
            seat = room.seats.get(ear.player)
            percent = seat.percent if seat else 0
            if percent not in clocks:
                clocks[percent] = fragments.clock(room, seat)
            said = ear.hears(room, _sayable(room, role, ear, status, clocks[percent], percent))
            if said:
                key = tuple(map(id, said))
                if key not in wholes:
                    wholes[key] = fragments.as_stream(version, said)
                pairs.append((ear.listener, wholes[key]))
        send_all(pairs)

    def _tell_each(self, room: Room, ears: Iterable[Ear]) -> None:
        pairs = []
        for ear in ears:
            seat = room.seats.get(ear.player)
            if seat is None:
                continue  # seated a moment ago: the roster will tell
            if seat.device != ear.device:
                self._dismiss(room.game.id, [ear], fragments.ELSEWHERE)
            elif ear.heard.get("mine") != mark_of_mine(room, seat):
                pairs.append((ear.listener, _own(room, seat, ear)))
            if len(pairs) >= A_HANDFUL:
                send_all(pairs)
                pairs = []
        send_all(pairs)

    def _dismiss(self, game_id: str, ears: Iterable[Ear], last: Said) -> None:
        for ear in ears:
            ear.listener.send(fragments.as_stream("", [last]))
            ear.listener.close()
            self.leave(game_id, ear.listener)


def _sayable(room: Room, role: Role, ear: Ear, status: Said, time: Said, percent: int) -> Iterable[tuple[Said, object]]:
    """What somebody could be told, each with a mark by which it is known whether they were. The screen is not even made
    for those who have it."""
    if ear.heard.get("screen") != room.state.key:
        yield fragments.screen(role, room), room.state.key
    yield status, status.data
    yield time, (room.state.version, percent)


def mark_of_mine(room: Room, seat: Seat) -> object:
    """Another one if what a player alone sees is another; what they have answered themselves, they know."""
    return room.state.key, seat.version


def _own(room: Room, seat: Seat, ear: Ear) -> bytes:
    ear.heard["mine"] = mark_of_mine(room, seat)
    return fragments.as_stream(fragments.version(Role.PLAYER, room, seat), [fragments.mine(room, seat)])


def _shielded(room: Room, act: Callable[[], None]) -> None:
    """A screen that cannot be made takes no other with it."""
    try:
        act()
    except Exception:
        _LOG.exception("A screen of live session %s could not be made.", room.game.id)


HUB = Hub()
waking.listen(lambda game_id: HUB.wake(game_id))
