"""Template context of results on players' screens: the picture for all, and each player's own result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from live import seats
from live.play import cached, play_at, play_named
from live.qa import display
from live.rounds import Entry, options_of
from live.rules import Phase
from live.seats import Seat
from live.services.answering import AnswerStatus
from live.snapshot import Snapshot
from live.standings import Line, Standings
from pages.fragments import fragment

from . import host_screens, player_screen, scoreboards

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
    """Results of the current round, or final standings, as shown to all players."""
    if snapshot.state.phase == Phase.ENDED and host_screens.is_scored(snapshot):
        return {"final": scoreboards.render_final(cached_standings(snapshot))}
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
    board: Standings = cached(snapshot, "standing", lambda: host_screens.current_standings(snapshot))
    return board


# --- a player's own part ---


def own_context(
    snapshot: Snapshot,
    seat: Seat,
    said: Any = None,
    told: AnswerStatus | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    problem: str | Promise = "",
    receipt: str = "",
    unseen: bool = False,
) -> dict[str, Any]:
    """Context for one player: what they `said` and its status `told`, or what they `typed` and the `problem` with it.
    `unseen` means that they answered on another device, and only that device shows the answer."""
    problem = problem or NOT_COUNTED.get(told or AnswerStatus.COUNTED, "")
    shown: dict[str, Any] = {
        "seat": seat,
        "told": told,
        "problem": problem,
        "late": seats.late_since(snapshot.state, seat),
    }
    shown |= {"receipt": receipt, "unseen": unseen}
    if (fate := display.own_fate(snapshot, seat.player)) in display.TEXT_FATE_LABELS:
        shown["moderated"] = display.TEXT_FATE_LABELS[fate]
    if player_screen.is_form_for_all(snapshot):
        return shown | {"said": said, "in_words": answer_summary(snapshot, said)}
    play = play_at(snapshot.state)
    if play is not None and snapshot.state.is_open:
        filled = form_values(snapshot, said) if typed is None else typed
        return shown | {"said": said, **play.own_form(snapshot, seat.player, filled)}
    is_over = snapshot.state.phase == Phase.ENDED and host_screens.is_scored(snapshot)
    if is_over or (play is not None and play.is_scored and results_are_shown(snapshot)):
        return shown | _scored(snapshot, seat)
    return shown | ({"voted": _voted(snapshot, seat)} if results_are_shown(snapshot) else {})


def _voted(snapshot: Snapshot, seat: Seat) -> str:
    """The player's vote in an open ballot; empty for a secret one, whose entries have no names."""
    assert snapshot.round is not None  # since it is shown
    assert snapshot.question is not None
    entry = _entries(snapshot).get(seat.player)
    options = options_of(snapshot.round, snapshot.question)
    play = play_named(snapshot.state.play)
    return str(play.answer_text(entry.said, snapshot.question, options)) if entry else ""


def _entries(snapshot: Snapshot) -> dict[str, Entry]:
    found: dict[str, Entry] = cached(
        snapshot, "entries", lambda: {each.player: each for each in snapshot.round.entries} if snapshot.round else {}
    )
    return found


def form_values(snapshot: Snapshot, said: Any) -> dict[str, list[str]]:
    """Values of the current form's fields for a player who has given this answer."""
    return (
        {}
        if said is None or not snapshot.state.is_open
        else play_named(snapshot.state.play).form_values(said, snapshot)
    )


def answer_summary(snapshot: Snapshot, said: Any) -> dict[str, Any]:
    """The player's answer as shown to them."""
    if said is None or snapshot.question is None:
        return {}
    return play_named(snapshot.state.play).summary(said, snapshot)


def _scored(snapshot: Snapshot, seat: Seat) -> dict[str, Any]:
    """Cached, because many players share the same points and place."""
    board = cached_standings(snapshot)
    found = board.place_of(seat.player)
    line = replace(found, player="", name="", gained=0, bonus=0) if found else None  # gains are added separately
    result = line, seats.late_since(snapshot.state, seat), *_gained(snapshot, seat)
    return {"result": cached(snapshot, *result, lambda: _result(*result, of=len(board.lines)))}


def _result(line: Line | None, late: int, verdict: str, entry: Entry | None, *, of: int) -> str:
    shown = {"line": line, "late": late, "verdict": verdict, "own_place": scoreboards.render_own_place(line, of)}
    if verdict:
        shown["word"] = VERDICTS[verdict]
    if entry is not None:
        shown |= {"points": _points(entry.points), "bonus": entry.bonus, "total": _points(entry.total)}
    return fragment("live/parts/verdict.html", shown)


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
