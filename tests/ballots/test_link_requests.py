"""Links on request: who asks learns nothing, whose address it is gets everything open in one mail."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.core import mail as sent
from django.test import Client
from django.urls import reverse

from accounts import mail_quota
from accounts import repository as people
from accounts.rules import Role
from accounts.services import remove_self
from elections import actions, link_requests
from elections import repository as elections
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.invitations.voting_link import LINKS, MAX_LINKS, MAX_REQUESTED_LINKS, new_token, read_link
from elections.lifecycle import closing
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.rules import Action
from elections.voter_lists import Details
from foundation.acts import background
from foundation.acts.storage import now_text, table
from foundation.mail import outbox as mails
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.store import keys, round_trips
from foundation.store.log import as_text
from operations.upkeep import jobs
from tests.at_once import at_once
from tests.background import finish_background, queue_mailings
from tests.clock import stands_at
from tests.people import confirm

from .conftest import draft_asking
from .test_pages import text_of, trips_of, vote

ANN, BEN, EVE = "ann@example.org", "ben@example.org", "eve@example.org"
PAGE = "/my-link/"
MINUTE = 60


@pytest.fixture
def board(opened):
    return opened(ANN, BEN, vote_by_link=True)


def ask(address: str, path: str = PAGE, client: Client | None = None, **headers: str):
    return (client or Client()).post(path, {"email": address}, **headers)


def work() -> int:
    return background.resume_due(lane=keys.LINK_TASKS)


def answer() -> list[tuple[str, str]]:
    """What the worker mails now, as (to, text)."""
    sent.outbox.clear()
    work()
    send_waiting(compose)
    return [(each.to[0], each.body) for each in sent.outbox]


def links_in(text: str) -> list[str]:
    return re.findall(r"https?://[^/\s]+(/\S+/)", text)


def later(monkeypatch, seconds: float) -> None:
    stands_at(monkeypatch, as_text(datetime.fromisoformat(now_text()) + timedelta(seconds=seconds)))


# --- what the mail has ---


def test_the_mail_has_a_link_that_opens_the_ballot(board):
    page = Client().get(PAGE)
    assert "by email only, never on this page" in text_of(page)
    assert ask(ANN).status_code == 200
    ((to, text),) = answer()
    assert to == ANN
    assert "Board" in text
    assert "You can vote until it is closed." in text
    (door,) = links_in(text)
    assert Client().post(door)["Location"] == "/election/Board/ballot/"


def test_one_mail_lists_everything_open_that_an_address_and_its_account_can_vote_in(opened, person):
    ann = person("Ann", email=ANN)
    opened(ANN, name="By address", vote_by_link=True)
    opened("Ann", name="By name", vote_by_link=True)
    opened("Ann", ANN, name="By both", vote_by_link=True)
    opened(name="All members", electorate="everyone")
    opened(ANN, name="With an account")
    opened(BEN, name="Of others", vote_by_link=True)
    closing.close(people.find("the organiser"), opened(ANN, name="Over", vote_by_link=True))
    add_voters(people.find("the organiser"), drafts.create(people.find("the organiser"), "Draft"), [ANN])
    ask("ANN@example.org")
    ((to, text),) = answer()
    assert to == ann.email
    for name in ("By address", "By name", "By both", "All members", "With an account"):
        assert text.count(name) == 1, name
    assert not [name for name in ("Of others", "Over", "Draft") if name in text]
    found = links_in(text)
    assert len(found) == 5
    assert len([each for each in found if each.startswith("/vote/")]) == 3


def test_an_election_is_listed_once_for_those_whom_a_question_is_for(person):
    owner, groups = person("the organiser"), {ANN: ("Staff",), BEN: ("Board",), EVE: ("Guests",)}
    election = draft_asking(owner, "Spring", "Chair", "Canteen", vote_by_link=True, secret_ballot=False)
    add_voters(owner, election, list(groups), {name: Details(groups=own) for name, own in groups.items()})
    for number, group in ((1, "Board"), (2, "Staff")):
        actions.change(owner, elections.find("Spring").at(number), Action.SET_UP, for_groups=(group,))
    open_(owner, elections.find("Spring"))
    for each in groups:
        ask(each)
    mails_to = dict(answer())
    assert set(mails_to) == {ANN, BEN}, "of the first question, or of another; whom none is for has nothing to vote in"
    for text in mails_to.values():
        (door,) = links_in(text)
        assert Client().post(door)["Location"] == "/election/Spring/ballot/"


def test_an_election_that_has_not_begun_says_when_it_does(opened):
    opened(ANN, vote_by_link=True, no_voting_before="2999-05-01T10:00:00.000Z", time_zone="Europe/Berlin")
    ask(ANN)
    ((_to, text),) = answer()
    assert "You can vote from May 1, 2999, noon CEST (Europe/Berlin) until it is closed." in text
    (door,) = links_in(text)
    assert Client().get(door).status_code == 200


def test_the_election_it_was_asked_for_comes_first(opened):
    for name in ("One", "Two", "Three"):
        opened(ANN, name=name, vote_by_link=True)
    ask(ANN, "/election/two/my-link/")
    ((_to, text),) = answer()
    assert text.index("Two") < min(text.index("One"), text.index("Three"))


def test_without_vote_by_link_an_address_without_an_account_can_make_one(opened, settings):
    settings.REGISTRATION = "invited"
    opened(ANN)
    ask(ANN)
    ((_to, text),) = answer()
    (door,) = links_in(text)
    assert Client().get(door).status_code == 200, "nobody had invited the address before"
    assert "Board" in text_of(Client().get(door))


def test_no_mail_is_sent_if_nothing_is_open(opened, person):
    person("Eve", email=EVE)
    closing.close(people.find("the organiser") or person("the organiser"), opened(ANN, vote_by_link=True))
    person("No vote", Role.NO_ACCESS, email="no@example.org")
    for address in (ANN, EVE, "nobody@example.org", "no@example.org"):
        ask(address)
    assert answer() == []
    assert not list(table().each(keys.LINK_TASKS))


def test_what_closes_before_the_mail_is_sent_withdraws_it(board):
    ask(ANN)
    work()
    closing.close(people.find("the organiser"), board)
    send_waiting(compose)
    (mail,), _cursor = mails.in_state(mails.ASIDE, 9)
    assert mail.kind == "requested_links"


def test_what_closes_before_the_mail_is_sent_is_left_out_of_it(opened):
    opened(ANN, name="Stays", vote_by_link=True)
    ends = opened(ANN, name="Ends", vote_by_link=True)
    ask(ANN)
    work()
    closing.close(people.find("the organiser"), ends)
    ((_to, text),) = answer()
    assert "Stays" in text
    assert "Ends" not in text


def test_somebody_removed_gets_nothing(opened, person):
    eve = person("Eve", email=EVE)
    opened("Eve", ANN, vote_by_link=True)
    ask(EVE)
    remove_self(eve)
    finish_background()
    assert answer() == []
    ask(EVE)
    assert answer() == []


def test_a_member_number_is_no_address(opened):
    """Who is listed by one has no address here, so nobody can have their link sent anywhere."""
    board = opened(BEN, vote_by_link=True)
    add_voters(people.find("the organiser"), board, ["4711@"], {"4711@": Details(display_name=ANN, postal=(ANN,))})
    assert ask("4711@").status_code == 422
    for typed in (ANN, "4711@example.org"):
        ask(typed)
    assert answer() == []


# --- earlier links ---


@pytest.mark.deep
def test_the_latest_requested_links_all_work(board, monkeypatch):
    doors = []
    for _ in range(MAX_REQUESTED_LINKS):
        ask(ANN)
        ((_to, text),) = answer()
        doors += links_in(text)
        later(monkeypatch, 49 * 3600)
    assert len(set(doors)) == MAX_REQUESTED_LINKS
    assert {Client().post(each).status_code for each in doors} == {302}


def test_mails_of_organisers_end_no_requested_link(board):
    ask(ANN)
    ((_to, text),) = answer()
    (door,) = links_in(text)
    for number in range(MAX_LINKS + 3):
        new_token("Board", ANN, ANN, f"mail {number}")
    assert Client().post(door).status_code == 302


# --- how often ---


@pytest.mark.deep
def test_a_thousand_requests_send_one_mail_now_and_one_later(board, monkeypatch):
    for _ in range(1000):
        link_requests.request_links(ANN, "192.0.2.1")
    found = []
    while list(table().each(keys.tasks_due(keys.LINK_TASKS, now_text()))):
        found += answer()
    assert [to for to, _text in found] == [ANN]
    later(monkeypatch, link_requests.PAUSES[0] + 1)
    assert [to for to, _text in answer()] == [ANN], "who asked again gets another, a little later"
    later(monkeypatch, 24 * 3600)
    assert answer() == []
    assert not list(table().each(keys.LINK_TASKS))


@pytest.mark.deep
def test_who_is_asked_for_now_and_then_gets_no_more_than_one_mail_a_day_after_the_first(board, monkeypatch):
    mails_sent = 0
    for _ in range(10 * 24 * 2):
        link_requests.request_links(ANN, "192.0.2.1")
        mails_sent += len(answer())
        later(monkeypatch, 30 * MINUTE)
    assert 10 <= mails_sent <= 14
    entry = table().get(keys.voter("Board", ANN))
    assert len(entry[LINKS]) == mails_sent, "each link works, so the ballot that was cast with one can be changed"


def test_after_a_silence_the_next_mail_comes_at_once(board, monkeypatch):
    ask(ANN)
    assert len(answer()) == 1
    later(monkeypatch, link_requests.PAUSES[0] + 1)
    ask(ANN)
    assert len(answer()) == 1


def test_who_asked_in_vain_before_the_opening_gets_the_mail_at_once_after_it(opened, person, monkeypatch):
    """Or somebody who asks for another's links early could keep them from getting any."""
    person("Eve", email=EVE)
    for _ in range(24 * 6):
        link_requests.request_links(EVE, "192.0.2.1")
        assert answer() == []
        later(monkeypatch, 10 * MINUTE)
    opened("Eve", vote_by_link=True)
    ask(EVE)
    assert [to for to, _text in answer()] == [EVE]


