"""What came of it, on the phones of those who play along: a picture for all, and for each their own result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from live.play import once, play_at, play_named
from live.qa import showing
from live.room import Room
from live.rounds import Entry, options_of
from live.rules import Phase
from live.seats import Seat
from live.services.answering import Told
from live.standings import Board, Line
from pages.fragments import fragment

from . import asking, hall
from . import boards as pictures

UNHEARD: dict[Told, str | Promise] = {
    Told.LATE: _("That came too late: it does not count."),
    Told.NOT_OPEN: _("This is not asked at the moment, so it does not count."),
}
VERDICTS = {
    "right": _("Right"),
    "partly": _("Partly right"),
    "wrong": _("Wrong"),
    "voted": _("Your answer"),
    "unvoted": _("No points in this round"),
    "before": _("This question was before your time"),
    "silent": _("You did not answer"),
}


def told(room: Room) -> dict[str, Any]:
    """What the screen of all players shows of the round at hand, or of all."""
    if room.state.phase == Phase.ENDED and hall.is_scored(room):
        return {"final": pictures.final(standing(room))}
    if not is_shown(room):
        return {}
    assert room.round is not None
    return {"picture": play_named(room.state.play).picture(room.round, room.questions, room.seats)}


def is_shown(room: Room) -> bool:
    """Whether players see what came of the round at hand."""
    state = room.state
    return state.phase == Phase.RESULTS and state.revealed and state.counts(state.round) and room.round is not None


def standing(room: Room) -> Board:
    board: Board = once(room, "standing", lambda: hall.standing(room))
    return board


# --- one player's own ---


def mine(
    room: Room,
    seat: Seat,
    said: Any = None,
    told: Told | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    problem: str | Promise = "",
    receipt: str = "",
    unseen: bool = False,
) -> dict[str, Any]:
    """What only they see: what they `said` and are `told` of it, or what they `typed` and the `problem` with it; if it
    is `unseen`, they gave something with another device, which alone is shown what."""
    problem = problem or UNHEARD.get(told or Told.COUNTED, "")
    shown: dict[str, Any] = {"seat": seat, "told": told, "problem": problem, "late": asking.late_since(room, seat)}
    shown |= {"receipt": receipt, "unseen": unseen}
    if (fate := showing.own_fate(room, seat.player)) in showing.TEXT_FATES:
        shown["moderated"] = showing.TEXT_FATES[fate]
    if asking.is_form_for_all(room):
        return shown | {"said": said, "in_words": in_words(room, said)}
    play = play_at(room.state)
    if play is not None and room.state.is_open:
        filled = typed_said(room, said) if typed is None else typed
        return shown | {"said": said, **(play.own_form(room, seat.player, filled) or {})}
    is_over = room.state.phase == Phase.ENDED and hall.is_scored(room)
    if is_over or (play is not None and play.is_scored and is_shown(room)):
        return shown | _scored(room, seat)
    return shown | ({"voted": _voted(room, seat)} if is_shown(room) else {})


def _voted(room: Room, seat: Seat) -> str:
    """What they said in an open vote, as everybody may know it; nothing of a secret one, which nobody signed."""
    assert room.round is not None  # as it is shown
    assert room.question is not None
    entry = _entries(room).get(seat.player)
    options = options_of(room.round, room.question)
    return play_named(room.state.play).voted(entry, room.question, options) if entry else ""


def _entries(room: Room) -> dict[str, Entry]:
    found: dict[str, Entry] = once(
        room, "entries", lambda: {each.player: each for each in room.round.entries} if room.round else {}
    )
    return found


def typed_said(room: Room, said: Any) -> dict[str, list[str]]:
    """What the fields of the form at hand show to somebody who has said this."""
    return {} if said is None or not room.state.is_open else play_named(room.state.play).fields(said, room)


def in_words(room: Room, said: Any) -> dict[str, Any]:
    """What somebody has answered, as they are told it."""
    if said is None or room.question is None:
        return {}
    return play_named(room.state.play).summary(said, room)


def _scored(room: Room, seat: Seat) -> dict[str, Any]:
    """Many have the same points and the same place, and so the same words."""
    board = standing(room)
    found = board.place_of(seat.player)
    line = replace(found, player="", name="", gained=0, bonus=0) if found else None  # gains are told apart
    result = line, asking.late_since(room, seat), *_gained(room, seat)
    return {"result": once(room, *result, lambda: _result(*result, of=len(board.lines)))}


def _result(line: Line | None, late: int, verdict: str, entry: Entry | None, *, of: int) -> str:
    shown = {"line": line, "late": late, "verdict": verdict, "own_place": pictures.mine(line, of)}
    if verdict:
        shown["word"] = VERDICTS[verdict]
    if entry is not None:
        shown |= {"points": _points(entry.points), "bonus": entry.bonus, "total": _points(entry.total)}
    return fragment("live/parts/verdict.html", shown)


def _points(number: int) -> str:
    return ngettext("+%(points)s point", "+%(points)s points", number) % {"points": number}


def _gained(room: Room, seat: Seat) -> tuple[str, Entry | None]:
    """What came of their answer to the question at hand, with what it was paid; nothing of it at the end."""
    if room.round is None or room.state.phase == Phase.ENDED:
        return "", None
    entry = _entries(room).get(seat.player)
    verdict = _verdict(room, seat, entry)
    return verdict, Entry("", None, entry.points, entry.bonus) if entry and verdict != "unvoted" else None


def _verdict(room: Room, seat: Seat, entry: Entry | None) -> str:
    """Which of `VERDICTS`; also a class of the style sheet."""
    if entry is None:
        return "before" if seat.since > room.state.round else "silent"
    assert room.round is not None  # as somebody has an entry in it
    return play_named(room.state.play).verdict(room.round, entry)
