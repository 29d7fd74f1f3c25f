"""Template context of projector, remote and scoreboard: step buttons, lobby, results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from foundation.acts.links import absolute_url
from foundation.pages.fragments import fragment
from foundation.pages.qr import shared_qr_svg
from parts.live import clock, labels, standings, steps
from parts.live.follow_ups import services as follow_ups
from parts.live.play import play_at, play_named, play_of
from parts.live.rounds import Round
from parts.live.rules import UNCOUNTABLE, Game, Phase, State, Step
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.standings import TOP_LINES, Line, Standings
from parts.live.symbols import and_others
from parts.questions.question import Question

from .formats import SCREENS

MAX_LOBBY_CHARS = 420  # of all names together: as many as fit the smallest projector
MAX_CHIP_CHARS = 24  # after which a name is cut
CHIP_FRAME_CHARS = 5  # approximate width of a name's frame
# length of a title that needs a second line; characters of names that fit such a line
TITLE_LINE_CHARS, LOBBY_LINE_CHARS = 45, 84
CALL_LABEL = _("Call it")

CONFIRMATIONS: dict[Step, str | Promise] = {
    Step.VOID: _("Nobody gets points for this question, and nobody sees what was answered."),
    Step.REPEAT: _("Everybody is asked this question once more. What was answered so far does not count."),
    Step.END: _(
        "Nobody can answer after that. Any open question is closed first, and everybody sees the final screen."
    ),
}


@dataclass(frozen=True, slots=True)
class Button:
    """A step that a host can take from the version shown."""

    step: Step
    label: str | Promise
    version: int
    asks: str | Promise = ""  # text to confirm, if the step needs confirmation
    item: int | None = None  # position of the question, if asked out of order

    @property
    def value(self) -> str:
        return f"{self.step} {self.version}" + ("" if self.item is None else f" {self.item}")


@dataclass(frozen=True, slots=True)
class Lobby:
    """Who is present, newest first, as far as names fit."""

    visible: tuple[Seat, ...]
    more: int
    players: int
    waiting: int  # for the host to approve their names


def buttons(game: Game, state: State, present: int = 0) -> list[Button]:
    """Most likely step first."""
    return [
        Button(each, labels.step_label(each, game, state), state.version, confirmation(game, each, present))
        for each in steps.offered(game, state)
    ]


def calls(snapshot: Snapshot) -> dict[int, Button]:
    """Buttons for all questions that can be asked now in any order, by index."""
    if not steps.may_call(snapshot.game, snapshot.state):
        return {}
    places = range(snapshot.game.total_questions)
    return {each: Button(Step.NEXT, CALL_LABEL, snapshot.state.version, item=each) for each in places}


def confirmation(game: Game, step: Step, present: int) -> str | Promise:
    """The text to confirm before a step that is irreversible, or pointless with so few people; else empty."""
    own = SCREENS.of(game).confirmation(game, step, present)
    return CONFIRMATIONS.get(step, "") if own is None else own


def confirmation_version(snapshot: Snapshot) -> str:
    """Changes when people come or go and the confirmation of a button on screen changes as a result."""
    if snapshot.state.phase != Phase.SHOWN:
        return ""
    return "-unsure" if confirmation(snapshot.game, Step.VOTE, len(snapshot.playing)) else ""


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


def host_context(snapshot: Snapshot) -> dict[str, Any]:
    """Context of these screens, in addition to `screens.context`."""
    game, state = snapshot.game, snapshot.state
    offered = buttons(game, state, len(snapshot.playing))
    at, play = steps.next_question(game, state), play_at(state)
    return {
        **join_context(game),
        "site_name": settings.SITE_NAME,
        "phase_label": labels.phase_label(game, state),
        "is_scored": is_scored(snapshot),
        "is_voided": bool(state.round) and not state.counts(state.round),
        "uncountable": UNCOUNTABLE if state.is_uncountable else "",
        **snapshot.heading,
        "seconds_left": -(-(state.clock.left(clock.now()) or 0) // 1000),
        "lobby": lobby(snapshot.seats.values(), game.title),
        "size": text_size(snapshot.question),
        "first_step": offered[0] if offered else None,
        "other_steps": offered[1:],
        **(play.hints(snapshot) | play.context(snapshot) if play else {}),
        "next_question": snapshot.questions[at] if at is not None else None,
    }


# --- results ---


def results_context(snapshot: Snapshot) -> dict[str, Any]:
    """Results once revealed, and the leaders; rendered only for the screen that shows them."""
    game, state = snapshot.game, snapshot.state
    if state.phase not in (Phase.RESULTS, Phase.ENDED):
        return {}
    sealed = snapshot.rounds.get(state.round)
    drawn: dict[str, Any] = {}
    if sealed is not None and state.phase == Phase.RESULTS:
        drawn["answers_in"] = sealed.count
        drawn["allows_follow_up"] = follow_ups.is_offered(game, state, snapshot.question, sealed)
        if state.revealed and state.counts(state.round):
            drawn["picture"] = play_named(state.play).render_result(sealed, snapshot.questions, snapshot.seats)
    shows_board = is_scored(snapshot) if state.phase == Phase.ENDED else play_named(state.play).is_scored
    if shows_board and state.revealed and scored_rounds(snapshot):
        drawn["board"] = _render_board(snapshot, current_standings(snapshot))
    return drawn


def scoreboard_context(snapshot: Snapshot) -> dict[str, Any]:
    """The scoreboard on its own, at any time during the session."""
    standing = current_standings(snapshot)
    return {"board": _render_board(snapshot, standing)} if is_scored(snapshot) and standing.rounds else {}


def _render_board(snapshot: Snapshot, standing: Standings) -> SafeString:
    return render_final(standing) if snapshot.state.phase == Phase.ENDED else render_standings(standing)


def screen_version(snapshot: Snapshot) -> str:
    """Includes the names on the scoreboard, which is redrawn when a player is renamed, removed or readmitted."""
    play = play_at(snapshot.state)
    if snapshot.state.is_under_way or play is None or not is_scored(snapshot):
        return play.screen_version(snapshot) if play else ""
    named = sorted((each.player, each.name) for each in snapshot.seats.values() if each.plays)
    return f"-{sha256(repr(named).encode()).hexdigest()[:8]}"


def is_scored(snapshot: Snapshot) -> bool:
    """Whether any question of the session gives points."""
    return any(play_of(snapshot.game, each).is_scored for each in snapshot.questions)


def scored_rounds(snapshot: Snapshot) -> list[Round]:
    return [
        each for each in snapshot.rounds.values() if play_of(snapshot.game, snapshot.questions[each.question]).is_scored
    ]


def current_standings(snapshot: Snapshot) -> standings.Standings:
    """Standings without rounds that have not been revealed yet."""
    state = snapshot.state
    hidden = state.phase == Phase.RESULTS and not state.revealed
    known = [each for each in scored_rounds(snapshot) if not (hidden and each.number == state.round)]
    return standings.standings_of(known, snapshot.seats.values(), state.voided)


MAX_NAMES_ON_A_STEP = 3  # per step of the podium


def render_standings(standing: Standings, own: str = "") -> SafeString:
    """The top ten, followed by the viewer's own line."""
    mine = standing.place_of(own)
    below = mine if mine not in standing.top else None
    more = and_others(len(standing.lines) - len(standing.top))
    moves = any(line.moved is not None for line in standing.top)
    return fragment(
        "live/results/board.html", {"lines": standing.top, "mine": below, "more": more, "moves": moves, "own": own}
    )


def render_final(standing: Standings, own: str = "") -> SafeString:
    """The podium, the next places, and the viewer's own line."""
    podium = [
        (place, some[:MAX_NAMES_ON_A_STEP], and_others(len(some) - MAX_NAMES_ON_A_STEP), some[0].total)
        for place, some in standing.podium
    ]
    rest, mine = standing.rest[:TOP_LINES], standing.place_of(own)
    below = mine in standing.rest and mine not in rest
    more = and_others(len(standing.rest) - len(rest))
    context = {"steps": podium, "rest": rest, "mine": mine if below else None, "more": more, "own": own}
    return fragment("live/results/final.html", context)


def render_own_place(line: Line | None, of: int) -> SafeString:
    """One player's own place, for their own screen."""
    return fragment("live/results/mine.html", {"line": line, "of": of})
