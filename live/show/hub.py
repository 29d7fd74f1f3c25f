"""Those who listen in this process, and the thread that tells them what has changed in their sessions.

It runs only while somebody listens. Twice a second it looks at all their sessions in one round trip, and at once at one
that this process has moved; at the end of a question it closes it. Processes and machines need nothing from each other:
all of them look. What is the same for many is made once; who is slow, is the server's to deal with (`pages.streams`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from django.conf import settings
from django.utils import translation

from acts.storage import table
from live import clock, waking
from live.qa import showing
from live.room import Room
from live.seats import Seat
from pages.streams import Listener, send_all
from store.splitting import by_count
from store.table import StoreError

from . import fragments, rooms, screens
from .fragments import ELSEWHERE, GONE, LAST, Said
from .presence import PRESENCE
from .screens import HOSTING, OF_QA, SEATED, Role

REFRESH_SECONDS = 0.5
MAX_STREAMS_PER_SEAT = 2  # of each kind of page: a device that was just left, and the one that is used
# of all connections of a process, for the streams of one address: a quarter is left for the others
MAX_ADDRESS_SHARE = 0.6
BATCH_PLAYERS = 50  # players who are told at once what is theirs alone
COUNTING = (Role.HOST, Role.REMOTE, Role.SCREEN)  # who is shown how many have answered

_LOG = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Ear:
    """Somebody who listens, and what they have heard."""

    listener: Listener
    role: Role
    language: str
    address: str = ""
    player: str = ""
    device: str = ""
    seat: int = 0  # the version of the seat that they were shown
    own: str = ""  # a mark of what they were last told of their own
    version: int = 0  # of the newest state they were told of
    heard: dict[str, str] = field(default_factory=dict)  # the key of what they were last told of each kind

    def hears(self, said: Iterable[Said]) -> tuple[Said, ...]:
        """Of what could be said that which is new to them; from now on it is not."""
        new = tuple(each for each in said if self.heard.get(each.name) != each.key)
        self.heard.update((each.name, each.key) for each in new)
        return new


class Hub:
    def __init__(self, ticking: Callable[[], float] = time.monotonic, *, alone: bool = False):
        self.ticking = ticking
        self.alone = alone  # without a thread: somebody ticks by hand
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext  # each look
        self.meter: Callable[[str, int], None] = lambda kind, amount: None  # for whoever keeps figures
        self._ears: dict[str, dict[Ear, None]] = {}  # of each session, the oldest first
        self._addresses: Counter[str] = Counter()  # how many listen from where
        self._woken: set[str] = set()
        self._due: dict[str, int] = {}  # when something has to be closed
        self._told: dict[str, Room] = {}  # what all who listen were told of, but those who are new
        self._new: dict[str, set[Ear]] = {}
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    # --- who listens ---

    def join(self, room: Room, ear: Ear) -> None:
        """From now on they hear of all that is not as in this room, which they were shown."""
        if ear.role in HOSTING:
            PRESENCE.saw_host(room.game.id)
        for oldest in self._too_many(room.game.id, ear):
            oldest.listener.close()
            self.leave(room.game.id, oldest.listener)
        with self._change:
            self._addresses[ear.address] += 1
            self._ears.setdefault(room.game.id, {})[ear] = None
            self._new.setdefault(room.game.id, set()).add(ear)
            if self._told.get(room.game.id, room) is not room:
                self._woken.add(room.game.id)
                self._change.notify_all()
            self._start()

    def has_room_for(self, address: str) -> bool:
        """Whether somebody there may listen, too: one address has its share of the streams, and no more."""
        return self._addresses[address] < MAX_ADDRESS_SHARE * settings.WEB_CONNECTIONS

    def _too_many(self, game_id: str, ear: Ear) -> list[Ear]:
        """The oldest streams of a seat that opens another one than it needs."""
        if not ear.player:
            return []
        own = [each for each in self._all(game_id) if (each.player, each.role) == (ear.player, ear.role)]
        return own[: max(0, len(own) + 1 - MAX_STREAMS_PER_SEAT)]

    def leave(self, game_id: str, listener: Listener) -> None:
        with self._change:
            ears = self._ears.get(game_id, {})
            for gone in [each for each in ears if each.listener is listener]:
                del ears[gone]
                self._addresses[gone.address] -= 1
                if not self._addresses[gone.address]:
                    del self._addresses[gone.address]
            if not ears:
                for kept in (self._ears, self._due, self._told, self._new):
                    kept.pop(game_id, None)
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
            all_of_them = self.ticking() - looked >= REFRESH_SECONDS
            if all_of_them:
                looked = self.ticking()
            self.tick(only_woken=not all_of_them)

    def _waits(self, looked: float) -> bool:
        """Until it is time to look again; false if nobody listens any more."""
        with self._change:
            while self._ears:
                left = min(looked + REFRESH_SECONDS - self.ticking(), self._until_due())
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
        with _shield("Live sessions could not be looked at."), self.around():
            self._look(sorted(ids))

    def _look(self, ids: Collection[str]) -> None:
        items = table().get_many(place for game_id in ids for place in rooms.places(game_id)) if ids else {}
        self.meter("looks", len(ids))
        seen = []
        for game_id in ids:
            with _shield("A live session could not be shown."), translation.override(self._language(game_id)):
                room = rooms.of_items(game_id, items)
                self._see(game_id, room)
                seen.append(room)
        for room in filter(None, seen):  # what takes more round trips comes after all were told
            with _shield("A live session could not be looked at more closely."):
                self._look_closely(room)

    def _language(self, game_id: str) -> str:
        """That of whoever hosts the session."""
        return next((each.language for each in self._all(game_id) if each.role in HOSTING), settings.LANGUAGE_CODE)

    def _see(self, game_id: str, room: Room | None) -> None:
        if room is None:
            self._dismiss(game_id, self._all(game_id), GONE)
            return
        self._note_due(room)
        self._tell_all(room)

    def _look_closely(self, room: Room) -> None:
        """At how many have answered, how many want which question to be answered, and who is there."""
        ears = self._all(room.game.id)
        if any(each.role in COUNTING for each in ears):
            self._tell_all(room := rooms.counted(room))
        if any(each.role in OF_QA for each in ears):
            self._tell_all(room := rooms.upvoted(room))
        if any(each.role in HOSTING for each in ears):
            PRESENCE.saw_host(room.game.id)
        if ears:
            PRESENCE.look(room, {each.player for each in ears if each.player})

    def _all(self, game_id: str) -> list[Ear]:
        with self._change:
            return list(self._ears.get(game_id, ()))

    def _note_due(self, room: Room) -> None:
        end = room.state.clock.end(room.state.longest) if room.state.is_open else None
        at = end + clock.GRACE_MS + 1 if end is not None else 0
        with self._change:
            if at > clock.now() and room.game.id in self._ears:
                self._due[room.game.id] = at

    def _tell_all(self, room: Room) -> None:
        """First what is the same for all of a kind, then what is each player's own."""
        by_kind = self._behind(room)
        for (role, language), ears in by_kind.items():
            with _shield("A screen could not be made."), translation.override(language):
                self._tell_kind(room, role, ears)
        for (role, language), ears in by_kind.items():
            if role in SEATED:
                with _shield("What is a player's own could not be made."), translation.override(language):
                    self._tell_each(room, ears)

    def _behind(self, room: Room) -> dict[tuple[Role, str], list[Ear]]:
        """Who may not have heard of this room, by what they are shown; who has heard of a newer one needs no older."""
        with self._change:
            ears = self._ears.get(room.game.id, {}).keys()
            is_told = self._told.get(room.game.id) is room
            if ears:
                self._told[room.game.id] = room
            behind = self._new.pop(room.game.id, set()) & ears if is_told else ears
            found: dict[tuple[Role, str], list[Ear]] = {}
            for ear in behind:
                if ear.version <= room.state.version:
                    ear.version = room.state.version
                    found.setdefault((ear.role, ear.language), []).append(ear)
        return found

    def _tell_kind(self, room: Room, role: Role, ears: Iterable[Ear]) -> None:
        sayable: dict[int, list[Said]] = {}
        wholes: dict[tuple[Said, ...], bytes] = {}
        version, pairs = fragments.version(role, room), []
        for ear in ears:
            percent = room.seats[ear.player].percent if ear.player in room.seats else clock.DEFAULT_PERCENT
            if percent not in sayable:
                sayable[percent] = fragments.for_all(role, room, percent)
            if new := ear.hears(sayable[percent]):
                if new not in wholes:
                    wholes[new] = fragments.as_stream(version, new)
                pairs.append((ear.listener, wholes[new]))
        self._send(pairs)
        self.meter("made", len(wholes))

    def _send(self, pairs: Sequence[tuple[Listener, bytes]]) -> None:
        self.meter("sent", len(pairs))
        send_all(pairs)

    def _tell_each(self, room: Room, ears: Sequence[Ear]) -> None:
        for some in by_count(ears, BATCH_PLAYERS):
            told = ((ear, self._own(room, ear)) for ear in some)
            self._send([(ear.listener, data) for ear, data in told if data])

    def _own(self, room: Room, ear: Ear) -> bytes:
        """What a player alone is told, if it is news to them."""
        seat = room.seats.get(ear.player)
        if seat is None or seat.version < ear.seat:
            return b""  # the seats were read before: a later look knows
        if seat.device != ear.device or seat.removed:
            self._dismiss(room.game.id, [ear], GONE if seat.removed else ELSEWHERE)
            return b""
        mark = mark_of_mine(room, seat, ear.role)
        if ear.own == mark:
            return b""
        ear.own, ear.seat = mark, seat.version
        new = ear.hears([fragments.mine(room, seat, role=ear.role), *fragments.consent(ear.role, room, seat)])
        return fragments.as_stream(fragments.version(ear.role, room, seat), new)

    def _dismiss(self, game_id: str, ears: Iterable[Ear], last: Said) -> None:
        for ear in ears:
            ear.listener.send(fragments.as_stream(LAST, [last]))
            ear.listener.close()
            self.leave(game_id, ear.listener)


def mark_of_mine(room: Room, seat: Seat, role: Role = Role.PLAYER) -> str:
    """Another one if what a player alone sees may be another: it need not be made to find out."""
    if role == Role.QA:
        return screens.mine_key(room, seat, role)
    return f"{room.state.key}-{seat.version}{room.game.format.mark(room, seat.player)}{showing.texts_mark(room)}"


@contextmanager
def _shield(what: str) -> Iterator[None]:
    """One failure takes nothing else with it: the store in trouble, a template that is wrong."""
    try:
        yield
    except StoreError as error:
        _LOG.warning("%s %s", what, error)
    except Exception:
        _LOG.exception(what)


HUB = Hub()
waking.listen(HUB.wake)
