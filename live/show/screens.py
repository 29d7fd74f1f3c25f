"""What each kind of screen shows of a room: rendered once for all who look at the same in the same language.

Each has a key, and a page replaces what it shows only by what has another key. `screen` and `mine` keep theirs as long
as people answer or vote, so that nobody loses a form that they are filling in; `status` has no form and may change at
any moment. `mine` is what one player alone sees. A format may have `beside` and `consent`, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.utils import translation
from django.utils.safestring import SafeString

from live import clock
from live.play import Typed, once, play_for
from live.qa import showing
from live.qa.showing import Line
from live.room import Room
from live.seats import Seat
from live.services.answering import Told
from pages.fragments import fragment

from . import asking, hall, outcome


class Role(StrEnum):
    """Whose screen it is; the word stands in addresses."""

    PLAYER = "player"
    HOST = "host"  # projector and controls in one
    SCREEN = "screen"  # projector alone
    REMOTE = "remote"  # controls on a phone
    SCOREBOARD = "scoreboard"
    QA = "qa"  # what the room asks, as a player sees it
    MANAGE_QA = "manage_qa"  # and as those do who host


HOSTING = (Role.HOST, Role.REMOTE, Role.MANAGE_QA)
SEATED = (Role.PLAYER, Role.QA)
OF_QA = (Role.QA, Role.MANAGE_QA)
RECEIPT = "----" * 4  # where one will stand: no receipt, and nothing that an option could say


@dataclass(frozen=True, slots=True)
class Shown:
    """A fragment, and the key by which a page knows whether it has it already."""

    key: str
    html: SafeString


def context(role: Role, room: Room) -> dict[str, Any]:
    """What the templates of every screen have at hand; nothing of it is one player's alone."""
    game, state = room.game, room.state
    return {
        "role": role,
        "room": room,
        "game": game,
        "state": state,
        "question": room.question,
        "round": room.round if state.revealed else None,
        "play": play_for(game, state),
        **showing.told(room),
        **({} if role == Role.PLAYER else hall.told(room)),
        **game.format.context(role, room),
    }


def screen(role: Role, room: Room, typed: Typed | None = None) -> Shown:
    """`templates/live/screens/{role}.html`, which shows what the play at hand has for the phase; which language, the
    caller has activated.

    `typed` is what the form of a page that is loaded anew shows to one player alone.
    """
    if role in OF_QA:
        return questions(role, room)
    shown = context(role, room) | _drawn(role, room, typed or {})
    return Shown(f"{translation.get_language()}-{_key(role, room)}", fragment(f"live/screens/{role}.html", shown))


def _drawn(role: Role, room: Room, typed: Typed) -> dict[str, Any]:
    """What is asked as players see it; what came of it as each kind of screen shows it."""
    if role == Role.PLAYER:
        return asking.told(room, typed) | outcome.told(room)
    return hall.scores(room) if role == Role.SCOREBOARD else hall.outcome(room)


def _key(role: Role, room: Room) -> str:
    """Nobody types on the screens of a hall: these follow every version that a step can leave, and every name."""
    if role == Role.PLAYER:
        return room.state.key + asking.mark(room) + _words_mark(room) + showing.texts_mark(room)
    version = f"-{room.state.version}" if role in (Role.HOST, Role.REMOTE) else ""
    return f"{room.state.key}{version}{hall.mark(room)}{hall.unease(room)}{_words_mark(room)}{showing.texts_mark(room)}"


def _words_mark(room: Room) -> str:
    """Of what hosts can correct on a screen that is shown; while people answer or vote they cannot."""
    if room.state.is_open:
        return ""
    words = repr((room.game.title, room.question))
    return f"-{sha256(words.encode()).hexdigest()[:8]}"


def questions(role: Role, room: Room, **own: Any) -> Shown:
    """What the room asks; `own` is what a page that is loaded anew shows to one player alone. Its key follows what is
    asked and in which order, and not the numbers of upvotes, which the status tells: so the list stays as it is while
    people read it."""
    shown = _asked(role, room)
    mark = showing.key_of_list(room, shown["lines"], is_of_host=role == Role.MANAGE_QA)
    key = f"{translation.get_language()}-{mark}"
    return Shown(key, fragment(f"live/qa/{role}_list.html", shown | own))


