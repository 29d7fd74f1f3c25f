"""A disk that is full, read-only, and well again, under a rush of votes; and every process killed by itself.

`make test-disk` runs it, in a name space of its own where a small file system can be mounted; it is no part of the
ordinary run, because not every machine allows that. What was seen is printed, and stands in docs/reliability.md.
"""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from accounts import repository as people
from accounts.rules import Role
from config.settings import own_secret
from elections import repository as elections
from elections import services as organising
from store import keys
from tests.at_once import at_once

from .history import DONE, Act, flaws, left_behind
from .soak import children
from .test_killed import NOBODY_THERE, VOTERS, Browser, Rush, Server, session_of

MEGABYTES = 40
READ = ("/", "/election/Board/", "/election/Old/results/", "/elections/", "/sign-in/")
SHOWN = {"200", "302"}  # who is signed in is led away from the page for signing in
WRITTEN_OR_SAID = {"302", "403", "503"}  # 403: who has not voted has nothing to withdraw
LONG = 60  # seconds that anything may take on a busy machine


@pytest.fixture
def tmp_path(tmp_path) -> Iterator[Path]:
    """On a disk of its own, which is soon full."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(tmp_path)], check=True)
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


class CountingServer(Server):
    """Tells what it has answered, by status, and in which part of the story."""

    def __init__(self, folder: Path, **variables: str):
        super().__init__(folder, SECRET_KEY=own_secret(folder), **variables)
        self.part = "before"
        self.answers: Counter[tuple[str, str, str]] = Counter()

    def count(self, kind: str, status: str) -> None:
        self.answers[self.part, kind, status] += 1

    def read(self, path: str) -> tuple[int, str]:
        answer, page = Browser(self.port, "").ask("GET", path)
        return answer.status, page

    @property
    def worker(self) -> int:
        return next(pid for pid in children(self.process.pid) if "worker" in _command(pid))

    @property
    def web(self) -> list[int]:
        return [pid for pid in children(self.process.pid) if "worker" not in _command(pid)]


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return "worker"  # ended just now


class CountingBrowser(Browser):
    server: CountingServer

    def ask(self, method, path, form=None):
        kind = "write" if method == "POST" else "read"
        try:
            answer, page = super().ask(method, path, form)
        except NOBODY_THERE:
            self.server.count(kind, "cut off")
            raise
        self.server.count(kind, str(answer.status))
        if answer.status == 503:
            assert answer.headers["Retry-After"]
            assert "Nothing can be saved right now" in page, page[:300]
        return answer, page


def until(holds: Callable[[], object], seconds: float = LONG) -> object:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(*NOBODY_THERE, StopIteration):
            if found := holds():
                return found
        time.sleep(0.1)
    raise AssertionError(f"It did not come about: {inspect.getsource(holds).strip()}")


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """No byte is free, and what becomes free is taken again."""
    ballast, over = folder / "ballast", threading.Event()

    def fill() -> None:
        with ballast.open("ab", buffering=0) as file:
            while not over.is_set():
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    over.wait(0.02)

    filling = threading.Thread(target=fill)
    filling.start()
    try:
        yield
    finally:
        over.set()
        filling.join()
        ballast.unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro,force", str(folder)], check=False)
    if not os.statvfs(folder).f_flag & os.ST_RDONLY:
        pytest.skip("This system does not make a file system read-only that is being written to.")
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


@pytest.fixture
def server(site, settings, tmp_path, person, opened) -> Iterator[CountingServer]:
    """Serving an open election and one that is over, on a disk of its own."""
    settings.SECRET_KEY = own_secret(tmp_path)
    for name in VOTERS:
        person(name, Role.VOTER)
    for name in ("Board", "Old"):
        opened(*VOTERS, name=name)
    organising.close(people.find("the organiser"), elections.find("Old"))
    server = CountingServer(tmp_path)
    server.start()
    until(lambda: server.read("/readyz") == (200, "ok\n"))
    until(lambda: browser_of(server, VOTERS[0]).ask("GET", "/election/Old/results/")[0].status == 200)
    yield server
    server.kill()
    for (part, kind, status), count in sorted(server.answers.items()):
        print(f"{part:<24}{kind:<8}{status:<10}{count:>8,}")


def browser_of(server: CountingServer, name: str) -> CountingBrowser:
    browser = CountingBrowser(server.port, session_of(people.find(name)))
    browser.server = server
    return browser


def under_votes(site, server: CountingServer, story: Callable[[], None]) -> None:
    """Everybody votes and looks while the story goes on; afterwards what was acknowledged is there, and only that."""
    users, rush = [people.find(name) for name in VOTERS], Rush(("Board",))
    salt = site.get(keys.salt("Board"))
    browsers = [browser_of(server, user.name) for user in users]
    for browser in browsers:
        browser.open_ballot("Board")

    def look(browser: CountingBrowser) -> None:
        while not rush.over.is_set():
            for path in READ:
                with suppress(*NOBODY_THERE):
                    browser.ask("GET", path)

    def tell() -> None:
        try:
            story()
        finally:
            rush.over.set()

    clients = [partial(rush.go, number, browser) for number, browser in enumerate(browsers)]
    told, looked, *acts = at_once(tell, partial(look, browser_of(server, VOTERS[0])), *clients)
    assert [answer for answer in (told, looked, *acts) if isinstance(answer, Exception)] == []
    server.kill()
    owner, called = people.find("the organiser"), time.monotonic()
    site.close()
    organising.close(owner, elections.find("Board"))
    history = [act for answer in acts for act in answer["Board"]]
    history.append(Act(owner.name, "close", called, time.monotonic(), DONE))
    assert flaws(history, left_behind(site, "Board", users, salt)) == []
    print(f"{'judged':<40}{len(history):>10,}")


def statuses(server: CountingServer, part: str, kind: str) -> set[str]:
    return {status for (when, what, status) in server.answers if (when, what) == (part, kind)}


def voted(server: CountingServer, part: str) -> bool:
    return bool(server.answers[part, "write", "302"])


def test_full_and_well_again(site, server, tmp_path):
    before = server.process.pid, server.worker, *server.web

    def story() -> None:
        until(lambda: voted(server, "before"))
        with filled(tmp_path):
            server.part = "full"
            until(lambda: server.answers["full", "write", "503"] > 500 and server.answers["full", "read", "200"] > 50)
            status, said = server.read("/readyz")
            assert (status, "is full" in said) == (503, True)
            assert server.read("/readyz?store")[0] == server.read("/healthz")[0] == 200
            assert re.search(r"plenum_disk_free_bytes\{.*\} 0\.0", server.read("/metrics")[1])
            large = Browser(server.port, "").ask("POST", "/sign-in/", {"name_or_email": "x" * 3_000_000})
            assert large[0].status in (403, 503)
        server.part = "after"
        until(lambda: voted(server, "after"))
        until(lambda: server.read("/readyz") == (200, "ok\n"))
        assert (server.process.pid, server.worker, *server.web) == before, "nothing has died"

    under_votes(site, server, story)
    assert statuses(server, "full", "write") <= WRITTEN_OR_SAID
    assert statuses(server, "full", "read") <= SHOWN
    assert statuses(server, "after", "read") <= SHOWN


def test_processes_that_end_while_it_is_full_come_back(site, server, tmp_path):
    def story() -> None:
        with filled(tmp_path):
            server.part = "full, killed"
            until(lambda: server.answers["full, killed", "write", "503"] > 20)
            killed = [*server.web, server.worker]
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            until(lambda: len(server.web) == 2 and not {*server.web, server.worker} & {*killed})
            server.part = "full, others serve"
            until(lambda: server.answers["full, others serve", "read", "200"] > 50)
            assert server.read("/metrics")[0] == 200
        server.part = "after"
        until(lambda: voted(server, "after"))
        until(lambda: server.read("/readyz") == (200, "ok\n"))

    under_votes(site, server, story)
    assert statuses(server, "full, others serve", "read") <= SHOWN | {"cut off"}
    assert statuses(server, "after", "read") <= SHOWN


def test_read_only_and_well_again(site, server, tmp_path):
    def story() -> None:
        until(lambda: voted(server, "before"))
        with read_only(tmp_path):
            server.part = "read-only"
            until(lambda: server.answers["read-only", "write", "503"] > 20)
            until(lambda: server.answers["read-only", "read", "200"] > 20)
            status, said = server.read("/readyz")
            assert (status, "is read-only" in said) == (503, True)
        server.part = "after"
        until(lambda: voted(server, "after"))

    under_votes(site, server, story)
    assert statuses(server, "read-only", "write") <= WRITTEN_OR_SAID
    assert statuses(server, "read-only", "read") <= SHOWN


def test_started_on_a_full_disk_it_shows_what_there_is(site, server, tmp_path):
    server.kill()
    with filled(tmp_path):
        server.start()
        until(lambda: server.read("/")[0] == 200)
        status, said = server.read("/readyz")
        assert (status, "is full" in said) == (503, True)
    until(lambda: server.read("/readyz") == (200, "ok\n"))


# --- kill -9 of each process ---


@pytest.mark.parametrize("which", ["worker", "web", "arbiter"])
def test_killed_by_itself(site, server, which):
    def killed(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        server.part, server.killed_at = f"{which} killed", time.monotonic()

    def story() -> None:
        until(lambda: voted(server, "before"))
        arbiter, worker, web = server.process.pid, server.worker, server.web
        if which == "worker":
            killed(worker)
            until(lambda: server.worker != worker)
        elif which == "web":
            killed(web[0])
            until(lambda: len(server.web) == 2 and web[0] not in server.web)
        else:
            killed(arbiter)
            server.process.wait()
            until(lambda: not any(_is_there(pid) for pid in (worker, *web)))
            print(f"{'all others ended after':<40}{time.monotonic() - server.killed_at:>10.1f} s")
            server.start()  # as a supervisor does
        until(lambda: server.read("/readyz") == (200, "ok\n"))
        print(f"{which + ' back after':<40}{time.monotonic() - server.killed_at:>10.1f} s")
        server.part = "after"
        until(lambda: voted(server, "after"))

    under_votes(site, server, story)


def _is_there(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
