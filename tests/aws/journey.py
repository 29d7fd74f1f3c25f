"""What the pages of one voter's journey read and write, by the keys that all voters have in common.

Casts are not all: whoever votes opens the ballot, looks at the review and at the receipt. How many can do so in a
second follows from the key that a journey reads most of, of which there are 3,000 units a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.http import HttpResponse
from django.test import Client, override_settings

from foundation.acts.storage import use_table
from tests.ballots.test_killed import session_of

from .ledger import READ, Partition
from .rules import READ_UNITS_PER_SECOND
from .site import Site, electorate, opened, site

PLAIN = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
NAME = "Board"
BALLOT = f"/election/{NAME}/ballot/"


def steps(client: Client) -> Iterator[tuple[str, Callable[[], HttpResponse]]]:
    """Each page, as a browser asks for it. The form of the ballot leads to the review, and that of the review on."""
    yield "election", lambda: client.get(f"/election/{NAME}/")
    form: dict[str, str] = {"rank-0": "1", "rank-1": "2", "rank-2": "3"}

    def sent(address: str) -> HttpResponse:
        page = client.post(address, form)
        form.update(re.findall(r'name="(token|acts)" value="([^"]*)"', page.content.decode()))
        return page

    yield "ballot", lambda: client.get(BALLOT)
    yield "review", lambda: sent(BALLOT)
    yield "cast", lambda: client.post(f"{BALLOT}cast/", form)
    yield "receipt", lambda: client.get(f"{BALLOT}receipt/")


def journey() -> dict[str, Counter[str]]:
    """By page, the read units on the keys that are not the voter's own. Whoever comes second, so that what a process
    remembers is remembered."""
    units: dict[str, Counter[str]] = {}
    with site() as here, as_served(here):
        voters = electorate(2)
        opened(here.owner, NAME, voters, secret_ballot=True)
        sessions = [session_of(voter) for voter in voters]
        rules = here.start(1, 1)

        def go() -> None:
            with use_table(here.processes[0]):
                for session in sessions:
                    client = Client()
                    client.cookies[settings.SESSION_COOKIE_NAME] = session
                    for page, ask in steps(client):
                        rules.ledger.taken()
                        answer = ask()
                        assert answer.status_code in (200, 302), (page, answer.status_code)
                        units[page] = _shared(rules.ledger.taken())

        here.time.run(go)
    return units


def _shared(taken: dict[tuple[str, Partition], float]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (kind, partition), amount in taken.items():
        if kind == READ and not re.search(r"(?i)voter|#form|SESSION|ONCE", partition.pk):
            found[re.sub(r"#\d\d$", "#nn", partition.pk)] += amount  # type: ignore[assignment]
    return found


@contextmanager
def as_served(here: Site) -> Iterator[None]:
    """As on a site whose settings name this store. What all requests of a process share is read in no time."""
    table = here.looking()
    with (
        override_settings(ALLOWED_HOSTS=["*"], STORAGES=PLAIN),
        patch("foundation.acts.caches.connect", lambda url: table),
        patch("config.middleware.connect", lambda url: table),
    ):
        yield


def show() -> bool:
    units: dict[str, Any] = journey()
    own = "ELECTION#board"
    print("| page | read units on the election's own key | others that many share |", "|---|---:|---|", sep="\n")
    for page, found in units.items():
        others = ", ".join(f"`{key}` {amount:g}" for key, amount in found.most_common() if key != own)
        print(f"| {page} | {found[own]:g} | {others} |")
    voting = sum(found[own] for page, found in units.items() if page != "election")
    whole = voting + units["election"][own]
    print(f"from the ballot to the receipt: {voting:g} units, {READ_UNITS_PER_SECOND / voting:,.0f} journeys a second;")
    print(f"with the election's page first: {whole:g} units, {READ_UNITS_PER_SECOND / whole:,.0f} journeys a second")
    return True
