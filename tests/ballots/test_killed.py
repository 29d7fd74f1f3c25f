"""The server is killed while ballots arrive, and started again: none that was acknowledged is lost, none is doubled."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote, urlencode

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from accounts import repository as people
from accounts.models import User
from accounts.rules import Role
from accounts.sessions import SessionStore
from ballots import rules
from ballots.secret import code
from config.settings import BASE_DIR, own_secret
from elections import repository as elections
from elections.lifecycle import closing
from foundation.ranking.marks import ranking_from
from tests.at_once import at_once
from tests.compiled_templates import of_a_server
from tests.ports import free_port
from tests.seeds import seed

from .caster import CANDIDATES, kind_of, ranks_on
from .history import CARRIED_OUT, DONE, NOTHING, UNKNOWN, Act, flaws, left_behind, secret_of

ROUNDS = 1  # `make soak` kills again and again
FORMS_BETWEEN_KILLS = 40  # forms that are answered between a start and the next kill
START_TIMEOUT_SECONDS = 120
ELECTIONS = ("Secret board", "Public board")
VOTERS = tuple(f"voter {number}" for number in range(6))
NOBODY_THERE = (OSError, http.client.HTTPException)


# --- the server ---


class Server:
    """A site in a folder as `make run` serves it. Killed, it can be started again."""

    def __init__(self, folder: Path, **variables: str):
        self.folder = folder
        self.port = free_port()
        self.variables = {
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(folder),
            "METRICS_DIR": str(folder / "metrics"),
            "PORT": str(self.port),
            "WEB_PROCESSES": "2",
            **of_a_server(),
            **variables,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "manage.py", "serve", "--no-demo"]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=BASE_DIR, env=self.variables, stdout=log, stderr=log, start_new_session=True
            )
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/healthz")
                assert connection.getresponse().status == 200
                connection.close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"The server did not start:\n{(self.folder / 'server.log').read_text()[-2000:]}")

    def kill(self) -> None:
        """All of it at once: the server, its processes and its worker are one group."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=10)


@pytest.fixture
def server(site, settings, tmp_path) -> Iterator[Server]:
    """Not started yet. What is written to the site's table before is what it starts with."""
    settings.SECRET_KEY = own_secret(tmp_path)
    server = Server(tmp_path)
    yield server
    server.kill()


# --- clients ---


@dataclass
class Browser:
    """Somebody's device: one connection that is kept, a session, and the token against forged forms."""

    port: int
    session: str
    voter: str
    csrf: str = ""
    connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[http.client.HTTPResponse, str]:
        self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        cookies = {django_settings.SESSION_COOKIE_NAME: self.session, "csrftoken": self.csrf}
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items() if value)}
        body = None
        if form is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
            body = urlencode(form | {"csrfmiddlewaretoken": self.csrf})
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            return answer, answer.read().decode()
        except NOBODY_THERE:
            self.connection.close()
            self.connection = None
            raise

    def open_ballot(self, election_name: str) -> None:
        """As a voter does first; the first page brings the token that every form needs."""
        answer, _page = self.ask("GET", f"/election/{quote(election_name)}/ballot/")
        assert answer.status == 200
        if self.csrf:
            return
        found = re.search(r"csrftoken=(\w+)", "; ".join(answer.headers.get_all("Set-Cookie", [])))
        assert found is not None
        self.csrf = found[1]

    def send(self, election_name: str, form: str) -> str:
        """What became of a form, which says what its token says."""
        kind = kind_of(form)
        boxes = {f"rank-{number}": typed[0] for number, typed in ranks_on(form).items()}
        boxes |= {"secret": secret_of(self.voter, election_name)}
        is_secret, act = election_name == ELECTIONS[0], "withdraw" if kind == "withdraw" else "cast"
        own = f"/election/{quote(election_name)}/"
        pages = f"{own}change/" if is_secret and kind != "cast" else f"{own}ballot/"
        try:
            answer, page = self.ask("POST", f"{pages}{act}/", {"token": form, "acts": "0", **boxes})
        except NOBODY_THERE:
            return UNKNOWN
        if answer.status in (409, 503):
            return UNKNOWN
        if (answer.status, act) == (200, "cast"):
            assert not is_secret or code(boxes["secret"], election_name) in page, "the thanks"
            return CARRIED_OUT
        if is_secret and kind == "cast" and answer.status == 302:
            return CARRIED_OUT  # the ballot was withdrawn since
        if answer.status == 302 and answer.headers["Location"] != pages:
            there = f"{pages}ballot/" if is_secret else f"{pages}receipt/" if act == "cast" else own
            assert answer.headers["Location"] == there
            return CARRIED_OUT
        if is_secret and answer.status in (302, 404):
            return NOTHING  # no ballot has that secret yet
        assert (kind, answer.status) == ("withdraw", 403), page
        assert str(rules.NOTHING_CAST) in page
        return NOTHING


