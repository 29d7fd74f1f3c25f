"""What screens show of a room's questions: which, in which order, and to whom what is their own.

Of everybody whom the host has removed no question is seen; should they be readmitted, theirs are there again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from live import room_questions as rules
from live.moderation import Written
from live.play import play_at, play_of
from live.room import Room
from live.room_questions import Asked, Fate, mark_of
from live.rules import Phase
from live.seats import Seat

MAX_QUESTIONS_SHOWN = 100  # questions in one list, the best; the rest is in the report

T = TypeVar("T")

FATES: dict[Fate, str | Promise] = {
    Fate.WAITING: _("It waits for the host."),
    Fate.SHOWN: _("Everybody sees it."),
    Fate.ANSWERED: _("It is answered."),
    Fate.HIDDEN: _("The host has hidden it."),
}
HELD = _("A word in it is on the host's list. It waits for the host.")
SENT: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Your question is sent. The host looks at it first; below you see what becomes of it."),
    Fate.SHOWN: _("Your question is sent, and everybody sees it."),
    Fate.ANSWERED: _("You have sent this question before, and it is answered."),
    Fate.HIDDEN: _("You have sent this question before, and the host has hidden it."),
}
SENT_HELD = _("Your question is sent. A word in it is on the host's list, so that the host looks at it first.")


def fate_words(asked: Asked) -> str | Promise:
    return HELD if asked.held and asked.fate == Fate.WAITING else FATES[asked.fate]


def sent_words(asked: Asked) -> str | Promise:
    return SENT_HELD if asked.held and asked.fate == Fate.WAITING else SENT[asked.fate]


def _once(room: Room, what: str, make: Callable[[], T]) -> T:
    """What is made of a room once, for all who are shown it."""
    if what not in room.made:
        room.made[what] = make()
    made: T = room.made[what]
    return made


# --- which ---


def _removed(room: Room) -> frozenset[str]:
    """The marks of those whom the host has removed."""
    gone = (each.player for each in room.seats.values() if each.removed)
    return _once(room, "qa removed", lambda: frozenset(mark_of(room.game.id, player) for player in gone))


def is_of_removed(room: Room, asked: Asked) -> bool:
    return asked.author in _removed(room)


def seen(room: Room) -> list[Asked]:
    """What everybody sees, in the order in which they see it."""

    def found() -> list[Asked]:
        some = (each for each in room.asked if each.is_seen and not is_of_removed(room, each))
        return rules.open_first(some, room.upvotes)

    return _once(room, "qa seen", found)


def unanswered(room: Room) -> int:
    return sum(each.fate == Fate.SHOWN for each in seen(room))


def waiting(room: Room) -> int:
    """How many the host has to look at."""
    return sum(each.fate == Fate.WAITING and not is_of_removed(room, each) for each in room.asked)


def on_screen(room: Room) -> Asked | None:
    """The question that the big screen shows."""
    up = room.qa.on_screen if room.qa.is_on else ""
    return next((each for each in seen(room) if each.id == up), None) if up else None


def takes(room: Room) -> bool:
    """Whether questions can be sent and upvoted."""
    return room.qa.is_on and room.state.phase != Phase.ENDED


def name_of(room: Room, asked: Asked) -> str:
    """Where everybody sees who asks, and it was so when the question was sent."""
    seat = room.seats.get(asked.player) if room.qa.named and asked.player else None
    return seat.name if seat else ""


# --- what people wrote in rounds ---


def has_texts(room: Room) -> bool:
    """Whether the screen at hand may show what people wrote."""
    play = play_at(room.state)
    return play is not None and play.has_texts and room.state.phase in (Phase.VOTING, Phase.RESULTS)


def texts_mark(room: Room) -> str:
    """For keys: another one if what is seen of it may be another. Nothing, as long as all of it is seen."""
    if not has_texts(room):
        return ""

    def made() -> str:
        gone = sorted(each.player for each in room.seats.values() if each.removed)
        if room.texts.are_all_seen and not gone:
            return ""
        told = (room.qa.decided, str(room.qa.texts), room.qa.words, gone)
        return f"-{zlib.crc32(repr(told).encode()):08x}"

    return _once(room, "texts mark", made)


def written(room: Room) -> list[Written]:
    """What people wrote in the round at hand and in those before, for the host: what waits comes first."""
    return _once(room, "texts written", lambda: _written(room))


def _written(room: Room) -> list[Written]:
    turn = {Fate.WAITING: 0, Fate.SHOWN: 1, Fate.HIDDEN: 2}
    newest_first = sorted(_all_written(room), key=lambda each: (each.is_of_removed, turn[each.fate], -each.round))
    return newest_first[: 3 * MAX_QUESTIONS_SHOWN]


def _all_written(room: Room) -> Iterator[Written]:
    if (play := play_at(room.state)) is not None:
        yield from play.written_between(room, room.removed)
    for number, sealed in room.as_sealed.items():
        if room.state.counts(number) and not sealed.result.get("too_few"):
            play = play_of(room.game, room.questions[sealed.question])
            yield from play.written(room.texts, sealed, room.removed)


def texts_waiting(room: Room) -> int:
    """How many the host has to look at."""
    if room.texts.mode == rules.Mode.OPEN:
        return 0
    return sum(each.fate == Fate.WAITING and not each.is_of_removed for each in written(room))


def own_fate(room: Room, player: str) -> Fate | None:
    """What became of somebody's own answer, where it is known whose it is."""
    play = play_at(room.state)
    text = play.own_text(room, player) if play is not None and has_texts(room) else None
    return None if text is None else room.texts.fate(room.state.round, text)


