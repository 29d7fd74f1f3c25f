"""Markdown is rendered once, when it is saved: a page shows what is kept, and an old store is brought up to date."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from accounts.rules import Role
from elections import actions, repository
from elections.candidates import add_candidates, edit_candidate, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.invitations import messages
from elections.lifecycle import services as lifecycle
from elections.rules import MAX_STATEMENTS_BYTES, Action
from foundation.acts import pause
from foundation.acts.caches import SizedCache
from foundation.pages import markdown
from foundation.pages.markdown import Html, RenderBudget
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Exists, Update
from tests.people import confirm
from tests.polls.conftest import made  # noqa: F401 - a fixture

STATEMENT, DESCRIPTION = "I am **Ada**.", "About the *board*."
SHOWN = "I am <strong>Ada</strong>."


@pytest.fixture
def kim(person):
    return confirm(person("Kim", Role.USER))


@pytest.fixture
def draft(kim):
    """A draft of Kim's with Ada, who has something to say."""
    election = drafts.create(kim, "Board", description=DESCRIPTION, electorate="everyone")
    add_candidates(kim, election, [Candidate("Ada", STATEMENT), Candidate("Bo")])
    return repository.find("Board")


@pytest.fixture
def board(kim, draft):
    """The same, open."""
    return lifecycle.open_(kim, draft, editable=True)


@pytest.fixture
def browser(kim, signed_in):
    return signed_in(kim)


def remembering() -> SizedCache:
    """Nothing yet."""
    return SizedCache(markdown.CACHE_BYTES, len)


@pytest.fixture
def renderings(monkeypatch) -> list[str]:
    """Every text that is rendered from here on, by a process that remembers nothing."""
    texts = []
    to_html = markdown.to_html
    monkeypatch.setattr(markdown, "to_html", lambda text: texts.append(text) or to_html(text))
    forget(monkeypatch)
    return texts


def forget(monkeypatch) -> None:
    monkeypatch.setattr(markdown, "cache", remembering())
    monkeypatch.setattr(repository, "_known_candidates", SizedCache(1_000_000, repository._bytes_of))


def page(browser, path: str) -> str:
    answer = browser.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def make_old(site, *names: str) -> None:
    """As items were before: without HTML."""
    for name in names:
        site.write(Update(keys.candidate("Board", name), remove=("statement_html", "html_version"), when=Exists()))
    site.write(Update(keys.description("Board"), remove=("description_html", "html_version"), when=Exists()))


# --- pages ---


def test_a_page_shows_what_was_rendered_when_it_was_saved(board, browser, renderings):
    for path in ("/election/Board/", "/election/Board/ballot/"):
        text = page(browser, path)
        assert SHOWN in text
        assert "About the <em>board</em>." in text
    assert renderings == []


@pytest.mark.needs("polls")
def test_so_does_the_page_of_a_poll(made, client, renderings):  # noqa: F811
    renderings.clear()
    poll = made(description="Where *shall* we eat?")
    assert renderings == ["Where *shall* we eat?"]
    markdown.cache = remembering()
    assert "Where <em>shall</em> we eat?" in page(client, f"/poll/{poll.id}/")
    assert renderings == ["Where *shall* we eat?"]


def test_and_the_page_of_messages_and_their_mails(board, kim, browser, renderings):
    messages.send(kim, repository.find("Board"), "News", "It is *open*.")
    markdown.cache = remembering()
    assert "It is <em>open</em>." in page(browser, "/election/Board/messages/")
    assert renderings == ["It is *open*."]


def test_a_change_is_rendered_once_and_shown(draft, browser, renderings, monkeypatch):
    sent = {"statement": "Now *this*.", "link": "", "statement_html": "<script>alert(1)</script>", "html_version": "1"}
    browser.post("/election/Board/candidates/Ada/", sent)
    assert renderings == ["Now *this*."]
    forget(monkeypatch)
    text = page(browser, "/election/Board/")
    assert "Now <em>this</em>." in text
    assert "alert(1)" not in text, "what is shown is made here, whatever a client sends"
    assert renderings == ["Now *this*."]


# --- after an upgrade, and in an old store ---


def test_another_version_renders_everything_once_more(board, browser, renderings, monkeypatch):
    monkeypatch.setattr(markdown, "VERSION", markdown.VERSION + 1)
    assert SHOWN in page(browser, "/election/Board/")
    assert sorted(renderings) == sorted([STATEMENT, DESCRIPTION])
    forget(monkeypatch)
    assert SHOWN in page(browser, "/election/Board/ballot/")
    assert len(renderings) == 2, "it is kept now"


def test_an_item_without_html_shows_right_and_gets_it(site, board, browser, renderings):
    make_old(site, "Ada")
    version = repository.find("Board").version
    assert SHOWN in page(browser, "/election/Board/ballot/")
    item = site.get(keys.candidate("Board", "Ada"))
    assert (item["statement_html"], item["html_version"]) == (f'<p dir="auto">{SHOWN}</p>\n', markdown.VERSION)
    assert "description_html" in site.get(keys.description("Board"))
    assert repository.find("Board").version == version, "nothing was changed that anybody could notice"


def test_a_text_that_was_changed_meanwhile_is_not_overwritten(site, draft, kim):
    edit_candidate(kim, repository.find("Board"), Candidate("Ada", "Newer."))
    place = keys.candidate("Board", "Ada")
    before = site.get(place)
    assert "<strong>Ada</strong>" in markdown.load_or_render(place, "statement", STATEMENT, None)
    assert site.get(place) == before


def test_what_is_gone_does_not_come_back(site, draft, kim):
    remove_candidates(kim, repository.find("Board"), "Ada")
    markdown.load_or_render(keys.candidate("Board", "Ada"), "statement", STATEMENT, None)
    assert site.get(keys.candidate("Board", "Ada")) is None


