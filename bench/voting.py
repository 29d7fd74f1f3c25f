"""Part `voting`: CPU of pages, casts and voters' journeys per second, and the time from close to result.

`make bench PART=voting BEFORE=REVISION` measures that revision in alternating rounds with this one.
"""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

from . import data
from .client import Request, Unexpected, Visit, ask, perform
from .data import BOARD, KINDS, LAST_YEAR, Person
from .report import Goal, Report, at_most, ratio_at_least, ratio_at_most
from .rounds import alternate
from .server import NEW, OLD, Server, revisions, served, served_copy, work_folder

CONCURRENT_VOTERS = 8
ROUNDS, CLOSE_ROUNDS = 7, 5
READERS = 300  # voters who look at pages and do not vote
VOTERS, SEALED_BALLOTS = 5_000, 1_000  # on the roll, and ballots of the election whose result is looked at
CLOSED_BALLOTS = 10_000  # ballots of the election that is closed
CLOSE_GOAL_SECONDS = 0.3
POLL_INTERVAL_SECONDS = 0.02  # seconds between two looks of somebody who waits for the result
TIMEOUT_SECONDS = 120.0

ELECTION = f"/election/{BOARD}/"
BALLOT = f"{ELECTION}ballot/"
REVIEW, CAST, RECEIPT = (f"{BALLOT}{each}/" for each in ("review", "cast", "receipt"))
CLOSE, RESULTS = f"{ELECTION}close/", f"{ELECTION}results/"
REVIEWED = f"302 {REVIEW}, 200"
DONE = ("200", f"302 {RECEIPT}")  # thanks, or the receipt itself; revisions before secrets of ballots led to it
CPU = "ms CPU"


def measure(report: Report, scale: float = 1.0) -> None:
    with work_folder(report.build) as folder:
        roots = revisions(folder)
        measure_pages(report, roots, folder / "pages", scale)
        measure_close(report, roots, folder / "close", scale)


# --- pages ---


@dataclass
class Site:
    """A running server, and those of its voters who have not voted yet."""

    server: Server
    readers: Sequence[Person]
    coming: deque[Person]
    voted: list[Person] = field(default_factory=list)

    def people(self, who: str, count: int) -> list[Person]:
        if who == "coming":
            return [self.coming.popleft() for _ in range(count)]
        return list(islice(cycle(self.voted if who == "voted" else self.readers), count))


@dataclass(frozen=True, slots=True)
class Page:
    """What a voter does, in one request or in several."""

    label: str
    count: int  # in a turn
    requests: Callable[[Person], list[Request]]
    expected: tuple[str, ...] = ("200",)
    who: str = "readers"
    cpu_goal: Goal | None = None
    rate_goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    cpu: float  # milliseconds each
    rate: float  # per second


def _look(path: str) -> Callable[[Person], list[Request]]:
    return lambda person: [Request(path)]


def _send(path: str) -> Callable[[Person], list[Request]]:
    """With a token that no form had before, by which the server knows a form that is sent twice."""
    return lambda person: [Request(path, person.form | {"token": secrets.token_urlsafe(16)})]


def _review(person: Person) -> list[Request]:
    return [*_send(BALLOT)(person), Request(REVIEW)]


def _journey(person: Person) -> list[Request]:
    return [Request(BALLOT), *_review(person), *_send(CAST)(person)]


NOT_DEARER = ratio_at_most(1.35)
AS_CHEAP = ratio_at_most(1.2)  # as a ranking on the same site
RANKED, CASTS = "ranked", 240
PAGES = (
    Page("cast", 240, _send(CAST), DONE, "coming", rate_goal=ratio_at_least(0.75)),
    Page(
        "journey: ballot, review, cast",
        120,
        _journey,
        tuple(f"200, {REVIEWED}, {each}" for each in DONE),
        "coming",
        rate_goal=ratio_at_least(0.88),
    ),
    Page("home", 300, _look("/"), cpu_goal=NOT_DEARER),
    Page("ballot", 300, _look(BALLOT), cpu_goal=NOT_DEARER),
    Page("ballot sent, and its review", 200, _review, (REVIEWED,), cpu_goal=NOT_DEARER),
    Page("receipt", 300, _look(RECEIPT), who="voted", cpu_goal=NOT_DEARER),
    Page("results", 300, _look(f"/election/{quote(LAST_YEAR)}/results/"), cpu_goal=NOT_DEARER),
)


