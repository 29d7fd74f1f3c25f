"""Polls that are not right: reporting, looking at what was reported, hiding, showing again."""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from functools import partial

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from acts.refusals import LostRace, NotNow, NotThere
from polls import reports, repository, services
from store.log import as_text, utc_now
from tests.at_once import at_once
from tests.clock import at_its_own_moment

from .conftest import by_ida, events, vote
from .test_pages import at_leisure, send, text  # noqa: F401 - a fixture
from .test_pages import form_of as ballot_of

LIST = "/admin/polls/reported/"


@pytest.fixture(autouse=True)
def a_moment_each(monkeypatch):
    """Reports are told apart by the millisecond, and a quick machine makes two in one."""
    start, count = utc_now(), itertools.count()
    monkeypatch.setattr(reports, "now_text", lambda: as_text(start + timedelta(milliseconds=next(count))))


def form_of(client: Client, poll) -> dict[str, str]:
    page = client.get(f"/poll/{poll.id}/report/").content.decode()
    return dict(re.findall(r'type="hidden" name="(shown)" value="([^"]*)"', page))


def complain(client: Client, poll, reason: str = "spam", words: str = "", **more: str):
    return client.post(f"/poll/{poll.id}/report/", form_of(client, poll) | {"reason": reason, "words": words} | more)


@pytest.fixture
def root(signed_in) -> Client:
    return signed_in("Root", Role.ADMIN)


def act(client: Client, poll, what: str, **sent: str):
    return client.post(f"{LIST}{poll.id}/{what}/", sent)


# --- reporting ---


@pytest.mark.parametrize("path", ["", "voted/", "results/"])
def test_every_page_of_a_poll_leads_to_a_report(made, shelf, client, path):
    poll = made()
    send(client, poll, "Sushi")
    assert f'href="/poll/{poll.id}/report/"' in text(client.get(f"/poll/{poll.id}/{path}"))


def test_a_stranger_reports_a_poll_and_those_who_look_after_the_site_see_it(site, made, client, root):
    poll = made()
    answer = complain(client, poll, "hate", "It insults\r\nmy <b>cat</b>.")
    assert "Thank you." in text(client.get(answer["Location"]))
    assert "Lunch on Friday" in text(root.get(LIST))
    page = root.get(f"{LIST}{poll.id}/").content.decode()
    assert "Hateful or insulting" in page
    assert "It insults<br>my &lt;b&gt;cat&lt;/b&gt;." in page
    (told,) = events(site, "PollReported")
    assert told["reason"] == "hate"
    assert "cat" not in str(told), "the log keeps for good only what kind of reason it was"


def test_one_browser_reports_a_poll_once(site, made, client, root):
    poll = made()
    complain(client, poll)
    answer = complain(client, poll)
    assert answer.status_code == 422
    assert "already reported this poll" in text(answer)
    act(root, poll, "dismiss", seen=reports.find_reported(poll.id)[1].reported_at)
    assert complain(client, poll).status_code == 422, "also after it was dismissed"
    assert complain(Client(), poll).status_code == 302
    assert complain(client, made()).status_code == 302
    assert len(events(site, "PollReported")) == 3


def test_nothing_leads_from_a_report_to_the_vote_of_the_same_browser(site, made, client):
    poll = made()
    send(client, poll, "Sushi")
    complain(client, poll)
    (cast,), (told,) = events(site, "PollVoteCast"), events(site, "PollReported")
    assert cast["vote_id"] != told["report_id"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"reason": ""}, "required"),
        ({"reason": "made-up"}, "made-up"),
        ({"words": "x" * 1001}, "1000"),
        ({"website": "https://example.org"}, "leave the hidden field empty"),
        ({"shown": "made-up"}, "press the button again"),
    ],
)
def test_a_report_that_is_none_is_refused_in_a_sentence_and_kept(site, made, client, sent, words):
    answer = complain(client, made(), **{"words": "so there"} | sent)
    assert answer.status_code == 422
    assert words in text(answer)
    assert "so there" in text(answer) or "words" in sent
    assert events(site, "PollReported") == []