@pytest.mark.deep
def test_a_link_that_no_mail_has_had_comes_at_once_however_often_somebody_asked_before(opened, monkeypatch):
    opened(ANN, name="First", vote_by_link=True)
    for _ in range(24 * 6):
        link_requests.request_links(ANN, "192.0.2.1")
        answer()
        later(monkeypatch, 10 * MINUTE)
    opened(ANN, name="Second", vote_by_link=True)
    ask(ANN)
    ((_to, text),) = answer()
    assert "First" in text
    assert "Second" in text
    ask(ANN)
    assert answer() == [], "now it was in a mail"


def test_spellings_of_one_address_are_one_address(opened):
    address = "Ann@bücher.example"
    opened(address, vote_by_link=True)
    for typed in (
        address,
        "ANN@BÜCHER.EXAMPLE",
        "ann@xn--bcher-kva.example",
        "ann@bu\u0308cher.example",
        f" {address}\u200b ",
    ):
        assert ask(typed).status_code == 200
    assert [to for to, _text in answer()] == [address]


def test_mail_goes_to_the_address_on_the_roll_never_to_the_one_typed(opened):
    """Spellings that fold to the same must not send somebody's link elsewhere."""
    opened("mike@example.org", vote_by_link=True)
    ask("mi\u212ae@example.org")  # a Kelvin sign
    assert [to for to, _text in answer()] == ["mike@example.org"]
    ask("m\u0131ke@example.org")  # no dot on the i: another address
    assert answer() == []


