"""What a cast costs the processor beyond an empty page: the whole application in this process, without a server."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

from ..report import MILLISECONDS, Report
from ..rounds import Comparison, Turn, take_turns
from . import day as days
from .day import CAST, Browser, Day

EMPTY, SIGNED_IN = "/bench/empty/", "/bench/signed-in/"  # see addresses.py
GOAL = 3.0  # milliseconds
ROUNDS, TURN = 7, 60

Application = Callable[[dict[str, Any], Callable[..., None]], Any]


def measure(report: Report, day: Day, scale: float) -> None:
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import override_settings

    count = max(2, int(TURN * scale))
    with days.on(day), override_settings(ROOT_URLCONF="bench.ballots.addresses"):
        coming, application = iter(days.browsers(day.voters)), WSGIHandler()
        turns = [_turn(application, path, coming, count) for path in (CAST, EMPTY, SIGNED_IN)]
        cast, empty, signed_in = take_turns(turns, _rounds(scale))
    _report(report, cast, empty, signed_in)


def voters_needed(scale: float) -> int:
    """Everybody sends one form: a cast, or one that does nothing."""
    return 3 * (_rounds(scale) + 1) * max(2, int(TURN * scale))


def _rounds(scale: float) -> int:
    return ROUNDS if scale >= 1 else 2


def _turn(application: Application, path: str, coming: Iterator[Browser], count: int) -> Turn:
    """How many milliseconds of processor time a form takes there, on average."""
    chance = random.Random(path)

    def turn() -> float:
        requests = [each.as_environ(path, each.form(chance)) for each, _ in zip(coming, range(count), strict=False)]
        start = process_time()
        for environ in requests:
            _send(application, environ)
        return (process_time() - start) * 1000 / count

    return turn


def _send(application: Application, environ: dict[str, Any]) -> None:
    said: list[str] = []
    answer = application(environ, lambda status, headers: said.append(status))
    b"".join(answer)
    answer.close()
    assert said[0].startswith("302"), said


def _report(report: Report, cast: tuple[float, ...], empty: tuple[float, ...], signed_in: tuple[float, ...]) -> None:
    report.heading("CPU of a cast, beyond a form that is sent, checked against forgery and answered", "goal")
    beyond = tuple(max(0.01, whole - nothing) for whole, nothing in zip(cast, empty, strict=True))
    goal = Comparison(beyond, (GOAL,) * len(beyond))
    report.compare("cpu", "a cast beyond the empty form", goal, MILLISECONDS, peer="goal", at_least=1)
    person = median(each - nothing for each, nothing in zip(signed_in, empty, strict=True))
    report.figure("cpu.session.milliseconds", "  of this, reading session and person", person, "ms")
    report.figure("cpu.empty.milliseconds", "an empty form, every middleware", median(empty), "ms")
