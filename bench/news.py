"""Part `news`: likes of one post by a crowd, counted exactly; and lists and posts at many entries and at few.

What a crowd changes is counted again afterwards: every counter against the marks that are there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from threading import Barrier, Lock, Thread
from time import perf_counter, sleep, time
from typing import TYPE_CHECKING, Any

from store import keys
from store.chaos import Chaos
from store.table import Conflict, Key, Numbered, Table, Unavailable, Update, Write

from .people import milliseconds, start_django, trips_of
from .report import MILLISECONDS, OPERATIONS, Report
from .rounds import compare, crowd

if TYPE_CHECKING:  # importing these needs Django to be set up, which the part does when it runs
    from news.likes import Liker

CHANGES = 10_000
THREADS = 8
VISITORS = 200  # so few that many of them press in two windows at the same moment
WEATHER = {"conflicts": 0.1, "throttling": 0.02, "lost_replies": 0.05}
SPREAD_CHANGES = 1_000
A_TRANSACTION = 0.002  # seconds
FEW, MANY = 30, 10_000  # posts, and likes of one; few already fill a page
ROUNDS, SECONDS = 9, 0.5
NOT_SLOWER = 0.7
MOST_WRITES = 100  # of one transaction


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale has fewer changes, posts and turns."""
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        start_django(name)
        folder, rounds = Path(name), max(1, round(ROUNDS * min(1.0, scale * 10)))
        with _store(f"sqlite://{folder}/likes.sqlite3") as there:
            _pace(report, there, rounds, SECONDS * min(1.0, scale * 10))
            _exact(report, there, max(80, round(CHANGES * scale)))
            _spread(report, there, max(40, round(SPREAD_CHANGES * scale)))
        _grown(report, folder, max(2 * FEW, round(MANY * scale)), rounds)


@contextmanager
def _store(url: str) -> Iterator[Table]:
    """The site's table is an empty one."""
    from django.conf import settings

    from store.connect import connect

    settings.STORE_URL = url
    there = connect(url)
    there.create()
    yield there


# --- likes ---

numbers = count()


@dataclass(frozen=True, slots=True)
class Liked:
    """A post as far as likes need one, on a table."""

    table: Table
    post: str

    def set_like(self, number: int, on: bool) -> None:
        from acts.site import acting_on
        from news import services

        with acting_on(self.table):
            services.set_like(self.who(number), on)

    def who(self, number: int) -> Liker:
        from news import likes

        return likes.visitor(f"Browser {number}", self.post)

    def answered(self, number: int, on: bool) -> None:
        """Whoever is not answered, or told to try again, presses again."""
        from acts.refusals import Overtaken

        while True:
            try:
                return self.set_like(number, on)
            except (Unavailable, Overtaken):
                continue


def _liked(there: Table, weather: dict[str, float] | None = None) -> Liked:
    from news import repository
    from news.rules import Post

    post = Post(f"post{next(numbers)}", "", "", "", "", "")
    there.write(*repository.counters(post))
    return Liked(Chaos(there, Random(0), **weather) if weather else there, post.id)  # type: ignore[arg-type]


def _pace(report: Report, there: Table, rounds: int, seconds: float) -> None:
    """A like beside the least that counting could cost: one number that is added to, which knows nobody."""
    report.heading(f"Likes of one post, by {THREADS} at once on the embedded store", "a number")
    liked, chance, place = _liked(there), Random(0), keys.likes("bare", 0)
    press = lambda: liked.set_like(chance.randrange(VISITORS), chance.random() < 0.5)  # noqa: E731
    with crowd(THREADS) as together:
        comparison = compare(
            lambda: together.rate(press, seconds),
            lambda: together.rate(partial(there.increment, place, "likes"), seconds),
            rounds,
        )
    report.compare("likes.pace", "likes", comparison, OPERATIONS, peer="bare")


def _exact(report: Report, there: Table, changes: int) -> None:
    report.say("")
    for key, words, weather in (("peace", "in peace", None), ("weather", "with injected faults", WEATHER)):
        liked = _liked(there, weather)
        seconds = _all_press(liked, changes)
        counted, off = _held_against(there, liked)
        report.figure(f"likes.{key}.changes", f"changes at once, {words}", changes, f"in {seconds:.1f} s")
        report.figure(f"likes.{key}.counted", "likes in the end", counted, "")
        report.figure(f"likes.{key}.off", "counted too many or too few", off, "(goal: 0)")
        if off:
            raise AssertionError(f"{off} likes were lost or doubled {words}.")


def _all_press(liked: Liked, changes: int, visitors: int = VISITORS) -> float:
    """Everybody at once, again and again; answers how many seconds it took."""
    barrier, errors = Barrier(THREADS), list[BaseException]()

    def busy(number: int) -> None:
        chance = Random(number)
        barrier.wait()
        try:
            for _ in range(changes // THREADS):
                liked.answered(chance.randrange(visitors), chance.random() < 0.5)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=busy, args=(number,)) for number in range(THREADS)]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error
    return perf_counter() - start