def test_a_whole_office_gets_its_mails(opened, monkeypatch):
    usual = link_requests.PER_NETWORK
    monkeypatch.setattr(link_requests, "PER_NETWORK", replace(usual, most=3))
    voters = [f"voter{number}@example.org" for number in range(8)]
    opened(*voters, vote_by_link=True)
    for each in voters:
        ask(each, REMOTE_ADDR="192.0.2.7")
    first = {to for to, _text in answer()}
    assert len(first) == 3
    monkeypatch.setattr(link_requests, "PER_NETWORK", usual)
    later(monkeypatch, 11 * MINUTE)
    assert first | {to for to, _text in answer()} == set(voters), "late, but nobody is left out"


def test_links_on_request_hold_up_no_other_background_work(board):
    finish_background()
    for number in range(3):
        ask(f"made.up.{number}@example.org")
    assert background.resume_due() == 0
    assert jobs.LINKS.lane not in {job.lane for job in jobs.JOBS if job != jobs.LINKS}
    assert (jobs.BACKGROUND.moment(), jobs.LINKS.moment()) == (None, 0)
    assert jobs.LINKS.work() == 3


def test_who_asks_in_a_network_that_floods_is_answered_later(board, monkeypatch):
    for number in range(link_requests.PROMPT_PER_NETWORK.most + 20):
        link_requests.request_links(f"made.up.{number}@example.org", "192.0.2.7")
    assert ask(ANN, REMOTE_ADDR="192.0.2.7").status_code == 200
    assert answer() == []
    later(monkeypatch, 22 * link_requests.LATE_SECONDS)
    assert [to for to, _text in answer()] == [ANN]
    work()
    assert not list(table().each(keys.LINK_TASKS)), "nothing is left of made-up addresses"


