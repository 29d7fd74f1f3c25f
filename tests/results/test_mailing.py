"""Who won, by mail: to everybody on the roll once, by a button or by itself, and not to who wants none."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict

import pytest
from django.core import mail as sent
from django.utils.translation import override

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import recipients
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.acts.refusals import NotAllowed
from foundation.mail.emails import Mail, compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.tally.lots import ByLot
from results import mailing
from tests.background import queue_mailings
from tests.elections.test_questions import NAME as MEETING
from tests.elections.test_questions import three_questions
from tests.people import sign_in
from tests.voting import cast as voting_as

HERE = "/election/Board/results/mail/"
ANN, BEN = "ann@example.org", "ben@example.org"


@pytest.fixture
def ada(person):
    return person("Ada")


def closed(ada, *voters: str, ballots: tuple[str, ...] = ("Eve",), candidates=("Bo", "Cy"), **settings):
    election = drafts.create(ada, "Board", secret_ballot=False, mail_votes=False, **settings)
    add_candidates(ada, election, [Candidate(name) for name in candidates])
    add_voters(ada, election, [*ballots, *voters])
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    for name in ballots:
        voting.cast(people.find(name), "Board", {"0": ["1"]}, f"form of {name}")
    closing.close(ada, repository.find("Board"))
    seal_closed()
    return repository.find("Board")


def deliver() -> Counter[str]:
    queue_mailings()
    send_waiting(compose)
    return Counter(message.to[0] for message in sent.outbox)


def events(site) -> list[str]:
    return [each["actor"] for each in site.each(keys.events()) if each["event_type"] == "ResultMailed"]


def test_the_button_mails_everybody_once_who_won_and_the_link(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    election = closed(ada, ANN)
    mailing.mail_result(ada, election)
    assert deliver() == {"eve@example.org": 1, ANN: 1}
    with pytest.raises(WrongState, match="already"):
        mailing.mail_result(ada, election)
    assert deliver() == {"eve@example.org": 1, ANN: 1}
    assert events(site) == ["Ada"]
    message = sent.outbox[0]
    assert "Board" in message.subject
    for text in (message.body, message.alternatives[0][0]):
        words = re.sub("[\u2066-\u2069]", "", text)
        assert "Bo has won." in words
        assert "1 ballot was counted." in words
        assert "/election/Board/results/" in words
        assert "/no-results/" in words


def test_by_itself_as_soon_as_it_is_sealed_if_that_was_chosen(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    election = closed(ada, announces=True)
    mailing.mail_automatically(election)  # a worker that was cut short comes again
    assert events(site) == ["plenum"]
    assert deliver() == {"eve@example.org": 1}
    with pytest.raises(WrongState, match="already"):
        mailing.mail_result(ada, election)


def test_without_that_choice_nobody_is_mailed(site, ada, person):
    person("Eve", Role.VOTER)
    closed(ada)
    assert deliver() == {}
    assert events(site) == []


def test_who_wants_none_says_so_once(site, ada, person, client):
    person("Eve", Role.VOTER, email="eve@example.org")
    election = closed(ada, ANN, BEN)
    recipients.opt_out(BEN.upper())
    mailing.mail_result(ada, election)
    assert deliver() == {"eve@example.org": 1, ANN: 1}
    to_ann = next(message for message in sent.outbox if message.to == [ANN])
    (address,) = set(re.findall(r"(/no-results/\S+/)", to_ann.body))
    assert to_ann.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert client.get(address).status_code == 200
    assert not recipients.has_opted_out(ANN), "a mail scanner has only looked"
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert recipients.has_opted_out(ANN)
    assert client.post("/no-results/made-up/").status_code == 410


def test_a_mail_that_waits_is_dropped_for_who_wants_none_by_now(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    election = closed(ada)
    mailing.mail_result(ada, election)
    queue_mailings()
    recipients.opt_out("eve@example.org")
    assert deliver() == {}


def test_people_change_it_on_their_own_page_and_it_goes_with_them(site, person):
    eve = person("Eve", Role.VOTER, email="eve@example.org")
    browser = sign_in(eve)
    browser.post("/me/mails/", {"wanted": "no"})
    assert recipients.has_opted_out("eve@example.org")
    assert recipients.export_opt_out(eve) == [{"address": "eve@example.org", "wanted": False}]
    assert "Mail me results again" in browser.get("/me/mails/").content.decode()
    browser.post("/me/mails/", {"wanted": "yes"})
    assert not recipients.has_opted_out("eve@example.org")
    recipients.opt_out("eve@example.org")
    recipients.forget_opt_out(eve)
    assert not recipients.has_opted_out("eve@example.org")


def test_whoever_has_no_account_comes_to_the_page_for_everybody(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    closed(ada, results_public=True)
    about = {"election_name": "Board"}
    links = [
        mailing.RESULT.link(Mail("1", "vote_result", to, about, "en", "", "", "", 0, ""))
        for to in (ANN, "eve@example.org")
    ]
    assert links == ["/result/Board/", "/election/Board/results/"]


def few_lots(*names: str) -> str:
    return json.dumps([asdict(ByLot(names, ("Di",), "15/2", "points"))])


@pytest.mark.parametrize(
    ("about", "sentence", "german"),
    [
        ({"ended": "won", "names": "Bo", "more": "0"}, "Bo has won.", "Bo"),
        ({"ended": "elected", "names": "Bo, Cy", "more": "0"}, "Elected: Bo, Cy.", "Bo, Cy"),
        ({"ended": "elected", "names": "Bo, Cy", "more": "3"}, "Elected: Bo, Cy and 3 more.", "3"),
        ({"ended": "tie", "names": "Bo, Cy", "more": "0"}, "It ended in a tie: Bo, Cy.", "Bo, Cy"),
        (
            {"ended": "elected by lot", "names": "Bo", "more": "0", "lots": few_lots("Bo")},
            "Elected by lot: Bo, tied with Di at 7.5 points.",
            "Di",
        ),
        (
            {"ended": "elected partly by lot", "names": "Bo, Cy", "more": "2", "lots": few_lots("Cy")},
            "Elected: Bo, Cy and 2 more; Cy by lot, tied with Di at 7.5 points.",
            "Di",
        ),
        ({"ended": "nobody", "names": "", "more": "0"}, "Nobody was elected.", ""),
        ({"ended": "uncounted", "names": "", "more": "0"}, "There was nothing to count", ""),
    ],
)
def test_what_the_mail_says(about, sentence, german):
    assert sentence in mailing.outcome_sentence(about)
    with override("de"):
        assert german in mailing.outcome_sentence(about)


def test_no_ballot_at_all_is_told_too(site, ada):
    election = closed(ada, ANN, ballots=())
    mailing.mail_result(ada, election)
    deliver()
    assert "There was nothing to count" in sent.outbox[0].body


def test_names_that_could_break_a_mail(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    election = closed(ada, candidates=("50 %(names)s <b> שלום", "Cy"))
    mailing.mail_result(ada, election)
    deliver()
    assert "50 %(names)s <b> שלום" in sent.outbox[0].body
    assert "<b> שלום" not in sent.outbox[0].alternatives[0][0]


# --- the page ---


def test_the_page_says_the_numbers_first_and_sends_once(site, ada, person):
    person("Eve", Role.VOTER, email="eve@example.org")
    closed(ada, ANN)
    browser = sign_in("Ada")
    page = browser.get(HERE).content.decode()
    assert "Mail the result to 2 voters" in page
    assert "Bo has won." in page
    for _ in range(2):
        assert browser.post(HERE).url == HERE
    assert deliver() == {"eve@example.org": 1, ANN: 1}
    assert "The result was mailed to the voters." in browser.get(HERE).content.decode()


def test_it_is_for_those_who_run_it_and_for_a_closed_election(site, ada, person):
    person("Eve", Role.VOTER)
    election = closed(ada)
    assert sign_in("Somebody else").post(HERE).status_code == 403
    with pytest.raises(NotAllowed):
        mailing.mail_result(person("Else"), election)
    draft = drafts.create(ada, "Draft")
    with pytest.raises(WrongState):
        mailing.mail_result(ada, draft)
    assert deliver() == {}


def test_more_than_one_may_have_mailed_today_is_refused_before_anything_is_sent(site, ada, person, settings):
    settings.MAILS_A_DAY = 1
    person("Eve", Role.VOTER, email="eve@example.org")
    closed(ada, ANN)
    browser = sign_in("Ada")
    assert "more than you may have mailed today" in browser.get(HERE).content.decode()
    browser.post(HERE)
    assert (deliver(), events(site)) == ({}, [])


def test_of_several_questions_one_mail_tells_everyone_what_became_of_their_own(site):
    three_questions(secret=True, announces=True, mail_votes=False)
    voting_as(people.find("Ada"), MEETING, {"0": ["1"], "2:0": ["1"], "3:1": ["1"]}, "1")
    closing.close(people.find("Olga"), repository.find(MEETING))
    assert mailing.mailed_outcome(repository.find(MEETING)) is None
    seal_closed()
    assert deliver() == dict.fromkeys(("Ada@example.org", "Bob@example.org", "Cy@example.org", "Dan@example.org"), 1)
    bodies = {message.to[0]: message.body for message in sent.outbox}
    told = "• The chair: Xi has won.\n• The budget: Carried: 1 yes, 0 no, 0 abstentions; 1 needed.\n"
    assert f"1 person voted.\n\n{told}• Speaker: Lou has won.\n\n" in bodies["Ada@example.org"]
    assert f"1 person voted.\n\n{told}\n" in bodies["Cy@example.org"]
    assert {message.subject for message in sent.outbox} == {f"Plenum: The result: {MEETING}"}
