"""Part `voting`: CPU of pages, casts and voters' journeys per second, and the time from close to result.

`make bench PART=voting BEFORE=REVISION` measures that revision in alternating rounds with this one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from . import data, earlier
from .client import Outcome, Request, Response, Step, Unexpected, Visit, ask, perform
from .data import BOARD, KINDS, LAST_YEAR, Person
from .report import Goal, Report, at_most, ratio_at_least, ratio_at_most
from .rounds import alternate
from .server import NEW, OLD, Server, revisions, served, served_copy, work_folder
from .ways import Way, follow

CONCURRENT_VOTERS = 8
ROUNDS, CLOSE_ROUNDS = 7, 5
READERS = 300  # voters who look at pages and do not vote
VOTERS, SPARE_VOTERS = 6_500, 100  # on the roll, and so many more at every scale
SEALED_BALLOTS = 1_000  # ballots of the election whose result is looked at
CLOSED_BALLOTS = 10_000  # ballots of the election that is closed
CLOSE_GOAL_SECONDS = 0.3
POLL_INTERVAL_SECONDS = 0.02  # seconds between two looks of somebody who waits for the result
TIMEOUT_SECONDS = 120.0

CLOSE, RESULTS = (f"/election/{BOARD}/{each}/" for each in ("close", "results"))
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

    root: Path
    server: Server
    way: Way
    readers: Sequence[Person]
    coming: deque[Person]
    voted: list[tuple[Person, Response | None]] = field(default_factory=list)  # with the last answer they got

    def people(self, who: str, count: int) -> list[tuple[Person, Response | None]]:
        if who == "coming":
            return [(self.coming.popleft(), None) for _ in range(count)]
        return list(islice(cycle(self.voted if who == "voted" else [(each, None) for each in self.readers]), count))

    def perform(self, visits: Sequence[Visit]) -> Outcome:
        return perform(self.server.port, visits, CONCURRENT_VOTERS)


Steps = Callable[[Way, Person], list[Step]]


@dataclass(frozen=True, slots=True)
class Page:
    """What a voter does, in one request or in several, and what comes before it and is not measured."""

    label: str
    count: int  # in a turn
    steps: Steps
    before: Steps = lambda way, person: []
    expected: str = "200"
    who: str = "readers"
    cpu_goal: Goal | None = None
    rate_goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    cpu: float  # milliseconds each
    rate: float  # per second


def _look(path: str) -> Steps:
    return lambda way, person: [Request(path)]


def _to_thanks(way: Way, person: Person) -> list[Step]:
    """Earlier revisions answer a cast with the address of the page that says thank you."""
    return [*way.casting(person), follow]


def _whole_way(way: Way, person: Person) -> list[Step]:
    return [*way.to_form(person), *_to_thanks(way, person)]


NOT_DEARER = ratio_at_most(1.1)
AS_CHEAP = ratio_at_most(1.2)  # as a ranking on the same site
RANKED, CASTS = "ranked", 240
REVIEWED = r"(302 \S+/review/, )?200"
FORM = rf"200, ({REVIEWED}, )?"  # what comes before a cast
CAST, THANKED = r"(200|302 \S+/receipt/)", r"(302 \S+/receipt/, )?200"
PAGES = (
    Page("cast", 240, Way.casting, Way.to_form, CAST, "coming", rate_goal=ratio_at_least(0.8)),
    Page("cast, to the thank-you", 240, _to_thanks, Way.to_form, THANKED, "coming", cpu_goal=NOT_DEARER),
    Page(
        "whole way, to the cast's answer",
        120,
        lambda way, person: [*way.to_form(person), *way.casting(person)],
        expected=FORM + CAST,
        who="coming",
    ),
    Page(
        "whole way, to the thank-you",
        120,
        _whole_way,
        expected=FORM + THANKED,
        who="coming",
        rate_goal=ratio_at_least(1.15),
    ),
    Page("home", 300, _look("/"), cpu_goal=ratio_at_most(1.35)),
    Page("ballot", 300, Way.to_ballot, cpu_goal=NOT_DEARER),
    Page("ballot sent, and its review as a page", 200, Way.to_review, Way.to_ballot, REVIEWED),
    Page("receipt", 300, Way.to_receipt, who="voted"),
    Page("results", 300, _look(f"/election/{quote(LAST_YEAR)}/results/"), cpu_goal=NOT_DEARER),
)


def measure_pages(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    rounds, size = ROUNDS if scale >= 1 else 1, round(VOTERS * scale) + SPARE_VOTERS
    with ExitStack() as stack:
        sites = {name: _site(stack, root, folder / name, size, scale) for name, root in roots.items()}
        found = {page.label: _turns(page, sites, rounds, scale) for page in PAGES}
        kinds, casts = _cast_kinds(sites[NEW], rounds, scale)
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


def _site(stack: ExitStack, root: Path, folder: Path, voters: int, scale: float) -> Site:
    """Each revision makes its own data, which others may not be able to read."""
    made = make_election(root, folder, voters=voters, sealed=round(SEALED_BALLOTS * scale) + 20)
    people = [Person(**each) for each in made["voters"]]
    readers = min(READERS, len(people) // 4)
    server = stack.enter_context(served(root, folder))
    return Site(root, server, Way.at(server.port, BOARD, people[0]), people[:readers], deque(people[readers:]))


def make_election(root: Path, folder: Path, **size: int) -> dict[str, Any]:
    make = earlier.election if earlier.is_earlier(root) else partial(data.make, "election")
    return make(folder, root, **size)


def _cast_kinds(site: Site, rounds: int, scale: float) -> tuple[dict[str, Site], dict[str, list[Turn]]]:
    """Everybody casts a ballot of each kind, in an election of its own on one site; and each turn's figures."""
    count = max(8, round(CASTS * scale))
    voters = [*site.readers, *(person for person, _last in site.voted)][: count * (rounds + 1)]
    data.make("kinds", site.server.data, voters=[each.name for each in voters])
    port = site.server.port
    sites = {kind: Site(site.root, site.server, Way.at(port, kind, voters[0]), (), deque(voters)) for kind in KINDS}
    page = Page("", count, Way.casting, Way.to_form, CAST, "coming")
    turns = alternate([partial(_turn, page, sites[kind], 1.0) for kind in KINDS], rounds)
    return sites, dict(zip(KINDS, turns, strict=True))


