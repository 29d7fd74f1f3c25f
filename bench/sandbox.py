"""Part `sandbox`: what the dearest request costs that the sandbox accepts from anybody, beside a trivial one.

Of every kind of ballots that is dear for its own reason as many are sent as are accepted. Counted is the processor time
of the server and of the processes it started, from the first byte of the form to the last of the page.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

from tally.ballots import Ballots, ranking_of

from .people import start_django
from .report import MILLISECONDS, Report
from .rounds import Comparison

MOST_SECONDS = 8.0  # the limit of a process, and what reading the form and making the page take at the most
TRIVIAL = "2: Ada > Bo\n1: Bo > Ada\n"
MOST_RANKINGS = 10_000  # of a form,
MOST_MARKS = 250_000  # and names on them that fit a megabyte

Answer = Callable[[dict[str, str]], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """Rankings of a kind: whole ones where no length is given, of voters in camps or at random."""

    label: str
    method: str
    candidates: int
    seats: int = 1
    length: int = 0
    equals: int = 1
    camps: bool = True

    def ballots(self, rankings: int) -> Ballots:
        names = tuple(f"c{number:02}" for number in range(self.candidates))
        return Ballots(names, dict.fromkeys(drawn(self)[:rankings], 1))


@lru_cache(maxsize=1)
def drawn(kind: Kind) -> list[str]:
    """As many different rankings of a kind as a form may have."""
    chance, everybody = random.Random(1), range(kind.candidates)
    found: dict[str, None] = {}
    for _ in range(min(MOST_RANKINGS, MOST_MARKS // (kind.length or kind.candidates))):
        liking = {each: each * 0.3 * kind.camps + chance.gauss(0, 3) for each in everybody}
        order = sorted(everybody, key=liking.__getitem__)[: kind.length or kind.candidates]
        found[ranking_of(order[at : at + kind.equals] for at in range(0, len(order), kind.equals))] = None
    return list(found)


KINDS = (
    Kind("Meek, 100 candidates, 90 seats", "stv-meek", 100, 90),
    Kind("Meek, 100 candidates, 20 seats", "stv-meek", 100, 20),
    Kind("Meek, 40 candidates, 10 seats", "stv-meek", 40, 10),
    Kind("Meek, 20 candidates, 10 seats", "stv-meek", 20, 10),
    Kind("Meek, 30 candidates in ties of 5", "stv-meek", 30, 8, equals=5),
    Kind("Meek, 100 candidates in ties of 50", "stv-meek", 100, 5, equals=50),
    Kind("Scottish rules, 60 seats", "stv-scottish", 100, 60),
    Kind("Schulze, 100 candidates at random", "schulze", 100, camps=False),
    Kind("Schulze, 60 candidates in ties of 3", "schulze", 60, equals=3),
    Kind("instant runoff, 100 candidates", "irv", 100, length=1, camps=False),
    Kind("instant runoff, 30 candidates", "irv", 30),
    Kind("many short rankings", "schulze", 40, length=3, camps=False),
)


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        start_django(folder)
        answer = _site(Path(folder, "site.sqlite3"))
        trivial = min(_cost(answer, {"ballots": TRIVIAL})[0] for _ in range(3))
        _dearest(report, answer, trivial, KINDS[: max(2, int(len(KINDS) * scale))])


def _site(path: Path) -> Answer:
    from django.conf import settings
    from django.test import Client

    from store.connect import connect

    settings.STORE_URL = f"sqlite://{path}"
    connect(settings.STORE_URL).create()
    client = Client()
    return lambda form: client.post("/sandbox/", form)


def _dearest(report: Report, answer: Answer, trivial: float, kinds: tuple[Kind, ...]) -> None:
    report.heading("The dearest requests that the sandbox accepts, and a trivial one: processor time", "trivial")
    costs = {}
    for kind in kinds:
        rankings = most_accepted(kind)
        seconds, status = _cost(answer, form_of(kind, rankings))
        costs[kind.label] = seconds
        ended = "" if status == 200 else ", stopped"
        comparison = Comparison((1000 * seconds,), (1000 * trivial,))
        report.fact(f"{kind.label}.rankings", rankings)
        report.compare(kind.label, f"{kind.label}: {rankings:,}{ended}", comparison, MILLISECONDS, peer="trivial")
    dearest = max(costs.values())
    report.figure("dearest.seconds", f"dearest, of at most {MOST_SECONDS:.0f}", dearest, "s of a processor")
    report.figure("dearest.trivial_requests", "as many trivial requests", dearest / trivial, "")
    report.fact("dearest.goal_met", dearest <= MOST_SECONDS)


def most_accepted(kind: Kind) -> int:
    """How many different rankings of a kind are counted; none of more is begun."""
    low, high = 1, len(drawn(kind))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _is_accepted(kind, middle) else (low, middle - 1)
    return low


def _is_accepted(kind: Kind, rankings: int) -> bool:
    from results import apart, sandbox_views

    ballots = kind.ballots(rankings)
    job = sandbox_views.job_of(ballots, kind.method, seats=kind.seats)
    is_short = len(text_of(ballots)) <= sandbox_views.LIMITS.bytes
    return is_short and job.cost(job.size) <= apart.MOST_STEPS


def form_of(kind: Kind, rankings: int) -> dict[str, str]:
    return {"ballots": text_of(kind.ballots(rankings)), "method": kind.method, "seats": str(kind.seats)}


def text_of(ballots: Ballots) -> str:
    named = {str(number): name for number, name in enumerate(ballots.candidates)}
    rows = (
        ">".join("=".join(named[each] for each in group.split("=")) for group in ranking.split(">"))
        for ranking in ballots.counts
    )
    return "".join(f"1:{row}\n" for row in rows)


def _cost(answer: Answer, form: dict[str, str]) -> tuple[float, int]:
    """Seconds of a processor, and how it was answered."""
    before = _processor()
    status = int(answer(form).status_code)
    return _processor() - before, status


def _processor() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