TEXT_FATES: dict[Fate, str | Promise] = {
    Fate.WAITING: _("Your answer waits for the host. Nobody else sees it yet."),
    Fate.HIDDEN: _("The host has hidden your answer. Nobody sees it, and it gets no points."),
}


# --- as templates have them ---


@dataclass(frozen=True, slots=True)
class Line:
    """A question as a list shows it."""

    asked: Asked
    upvotes: int
    name: str = ""
    is_up: bool = False  # on the big screen
    acts: tuple[str, ...] = ()
    is_of_removed: bool = False
    is_own: bool = False
    is_upvoted: bool = False

    @property
    def words(self) -> str | Promise:
        return fate_words(self.asked)

    @property
    def mark(self) -> str:
        """Another one if anything but the number of upvotes is."""
        return repr((self.asked, self.name, self.is_up, self.is_of_removed))


def line(room: Room, asked: Asked, **more: Any) -> Line:
    up = room.qa.on_screen == asked.id
    return Line(asked, room.upvotes.get(asked.id, 0), name_of(room, asked), up, **more)


def lines(room: Room) -> list[Line]:
    return _once(room, "qa lines", lambda: [line(room, each) for each in seen(room)[:MAX_QUESTIONS_SHOWN]])


def lines_for(room: Room, seat: Seat, upvoted: frozenset[str]) -> list[Line]:
    """As one player sees them on a page that is loaded."""
    return [
        line(room, each, is_own=is_own(room, seat, each), is_upvoted=each.id in upvoted)
        for each in seen(room)[:MAX_QUESTIONS_SHOWN]
    ]


def is_own(room: Room, seat: Seat, asked: Asked) -> bool:
    """Whether the device that has the seat may know that the question came from it."""
    return seat.had_it(asked.at) and asked.author == mark_of(room.game.id, seat.player)


def lines_of_host(room: Room) -> list[Line]:
    """Those that wait come first, the oldest before the others; then what everybody sees; then what is hidden."""

    def found() -> list[Line]:
        turn = {Fate.WAITING: 0, Fate.SHOWN: 1, Fate.ANSWERED: 2, Fate.HIDDEN: 3}
        best = rules.best_first(
            room.asked, {each.id: room.upvotes.get(each.id, 0) for each in room.asked if each.is_seen}
        )
        some = sorted(best, key=lambda each: (is_of_removed(room, each), turn[each.fate]))
        return [_of_host(room, each) for each in some[: 3 * MAX_QUESTIONS_SHOWN]]

    return _once(room, "qa lines of host", found)


def _of_host(room: Room, asked: Asked) -> Line:
    gone = is_of_removed(room, asked)
    acts = () if gone else tuple(each.name for each in rules.offered(room.qa, asked))
    return line(room, asked, acts=acts, is_of_removed=gone)


def of_player(room: Room, player: str) -> list[Line]:
    """Somebody's own, the newest first."""
    mine = _once(room, "qa by author", lambda: _by_author(room.asked)).get(mark_of(room.game.id, player), [])
    seat = room.seats.get(player)
    return own_lines(room, seat, mine) if seat else []


def own_lines(room: Room, seat: Seat, own: Iterable[Asked]) -> list[Line]:
    own = [each for each in own if seat.had_it(each.at)]
    newest = sorted(own, key=lambda each: each.at, reverse=True) if room.qa.is_on else ()
    return [line(room, each, is_own=True) for each in newest]


def _by_author(some: Sequence[Asked]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for each in some:
        found.setdefault(each.author, []).append(each)
    return found


# --- the keys of fragments ---


def key_of_list(room: Room, some: Sequence[Line], *, is_of_host: bool = False) -> str:
    """Another one if a question, or the order of them, is another; the numbers of upvotes are told apart from it."""
    told: tuple[Any, ...] = (room.qa.is_on, room.qa.named, takes(room), len(seen(room)), *(each.mark for each in some))
    if is_of_host:
        told = (*told, *((each.id, each.fate, each.is_of_removed) for each in written(room)))
    return f"{zlib.crc32(repr(told).encode()):08x}"


def key_of_own(room: Room, player: str) -> str:
    told = (room.qa.is_on, takes(room), *(each.mark for each in of_player(room, player)))
    return f"{zlib.crc32(repr(told).encode()):08x}"


# --- what pages have at hand ---


def told(room: Room) -> dict[str, Any]:
    """For the screens of every role, beside what they show anyway."""
    if not room.qa.is_on:
        return {"texts_waiting": texts_waiting(room)}
    up = on_screen(room)
    return {
        "texts_waiting": texts_waiting(room),
        "takes_questions": takes(room),
        "questions_open": unanswered(room),
        "questions_waiting": waiting(room),
        "questions_more": max(0, len(seen(room)) - MAX_QUESTIONS_SHOWN),
        "question_up": line(room, up) if up else None,
    }
