"""Voting by link: what the door says, what a pass opens and what it does not, and when both end."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import passes, repository, services
from ballots.passes import Pass
from ballots.rules import HasVoted
from ballots.sealing import seal_closed
from ballots.secret import ballot_id, of_link
from ballots.services import SignInInstead
from config.middleware import HOST
from elections import repository as elections
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.invitations.voting_link import LINKS, MAX_LINKS, Link, LinkRefused, new_token
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.acts.pause import pause
from foundation.acts.storage import table
from foundation.acts.tokens import create_token
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import Delete, Update
from results import repository as results
from tests import voting
from tests.background import queue_mailings
from tests.people import PASSWORD, make_owner
from tests.publishing import seal_publicly
from tests.test_routes import BALLOT, BY_PASS, LOOK, PUBLIC, ROUTES, TOKEN

from .conftest import ranks
from .test_pages import PAGE, code_of, fields_of, text_of, vote

ANN, BEN = "ann@example.org", "ben@example.org"


@pytest.fixture
def board(opened):
    return opened(ANN, BEN, vote_by_link=True)


def link_of(voter: str = ANN, name: str = "Board", address: str = "") -> Link:
    return voting.link_to(name, voter, address)


def door_of(voter: str = ANN, name: str = "Board", address: str = "") -> str:
    return reverse("vote_by_link", args=[link_of(voter, name, address).token])


def come_in(door: str, client: Client | None = None) -> Client:
    client = client or Client()
    assert client.post(door)["Location"] == PAGE
    return client


def entry_of(voter: str = ANN) -> dict:
    return table().get(keys.voter("Board", voter))


# --- from the link to the receipt ---


def test_the_mail_leads_to_the_door_and_its_button_to_the_ballot(board, link, outbox):
    mailing.invite(people.find("the organiser"), board)
    queue_mailings()
    client, door = Client(), link(ANN)
    page = client.get(door)
    for words in ("Board", "the organiser has invited you to vote", ANN, "Voting ends", "secret"):
        assert words in text_of(page)
    assert not client.cookies.get(passes.COOKIE), "whoever only follows links gets nothing"
    come_in(door, client)
    receipt = vote(client, rank_1="1")
    (ballot,) = repository.every_ballot("Board")
    assert (code_of(receipt), ballot.rankings) == (ballot.confirmation, "1")
    assert f"Voting by link as {ANN}" in text_of(receipt)
    assert "open the link in your invitation again" in text_of(receipt)
    assert 'name="secret"' not in receipt.content.decode(), "the link is enough"
    (event,) = [each for each in table().each(keys.events()) if each["event_type"] == "BallotCast"]
    assert event["actor"] == ANN
    assert set(event["event_data"]) == {"election_name", "voter_name", "changed"}
    told = [text for to, _subject, text in outbox() if to == ANN][-1]
    assert "somebody else may have your link" in told
    (address,) = re.findall(r"https?://[^/]+(/vote/\S*)", told)
    assert address == reverse("your_link"), "whoever is forwarded the confirmation does not get the vote with it"
    assert "in your invitation" in text_of(Client().get(address))
    token = door.split("/")[2]
    assert ANN.encode() not in base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)), "proxies log addresses"


def test_a_public_vote_by_link_is_thanked_with_its_code_and_no_page_shows_it_later(opened):
    opened(ANN, vote_by_link=True, secret_ballot=False)
    client = come_in(door_of(ANN))
    thanks = vote(client, rank_1="1")
    (ballot,) = repository.every_ballot("Board")
    assert code_of(thanks) == ballot.confirmation
    assert "Show my receipt" not in text_of(thanks), "others might read the mail"
    assert ballot.confirmation not in text_of(client.get(f"{PAGE}receipt/"))


def test_the_door_and_the_bar_call_voters_by_their_name_on_the_roll(board):
    name = "Lina <b>One</b>"
    add_voters(people.find("the organiser"), board, ["lina@example.org"], {"lina@example.org": Details(name)})
    door = door_of("lina@example.org")
    assert name in text_of(Client().get(door))
    client = come_in(door)
    for path in (PAGE, "/election/Board/"):
        assert f"Voting by link as {name}" in text_of(client.get(path))
        assert "lina@example.org" not in text_of(client.get(path))


@pytest.mark.parametrize("secret_ballot", [True, False])
def test_the_ballot_is_changed_and_withdrawn_by_the_link_on_any_device_and_shown_on_none(opened, secret_ballot):
    """Also on the one it was cast on: whoever reads the mail does not read the ballot."""
    opened(ANN, BEN, vote_by_link=True, secret_ballot=secret_ballot)
    client = come_in(door_of())
    first = vote(client, rank_1="1")
    again = come_in(door_of())
    for browser in (client, again):
        assert "How you voted is not shown" in text_of(browser.get(PAGE))
        assert not fields_of(browser.get(PAGE), PAGE)["rank-1"]
        for path in (PAGE, f"{PAGE}withdraw/"):
            assert ("No email is sent when a secret ballot" in text_of(browser.get(path))) == secret_ballot
        assert "How you voted is not shown" in text_of(browser.get(f"{PAGE}receipt/"))
    assert again.get(f"{PAGE}state/").json() == {"acts": 1}
    second = vote(again, rank_2="1")
    assert [each.rankings for each in repository.every_ballot("Board")] == ["2"]
    if secret_ballot:
        assert code_of(second) == code_of(first)
        assert 'class="words"' not in second.content.decode(), "the link is enough"
    token = re.search(r'name="token" value="([^"]+)"', again.get(f"{PAGE}withdraw/").content.decode())[1]
    answer = again.post(f"{PAGE}withdraw/", {"token": token})
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert list(repository.every_ballot("Board")) == []


def test_around_the_ballot_of_a_link_there_is_nothing_to_get_lost_in(board, signed_in):
    guest = come_in(door_of())
    for shown in (guest.get("/election/Board/ballot/"), Client().get(door_of())):
        for distraction in (">Sign in<", "Menu", "Sandbox", "Checkpoints", 'id="site-nav"'):
            assert distraction not in shown.content.decode(), distraction
    assert "Sandbox" in signed_in("Eve").get("/elections/").content.decode()


def test_a_form_sent_twice_in_two_tabs_is_one_ballot(board):
    client = come_in(door_of())
    review = client.post(PAGE, {"rank-2": "1"}, follow=True)
    fields = fields_of(review, f"{PAGE}cast/")
    first, second = (each.post(f"{PAGE}cast/", fields, follow=True) for each in (client, client))
    assert code_of(first) == code_of(second)
    assert len(list(repository.every_ballot("Board"))) == 1


# --- doors that stay shut ---


def gone(door: str) -> str:
    answers = [Client().get(door), Client().post(door)]
    assert [answer.status_code for answer in answers] == [410, 410]
    assert passes.COOKIE not in answers[1].cookies
    return text_of(answers[1])


def test_a_link_that_is_not_ours(board, settings):
    token = link_of().token
    for bad in ("made-up", token[:-1], create_token("silence", *"abcde"), create_token("vote", "Board", ANN)):
        assert "not one of ours" in gone(reverse("vote_by_link", args=[bad]))
    settings.SECRET_KEY = "another site's"
    assert "not one of ours" in gone(reverse("vote_by_link", args=[token]))


def test_a_link_of_an_election_that_is_gone_or_made_anew(board, opened):
    door, owner = door_of(), people.find("the organiser")
    lifecycle.delete(owner, board)
    assert "no longer exists" in gone(door)
    opened(ANN, name="Other", vote_by_link=True)
    before = replace(link_of(name="Other"), created_at=board.created_at)
    assert "no longer exists" in gone(reverse("vote_by_link", args=[before.token])), "made anew under the name"


def test_an_election_without_it_opens_by_no_link(opened):
    election = opened(ANN)
    assert new_token("Board", ANN, "", "1") is None
    link = Link("Board", election.created_at, ANN, "5" * 32)
    assert "Nobody votes by link in this election." in gone(reverse("vote_by_link", args=[link.token]))


def test_the_sites_key_alone_makes_no_link(board):
    made = Link("Board", board.created_at, ANN, "5" * 32)
    assert "A newer link has replaced it" in gone(reverse("vote_by_link", args=[made.token]))


def test_links_of_the_latest_mails_work_and_a_mail_sent_again_replaces_its_own(board):
    mails = [new_token("Board", ANN, "", f"mail {number}") for number in range(MAX_LINKS + 1)]
    again = new_token("Board", ANN, "", "mail 3")
    assert len(entry_of()[LINKS]) == MAX_LINKS
    doors = {token: reverse("vote_by_link", args=[token]) for token in (*mails, again)}
    good = [token for token, door in doors.items() if Client().get(door).status_code == 200]
    assert good == [*mails[1:3], *mails[4:], again]
    for token in mails:
        assert token not in str(list(table().everything()))


def test_another_link_than_the_one_voted_with_does_not_reach_the_ballot_and_says_so(board):
    vote(come_in(door_of()), rank_1="1")
    newer = reverse("vote_by_link", args=[new_token("Board", ANN, "", "another mail")])
    client = come_in(newer)
    for path in ("", "receipt/"):
        assert "So this link does not lead to your ballot" in text_of(client.get(f"{PAGE}{path}"))
    assert "So this link does not lead" in text_of(client.post(f"{PAGE}cast/", {"rank-2": "1", "token": "x"}))
    assert client.post(f"{PAGE}withdraw/", {"token": "y"}).status_code == 403
    assert [each.rankings for each in repository.every_ballot("Board")] == ["1"]


def test_the_ballot_and_the_roll_have_different_hashes_of_the_link(board, site):
    vote(come_in(door_of()), rank_1="1")
    link = link_of()
    (ballot,) = site.each(*keys.ballots("Board"))
    assert ballot["SK"] == f"BALLOT#{ballot_id(of_link(link.secret), 'Board')}"
    (_mail, on_roll), *_others = entry_of()[LINKS]
    assert on_roll not in str(ballot)
    assert link.secret not in str(list(site.everything()))
    assert set(entry_of()) >= {"voted", "links"}
    assert not {"acts", "paper", "lineage"} & set(entry_of())


def test_where_votes_are_final_the_link_changes_nothing(opened):
    opened(ANN, vote_by_link=True, changeable=False)
    client = come_in(door_of())
    receipt = vote(client, rank_1="1")
    (ballot,) = repository.every_ballot("Board")
    assert "votes are final" in text_of(receipt)
    assert ballot.confirmation not in text_of(receipt)
    assert services.voter_context(Pass(link_of()), "Board").found == {}, "nor does it lead to the ballot"
    assert "votes are final" in text_of(client.get(PAGE))


def test_the_invitation_sent_again_ends_the_earlier_link_and_its_pass(board):
    door, client, owner = door_of(), come_in(door_of()), people.find("the organiser")
    mailing.resend_invitation(owner, board, ANN)
    assert "A newer link has replaced it" in gone(door)
    page = client.get(PAGE)
    assert page.status_code == 403
    assert "A newer link has replaced it" in text_of(page)
    assert client.post(f"{PAGE}cast/", {"rank-1": "1"}).status_code == 403
    assert list(repository.every_ballot("Board")) == []
    vote(come_in(door_of()), rank_1="1")
    assert len(list(repository.every_ballot("Board"))) == 1


def test_a_link_replaced_while_somebody_casts_with_it_loses(board, monkeypatch):
    """Between the reading and the write the organiser sends another: the write is refused, and then the link is."""
    held, owner, casting = Pass(link_of()), people.find("the organiser"), repository.casting

    def meanwhile(*arguments, **options):
        if "invited" not in entry_of():
            mailing.resend_invitation(owner, board, ANN)
        return casting(*arguments, **options)

    monkeypatch.setattr(repository, "casting", meanwhile)
    with pytest.raises(LinkRefused):
        services.cast(held, "Board", ranks(Bo=1), "form")
    assert not entry_of()["voted"]


def test_somebody_taken_off_the_roll_and_put_on_it_again_needs_a_new_link(board, person):
    door, owner = door_of(), people.find("the organiser")
    services.remove_ballots_of(person("Ann", Role.VOTER, ANN))
    table().write(Delete(keys.email(ANN)))
    assert "not on the roll" in gone(door)
    add_voters(owner, elections.find("Board"), [ANN])
    assert "A newer link has replaced it" in gone(door), "one of an earlier entry must not come back"
    come_in(door_of())


def test_before_the_beginning_and_after_the_end_the_door_says_so(opened):
    election = opened(ANN, vote_by_link=True, no_voting_before="2999-01-01T00:00:00.000Z", results_public=True)
    page = Client().get(door_of())
    assert page.status_code == 200
    assert "Voting begins" in text_of(page)
    assert "Go to the ballot" not in text_of(page)
    assert Client().post(door_of()).status_code == 403
    closing.close(people.find("the organiser"), election)
    shut = Client().get(door_of())
    assert "This election is closed." in text_of(shut)
    assert "See the result" in text_of(shut)
    assert passes.COOKIE not in shut.cookies


def close_and_seal(election) -> str:
    """Answers the stamp of the sealed result."""
    closing.close(people.find("the organiser"), election)
    seal_closed()
    seal_publicly(table())
    return results.find(election.name).seal.stamp


def address_of(name: str, election: str, sealed: str) -> str:
    words = {"made-up": sealed, "draft": election}
    return reverse(name, args=[words.get(word, word) for word in ROUTES[name][2]])


def test_after_the_close_the_link_opens_the_result_and_all_that_checks_it(board):
    voter = come_in(door_of())
    vote(voter, rank_1="1")
    sealed = close_and_seal(board)
    late = Client()  # somebody else's browser, or the same on another day
    assert late.post(door_of())["Location"] == reverse("results", args=["Board"])
    for client in (voter, late):
        for name in BY_PASS - {"live", "live_now", "board_skills"}:
            answer = client.get(address_of(name, "Board", sealed))
            assert answer.status_code == 200, f"{name} {answer.get('Location')}"
        page = client.get(PAGE)
        assert page.status_code == 403
        assert reverse("results", args=["Board"]) in page.content.decode()
        assert reverse("follow", args=["Board"]) in page.content.decode()
        result = text_of(client.get(reverse("results", args=["Board"])))
        assert f"Voting by link as {ANN}" in result
        assert reverse("history", args=["Board"]) not in result
    receipt = voter.get(f"{PAGE}receipt/")
    assert "nobody can tell which ballot is whose" in text_of(receipt)
    assert reverse("follow", args=["Board"]) in receipt.content.decode()


def test_a_link_that_ended_opens_no_result_either(board, person):
    client = come_in(door_of())
    mailing.resend_invitation(people.find("the organiser"), board, ANN)
    close_and_seal(elections.find("Board"))
    for name in ("results", "result_screen", "follow", "recount", "bundle"):
        answer = client.get(reverse(name, args=["Board"]))
        assert answer.status_code == 403
        assert "A newer link has replaced it" in text_of(answer)
    give_factor(person("Ann", Role.VOTER, ANN))
    assert "Please sign in to see the result" in text_of(Client().get(door_of()))
    assert Client().post(door_of()).status_code == 403


def test_whoever_is_signed_in_reads_the_result_as_themselves(board, signed_in):
    client = signed_in("Cleo", Role.VOTER)
    client.post(door_of(), {"whose": "link"})
    close_and_seal(board)
    page = client.get(reverse("results", args=["Board"]))
    assert "by link" not in text_of(page)
    assert reverse("history", args=["Board"]) in page.content.decode()


def test_without_a_pass_the_sign_in_says_that_the_link_is_enough(board):
    close_and_seal(board)
    page = Client().get(reverse("results", args=["Board"]), follow=True)
    assert "Open the link in your invitation again" in text_of(page)


# --- the pass ---


@pytest.mark.needs("webhooks")
def test_a_pass_opens_the_pages_of_this_voter_and_no_other(board):
    client = come_in(door_of())
    for name, (whom, allowed, words) in ROUTES.items():
        if whom in (PUBLIC, TOKEN):
            continue
        address = reverse(name, args=["Board" if word == "draft" else word for word in words])
        for method in {"GET", "POST"} & set(allowed):
            answer = client.generic(method, address)
            is_asked = answer.status_code == 302 and answer["Location"].startswith("/sign-in/?next=")
            assert is_asked != (name in BALLOT | BY_PASS | LOOK), f"{name} {method}: {answer.status_code}"
            assert not (name in BY_PASS and answer.status_code == 200), f"{name}: there is no result yet"


def test_a_pass_opens_the_page_of_its_election_and_its_history(opened):
    begins = as_text(datetime.now(UTC) - timedelta(days=1))
    opened(ANN, vote_by_link=True, description="Three seats.", no_voting_before=begins)
    client = come_in(door_of())
    page = client.get("/election/Board/")
    assert page.status_code == 200
    assert f"Voting by link as {ANN}" in text_of(page)
    assert "Three seats." in text_of(page)
    assert PAGE in page.content.decode(), "the way back to the ballot"
    for distraction in (reverse("elections"), reverse("dashboard", args=["Board"]), ">Sign in<"):
        assert distraction not in page.content.decode(), distraction
    vote(client, rank_1="1")
    assert "My ballot" in text_of(client.get("/election/Board/"))
    history = client.get("/election/Board/history/")
    assert "the organiser opened the election." in text_of(history)
    assert "In the event log" not in text_of(history)
    assert client.post("/election/Board/").status_code == 405


def test_without_a_valid_pass_the_page_asks_to_sign_in(board, opened):
    looks = [reverse(name, args=["Board"]) for name in LOOK]
    opened(BEN, name="Other", vote_by_link=True)
    of_another = Client()
    of_another.post(door_of(BEN, "Other"))
    for stranger in (Client(), of_another):
        assert {stranger.get(path)["Location"] for path in looks} == {f"/sign-in/?next={path}" for path in looks}
    client = come_in(door_of())
    mailing.resend_invitation(people.find("the organiser"), board, ANN)
    for path in looks:
        answer = client.get(path)
        assert answer.status_code == 403
        assert "A newer link has replaced it" in text_of(answer)


def test_members_look_at_an_election_as_themselves_whatever_their_browser_holds(board, signed_in):
    client = signed_in("Cleo", Role.VOTER)
    client.post(door_of(), {"whose": "link"})
    page = client.get("/election/Board/")
    assert "by link" not in text_of(page)
    assert "You cannot vote here with this account" in text_of(page)


def test_a_pass_that_names_a_draft_opens_nothing(board, rf):
    drafts.create(people.find("the organiser"), "Draft")
    request = rf.get("/")
    request.user = Client().get("/").wsgi_request.user
    answer, client = HttpResponse(), Client()
    passes.issue_pass(request, answer, link_of(), elections.find("Draft"))
    client.cookies[passes.COOKIE] = answer.cookies[passes.COOKIE].value
    assert client.get("/election/Draft/")["Location"].startswith("/sign-in/")


def test_a_pass_opens_no_other_election(board, opened):
    opened(ANN, name="Other", vote_by_link=True)
    client = come_in(door_of())
    assert client.get("/election/Other/ballot/")["Location"].startswith("/sign-in/")
    client.post(door_of(name="Other"))
    assert [client.get(f"/election/{name}/ballot/").status_code for name in ("Board", "Other")] == [200, 200]
    client.post(reverse("leave_ballot", args=["Other"]))
    assert [client.get(f"/election/{name}/ballot/").status_code for name in ("Board", "Other")] == [200, 302]


@pytest.mark.parametrize("spoil", [lambda text: text[:-2], lambda text: text.replace("~", "~x"), lambda text: "~~~~"])
def test_a_spoilt_cookie_opens_nothing(board, spoil):
    client = come_in(door_of())
    client.cookies[passes.COOKIE] = spoil(client.cookies[passes.COOKIE].value)
    assert client.get(PAGE)["Location"].startswith("/sign-in/")


def test_a_pass_of_another_key_or_another_day_opens_nothing(board, settings, monkeypatch):
    client = come_in(door_of())
    with monkeypatch.context() as tomorrow:
        tomorrow.setattr(passes, "PASS_SECONDS", -1)
        assert client.get(PAGE)["Location"].startswith("/sign-in/")
    assert client.get(PAGE).status_code == 200
    settings.SECRET_KEY = "another site's"
    assert client.get(PAGE)["Location"].startswith("/sign-in/")


def test_the_cookie_is_kept_from_scripts_and_other_sites_and_never_grows_too_long(opened, settings, rf):
    settings.SESSION_COOKIE_SECURE = True
    opened(ANN, vote_by_link=True)
    answer = Client().post(door_of())
    cookie = answer.cookies[f"{HOST}{passes.COOKIE}"]
    assert cookie["httponly"]
    assert cookie["secure"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["max-age"]
    assert ANN not in cookie.value
    election, request = elections.find("Board"), rf.get("/")
    request.user = Client().get("/").wsgi_request.user
    for number in range(9):
        answer = Client().get("/help/secrecy/")
        long = Link("選" * 190 + str(number), "2026", "挙" * 200, "5" * 32, "a" * 250)
        passes.issue_pass(request, answer, long, replace(election, name=long.election_name))
        request.COOKIES[passes.COOKIE] = answer.cookies[passes.COOKIE].value
        assert len(request.COOKIES[passes.COOKIE]) < 4000
    assert passes.passes_in(request)[0].link == long


def test_the_button_is_no_other_sites_to_press(board):
    client = Client(enforce_csrf_checks=True)
    assert client.post(door_of()).status_code == 403
    assert passes.COOKIE not in client.cookies


def test_leaving_forgets_the_pass_and_what_was_ranked(board):
    client = come_in(door_of())
    page = client.get(PAGE)
    mark = re.search(r'name="drafts" content="(\w+)"', page.content.decode())[1]
    assert mark in client.get("/help/secrecy/").content.decode(), "the draft stays meanwhile"
    assert mark != "stranger"
    assert ANN not in re.search(r'data-draft="([^"]*)"', page.content.decode())[1]
    answer = client.post(reverse("leave_ballot", args=["Board"]), follow=True)
    assert "has forgotten your link" in text_of(answer)
    assert 'content="stranger"' in answer.content.decode()
    assert client.get(PAGE)["Location"].startswith("/sign-in/")


def test_no_form_of_a_guest_is_lost_with_the_pass(board, monkeypatch):
    client = come_in(door_of())
    fields = fields_of(client.get(PAGE), PAGE) | {"rank-2": "1"}
    with monkeypatch.context() as tomorrow:
        tomorrow.setattr(passes, "PASS_SECONDS", -1)
        assert client.post(PAGE, fields)["Location"].startswith("/sign-in/")
    assert fields_of(come_in(door_of(), client).get(PAGE), PAGE)["rank-2"] == "1"


# --- beside accounts ---


def test_signed_in_as_the_addressee_one_votes_as_oneself(board, person, signed_in):
    client = signed_in(person("Ann", Role.VOTER, ANN))
    assert client.get(door_of())["Location"] == PAGE
    assert passes.COOKIE not in client.cookies
    vote(client, rank_1="1")
    assert "signed in or on paper" in text_of(come_in(door_of()).get(PAGE)), "the link does not lead to that ballot"
    assert [each.rankings for each in repository.every_ballot("Board")] == ["1"]


def test_signed_in_as_somebody_else_one_is_asked_whose_vote_it_is(board, signed_in):
    client = signed_in("Cleo", Role.VOTER)
    for answer in (client.get(door_of()), client.post(door_of())):
        assert "Whose vote do you want to cast?" in text_of(answer)
    assert passes.COOKIE not in client.cookies
    assert client.post(door_of(), {"whose": "self"})["Location"] == PAGE
    assert "You are not on the electoral roll" in text_of(client.get(PAGE))
    client.post(door_of(), {"whose": "link"})
    assert f"Voting by link as {ANN}" in text_of(client.get(PAGE))
    vote(client, rank_1="1")
    assert entry_of()["voted"]
    client.post(door_of(), {"whose": "self"})
    assert "You are not on the electoral roll" in text_of(client.get(PAGE))


def test_whoever_signs_in_or_out_leaves_the_pass_behind(board, person):
    person("Cleo", Role.VOTER)
    client = come_in(door_of())
    client.post("/sign-in/", {"name_or_email": "Cleo", "password": PASSWORD})
    assert "You are not on the electoral roll" in text_of(client.get(PAGE)), "who signs in is themselves"
    client.post(door_of(), {"whose": "link"})
    assert client.get(PAGE).status_code == 200
    client.post("/sign-out/")
    assert client.get(PAGE)["Location"].startswith("/sign-in/")
    assert not client.cookies[passes.COOKIE].value


def test_a_link_goes_around_no_demotion_and_no_second_step(board, person):
    ann = person("Ann", Role.VOTER, ANN)
    client, held = come_in(door_of()), Pass(link_of())
    table().write(*people.role_change(ann, Role.OBSERVER))
    assert "is not allowed to vote" in text_of(client.get(PAGE))
    assert "is not allowed to vote" in text_of(Client().get(door_of()))
    ann = people.find("Ann")
    table().write(*people.role_change(ann, Role.VOTER))
    give_factor(ann)
    with pytest.raises(SignInInstead):
        services.cast(held, "Board", ranks(Bo=1), "form")
    page = Client().get(door_of())
    assert "Please sign in to vote" in text_of(page)
    assert "/sign-in/?next=/election/Board/ballot/" in page.content.decode()
    assert Client().post(door_of()).status_code == 403


def give_factor(user) -> None:
    table().write(Update(keys.user(user.name), set={"factors": [{"kind": "app"}]}))


def test_an_entry_by_name_is_its_accounts_and_its_link_goes_with_the_address(opened, person):
    opened("Eve", vote_by_link=True)
    eve = people.find("Eve")
    door = door_of("Eve", address=eve.email)
    vote(come_in(door), rank_1="1")
    assert entry_of("Eve")["voted"]
    table().write(*people.email_change(eve, "new@example.org"))
    assert "not on the roll" in gone(door), "whoever has the old mail box has no vote"
    assert "not on the roll" in gone(door_of("Eve", address=""))
    come_in(door_of("Eve", address="new@example.org"))


def test_one_person_listed_twice_has_one_vote_by_link_too(opened, person):
    opened(ANN, vote_by_link=True)
    person("Ann", Role.VOTER, ANN)
    add_voters(people.find("the organiser"), elections.find("Board"), ["Ann"])
    services.cast(Pass(link_of()), "Board", ranks(Bo=1), "one")
    for number, other in enumerate((people.find("Ann"), Pass(link_of("Ann", address=ANN)))):
        with pytest.raises(HasVoted):
            services.cast(other, "Board", ranks(Cy=1), f"other {number}")
    services.cast(Pass(link_of()), "Board", ranks(Ada=1), "two")
    assert [each.rankings for each in repository.every_ballot("Board")] == ["0"]
    services.withdraw(Pass(link_of()), "Board", "four")
    assert list(repository.every_ballot("Board")) == []


def test_an_account_made_while_somebody_casts_by_link_is_noticed(board, person, monkeypatch):
    held, casting = Pass(link_of()), repository.casting

    def meanwhile(*arguments, **options):
        if people.find("Ann") is None:
            give_factor(person("Ann", Role.VOTER, ANN))
        return casting(*arguments, **options)

    monkeypatch.setattr(repository, "casting", meanwhile)
    with pytest.raises(SignInInstead):
        services.cast(held, "Board", ranks(Bo=1), "form")


# --- whoever makes an account on the way ---


def test_whoever_registers_at_the_door_lands_on_the_ballot(site, board, link):
    make_owner()
    client = Client()
    register = re.search(r'href="(/register/[^"]*)"', client.get(door_of()).content.decode())[1]
    assert f'name="next" value="{PAGE}"' in client.get(register).content.decode()
    words = {"name": "Ann", "email": ANN, "password": PASSWORD, "next": PAGE}
    assert client.post("/register/", words).status_code == 200
    answer = client.post(link(ANN))
    assert answer["Location"] == PAGE
    assert client.get(PAGE).status_code == 200


def test_whoever_opens_the_mail_in_another_browser_signs_in_first(site, board, link):
    make_owner()
    Client().post("/register/", {"name": "Ann", "email": ANN, "password": PASSWORD, "next": PAGE})
    client = Client()
    assert client.post(link(ANN))["Location"] == f"/sign-in/?next={PAGE}"
    answer = client.post("/sign-in/", {"name_or_email": "Ann", "password": PASSWORD, "next": PAGE})
    assert answer["Location"] == PAGE


def test_registering_leads_to_no_other_site(site, link):
    make_owner()
    words = {"name": "Ann", "email": ANN, "password": PASSWORD, "next": "https://elsewhere.example/"}
    Client().post("/register/", words)
    assert Client().post(link(ANN))["Location"] == "/sign-in/"


def test_whoever_makes_an_account_by_the_invitation_lands_on_the_ballot(opened, link):
    election = opened(ANN)
    mailing.invite(people.find("the organiser"), election)
    queue_mailings()
    client = Client()
    answer = client.post(link(ANN), {"name": "Ann", "password": PASSWORD})
    assert answer["Location"] == PAGE
    assert client.get(PAGE).status_code == 200


# --- what organisers are told, and what the log keeps ---


def test_organisers_are_told_what_a_link_means_and_what_sending_it_again_does(board, signed_in):
    client = signed_in(people.find("the organiser"))
    mailing.invite(people.find("the organiser"), board)
    queue_mailings()
    send_waiting(compose)
    assert "earlier link stops working" in text_of(client.get("/election/Board/roll/"))
    again = client.post("/election/Board/roll/invite/", {"voter": ANN}, follow=True)
    assert "with a new link. Earlier links no longer work" in text_of(again)
    assert "with the link in their invitation" in text_of(client.get("/election/Board/"))
    drafts.create(people.find("the organiser"), "Draft")
    form = text_of(client.get("/election/Draft/settings/"))
    assert "Anyone who is forwarded the mail can vote" in form
    assert "only people listed by address get such a link" in form


def test_while_the_site_is_paused_nobody_votes_by_link_and_everybody_may_leave(board, site):
    client = come_in(door_of())
    pause("Olga", 30)
    assert client.get(PAGE).status_code == 200
    assert [client.post(path, {"rank-1": "1"}).status_code for path in (door_of(), f"{PAGE}cast/")] == [503, 503]
    client.post(reverse("leave_ballot", args=["Board"]))
    assert client.get(PAGE)["Location"].startswith("/sign-in/")


def test_no_log_line_and_no_other_site_learns_a_link(board, caplog):
    door = door_of()
    answer = Client().get(door)
    assert answer["Referrer-Policy"] == "strict-origin"
    assert answer["Cache-Control"] == "private, no-store"
    assert "vote/<str:token>/" in str([each.__dict__ for each in caplog.records])
    assert door not in str([each.__dict__ for each in caplog.records])


def test_where_everybody_may_vote_those_on_the_roll_are_sent_links(opened):
    opened(ANN, vote_by_link=True, electorate="everyone")
    vote(come_in(door_of()), rank_1="1")
    assert entry_of()["voted"]
