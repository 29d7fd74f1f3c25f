"""What came of it, on the phones of those who play along: a picture for all, and for each their own result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ranking.candidates import Candidate
from ranking.rankings import named

from . import asking, hall, pictures
from .asking import Way
from .questions import Type
from .rooms import Room
from .rounds import Entry
from .rules import Phase
from .saying import typed_of
from .scores import FULL
from .seats import Seat
from .services.answering import Told
from .signs import sign
from .standings import Board

UNHEARD: dict[Told, str | Promise] = {
    Told.LATE: _("That came too late: it does not count."),
    Told.NOT_OPEN: _("This is not asked at the moment, so it does not count."),
}


def told(room: Room) -> dict[str, Any]:
    """What the screen of all players shows of the round at hand, or of all."""
    if room.state.phase == Phase.ENDED and room.game.engagement_type.is_scored:
        return {"final": pictures.final(standing(room))}
    if not is_shown(room):
        return {}
    assert room.round is not None
    return {"picture": pictures.picture(room.game.engagement_type, room.round, room.questions, room.seats)}


def is_shown(room: Room) -> bool:
    """Whether players see what came of the round at hand."""
    state = room.state
    return state.phase == Phase.RESULTS and state.revealed and state.counts(state.round) and room.round is not None


def standing(room: Room) -> Board:
    """Made once for all the phones that ask for it."""
    if "standing" not in room.made:
        room.made["standing"] = hall.standing(room)
    board: Board = room.made["standing"]
    return board


# --- one player's own ---


def mine(
    room: Room,
    seat: Seat,
    said: Any = None,
    told: Told | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    problem: str | Promise = "",
) -> dict[str, Any]:
    """What only they see: what they `said` and are `told` of it, or what they `typed` and the `problem` with it."""
    problem = problem or UNHEARD.get(told or Told.COUNTED, "")
    shown: dict[str, Any] = {"seat": seat, "told": told, "problem": problem, "late": asking.late_since(room, seat)}
    if room.state.phase == Phase.QUESTION:
        return shown | {"said": said, "in_words": in_words(room, said)}
    if room.state.phase == Phase.VOTING and room.gathered is not None:
        filled = typed_said(room, said) if typed is None else typed
        return shown | {"said": said, "papers": asking.ballot(room.gathered, seat.player, filled)}
    if room.game.engagement_type.is_scored and (is_shown(room) or room.state.phase == Phase.ENDED):
        return shown | _scored(room, seat)
    return shown


def typed_said(room: Room, said: Any) -> dict[str, list[str]]:
    """What the fields of the form at hand show to somebody who has said this."""
    question = room.question
    return typed_of(said, room.game.engagement_type, room.state.phase, question.kind) if question else {}


def in_words(room: Room, said: Any) -> dict[str, Any]:
    """What somebody has answered, as they are told it."""
    if said is None or room.question is None:
        return {}
    way = asking.way_of(room)
    if way == Way.WRITE:
        return {"text": said}
    if way == Way.SHEET:
        return {"answered": len(said), "asked": len(room.questions)}
    if way == Way.RANK:
        candidates = [Candidate(text, number=place) for place, text in enumerate(room.question.options)]
        return {"ranked": named(said, candidates)}
    places = said if isinstance(said, list) else [int(said)]
    return {"chosen": [(sign(place), room.question.options[place]) for place in places]}


def _scored(room: Room, seat: Seat) -> dict[str, Any]:
    board = standing(room)
    line = board.place_of(seat.player)
    standing_now = replace(line, gained=0, bonus=0) if line else None  # what was gained is told above, bonus apart
    shown = {"line": line, "own_place": pictures.mine(standing_now, len(board.lines))}
    if room.round is None or room.state.phase == Phase.ENDED:
        return shown
    entry = next((each for each in room.round.entries if each.player == seat.player), None)
    return shown | {"entry": entry, "verdict": _verdict(room, seat, entry)}


def _verdict(room: Room, seat: Seat, entry: Entry | None) -> str:
    """A word for the templates."""
    if entry is None:
        return "before" if seat.since > room.state.round else "silent"
    if room.game.engagement_type == Type.CALL_AND_ANSWER:
        return "voted" if room.round and room.round.result["voted"] else "unvoted"
    return "right" if entry.points == FULL else "partly" if entry.points else "wrong"