def test_html_of_another_text_is_not_shown(draft):
    about = replace(repository.description_of("Board"), description="Another.")
    assert markdown.description_html(about) == '<p dir="auto">Another.</p>\n'
    assert (
        Candidate("Ada", "1 < 2", html=Html("1 > 2", "<p>1 &gt; 2</p>")).statement_html == '<p dir="auto">1 &lt; 2</p>'
    )


def test_while_the_site_is_paused_an_old_text_is_shown_all_the_same(site, board, browser, renderings):
    make_old(site, "Ada")
    pause.pause("Sol", 5)
    assert SHOWN in page(browser, "/election/Board/")
    assert "statement_html" not in site.get(keys.candidate("Board", "Ada"))


def test_one_request_renders_so_much_and_the_next_goes_on(site, draft, kim, browser, renderings, monkeypatch):
    edit_candidate(kim, repository.find("Board"), Candidate("Bo", "I am *Bo*."))
    make_old(site, "Ada", "Bo")
    forget(monkeypatch)
    renderings.clear()
    monkeypatch.setattr(RenderBudget.__init__, "__defaults__", (len(STATEMENT),))
    first = page(browser, "/election/Board/")
    assert SHOWN in first
    assert "I am *Bo*." in first, "without markup for now"
    assert "I am <em>Bo</em>." in page(browser, "/election/Board/")
    assert sorted(renderings) == sorted([DESCRIPTION, STATEMENT, "I am *Bo*."])


# --- what is kept where ---


def test_the_log_has_the_text_and_never_the_html(site, draft, kim):
    edit_candidate(kim, repository.find("Board"), Candidate("Bo", "I *am* Bo."))
    actions.change(kim, repository.find("Board"), Action.DESCRIBE, description="Of *this*.")
    told = json.dumps([item["event_data"] for item in site.each(keys.events())], default=str)
    assert "I *am* Bo." in told
    assert "html" not in told


def test_a_copy_and_a_new_name_take_it_along(kim, renderings):
    election = drafts.create(kim, "Draft", description=DESCRIPTION)
    add_candidates(kim, election, [Candidate("Ada", STATEMENT)])
    copying.copy(kim, repository.find("Draft"), "Copy")
    drafts.rename(kim, repository.find("Draft"), "Renamed")
    for name in ("Copy", "Renamed"):
        assert repository.description_of(name).html.html == '<p dir="auto">About the <em>board</em>.</p>\n'
        assert SHOWN in repository.candidates(name)[0].html.html
    assert sorted(renderings) == sorted([DESCRIPTION, STATEMENT])


def test_a_draft_with_long_html_can_be_renamed(site, draft, kim):
    add_candidates(kim, draft, [Candidate(f"C{number:02}", "Hello.") for number in range(45)])
    for number in range(45):  # together more than one transaction holds
        site.write(Update(keys.candidate("Board", f"C{number:02}"), set={"statement_html": "x" * 100_000}))
    drafts.rename(kim, repository.find("Board"), "Renamed")
    assert len(repository.candidates("Renamed")) == 47
    assert all("Hello." in each.statement_html for each in repository.candidates_with_html("Renamed")[2:])


# --- bounds ---

LINES = "&\n" * 1_900 + "&" * 16_000  # every & becomes five letters


@pytest.mark.parametrize(
    ("path", "field"),
    [("/election/Board/candidates/Ada/", "statement"), ("/election/Board/description/", "description")],
)
def test_a_text_that_would_become_too_long_is_refused(site, draft, browser, path, field, monkeypatch):
    monkeypatch.setattr(markdown, "MAX_HTML_BYTES", 80_000)
    before = list(site.each(keys.events()))
    for more in ({}, {"preview": "1"}):
        answer = browser.post(path, {field: LINES, "link": "", **more})
        assert answer.status_code == 422
        assert "to fit on a page" in answer.content.decode()
    assert list(site.each(keys.events())) == before


def test_a_text_that_is_too_long_anyway_is_not_rendered(renderings):
    markdown.check_length("x" * 20_001)
    assert renderings == []


def test_a_preview_renders_once(draft, browser, renderings):
    answer = browser.post("/election/Board/candidates/Ada/", {"statement": "A *try*.", "preview": "1"})
    assert "A <em>try</em>." in answer.content.decode()
    assert renderings == ["A *try*."]


def test_all_statements_together_are_bounded(draft, browser, monkeypatch):
    path = "/election/Board/candidates/Bo/"
    assert MAX_STATEMENTS_BYTES == 1_000_000
    monkeypatch.setattr("elections.rules.MAX_STATEMENTS_BYTES", 100)
    answer = browser.post(path, {"statement": "So much to say. " * 4, "link": ""})
    assert answer.status_code == 422
    assert "Together, the statements of this election" in answer.content.decode()
    assert "So much to say." in answer.content.decode(), "what was typed is still there"
    assert repository.find_candidate("Board", "Bo").statement == ""
    assert browser.post(path, {"statement": "Hello.", "link": ""}).status_code == 302


def test_an_election_that_has_more_still_shows_and_may_become_shorter(draft, browser, monkeypatch):
    monkeypatch.setattr("elections.rules.MAX_STATEMENTS_BYTES", 10)
    assert SHOWN in page(browser, "/election/Board/")
    assert browser.post("/election/Board/candidates/Ada/", {"statement": "Ada.", "link": ""}).status_code == 302


def test_polls_say_nothing_of_it_to_the_log(site, made):  # noqa: F811
    made(description="Where *shall* we eat?")
    told = json.dumps([item["event_data"] for item in site.each(keys.events())], default=str)
    assert "html" not in told
