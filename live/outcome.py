"""What came of it, on the phones of those who play along: a picture for all, and for each their own result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.urls import get_script_prefix
from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from assembly.resolutions import ABSTAIN
from assembly.words import SAID, said_words
from pages.fragments import fragment
from questions.question import Type
from ranking.candidates import Candidate
from ranking.rankings import named

from . import asking, hall, pictures
from .asking import Paper, Way
from .qa import showing
from .rooms import Room
from .rounds import Entry, options_of
from .rules import Phase
from .saying import typed_of
from .scores import FULL_POINTS
from .seats import Seat
from .services.answering import Told
from .signs import sign
from .standings import Board, Line

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
    board: Board = once(room, "standing", lambda: hall.standing(room))
    return board


def once(room: Room, *what_and_make: Any) -> Any:
    """Made of a room the first time somebody asks for it, for all the phones that ask after that."""
    *what, make = what_and_make
    question = ("phones", *what, translation.get_language(), get_script_prefix())
    if question not in room.made:
        room.made[question] = make()
    return room.made[question]


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
    if room.state.phase == Phase.VOTING and room.gathered is not None:
        filled = typed_said(room, said) if typed is None else typed
        return shown | {"said": said, "papers": _papers(room, asking.ballot(room.gathered, seat.player, filled))}
    if room.game.engagement_type.is_scored and (is_shown(room) or room.state.phase == Phase.ENDED):
        return shown | _scored(room, seat)
    return shown | ({"voted": _voted(room, seat)} if room.game.is_assembly and is_shown(room) else {})


def _voted(room: Room, seat: Seat) -> str:
    """What they said in an open vote, as everybody may know it; nothing of a secret one, which nobody signed."""
    assert room.round is not None  # as it is shown
    assert room.question is not None
    entries = once(room, "entries", lambda: {each.player: each for each in room.round.entries} if room.round else {})
    entry: Entry | None = entries.get(seat.player)
    return said_words(entry.said, room.question, options_of(room.round, room.question)) if entry else ""


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
    if way == Way.IDEAS:
        return {"texts": said}
    if way == Way.YES_NO or said in ("", ABSTAIN):
        return {"text": str(SAID[said or ABSTAIN])}
    if way == Way.SHEET:
        return {"answered": len(said), "asked": len(room.questions)}
    if way == Way.RANK:
        candidates = [Candidate(text, number=place) for place, text in enumerate(room.question.options)]
        return {"ranked": named(said, candidates)}
    places = said if isinstance(said, list) else [int(said)]
    return {"chosen": [(sign(place), room.question.options[place]) for place in places]}


def _papers(room: Room, papers: Sequence[Paper]) -> SafeString:
    """What somebody may vote for. An answer that they have not ranked looks the same to all who are shown it."""
    drawn = (_paper(each) if each.rank else once(room, each, partial(_paper, each)) for each in papers)
    return format_html_join("", "{}", ((each,) for each in drawn))


def _paper(paper: Paper) -> SafeString:
    return fragment("live/parts/paper.html", {"paper": paper})


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
    entries = once(room, "entries", lambda: {each.player: each for each in room.round.entries} if room.round else {})
    entry: Entry | None = entries.get(seat.player)
    verdict = _verdict(room, seat, entry)
    return verdict, Entry("", None, entry.points, entry.bonus) if entry and verdict != "unvoted" else None


def _verdict(room: Room, seat: Seat, entry: Entry | None) -> str:
    """Which of `VERDICTS`; also a class of the style sheet."""
    if entry is None:
        return "before" if seat.since > room.state.round else "silent"
    if room.game.engagement_type == Type.CALL_AND_ANSWER:
        return "voted" if room.round and room.round.result["voted"] else "unvoted"
    return "right" if entry.points == FULL_POINTS else "partly" if entry.points else "wrong"
