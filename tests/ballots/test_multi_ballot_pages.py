"""The way of a voter through several questions on one ballot, as a browser without scripts goes it."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from elections import actions, rolls
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.invitations import mailing
from elections.lifecycle.closing import CLOSING
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import question_key as key
from elections.roll.services import add_voters
from elections.rules import Action
from elections.turnout.counts import turnout
from foundation.ranking.candidates import Candidate
from tests.at_once import at_once
from tests.background import queue_mailings
from tests.people import enrol

from .test_pages import fields_of, receipt_of, text_of, words_of

NAMES = ("Spring: Chair", "Spring: Colour", "Spring: Song")


@pytest.fixture
def opened(person):
    """Three questions, each with Ada, Bo and Cy; answers the multi_ballot."""

    def make(*voters, questions=("Chair", "Colour", "Song"), **settings):
        owner = person("the organiser")
        multi_ballot = binding.make(owner, "Spring", questions)
        for name in multi_ballot.questions:
            add_candidates(owner, elections.find(name), [Candidate(each) for each in ("Ada", "Bo", "Cy")])
        enrol(*voters)
        add_voters(owner, elections.find(multi_ballot.leader), voters)
        if settings:
            actions.change(owner, elections.find(multi_ballot.leader), Action.SET_UP, **settings)
        binding.open_(owner, multi_ballots.find(multi_ballot.id))
        return multi_ballots.find(multi_ballot.id)

    return make


@pytest.fixture
def multi_ballot(opened):
    return opened("Eve", "Bob")


@pytest.fixture
def eve(multi_ballot, signed_in):
    return signed_in("Eve", Role.VOTER)


def page(multi_ballot, where=""):
    return f"/book/{multi_ballot.id}/ballot/{where}"


def ranked(client, multi_ballot, place, button=None, **typed):
    at = page(multi_ballot, f"{place}/")
    sent = fields_of(client.get(at), at) | {name.replace("_", "-"): value for name, value in typed.items()}
    return client.post(at, sent | (button or {}), follow=True)


def reviewed(client, multi_ballot):
    """Chair and Song are ranked, Colour is left out."""
    ranked(client, multi_ballot, 1, rank_0="1", rank_1="2")
    ranked(client, multi_ballot, 2)
    return ranked(client, multi_ballot, 3, rank_2="1")


def cast(client, multi_ballot, review=None):
    review = review or reviewed(client, multi_ballot)
    return client.post(page(multi_ballot, "cast/"), fields_of(review, page(multi_ballot, "cast/")), follow=True)


def rankings(name):
    """Of the only voter."""
    return next((ballot.rankings for ballot in repository.every_ballot(name)), None)


def codes_in(answer):
    return re.findall(r'<code id="q\w+">([^<]+)</code>', answer.content.decode())


def votes(name):
    return turnout(name).voted


def test_one_way_through_all_questions_one_review_and_one_button(eve, multi_ballot):
    first = eve.get(page(multi_ballot), follow=True)
    assert first.redirect_chain[-1][0] == page(multi_ballot, "1/")
    assert "Question 1 of 3 Chair" in text_of(first)
    second = ranked(eve, multi_ballot, 1, rank_0="1", rank_1="2")
    assert "Question 2 of 3 Colour" in text_of(second)
    third = ranked(eve, multi_ballot, 2)
    review = ranked(eve, multi_ballot, 3, rank_2="1")
    assert "Question 3 of 3 Song" in text_of(third)
    assert "Cast these 2 ballots" in text_of(review)
    assert "You leave this one blank: no vote is cast on it." in text_of(review)
    assert [votes(name) for name in NAMES] == [0, 0, 0]
    receipts = cast(eve, multi_ballot, review)
    assert "2 ballots are cast." in text_of(receipts)
    assert receipts.content.decode().count('data-copies="q') == 2
    assert len(words_of(receipts)) == 12, "one set of words for all"
    assert 'class="words"' not in receipts.content.decode(), "drawn for who asks for them"
    assert f"/book/{multi_ballot.id}/change/#" in receipt_of(receipts).content.decode()
    assert [rankings(name) for name in NAMES] == ["0>1", None, "2"]


def test_the_same_form_again_casts_nothing_twice(eve, multi_ballot):
    review = reviewed(eve, multi_ballot)
    form = fields_of(review, page(multi_ballot, "cast/"))
    answers = at_once(*[lambda: eve.post(page(multi_ballot, "cast/"), form)] * 3)
    assert {answer.status_code for answer in answers} == {200}
    assert len({(*words_of(answer), *codes_in(answer)) for answer in answers}) == 1, "each gets the same receipts"
    assert len(set(codes_in(answers[0]))) == 2
    assert [votes(name) for name in NAMES] == [1, 0, 1]
    assert rolls.find_with_entry(NAMES[0], people.find("Eve"))[1].voted
    assert services.standing_of(people.find("Eve"), NAMES[0]).acts == 1


def test_who_lost_the_response_finds_the_receipts(eve, multi_ballot):
    review = reviewed(eve, multi_ballot)
    carried = eve.cookies["ranking"].value
    sent = cast(eve, multi_ballot, review)
    assert not fields_of(eve.get(page(multi_ballot, "receipts/")), f"/book/{multi_ballot.id}/change/")["secret"]
    eve.cookies["ranking"] = carried
    again = eve.get(page(multi_ballot, "receipts/"))
    assert (words_of(again), codes_in(again)) == (words_of(sent), codes_in(sent))


def test_a_secret_that_another_voter_has_cast_with_casts_nothing_and_shows_no_ballot(eve, multi_ballot, signed_in):
    at, chosen = page(multi_ballot, "cast/"), {"secret": "5" * 32}
    receipts = eve.post(at, fields_of(reviewed(eve, multi_ballot), at) | chosen, follow=True)
    bob = signed_in("Bob", Role.VOTER)
    refused = bob.post(at, fields_of(reviewed(bob, multi_ballot), at) | chosen, follow=True)
    assert "Not cast: Chair." in text_of(refused)
    assert len(codes_in(receipts)) == 2
    assert codes_in(refused) == []
    assert not set(codes_in(receipts)) & set(re.findall(r"\S+", text_of(refused)))
    assert [votes(name) for name in NAMES] == [1, 0, 1]
    theirs = cast(bob, multi_ballot)
    assert len(codes_in(theirs)) == 2
    assert [votes(name) for name in NAMES] == [2, 0, 2]


def test_a_question_that_was_voted_on_is_left_alone_and_the_others_are_cast(eve, multi_ballot):
    cast(eve, multi_ballot)
    done = eve.get(page(multi_ballot, "1/"))
    assert "You have voted on this question, and your vote counts." in text_of(done)
    assert 'name="rank-0"' not in done.content.decode()
    assert ranked(eve, multi_ballot, 1).redirect_chain[-1][0] == page(multi_ballot, "2/")
    review = ranked(eve, multi_ballot, 2, {"review": "1"}, rank_1="1")
    assert "Cast 1 ballot" in text_of(review)
    receipts = cast(eve, multi_ballot, review)
    assert receipts.content.decode().count('data-copies="q') == 1
    assert [rankings(name) for name in NAMES] == ["0>1", "1", "2"]


def test_the_words_open_the_ballots_of_all_questions(eve, multi_ballot):
    words = " ".join(words_of(cast(eve, multi_ballot)))
    browser, change = Client(), f"/book/{multi_ballot.id}/change/"
    assert "Your twelve words" in text_of(browser.get(change))
    opened = browser.post(change, {"words": words})
    assert ("Chair" in text_of(opened), "Colour" in text_of(opened), "Song" in text_of(opened)) == (True, False, True)
    address = reverse("change", args=[NAMES[2]])
    ballot = browser.post(address, fields_of(opened, address), follow=True)
    sent = fields_of(ballot, f"{address}ballot/") | {"rank-0": "1", "rank-2": ""}
    review = browser.post(f"{address}ballot/", sent, follow=True)
    browser.post(f"{address}cast/", fields_of(review, f"{address}cast/"))
    assert [rankings(name) for name in NAMES] == ["0>1", None, "0"]
    other = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    for there in (change, "/book/nothing/change/"):
        assert "do not open a ballot here" in text_of(browser.post(there, {"words": other}))


@pytest.mark.deep
def test_changing_a_public_one_begins_with_what_was_cast_and_casts_only_what_is_new(opened, signed_in):
    multi_ballot = opened("Eve", "Bob", secret_ballot=False)
    eve = signed_in("Eve", Role.VOTER)
    cast(eve, multi_ballot)
    assert (
        'name="rank-0" min="1" max="3" inputmode="numeric" value="1"'
        in eve.get(page(multi_ballot, "1/")).content.decode()
    )
    review = ranked(eve, multi_ballot, 1, {"review": "1"}, rank_0="2", rank_1="1")
    assert "Cast 1 ballot" in text_of(review)
    assert text_of(review).count("Already cast; no change.") == 1
    receipts = cast(eve, multi_ballot, review)
    assert "1 ballot is cast." in text_of(receipts)
    acts = [services.standing_of(people.find("Eve"), name).acts for name in NAMES]
    assert acts == [2, 0, 1]
    assert "You have nothing new to cast." in text_of(eve.get(page(multi_ballot, "review/")))


def test_back_and_forth_nothing_is_lost_and_a_wrong_rank_stays_typed(eve, multi_ballot):
    ranked(eve, multi_ballot, 1, rank_0="3", rank_2="3")
    back = ranked(eve, multi_ballot, 2, {"before": "1"}, rank_1="1")
    assert "Question 1 of 3" in text_of(back)
    assert fields_of(back, page(multi_ballot, "1/"))["rank-0"] == "1"  # as equals: gaps do not matter
    assert fields_of(eve.get(page(multi_ballot, "2/")), page(multi_ballot, "2/"))["rank-1"] == "1"
    wrong = ranked(eve, multi_ballot, 2, rank_1="first")
    assert wrong.status_code == 422
    assert "must be a whole number" in text_of(wrong)
    assert fields_of(wrong, page(multi_ballot, "2/"))["rank-1"] == "first"


def test_who_lost_the_session_finds_everything_after_the_sign_in(eve, multi_ballot, settings):
    ranked(eve, multi_ballot, 1, rank_0="1")
    sent = fields_of(eve.get(page(multi_ballot, "2/")), page(multi_ballot, "2/")) | {"rank-1": "1"}
    del eve.cookies[settings.SESSION_COOKIE_NAME]
    away = eve.post(page(multi_ballot, "2/"), sent)
    assert away.url.startswith("/sign-in/?next=")
    eve.post("/sign-in/", {"name_or_email": "Eve", "password": "correct horse battery"})
    there = eve.get(page(multi_ballot, "2/"))
    assert "You were away for a while" in text_of(there)
    assert fields_of(there, page(multi_ballot, "2/"))["rank-1"] == "1"
    assert fields_of(eve.get(page(multi_ballot, "1/")), page(multi_ballot, "1/"))["rank-0"] == "1"


def test_who_lost_the_session_at_the_review_comes_back_to_it(eve, multi_ballot, settings):
    review = reviewed(eve, multi_ballot)
    del eve.cookies[settings.SESSION_COOKIE_NAME]
    away = eve.post(page(multi_ballot, "cast/"), fields_of(review, page(multi_ballot, "cast/")))
    there = eve.post(away.url, {"name_or_email": "Eve", "password": "correct horse battery"}, follow=True)
    assert there.redirect_chain[-1][0] == page(multi_ballot, "review/")
    cast(eve, multi_ballot, there)
    assert [rankings(name) for name in NAMES] == ["0>1", None, "2"]


def test_another_person_at_the_same_browser_finds_nothing_of_it(eve, multi_ballot):
    ranked(eve, multi_ballot, 1, rank_0="1")
    eve.post("/sign-out/")
    eve.post("/sign-in/", {"name_or_email": "Bob", "password": "correct horse battery"})
    assert fields_of(eve.get(page(multi_ballot, "1/")), page(multi_ballot, "1/"))["rank-0"] == ""


def test_what_is_closed_meanwhile_is_named_and_the_others_are_cast(eve, multi_ballot):
    review = reviewed(eve, multi_ballot)
    song = elections.find("Spring: Song")
    CLOSING.close(song, "plenum")
    receipts = cast(eve, multi_ballot, review)
    assert "1 ballot is cast." in text_of(receipts)
    assert "Not cast: Song. This election is closed." in text_of(receipts)
    assert [votes(name) for name in NAMES] == [1, 0, 0]


def test_after_the_close_nothing_is_cast(eve, multi_ballot):
    review = reviewed(eve, multi_ballot)
    binding.close(people.find("the organiser"), multi_ballots.find(multi_ballot.id))
    receipts = cast(eve, multi_ballot, review)
    assert text_of(receipts).count("Not cast:") == 2
    assert eve.get(page(multi_ballot, "1/")).status_code == 403
    assert eve.get(page(multi_ballot, "review/")).status_code == 403
    assert [votes(name) for name in NAMES] == [0, 0, 0]


def test_too_much_for_one_way_is_said_and_kept_on_the_page(eve, multi_ballot, monkeypatch):
    monkeypatch.setattr("foundation.ranking.ranking_cookie.MAX_COOKIE_CHARS", 10)
    answer = ranked(eve, multi_ballot, 1, rank_0="1")
    assert answer.status_code == 422
    assert "review and cast what you have so far" in text_of(answer)
    assert fields_of(answer, page(multi_ballot, "1/"))["rank-0"] == "1"


def test_forged_fields_are_refused_and_cast_nothing(eve, multi_ballot):
    sent = {f"{key(NAMES[0])}:99": "1", f"{key(NAMES[1])}:0": ["1", "2"], "q00000000:0": "1", "token": "t"}
    answer = eve.post(page(multi_ballot, "cast/"), sent, follow=True)
    assert text_of(answer).count("Not cast:") == 2
    assert eve.post(page(multi_ballot, "cast/"), {}).url == page(multi_ballot, "review/")
    assert [votes(name) for name in NAMES] == [0, 0, 0]


def test_who_is_not_on_the_roll_and_who_is_a_stranger(multi_ballot, signed_in, client):
    zoe = signed_in("Zoe", Role.VOTER)
    assert "You are not on the electoral roll" in text_of(zoe.get(page(multi_ballot, "1/")))
    assert zoe.get(page(multi_ballot, "review/")).status_code == 403
    assert "You have not voted on this question." in text_of(zoe.get(page(multi_ballot, "receipts/")))
    assert client.get(page(multi_ballot, "1/")).url.startswith("/sign-in/")
    for where in ("0/", "4/", "99999999999999999999/"):
        assert zoe.get(page(multi_ballot, where)).status_code == 404
    assert zoe.get("/book/no-such/ballot/1/").status_code == 404


def test_a_single_question_can_still_be_voted_on_and_offers_the_whole_way(eve, multi_ballot):
    answer = eve.get(f"/election/{quote(NAMES[1])}/ballot/")
    assert answer.status_code == 200
    assert f'href="{page(multi_ballot)}"' in answer.content.decode()
    services.cast(people.find("Eve"), NAMES[1], {"0": ["1"]}, "form")
    assert "Cast these 2 ballots" in text_of(
        reviewed(eve, multi_ballot)
    )  # Colour was cast: leaving it empty changes nothing


def test_one_mail_tells_of_all_and_one_invitation_asks_for_all(opened, signed_in, outbox, person):
    multi_ballot = opened("Eve", "new@example.org", vote_by_link=True)
    owner = person("the organiser")
    mailing.invite(owner, elections.find(multi_ballot.leader))
    queue_mailings()
    asked = [(to, subject) for to, subject, _text in outbox()]
    assert len(asked) == 2
    assert all(": Spring (" in subject for _to, subject in asked)
    eve = signed_in("Eve", Role.VOTER)
    cast(eve, multi_ballot)
    told = [text for to, subject, text in outbox() if subject.endswith("Your vote has been cast")]
    assert len(told) == 1, [subject for _to, subject, _text in outbox()]
    assert "Spring" in told[0]
    assert "Spring: Chair" not in told[0]


def test_a_link_opens_all_questions_and_nothing_else(opened, client, link, person):
    multi_ballot = opened("new@example.org", vote_by_link=True)
    mailing.invite(person("the organiser"), elections.find(multi_ballot.leader))
    queue_mailings()
    door = link("new@example.org")
    there = client.post(door, follow=True)
    assert there.redirect_chain[-1][0] == page(multi_ballot, "1/")
    receipts = cast(client, multi_ballot)
    assert receipts.status_code == 200
    assert [votes(name) for name in NAMES] == [1, 0, 1]
    assert client.get(f"/book/{multi_ballot.id}/").status_code == 302
    other = binding.make(person("Zoe"), "Autumn", ["Chair"])
    assert client.get(page(other, "1/")).status_code == 302
