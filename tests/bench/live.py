"""Part `live`: 1,000 and 2,000 players at a server: how soon a step reaches them, answers, coming back after a drop.

`make bench PART=live BEFORE=REVISION` also measures that revision, in alternating rounds.
"""

from __future__ import annotations

import asyncio
import random
import re
import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from . import data
from .client import Connection, Request, Response, Unexpected, Visit, in_thread, perform, share
from .data import Person
from .report import Goal, Report, at_least, at_most, ratio_at_least
from .rounds import alternate
from .server import OLD, Server, revisions, served_copy, work_folder

HALLS = (1_000, 2_000)  # players; the second as many as a session admits
ROUNDS = 3
OPEN_FILES = 8_000  # every player is an open file, here and at the server
ANSWERING_SECONDS = 2.0  # seconds within which all of them answer
RETURN = (1.0, 5.0)  # seconds, at random between them, after which a page that lost its stream comes back
TIMEOUT_SECONDS = 60.0
PAGES = 400  # to see whether pages are slower beside the streams
ACKNOWLEDGED = "Your answer is in"  # as the page says it
SCREEN = re.compile(rb'event: screen\ndata: \{"key":"([^"]+)"')
MAX_START_BYTES = 200  # bytes of a screen's beginning that may have come in two pieces
VERSION = re.compile(r'name="act" value="\w+ (\d+)')

Figures = dict[str, float]
STEP = {"95%": at_most(1000), "99%": at_most(2000)}
ROWS: dict[str, tuple[str, Mapping[str, Goal | None]]] = {
    "connect": ("connected, all at once", {"95%": None, "all": None}),
    "question": ("a question reaches", STEP),
    "answer": ("an answer is acknowledged", {"50%": None, "95%": at_most(1000)}),
    "close": ("the close reaches", STEP),
    "reveal": ("the results reach", STEP),
    "return": ("stream lost, back on the right screen", {"all": at_most(6000)}),
}
SHARES = {"50%": 0.5, "95%": 0.95, "99%": 0.99, "all": 1.0}


def measure(report: Report, scale: float = 1.0) -> None:
    _allow_many_files()
    for players in HALLS if scale >= 1 else HALLS[:1]:
        _measure_hall(report, max(4, round(players * scale)), ROUNDS if scale >= 1 else 1)


def _measure_hall(report: Report, players: int, rounds: int) -> None:
    with work_folder(report.build) as folder:
        roots = revisions(folder)
        turns = []
        for name, root in roots.items():
            made = data.make("live", folder / name, root, players=players)
            turns.append(partial(_turn, root, folder / name, made))
        found = alternate(turns, rounds, warm_up=False)
    _report(report, found, players, OLD if OLD in roots else "")


def _allow_many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))


def _turn(root: Path, folder: Path, made: Mapping[str, Any]) -> Figures:
    with served_copy(root, folder) as server:
        alone = _pages_per_second(server)
        hall = Hall(server, made["game"], Person(**made["owner"]), [Player(Person(**each)) for each in made["players"]])
        figures = in_thread(hall.play()) | {"alone": alone}
        return figures | data.make("answers", server.data, root, game=made["game"])


def _pages_per_second(server: Server) -> float:
    return PAGES / perform(server.port, [Visit({}, [Request("/healthz")])] * PAGES, 4).seconds


def _report(report: Report, found: list[list[Figures]], players: int, peer: str) -> None:
    def row(label: str, key: str, unit: str, goal: Goal | None = None) -> None:
        report.row(label, unit, [[each[key] for each in turns] for turns in found], goal)

    report.table(f"{players:,} players at two processes", peer)
    for key, (label, goals) in ROWS.items():
        for name, goal in goals.items():
            row(f"{label}: {name}", f"{key} {name}", "ms", goal)
    row("answers acknowledged", "acknowledged", "players", at_least(players))
    row("answers that count", "counted", "players", at_least(players))
    row("connecting one", "connect cpu", "ms CPU")
    row("one answer", "answer cpu", "ms CPU", at_most(2.5))
    row("coming back", "return cpu", "ms CPU")
    row("memory of one who is connected", "memory", "KB")
    report.table("Trivial pages per second beside the streams, and at the same server without", "without")
    pages = [[each[key] for each in found[0]] for key in ("pages", "alone")]
    report.row("pages", "/s", pages, ratio_at_least(0.9))


# --- the hall ---


