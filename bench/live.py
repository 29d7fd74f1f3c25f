"""Part `live`: a hall of players at the real server: how quickly a step reaches them, answers, and reconnecting."""

from __future__ import annotations

import http.client
import json
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from acts.site import acting_on
from store.connect import connect

from . import hall as phones_of_hall
from .ballots.day import Browser, browsers
from .ballots.server import HOST, serving
from .hall import PATIENCE
from .people import start_django
from .report import MILLISECONDS, OPERATIONS, Report
from .rounds import Comparison, compare, rate
from .serving import visitor

if TYPE_CHECKING:  # importing these needs Django to be set up, which the part does when it runs
    from live.players import Pass
    from live.rules import Game

HALLS = (100, 1_000)  # players
Goals = dict[float, float]  # seconds, in which so large a share must be served
NO_GOALS: Goals = {}
STEP: Goals = {0.95: 1.0, 0.99: 2.0}
ANSWERED: Goals = {0.95: 1.0}
BACK: Goals = {1.0: 6.0}
ANSWERS_OVER = 2.0  # seconds in which all of them answer
BACK_AFTER = (1.0, 5.0)  # seconds, at random between them, after which a page that lost its stream comes back
DROPS = 3
TOLD = "Your answer is in"  # as the page says it
PAGES_ROUNDS, PAGES_SECONDS = 9, 0.5
PASSWORD = "correct horse battery staple"
FILES = 8_000  # every phone is an open file, here and there


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale has fewer players."""
    report.build.mkdir(parents=True, exist_ok=True)
    _open_many_files()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        start_django(name)
        for players in (max(4, round(number * scale)) for number in HALLS):
            with hall(Path(name) / str(players), players) as room, empty(Path(name) / f"{players} less") as quiet:
                _measure(report, room, quiet, players)


def _open_many_files() -> None:
    """The soft limit is often too low for a hall; the server raises its own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _measure(report: Report, room: Hall, quiet: int, players: int) -> None:
    key = f"players_{players}"
    memory, worked = room.memory(), room.worked()
    connected = room.phones("connect", key="waiting")
    worked, memory = room.worked() - worked, room.memory() - memory
    pages = compare(lambda: _pages(room.port), lambda: _pages(quiet), PAGES_ROUNDS)
    report.heading(f"{players} players at two processes; the phones are a process of their own", "goal")
    _say(report, f"{key}.connected", "connected, all at once", connected)
    _step(report, room, f"{key}.asked", "a question reaches", "next", "question-1")
    answering = room.worked()
    answers = room.phones("answer", over=ANSWERS_OVER)["answers"]
    answering = room.worked() - answering
    told = sum(status == 200 and TOLD in words for _seconds, status, words in answers)
    _say(report, f"{key}.answered", "an answer is acknowledged", {"seconds": [each[0] for each in answers]}, ANSWERED)
    _step(report, room, f"{key}.closed", "the close reaches", "close", "results-1-0")
    _step(report, room, f"{key}.revealed", "the results reach", "reveal", "results-1-1")
    totals = room.totals()
    backs = [_back(room) for _ in range(DROPS)]
    _say(report, f"{key}.back", "dropped, and back on the right screen", backs[0], BACK)
    report.figure(f"{key}.told", "answers told to count", told, f"of {players}")
    report.figure(f"{key}.counted", "answers that count", len(totals), "(as many)")
    same = all(each["totals"] == totals for each in backs)
    report.figure(f"{key}.unchanged", f"totals unchanged by {DROPS} drops of all", same, "(goal: 1)")
    report.figure(f"{key}.processor.connected", "processor to connect one", worked / players, "ms")
    report.figure(f"{key}.processor.answered", "processor of one answer", answering / players, "ms")
    report.figure(f"{key}.memory", "memory of one who is connected", memory / players, "KB")
    report.heading("Trivial pages a second, beside all who listen and at a server with none", "without")
    report.compare(f"{key}.pages", "pages", pages, OPERATIONS, peer="without", at_least=0.9)


def _back(room: Hall) -> dict[str, Any]:
    """Everybody hangs up and comes back, as pages do."""
    room.phones("drop")
    back = room.phones("connect", key="results-1-1", spread=BACK_AFTER[1], least=BACK_AFTER[0])
    return back | {"totals": room.totals()}


def _step(report: Report, room: Hall, key: str, label: str, step: str, screen: str) -> None:
    since = room.drive(step)
    _say(report, key, label, room.phones("hear", key=screen, since=since), STEP)


def _say(report: Report, key: str, label: str, heard: dict[str, Any], goals: Goals = NO_GOALS) -> None:
    seconds = sorted(heard["seconds"]) or [PATIENCE]
    report.fact(f"{key}.missing", heard.get("missing", 0))
    for share in (0.5, 0.95, 0.99, 1.0):
        at = seconds[min(len(seconds) - 1, int(share * len(seconds)))]
        name = "all" if share == 1 else f"{share:.0%}"
        if share in goals:
            comparison = Comparison((1000 * at,), (1000 * goals[share],))
            report.compare(f"{key}.{name}", f"{label}: {name}", comparison, MILLISECONDS, peer="goal", at_least=1.0)
        else:
            report.figure(f"{key}.{name}", f"{label}: {name}", 1000 * at, "ms")


