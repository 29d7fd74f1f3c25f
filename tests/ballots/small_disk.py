"""A disk that is full, read-only, and well again, under a rush of votes; and every process killed by itself.

`make test-disk` runs it, in a name space of its own where a small file system can be mounted; it is no part of the
ordinary run, because not every machine allows that. The outcome is printed; see
docs/explanation/reliability.md.
"""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from config.settings import BASE_DIR, own_secret
from elections import repository as elections
from elections.lifecycle import closing
from operations.upkeep.heartbeats import read_heartbeats
from operations.upkeep.server import NAME
from tests.at_once import at_once

from .history import DONE, Act, flaws, left_behind
from .soak import children
from .test_killed import NOBODY_THERE, VOTERS, Browser, Rush, Server, session_of

DISK_MB = 40
READ = ("/", "/election/Board/", "/election/Old/results/", "/elections/", "/sign-in/")
SHOWN = {"200", "302"}  # who is signed in is led away from the page for signing in
WRITTEN_OR_SAID = {"302", "403", "503"}  # 403: who has not voted has nothing to withdraw
TIMEOUT_SECONDS = 60  # seconds that anything may take on a busy machine


@pytest.fixture
def tmp_path(tmp_path) -> Iterator[Path]:
    """On a disk of its own, which is soon full."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(tmp_path)], check=True)
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
        answer, page = Browser(self.port, "", "").ask("GET", path)
        return answer.status, page

    @property
    def worker(self) -> int:
        return next((pid for pid in children(self.process.pid) if _name(pid) == NAME), 0)

    @property
    def web(self) -> list[int]:
        return [pid for pid in children(self.process.pid) if _name(pid) != NAME]


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return NAME  # ended just now


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


def until(holds: Callable[[], object], seconds: float = TIMEOUT_SECONDS) -> object:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(*NOBODY_THERE):
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
def read_only(folder: Path) -> Iterator[Path]:
    """The folder under another name, under which nothing can be written."""
    seen = folder.with_name(f"{folder.name}-seen")
    seen.mkdir()
    subprocess.run(["mount", "--bind", str(folder), str(seen)], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(seen)], check=True)
    try:
        yield seen
    finally:
        subprocess.run(["umount", "--lazy", str(seen)], check=True)


@pytest.fixture
def server(site, settings, tmp_path, person, opened) -> Iterator[CountingServer]:
    """Serving an open election and one that is over, on a disk of its own."""
    settings.SECRET_KEY = own_secret(tmp_path)
    for name in VOTERS:
        person(name, Role.VOTER)
    for name in ("Board", "Old"):
        opened(*VOTERS, name=name)
    closing.close(people.find("the organiser"), elections.find("Old"))
    server = CountingServer(tmp_path)
    try:
        server.start()
        until(lambda: server.read("/readyz") == (200, "ok\n"))
        until(lambda: browser_of(server, VOTERS[0]).ask("GET", "/election/Old/results/")[0].status == 200)
        yield server
    finally:
        server.kill()
    for (part, kind, status), count in sorted(server.answers.items()):
        print(f"{part:<24}{kind:<8}{status:<10}{count:>8,}")


def browser_of(server: CountingServer, name: str) -> CountingBrowser:
    browser = CountingBrowser(server.port, session_of(people.find(name)), name)
    browser.server = server
    return browser


def under_votes(site, server: CountingServer, story: Callable[[], None]) -> None:
    """Everybody votes and looks while the story goes on; afterwards what was acknowledged is there, and only that."""
    users, rush = [people.find(name) for name in VOTERS], Rush(("Board",))
    browsers = [browser_of(server, user.name) for user in users]
    for browser in browsers:
        browser.open_ballot("Board")

    def look(browser: CountingBrowser) -> None:
        while not rush.over.is_set():
            for path in READ:
                try:
                    browser.ask("GET", path)
                except NOBODY_THERE:
                    rush.over.wait(0.05)

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
    closing.close(owner, elections.find("Board"))
    history = [act for answer in acts for act in answer["Board"]]
    history.append(Act(owner.name, "close", called, time.monotonic(), DONE))
    assert flaws(history, left_behind(site, "Board", users)) == []
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
            large = Browser(server.port, "", "").ask("POST", "/sign-in/", {"name_or_email": "x" * 3_000_000})
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
            until(lambda: len(server.web) == 2 and server.worker and not {*server.web, server.worker} & {*killed})
            server.part = "full, others serve"
            until(lambda: server.answers["full, others serve", "read", "200"] > 50)
            assert server.read("/metrics")[0] == 200
        server.part = "after"
        until(lambda: voted(server, "after"))
        until(lambda: server.read("/readyz") == (200, "ok\n"))

    under_votes(site, server, story)
    assert statuses(server, "full, others serve", "read") <= SHOWN | {"cut off"}
    assert statuses(server, "after", "read") <= SHOWN


def test_on_a_read_only_disk_it_shows_what_there_is_and_does_not_start(site, settings, server, tmp_path):
    """As far as the journal is there, which goes with the last connection: ours is open, as a running server's is."""
    reader = browser_of(server, VOTERS[0])
    server.kill()
    with read_only(tmp_path) as seen:
        variables = server.variables | {"DATA_DIR": str(seen)}
        for command in (
            ["manage.py", "serve"],
            ["-m", "gunicorn", "--config", "python:config.gunicorn", "config.asgi"],
        ):
            run = subprocess.run(
                [sys.executable, *command], cwd=BASE_DIR, env=variables, capture_output=True, text=True, check=False
            )
            assert run.returncode == 1
            assert f"DATA_DIR {seen} cannot be written: Read-only file system." in run.stderr
            assert "Traceback" not in run.stderr
        settings.STORE_URL, settings.DATA_DIR = f"sqlite://{seen}/plenum.sqlite3", seen
        browser = Client(raise_request_exception=False)
        browser.cookies[settings.SESSION_COOKIE_NAME] = reader.session
        for path in READ:
            assert browser.get(path).status_code in (200, 302), path
        answer = browser.post("/sign-in/", {"name_or_email": "x", "password": "y"})
        assert (answer.status_code, "Nothing can be saved right now" in answer.content.decode()) == (503, True)
        answer = browser.get("/readyz")
        assert (answer.status_code, "is read-only" in answer.content.decode()) == (503, True)


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
            until(
                lambda: (
                    server.worker not in (0, worker) and server.worker in [sign.pid for sign in read_heartbeats(site)]
                )
            )
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
