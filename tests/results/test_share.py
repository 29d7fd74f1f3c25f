"""Results for anybody on the web: only where that was chosen, only when sealed, and never who voted."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from django.urls import reverse

from foundation.acts.storage import table
from results import services, sharing_views
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.publishing import seal_publicly
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.test_routes import PROOF


def at(view: str, name: str = "Board") -> str:
    return reverse(view, args=[name])


@pytest.fixture
def shared(voted, close):  # noqa: F811
    """A closed election with three ballots whose result anybody may see."""

    def make(**settings):
        election = voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1}, **{"results_public": True} | settings)
        close(election.name)
        return election

    return make


@pytest.mark.parametrize("secret", [True, False])
def test_anybody_sees_who_won_and_nobody_who_voted(shared, client, secret):
    shared(secret_ballot=secret)
    answer = client.get(at("shared"))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Ada" in page
    assert "3 ballots" in page or "<dd>3" in page
    assert not re.search(r"voter \d|the organiser\b|example\.org", page)
    assert not re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", page), "no receipt of anybody"


def proofs_of(name: str = "Board") -> dict[str, str]:
    """The address of everything by which anybody can check the result."""
    words = {"recount_ballots": [services.find(name).seal.stamp], "export": ["single-ballots.csv"]}
    words["follow_ballots"] = words["recount_ballots"]
    return {each: reverse(each, args=[name, *words.get(each, ())]) for each in PROOF - {"results", "result_screen"}}


@pytest.mark.parametrize("secret", [True, False])
def test_anybody_can_check_it_and_learns_nobodys_name(shared, client, secret):
    shared(secret_ballot=secret)
    page = client.get(at("shared")).content.decode()
    seal_publicly(table())
    for name, address in proofs_of().items():
        answer = client.get(address)
        assert answer.status_code == 200, name
        assert "public" not in answer.get("Cache-Control", ""), "members get it with names at the same address"
        content = b"".join(answer.streaming_content if answer.streaming else [answer.content])
        assert not re.search(rb"voter \d|example\.org", content), name
        assert address in page or name in ("recount_ballots", "follow_ballots")
    assert client.get(reverse("results", args=["Board"])).url == at("shared")
    assert client.get(reverse("result_screen", args=["Board"])).url == at("shared")
    json_file = b"".join(client.get(reverse("export", args=["Board", "single-ballots.json"])).streaming_content)
    assert b"voter" not in json_file


def test_members_and_voters_still_see_the_names_where_ballots_are_public(shared, signed_in):
    shared(secret_ballot=False)
    page = signed_in("Eve").get(reverse("follow", args=["Board"])).content.decode()
    assert "voter 1" in page


@pytest.mark.parametrize("shown", [{"results_public": False}, {}])
def test_nobody_else_gets_at_the_proof(voted, close, client, shown):  # noqa: F811
    election = voted({"Ada": 1}, **{"results_public": True} | shown)
    if shown:
        close(election.name)
        addresses = list(proofs_of().values())
    else:  # before the end there is nothing to check
        addresses = [reverse(name, args=["Board"]) for name in ("recount", "follow", "bundle")]
    for address in [*addresses, reverse("head_to_head", args=["Board"]), reverse("what_if", args=["Board"])]:
        answer = client.get(address)
        assert answer.status_code == 403 or answer.url.startswith("/sign-in/")


def test_a_stranger_takes_only_so_many_bundles(shared, client, monkeypatch):
    shared()
    assert services.find("Board").seal is not None
    seal_publicly(table())
    monkeypatch.setattr(sharing_views, "BUNDLES", replace(sharing_views.BUNDLES, most=1))
    first, second = (client.get(reverse("bundle", args=["Board"])) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 302)


def test_what_is_not_shared_is_not_there(shared, client, signed_in):
    shared(results_public=False)
    assert client.get(at("shared")).status_code == 404
    assert client.get(at("shared", "nothing of that name")).status_code == 404
    assert signed_in("Eve").get(at("shared")).status_code == 404, "not even for those who may see it elsewhere"


def test_a_draft_is_not_there(site, person, client):
    from elections.drafts import services as drafts

    drafts.create(person("the organiser"), "Board", results_public=True)
    assert client.get(at("shared")).status_code == 404


@pytest.mark.parametrize("chosen", [{}, {"secret_ballot": False, "results_visible": "live"}])
def test_before_the_end_there_is_only_a_sentence(voted, client, chosen):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, results_public=True, **chosen)
    page = client.get(at("shared")).content.decode()
    assert "The result will appear here once the election has closed." in page
    assert not re.search(r"\bAda\b", page)
    assert "og:title" not in page


def test_a_link_to_it_shows_well_elsewhere(shared, client, settings):
    settings.SITE_URL = "https://vote.example.org"
    shared()
    page = client.get(at("shared")).content.decode()
    said = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', page))
    assert said["og:title"] == "Board: winner: Ada"
    assert said["og:url"] == "https://vote.example.org/result/Board/"
    assert said["og:image"].startswith("https://vote.example.org/static/img/apple-touch-icon")
    assert said["twitter:card"] == "summary"
    assert said["og:description"].startswith("3 ballots. ")
    assert len(said["og:description"]) <= 200


def test_the_text_says_all_that_a_letter_needs(shared, client):
    shared()
    page = client.get(at("shared")).content.decode()
    text = unescape(re.search(r'<pre id="share-text".*?>(.*?)</pre>', page, re.DOTALL)[1])
    lines = text.splitlines()
    assert lines[0] == "Board"
    assert "Winner: Ada" in lines
    assert "  1  Ada" in lines
    assert lines[-1].endswith("/result/Board/")
    assert re.search(r"Digest of the ballots:\s+[0-9a-f]{64}$", text, re.MULTILINE)


def test_no_site_may_show_it_in_a_frame(shared, client):
    shared()
    assert "frame-ancestors 'none'" in client.get(at("shared"))["Content-Security-Policy"]
    assert client.get(at("shared"))["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("rankings", "words"),
    [([{}], "Nothing to count: Every ballot is blank."), ([{"Ada": 1}, {"Bo": 1}], "a tie between Ada, Bo")],
)
def test_nothing_to_count_and_a_tie_have_titles_too(voted, close, client, rankings, words):  # noqa: F811
    voted(*rankings, results_public=True)
    close()
    assert f'content="Board: {words}"' in client.get(at("shared")).content.decode()
