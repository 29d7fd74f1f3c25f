"""What mails to voters ask of the store within a request does not grow with them: the numbers are stored counts, and
only the worker goes over the roll."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.models import User
from accounts.rules import Role
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Table, Update
from tests.background import unfinished
from tests.people import confirm

FUTURE = "2999-01-01T00:00:00.000Z"
OF_CACHES = 5  # reads or items that one request may need and the next has in a cache for a second


@contextmanager
def items_read(table: Table) -> Iterator[list[int]]:
    """How many items each read finds, until the end."""
    found: list[int] = []

    def counting(read: Callable[..., Any], length: Callable[[Any], int]) -> Callable[..., Any]:
        def act(*arguments: Any, **more: Any) -> Any:
            answer = read(*arguments, **more)
            found.append(length(answer))
            return answer

        return act

    sizes: dict[str, Callable[[Any], int]] = {
        "get": lambda item: int(item is not None),
        "get_many": len,
        "page": lambda page: len(page.items),
    }
    with patch.multiple(table, **{name: counting(getattr(table, name), size) for name, size in sizes.items()}):
        yield found


def reads_of_mailings(site: Table, client: Client, name: str) -> dict[str, list[int]]:
    """What is found by each read of every page that mails the voters of an open election, and of its button."""
    election, reads = repository.find(name), {}
    invite, message, result = (reverse(route, args=[name]) for route in ("invitation", "message_voters", "mail_result"))

    def ask(what: str, address: str, form: dict[str, str]) -> None:
        with items_read(site) as found:
            assert client.get(address, form).status_code == 200
        reads[f"page to {what}"] = found
        before = len(unfinished("mail voters"))
        with items_read(site) as found:
            client.post(address, form)
        reads[f"button to {what}"] = found
        assert len(unfinished("mail voters")) == before + 1

    ask("invite", invite, {"what": "invitation", "send": "1000"})
    counts = keys.mail_counts(name, election.created_at)
    site.write(Update(counts, add={"invited_sent": election.voter_count}))
    ask("remind", invite, {"what": "reminder", "send": "1000"})
    ask("message", message, {"subject": "Room", "text": "Room 7."})
    closing.close(people.find("Ada"), election)
    seal_closed()
    ask("announce", result, {})
    return reads


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


def opened(ada: User, name: str, voters: int, **settings: str) -> None:
    drafts.create(ada, name, no_voting_after=FUTURE, secret_ballot=False, **settings)
    add_candidates(ada, repository.find(name), [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, repository.find(name), [f"{name}.{number}@example.org" for number in range(voters)])
    lifecycle.open_(ada, repository.find(name), editable=False)


@pytest.mark.few(1)
@pytest.mark.parametrize("electorate", ["listed", "everyone"])
def test_mailing_many_reads_no_more_than_mailing_few(site, ada, signed_in, person, settings, electorate):
    settings.MAILS_A_DAY = 10_000
    client, reads = signed_in(ada), {}
    for name, voters in (("Few", 10), ("Many", 300 if electorate == "listed" else 40)):
        if electorate == "everyone":
            for number in range(voters):
                person(f"{name} {number}", Role.VOTER)
        opened(ada, name, voters if electorate == "listed" else 0, electorate=electorate)
        reads[name] = reads_of_mailings(site, client, name)
    for what, few in reads["Few"].items():
        many = reads["Many"][what]
        assert len(many) < len(few) + OF_CACHES, what
        assert sum(many) < sum(few) + OF_CACHES, what
