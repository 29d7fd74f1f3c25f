"""Renders the fragments of each kind of screen, once for all who see the same in the same language.

Each fragment has a key, and a page replaces it only if the key differs. `screen` and `mine` keep their key while people
answer, so that nobody loses a form in use; `status` has no form. `mine` is one player's own part.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.utils import translation
from django.utils.safestring import SafeString

from foundation.pages.fragments import fragment
from parts.live import clock
from parts.live.play import TypedValues, cached, play_for
from parts.live.qa import display
from parts.live.qa.display import QuestionLine
from parts.live.seats import Seat
from parts.live.services.answering import AnswerStatus
from parts.live.snapshot import Snapshot

from . import host_screens, player_screens
from .formats import SCREENS
from .roles import OF_QA, Fragment, Role


def screen_context(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    """Context of every screen, without anything specific to one player."""
    game, state = snapshot.game, snapshot.state
    return {
        "role": role,
        "snapshot": snapshot,
        "game": game,
        "state": state,
        "question": snapshot.question,
        "round": snapshot.round if state.revealed else None,
        "play": play_for(game, state),
        **display.qa_context(snapshot),
        **({} if role == Role.PLAYER else host_screens.host_context(snapshot)),
        **SCREENS.of(game).context(role, snapshot),
    }


def render_screen(role: Role, snapshot: Snapshot, typed: TypedValues | None = None) -> Fragment:
    """Renders `templates/live/screens/{role}.html` for the current play and phase, in the active language.

    `typed` holds one player's form values, when their page is reloaded.
    """
    if role in OF_QA:
        return render_questions(role, snapshot)
    context = screen_context(role, snapshot)
    if role == Role.PLAYER:
        context |= player_screens.player_context(snapshot, typed or {}) | player_screens.results_context(snapshot)
    elif role == Role.SCOREBOARD:
        context |= host_screens.scoreboard_context(snapshot)
    else:
        context |= host_screens.results_context(snapshot)
    key = f"{translation.get_language()}-{_key(role, snapshot)}"
    return Fragment(key, fragment(f"live/screens/{role}.html", context))


def _key(role: Role, snapshot: Snapshot) -> str:
    """Players' screens change rarely because they have forms; host screens follow every version and every name."""
    if role == Role.PLAYER:
        version = player_screens.screen_version(snapshot)
    else:
        version = f"-{snapshot.state.version}" if role in (Role.HOST, Role.REMOTE) else ""
        version += "-uncountable" if version and snapshot.state.is_uncountable else ""
        version += host_screens.screen_version(snapshot) + host_screens.confirmation_version(snapshot)
    return f"{snapshot.state.key}{version}{_text_version(snapshot)}{display.texts_version(snapshot)}"


def _text_version(snapshot: Snapshot) -> str:
    """Hash of texts that hosts can correct; they cannot while a question is open."""
    if snapshot.state.is_open:
        return ""
    words = repr((snapshot.game.title, snapshot.question))
    return f"-{sha256(words.encode()).hexdigest()[:8]}"


def render_questions(role: Role, snapshot: Snapshot, **own: Any) -> Fragment:
    """Renders the questions from the room; `own` is context for one player, when their page is reloaded. The key
    depends on the questions and their order but not on upvotes, which are in the status, so that the list stays still
    while people read."""
    context = _questions_context(role, snapshot)
    mark = display.list_key(snapshot, context["lines"], is_of_host=role == Role.MANAGE_QA)
    key = f"{translation.get_language()}-{mark}"
    return Fragment(key, fragment(f"live/qa/{role}_list.html", context | own))


