"""Renders scoreboards: standings, podium and a player's own place."""

from __future__ import annotations

from django.utils.safestring import SafeString

from live.standings import TOP_LINES, Line, Standings
from live.symbols import and_others
from pages.fragments import fragment

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
    steps = [
        (place, some[:MAX_NAMES_ON_A_STEP], and_others(len(some) - MAX_NAMES_ON_A_STEP), some[0].total)
        for place, some in standing.podium
    ]
    rest, mine = standing.rest[:TOP_LINES], standing.place_of(own)
    below = mine in standing.rest and mine not in rest
    shown = {"steps": steps, "rest": rest, "mine": mine if below else None}
    return fragment("live/results/final.html", shown | {"more": and_others(len(standing.rest) - len(rest)), "own": own})


def render_own_place(line: Line | None, of: int) -> SafeString:
    """One player's own place, for their own screen."""
    return fragment("live/results/mine.html", {"line": line, "of": of})