def test_without_our_cookie_a_report_is_asked_for_again(made, client):
    poll = made()
    form = form_of(client, poll)
    client.cookies.clear()
    answer = client.post(f"/poll/{poll.id}/report/", form | {"reason": "spam"})
    assert answer.status_code == 422
    assert "cookie" in text(answer)
    assert complain(client, poll).status_code == 302


def test_a_flood_of_reports_from_one_address_is_stopped(made):
    for _ in range(10):
        assert complain(Client(), made()).status_code == 302
    answer = complain(Client(), made())
    assert answer.status_code == 422
    assert "too often" in text(answer)
    assert complain(Client(REMOTE_ADDR="192.0.2.7"), made()).status_code == 302


def test_reports_that_come_at_once_are_all_counted(made):
    poll = made()
    at_once(*(partial(reports.report, poll, f"browser {number}", "spam", "") for number in range(6)))
    assert reports.find_reported(poll.id)[1].reports == 6


def test_a_report_of_a_poll_that_was_deleted_meanwhile_leaves_nothing(site, made):
    poll = made()
    services.delete(by_ida(poll))
    with pytest.raises(NotThere):
        reports.report(poll, "browser", "spam", "")
    assert reports.find_reported(poll.id) is None
    assert reports.reported_page(limit=9) == ([], None)


# --- looking at them ---


def test_the_newest_report_stands_first_and_lists_are_leafed_through(made, root, monkeypatch):
    monkeypatch.setattr("pages.paging.PAGE_ROWS", 2)
    polls = [made(title=f"Poll {number}") for number in range(3)]
    for number, each in enumerate([polls[0], polls[1], polls[2], polls[0]]):
        at_its_own_moment(lambda told=(each, f"browser {number}", "spam", f"words {number}"): reports.report(*told))
    first = text(root.get(LIST))
    assert first.index("Poll 0") < first.index("Poll 2")
    assert "Poll 1" not in first
    older = re.search(r'href="([^"]+)" rel="next"', first)[1].replace("&amp;", "&")
    assert "Poll 1" in text(root.get(older))
    page = text(root.get(f"{LIST}{polls[0].id}/"))
    assert page.index("words 3") < page.index("words 0")


def test_dismissed_reports_leave_the_list_until_the_next_comes(site, made, root):
    poll = made()
    reports.report(poll, "one", "spam", "the first")
    act(root, poll, "dismiss", seen=reports.find_reported(poll.id)[1].reported_at)
    assert "Nothing to review" in text(root.get(LIST))
    assert "No reports to review" in text(root.get(f"{LIST}{poll.id}/"))
    reports.report(poll, "two", "hate", "the second")
    page = text(root.get(f"{LIST}{poll.id}/"))
    assert "the second" in page
    assert "the first" not in page
    assert reports.find_reported(poll.id)[1].reports == 1
    assert len(events(site, "PollReportsDismissed")) == 1


def test_nobody_dismisses_what_they_have_not_seen(made, root):
    poll = made()
    at_its_own_moment(lambda: reports.report(poll, "one", "spam", ""))
    _poll, seen = reports.find_reported(poll.id)
    reports.report(poll, "two", "hate", "")
    answer = act(root, poll, "dismiss", seen=seen.reported_at)
    assert "try again" in text(root.get(answer["Location"]))
    with pytest.raises(LostRace):
        reports.dismiss(people.find("Root"), seen)
    assert reports.find_reported(poll.id)[1].reports == 2
    assert act(root, made(), "dismiss").status_code == 302, "where there is nothing to dismiss"


@pytest.mark.parametrize("what", ["hide", "show", "dismiss"])
def test_nobody_else_hides_shows_or_dismisses(made, signed_in, client, what):
    poll = made()
    assert act(signed_in("Eve"), poll, what).status_code == 403
    assert act(signed_in(people.find("Ida")), poll, what).status_code == 403
    assert act(client, poll, what)["Location"].startswith("/sign-in/")
    assert repository.find(poll.id) == poll


# --- hiding ---


PAGES = ("", "voted/", "state/", "results/", "results/now/", "results/votes.csv", "report/", "embed/", "results.svg")


