"""Standings: totals over the rounds that count, places, how they changed with the latest round, and their tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from django.utils.safestring import SafeString

from foundation.pages.fragments import fragment
from foundation.pages.names import natural_sort_key

from . import scores
from .play import cached, play_of
from .rounds import Round
from .rules import Phase
from .seats import Seat
from .snapshot import Snapshot
from .symbols import and_others

TOP_LINES = 10  # shown to everyone
PODIUM_STEPS = 3  # places on the podium
MAX_NAMES_ON_A_STEP = 3  # of the podium


@dataclass(frozen=True, slots=True)
class Line:
    """A player on the board."""

    player: str
    name: str
    place: int
    total: int
    gained: int = 0  # in the latest round that counts
    bonus: int = 0  # the part of it for speed
    moved: int | None = None  # places up, negative for down; `None` without an earlier place
    is_new: bool = False  # since the previous standings
    question: int = 0  # at which they joined, counted from 1; 0 if there from the start

    @property
    def by(self) -> int:
        """Number of places moved, in either direction."""
        return abs(self.moved or 0)


@dataclass(frozen=True, slots=True)
class Standings:
    """All players, best first; ties are sorted by name."""

    lines: tuple[Line, ...]
    rounds: int  # that count
    by_player: Mapping[str, Line] = field(default_factory=dict, repr=False, compare=False)

    @property
    def top(self) -> tuple[Line, ...]:
        return self.lines[:TOP_LINES]

    def place_of(self, player: str) -> Line | None:
        return self.by_player.get(player)

    @property
    def podium(self) -> tuple[tuple[int, tuple[Line, ...]], ...]:
        """The first three places, ties included; players without points are left out."""
        best = [line for line in self.lines if line.place <= PODIUM_STEPS and line.total]
        return tuple((place, tuple(some)) for place, some in groupby(best, key=lambda line: line.place))

    @property
    def rest(self) -> tuple[Line, ...]:
        """All lines below the podium."""
        return self.lines[sum(len(some) for _place, some in self.podium) :]


def standings_of(rounds: Iterable[Round], seats: Iterable[Seat], voided: Collection[int] = ()) -> Standings:
    """Recomputed from the rounds each time, so that no points are added twice. Robots count like people."""
    played = sorted(rounds, key=lambda each: each.number)
    counting = [each for each in played if each.number not in voided]
    playing = [seat for seat in seats if seat.plays]
    totals = dict.fromkeys((seat.player for seat in playing), 0)
    for each in counting[:-1]:
        _add(totals, each)
    before: dict[str, int] = {}  # places before the latest round, of the players who had joined by then
    if len(counting) > 1:
        known = (seat.player for seat in playing if seat.since < counting[-1].number)
        before = scores.places({player: totals[player] for player in known})
    if counting:
        _add(totals, counting[-1])
    places = scores.places(totals)
    latest = {entry.player: entry for entry in counting[-1].entries} if counting else {}
    asked = {each.number: each.question + 1 for each in played}
    lines = {}
    for seat in sorted(playing, key=lambda seat: (places[seat.player], natural_sort_key(seat.name), seat.player)):
        player, entry, place = seat.player, latest.get(seat.player), places[seat.player]
        lines[player] = Line(
            player=player,
            name=seat.name,
            place=place,
            total=totals[player],
            gained=entry.total if entry else 0,
            bonus=entry.bonus if entry else 0,
            moved=before[player] - place if player in before else None,
            is_new=bool(before) and player not in before,
            question=_joined_at_question(seat.since, asked),
        )
    return Standings(tuple(lines.values()), len(counting), lines)


def _add(totals: dict[str, int], round_: Round) -> None:
    for entry in round_.entries:
        if entry.player in totals:
            totals[entry.player] += entry.total


def _joined_at_question(since: int, asked: Mapping[int, int]) -> int:
    """The question at which a player joined; if its round is not sealed yet, the one after the last sealed."""
    if since <= 1:
        return 0
    return asked[since] if since in asked else max(asked.values(), default=0) + 1


# --- of a snapshot ---


def is_scored(snapshot: Snapshot) -> bool:
    """Whether any question of the session gives points."""
    return any(play_of(snapshot.game, each).is_scored for each in snapshot.questions)


def scored_rounds(snapshot: Snapshot) -> list[Round]:
    game, questions = snapshot.game, snapshot.questions
    return [each for each in snapshot.rounds.values() if play_of(game, questions[each.question]).is_scored]


def current_standings(snapshot: Snapshot) -> Standings:
    """Standings without rounds that have not been revealed yet."""

    def standings() -> Standings:
        state = snapshot.state
        hidden = state.phase == Phase.RESULTS and not state.revealed
        known = [each for each in scored_rounds(snapshot) if not (hidden and each.number == state.round)]
        return standings_of(known, snapshot.seats.values(), state.voided)

    return cached(snapshot, "standings", make=standings)


# --- as tables ---


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
