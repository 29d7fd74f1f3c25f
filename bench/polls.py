"""Part `polls`: votes in one poll at the real server, beside the casts of an election; and polls with many votes."""

from __future__ import annotations

import itertools
import random
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from store.log import as_text, utc_now
from store.table import Update, Write

from .ballots import day as days
from .ballots.load import Outcome, Plan, perform
from .ballots.server import HOST, serving
from .ballots.sustained import LIMIT, Step, Voters, check
from .people import milliseconds, start_django, trips_of
from .report import MILLISECONDS, Report
from .rounds import Comparison, compare

if TYPE_CHECKING:  # importing these needs Django to be set up, which the part does when it runs
    from polls.rules import Poll

VOTES, CASTS = 100.0, 50.0  # a second, on one poll and in one election
SECONDS = 10.0
CANDIDATES = 10
FEW, MANY = 100, 100_000
ROUNDS = 9
NOT_SLOWER = 0.7


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale takes shorter turns with fewer voters."""
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        start_django(name)
        _served(report, Path(name), scale)
        _grown(report, Path(name), scale)


# --- votes at the real server ---


@dataclass(frozen=True, slots=True)
class Crowd:
    """Browsers that come to one poll, each from an address of its own and each for the first time."""

    poll: Poll
    port: int
    chance: random.Random

    def come(self, rate: float, seconds: float) -> Step:
        forms = [self._form() for _ in range(max(2, round(rate * seconds)))]
        outcome = perform(Plan(HOST, self.port, rate, LIMIT, 1.0, [[each] for each in forms]))
        return Votes(rate, outcome, f"302 /poll/{self.poll.id}/voted/")

    def _form(self) -> str:
        """What a browser sends that has looked at the poll for a while."""
        from django.core import signing
        from django.http import HttpRequest
        from django.middleware.csrf import get_token

        from ballots import robots
        from polls import voters

        request, number = HttpRequest(), secrets.token_urlsafe(16)
        request.new_browser_number = number
        guard, signer = get_token(request), signing.get_cookie_signer(salt=voters.COOKIE + voters.SALT)
        cookies = f"{voters.COOKIE}={signer.sign(number)}; csrftoken={request.META['CSRF_COOKIE']}"
        boxes = {f"rank-{n}": rank for n, (rank,) in robots.ranks(self.poll.candidates, self.chance).items()}
        form = {"csrfmiddlewaretoken": guard, "shown": voters.stamp(request, self.poll, time.time() - 60), "acts": "0"}
        return self._as_text(form | {"token": secrets.token_urlsafe(16)} | boxes, cookies)

    def _as_text(self, form: dict[str, str], cookies: str) -> str:
        body, host = urlencode(form), f"{HOST}:{self.port}"
        headers = {
            "Host": host,
            "Origin": f"http://{host}",
            "Cookie": cookies,
            "X-Forwarded-For": f"2001:db8:{self.chance.randrange(2**16):x}:{self.chance.randrange(2**16):x}::1",
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
        lines = [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([f"POST /poll/{self.poll.id}/ HTTP/1.1", *lines, "", body])


@dataclass(frozen=True, slots=True)
class Votes(Step):
    """A rate of votes that was tried, and what came of it."""

    done: str

    @property
    def wrong(self) -> list[str]:
        return [each.said for each in self.outcome.answers if each.said != self.done]


def _served(report: Report, folder: Path, scale: float) -> None:
    from django.conf import settings

    seconds = SECONDS * scale
    day = days.prepare(folder / "served.sqlite3", max(20, round(3 * CASTS * seconds)))
    with days.on(day):
        browsers, poll = days.browsers(day.voters), _made(day.owner)
    (folder / "served").mkdir()
    with serving(folder / "served", day.url, settings.SECRET_KEY, TRUSTED_PROXIES=HOST) as port:
        voters, crowd = Voters(browsers, port), Crowd(poll, port, random.Random(0))
        crowd.come(VOTES / 3, seconds / 3)
        voters.come(CASTS / 3, seconds / 3, share=1.0)
        alone, casts_alone = crowd.come(VOTES, seconds), voters.come(CASTS, seconds, share=1.0)
        beside, casts = _together(lambda: crowd.come(VOTES, seconds), lambda: voters.come(CASTS, seconds, share=1.0))
    report.heading("Open arrivals at the real server (2 processes): one poll, one election, both at once", "alone")
    _say(report, "votes", f"{VOTES:.0f} votes/s in one poll, beside {CASTS:.0f} casts/s", beside, alone)
    _say(report, "casts", f"{CASTS:.0f} casts/s, beside {VOTES:.0f} votes/s", casts, casts_alone)
    check(day, voters)
    _check(report, day, poll, beside.outcome)


def _made(owner: Any) -> Poll:
    from polls import services

    names = [f"Candidate {number}" for number in range(CANDIDATES)]
    poll, _key = services.make(owner, names, 30, title="Lunch", expires_at=None)
    return poll


def _together(*acts: Callable[[], Step]) -> list[Step]:
    with ThreadPoolExecutor(len(acts)) as crowd:
        return [each.result() for each in [crowd.submit(act) for act in acts]]


def _say(report: Report, key: str, label: str, beside: Step, alone: Step) -> None:
    report.say(f"  {label}:")
    for percent in (50, 99):
        comparison = Comparison((beside.milliseconds(percent),), (alone.milliseconds(percent),))
        report.compare(f"{key}.p{percent}", f"    p{percent}", comparison, MILLISECONDS, peer="alone")
    report.figure(f"{key}.errors", "    wrong answers", len(beside.wrong) + len(alone.wrong), "")
    for said in sorted({*beside.wrong, *alone.wrong})[:3]:
        report.say(f"      such as {said!r}")


def _check(report: Report, day: days.Day, poll: Poll, last: Outcome) -> None:
    """As many votes as the gates have let through, and at least as many as were acknowledged last."""
    from polls import repository

    with days.on(day):
        stored, found = sum(1 for _ in repository.each_vote(poll)), repository.with_gates(poll.id)
    counted = found[1] if found else 0
    assert stored == counted >= sum(each.said.startswith("302") for each in last.answers), (stored, counted)
    report.say(f"  {stored:,} votes found, the gates have counted the same.")


# --- polls with many votes ---


def _grown(report: Report, folder: Path, scale: float) -> None:
    many, rounds = max(FEW, int(MANY * scale)), ROUNDS if scale >= 1 else 2
    with _looking_every_time():
        report.heading(f"The results page of {many:,} votes, and of {FEW}", f"of {FEW}")
        for kind in ("open", "closed"):
            large, small = _filled(folder / "many.sqlite3", many, kind), _filled(folder / "few.sqlite3", FEW, kind)
            first = time.perf_counter()
            large()
            report.figure(
                f"{kind}.first.milliseconds", f"{kind}, first look", 1000 * (time.perf_counter() - first), "ms"
            )
            _compare(report, kind, large, small, rounds)


def _compare(report: Report, kind: str, large: Callable[[], Any], small: Callable[[], Any], rounds: int) -> None:
    small()
    trips = trips_of(large()), trips_of(small())
    report.figure(f"{kind}.trips", f"{kind}, round trips", trips[0], f"({trips[1]} with {FEW} votes)")
    report.fact(f"{kind}.trips_grow", trips[0] > trips[1])
    beside = compare(milliseconds(large), milliseconds(small), rounds)
    report.compare(kind, f"{kind}, page", beside, MILLISECONDS, peer=f"of_{FEW}", at_least=NOT_SLOWER)


@contextmanager
def _looking_every_time() -> Iterator[None]:
    """As if so much time passed between two looks that each looks anew."""
    from polls import live
    from results import watching

    shelf, rest = live.shelf, watching.REST
    watching.REST = 0
    live.shelf = live.PollShelf(live.MOST_KEPT, clock=itertools.count(step=10).__next__)
    try:
        yield
    finally:
        live.shelf, watching.REST = shelf, rest


def _filled(path: Path, votes: int, kind: str) -> Callable[[], Any]:
    """A poll with so many votes, written straight through the port; answers how to ask for its results."""
    from django.test import Client

    from accounts import services as accounts
    from acts.site import acting_on
    from polls import services
    from polls.sealing import seal
    from store.connect import connect

    table, client = connect(f"sqlite://{path}.{kind}"), Client()
    table.create()
    with acting_on(table):
        owner = accounts.make_owner("Owner", "owner@example.org", days.PASSWORD)
        poll = _made(owner)
        _fill(poll, votes)
        if kind == "closed":
            runner = services.find_runner(poll.id, owner, "")
            assert runner is not None
            services.close(runner)
            seal(poll.id)

    def ask() -> Any:
        with acting_on(table):
            answer = client.get(f"/poll/{poll.id}/results/")
        assert answer.status_code == 200, answer.status_code
        return answer

    return ask


def _fill(poll: Poll, votes: int) -> None:
    """Votes that came in over a day."""
    from polls import repository

    from .tally import realistic

    start, writes, counted = utc_now() - timedelta(days=1), [], dict.fromkeys(range(repository.gates_of(poll).count), 0)
    for number, rankings in enumerate(realistic(CANDIDATES, votes)):
        gate = number % repository.gates_of(poll).count
        standing = repository.PollStanding(poll, f"{number:08x}{secrets.token_hex(12)}", None, None, gate, False)
        then = as_text(start + number * timedelta(days=1) / votes)
        writes.append(repository.casting(standing, rankings, then)[1])
        counted[gate] += 1
    gates = [Update(repository.gates_of(poll).keys(poll.id)[gate], add={"voted": by}) for gate, by in counted.items()]
    _write([*writes, *gates])


def _write(writes: Sequence[Write]) -> None:
    from acts.site import table

    for start in range(0, len(writes), days.A_WRITE):
        table().write(*writes[start : start + days.A_WRITE])