def test_who_asks_again_in_a_network_that_floods_keeps_the_turn(board, monkeypatch):
    for number in range(link_requests.PROMPT_PER_NETWORK.most):
        link_requests.request_links(f"made.up.{number}@example.org", "192.0.2.7")
    for _ in range(20):
        link_requests.request_links(ANN, "192.0.2.7")
    later(monkeypatch, 2 * link_requests.LATE_SECONDS)
    assert [to for to, _text in answer()] == [ANN]


def test_a_network_that_floods_cannot_put_off_what_others_asked_for(board):
    ask(ANN, REMOTE_ADDR="192.0.2.8")
    for number in range(link_requests.PROMPT_PER_NETWORK.most):
        link_requests.request_links(f"made.up.{number}@example.org", "192.0.2.7")
    ask(ANN, REMOTE_ADDR="192.0.2.7")
    assert [to for to, _text in answer()] == [ANN]


def test_requests_leave_the_same_tasks_whether_or_not_the_address_may_vote(board):
    """Or the time that storing the next request takes could tell."""
    for _ in range(3):
        for address in (ANN, "nobody@example.org"):
            before = table().count(keys.LINK_TASKS)
            ask(address)
            assert table().count(keys.LINK_TASKS) == before + 1
        answer()


def test_all_requests_together_have_a_budget_that_delays_mails(opened, monkeypatch):
    usual = link_requests.SITE_WIDE
    monkeypatch.setattr(link_requests, "SITE_WIDE", replace(usual, most=2))
    voters = [f"voter{number}@example.org" for number in range(5)]
    opened(*voters, vote_by_link=True)
    for number, each in enumerate(voters):
        ask(each, REMOTE_ADDR=f"192.0.2.{number}")
    assert len(answer()) == 2
    monkeypatch.setattr(link_requests, "SITE_WIDE", usual)
    later(monkeypatch, 11 * MINUTE)
    assert len(answer()) == 3


def test_requests_are_no_way_around_an_organisers_daily_quota(opened, settings, person, monkeypatch):
    """Whoever lists strangers cannot have them all mailed by asking for their links."""
    stands_at(monkeypatch, now_text())
    settings.MAILS_A_DAY = 2
    voters = [f"stranger{number}@example.org" for number in range(4)]
    opened(*voters, vote_by_link=True)
    for each in voters:
        ask(each)
    assert len(answer()) == 2
    assert mail_quota.quota_today(people.find("the organiser")).left == 0
    settings.MAILS_A_DAY = 9
    later(monkeypatch, 11 * MINUTE)
    assert len(answer()) == 2


def test_who_was_invited_or_has_an_account_costs_no_quota(opened, settings, person):
    settings.MAILS_A_DAY = 1
    person("Ben", email=BEN)
    board = opened(ANN, "Ben", vote_by_link=True)
    assert board.voter_count == 2
    settings.MAILS_A_DAY = 2
    mailing.invite(people.find("the organiser"), board)
    queue_mailings()
    send_waiting(compose)
    ask(ANN)
    ask(BEN)
    assert {to for to, _text in answer()} == {ANN, BEN}


def test_two_workers_send_one_mail(board):
    for _ in range(6):
        link_requests.request_links(ANN, "192.0.2.1")
    at_once(*[work] * 3)
    while list(table().each(keys.tasks_due(keys.LINK_TASKS, now_text()))):
        work()
    assert sum(table().count(span) for span in keys.mails_waiting(1)) == 1


# --- what who asks learns ---

PER_REQUEST = ("Server-Timing", "X-Request-ID", "Content-Length")  # the text itself is compared


def shape_of(response) -> tuple:
    """All that somebody can see of a response, but for what is random in every one and the URL asked for."""
    text = re.sub(r'nonce="[^"]*"|name="(csrfmiddlewaretoken|next)" value="[^"]*"', "", response.content.decode())
    text = re.sub(r'href="/election/[^"]*/help/"', "", text)
    headers = {name: value for name, value in response.items() if name not in PER_REQUEST}
    headers = {name: re.sub(r"nonce-[^' ]*", "", value) for name, value in headers.items()}
    return response.status_code, headers, sorted(response.cookies), text


