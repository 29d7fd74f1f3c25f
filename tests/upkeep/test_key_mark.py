"""Another SECRET_KEY is noticed wherever somebody looks, until its change is accepted."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from accounts.rules import Role
from config import gunicorn
from foundation.acts import key_mark
from foundation.store import keys
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

LINE = "SECRET_KEY is not the key that this site was used with: voting links, letters and check-in cards made with"
ON_DASHBOARD = "Voting links and letters that were sent before no longer work"


@pytest.fixture
def start(site, settings) -> Callable[[], list[str]]:
    """Starts a server; answers what it warned of."""
    settings.WORKER = "apart"

    def started() -> list[str]:
        warnings: list[str] = []
        gunicorn.when_ready(SimpleNamespace(log=SimpleNamespace(error=warnings.append, warning=warnings.append)))
        return warnings

    return started


@pytest.fixture
def replaced(start, settings) -> None:
    start()
    settings.SECRET_KEY = "another key " * 6


def notes() -> list[str]:
    answer = Client().get("/readyz")
    assert answer.status_code == 200, "people can vote all the same"
    return answer.content.decode().splitlines()


def doctor(*arguments: str) -> str:
    said = StringIO()
    try:
        call_command("doctor", *arguments, stdout=said)
    except CommandError as error:
        said.write(str(error))
    return said.getvalue()


def test_with_one_key_nobody_warns(start, signed_in):
    assert start() == start() == []
    assert notes() == ["ok"]
    assert "OK               Secret key: SECRET_KEY is the one that this site was used with." in doctor()
    assert LINE not in signed_in("Olga", Role.OWNER).get("/admin/system/").content.decode()


def test_another_key_is_noticed_everywhere_and_no_other_start_hides_it(start, replaced, signed_in):
    for _ in range(2):
        (warning,) = start()
        assert warning.startswith(LINE)
    assert notes()[0] == "ok"
    assert notes()[1].startswith(LINE)
    assert f"Broken           Secret key: {LINE}" in doctor()
    assert LINE in signed_in("Olga", Role.OWNER).get("/admin/system/").content.decode()


def test_a_change_that_is_accepted_warns_no_longer_and_the_earlier_key_would(start, replaced, settings):
    assert "OK               Secret key" in doctor("--accept-key")
    assert start() == []
    assert notes() == ["ok"]
    settings.SECRET_KEY = "the earlier key " * 5
    assert start()


def test_the_mark_tells_nothing_of_the_key(start, settings, site):
    start()
    item = site.get(keys.KEY_MARK)
    assert set(item) == {"PK", "SK", "entity_type", "digest"}
    assert settings.SECRET_KEY not in item["digest"]


def test_the_dashboard_of_an_election_says_that_its_links_died(site, opened, start, settings, signed_in):  # noqa: F811
    opened("ann@example.org", vote_by_link=True)
    opened("Ann", name="Signed in")
    start()
    organiser = signed_in("Olga", Role.OWNER)
    looks = [f"/election/{name}/dashboard/" for name in ("Board", "Signed%20in")]
    assert [ON_DASHBOARD in organiser.get(look).content.decode() for look in looks] == [False, False]
    settings.SECRET_KEY = "another key " * 6
    organiser = signed_in("Olga", Role.OWNER)
    assert [ON_DASHBOARD in organiser.get(look).content.decode() for look in looks] == [True, False]
    site.write(key_mark.marking())
    assert ON_DASHBOARD not in organiser.get(looks[0]).content.decode()