class Rush:
    """Clients that send forms until they are told to stop, each form until it is answered."""

    def __init__(self, elections: tuple[str, ...]) -> None:
        self.elections = elections
        self.seed = seed()
        self.over = threading.Event()
        self.tries: list[int] = []  # for each form that was answered

    def go(self, client: int, browser: Browser) -> dict[str, list[Act]]:
        chance, voter = Random(f"{self.seed} {client}"), VOTERS[client % len(VOTERS)]
        acts: dict[str, list[Act]] = {name: [] for name in self.elections}
        while not self.over.is_set():
            name = chance.choice(self.elections)
            form = f"{client} {len(acts[name])} in {name} {chance.random()}"
            acts[name].append(self._send(browser, voter, name, form))
        return acts

    def goes_on(self, forms: int) -> None:
        """Until so many more were answered, however long that takes."""
        end, wanted = time.monotonic() + START_TIMEOUT_SECONDS, len(self.tries) + forms
        while len(self.tries) < wanted and time.monotonic() < end:
            time.sleep(0.01)

    def _send(self, browser: Browser, voter: str, name: str, form: str) -> Act:
        called, answer, tries = time.monotonic(), UNKNOWN, 0
        while answer == UNKNOWN:
            assert time.monotonic() < called + 2 * START_TIMEOUT_SECONDS, "the server did not come back"
            answer = browser.send(name, form)
            tries += 1
            if answer == UNKNOWN:
                time.sleep(0.05)
        self.tries.append(tries)
        kind = "cast" if kind_of(form) == "change" and name != ELECTIONS[0] else kind_of(form)
        act = Act(voter, kind, called, time.monotonic(), answer, form)
        return act if act.kind == "withdraw" else replace(act, rankings=ranking_from(ranks_on(form), CANDIDATES))


def session_of(user: User) -> str:
    """Somebody is signed in, without the time a password takes."""
    session = SessionStore()
    session[SESSION_KEY] = user.name
    session[BACKEND_SESSION_KEY] = django_settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session.session_key or ""


def kill_and_start_again(server: Server, rush: Rush, amid: int) -> None:
    """The server is up when this begins and when it ends."""
    chance = Random(rush.seed)
    try:
        for _ in range(ROUNDS):
            rush.goes_on(amid)
            time.sleep(chance.uniform(0, 0.3))
            server.kill()
            server.start()
        rush.goes_on(amid)
    finally:
        rush.over.set()


@pytest.mark.seconds(10)
def test_killed_in_the_middle_of_a_rush_it_loses_no_ballot_and_doubles_none(site, server, person, opened):
    check_rush(site, server, person, opened)


def check_rush(site, server: Server, person, opened, amid: int = FORMS_BETWEEN_KILLS) -> None:
    users = [person(name, Role.VOTER) for name in VOTERS]
    for name in ELECTIONS:
        opened(*VOTERS, name=name, secret_ballot=name == ELECTIONS[0])
    rush = Rush(ELECTIONS)
    browsers = [Browser(server.port, session_of(user), user.name) for user in users * 2]  # everybody has two devices
    server.start()
    for browser in browsers:
        browser.open_ballot(ELECTIONS[0])
    clients = [partial(rush.go, number, browser) for number, browser in enumerate(browsers)]
    trouble, *answers = at_once(partial(kill_and_start_again, server, rush, amid), *clients)
    server.kill()
    assert [answer for answer in (trouble, *answers) if isinstance(answer, Exception)] == []
    assert len(rush.tries) >= (ROUNDS + 1) * amid
    assert sum(tries > 1 for tries in rush.tries) >= ROUNDS, "some waited for an answer in vain"
    owner = people.find("the organiser")
    for name in ELECTIONS:
        acts = [act for answer in answers for act in answer[name]]
        called = time.monotonic()
        closing.close(owner, elections.find(name))
        acts.append(Act(owner.name, "close", called, time.monotonic(), DONE))
        assert flaws(acts, left_behind(site, name, users)) == []