def _held_against(there: Table, liked: Liked) -> tuple[int, int]:
    """How many are counted, and in how many places that is not how many marks there are."""
    from news.repository import COUNTERS

    counters = [(there.get(keys.likes(liked.post, shard)) or {})["likes"] for shard in range(COUNTERS)]
    marks = [there.count(keys.marks_of_likes(liked.post, shard)) for shard in range(COUNTERS)]
    return sum(counters), sum(abs(one - other) for one, other in zip(counters, marks, strict=True))


class Contended:
    """A table that refuses as DynamoDB does: of two transactions on one item at the same moment, one is told so."""

    def __init__(self, there: Table):
        self._table, self._lock, self._busy = there, Lock(), set[Key]()
        self.conflicts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        wanted = {write.key for write in writes}
        if not self._taken(wanted):
            sleep(A_TRANSACTION)
            raise Conflict("Other changes kept getting in the way.")
        try:
            sleep(A_TRANSACTION)
            self._table.write(*writes, token=token)
        finally:
            with self._lock:
                self._busy -= wanted

    def _taken(self, wanted: set[Key]) -> bool:
        with self._lock:
            is_free = not wanted & self._busy
            self.conflicts += not is_free
            self._busy |= wanted if is_free else set()
        return is_free


def _spread(report: Report, there: Table, changes: int) -> None:
    """Each visitor once, so that nothing but the counters is in the way of others."""
    from unittest.mock import patch

    from news import likes

    report.say(f"\nLikes by {THREADS} at once where two transactions on one item get in each other's way")
    for counters in (16, 1):
        contended = Contended(there)
        with patch.object(likes, "COUNTERS", counters):
            liked = replace(_liked(there), table=contended)  # type: ignore[arg-type]
            seconds = _all_press(liked, changes, visitors=10**9)
        off = _held_against(there, liked)[1]
        words = f"on {counters} counter{'s' if counters > 1 else ''}"
        report.figure(f"spread.{counters}.rate", f"likes {words}", changes / seconds, "a second")
        report.figure(f"spread.{counters}.conflicts", "in each other's way", contended.conflicts, f"in {changes:,}")
        report.figure(f"spread.{counters}.off", "counted too many or too few", off, "(goal: 0)")


# --- lists and posts ---


def _grown(report: Report, folder: Path, many: int, rounds: int) -> None:
    large, small = _site(folder / "many.sqlite3", many), _site(folder / "few.sqlite3", FEW)
    report.heading(f"News at {many:,} posts, and a post with as many likes; and at {FEW}", f"at {FEW}")
    for name, path in (("the list", "/news/"), ("a tag", "/news/tag/bench/"), ("a post", "/news/post/post-0/")):
        pair = milliseconds(partial(large, path)), milliseconds(partial(small, path))
        report.compare(f"page.{name}", name, compare(*pair, rounds), MILLISECONDS, peer="few", at_least=NOT_SLOWER)
        for which, ask in (("", large), ("few.", small)):
            label = f"round trips: {name}{', at few' if which else ''}"
            report.figure(f"trips.{which}{name}", label, trips_of(ask(path)), "")


def _site(path: Path, many: int) -> Callable[[str], Any]:
    """A site with so many posts, of which one has as many likes; answers how a stranger asks it for a page."""
    from django.conf import settings
    from django.test import Client

    from news.repository import COUNTERS

    url = f"sqlite://{path}"
    with _store(url) as there:
        for some in _in_writes(_posts(many)):
            there.write(*some)
        there.write(*(Update(keys.likes("id0", shard), add={"likes": many // COUNTERS}) for shard in range(COUNTERS)))
    browser = Client()
    browser.post("/news/id0/like/", {"on": "yes"})

    def ask(address: str) -> Any:
        settings.STORE_URL = url
        answer = browser.get(address)
        assert answer.status_code == 200, f"{address} answers {answer.status_code}"
        return answer

    return ask


def _posts(many: int) -> Iterator[Write]:
    """Only the first can be liked: the counters of the others would be in nobody's way."""
    from news import likes, repository
    from news.rules import Post

    for number in range(many):
        moment = f"2026-01-01T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
        made = Post(f"id{number}", f"Post {number}", f"post-{number}", "Bench", moment, moment, moment, tags=("bench",))
        writes = repository.creation(made, "Some words.")
        yield from writes if not number else (each for each in writes if not each.key.sk.startswith("LIKES#"))
    for number in range(many):
        yield likes.liking(likes.visitor(str(number), "id0"), int(time()))[likes.MARK]


def _in_writes(writes: Iterator[Write]) -> Iterator[list[Write]]:
    """As many in one write as a transaction takes."""
    while some := list(islice(writes, MOST_WRITES)):
        yield some