@dataclass(eq=False)
class Player:
    person: Person
    screens: dict[str, float] = field(default_factory=dict)  # when each screen came first, by its key
    connection: Connection | None = None
    listening: asyncio.Task[None] | None = None

    async def listen(self, port: int, path: str, wait: float = 0.0) -> None:
        await asyncio.sleep(wait)
        self.connection = await Connection.open(port)
        self.connection.send(Request(path), self.person.cookies)
        self.listening = asyncio.create_task(self._read(self.connection.reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        rest = b""
        while received := await reader.read(65_536):
            now, rest = time.monotonic(), rest + received
            for found in SCREEN.finditer(rest):
                self.screens.setdefault(found[1].decode(), now)
            rest = rest[-MAX_START_BYTES:]

    def hang_up(self) -> None:
        self.screens.clear()
        if self.listening and self.connection:
            self.listening.cancel()
            self.connection.close()

    def has(self, key: str) -> float:
        return next((at for seen, at in self.screens.items() if key in seen), 0.0)


@dataclass
class Hall:
    server: Server
    game: str
    host: Person
    players: Sequence[Player]
    chance: random.Random = field(default_factory=lambda: random.Random(17))

    async def play(self) -> Figures:
        """All there is to measure, in the order of a session."""
        memory, used = self.server.memory(), self.server.cpu_seconds()
        figures = _shares("connect", await self._connect("waiting"))
        figures["connect cpu"] = (self.server.cpu_seconds() - used) * 1000 / len(self.players)
        figures["memory"] = (self.server.memory() - memory) * 1024 / len(self.players)
        figures["pages"] = await asyncio.to_thread(_pages_per_second, self.server)
        figures |= _shares("question", await self._step("next", "question-1"))
        used = self.server.cpu_seconds()
        answers = await asyncio.gather(*(self._answer(player) for player in self.players))
        figures["answer cpu"] = (self.server.cpu_seconds() - used) * 1000 / len(self.players)
        figures |= _shares("answer", [seconds for seconds, _ in answers])
        figures["acknowledged"] = sum(is_acknowledged for _, is_acknowledged in answers)
        figures |= _shares("close", await self._step("close", "results-1-0"))
        figures |= _shares("reveal", await self._step("reveal", "results-1-1"))
        for player in self.players:
            player.hang_up()
        used = self.server.cpu_seconds()
        figures |= _shares("return", await self._connect("results-1-1", *RETURN))
        figures["return cpu"] = (self.server.cpu_seconds() - used) * 1000 / len(self.players)
        for player in self.players:
            player.hang_up()
        return figures

    async def _connect(self, key: str, least: float = 0.0, most: float = 0.0) -> list[float]:
        """Seconds until each has the screen of this key, the page's own waiting included."""
        path, since = f"/live/{self.game}/stream/player/", time.monotonic()
        waits = [self.chance.uniform(least, most) for _ in self.players]
        await asyncio.gather(
            *(each.listen(self.server.port, path, wait) for each, wait in zip(self.players, waits, strict=True))
        )
        return await self._arrivals(key, since)

    async def _step(self, step: str, key: str) -> list[float]:
        """The host presses a button, and all get their next screen."""
        page = await self._ask(self.host, Request(f"/live/{self.game}/host/"))
        version = VERSION.search(page.text)
        if version is None:
            raise Unexpected(f"The host's page ({page}) offers no step.")
        form = {"csrfmiddlewaretoken": self.host.form["csrfmiddlewaretoken"], "act": f"{step} {version[1]}"}
        since = time.monotonic()
        answer = await self._ask(self.host, Request(f"/live/{self.game}/drive/", form))
        if answer.status not in (204, 302):
            raise Unexpected(f"The step {step} was answered with {answer}.")
        return await self._arrivals(key, since)

    async def _arrivals(self, key: str, since: float) -> list[float]:
        """Whoever gets nothing counts as the patience that one has."""
        until = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < until and not all(each.has(key) for each in self.players):
            await asyncio.sleep(0.02)
        return [(each.has(key) or since + TIMEOUT_SECONDS) - since for each in self.players]

    async def _answer(self, player: Player) -> tuple[float, bool]:
        await asyncio.sleep(self.chance.uniform(0, ANSWERING_SECONDS))
        since, request = (
            time.monotonic(),
            Request(f"/live/{self.game}/answer/", player.person.form, "HX-Request: true\r\n"),
        )
        answer = await self._ask(player.person, request)
        return time.monotonic() - since, answer.status == 200 and ACKNOWLEDGED in answer.text

    async def _ask(self, person: Person, request: Request) -> Response:
        connection = await Connection.open(self.server.port)
        try:
            return await connection.ask(request, person.cookies)
        finally:
            connection.close()


def _shares(key: str, seconds: Sequence[float]) -> Figures:
    """Milliseconds that half of them, most of them and all of them took."""
    return {f"{key} {name}": share(seconds, part) * 1000 for name, part in SHARES.items()}
