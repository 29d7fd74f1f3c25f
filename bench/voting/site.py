"""A site to walk through: made and served by the code of one revision, with voters who are signed in."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from ..ballots.day import Browser
from ..ballots.server import HOST, started
from ..serving import Server

SERVE = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "bench.stage.asgi"]
LOOKERS, KNOWING = 300, 8  # voters who look at pages and do not vote, and those who look again and again
NO_MORE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Size:
    """How large a site is."""

    voters: int
    candidates: int = 8
    elections: int = 3
    cast: int = 0  # ballots that are there before anybody comes
    sealed: int = 0  # ballots of another election, which is sealed; without any there is none
    signed_in: int = 100


@dataclass(frozen=True, slots=True)
class Voter:
    name: str
    browser: Browser
    ranks: dict[str, str]

    def form(self) -> dict[str, str]:
        """As typed, with a token that no form had before."""
        return self.ranks | {"token": secrets.token_urlsafe(16)}


@dataclass
class Site:
    server: Server
    root: Path
    folder: Path
    owner: Voter
    lookers: list[Voter]
    coming: deque[Voter]
    voted: dict[str, Voter] = field(default_factory=dict)
    unseen: deque[Voter] = field(default_factory=deque)  # those of them who have not looked at their receipt
    acknowledged: int = 0

    @property
    def host(self) -> str:
        return f"{HOST}:{self.server.port}"

    @property
    def knowing(self) -> list[Voter]:
        return self.lookers[:KNOWING]

    def who(self, which: str, count: int) -> list[Voter]:
        """So many of those who look, who have looked before, who come to vote, or who have voted."""
        if which == "coming":
            return self._to_vote(count)
        if which == "voted":
            return self._to_see_receipts(count)
        return list(islice(cycle(self.knowing if which == "knowing" else self.lookers), count))

    def _to_vote(self, count: int) -> list[Voter]:
        """After the last the first comes again, to change their ballot."""
        found = [self.coming[number % len(self.coming)] for number in range(count)]
        self.coming.rotate(-count)
        return found

    def _to_see_receipts(self, count: int) -> list[Voter]:
        """Whoever looks for the first time; if there are too few of them, others once more."""
        found = [self.unseen.popleft() for _ in range(min(count, len(self.unseen)))]
        return [*found, *islice(cycle(self.voted.values()), count - len(found))]

    def acknowledge(self, voters: list[Voter]) -> None:
        """They were told that their ballots are cast."""
        self.voted |= {each.name: each for each in voters}
        self.unseen.extend(voters)
        self.acknowledged += len(voters)

    def ask(self, voter: Voter, path: str, form: dict[str, str] | None = None) -> HTTPResponse:
        """One page, on a connection of its own."""
        connection = HTTPConnection(HOST, self.server.port, timeout=60)
        body, method = (None, "GET") if form is None else (urlencode(form), "POST")
        connection.request(method, path, body, self.headers(voter))
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    def headers(self, voter: Voter) -> dict[str, str]:
        """What a browser sends besides."""
        own = {"Cookie": voter.browser.cookies(), "Origin": f"http://{self.host}"}
        accepts = {"Accept-Encoding": "gzip", "Accept-Language": "en-GB,en;q=0.9,de;q=0.5"}
        return own | accepts | {"Content-Type": "application/x-www-form-urlencoded"}

    def check(self) -> int:
        """How many ballots were cast, if the roll, the box and the turnout say what the voters were told."""
        told = {"voted": list(self.voted), "acknowledged": self.acknowledged, "unknown": 0}
        return int(_act(self.root, self.folder, "check", **told)["ballots"])


def make(root: Path, folder: Path, size: Size) -> None:
    """The site's data, by the code below this root and in a process of its own."""
    folder.mkdir(parents=True)
    asked = {name: getattr(size, name) for name in size.__slots__}
    (folder / "people.json").write_text(json.dumps(_act(root, folder, "make", **asked)))


@contextmanager
def served(root: Path, folder: Path, own: Mapping[str, str] = NO_MORE) -> Iterator[Site]:
    """As `manage.py serve` does it, with the pages beside it that do nothing."""
    told = json.loads((folder / "people.json").read_text())
    owner, *voters = [_voter(each) for each in (told["owner"], *told["voters"])]
    with started(SERVE, folder, own, root) as server:
        looking = min(LOOKERS, len(voters) // 2)
        yield Site(server, root, folder, owner, voters[:looking], deque(voters[looking:]))


@contextmanager
def again(folder: Path) -> Iterator[Path]:
    """The same site once more, as it was made."""
    with tempfile.TemporaryDirectory(prefix="again-", dir=folder.parent) as name:
        copy = shutil.copytree(folder, Path(name) / "site")
        yield copy


def _voter(told: dict[str, Any]) -> Voter:
    person: Any = SimpleNamespace(name=told["name"])
    return Voter(told["name"], Browser(person, told["session"], told["cookie"], told["field"]), told["form"])


def _act(root: Path, folder: Path, act: str, **words: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.stage.prepare", str(folder)]
    asked = json.dumps({"act": act, **words})
    done = subprocess.run(command, cwd=root, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told