def test_a_hidden_poll_is_gone_for_all_but_its_maker_and_those_who_hid_it(made, shelf, client, root, signed_in):
    poll, ida = made(listed=True), signed_in(people.find("Ida"))
    send(client, poll, "Sushi")
    send(ida, poll, "Sushi")
    act(root, poll, "hide")
    for path in PAGES:
        answer = client.get(f"/poll/{poll.id}/{path}")
        assert answer.status_code == 410, path
        assert "Pizza" not in text(answer)
    assert "have hidden this poll" in text(client.get(f"/poll/{poll.id}/"))
    for path in ("", "voted/", "results/"):
        for somebody in (ida, root):
            assert "Nobody can vote" in text(somebody.get(f"/poll/{poll.id}/{path}", follow=True)), path
    assert "Nobody can vote" in text(ida.get(f"/poll/{poll.id}/manage/"))
    assert "Hidden" in text(ida.get("/polls/"))
    assert "Lunch" not in text(client.get("/polls/"))


def test_nobody_votes_in_a_hidden_poll(made, client, root, signed_in):
    poll, ida = made(), signed_in(people.find("Ida"))
    of_client, of_ida = ballot_of(client, poll), ballot_of(ida, poll)
    act(root, poll, "hide")
    assert send(client, poll, "Sushi", of_client).status_code == 410
    assert send(ida, poll, "Sushi", of_ida).status_code == 422
    with pytest.raises(NotNow, match="hidden this poll"):
        vote(poll, "somebody", "Sushi")
    assert list(repository.each_vote(poll)) == []


def test_whoever_made_it_without_an_account_sees_that_it_is_hidden(site, client, root, settings):
    settings.POLLS_BY_ANYBODY = True
    sent = {"title": "Lunch", "candidates": "Pizza\nSushi", "days": "30"}
    poll_id = client.post("/polls/new/", sent, follow=True).redirect_chain[-1][0].split("/")[2]
    act(root, repository.find(poll_id), "hide")
    assert "Nobody can vote" in text(client.get(f"/poll/{poll_id}/"))
    assert Client().get(f"/poll/{poll_id}/").status_code == 410


def test_a_poll_that_is_shown_again_is_as_it_was(made, client, root):
    poll = made(listed=True)
    send(client, poll, "Sushi")
    act(root, poll, "hide")
    act(root, poll, "show")
    assert client.get(f"/poll/{poll.id}/").status_code == 200
    assert "Lunch" in text(client.get("/polls/"))
    assert send(client, poll, "Pizza").status_code == 302


def test_what_is_hidden_is_not_hidden_twice(site, made, root):
    poll = made()
    act(root, poll, "hide")
    assert "not possible" in text(root.get(act(root, poll, "hide")["Location"]))
    act(root, poll, "show")
    assert "not possible" in text(root.get(act(root, poll, "show")["Location"]))
    assert [len(events(site, kind)) for kind in ("PollHidden", "PollShown")] == [1, 1]


def test_listing_a_hidden_poll_does_not_show_it(made, client, root):
    poll = made()
    act(root, poll, "hide")
    services.list_publicly(by_ida(poll), listed=True)
    assert "Lunch" not in text(client.get("/polls/"))
    act(root, poll, "show")
    assert "Lunch" in text(client.get("/polls/"))


def test_an_admin_comes_from_a_poll_to_its_reports(made, root, signed_in):
    poll = made()
    assert f"{LIST}{poll.id}/" in text(root.get(f"/poll/{poll.id}/manage/"))
    assert LIST in text(root.get("/polls/"))
    ida = signed_in(people.find("Ida"))
    assert LIST not in text(ida.get(f"/poll/{poll.id}/manage/")) + text(ida.get("/polls/"))


def test_somebody_who_is_no_admin_any_more_hides_nothing(made, person):
    poll, admin = made(), person("Root", Role.ADMIN)
    from accounts import services as accounts

    accounts.change_role(person("Olga", Role.OWNER), admin, Role.USER)
    with pytest.raises(LostRace):
        reports.hide(admin, poll)
    assert repository.find(poll.id).hidden_at is None
