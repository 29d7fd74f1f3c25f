"""An election day: a site with an open election, people on its roll who are signed in, and what their browsers send."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults

from acts.site import acting_on, table
from store.connect import connect
from store.log import as_text, utc_now
from store.table import Update, Write

if TYPE_CHECKING:  # importing these needs Django to be set up, which the part does when it runs
    from accounts.models import User
    from elections.rules import Election
    from ranking.candidates import Candidate

NAME = "Board"
PAGE = f"/election/{NAME}/ballot/"
CAST = f"{PAGE}cast/"
PASSWORD = "a password of the bench"
CANDIDATES = 20
STATEMENT = (
    "I have sat on this board for three years and kept its books in order. In the next term I would like to **open "
    "the minutes** to every member, to finish the repair of the roof before winter comes, and to find somebody younger "
    "who will take the books over from me. Ask me anything at the meeting on Thursday."
)
OF_A_FORM = ("Origin", "Content-Type", "Content-Length")  # headers that the request for a page is without
A_WRITE = 100  # parts of one transaction, at most


@dataclass(frozen=True, slots=True)
class Browser:
    """Of somebody who is signed in."""

    user: User
    session: str
    cookie: str  # the two halves of the protection against forged forms
    field: str

    def cookies(self) -> str:
        return f"plenum_session={self.session}; csrftoken={self.cookie}"

    def form(self, chance: random.Random) -> dict[str, str]:
        """The form of the review: every rank box, most of them filled, and a token of its own."""
        boxes = {f"rank-{number}": "" for number in range(CANDIDATES)}
        boxes |= {f"rank-{number}": rank for number, (rank,) in ranks(chance).items()}
        return {"csrfmiddlewaretoken": self.field, **boxes, "acts": "0", "token": secrets.token_urlsafe(16)}

    def as_text(self, path: str, form: dict[str, str] | None, host: str, **more: str) -> str:
        """A form as it goes over the wire, or the request for a page."""
        body = urlencode(form or {})
        headers = self._headers(host, len(body)) | more
        if form is None:
            headers = {name: value for name, value in headers.items() if name not in OF_A_FORM}
        lines = [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([f"{'GET' if form is None else 'POST'} {path} HTTP/1.1", *lines, "", body])

    def as_environ(self, path: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        """A request as gunicorn hands it to the application."""
        body = urlencode(form or {}).encode()
        headers = self._headers("testserver", len(body))
        environ: dict[str, Any] = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        environ |= {name: environ.pop(f"HTTP_{name}") for name in ("CONTENT_TYPE", "CONTENT_LENGTH")}
        environ |= {"REQUEST_METHOD": "GET" if form is None else "POST", "PATH_INFO": path, "wsgi.input": BytesIO(body)}
        setup_testing_defaults(environ)
        return environ

    def _headers(self, host: str, length: int) -> dict[str, str]:
        return {
            "Host": host,
            "Origin": f"http://{host}",
            "Referer": f"http://{host}{PAGE}",
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Language": "en-GB,en;q=0.9,de;q=0.5",
            "Accept-Encoding": "gzip, deflate",
            "Cookie": self.cookies(),
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(length),
        }


@dataclass(frozen=True, slots=True)
class Day:
    """A site on its election day."""

    url: str
    owner: User
    voters: list[User]


@contextmanager
def on(day: Day) -> Iterator[Day]:
    """Whatever happens inside happens at this site. Settings are everybody's, so each thread also keeps its table."""
    from django.test import override_settings

    with override_settings(STORE_URL=day.url), acting_on(connect(day.url)):
        yield day


def prepare(path: Path, voters: int, *, cast: int = 0) -> Day:
    """A site whose election has so many voters who have not voted yet, and so many others who have."""
    from accounts import services as accounts

    url = f"sqlite://{path.absolute()}"
    connect(url).create()
    with acting_on(connect(url)):
        owner = accounts.make_owner("Owner", "owner@example.org", PASSWORD)
        assert owner is not None
        people = _people(voters)
        _open(owner, [each.name for each in people])
        _leave_as_cast(cast)
    return Day(url, owner, people)


def election() -> Election:
    from elections import repository

    found = repository.find(NAME)
    assert found is not None
    return found


def candidates() -> list[Candidate]:
    from ranking.candidates import Candidate

    return [Candidate(f"Candidate {number}", STATEMENT, number=number) for number in range(CANDIDATES)]


def ranks(chance: random.Random) -> dict[str, Sequence[str]]:
    """What somebody types into the rank boxes."""
    from ballots import robots

    return dict(robots.ranks(candidates(), chance))


def browsers(users: Sequence[User]) -> list[Browser]:
    """Sign everybody in."""
    from django.http import HttpRequest
    from django.middleware.csrf import get_token

    made, gathered = [], _Gathered()
    with acting_on(gathered):  # type: ignore[arg-type]
        for user in users:
            request = HttpRequest()
            guard = get_token(request)
            made.append(Browser(user, _session(user), request.META["CSRF_COOKIE"], guard))
    _write(gathered.writes)
    return made


def _session(user: User) -> str:
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from accounts.sessions import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = user.name
    session[BACKEND_SESSION_KEY] = "accounts.backends.NameOrEmail"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


@dataclass
class _Gathered:
    """Takes writes that are to be written later, a hundred at a time."""

    writes: list[Write] = field(default_factory=list)

    def write(self, *writes: Write) -> None:
        self.writes += writes


def _people(count: int) -> list[User]:
    from accounts import repository, services
    from accounts.rules import Role

    people = [services.new_user(f"Voter {n:06}", f"voter{n}@example.org", "!", Role.VOTER) for n in range(count)]
    _write(part for each in people for part in repository.creation(each))
    return people


def _open(owner: User, names: Sequence[str]) -> None:
    from elections import services

    end = as_text(utc_now() + timedelta(days=7))
    made = services.create(owner, NAME, secret_ballot=True, no_voting_after=end)
    services.add_candidates(owner, made, candidates())
    services.add_voters(owner, election(), names)
    services.open_(owner, election(), editable=False)


def _leave_as_cast(count: int) -> None:
    """Roll, ballots and gates as so many casts would have left them, without waiting for each."""
    from ballots import repository, secrecy
    from ballots.repository import Standing
    from ballots.rules import Ballot
    from elections import repository as elections
    from ranking.rankings import ranking_from
    from store import keys

    day, salt, chance = election(), table().get(keys.salt(NAME)), random.Random(0)
    stand = candidates()
    gates: dict[Any, dict[str, int]] = {}
    writes: list[Write] = []
    for number in range(count):
        ranking = ranking_from(ranks(chance), stand)
        standing = Standing(day, f"Early {number:06}", None, (), salt)
        gate, *own = repository.casting(standing, Ballot(ranking, secrecy.new_confirmation()), paper=False)
        writes += own
        for name, by in gate.add.items():  # type: ignore[union-attr]
            counted = gates.setdefault(gate.key, {})
            counted[name] = counted.get(name, 0) + by
    _write(writes)
    _write([*(Update(key, add=counted) for key, counted in gates.items()), elections.touched(day, count)])


def _write(writes: Iterable[Write]) -> None:

    every = list(writes)
    for start in range(0, len(every), A_WRITE):
        table().write(*every[start : start + A_WRITE])
