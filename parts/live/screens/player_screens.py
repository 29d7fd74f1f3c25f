"""Template context of players' screens: what is asked, the results for all, and each player's own part."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation.pages.fragments import fragment
from parts.live import seats
from parts.live.play import TypedValues, cached, play_at, play_named
from parts.live.qa import display
from parts.live.rounds import Entry, options_of
from parts.live.rules import Phase
from parts.live.seats import Seat
from parts.live.services.answering import AnswerStatus
from parts.live.snapshot import Snapshot
from parts.live.standings import Line, Standings

from . import host_screens

MAX_PLAYERS_NAMED = 24  # on a waiting phone: a full hall would not fit, nor be worth sending to everybody


def heading_context(snapshot: Snapshot) -> dict[str, Any]:
    """Which question it is, and how to answer it."""
    play = play_at(snapshot.state)
    context: dict[str, Any] = {
        **snapshot.heading,
        "is_voided": bool(snapshot.state.round) and not snapshot.state.counts(snapshot.state.round),
    }
    if play is None:
        return context
    if snapshot.state.is_open:
        context |= {"form_name": play.form_name(snapshot), **play.hints(snapshot)}
    return context | play.context(snapshot)


def player_context(snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
    """Context of all players' screens, in addition to `screens.context`."""
    context, play = heading_context(snapshot), play_at(snapshot.state)
    if play is not None and is_form_for_all(snapshot):
        return context | play.form(snapshot, typed)
    names = first_names(snapshot)
    return context | {"named": names, "unnamed": len(snapshot.playing) - len(names)}


def is_form_for_all(snapshot: Snapshot) -> bool:
    """Whether everybody gets the same form; votes on answers have a form in each player's own order."""
    play = play_at(snapshot.state)
    return play is not None and snapshot.state.is_open and snapshot.state.phase != play.own_form_phase


