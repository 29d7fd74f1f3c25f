"""Nobody keeps a page that was made for somebody, unless it says otherwise: what differs from the pages that
tests/walk and tests/test_routes.py open."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts import repository as people
from ballots import services as voting
from ballots.sealing import seal_closed
from elections.lifecycle import closing
from elections.repository import find
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

NOBODY = "private, no-store"
ONE_BROWSER = "private, no-cache"  # which asks each time


@pytest.fixture
def sealed(site, person, opened):  # noqa: F811
    """A result that anyone on the web may see."""
    voter = person("Eve")
    opened("Eve", name="Board", results_public=True)
    voting.cast(voter, "Board", ranks(Ada=1), "form")
    closing.close(people.find("the organiser"), find("Board"))
    seal_closed()


def test_what_everybody_may_see_says_how_long_it_may_be_kept(sealed):
    assert Client().get("/result/Board/")["Cache-Control"] == ONE_BROWSER, "it has a form for it in it"


def test_errors_are_kept_by_nobody(site, signed_in, monkeypatch):
    client = signed_in("Eve")
    assert client.get("/nowhere/")["Cache-Control"] == NOBODY
    assert client.post("/language/", {"language": "de"})["Cache-Control"] == NOBODY
    monkeypatch.setattr("elections.repository.list_elections", lambda **_: 1 / 0)
    client.raise_request_exception = False
    broken = client.get("/elections/?show=all")
    assert (broken.status_code, broken["Cache-Control"]) == (500, NOBODY)


def test_whoever_signs_out_leaves_no_pages_behind(site, signed_in):
    answer = signed_in("Eve").post("/sign-out/")
    assert answer["Clear-Site-Data"] == '"cache"'
    everywhere = signed_in("Bob").post("/me/sessions/", {"end": "everywhere"})
    assert everywhere["Clear-Site-Data"] == '"cache"'
