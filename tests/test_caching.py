"""Nobody keeps a page that was made for somebody: every address, whoever opens it, unless it says otherwise."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from elections.lifecycle import closing
from elections.repository import find
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

from .test_routes import ROUTES, refused_alike  # noqa: F401 - a fixture

NOBODY = "private, no-store"
EVERYBODY = "public, max-age=300"
ONE_BROWSER = "private, no-cache"  # which asks each time
# what it answers without a token and without a name
OF_THE_API = ("api/results", "api/calendar", "api/checkpoints", "api/news")
FOR_PROGRAMS = {
    "news_atom",
    "news_json",
    "sitemap",
    "sitemap_pages",
    "favicon",
}  # the same for everybody, and no form in it
FILES = {"export", "bundle", "recount_ballots", "follow_ballots"}  # of sealed results, for one's own browser


@pytest.fixture
def asking(site, person, signed_in, opened):  # noqa: F811
    """A stranger, a voter and the owner; an election that is open."""
    person("target", Role.VOTER)
    opened("the voter", "target", name="draft", editable=True)
    return [Client(), signed_in("the voter", Role.VOTER), signed_in("the owner", Role.OWNER)]


def test_every_address_whoever_opens_it_and_however_it_answers(asking, refused_alike):  # noqa: F811
    kept = []
    for name, (_whom, _methods, words) in ROUTES.items():
        for number, client in enumerate(asking):
            for method in ("GET", "POST") if name != "sign_out" else ("GET",):
                said = client.generic(method, reverse(name, args=words)).get("Cache-Control", "")
                if said != NOBODY and not (name in FILES and said.startswith("private, ")):
                    kept.append((name, number, method, said))
    for_programs = {(name, number, "GET", EVERYBODY) for name in FOR_PROGRAMS for number in range(len(asking))}
    pages = {(name, 0, "GET", ONE_BROWSER) for name in ("news", "api")}
    lists = {(name, number, "GET", ONE_BROWSER) for name in OF_THE_API for number in range(len(asking))}
    assert set(kept) == for_programs | pages | lists


@pytest.fixture
def sealed(site, person, opened):  # noqa: F811
    """A result that anyone on the web may see."""
    voter = person("Eve")
    opened("Eve", name="Board", results_public=True)
    voting.cast(voter, "Board", ranks(Ada=1), "form")
    closing.close(people.find("the organiser"), find("Board"))
    voting.seal_closed()


def test_what_everybody_may_see_says_how_long_it_may_be_kept(sealed):
    client = Client()
    page = client.get("/result/Board/")
    assert page["Cache-Control"] == ONE_BROWSER, "it has a form for it in it"
    assert client.get("/result/Board/embed/")["Cache-Control"] == "public, max-age=300"
    (card,) = {word for word in page.content.decode().split('"') if "/card/" in word and word.endswith(".png")}
    assert "immutable" in client.get(card[card.index("/result/") :])["Cache-Control"]


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
