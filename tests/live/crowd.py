"""Players who answer as quickly as they can until the session ends, each recording what was said and told.

They act as threads of a test, or of several processes: `python -m tests.live.crowd GAME PLAYER,PLAYER…` says "ready",
plays once a line comes, the players between two commas in one process, and prints what all of them did.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

if __name__ == "__main__":
    import django

    django.setup()

from foundation.acts.storage import use_table
from foundation.store.table import Conflict, Table, Unavailable
from parts.live import clock, repository, seats
from parts.live.rules import Game, Phase, State
from parts.live.services import answering
from parts.questions.question import Type
from tests.at_once import at_once
from tests.forks import in_processes

SAID = {Type.SURVEY: lambda words: {"3": words}, Type.POLL: lambda words: [words]}  # of a poll: an idea
PLAYERS = ("ada", "ben", "cem", "dot")  # of an assembly
OPTIONS = 10  # which have more orders than anybody votes in
UNKNOWN = "unknown"  # no answer came: it may count or not
NO_ANSWER = (Conflict, Unavailable)


@dataclass(frozen=True)
class Act:
    player: str
    round: int
    said: str
    at: int
    told: str


def play(game: Game, player: str) -> list[Act]:
    """Answer with words that nobody else uses, again and again; who finds the time up closes the round."""
    acts: list[Act] = []
    at = 0
    while True:
        try:
            state = repository.read_state(game.id)
            seat = seats.find(game.id, player)
            if state.phase == Phase.ENDED:
                return acts
            if state.phase != answered_in(game):
                time.sleep(0.05)  # whoever only looks takes the time of those who act
                continue
            at = max(clock.now(), at + 1)  # no two at the same millisecond: which of them is the last would be chance
        except NO_ANSWER:
            continue
        acts.append(_give(game, state, seat, words_of(game, player, len(acts)), at))


def answered_in(game: Game) -> Phase:
    return Phase.VOTING if game.format.any_order else Phase.QUESTION


def words_of(game: Game, player: str, number: int) -> str:
    """In an assembly a ranking: the first place says whose it is, the others which of theirs."""
    if not game.format.any_order:
        return f"{player} {number}"
    own = PLAYERS.index(player)
    others = [place for place in range(OPTIONS) if place != own]
    for left in range(len(others), 0, -1):
        number, at = divmod(number, left)
        others.append(others.pop(at))
    return ">".join(map(str, [own, *others]))


def player_of(ranking: str) -> str:
    return PLAYERS[int(ranking[0])]


def _give(game: Game, state: State, seat: seats.Seat, words: str, at: int) -> Act:
    said = SAID.get(game.engagement_type, str)(words)
    try:
        told = str(answering.submit(game, state, seat, said, at))
    except NO_ANSWER:
        told = UNKNOWN
    return Act(seat.player, state.round, words, at, told)


def play_all(game: Game, players: list[str], table: Table | None = None) -> list[Act]:
    answers = at_once(*(partial(_elsewhere, game, player, table) for player in players))
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return [act for acts in answers for act in acts]


def _elsewhere(game: Game, player: str, table: Table | None) -> list[Act]:
    with use_table(table) if table else nullcontext():
        return play(game, player)


def flaws(acts: list[Act], round_: int, sealed: dict[str, str]) -> list[str]:
    """What is wrong with a sealed round, in sentences: the last that was told to count must be the one that does, and
    nothing counts that was told not to."""
    found = []
    for player in {act.player for act in acts}:
        own = [act for act in acts if act.player == player and act.round == round_]
        counted = [act for act in own if act.told == answering.AnswerStatus.COUNTED]
        last = max((act.at for act in counted), default=0)
        may_be = {act.said for act in own if (act.told == UNKNOWN and act.at > last) or act.at == last}
        there = sealed.get(player)
        if there not in may_be and not (there is None and not counted):
            found.append(f"{player} in round {round_}: {there!r} counts, one of {may_be} was told to.")
    return found


def coming(players: str) -> Callable[[], list[dict[str, Any]]]:
    game, _ = repository.find(sys.argv[1])
    return lambda: [asdict(act) for act in play_all(game, players.split(","))]


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps([act for acts in in_processes(coming, sys.argv[2:]) for act in acts]), flush=True)