# --- the hall ---


@dataclass(frozen=True)
class Hall:
    """A session at a server, its host, and the process with its players."""

    game: Game
    port: int
    host: Browser
    process: subprocess.Popen[str]
    serving: list[int]  # the processes of the server

    def phones(self, do: str, **more: Any) -> dict[str, Any]:
        """Have the phones do something, and wait until they have."""
        return self.tell({"do": do, **more})

    def tell(self, words: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(words) + "\n")
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def drive(self, step: str) -> float:
        """A step by the host's button; answers the moment at which it was pressed."""
        from live import repository

        state = repository.state(self.game.id)
        assert state is not None
        form = {"csrfmiddlewaretoken": self.host.field, "act": f"{step} {state.version}"}
        since = time.monotonic()
        status = _post(self.port, f"/live/{self.game.id}/drive/", form, self.host.cookies())
        assert status in (204, 302), f"The step {step} was answered with {status}."
        return since

    def totals(self) -> dict[str, int]:
        """What each player has, as the table tells."""
        from live import counting, repository

        sealed = counting.round_of(repository.round_items(self.game.id, 1))
        return {entry.player: entry.total for entry in sealed.entries}

    def worked(self) -> float:
        """Milliseconds that the processes of the server have worked."""
        threads = (each for pid in self.serving for each in Path(f"/proc/{pid}/task").iterdir())
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e6

    def memory(self) -> float:
        """Kilobytes of memory that are theirs alone."""
        return sum(_own_memory(pid) for pid in self.serving)


@contextmanager
def hall(folder: Path, players: int) -> Iterator[Hall]:
    """A session that so many players have joined, at a server of its own."""
    from django.conf import settings

    folder.mkdir()
    url = f"sqlite://{folder / 'live.sqlite3'}"
    connect(url).create()
    with acting_on(connect(url)), serving(folder, url, settings.SECRET_KEY) as port:
        game, host, phones = _joined(players, f"{HOST}:{port}")
        command = [sys.executable, phones_of_hall.__file__]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        try:
            room = Hall(game, port, host, process, _processes(port))
            assert room.tell({"host": HOST, "port": port, "phones": phones}) == {"phones": players}
            yield room
        finally:
            process.kill()
            process.communicate()


@contextmanager
def empty(folder: Path) -> Iterator[int]:
    """The port of a server at which nobody listens."""
    from django.conf import settings

    folder.mkdir()
    url = f"sqlite://{folder / 'live.sqlite3'}"
    connect(url).create()
    with serving(folder, url, settings.SECRET_KEY) as port:
        yield port


def _pages(port: int) -> float:
    """Trivial pages a second."""
    return rate(visitor(port), PAGES_SECONDS)


def _processes(port: int) -> list[int]:
    """Those of the server that listens there, by what they were started with."""
    mark = f"\0PORT={port}\0".encode()
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit() and mark in _environment(each)]


def _environment(process: Path) -> bytes:
    try:
        return b"\0" + (process / "environ").read_bytes()
    except OSError:  # somebody else's, or it has just ended
        return b""


def _own_memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def _joined(players: int, site: str) -> tuple[Game, Browser, list[tuple[str, str]]]:
    """A session of one question, its host, and of each player what their phone sends."""
    from accounts import services as accounts
    from live.questions import Kind, Question, Type
    from live.services import making

    owner = accounts.make_owner("Owner", "owner@example.org", PASSWORD)
    assert owner is not None
    question = Question("Which of them?", Kind.CHOICE, options=("One", "Two", "Three", "Four"), right=(1,), seconds=0)
    game = making.make(owner, Type.TRIVIA, [question, question], title="A hall")
    return game, browsers([owner])[0], [_phone(game, number, site) for number in range(players)]


def _phone(game: Game, number: int, site: str) -> tuple[str, str]:
    """The requests of one phone: its stream, and its answer."""
    from live import players, repository
    from live.services import joining

    held = players.pass_of_form(players.new_form())
    state = repository.state(game.id)
    assert held is not None
    assert state is not None
    joining.join(game, state, None, f"Player {number}", held)
    guard = secrets.token_hex(16)
    cookies = f"{players.cookie_name(game.id)}={_cookie(game, held)}; csrftoken={guard}"
    body = urlencode({"csrfmiddlewaretoken": guard, "round": 1, "option": number % 4})
    head = f"HTTP/1.1\r\nHost: {site}\r\nOrigin: http://{site}\r\nCookie: {cookies}\r\n"
    form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
    answers = f"{head}HX-Request: true\r\nConnection: close\r\n{form}\r\n{body}"
    return f"GET /live/{game.id}/stream/player/ {head}\r\n", f"POST /live/{game.id}/answer/ {answers}"


def _cookie(game: Game, held: Pass) -> str:
    """As a browser has it that has joined."""
    from django.http import HttpResponse

    from live import players

    return str(players.remember(HttpResponse(), game, held).cookies[players.cookie_name(game.id)].value)


def _post(port: int, path: str, form: dict[str, str], cookies: str) -> int:
    connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE)
    try:
        site = f"http://{HOST}:{port}"
        headers = {"Cookie": cookies, "Origin": site, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", path, urlencode(form), headers)
        return connection.getresponse().status
    finally:
        connection.close()
