"""From the click that closes an election to the first page that shows its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from ..ballots.day import NAME
from ..ballots.server import HOST
from ..report import SECONDS, Report
from ..rounds import Comparison
from . import site as sites
from .paste import paste
from .site import Site, Size, Voter
from .walking import NotAsExpected

CLOSE, RESULTS, BOARD = (f"/election/{NAME}/{each}/" for each in ("close", "results", "dashboard"))
SIZES = ((10_000, 0.4, 5), (100_000, 2.0, 2))  # ballots, the seconds it may take, and how often it is tried
EVERY = 0.02  # seconds between two looks of somebody who waits for the result
PATIENCE = 300.0
WARM = 12  # pages, so that every process has served some
WHO = {"closer": "whoever closed it", "other": "others"}


@dataclass(frozen=True, slots=True)
class Seen:
    """Seconds from the close until the result was there."""

    closed: float  # until the click was answered
    closer: float
    other: float


def measure(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    for ballots, goal, rounds in SIZES:
        many = max(50, round(ballots * scale))
        found = _turns(roots, folder / str(ballots), many, rounds if scale >= 1 else 1)
        _report(report, many, goal, found)


def _turns(roots: Mapping[str, Path], folder: Path, ballots: int, rounds: int) -> dict[str, list[Seen]]:
    size = Size(voters=2, elections=1, cast=ballots, signed_in=2)
    for name, root in roots.items():
        sites.make(root, folder / name, size)
    found: dict[str, list[Seen]] = {name: [] for name in roots}
    for number in range(rounds):
        for name in [*roots][:: -1 if number % 2 else 1]:
            with sites.again(folder / name) as copy, sites.served(roots[name], copy) as site:
                found[name].append(seen(site))
    return found


def seen(site: Site) -> Seen:
    """Close it, and look until the result is there: on the connection that closed it, and on new ones."""
    _wake(site)
    waiting = _Waiting(site, site.lookers[0])
    closer = HTTPConnection(HOST, site.server.port, timeout=PATIENCE)
    form = {"csrfmiddlewaretoken": site.owner.browser.field}
    waiting.start()
    start = time.perf_counter()
    answer = _asked(closer, site, site.owner, CLOSE, form)
    closed = time.perf_counter() - start
    if answer.status != 302:
        raise NotAsExpected(f"The close was answered with {answer.status}.")
    while not _shows(_asked(closer, site, site.owner, RESULTS)):
        _wait(start)
    mine = time.perf_counter() - start
    waiting.join()
    if not waiting.found:
        raise NotAsExpected("Somebody else did not see the result.")
    return Seen(closed, mine, waiting.found - start)


class _Waiting(threading.Thread):
    """Somebody who wants to know, and asks each time on a new connection: any process may answer."""

    def __init__(self, site: Site, voter: Voter):
        super().__init__()
        self.site, self.voter, self.found = site, voter, 0.0

    def run(self) -> None:
        start = time.perf_counter()
        while not _shows(self.site.ask(self.voter, RESULTS)):
            _wait(start)
        self.found = time.perf_counter()


def _wait(since: float) -> None:
    if time.perf_counter() - since > PATIENCE:
        raise NotAsExpected(f"There was no result within {PATIENCE:.0f} seconds.")
    time.sleep(EVERY)


def _shows(answer: HTTPResponse) -> bool:
    """Before the close it is forbidden, and while ballots are counted the page says so."""
    if answer.status not in (200, 202, 403):
        raise NotAsExpected(f"The results page was answered with {answer.status}.")
    return answer.status == 200


def _wake(site: Site) -> None:
    """A server that has been there for a while, and a worker that rests."""
    for voter in (site.owner, site.lookers[0]):
        for path in (RESULTS, *([CLOSE, BOARD] if voter is site.owner else [])):
            for _ in range(WARM):
                site.ask(voter, path)
    site.server.settle(also_worker=True)


def _asked(
    connection: HTTPConnection, site: Site, voter: Voter, path: str, form: dict[str, str] | None = None
) -> HTTPResponse:
    body, method = (None, "GET") if form is None else (urlencode(form), "POST")
    connection.request(method, path, body, site.headers(voter))
    answer = connection.getresponse()
    answer.read()
    return answer


# --- what was found ---


def _report(report: Report, ballots: int, goal: float, found: Mapping[str, list[Seen]]) -> None:
    report.heading(f"{ballots:,} ballots: from the close to the result", "goal")
    ours = found["Plenum"]
    for key, label in WHO.items():
        times = tuple(getattr(each, key) for each in ours)
        within = Comparison(times, (goal,) * len(times))
        report.compare(
            f"closing.{ballots}.{key}", f"{ballots:,}, seen by {label}", within, SECONDS, peer="goal", at_least=1
        )
    closed = median(each.closed for each in ours)
    report.figure(f"closing.{ballots}.closed.seconds", "  until the click was answered", closed, "s")
    if "before" in found:
        report.heading(f"{ballots:,} ballots: from the close to the result, and before", "before")
        for key, label in WHO.items():
            beside = Comparison(*(tuple(getattr(each, key) for each in found[name]) for name in ("Plenum", "before")))
            report.compare(f"closing.{ballots}.{key}", f"{ballots:,}, seen by {label}", beside, SECONDS, peer="before")
    columns = [f"{ballots:,} ballots, from the close", *(f"seen by {label}" for label in WHO.values())]
    rows = [
        [name, *(f"{median(getattr(each, key) for each in turns):.2f} s" for key in WHO)]
        for name, turns in found.items()
    ]
    paste(report, columns, rows)
