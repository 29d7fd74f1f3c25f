"""Each player's own part of the screen: their answer, what they vote on, their points and place.

It may contain a form for voting, so its key stays the same as long as the phase is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from foundation.pages.fragments import fragment
from parts.live import seats, standings
from parts.live.play import cached, play_at, play_for, play_named
from parts.live.rounds import Entry, options_of
from parts.live.rules import Phase
from parts.live.screens import qa_display
from parts.live.seats import Seat
from parts.live.services.answering import AnswerStatus
from parts.live.snapshot import Snapshot

from .formats import SCREENS, Fragment, Role
from .rendering import is_form_for_all, screen_values

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


def render_own(snapshot: Snapshot, seat: Seat, **own: Any) -> Fragment:
    """Renders one player's own part; `own` is what `own_values` takes."""
    html = fragment("live/screens/player/mine.html", own_values(snapshot, seat, **own))
    return Fragment(own_key(snapshot, seat), html)


def own_key(snapshot: Snapshot, seat: Seat, role: Role = Role.PLAYER) -> str:
    if role == Role.QA:
        return qa_display.own_questions_key(snapshot, seat)
    key = f"{translation.get_language()}-{snapshot.state.key}{qa_display.texts_version(snapshot)}"
    if snapshot.state.is_open:
        return key
    return f"{key}-{seat.version}{SCREENS.of(snapshot.game).own_version(snapshot, seat.player)}"


def own_version(snapshot: Snapshot, seat: Seat, role: Role = Role.PLAYER) -> str:
    """Changes whenever a player's own part may have changed, so that it need not be rendered to find out."""
    if role == Role.QA:
        return own_key(snapshot, seat, role)
    place = SCREENS.of(snapshot.game).own_version(snapshot, seat.player)
    return f"{snapshot.state.key}-{seat.version}{place}{qa_display.texts_version(snapshot)}"


def own_values(
    snapshot: Snapshot,
    seat: Seat,
    answer: Any = None,
    answer_status: AnswerStatus | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    problem: str | Promise = "",
    is_elsewhere: bool = False,
) -> dict[str, Any]:
    """Values for one player's templates: their answer and its status, or what they `typed` and the `problem` with it.
    `is_elsewhere` means that they answered on another device, and only that device shows the answer."""
    values: dict[str, Any] = {
        **screen_values(Role.PLAYER, snapshot),
        "seat": seat,
        "answer": answer,
        "answer_status": answer_status,
        "problem": problem or NOT_COUNTED.get(answer_status or AnswerStatus.COUNTED, ""),
        "late": seats.late_since(snapshot.state, seat),
        "is_elsewhere": is_elsewhere,
        "place": SCREENS.of(snapshot.game).own_version(snapshot, seat.player),
    }
    if (fate := qa_display.own_fate(snapshot, seat.player)) in qa_display.TEXT_FATE_LABELS:
        values["moderated"] = qa_display.TEXT_FATE_LABELS[fate]
    play, is_shown = play_at(snapshot.state), snapshot.is_result_shown
    if is_form_for_all(snapshot):
        values["summary"] = answer_summary(snapshot, answer)
    elif play is not None and snapshot.state.is_open:
        filled = form_values(snapshot, answer) if typed is None else typed
        values |= play.own_form(snapshot, seat.player, filled)
    elif snapshot.state.phase == Phase.ENDED:
        values |= {"result": _render_points(snapshot, seat)} if standings.is_scored(snapshot) else {}
    elif play is not None and is_shown:
        values |= {"result": _render_points(snapshot, seat)} if play.is_scored else {"voted": _voted(snapshot, seat)}
    return values


def form_values(snapshot: Snapshot, answer: Any) -> dict[str, list[str]]:
    """Values of the current form's fields for a player who has given this answer."""
    if answer is None or not snapshot.state.is_open:
        return {}
    return play_named(snapshot.state.play).form_values(answer, snapshot)


def answer_summary(snapshot: Snapshot, answer: Any) -> dict[str, Any]:
    """The player's answer as shown to them."""
    if answer is None or snapshot.question is None or not is_form_for_all(snapshot):
        return {}
    return play_named(snapshot.state.play).summary(answer, snapshot)


def render_counted(snapshot: Snapshot, answer: Any) -> SafeString:
    """Confirms an answer; where many choose the same within seconds, once for all of them."""

    def render() -> SafeString:
        own = {"answer_status": AnswerStatus.COUNTED, "answer": answer, "summary": answer_summary(snapshot, answer)}
        return fragment("live/parts/answer_status.html", screen_values(Role.PLAYER, snapshot) | own)

    if not play_for(snapshot.game, snapshot.state).has_few_answers:
        return render()
    return cached(snapshot, "counted", *answer, make=render)


# --- after the round ---


def _entries(snapshot: Snapshot) -> dict[str, Entry]:
    entries = snapshot.round.entries if snapshot.round else ()
    return cached(snapshot, "entries", make=lambda: {each.player: each for each in entries})


def _voted(snapshot: Snapshot, seat: Seat) -> str:
    """The player's vote in an open ballot; empty for a secret one, whose entries have no names."""
    assert snapshot.round is not None  # since it is shown
    assert snapshot.question is not None
    entry = _entries(snapshot).get(seat.player)
    options = options_of(snapshot.round, snapshot.question)
    play = play_named(snapshot.state.play)
    return str(play.answer_text(entry.value, snapshot.question, options)) if entry else ""


def _render_points(snapshot: Snapshot, seat: Seat) -> str:
    """The verdict on the player's answer, its points and their place; at the end only the place. Cached, because many
    players share the same."""
    board = standings.current_standings(snapshot)
    found = board.place_of(seat.player)
    line = replace(found, player="", name="", gained=0, bonus=0) if found else None  # gains are added separately
    late, verdict, entry = seats.late_since(snapshot.state, seat), "", None
    if snapshot.round is not None and snapshot.state.phase != Phase.ENDED:
        entry = _entries(snapshot).get(seat.player)
        verdict = _verdict(snapshot, seat, entry)
        entry = Entry("", None, entry.points, entry.bonus) if entry and verdict != "unvoted" else None

    def render() -> str:
        place = standings.render_own_place(line, len(board.lines))
        values: dict[str, Any] = {"line": line, "late": late, "verdict": verdict, "own_place": place}
        if verdict:
            values["word"] = VERDICTS[verdict]
        if entry is not None:
            values |= {"points": _points(entry.points), "bonus": entry.bonus, "total": _points(entry.total)}
        return fragment("live/parts/verdict.html", values)

    return cached(snapshot, line, late, verdict, entry, make=render)


def _verdict(snapshot: Snapshot, seat: Seat, entry: Entry | None) -> str:
    """A key of `VERDICTS`, which is also a CSS class."""
    if entry is None:
        return "before" if seat.since > snapshot.state.round else "silent"
    assert snapshot.round is not None  # since there is an entry
    return play_named(snapshot.state.play).verdict(snapshot.round, entry)


def _points(number: int) -> str:
    return ngettext("+%(points)s point", "+%(points)s points", number) % {"points": number}
