"""What election officers may require of voting, each by one setting: what is on the pages, on the device and sent."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from ballots.rules import NotConfirmed
from elections import repository as elections
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.drafts.cards import SAFEGUARD_CARDS, STRICT
from elections.drafts.forms import SafeguardsField
from elections.rules import CONFIRM, COUNTS, LEAVE, NO_DRAFTS, SAFEGUARDS
from foundation.ranking.candidates import ORDER_COOKIE as ORDER

from .conftest import ranks
from .test_by_link import ANN, come_in, door_of
from .test_pages import CHANGE, PAGE, code_of, fields_of, open_by, receipt_of, text_of, words_of

ALL = tuple(SAFEGUARDS)
CONFIRMED = {"protected": "1"}


@pytest.fixture
def voter(opened, signed_in):
    """Signs Eve in, to vote in an election with these safeguards."""

    def make(*safeguards: str, **settings) -> Client:
        opened("Eve", "Bob", safeguards=safeguards, **settings)
        return signed_in("Eve", Role.VOTER)

    return make


def review(client: Client, at: str = PAGE, **typed: str):
    sent = fields_of(client.get(at), at) | {name.replace("_", "-"): value for name, value in typed.items()}
    return client.post(at, sent, follow=True)


def send(client: Client, page, at: str = PAGE, **more: str):
    return client.post(f"{at}cast/", fields_of(page, f"{at}cast/") | CONFIRMED | more)


def is_signed_out(client: Client) -> bool:
    return client.get(PAGE).status_code == 302 and "/sign-in/" in client.get(PAGE)["Location"]


def rankings() -> list[str]:
    return [ballot.rankings for ballot in repository.every_ballot("Board")]


# --- choosing them ---


def test_one_choice_means_all_and_each_is_explained():
    field = SafeguardsField()
    assert field.clean([STRICT]) == ALL
    assert field.clean([COUNTS, LEAVE]) == (LEAVE, COUNTS), "in the order in which they are stored"
    assert field.clean([]) == ()
    assert field.prepare_value(ALL) == [STRICT, *ALL]
    assert field.prepare_value((LEAVE,)) == (LEAVE,)
    assert set(SAFEGUARD_CARDS) == {STRICT, *ALL}
    assert all(str(card.sentence).endswith(".") for card in SAFEGUARD_CARDS.values())


def test_they_are_chosen_in_the_settings_shown_and_copied(person, signed_in):
    ada = person("Ada")
    drafts.create(ada, "Board")
    client = signed_in("Ada")
    at = "/election/Board/settings/"
    typed = {"electorate": "listed", "method": "schulze", "seats": "1", "unranked": "below", "time_zone": "UTC"}
    typed |= {"results_visible": "closed", "secret_ballot": "on"}
    assert client.post(at, typed | {"safeguards": "sealed"}).status_code == 422
    assert client.post(at, typed | {"safeguards": STRICT}).status_code == 302
    assert elections.find("Board").is_strict
    assert "strict: nothing of a ballot is stored" in text_of(client.get("/election/Board/dashboard/"))
    assert re.search(r'value="strict"[^>]* checked', client.get(at).content.decode())
    client.post(at, typed | {"safeguards": [LEAVE, NO_DRAFTS]})
    assert elections.find("Board").safeguards == (NO_DRAFTS, LEAVE)
    assert not re.search(r'value="strict"[^>]* checked', client.get(at).content.decode())
    assert "stricter rules for voting" in text_of(client.get("/election/Board/history/"))
    assert "nothing of a ballot is stored on the device" in text_of(client.get("/election/Board/dashboard/"))
    assert "strict:" not in text_of(client.get("/election/Board/dashboard/"))
    assert copying.copy(ada, elections.find("Board"), "Council").safeguards == (NO_DRAFTS, LEAVE)


def test_the_guided_setup_offers_them_too(person, signed_in):
    drafts.create(person("Ada"), "Board")
    client = signed_in("Ada")
    who = {"electorate": "everyone", "voters": "", "ballots": "secret", "changes": "final"}
    client.post("/election/Board/steps/who/", who | {"safeguards": [STRICT]})
    assert (elections.find("Board").safeguards, elections.find("Board").changeable) == (ALL, False)


# --- what a voter reads ---

SENTENCES = {
    NO_DRAFTS: "Nothing of your ballot is stored on this device",
    LEAVE: "it disappears from the screen, and you are signed out",
    CONFIRM: "you confirm that you have read how to protect your device",
    COUNTS: "This vote counts. It is the real vote",
}


@pytest.mark.parametrize("safeguards", [(), *((each,) for each in SAFEGUARDS), ALL])
def test_where_people_vote_each_is_explained_in_a_sentence(voter, safeguards):
    eve = voter(*safeguards)
    ballot, checked = text_of(eve.get(PAGE)), text_of(review(eve, rank_0="1"))
    for each, sentence in SENTENCES.items():
        assert (sentence in ballot) == (each in safeguards)
    assert (SENTENCES[COUNTS] in checked) == (COUNTS in safeguards)
    assert ("Protect your device" in checked) == (CONFIRM in safeguards)


def test_a_rehearsal_and_paper_never_say_that_the_vote_counts(opened, person, signed_in):
    opened("Eve", safeguards=ALL, paper_ballots=True)
    organiser = signed_in("the organiser")
    paper = organiser.get("/election/Board/paper/", {"voter": "Eve"})
    checked = organiser.post("/election/Board/paper/", {"voter": "Eve", "rank-0": "1"})
    copying.copy(people.find("the organiser"), elections.find("Board"), "Copy")
    rehearsed = organiser.post("/election/Copy/rehearsal/")
    assert rehearsed.status_code == 200
    for page in (paper, checked, rehearsed):
        assert "This vote counts" not in text_of(page)
        assert "Protect your device" not in text_of(page)
    entered = organiser.post("/election/Board/paper/enter/", fields_of(checked, "/election/Board/paper/enter/"))
    assert "has been entered" in text_of(entered)
    assert organiser.get("/election/Board/paper/").status_code == 200, "still signed in"


# --- nothing stored on the device ---


def stored_by(client: Client) -> set[str]:
    return {name for name, each in client.cookies.items() if each.value} - {"csrftoken", "sessionid", ORDER}


def test_without_drafts_the_browser_stores_nothing_of_a_ballot(voter):
    eve = voter(NO_DRAFTS)
    before = stored_by(eve)
    assert 'data-draft=""' in eve.get(PAGE).content.decode()
    page = review(eve, rank_1="1", rank_0="2")
    assert "ballot_secret" not in page.content.decode(), "no script that would store a half of the secret"
    back = eve.post(PAGE, fields_of(page, f"{PAGE}cast/") | {"back": "1"})
    assert [fields_of(back, PAGE)[f"rank-{number}"] for number in (0, 1)] == ["2", "1"]
    thanks = send(eve, page)
    for shown in (thanks, receipt_of(thanks, eve)):
        assert "data-secret" not in shown.content.decode()
        assert "data-kept" not in shown.content.decode()
    assert len(words_of(thanks)) == 12
    assert words_of(send(eve, page)) == words_of(thanks), "the same form again, if its answer got lost"
    assert stored_by(eve) == before
    assert rankings() == ["1>0"]


def test_a_session_lost_on_the_way_takes_the_ranking_with_it(voter):
    eve = voter(NO_DRAFTS)
    fields = fields_of(eve.get(PAGE), PAGE) | {"rank-1": "1"}
    lost = Client()
    assert "/sign-in/" in lost.post(PAGE, fields)["Location"]
    assert "ranking" not in lost.cookies


def test_without_drafts_words_change_and_withdraw_without_being_stored(voter):
    words = " ".join(words_of(send(eve := voter(NO_DRAFTS), review(eve, rank_1="1"))))
    browser, ballot = open_by(words)
    assert "ranking" not in browser.cookies
    at = f"{CHANGE}ballot/"
    page = browser.post(at, fields_of(ballot, at) | {"rank-1": "", "rank-2": "1"})
    again = fields_of(page, f"{CHANGE}cast/") | {"back": "1"}
    assert fields_of(browser.post(at, again), at)["rank-2"] == "1"
    send(browser, page, CHANGE)
    assert rankings() == ["2"]
    _browser, ballot = open_by(words, browser)
    question = browser.post(f"{CHANGE}withdraw/", fields_of(ballot, f"{CHANGE}withdraw/") | {"ask": "1"})
    assert "its code will no longer be valid" in text_of(question)
    assert rankings() == ["2"], "asked first"
    secret = re.search(r'name="secret" value="(\w{32})"', question.content.decode())[1]
    answer = browser.post(f"{CHANGE}withdraw/", {"secret": secret, "token": "t"}, follow=True)
    assert "Your ballot has been withdrawn." in text_of(answer)
    assert rankings() == []
    assert stored_by(browser) == set()


# --- gone from the screen, and signed out ---


def test_after_casting_the_ballot_is_gone_and_the_session_has_ended(voter):
    eve = voter(LEAVE, changeable=False)
    page = review(eve, rank_1="1")
    answer = send(eve, page)
    text = text_of(answer)
    assert "Your vote counts." in text
    assert "you are signed out" in text
    assert "Sign in" in text, "as any page for nobody"
    assert not any(name in text for name in ("Ada", "Bo ", "Cy "))
    assert "no-store" in answer["Cache-Control"]
    assert answer["Clear-Site-Data"] == '"cache"'
    assert is_signed_out(eve)
    assert "/sign-in/" in send(eve, page)["Location"], "going back and sending it again shows nothing"
    assert rankings() == ["1"]


def test_where_ballots_can_be_changed_the_answer_has_the_words_and_the_code_but_not_the_ballot(voter):
    eve = voter(LEAVE)
    page = review(eve, rank_1="1")
    answer = send(eve, page)
    (ballot,) = repository.every_ballot("Board")
    assert code_of(answer) == ballot.confirmation
    assert "Bo" not in text_of(answer).split("Your vote counts.")[1].split()
    assert "data-secret" not in answer.content.decode()
    assert 'class="words"' not in answer.content.decode()
    assert is_signed_out(eve)
    receipt = receipt_of(answer, eve)
    assert code_of(receipt) == ballot.confirmation
    assert "The ballot" not in text_of(receipt)
    assert "Bo" not in text_of(receipt).split()
    again = send(eve, page)
    assert words_of(again) == words_of(answer), "who lost the answer sends the form again"
    _browser, opened = open_by(" ".join(words_of(answer)))
    assert fields_of(opened, f"{CHANGE}ballot/")["rank-1"] == "1"


def test_a_public_ballot_leaves_the_screen_too(voter):
    answer = send(eve := voter(LEAVE, secret_ballot=False), review(eve, rank_1="1"))
    assert "sign in again" in text_of(answer)
    assert "Bo" not in text_of(answer).split("Your vote counts.")[1].split()
    assert is_signed_out(eve)


def test_a_link_is_forgotten_with_the_ballot(opened):
    opened(ANN, vote_by_link=True, safeguards=ALL)
    door = door_of()
    browser = come_in(door)
    answer = send(browser, review(browser, rank_1="1"))
    assert "this browser has forgotten your link" in text_of(answer)
    assert "Voting by link as" not in text_of(answer)
    assert code_of(answer)
    assert "/sign-in/" in browser.get(PAGE)["Location"]
    assert come_in(door, browser).get(PAGE).status_code == 200, "from the mail, it opens the ballot again"


# --- confirmed ---


@pytest.mark.parametrize("changeable", [True, False])
def test_without_the_confirmation_nothing_is_cast_and_nothing_lost(voter, changeable):
    eve = voter(CONFIRM, changeable=changeable)
    page = review(eve, rank_1="1", rank_2="2")
    fields = fields_of(page, f"{PAGE}cast/")
    del fields["protected"]  # a box that is not ticked
    refused = eve.post(f"{PAGE}cast/", fields)
    assert refused.status_code == 422
    assert "Please confirm first" in text_of(refused)
    assert rankings() == []
    assert send(eve, refused).status_code == 200
    assert rankings() == ["1>2"]


def test_the_service_asks_for_it_and_only_where_the_election_does(opened):
    opened("Eve", safeguards=(CONFIRM,))
    opened("Eve", name="Other")
    with pytest.raises(NotConfirmed):
        services.cast(people.find("Eve"), "Board", ranks(Bo=1), "form", confirmed=False)
    services.cast(people.find("Eve"), "Other", ranks(Bo=1), "form", confirmed=False)
