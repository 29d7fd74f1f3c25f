"""Robots for rehearsals: they join by themselves and answer.

When and what a robot answers is derived from session, round and number, so every process would write the same item.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from random import Random

from django.utils.translation import gettext as _

from foundation.acts.refusals import LostRace
from foundation.acts.storage import table, write
from foundation.store import keys
from foundation.store.limits import BATCH_PUTS
from foundation.store.splitting import by_count
from foundation.store.table import StoreError
from parts.live import clock, repository, seats
from parts.live.play import play_named
from parts.live.rounds import GivenAnswer, pseudonym
from parts.live.rules import Game, Phase, State
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

MAX_ROBOTS = 50  # per session
MIN_ANSWER_MS, MAX_ANSWER_MS = 700, 5_000  # a robot's response time


def name(number: int) -> str:
    return _("Robot %(number)d") % {"number": number}


# --- seats ---


def seat_all(game: Game, found: Mapping[str, Seat]) -> bool:
    """Seats missing robots and returns whether there were any. If a name is taken, the robot gets a longer one."""
    missing = [number for number in range(1, min(game.debug_mode, MAX_ROBOTS) + 1) if player(number) not in found]
    seated = [number for number in missing if _seat(game, number)]
    if seated:
        seats.count_change(game)
    return bool(seated)


def player(number: int) -> str:
    return f"robot-{number:04d}"


def _seat(game: Game, number: int) -> bool:
    for named in (name(number), f"{name(number)} ({player(number)})"):
        robot = Seat(player(number), named, game.created_at, robot=True)
        try:
            write(*seats.seating(game, robot))
        except LostRace as refused:
            if refused.parts == (0,):
                continue  # the name is taken
            return False  # another process was quicker
        return True
    return False


# --- answers and votes ---


class Robots:
    """The robots of one session, as seen by this process."""

    def __init__(self) -> None:
        self.given: set[tuple[int, str, str]] = set()  # rounds, phases and robots already done

    def play(self, snapshot: Snapshot, robots: Sequence[Seat]) -> None:
        """Submits answers that are due. If the store fails, the next tick tries again."""
        state = snapshot.state
        done, now = self.given, clock.now()
        waiting = (
            [each for each in robots if (state.round, state.phase, each.player) not in done] if state.is_open else []
        )
        due = [each for each in waiting if moment(snapshot.game, state, each) <= now]
        if not due or state.closing:
            return
        try:
            _give(snapshot, due)
        except StoreError:
            return
        self.given.update((state.round, state.phase, each.player) for each in due)


def moment(game: Game, state: State, robot: Seat) -> int:
    """When a robot answers: early enough even for the shortest time limit."""
    latest = min(MAX_ANSWER_MS, state.clock.seconds * 700) if state.clock.seconds else MAX_ANSWER_MS
    waits = _chance(game, state, robot, "when").randint(min(MIN_ANSWER_MS, latest), latest)
    return state.clock.began + clock.LEAD_MS + waits


def _give(snapshot: Snapshot, robots: Sequence[Seat]) -> None:
    game, state = snapshot.game, snapshot.state
    salt = repository.read_salt(game.id, state.round) if state.secret else None
    if state.secret and salt is None:
        return  # already being sealed
    key, play = keys.live_vote if state.phase == Phase.VOTING else keys.live_answer, play_named(state.play)
    items = []
    for robot in robots:
        value = play.robot_answer(snapshot, robot, _chance(game, state, robot, "what"))
        if value is None:
            continue
        words = f"{game.id} {state.round} {state.phase} {robot.player}"
        receipt = hashlib.sha256(words.encode()).hexdigest()[:12]  # never used for a lookup
        given = GivenAnswer(pseudonym(salt, robot.player), value, moment(game, state, robot), receipt)
        items.append(repository.given_item(game, key(game.id, state.round, given.player, given.at), given))
    for some in by_count(items, BATCH_PUTS):
        table().put_all(some)


def _chance(game: Game, state: State, robot: Seat, what: str) -> Random:
    return Random(f"{game.id} {state.round} {state.phase} {robot.player} {what}")  # noqa: S311 - chance, no secret