def _questions_context(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    lines = display.host_lines(snapshot) if role == Role.MANAGE_QA else display.question_lines(snapshot)
    written = display.texts_to_moderate(snapshot) if role == Role.MANAGE_QA else []
    return {
        "role": role,
        "game": snapshot.game,
        "qa": snapshot.qa,
        "lines": lines,
        "texts": written,
        **display.qa_context(snapshot),
    }


def render_own_questions(snapshot: Snapshot, seat: Seat, lines: list[QuestionLine] | None = None) -> Fragment:
    """The state of a player's own questions; pass `lines` if they have just been read."""
    context = {
        "game": snapshot.game,
        "lines": display.own_lines_of_player(snapshot, seat.player) if lines is None else lines,
    }
    return Fragment(own_key(snapshot, seat, Role.QA), fragment("qa/own.html", context))


def render_status(role: Role, snapshot: Snapshot, percent: int | None = None) -> Fragment:
    """Renders the line that may change at any time: clock, pause, host away, number of answers.

    With a player's percentage of the usual time it includes the time left, for pages without JavaScript. Without it,
    nothing in it changes by itself, so that it is pushed only when there is news.
    """
    if role in OF_QA:
        return _status(snapshot, f"live/qa/{role}_status.html", _questions_context(role, snapshot))
    time = clock_context(snapshot, percent or clock.DEFAULT_PERCENT)
    context = screen_context(role, snapshot) | {
        "clock": time if percent else time | {"left": time["left"] and time["length"]}
    }
    return _status(snapshot, f"live/screens/{role}/status.html", context)


def _status(snapshot: Snapshot, template: str, context: dict[str, Any]) -> Fragment:
    html = fragment(template, context)
    return Fragment(f"{snapshot.state.version}-{sha256(html.encode()).hexdigest()[:12]}", html)


def render_own(snapshot: Snapshot, seat: Seat, **own: Any) -> Fragment:
    """Renders one player's own part: name, answer, ballot, points and place.

    `own` is what `player_screens.own_context` takes. It may contain a form for voting, so its key stays the same as
    long as the phase is open.
    """
    return Fragment(
        own_key(snapshot, seat), fragment("live/screens/player/mine.html", own_context(snapshot, seat, **own))
    )


def own_key(snapshot: Snapshot, seat: Seat, role: Role = Role.PLAYER) -> str:
    if role == Role.QA:
        return f"{translation.get_language()}-{display.own_list_key(snapshot, seat.player)}"
    key = f"{translation.get_language()}-{snapshot.state.key}{display.texts_version(snapshot)}"
    return (
        key
        if snapshot.state.is_open
        else f"{key}-{seat.version}{SCREENS.of(snapshot.game).own_version(snapshot, seat.player)}"
    )


def own_context(snapshot: Snapshot, seat: Seat, **own: Any) -> dict[str, Any]:
    """Context of templates about one player."""
    return (
        screen_context(Role.PLAYER, snapshot)
        | player_screens.heading_context(snapshot)
        | player_screens.own_context(snapshot, seat, **own)
        | {"place": SCREENS.of(snapshot.game).own_version(snapshot, seat.player)}
    )


def render_counted(snapshot: Snapshot, answer: Any) -> SafeString:
    """Confirms an answer; where many choose the same within seconds, once for all of them."""

    def context() -> dict[str, Any]:
        heading = player_screens.heading_context(snapshot)
        return {"game": snapshot.game, "state": snapshot.state, "answer_status": AnswerStatus.COUNTED, **heading}

    def render() -> SafeString:
        shared = cached(snapshot, "counted context", make=context)
        summary = player_screens.answer_summary(snapshot, answer)
        return fragment("live/parts/answer_status.html", {**shared, "answer": answer, "summary": summary})

    if not play_for(snapshot.game, snapshot.state).has_few_answers:
        return render()
    return cached(snapshot, "counted", *answer, make=render)


def clock_context(snapshot: Snapshot, percent: int, now: int | None = None) -> dict[str, Any]:
    """What a page needs to show the time left by the server's clock."""
    now = clock.now() if now is None else now
    running = snapshot.state.clock
    return {
        "now": now,
        "end": running.end(percent),
        "left": running.left(now, percent) if running.seconds else None,
        "length": running.length(percent),
        "paused": bool(running.paused),
        "starts": running.began + clock.LEAD_MS if running.seconds else None,
    }
