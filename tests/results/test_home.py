"""The front page: which ways in strangers find, and what somebody is told of their votes before and after."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.panels import MAX_CARDS
from elections.repository import Brief
from foundation.store import keys
from foundation.store.table import Delete, Exists, Unwritable, Update
from parts.live import codes
from parts.live.services import making
from parts.news import services as news
from parts.news.services import Written
from parts.polls import services as polling
from parts.questions.question import Type
from results.front_page import site_page
from results.front_page.site_page import Part
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.clock import stands_at
from tests.live.conftest import TRIVIA
from tests.polls.conftest import CHOSEN

FUTURE = "2199-12-01T09:00:00.000Z"
RECEIPT = reverse("receipt", args=["Board"])
TOMORROW, NEXT_WEEK = "2150-01-02T09:00:00.000Z", "2150-01-09T09:00:00.000Z"
WAITING, CAST, DECIDED, RUN = "Waiting for your vote", "You have voted", "Decided since your last visit", "you run"


def main_of(answer) -> str:
    return html.unescape(answer.content.decode()).split("<main", 1)[1].split("</main>", 1)[0]


def trips(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


def close(name: str = "Board") -> None:
    closing.close(people.find("the organiser"), elections.find(name))
    seal_closed()


def decide(opened, name: str = "Board", **settings) -> None:  # noqa: F811
    opened("Ann", "Ben", name=name, **settings)
    for voter in ("Ann", "Ben"):
        voting.cast(people.find(voter), name, ranks(Bo=1, Cy=2), f"{name} {voter}")
    close(name)


# --- strangers ---


@pytest.mark.parametrize(
    ("policy", "offered", "said"),
    [
        ("open", True, ""),
        ("domains", True, "Accounts here are only for addresses at: example.org."),
        ("invited", False, "Accounts here are by invitation only."),
        ("closed", False, "This site does not take registrations."),
    ],
)
@pytest.mark.parametrize("told", [False, True])
def test_an_account_is_offered_if_there_is_one_to_be_had_and_else_who_lets_one_in(
    site, client, settings, person, policy, offered, said, told
):
    settings.REGISTRATION, settings.REGISTRATION_DOMAINS = policy, ["example.org"]
    if told:
        words = {"text": "We keep bees."}
        site_page.edit(person("Boss", Role.ADMIN), Part.TEXT, site_page.edition(site_page.BLANK, Part.TEXT), words)
    page = main_of(client.get("/"))
    assert ("We keep bees." in page) == told
    assert ('href="/register/"' in page) == offered
    assert said in page
    assert 'href="/sign-in/"' in page


@pytest.mark.needs("polls")
def test_whoever_comes_by_can_vote_with_a_code_try_the_sandbox_and_make_a_poll_where_anybody_may(
    site, client, settings
):
    page = main_of(client.get("/"))
    assert "Where a group decides" in page
    assert 'action="/join/"' in page
    assert 'href="/sandbox/"' in page
    assert "/polls/new/" not in page
    assert "checkpoint" not in page.replace('<a href="/checkpoints/">Its checkpoints</a>', "")
    settings.POLLS_BY_ANYBODY = True
    assert 'href="/polls/new/"' in main_of(client.get("/"))


@pytest.mark.needs
def test_the_newest_public_result_is_shown_with_its_proof_and_no_other(site, client, opened):  # noqa: F811
    assert "A real result" not in main_of(client.get("/"))
    decide(opened, "Old", results_public=True)
    decide(opened, "New", results_public=True)
    decide(opened, "Hushed")
    answer = client.get("/")
    page = main_of(answer)
    assert "A real result, with its proof" in page
    assert "Winner: Bo" in page
    assert "2 ballots · Schulze" in page
    assert f'href="{reverse("shared", args=["New"])}#checks"' in page
    assert not re.search(r"\bOld\b", page)
    assert "Hushed" not in page
    assert trips(answer) == 2
    assert client.get(reverse("shared", args=["New"])).status_code == 200
    lifecycle.delete(people.find("the organiser"), elections.find("New"))
    assert "Old" in main_of(client.get("/")), "what is deleted is gone from here at once"


def test_a_result_that_was_sealed_before_there_were_such_cards_has_none(site, client, opened):  # noqa: F811
    decide(opened, results_public=True)
    site.write(Delete(keys.shared_result("Board")))
    site.write(Update(keys.listed_election("Board"), remove=("sealed_at", *Brief.__dataclass_fields__), when=Exists()))
    assert "Try the sandbox" in main_of(client.get("/"))
    assert elections.list_elections(prefix="Board", limit=1)[0][0].sealed_at == ""


def test_nothing_to_count_and_many_winners_fit_on_a_card(site, client, opened):  # noqa: F811
    opened("Ann", results_public=True)
    close()
    assert "There were no votes to count." in main_of(client.get("/"))
    decide(opened, "Many", seats=2, method="stv-scottish", results_public=True)
    assert "Elected: Bo, Cy" in main_of(client.get("/"))


# --- codes ---


@pytest.mark.needs("polls")
def test_a_code_leads_from_here_to_its_poll(client, person):
    poll, _key = polling.make(person("Maker"), ("Pizza", "Sushi"), 30, **CHOSEN)
    answer = client.get("/join/", {"code": f" {poll.code.lower()} ", "at": "home"}, follow=True)
    assert answer.redirect_chain[-1][0] == f"/poll/{poll.id}/"


@pytest.mark.needs("polls", "live")
@pytest.mark.parametrize("told", [False, True])
def test_a_wrong_code_is_told_where_it_was_typed(site, client, person, signed_in, told):
    if told:
        words = {"text": "We keep bees."}
        site_page.edit(person("Boss", Role.ADMIN), Part.TEXT, site_page.edition(site_page.BLANK, Part.TEXT), words)
    answer = client.get("/join/", {"code": "9999", "at": "home"}, follow=True)
    page = main_of(answer)
    assert answer.status_code == 404
    assert ("We keep bees." if told else "Where a group decides") in page
    assert "No poll or live session has this code." in page
    assert 'value="9999"' in page
    assert client.get("/join/", {"code": "-", "at": "home"}).status_code == 422
    answer = signed_in("Ann").get("/join/", {"code": "9999", "at": "home"}, follow=True)
    assert "Hello, Ann" in main_of(answer)
    assert "No poll or live session" in main_of(answer)


@pytest.mark.needs("live", "candidate_questions")
def test_whoever_guesses_is_stopped_here_too(site, client, monkeypatch):
    monkeypatch.setattr(codes, "WRONG", codes.Limit("live-code-wrong", 1, codes.TEN_MINUTES_IN_SECONDS))
    answers = [client.get("/join/", {"code": f"999{n}", "at": "home"}, follow=True) for n in range(3)]
    assert answers[-1].status_code == 429
    assert "Too many wrong codes were entered from your network." in main_of(answers[-1])
    assert "Where a group decides" in main_of(answers[-1])


# --- somebody ---


@pytest.fixture
def ann(person, signed_in):
    """The browser of somebody who votes, and runs nothing."""
    return signed_in(person("Ann", Role.VOTER))


def sections(answer) -> list[str]:
    return [each for each in (WAITING, DECIDED, CAST) if each in main_of(answer)]


def test_an_election_stays_in_reach_from_waiting_to_its_result(site, ann, opened, monkeypatch):  # noqa: F811
    empty = ann.get("/")
    assert sections(empty) == []
    assert "Elections you can vote in appear here when they open" in main_of(empty)
    opened("Ann", description="About *bees*.", no_voting_after=FUTURE)
    before = ann.get("/")
    assert sections(before) == [WAITING]
    assert "1 ballot is waiting for you." in main_of(before)
    assert "About bees." in main_of(before)
    assert 'href="/election/Board/ballot/"' in main_of(before)
    voting.cast(people.find("Ann"), "Board", ranks(Cy=1), "form")
    after = ann.get("/")
    assert sections(after) == [CAST]
    assert "You can change your ballot until" in main_of(after)
    assert "2199" in main_of(after)
    assert f'href="{RECEIPT}"' in main_of(after)
    assert trips(after) == trips(before) <= 8
    close()
    decided = ann.get("/")
    assert sections(decided) == [DECIDED]
    assert "Winner: Cy" in main_of(decided)
    assert 'href="/election/Board/results/"' in main_of(decided)
    assert sections(ann.get("/")) == [DECIDED], "what is new stays so until the visit is over"
    ann.get("/")
    stands_at(monkeypatch, TOMORROW)
    assert sections(ann.get("/")) == [DECIDED], "it was sealed after the last visit began"
    stands_at(monkeypatch, NEXT_WEEK)
    assert sections(ann.get("/")) == [], "it has been told"


def test_a_visit_is_written_once(site, ann, person, monkeypatch):
    ann.get("/")
    first = people.find("Ann")
    assert first.visited_at
    assert first.visited_before == ""
    ann.get("/")
    assert people.find("Ann").visited_at == first.visited_at
    stands_at(monkeypatch, TOMORROW)
    ann.get("/")
    assert (people.find("Ann").visited_before, people.find("Ann").visited_at) == (first.visited_at, TOMORROW)


def test_home_is_shown_also_when_the_visit_cannot_be_noted(site, ann, monkeypatch):
    def fail(*_arguments):
        raise Unwritable("The disk is full.")

    monkeypatch.setattr("accounts.repository.recording_visit", fail)
    assert ann.get("/").status_code == 200


def test_of_others_elections_nothing_is_told(site, ann, opened):  # noqa: F811
    opened("Ben", name="Theirs")
    decide(opened, "Past")
    opened("Cleo", name="Draftless")
    page = main_of(ann.get("/"))
    assert "Theirs" not in page
    assert "Past" in page, "Ann is on its roll"
    assert "Draftless" not in page


def test_an_observer_is_told_what_there_is_to_read(site, signed_in, opened):  # noqa: F811
    opened("Ann")
    page = main_of(signed_in("Eve", Role.OBSERVER).get("/"))
    assert sections(signed_in("Eve", Role.OBSERVER).get("/")) == []
    assert "nothing to vote on" not in page


def cards(browser) -> list[str]:
    """The text of each card, without its markup."""
    found = re.findall(
        r'<li class="card(?: ruled)?">(.*?)</li>', main_of(browser.get("/")).split(f"What {RUN}")[1], re.S
    )
    return [" ".join(re.sub("<[^>]+>", " ", each).split()) for each in found]


@pytest.mark.needs("polls", "news")
def test_who_runs_things_finds_a_card_for_each_with_its_figure_and_next_step_most_urgent_first(
    site,
    opened,  # noqa: F811
    signed_in,
    person,
    monkeypatch,
):
    otto = person("the organiser", Role.ADMIN)
    drafts.create(otto, "A draft")
    opened("Ann", name="Soon", electorate="everyone", no_voting_after="2198-01-01T09:00:00.000Z")
    opened("Ann", name="Later", electorate="everyone", no_voting_before=TOMORROW, no_voting_after=FUTURE)
    opened("Ann", "Ben", name="Uninvited")
    decide(opened, "Past")
    drafts.add_question(otto, drafts.create(otto, "Meeting"), "Treasurer")
    polling.make(otto, ("Pizza", "Sushi"), 30, **CHOSEN)
    making.make(otto, Type.TRIVIA, TRIVIA, title="Quiz")
    post = news.write(otto, Written("Good news", "All is well."))
    news.publish(otto, post, FUTURE)
    browser = signed_in(otto)
    found = cards(browser)
    names = [
        "Lunch on Friday",
        "Uninvited",
        "Past",
        "Soon",
        "Later",
        "Meeting",
        "Quiz",
        "A draft",
        "Good news",
    ]
    assert sorted(names) == sorted(name for each in found for name in names if f" {name} " in f" {each} ")
    first = {name: place for place, each in enumerate(found) for name in names if f" {name} " in f" {each} "}
    assert {first["Lunch on Friday"], first["Uninvited"], first["Past"]} == {0, 1, 2}, "what has to be done"
    assert first["Soon"] < first["Later"] < min(first["Quiz"], first["A draft"], first["Meeting"])
    assert "0 of 2 have voted. 2 of 2 voters have not been invited yet. Invite voters" in found[first["Uninvited"]]
    assert "2 of 2 have voted. The votes are counted." in found[first["Past"]]
    assert "Mail the result" in found[first["Past"]]
    assert "Opens in" in found[first["Later"]]
    assert "0 votes" in found[first["Lunch on Friday"]]
    assert "Share" in found[first["Lunch on Friday"]]
    assert "Nobody is connected yet Projector" in found[first["Quiz"]]
    assert "at least two candidates for “Treasurer”" in found[first["Meeting"]]
    assert "Add candidates" in found[first["A draft"]]
    assert "Dec. 1, 2199, 9 a.m. UTC" in found[first["Good news"]]
    stands_at(monkeypatch, NEXT_WEEK)
    assert not any("Past" in each for each in cards(browser)), "what was decided long ago is in the list"


def test_of_many_elections_the_most_urgent_have_cards_and_the_page_asks_no_more(site, signed_in, person, opened):  # noqa: F811
    otto = person("the organiser")
    browser = signed_in(otto)
    opened("Ann", name="Open", no_voting_after=FUTURE)
    for number in range(MAX_CARDS):
        drafts.create(otto, f"Draft {number}")
    browser.get("/")  # which notes the visit
    few = browser.get("/")
    assert len(cards(browser)) == MAX_CARDS
    assert "Open" in cards(browser)[0]
    for number in range(2 * MAX_CARDS):
        drafts.create(otto, f"Another {number}")
    many = browser.get("/")
    assert trips(many) == trips(few)


@pytest.mark.needs("polls", "live")
def test_who_may_run_things_and_runs_none_is_shown_what_there_is_to_begin(site, signed_in, ann):
    page = main_of(signed_in("Newcomer").get("/"))
    for name, address in (("Elect", "/elections/new/"), ("Ask", "/polls/new/"), ("Meet", "/live/new/")):
        assert f'<h3><a href="{address}">{name}</a></h3>' in page
    assert "/polls/new/" not in main_of(ann.get("/")), "a voter may not"


def test_who_waits_for_approval_is_told_so(site, signed_in, person):
    word = "an admin has to approve it first"
    assert word in main_of(signed_in("Eve", Role.NO_ACCESS).get("/"))
    words = {"text": "We keep bees."}
    site_page.edit(person("Boss", Role.ADMIN), Part.TEXT, site_page.edition(site_page.BLANK, Part.TEXT), words)
    assert word in main_of(signed_in("Eve", Role.NO_ACCESS).get("/"))
    assert word not in main_of(signed_in("Ann").get("/"))


def test_the_receipt_leads_home(site, ann, opened):  # noqa: F811
    opened("Ann")
    voting.cast(people.find("Ann"), "Board", ranks(Cy=1), "form")
    assert '<a href="/">Go to the home page</a>' in main_of(ann.get(RECEIPT))
