"""Closes rounds and is killed while it does, again and again; who comes next goes on.

`python -m tests.live.closer GAME KILLS` forks for each try a child that closes what is open, and kills it after a while
that is chance. Once a round is sealed it asks the next question. Prints how often a child was killed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from random import Random

if __name__ == "__main__":
    import django

    django.setup()

from parts.live import clock, repository, rules, seats
from parts.live.rules import Game, Phase, Step
from parts.live.services import answering, closing, moving


def close_in_a_child(game: Game, seconds: float) -> bool:
    """Whether the child was killed before it was done."""
    child = os.fork()
    if child == 0:
        try:
            closing.close(game, repository.read_state(game.id), "Hana")
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _pid, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def ask(game: Game) -> None:
    moving.drive(game.id, "Hana", Step.NEXT, repository.read_state(game.id).version)
    for seat in seats.read_seats(game.id):
        told = answering.submit(game, repository.read_state(game.id), seat, [0], clock.now())
        assert told == answering.AnswerStatus.COUNTED


def close_and_kill(game: Game, kills: int, chance: Random) -> int:
    """A closing takes some milliseconds; who is killed early has done nothing, who is killed late all of it. Nobody
    waits long for the dead."""
    rules.MAX_CLOSING_MS = 10
    killed = tried = 0
    while tried < kills or repository.read_state(game.id).is_open:
        if not repository.read_state(game.id).is_open:
            ask(game)
        if tried < kills:
            killed += close_in_a_child(game, chance.random() * 0.02)
            tried += 1
        else:
            closing.close(game, repository.read_state(game.id), "Hana")
    assert repository.read_state(game.id).phase == Phase.RESULTS
    return killed


if __name__ == "__main__":
    found = repository.find(sys.argv[1])
    print(close_and_kill(found[0], int(sys.argv[2]), Random(17)))