def _turns(page: Page, sites: Mapping[str, Site], rounds: int, scale: float) -> list[list[Turn]]:
    """The new one's, and the old one's if there is one."""
    return alternate([partial(_turn, page, site, scale) for site in sites.values()], rounds)


def _turn(page: Page, site: Site, scale: float) -> Turn:
    people = site.people(page.who, max(8, round(page.count * scale)))
    visits = [Visit(person.cookies, page.before(site.way, person), last) for person, last in people]
    answers = site.perform(visits).answers
    visits = [
        visit.go_on(answers[place], page.steps(site.way, person))
        for place, (visit, (person, _last)) in enumerate(zip(visits, people, strict=True))
    ]
    before = site.server.cpu_seconds()
    outcome = site.perform(visits)
    used = site.server.cpu_seconds() - before
    outcome.check(page.expected)
    if page.who == "coming":
        site.voted += [(person, outcome.answers[place][-1]) for place, (person, _last) in enumerate(people)]
    return Turn(max(used, 0.001) * 1000 / len(people), len(people) / outcome.seconds)


def _figures(turns: list[list[Turn]], name: str) -> list[list[float]]:
    return [[getattr(turn, name) for turn in each] for each in turns]


def _check(sites: list[Site], names: list[str]) -> None:
    """That every ballot that was acknowledged in these elections of one server is there."""
    root, folder = sites[0].root, sites[0].server.data
    voted = [person for each in sites for person, _last in each.voted]
    if earlier.is_earlier(root):
        earlier.check(folder, root, voted)
    elif (found := data.make("counted", folder, root, names=names)) != {"ballots": len(voted), "turnout": len(voted)}:
        raise Unexpected(f"{len(voted)} casts were acknowledged, and there are {found}.")


# --- from close to result ---


def measure_close(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    ballots = max(50, round(CLOSED_BALLOTS * scale))

    def turn(root: Path, folder: Path, made: Mapping[str, Any]) -> dict[str, float]:
        with served_copy(root, folder) as server:
            return close(server, Person(**made["owner"]), Person(**made["voters"][0]))

    turns = []
    for name, root in roots.items():
        made = make_election(root, folder / name, voters=2, cast=ballots)
        turns.append(partial(turn, root, folder / name, made))
    found = alternate(turns, CLOSE_ROUNDS if scale >= 1 else 1, warm_up=False)
    report.table(f"From close to result, {ballots:,} ballots", OLD if OLD in roots else "")

    def row(label: str, key: str, unit: str, goal: Goal | None = None) -> None:
        report.row(label, unit, [[each[key] for each in one] for one in found], goal)

    row("result seen by whoever closed it", "owner", "s", ratio_at_most(0.9))
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
