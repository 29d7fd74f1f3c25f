"""Makes the data of a site: people who are signed in, elections, ballots, a live session.

This file runs in a process of its own, on the code of any revision that has these services. Every revision that is
measured makes its own data: formats change, and cookies of players are sealed by the code.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing these needs Django to be set up
    from accounts.models import User
    from elections.rules import Election
    from foundation.ranking.candidates import Candidate
    from foundation.store.table import Write

BOARD, LAST_YEAR = "Board", "Last year"  # an open election, and one whose result is there
KINDS: dict[str, dict[str, Any]] = {  # open elections, by the kind of their ballots
    "ranked": {},
    "yes-no": {"method": "majority", "majority": "1/2 cast"},
    "choose": {"method": "most-votes", "most": 3},
    "approval": {"method": "approval"},
    "score": {"method": "star"},
    "points": {"method": "cumulative", "most": 10},
}
CANDIDATES = 8
DESCRIPTION = """\
The board leads the association for **two years**. It has five seats.

- Whoever is a member of the association may vote.
- The ballot is secret, and can be changed until the election closes.

Ask the [office](https://example.org/) if anything is unclear.
"""
STATEMENT = (
    "I have sat on this board for three years and kept its books in order. In the next term I would like to **open "
    "the minutes** to every member, to finish the repair of the roof before winter comes, and to find somebody younger "
    "who will take the books over from me. Ask me anything at the meeting on Thursday."
)
OWNER, PASSWORD = "Owner", "correct horse battery staple"
TRANSACTION_ITEMS = 100  # writes, at most
ROOT = Path(__file__).parents[2]
RUN_FILE = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"


@dataclass(frozen=True, slots=True)
class Person:
    """What somebody's browser sends."""

    name: str
    cookies: dict[str, str]
    form: dict[str, str] = field(default_factory=dict)  # as they fill it in, with the token against forged forms


# --- from the process that measures ---


def python_of(root: Path) -> str:
    """A checkout may have a virtual environment of its own; otherwise it shares ours."""
    own = root / ".venv/bin/python"
    return str(own) if own.exists() else sys.executable


def make(what: str, folder: Path, root: Path = ROOT, **size: Any) -> dict[str, Any]:
    """Run the function of this name on the site in this folder, with the code below this root; returns its result."""
    folder.mkdir(parents=True, exist_ok=True)
    program = __file__ if (root / "tests" / "bench").exists() else root / "bench" / "data.py"
    command = [python_of(root), "-c", RUN_FILE, str(program), what, json.dumps(size)]
    environment = os.environ | {"DATA_DIR": str(folder), "LOG_LEVEL": "ERROR"}
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def main(what: str, size: str) -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    print(json.dumps(MADE[what](**json.loads(size))))


# --- an election ---


def election(voters: int, cast: int = 0, sealed: int = 0) -> dict[str, Any]:
    """An open election with so many voters, and ballots of others; and one with a result, if it has ballots."""
    owner = _owner()
    people = add_people(voters)
    roll = [each.name for each in people]
    open_election(owner, BOARD, roll, cast)
    if sealed:
        open_election(owner, LAST_YEAR, roll, sealed)
        _close(owner, LAST_YEAR)
    return {"owner": _sent(sign_in([owner])[0]), "voters": [_sent(each) for each in sign_in(people)]}


def kinds(voters: list[str]) -> dict[str, Any]:
    """An open election of each of the kinds, with the same voters, on a site that has them."""
    from accounts import repository

    owner = repository.find(OWNER)
    assert owner is not None
    for kind, rules in KINDS.items():
        open_election(owner, kind, voters, kind=kind, **rules)
    return {}


def _owner() -> User:
    from accounts import services

    _create_store()
    owner = services.make_owner(OWNER, "owner@example.org", PASSWORD)
    assert owner is not None
    return owner


def _create_store() -> None:
    """Nothing is measured while it is filled, so nobody waits for the disk."""
    from foundation.acts.storage import table
    from foundation.store.formats import prepare
    from foundation.store.sqlite import SqliteTable

    store = table()
    assert isinstance(store, SqliteTable)
    store.create()
    store.wait_for_no_disk()
    prepare(store)


def _sent(person: Person) -> dict[str, Any]:
    return {"name": person.name, "cookies": person.cookies, "form": person.form}


def add_people(count: int) -> list[User]:
    from accounts import repository, services
    from accounts.rules import Role

    people = [services.new_user(f"Voter {n:06}", f"voter{n}@example.org", "!", Role.VOTER) for n in range(count)]
    _write(part for each in people for part in repository.creation(each))
    return people


def open_election(owner: User, name: str, roll: Sequence[str], cast: int = 0, **rules: Any) -> None:
    add_candidates = first_of("elections.candidates:add_candidates", "elections.candidates.services:add_candidates")
    from elections.drafts import services as drafts
    from elections.lifecycle import services as lifecycle
    from elections.repository import description_written
    from elections.roll.services import add_voters
    from foundation.acts.storage import table
    from foundation.store.log import as_text, utc_now

    end = as_text(utc_now() + timedelta(days=7))
    made = drafts.create(owner, name, secret_ballot=True, no_voting_after=end, **rules)
    if made.kind != "yes-no":  # its answers are its candidates
        add_candidates(owner, made, candidates())
    add_voters(owner, _election(name), roll)
    lifecycle.open_(owner, _election(name), editable=False)
    table().write(description_written(name, DESCRIPTION))
    _leave_as_cast(_election(name), cast)


def candidates() -> list[Candidate]:
    from foundation.ranking.candidates import Candidate

    return [Candidate(f"Candidate {number}", STATEMENT, number=number) for number in range(CANDIDATES)]


def _election(name: str) -> Election:
    from elections import repository

    found = repository.find(name)
    assert found is not None
    return found


def _leave_as_cast(election: Election, count: int) -> None:
    """Roll, ballots and gates as so many casts would have left them, without waiting for each."""
    from ballots import repository, robots
    from ballots.rules import Ballot
    from ballots.secret import code, new_secret
    from elections import repository as elections
    from foundation.ranking.marks import ranking_from
    from foundation.store.table import Update

    context_of = first_of("ballots.repository:VoterContext", "ballots.repository:Standing")
    chance, stand = random.Random(0), candidates()
    gates: dict[Any, dict[str, int]] = {}
    writes: list[Write] = []
    for number in range(count):
        secret = new_secret()
        ballot = Ballot(ranking_from(robots.random_ranks(stand, chance), stand), code(secret, election.name))
        context = context_of(election, f"Early {number:06}", None, secret=secret)
        said: Any = {1: ballot} if hasattr(context, "questions") else ballot  # before elections had questions
        gate, *own = repository.casting(context, said, paper=False)
        writes += own
        counters = gates.setdefault(gate.key, {})
        for name, by in gate.add.items():  # type: ignore[union-attr]
            counters[name] = counters.get(name, 0) + by
    _write([*writes, *(Update(key, add=added) for key, added in gates.items()), elections.touched(election, count)])


def first_of(*places: str) -> Any:
    """What is at the first of these places that there is: earlier revisions have it elsewhere, or by another name."""
    for place in places:
        module, _colon, name = place.partition(":")
        with suppress(ImportError, AttributeError):
            return getattr(import_module(module), name)
    raise ImportError(" nor ".join(places))


def _close(owner: User, name: str) -> None:
    from elections.lifecycle import closing

    closing.close(owner, _election(name))
    first_of("ballots.sealing:seal_closed", "ballots.services:seal_closed")()


def sign_in(users: Sequence[User]) -> list[Person]:
    """Sessions as a sign-in leaves them, and the ballot that each fills in."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from accounts.sessions import SessionStore
    from ballots import robots
    from foundation.acts.storage import use_table

    people, gathered, chance = [], _Gathered(), random.Random(0)
    for user in users:
        session, csrf = SessionStore(), secrets.token_hex(16)
        session[SESSION_KEY] = user.name
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        with use_table(gathered):  # type: ignore[arg-type]
            session.save()
        ranks = robots.random_ranks(candidates(), chance)
        boxes = {f"rank-{n}": next(iter(ranks.get(str(n), [""]))) for n in range(CANDIDATES)}
        cookies = {settings.SESSION_COOKIE_NAME: str(session.session_key), settings.CSRF_COOKIE_NAME: csrf}
        people.append(Person(user.name, cookies, {"csrfmiddlewaretoken": csrf, **boxes, "acts": "0"}))
    _write(gathered.writes)
    return people


@dataclass
class _Gathered:
    """Takes writes that are to be written later, a hundred at a time."""

    writes: list[Write] = field(default_factory=list)

    def write(self, *writes: Write) -> None:
        self.writes += writes


def _write(writes: Iterable[Write]) -> None:
    from foundation.acts.storage import table

    every = list(writes)
    for start in range(0, len(every), TRANSACTION_ITEMS):
        table().write(*every[start : start + TRANSACTION_ITEMS])


def counted(names: list[str]) -> dict[str, int]:
    """What is in the store of a site after voters have come to these elections."""
    from ballots import repository
    from elections.turnout.counts import turnout

    ballots = sum(1 for name in names for _ in repository.every_ballot(name))
    return {"ballots": ballots, "turnout": sum(turnout(name).voted for name in names)}


# --- a live session ---


def live(players: int) -> dict[str, Any]:
    return hall(_owner(), players)


def hall(owner: User, players: int) -> dict[str, Any]:
    """A trivia session that so many players have joined."""
    from parts.live.services import making
    from parts.questions.question import Kind, Question, Type

    question = Question("Which of them?", Kind.CHOICE, options=("One", "Two", "Three", "Four"), right=(1,), seconds=0)
    game = making.make(owner, Type.TRIVIA, [question, question], title="A hall")
    joined = [_sent(_player(game, number)) for number in range(players)]
    return {"game": game.id, "owner": _sent(sign_in([owner])[0]), "players": joined}


def _player(game: Any, number: int) -> Person:
    from django.conf import settings
    from django.http import HttpResponse

    from parts.live import players, repository
    from parts.live.services import joining

    held, state, csrf = players.pass_of_form(players.new_form()), repository.read_state(game.id), secrets.token_hex(16)
    assert held is not None
    assert state is not None
    joining.join(game, state, None, f"Player {number}", held)
    cookie = players.set_seat_cookie(HttpResponse(), game, held).cookies[players.cookie_name(game.id)]
    cookies = {cookie.key: cookie.value, settings.CSRF_COOKIE_NAME: csrf}
    return Person(f"Player {number}", cookies, {"csrfmiddlewaretoken": csrf, "round": "1", "option": str(number % 4)})


def answers(game: str) -> dict[str, int]:
    """How many players' answers count in the first round."""
    from parts.live import repository

    round_from_parts = first_of("parts.live.rounds:round_from_parts", "parts.live.counting:round_from_parts")

    return {"counted": len(round_from_parts(repository.round_items(game, 1)).entries)}


MADE: dict[str, Callable[..., dict[str, Any]]] = {
    "election": election,
    "kinds": kinds,
    "counted": counted,
    "live": live,
    "answers": answers,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
