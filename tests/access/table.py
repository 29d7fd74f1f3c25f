"""The table of access patterns, from what requests really asked: `python -m tests.access.table` writes it anew.

It is in docs/reference/access-patterns.md, between two markers; `make docs-check` compares it with real requests.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import django
from django.core.management import call_command
from django.test.utils import override_settings, setup_test_environment

from foundation.store.connect import connect
from foundation.store.table import Table

from .asking import Ear, in_words, listening

if TYPE_CHECKING:
    from .site import Look, Site

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "access-patterns.md"
BEGIN, END = "<!-- access patterns: make access-patterns -->\n", "<!-- end of access patterns -->\n"
WHO = "get person + session"  # what every request of somebody signed in begins with
LINE_CHARS = 100
MAX_USUAL_ROUND_TRIPS = 4  # round trips of most pages; the others are named


@dataclass(frozen=True, slots=True)
class Row:
    page: str
    of: str
    address: str
    who: str
    asked: tuple[str, ...]
    in_a_row: int  # round trips that had to wait for each other, where several can be asked at once
    is_act: bool

    @property
    def trips(self) -> int:
        return len(self.asked)

    @property
    def title(self) -> str:
        return f"{self.page}, {self.of}" if self.of else self.page

    def __str__(self) -> str:
        asked = in_words([re.sub(f"^{re.escape(WHO)}$", "who", each) for each in self.asked])
        address = f"{'POST ' if self.is_act else ''}`{self.address}`"
        return f"| {self.title} | {address} | {self.who} | {self.trips} | {self.in_a_row} | {asked} |"


class Standstill:
    """A clock that stands while a page is made, and is far ahead at the next."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def measured(table: Table) -> list[Row]:
    """Build a site on an empty table, open every page once so that what a process keeps is there, and then listen."""
    from . import site

    with without_haste() as clock, listening(table) as ear:
        built = site.build()
        for look in built.looks:
            _answer(built, look)
        site.site_sealer().seal()  # as the worker does every few seconds
        rows = [_asked(built, look, ear, clock) for look in built.looks]
        return sorted(rows + [_asked(built, act, ear, clock) for act in built.acts], key=lambda row: row.address)


@contextmanager
def without_haste() -> Iterator[Standstill]:
    """Nothing hangs on how long something took: every look at what comes in looks anew, at the pause, at the name of
    the site, at its parts, at who may use a password and at who is there in a session nobody does, and no worker is
    missed yet. Nor on chance: of the few codes that a session may get, none is drawn twice, so none has to be drawn
    again."""
    from accounts import policy
    from foundation.acts import branding, features, pause
    from operations.upkeep import heartbeats
    from parts.candidate_questions import views as candidate_questions
    from parts.live import clock as of_sessions
    from parts.live.services import making
    from parts.polls import counting as of_polls
    from parts.polls import voters
    from results import incoming as of_elections

    from .site import PRESENTED

    clock, moment, numbers = Standstill(), of_sessions.now(), count()
    with (
        patch.object(of_sessions, "now", lambda: moment),
        patch.object(candidate_questions, "now_ms", lambda: 0),
        patch.object(making, "new_code", lambda running: f"{next(numbers):04d}"),
        patch.object(of_polls, "watched_polls", of_polls.PollWatch(clock=clock)),
        patch.object(of_elections, "cache", of_elections.ElectionCountCache(clock=clock)),
        patch.object(pause.cache, "ticking", lambda: 0.0),
        patch.object(branding.cache, "ticking", lambda: 0.0),
        patch.object(features.cache, "ticking", lambda: 0.0),
        patch.object(policy.cache, "ticking", lambda: 0.0),
        patch.object(heartbeats.watch, "ticking", lambda: 0.0),
        patch.object(voters, "MIN_VOTING_SECONDS", 0),
        override_settings(**PRESENTED),
    ):
        yield clock


def _asked(site: Site, look: Look, ear: Ear, clock: Standstill) -> Row:
    clock.now += 1000
    ear.take()
    answer = _answer(site, look)
    asked = tuple(ear.take())
    timing = answer["Server-Timing"]
    assert answer.streaming or f'"{len(asked)} trips"' in timing, look.page
    in_a_row = len(asked) if answer.streaming else int(re.findall(r'"(\d+) in a row"', timing)[0])
    return Row(look.page, look.of, _address(answer), look.who, asked, in_a_row, look.form is not None)


def _answer(site: Site, look: Look) -> Any:
    client = site.browsers[look.who]
    answer = client.get(look.address, look.asked) if look.form is None else client.post(look.address, look.form)
    assert answer.status_code == 410 if look.gone else answer.status_code < 400, f"{look.page}: {answer.status_code}"
    _ = answer.getvalue() if answer.streaming else answer.content
    return answer


def _address(answer: Any) -> str:
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", answer.wsgi_request.resolver_match.route)


# --- the table ---


def as_text(rows: list[Row]) -> str:
    head = "| page | address | opened by | trips | in a row | what it asks |\n|---|---|---|---|---|---|\n"
    return f"{summary(rows)}\n\n{head}" + "".join(f"{row}\n" for row in rows)


def summary(rows: list[Row]) -> str:
    """How many pages take how many round trips in a row, and which take more than most."""
    pages = sorted((row for row in rows if not row.is_act), key=lambda row: (-row.in_a_row, row.title))
    few = sum(row.in_a_row <= MAX_USUAL_ROUND_TRIPS for row in pages)
    counted = ", ".join(f"{number} × {row}" for row, number in sorted(Counter(row.in_a_row for row in pages).items()))
    many = "; ".join(f"{row.title}: {row.in_a_row}" for row in pages if row.in_a_row > MAX_USUAL_ROUND_TRIPS)
    said = (
        f"Of {len(pages)} looks at pages, {few} wait for at most {MAX_USUAL_ROUND_TRIPS} round trips in a "
        f"row ({counted}). "
    )
    said += f"For more wait: {many}."
    return textwrap.fill(said, LINE_CHARS)


def written(text: str, table: str) -> str:
    """The document with this table in place of the one that is there."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}"


def in_document(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    from tests import environment  # first: where all this happens is not the site in use

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    setup_test_environment()
    url = f"sqlite://{environment.FOLDER.name}/access.sqlite3"
    fast = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with override_settings(STORE_URL=url, PASSWORD_HASHERS=fast):
        call_command("collectstatic", interactive=False, verbosity=0)
        table = connect(url)
        table.create()
        DOCUMENT.write_text(written(DOCUMENT.read_text(), as_text(measured(table))))


if __name__ == "__main__":
    main()