def _asked(role: Role, room: Room) -> dict[str, Any]:
    lines = showing.lines_of_host(room) if role == Role.MANAGE_QA else showing.lines(room)
    written = showing.written(room) if role == Role.MANAGE_QA else []
    return {"role": role, "game": room.game, "qa": room.qa, "lines": lines, "texts": written, **showing.told(room)}


def questions_of(room: Room, seat: Seat, lines: list[Line] | None = None) -> Shown:
    """What became of a player's own questions; `lines` if they were read just now."""
    shown = {"game": room.game, "lines": showing.of_player(room, seat.player) if lines is None else lines}
    return Shown(mine_key(room, seat, Role.QA), fragment("live/qa/own.html", shown))


def status(role: Role, room: Room, percent: int | None = None) -> Shown:
    """The line that may change at any moment: clock, paused, host away, how many have answered.

    With somebody's percent of the usual time it says how much is left for them, as a page must that no script will
    move on. Without, it says nothing that changes by itself, so that it is pushed only when there is something new.
    """
    if role in OF_QA:
        return _status(room, f"live/qa/{role}_status.html", _asked(role, room))
    time = clock_of(room, percent or clock.DEFAULT_PERCENT)
    shown = context(role, room) | {"clock": time if percent else time | {"left": time["left"] and time["length"]}}
    return _status(room, f"live/screens/{role}/status.html", shown)


def _status(room: Room, template: str, shown: dict[str, Any]) -> Shown:
    html = fragment(template, shown)
    return Shown(f"{room.state.version}-{sha256(html.encode()).hexdigest()[:12]}", html)


def mine(room: Room, seat: Seat, said: Any = None, **more: Any) -> Shown:
    """What one player alone sees: their name, what they answered, what they vote on, their points and place.

    `said` is what they have given in the phase that is open; `more` has what only a request knows: what they are `told`
    of it, what they `typed` and the `problem` with it. A form that they vote with is in it, so that its key stays as
    long as the phase is open, whatever is said of it.
    """
    shown = own(room, seat, said=said, **more)
    return Shown(mine_key(room, seat), fragment("live/screens/player/mine.html", shown))


def mine_key(room: Room, seat: Seat, role: Role = Role.PLAYER) -> str:
    if role == Role.QA:
        return f"{translation.get_language()}-{showing.key_of_own(room, seat.player)}"
    key = f"{translation.get_language()}-{room.state.key}{showing.texts_mark(room)}"
    return key if room.state.is_open else f"{key}-{seat.version}{room.game.format.mark(room, seat.player)}"


def own(room: Room, seat: Seat, **more: Any) -> dict[str, Any]:
    """What the templates about one player have at hand."""
    stands = {"place": room.game.format.mark(room, seat.player)}
    return context(Role.PLAYER, room) | asking.heading(room) | outcome.mine(room, seat, **more) | stands


def counted(room: Room, options: list[int], receipt: str) -> str:
    """That a choice counts: the same words for all who chose the same, who are many within a few seconds; but for the
    receipt, which is put in last."""
    said = {"game": room.game, "state": room.state, "said": options, "told": Told.COUNTED, "receipt": RECEIPT}
    said |= asking.heading(room)
    said["in_words"] = outcome.in_words(room, options)
    html: str = once(room, "counted", *options, lambda: fragment("live/parts/told.html", said))
    return html.replace(RECEIPT, receipt)


def clock_of(room: Room, percent: int, now: int | None = None) -> dict[str, Any]:
    """What a page needs to show the time that is left, by the server's clock."""
    now = clock.now() if now is None else now
    running = room.state.clock
    return {
        "now": now,
        "end": running.end(percent),
        "left": running.left(now, percent) if running.seconds else None,
        "length": running.length(percent),
        "paused": bool(running.paused),
        "starts": running.began + clock.LEAD_MS if running.seconds else None,
    }
