"""Renders the fragments of each kind of screen, once for all who see the same in the same language.

A screen is one value: what the play, the room and the format show of a snapshot is collected once, and then only
templates are filled. Each fragment has a key, and a page replaces it only if the key differs. `screen` keeps its key
while people answer, so that nobody loses a form in use; `status` has no form.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts.links import absolute_url
from foundation.pages.fragments import fragment
from foundation.pages.qr import shared_qr_svg
from parts.live import clock, standings, steps
from parts.live.play import TypedValues, cached, play_at, play_for, play_named
from parts.live.rules import UNCOUNTABLE, Game, Phase, State, Step
from parts.live.screens import qa_display
from parts.live.seats import Seat
from parts.live.services import follow_ups
from parts.live.snapshot import Snapshot
from parts.live.steps import Button
from parts.questions.question import Question

from .formats import OF_QA, SCREENS, Fragment, Role

MAX_PLAYERS_NAMED = 24  # on a waiting phone: a full hall would not fit, nor be worth sending to everybody
MAX_LOBBY_CHARS = 420  # of all names together: as many as fit the smallest projector
MAX_CHIP_CHARS = 24  # after which a name is cut
CHIP_FRAME_CHARS = 5  # approximate width of a name's frame
# length of a title that needs a second line; characters of names that fit such a line
TITLE_LINE_CHARS, LOBBY_LINE_CHARS = 45, 84

CONFIRMATIONS: dict[Step, str | Promise] = {
    Step.VOID: _("Nobody gets points for this question, and nobody sees what was answered."),
    Step.REPEAT: _("Everybody is asked this question once more. What was answered so far does not count."),
    Step.END: _(
        "Nobody can answer after that. Any open question is closed first, and everybody sees the final screen."
    ),
}


# --- what a screen shows ---


def screen_values(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    """Everything that the templates of a kind of screen show, without anything specific to one player or moment."""
    game, state, play = snapshot.game, snapshot.state, play_at(snapshot.state)

    def values() -> dict[str, Any]:
        return {
            "role": role,
            "snapshot": snapshot,
            "game": game,
            "state": state,
            "question": snapshot.question,
            "play": play_for(game, state),
            "is_voided": bool(state.round) and not state.counts(state.round),
            **snapshot.heading,
            **qa_display.qa_context(snapshot),
            **(cached(snapshot, "play", make=lambda: play.screen(snapshot)) if play else {}),
            **(_values_for_players(snapshot) if role == Role.PLAYER else _values_for_hosts(role, snapshot)),
            **SCREENS.of(game).screen(role, snapshot),
        }

    return cached(snapshot, "values", role, make=values)


def _values_for_players(snapshot: Snapshot) -> dict[str, Any]:
    names = first_names(snapshot)
    has_podium = snapshot.state.phase == Phase.ENDED and standings.is_scored(snapshot)
    return {
        "named": names,
        "unnamed": len(snapshot.playing) - len(names),
        "final": standings.render_final(standings.current_standings(snapshot)) if has_podium else "",
    }


def first_names(snapshot: Snapshot) -> list[str]:
    """The first players to join, so that the list stops changing once it is full; they are named only while waiting."""
    if snapshot.state.phase != Phase.WAITING:
        return []
    there = sorted(snapshot.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def _values_for_hosts(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    """For projector, remote and scoreboard: how to join, who is there, step buttons, and the leaders."""
    game, state, sealed = snapshot.game, snapshot.state, snapshot.round
    offered, at = buttons(game, state, len(snapshot.playing)), steps.next_question(game, state)
    if state.phase != Phase.RESULTS:
        sealed = None
    return {
        **join_context(game),
        "site_name": settings.SITE_NAME,
        "phase_label": steps.phase_label(game, state),
        "is_scored": standings.is_scored(snapshot),
        "uncountable": UNCOUNTABLE if state.is_uncountable else "",
        "lobby": lobby(snapshot.seats.values(), game.title),
        "size": text_size(snapshot.question),
        "first_step": offered[0] if offered else None,
        "other_steps": offered[1:],
        "next_question": snapshot.questions[at] if at is not None else None,
        "answers_in": sealed.count if sealed else 0,
        "allows_follow_up": bool(sealed) and follow_ups.is_offered(game, state, snapshot.question, sealed),
        "board": _board(role, snapshot),
    }


def _board(role: Role, snapshot: Snapshot) -> str:
    """The scoreboard; on its own at any time, otherwise when it is revealed after a question that gives points."""
    phase, is_scored = snapshot.state.phase, standings.is_scored(snapshot)
    if phase == Phase.RESULTS and role != Role.SCOREBOARD:
        is_scored = snapshot.state.revealed and play_named(snapshot.state.play).is_scored
    if not is_scored or (role != Role.SCOREBOARD and phase not in (Phase.RESULTS, Phase.ENDED)):
        return ""
    standing = standings.current_standings(snapshot)
    if not (standing.rounds if role == Role.SCOREBOARD else standings.scored_rounds(snapshot)):
        return ""
    return standings.render_final(standing) if phase == Phase.ENDED else standings.render_standings(standing)


# --- for hosts ---


@dataclass(frozen=True, slots=True)
class Lobby:
    """Who is present, newest first, as far as names fit."""

    visible: tuple[Seat, ...]
    more: int
    players: int
    waiting: int  # for the host to approve their names


def lobby(seats: Iterable[Seat], title: str = "") -> Lobby:
    there = [each for each in seats if not (each.removed or each.left)]
    there.sort(key=lambda each: each.joined_at, reverse=True)
    playing = [each for each in there if each.approved]
    visible = tuple(_fitting(playing, MAX_LOBBY_CHARS - (LOBBY_LINE_CHARS if len(title) > TITLE_LINE_CHARS else 0)))
    return Lobby(visible, len(playing) - len(visible), len(playing), len(there) - len(playing))


def _fitting(seats: Sequence[Seat], room: int) -> Iterable[Seat]:
    for each in seats:
        room -= min(len(each.name), MAX_CHIP_CHARS) + CHIP_FRAME_CHARS
        if room < 0:
            return
        yield each


def buttons(game: Game, state: State, present: int = 0) -> list[Button]:
    """Most likely step first."""
    return [
        Button(each, steps.step_label(each, game, state), state.version, confirmation(game, each, present))
        for each in steps.offered(game, state)
    ]


def confirmation(game: Game, step: Step, present: int) -> str | Promise:
    """The text to confirm before a step that is irreversible, or pointless with so few people; else empty."""
    own = SCREENS.of(game).confirmation(game, step, present)
    return CONFIRMATIONS.get(step, "") if own is None else own


def text_size(question: Question | None) -> str:
    """The largest font size at which all of the question fits a projector."""
    if question is None:
        return "large"
    longest = max(map(len, question.options), default=0)
    if len(question.title) > 110 or len(question.options) > 6 or longest > 60:
        return "small"
    return "medium" if len(question.title) > 50 or len(question.options) > 4 or longest > 25 else "large"


def join_link(game: Game) -> str:
    """The content of the QR code."""
    return absolute_url(reverse("join_game", args=[game.id, game.token]))


def join_context(game: Game) -> dict[str, Any]:
    """How to join; the address as read out, without the scheme, which browsers add."""
    address = absolute_url(reverse("join")).partition("://")[2].rstrip("/")
    return {"join_address": address, "code": spaced_code(game.code), "qr": shared_qr_svg(join_link(game))}


def spaced_code(code: str) -> str:
    """Split into two groups from six digits up, so that it is easier to read."""
    return f"{code[:3]} {code[3:]}" if len(code) > 5 else code


# --- the screen ---


def render_screen(role: Role, snapshot: Snapshot, typed: TypedValues | None = None) -> Fragment:
    """Renders the screen for the current play and phase, in the active language.

    `typed` holds one player's form values, when their page is reloaded.
    """
    if role in OF_QA:
        return qa_display.render_questions(role, snapshot)
    values = screen_values(role, snapshot)
    if role != Role.PLAYER:
        values = values | {"seconds_left": -(-(snapshot.state.clock.left(clock.now()) or 0) // 1000)}
    elif is_form_for_all(snapshot):
        values = values | play_named(snapshot.state.play).form(snapshot, typed or {})
    key = f"{translation.get_language()}-{_key(role, snapshot)}"
    return Fragment(key, fragment(_screen_template(role, snapshot), values))


def _screen_template(role: Role, snapshot: Snapshot) -> str:
    """Players and the projector see what the play shows in this phase; the host's has a bar of controls below it."""
    if role in (Role.PLAYER, Role.SCREEN):
        side = "player" if role == Role.PLAYER else "projector"
        return play_for(snapshot.game, snapshot.state).template(f"{side}/{snapshot.state.phase}")
    return f"live/screens/{role}.html"


