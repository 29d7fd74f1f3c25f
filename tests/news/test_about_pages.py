"""Pages between elections and news: what stands on the page of an election, and the press that announces its result."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Update
from parts.news import repository, services
from results import repository as results
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.clock import at_its_own_moment
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures

from .conftest import LATER, written
from .test_announcing import organiser, sealed  # noqa: F401 - fixtures

ANNOUNCE = "/election/Board/announce/"
BUTTON = "Announce the result"
WRITE = "Write news about this election"


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def trips(client: Client, address: str) -> int:
    return int(re.search(r'desc="(\d+) trips"', client.get(address)["Server-Timing"])[1])


def tell(user, title: str, at: str | None = None, **more) -> None:
    services.publish(user, services.write(user, written(title, **more), "Board"), at)


# --- posts on the page of an election ---


def test_the_newest_three_stand_on_its_page_and_the_others_are_one_link_away(opened, signed_in, monkeypatch):  # noqa: F811
    opened("Vic")
    user, reader = people.find("the organiser"), signed_in(people.find("Vic"))
    assert "/news/about/" not in page(reader, "/election/Board/")
    before = trips(reader, "/election/Board/")  # with candidates that are remembered
    for number in range(4):
        at_its_own_moment(lambda number=number: tell(user, f"Post {number}"))
    tell(user, "Ahead", LATER)
    services.write(user, written("Draft"), "Board")
    seen = page(reader, "/election/Board/")
    assert re.findall(r">(Post \d|Ahead|Draft)</a>", seen) == ["Post 3", "Post 2", "Post 1"]
    assert "/news/about/Board/" in seen
    assert WRITE not in seen
    assert trips(reader, "/election/Board/") == before == 4, "who is it; the election; who asks; its news"
    listed = page(reader, "/news/about/Board/")
    assert re.findall(r">(Post \d|Ahead|Draft)</a>", listed) == ["Post 3", "Post 2", "Post 1", "Post 0"]
    assert WRITE in page(signed_in(user), "/news/about/Board/")
    monkeypatch.setattr("parts.news.views.PAGE_ROWS", 3)
    further = re.search(r'href="(/news/about/Board/\?after=[^"]+)"', page(reader, "/news/about/Board/"))[1]
    assert re.findall(r">(Post \d)</a>", page(reader, further)) == ["Post 0"]


def test_of_a_draft_there_is_nothing(person, signed_in):
    drafts.create(person("Ada"), "Board")
    assert WRITE not in page(signed_in(people.find("Ada")), "/election/Board/")
    assert signed_in("Eve").get("/news/about/Board/").status_code == 404
    assert "Nothing has been published" in page(signed_in(people.find("Ada")), "/news/about/Board/")


def test_a_stranger_reads_the_post_and_signs_in_for_the_election(opened, client):  # noqa: F811
    opened("Vic")
    tell(people.find("the organiser"), "Please vote")
    seen = page(client, "/news/post/please-vote/")
    assert 'href="/election/Board/"' in seen
    assert client.get("/election/Board/").status_code == 302
    assert client.get("/news/about/Board/").status_code == 302


def test_whoever_runs_it_writes_and_is_told_that_it_is_public(opened, signed_in):  # noqa: F811
    opened("Vic")
    mine = signed_in(people.find("the organiser"))
    assert f'href="/news/write/?election=Board">{WRITE}' in page(mine, "/election/Board/")
    assert WRITE in page(mine, "/election/Board/dashboard/")
    form = page(mine, "/news/write/?election=Board")
    assert "About the election <bdi>Board</bdi>." in form
    assert "can be read by anyone on the web" in form
    typed = {"title": "Please vote", "text": "Until *Friday*.", "election": "Board"}
    assert mine.post("/news/write/", typed).status_code == 302
    (draft,) = repository.drafts("the organiser", limit=9)[0]
    assert (draft.election, draft.election_at) == ("Board", elections.find("Board").created_at)
    assert signed_in("Eve").get("/news/write/?election=Board").status_code == 403


def test_a_deleted_election_leaves_its_posts_and_says_so(opened, client):  # noqa: F811
    opened("Vic")
    user = people.find("the organiser")
    tell(user, "Please vote")
    lifecycle.delete(user, elections.find("Board"))
    for comes_next in (lambda: drafts.create(user, "Board"), lambda: None):
        seen = page(client, "/news/post/please-vote/")
        assert "no longer here" in seen
        assert "/election/Board/" not in seen
        comes_next()  # another of the same name, which is not what it is about


# --- announcing a result ---


def test_one_press_announces_it_and_the_second_leads_to_it(organiser, signed_in, client):  # noqa: F811
    mine = signed_in(organiser)
    for address in ("/election/Board/", "/election/Board/results/", "/election/Board/dashboard/"):
        assert BUTTON in page(mine, address)
    for sentence in ("The result has been announced.", "This result has already been announced."):
        answer = mine.post(ANNOUNCE, follow=True)
        assert answer.redirect_chain == [("/news/post/result-board/", 302)]
        assert sentence in answer.content.decode()
    assert BUTTON not in page(mine, "/election/Board/results/")
    seen = page(client, "/news/post/result-board/")
    seal = results.find("Board").seal
    assert f"<code>{seal.report_digest[:12]}…</code>" in seen
    assert "The sealed result has this digest." in seen
    assert reverse("shared", args=["Board"]) + "#checks" in seen


def test_the_history_of_the_election_tells_it(organiser, signed_in):  # noqa: F811
    mine = signed_in(organiser)
    mine.post(ANNOUNCE)
    assert "the organiser announced the result in the news." in page(mine, "/election/Board/history/")


def test_another_digest_than_the_sealed_one_does_not_fit(organiser, client):  # noqa: F811
    services.announce(organiser, results.find("Board"))
    table().write(Update(keys.result("Board"), set={"report_digest": "0" * 64}))
    seen = page(client, "/news/post/result-board/")
    assert "Does not match" in seen


def test_one_that_was_taken_back_is_there_to_be_published_again(organiser, signed_in):  # noqa: F811
    post, _new = services.announce(organiser, results.find("Board"))
    services.withdraw(organiser, post)
    assert signed_in(organiser).post(ANNOUNCE)["Location"] == f"/news/{post.id}/edit/"


def test_who_may_not(organiser, signed_in, client):  # noqa: F811
    assert client.post(ANNOUNCE)["Location"].startswith("/sign-in/")
    for name, role in (("Eve", Role.USER), ("Vic", Role.VOTER)):
        browser = signed_in(name, role)
        assert browser.post(ANNOUNCE).status_code == 403
        assert BUTTON not in page(browser, "/election/Board/results/")
    assert signed_in(organiser).get(ANNOUNCE).status_code == 405
    assert signed_in(organiser).post("/election/Bord/announce/").status_code == 404
    assert repository.published(limit=9)[0] == []
    assert signed_in("Boss", Role.ADMIN).post(ANNOUNCE)["Location"] == "/news/post/result-board/"


@pytest.mark.parametrize("settings_", [{"results_public": False}, {}])
def test_what_is_not_for_everybody_or_not_sealed_is_refused_in_a_sentence(voted, close, signed_in, settings_):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, **{"results_public": True} | settings_)
    mine = signed_in(people.find("the organiser"))
    if settings_:
        close()
        assert BUTTON not in page(mine, "/election/Board/dashboard/")
        assert "Only members may see this result" in page(mine, "/election/Board/dashboard/")
    answer = mine.post(ANNOUNCE, follow=True)
    sentence = "Only members may see this result" if settings_ else "There is no sealed result yet."
    assert sentence in answer.content.decode()
    assert repository.published(limit=9)[0] == []


def test_how_it_works_is_said(site, client):
    assert "How news works" in page(client, "/help/news/")
    assert client.post("/help/news/").status_code == 405