def first_names(snapshot: Snapshot) -> list[str]:
    """The first players to join, so that the list stops changing once it is full."""
    there = sorted(snapshot.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def screen_version(snapshot: Snapshot) -> str:
    """While waiting, the screen changes only with the few names it shows, so that it stays quiet in a full hall."""
    if snapshot.state.phase != Phase.WAITING:
        play = play_at(snapshot.state)
        return play.screen_version(snapshot) if play else ""
    return f"-{zlib.crc32(chr(10).join(first_names(snapshot)).encode()):x}"


NOT_COUNTED: dict[AnswerStatus, str | Promise] = {
    AnswerStatus.LATE: _("That was too late and does not count."),
    AnswerStatus.NOT_OPEN: _("This question is not open, so your answer does not count."),
}
VERDICTS = {
    "right": _("Right"),
    "partly": _("Partly right"),
    "wrong": _("Wrong"),
    "voted": _("Your answer"),
    "unvoted": _("No points in this round"),
    "before": _("You joined after this question"),
    "silent": _("You did not answer"),
}


def results_context(snapshot: Snapshot) -> dict[str, Any]:
    """Results of the current round, or final standings, as context to all players."""
    if snapshot.state.phase == Phase.ENDED and host_screens.is_scored(snapshot):
        return {"final": host_screens.render_final(cached_standings(snapshot))}
    if not results_are_shown(snapshot):
        return {}
    assert snapshot.round is not None
    return {
        "picture": play_named(snapshot.state.play).render_result(snapshot.round, snapshot.questions, snapshot.seats)
    }


def results_are_shown(snapshot: Snapshot) -> bool:
    """Whether players see the results of the current round."""
    state = snapshot.state
    return state.phase == Phase.RESULTS and state.revealed and state.counts(state.round) and snapshot.round is not None


def cached_standings(snapshot: Snapshot) -> Standings:
    return cached(snapshot, "standings", make=lambda: host_screens.current_standings(snapshot))


# --- a player's own part ---


def own_context(
    snapshot: Snapshot,
    seat: Seat,
    answer: Any = None,
    answer_status: AnswerStatus | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    problem: str | Promise = "",
    is_elsewhere: bool = False,
) -> dict[str, Any]:
    """Context for one player: their answer and its status, or what they `typed` and the `problem` with it.
    `is_elsewhere` means that they answered on another device, and only that device shows the answer."""
    context: dict[str, Any] = {
        "seat": seat,
        "answer": answer,
        "answer_status": answer_status,
        "problem": problem or NOT_COUNTED.get(answer_status or AnswerStatus.COUNTED, ""),
        "late": seats.late_since(snapshot.state, seat),
        "is_elsewhere": is_elsewhere,
    }
    if (fate := display.own_fate(snapshot, seat.player)) in display.TEXT_FATE_LABELS:
        context["moderated"] = display.TEXT_FATE_LABELS[fate]
    if is_form_for_all(snapshot):
        return context | {"summary": answer_summary(snapshot, answer)}
    play = play_at(snapshot.state)
    if play is not None and snapshot.state.is_open:
        filled = form_values(snapshot, answer) if typed is None else typed
        return context | play.own_form(snapshot, seat.player, filled)
    is_over = snapshot.state.phase == Phase.ENDED and host_screens.is_scored(snapshot)
    if is_over or (play is not None and play.is_scored and results_are_shown(snapshot)):
        return context | _scored(snapshot, seat)
    return context | ({"voted": _voted(snapshot, seat)} if results_are_shown(snapshot) else {})


def _voted(snapshot: Snapshot, seat: Seat) -> str:
    """The player's vote in an open ballot; empty for a secret one, whose entries have no names."""
    assert snapshot.round is not None  # since it is context
    assert snapshot.question is not None
    entry = _entries(snapshot).get(seat.player)
    options = options_of(snapshot.round, snapshot.question)
    play = play_named(snapshot.state.play)
    return str(play.answer_text(entry.said, snapshot.question, options)) if entry else ""


def _entries(snapshot: Snapshot) -> dict[str, Entry]:
    entries = snapshot.round.entries if snapshot.round else ()
    return cached(snapshot, "entries", make=lambda: {each.player: each for each in entries})


def form_values(snapshot: Snapshot, answer: Any) -> dict[str, list[str]]:
    """Values of the current form's fields for a player who has given this answer."""
    if answer is None or not snapshot.state.is_open:
        return {}
    return play_named(snapshot.state.play).form_values(answer, snapshot)


def answer_summary(snapshot: Snapshot, answer: Any) -> dict[str, Any]:
    """The player's answer as context to them."""
    if answer is None or snapshot.question is None or not is_form_for_all(snapshot):
        return {}
    return play_named(snapshot.state.play).summary(answer, snapshot)


def _scored(snapshot: Snapshot, seat: Seat) -> dict[str, Any]:
    """Cached, because many players share the same points and place."""
    board = cached_standings(snapshot)
    found = board.place_of(seat.player)
    line = replace(found, player="", name="", gained=0, bonus=0) if found else None  # gains are added separately
    result = line, seats.late_since(snapshot.state, seat), *_gained(snapshot, seat)
    return {"result": cached(snapshot, *result, make=lambda: _result(*result, of=len(board.lines)))}


def _result(line: Line | None, late: int, verdict: str, entry: Entry | None, *, of: int) -> str:
    context = {"line": line, "late": late, "verdict": verdict, "own_place": host_screens.render_own_place(line, of)}
    if verdict:
        context["word"] = VERDICTS[verdict]
    if entry is not None:
        context |= {"points": _points(entry.points), "bonus": entry.bonus, "total": _points(entry.total)}
    return fragment("live/parts/verdict.html", context)


def _points(number: int) -> str:
    return ngettext("+%(points)s point", "+%(points)s points", number) % {"points": number}


def _gained(snapshot: Snapshot, seat: Seat) -> tuple[str, Entry | None]:
    """The verdict on the player's answer to the current question and its points; empty at the end."""
    if snapshot.round is None or snapshot.state.phase == Phase.ENDED:
        return "", None
    entry = _entries(snapshot).get(seat.player)
    verdict = _verdict(snapshot, seat, entry)
    return verdict, Entry("", None, entry.points, entry.bonus) if entry and verdict != "unvoted" else None


def _verdict(snapshot: Snapshot, seat: Seat, entry: Entry | None) -> str:
    """A key of `VERDICTS`, which is also a CSS class."""
    if entry is None:
        return "before" if seat.since > snapshot.state.round else "silent"
    assert snapshot.round is not None  # since there is an entry
    return play_named(snapshot.state.play).verdict(snapshot.round, entry)