def is_form_for_all(snapshot: Snapshot) -> bool:
    """Whether everybody gets the same form; votes on answers have a form in each player's own order."""
    play = play_at(snapshot.state)
    return play is not None and snapshot.state.is_open and snapshot.state.phase != play.own_form_phase


def _key(role: Role, snapshot: Snapshot) -> str:
    """Players' screens change rarely because they have forms; host screens follow every version and every name."""
    state, play = snapshot.state, play_at(snapshot.state)
    version = play.screen_version(snapshot) if play else ""
    if role == Role.PLAYER:
        if state.phase == Phase.WAITING:  # only with the few names it shows, so that it stays quiet in a full hall
            version = f"-{zlib.crc32(chr(10).join(first_names(snapshot)).encode()):x}"
    else:
        if play and not state.is_under_way and standings.is_scored(snapshot):  # the names on the scoreboard
            named = sorted((each.player, each.name) for each in snapshot.seats.values() if each.plays)
            version = f"-{sha256(repr(named).encode()).hexdigest()[:8]}"
        if role in (Role.HOST, Role.REMOTE):
            version = f"-{state.version}{'-uncountable' if state.is_uncountable else ''}{version}"
        if state.phase == Phase.SHOWN and confirmation(snapshot.game, Step.VOTE, len(snapshot.playing)):
            version += "-unsure"  # as people come and go, a button is confirmed or not
    if not state.is_open:  # hosts can correct texts, but not while a question is open
        version += f"-{sha256(repr((snapshot.game.title, snapshot.question)).encode()).hexdigest()[:8]}"
    return f"{state.key}{version}{qa_display.texts_version(snapshot)}"


# --- the line that may change at any time ---


def render_status(role: Role, snapshot: Snapshot, percent: int | None = None) -> Fragment:
    """Renders clock, pause, host away, number of answers.

    With a player's percentage of the usual time it includes the time left, for pages without JavaScript. Without it,
    nothing in it changes by itself, so that it is pushed only when there is news.
    """
    if role in OF_QA:
        html = qa_display.render_status(role, snapshot)
    else:
        time = clock_context(snapshot, percent or clock.DEFAULT_PERCENT)
        time |= {} if percent else {"left": time["left"] and time["length"]}
        side = "projector" if role in (Role.HOST, Role.SCREEN) else role
        html = fragment(f"live/screens/{side}/status.html", screen_values(role, snapshot) | {"clock": time})
    return Fragment(f"{snapshot.state.version}-{sha256(html.encode()).hexdigest()[:12]}", html)


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


# --- what the format shows beside ---


def render_panel(role: Role, snapshot: Snapshot) -> Fragment | None:
    """Most formats have none."""
    return SCREENS.of(snapshot.game).panel(role, snapshot, screen_values(role, snapshot))