def measure_pages(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    made = data.make(
        "election", folder / "data", voters=round(VOTERS * scale) + 40, sealed=round(SEALED_BALLOTS * scale) + 20
    )
    voters = [Person(**each) for each in made["voters"]]
    readers = min(READERS, len(voters) // 4)
    with ExitStack() as stack:
        sites = {}
        for name, root in roots.items():
            server = stack.enter_context(served(root, shutil.copytree(folder / "data", folder / name)))
            sites[name] = Site(server, voters[:readers], deque(voters[readers:]))
        rounds = ROUNDS if scale >= 1 else 1
        found = {page.label: _turns(page, sites, rounds, scale) for page in PAGES}
        kinds, casts = _cast_kinds(sites[NEW].server, voters, rounds, scale)
    for site in sites.values():
        _check([site], [BOARD])
    _check(list(kinds.values()), list(KINDS))
    report.table(f"CPU of the server's processes, {CONCURRENT_VOTERS} browsers at once", OLD if OLD in roots else "")
    for page in PAGES:
        report.row(page.label, CPU, _figures(found[page.label], "cpu"), page.cpu_goal)
    report.table(f"Per second, {CONCURRENT_VOTERS} browsers at once", OLD if OLD in roots else "")
    for page in PAGES:
        report.row(page.label, "/s", _figures(found[page.label], "rate"), page.rate_goal)
    report.table(f"Cast by kind of ballot, {CONCURRENT_VOTERS} browsers at once", RANKED)
    for kind in KINDS:
        if kind != RANKED:
            report.row(f"cast: {kind}", CPU, _figures([casts[kind], casts[RANKED]], "cpu"), AS_CHEAP)


def _cast_kinds(
    server: Server, voters: Sequence[Person], rounds: int, scale: float
) -> tuple[dict[str, Site], dict[str, list[Turn]]]:
    """Everybody casts a ballot of each kind, in an election of its own on one site; and each turn's figures."""
    count = max(8, round(CASTS * scale))
    coming = voters[: count * (rounds + 1)]
    data.make("kinds", server.data, voters=[each.name for each in coming])
    sites = {kind: Site(server, (), deque(coming)) for kind in KINDS}
    pages = {kind: Page(kind, count, partial(_send_kind, kind), who="coming") for kind in KINDS}
    turns = alternate([partial(_turn, pages[kind], sites[kind], 1.0) for kind in KINDS], rounds)
    return sites, dict(zip(KINDS, turns, strict=True))


def _send_kind(kind: str, person: Person) -> list[Request]:
    marks = marks_of(person.form, kind)
    own = {name: value for name, value in person.form.items() if not name.startswith("rank-")} | marks
    return [Request(f"/election/{kind}/ballot/cast/", own | {"token": secrets.token_urlsafe(16)})]


def marks_of(form: Mapping[str, str], kind: str) -> dict[str, str]:
    """What somebody with this ranking marks: the three they like best, or five points for the first, and so on."""
    ranks = {name: int(value) for name, value in form.items() if name.startswith("rank-") and value}
    best = sorted(ranks, key=ranks.__getitem__)
    if kind == "yes-no":
        return {"rank-choice": "0"}
    if kind in ("choose", "approval"):
        return dict.fromkeys(best[:3], "1")
    if kind == "score":
        return {name: str(max(0, 6 - rank)) for name, rank in ranks.items()}
    if kind == "points":
        return dict(zip(best, "532", strict=False))
    return {name: form[name] for name in form if name.startswith("rank-")}


def _turns(page: Page, sites: Mapping[str, Site], rounds: int, scale: float) -> list[list[Turn]]:
    """The new one's, and the old one's if there is one."""
    return alternate([partial(_turn, page, site, scale) for site in sites.values()], rounds)


def _turn(page: Page, site: Site, scale: float) -> Turn:
    people = site.people(page.who, max(8, round(page.count * scale)))
    visits = [Visit(each.cookies, page.requests(each)) for each in people]
    before = site.server.cpu_seconds()
    outcome = perform(site.server.port, visits, CONCURRENT_VOTERS)
    used = site.server.cpu_seconds() - before
    outcome.check(*page.expected)
    if page.who == "coming":
        site.voted += people
    return Turn(max(used, 0.001) * 1000 / len(people), len(people) / outcome.seconds)


def _figures(turns: list[list[Turn]], name: str) -> list[list[float]]:
    return [[getattr(turn, name) for turn in each] for each in turns]


def _check(sites: list[Site], names: list[str]) -> None:
    """That every ballot that was acknowledged in these elections of one server is there."""
    found, voted = data.make("counted", sites[0].server.data, names=names), sum(len(each.voted) for each in sites)
    if found != {"ballots": voted, "turnout": voted}:
        raise Unexpected(f"{voted} casts were acknowledged, and there are {found}.")


# --- from close to result ---


def measure_close(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    ballots = max(50, round(CLOSED_BALLOTS * scale))
    made = data.make("election", folder / "data", voters=2, cast=ballots)
    owner, voter = Person(**made["owner"]), Person(**made["voters"][0])

    def turn(root: Path) -> dict[str, float]:
        with served_copy(root, folder / "data") as server:
            return close(server, owner, voter)

    turns = [partial(turn, root) for root in roots.values()]
    found = alternate(turns, CLOSE_ROUNDS if scale >= 1 else 1, warm_up=False)
    report.table(f"From close to result, {ballots:,} ballots", OLD if OLD in roots else "")

    def row(label: str, key: str, unit: str, goal: Goal | None = None) -> None:
        report.row(label, unit, [[each[key] for each in one] for one in found], goal)

    row("result seen by whoever closed it", "owner", "s", at_most(CLOSE_GOAL_SECONDS))
    row("result seen by another voter", "voter", "s", at_most(CLOSE_GOAL_SECONDS))
    row("background worker until then", "worker", CPU)


def close(server: Server, owner: Person, voter: Person) -> dict[str, float]:
    """Seconds until whoever has closed it, and somebody else who waits for it, see the result."""
    for person, path in ((owner, CLOSE), (owner, RESULTS), (voter, RESULTS)):
        perform(server.port, [Visit(person.cookies, [Request(path)])] * 12, 1)  # so that all processes are warm
    server.settle()
    used = server.worker_cpu_seconds()
    seen: list[float] = []
    waiting = threading.Thread(target=lambda: seen.append(_seen(server, voter)))
    waiting.start()
    start = time.perf_counter()
    answer = ask(server.port, Request(CLOSE, {"csrfmiddlewaretoken": owner.form["csrfmiddlewaretoken"]}), owner.cookies)
    if answer.status != 302:
        raise Unexpected(f"The close was answered with {answer}.")
    own = _seen(server, owner)
    used = server.worker_cpu_seconds() - used
    waiting.join()
    return {"owner": own - start, "voter": seen[0] - start, "worker": used * 1000}


def _seen(server: Server, person: Person) -> float:
    """When the result was there: before the close the page is forbidden, and while ballots are counted it says so."""
    deadline = time.perf_counter() + TIMEOUT_SECONDS
    while time.perf_counter() < deadline:
        answer = ask(server.port, Request(RESULTS), person.cookies)
        if answer.status == 200:
            return time.perf_counter()
        if answer.status not in (202, 403):
            raise Unexpected(f"The results page was answered with {answer}.")
        time.sleep(POLL_INTERVAL_SECONDS)
    raise Unexpected(f"There was no result within {TIMEOUT_SECONDS:.0f} seconds.")