@pytest.mark.few(2)
@pytest.mark.parametrize("who", ["a stranger", "a German", "somebody signed in", "the owner of the address"])
def test_the_answer_and_its_cost_are_the_same_for_everybody(board, person, opened, signed_in, monkeypatch, who):
    person("Eve", email=EVE)
    person("No vote", Role.NO_ACCESS, email="no@example.org")
    drafts.create(people.find("the organiser"), "Draft")
    client = {
        "a stranger": Client,
        "a German": lambda: Client(headers={"accept-language": "de"}),
        "somebody signed in": lambda: signed_in("Zoe"),
        "the owner of the address": lambda: signed_in(people.find("Eve")),
    }[who]()
    client.get(PAGE)  # what a session or a page keeps from now on is there
    heard: list[tuple[str, str]] = []  # reads that all requests share are not counted
    monkeypatch.setattr(round_trips, "_listeners", [lambda name, outcome, seconds: heard.append((name, outcome))])

    def answered(address: str, path: str) -> tuple:
        heard.clear()
        response = ask(address, path, client)
        return shape_of(response), trips_of(response), [each for each in heard if each[0] != "get"]

    addresses = (
        ANN,
        EVE,
        "nobody@example.org",
        "owner@example.org",
        "no@example.org",
        f" {ANN.upper()}\u200b",
        ANN,
        ANN,
    )
    elsewhere = [f"/election/{name}/my-link/" for name in ("board", "draft", "no-such-election", "Board%20%23<b>")]
    for asked in ([(each, PAGE) for each in addresses], [(ANN, path) for path in elsewhere]):
        first, *others = [answered(*each) for each in asked]
        assert first[0][0] == 200
        assert [each for each in first[2] if each[0] == "write"] == [("write", "ok")]
        expected = 2 if who in ("a stranger", "a German") else 3
        assert first[1] == expected, "the count of the network, the write, and who is signed in"
        for each in others:
            assert each == first
        work()
        assert answered(*asked[0]) == first, "nor is it another once the mail has gone out"


def test_a_link_is_mailed_to_nobody_but_its_voter(board, person):
    """An account of the name of an address, or an address around another, gets nothing."""
    person("ann", email="mallory@example.org")
    for address in (
        "mallory@example.org",
        "x+ann@example.org",
        f'"{ANN}"@evil.example',
        "ann@example.org.evil.example",
    ):
        ask(address)
    assert answer() == []


def test_an_account_gets_its_own_links_only(opened, person):
    person("Ann", email=ANN)
    person("Ben", email=BEN)
    opened("Ann", "Ben", vote_by_link=True)
    ask(BEN)
    ((_to, text),) = answer()
    (door,) = links_in(text)
    assert read_link(door.split("/")[2]).voter == "Ben"


@pytest.mark.parametrize("typed", ["", "no address", "a@b@c", "<b>x</b>@example.org", "x" * 300 + "@example.org"])
def test_what_is_no_address_is_refused_and_kept(site, typed):
    response = ask(typed)
    assert response.status_code == 422
    assert b"<b>x</b>" not in response.content
    assert not list(table().each(keys.LINK_TASKS))


def test_neither_the_address_nor_the_network_is_kept(board, monkeypatch):
    ask(ANN, REMOTE_ADDR="192.0.2.77")
    answer()
    assert not [item for _place, item in table().everything() if "192.0.2.77" in str(item)]
    kept = [item for _place, item in table().everything() if item["PK"].startswith("LINKREQUEST#")]
    assert len(kept) == 1
    assert ANN not in str(kept)
    assert not [each for each in table().each(keys.events()) if "link" in each["event_type"].lower()]


# --- where people find it ---


def test_a_dead_link_the_sign_in_page_and_the_page_about_links_lead_there(board, signed_in):
    dead = Client().get(reverse("vote_by_link", args=["made-up"]))
    assert dead.status_code == 410
    for page in (dead, Client().get("/sign-in/"), Client().get(reverse("your_link"))):
        assert f'href="{PAGE}"' in page.content.decode()
    stranger = signed_in("Zoe").get("/election/Board/").content.decode()
    assert 'href="/election/Board/my-link/"' in stranger


def test_who_voted_by_a_requested_link_is_told_as_everybody_with_a_link(board, outbox):
    ask(ANN)
    ((_to, text),) = answer()
    client = Client()
    client.post(links_in(text)[0])
    vote(client, rank_1="1")
    assert "somebody else may have your link" in outbox()[-1][2]


def test_the_outbox_names_the_mail(board, signed_in):
    confirm(people.find("the organiser"))
    ask(ANN)
    work()
    page = signed_in("Olga", Role.OWNER).get("/mails/?state=queued").content.decode()
    assert "Your links to vote" in page
    assert ANN in page
