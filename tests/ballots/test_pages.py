"""Pages of voters: what they show, what they refuse, and that nothing typed is lost."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from foundation.pages.qr import qr_svg
from foundation.ranking.candidates import Candidate
from tests.store.test_queue import commits

from .conftest import ranks

PAGE = "/election/Board/ballot/"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


def fields_of(answer, action: str) -> dict[str, str]:
    """What the form with this action would send as it stands."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', answer.content.decode(), re.S)
    assert form, f"no form for {action}"
    inputs = re.findall(r"<input[^>]* name=[^>]*>", form[1])
    named = {re.search(r'name="([^"]*)"', each)[1]: re.search(r'value="([^"]*)"', each) for each in inputs}
    return {name: unescape(value[1]) if value else "" for name, value in named.items()}


def vote(client: Client, **typed: str) -> Any:
    """From the ballot through the review to the thanks, as a browser without scripts does it."""
    ballot = fields_of(client.get(PAGE), PAGE)
    review = client.post(PAGE, ballot | {name.replace("_", "-"): value for name, value in typed.items()}, follow=True)
    assert review.status_code == 200, text_of(review)
    return client.post(f"{PAGE}cast/", fields_of(review, f"{PAGE}cast/"), follow=True)


@pytest.fixture
def eve(opened, signed_in) -> Client:
    opened("Eve", "Bob")
    return signed_in("Eve", Role.VOTER)


@pytest.fixture
def public_eve(opened, signed_in) -> Client:
    opened("Eve", "Bob", secret_ballot=False)
    return signed_in("Eve", Role.VOTER)


def receipt_of(thanks, browser: Client | None = None) -> Any:
    """What the button for the receipt leads to: in any browser, as the form brings all that is needed."""
    form = re.search(r'<form(?:(?!</form>).)*name="secret" value="(\w{32})".*?</form>', thanks.content.decode(), re.S)
    action = re.search(r'formaction="([^"]+)"', form[0]) or re.search(r' action="([^"]+)"', form[0])
    return (browser or Client()).post(action[1], {"secret": form[1], "key": "1"})


def words_of(thanks) -> list[str]:
    """The words of the ballot that was cast, for who asks for them."""
    shown = receipt_of(thanks).content.decode()
    return re.findall(r"<li>(\w+)</li>", re.search(r'<ol class="words".*?</ol>', shown, re.S)[0])


def code_of(answer) -> str:
    return re.search(r"\b[0-9A-HJ-NP-TV-Z]{4}(?:-[0-9A-HJ-NP-TV-Z]{4}){3}\b", text_of(answer))[0]


def test_from_the_ballot_to_the_thanks_and_on_to_the_receipt(eve):
    thanks = vote(eve, rank_1="1", rank_0="2")
    (ballot,) = repository.every_ballot("Board")
    assert ballot.rankings == "1>0"
    assert (thanks.status_code, thanks.redirect_chain) == (200, []), "no other page could have the secret"
    assert "<h1>Thank you. Your vote is cast.</h1>" in thanks.content.decode()
    assert code_of(thanks) == ballot.confirmation
    assert thanks["Cache-Control"] == "private, no-store"
    receipt = receipt_of(thanks, eve)
    assert (receipt.status_code, code_of(receipt)) == (200, ballot.confirmation)
    assert receipt["Cache-Control"] == "private, no-store"
    assert len(words_of(thanks)) == 12
    assert "receipt-picture" in receipt.content.decode()
    assert text_of(receipt).count("No email is sent when a secret ballot is changed") == 1
    assert "Bo" in text_of(receipt)


def drawn_in(answer) -> list[str]:
    """What takes time to draw or to read."""
    main = re.search(r"<main.*</main>", answer.content.decode(), re.S)[0]
    return [each for each in ("words-slip", "receipt-picture", "ballot-ranks", "<ol", "<img") if each in main]


@pytest.mark.parametrize("is_secret", [True, False])
def test_thanks_have_neither_words_nor_pictures(opened, signed_in, is_secret):
    opened("Eve", secret_ballot=is_secret)
    thanks = vote(signed_in("Eve", Role.VOTER), rank_1="1")
    assert drawn_in(thanks) == []
    assert "Show my receipt" in text_of(thanks)
    assert len(thanks.content) < 9_000


def test_the_receipt_is_shown_as_often_as_it_is_asked_for_and_only_with_the_secret(eve):
    thanks = vote(eve, rank_1="1")
    assert words_of(thanks) == words_of(thanks)
    at = f"{CHANGE}receipt/"
    for form, status in (({}, 200), ({"secret": ""}, 200), ({"secret": "5" * 32}, 422), ({"secret": "x"}, 422)):
        answer = Client().post(at, form)
        assert (answer.status_code, drawn_in(answer)) == (status, [])
        assert "Your twelve words" in text_of(answer)
    assert "Your twelve words" in text_of(Client().get(at))
    by_words = Client().post(at, {"words": " ".join(words_of(thanks))})
    assert code_of(by_words) == code_of(thanks)


def test_a_browser_that_remembers_both_halves_opens_the_ballot_too(eve):
    fields = review_of(eve, rank_1="1") | {"half": "7" * 32}
    thanks = eve.post(f"{PAGE}cast/", fields)
    halves = {"secret": fields["secret"] + fields["half"]}
    assert code_of(Client().post(f"{CHANGE}receipt/", halves)) == code_of(thanks)
    opened = Client().post(CHANGE, halves, follow=True)
    assert fields_of(opened, f"{CHANGE}ballot/")["rank-1"] == "1"
    swapped = {"secret": fields["half"] + fields["secret"]}
    assert Client().post(CHANGE, swapped).status_code == 422


def test_after_a_withdrawal_and_after_the_close_there_is_no_receipt(eve):
    thanks = vote(eve, rank_1="1")
    browser, _ballot = open_by(" ".join(words_of(thanks)))
    browser.post(f"{CHANGE}withdraw/", {"token": "t"})
    assert receipt_of(thanks, eve).url == f"{CHANGE}ballot/"
    review = browser.post(f"{CHANGE}ballot/", {"rank-2": "1"}, follow=True)
    again = browser.post(f"{CHANGE}cast/", fields_of(review, f"{CHANGE}cast/"))
    closing.close(people.find("the organiser"), elections.find("Board"))
    late = receipt_of(again, browser)
    assert code_of(again) not in late.content.decode()
    assert not late.content or late.status_code >= 400


def test_from_a_public_ballot_to_the_thanks_and_on_to_the_receipt(public_eve):
    thanks = vote(public_eve, rank_1="1", rank_0="2")
    (ballot,) = repository.every_ballot("Board")
    assert (thanks.status_code, thanks.redirect_chain) == (200, [])
    assert "<h1>Thank you. Your vote is cast.</h1>" in thanks.content.decode()
    receipt = public_eve.get(f"{PAGE}receipt/")
    assert code_of(thanks) == code_of(receipt) == ballot.confirmation
    assert 'class="words"' not in receipt.content.decode()
    assert "No email is sent" not in text_of(receipt)


def qr_address(voter: Client) -> str:
    receipt = voter.get(f"{PAGE}receipt/").content.decode()
    picture = re.search(
        r'<details(?: [^>]*)?>(?:(?!</details>).)*<img src="([^"]+)"[^>]* loading="lazy">', receipt, re.S
    )
    return unescape(picture[1])


def test_the_receipt_has_its_code_as_an_image_whose_address_does_not_tell_it(public_eve):
    code, address = code_of(vote(public_eve, rank_1="1")), qr_address(public_eve)
    assert address == f"{PAGE}receipt/qr.svg?acts=1"
    image = public_eve.get(address)
    assert image["Content-Type"] == "image/svg+xml"
    assert image["Cache-Control"] == "private, no-store"
    assert image.text == qr_svg(f"{settings.SITE_URL}/election/Board/results/follow/#{code}")


def test_the_image_of_an_earlier_ballot_is_gone_and_the_new_receipt_has_its_own(public_eve):
    vote(public_eve, rank_1="1")
    earlier = qr_address(public_eve)
    vote(public_eve, rank_0="1")
    now = qr_address(public_eve)
    assert [public_eve.get(address).status_code for address in (earlier, now)] == [404, 200]


def test_nobody_else_gets_the_image_of_a_receipt(public_eve, signed_in):
    vote(public_eve, rank_1="1")
    address = qr_address(public_eve)
    assert signed_in("Bob", Role.VOTER).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    public_eve.post(f"{PAGE}withdraw/", {"token": "x"})
    assert public_eve.get(address).status_code == 404
    assert public_eve.get(f"{PAGE}receipt/qr.svg?acts=2").status_code == 404


def test_the_ballot_starts_empty_and_shows_later_what_was_cast(public_eve):
    assert not any(value for name, value in fields_of(public_eve.get(PAGE), PAGE).items() if name.startswith("rank-"))
    vote(public_eve, rank_1="1", rank_0="1")
    again = fields_of(public_eve.get(PAGE), PAGE)
    assert (again["rank-0"], again["rank-1"], again["rank-2"]) == ("1", "1", "")


def test_the_order_of_the_candidates_is_steady_for_one_voter_and_not_the_same_for_all(opened, signed_in):
    names = [f"voter {number}" for number in range(12)]
    opened(*names)

    def order(client: Client) -> str:
        return " ".join(re.findall(r'name="rank-(\d+)"', client.get(PAGE).content.decode()))

    clients = [signed_in(name, Role.VOTER) for name in names]
    assert order(clients[0]) == order(clients[0])
    assert len({order(client) for client in clients}) > 2


def test_the_review_shows_the_ranking_and_goes_back_without_loss(eve):
    ballot = fields_of(eve.get(PAGE), PAGE)
    review = eve.post(PAGE, ballot | {"rank-2": "1", "rank-0": "3"})
    assert review.status_code == 200, "the review is the answer"
    words = text_of(review)
    words = words[words.index("Is this your ballot?") :]
    assert words.index(" Cy ") < words.index(" Ada ") < words.index(" Bo ")
    assert fields_of(eve.get(PAGE), PAGE)["rank-0"] == "3", "back in the browser"
    form = fields_of(review, f"{PAGE}cast/")
    assert fields_of(eve.post(PAGE, form | {"back": "1"}), PAGE)["rank-0"] == "3", "back by the button"
    assert list(repository.every_ballot("Board")) == []


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [({"rank-0": "first"}, "The rank of Ada must be a whole number"), ({"rank-77": "1"}, "not a candidate")],
)
def test_bad_input_is_refused_in_a_sentence_and_stays_on_the_page(eve, typed, sentence):
    for address in (PAGE, f"{PAGE}cast/"):
        answer = eve.post(address, {"rank-1": "2"} | typed)
        assert answer.status_code == 422
        assert sentence in text_of(answer)
        assert fields_of(answer, PAGE)["rank-1"] == "2"
    assert list(repository.every_ballot("Board")) == []


def test_a_candidate_twice_is_refused(eve):
    answer = eve.post(f"{PAGE}cast/", {"rank-0": ["1", "2"]})
    assert answer.status_code == 422
    assert "Ada is ranked twice" in text_of(answer)


def test_closed_meanwhile_the_ranking_is_still_there(eve):
    ballot = fields_of(eve.get(PAGE), PAGE)
    review = eve.post(PAGE, ballot | {"rank-2": "1"}, follow=True)
    closing.close(people.find("the organiser"), elections.find("Board"))
    answer = eve.post(f"{PAGE}cast/", fields_of(review, f"{PAGE}cast/"))
    assert answer.status_code == 422
    assert "This election is closed" in text_of(answer)
    assert fields_of(answer, PAGE)["rank-2"] == "1"
    assert list(repository.every_ballot("Board")) == []


# --- on the way ---


def test_the_ballot_is_cast_from_its_own_page_with_scripts(eve):
    """Its dialog adds a half to the secret, and sends it again if the answer got lost."""
    page = eve.get(PAGE)
    assert "Is this your ballot?" in text_of(page)
    fields = fields_of(page, PAGE) | {"rank-1": "1", "half": "7" * 32}
    assert fields["token"]
    assert fields["secret"] != fields_of(eve.get(PAGE), PAGE)["secret"], "drawn for one page, and stored nowhere"
    assert [eve.post(f"{PAGE}cast/", fields).status_code for _ in range(2)] == [200, 200]
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["1"]


def test_the_addresses_of_the_review_lead_to_the_ballot(eve):
    """Earlier versions had a page there."""
    assert eve.get(f"{PAGE}review/").url == PAGE
    assert eve.get(f"{CHANGE}review/").url == f"{CHANGE}ballot/"


def test_a_ranking_in_progress_lasts_until_its_voter_has_voted_elsewhere(eve, signed_in):
    eve.post(PAGE, {"rank-2": "1"})
    vote(signed_in("Eve", Role.VOTER), rank_1="1")
    assert "You have voted" in text_of(eve.get(PAGE))


@pytest.mark.parametrize("step", ["", "cast/"])
def test_a_ranking_sent_after_the_session_has_ended_is_there_after_signing_in(eve, signed_in, step):
    typed = fields_of(eve.get(PAGE), PAGE) | {"rank-2": "1", "rank-0": "2", "token": "t"}
    kept = Client()  # the same browser, later
    answer = kept.post(f"{PAGE}{step}", typed)
    assert answer.url == f"/sign-in/?next={PAGE}"
    assert (kept.cookies["ranking"]["path"], kept.cookies["ranking"]["httponly"]) == (PAGE, True)
    page = as_eve(kept, eve).get(PAGE)
    assert (fields_of(page, PAGE)["rank-2"], fields_of(page, PAGE)["rank-0"]) == ("1", "2")
    assert "Your ranking is still here" in text_of(page)
    assert list(repository.every_ballot("Board")) == []


def as_eve(browser: Client, eve: Client) -> Client:
    """Eve signs in anew in this browser."""
    name = settings.SESSION_COOKIE_NAME
    browser.cookies[name] = eve.cookies[name].value
    return browser


def test_a_ranking_sent_without_cookies_is_kept(eve):
    typed = fields_of(eve.get(PAGE), PAGE) | {"rank-2": "1"}
    strict = as_eve(Client(enforce_csrf_checks=True), eve)
    assert strict.post(PAGE, typed).url == PAGE
    assert fields_of(strict.get(PAGE), PAGE)["rank-2"] == "1"


def test_nobody_finds_what_another_has_ranked_or_another_site_has_sent(eve, signed_in):
    typed = fields_of(eve.get(PAGE), PAGE) | {"rank-2": "1"}
    bob = signed_in("Bob", Role.VOTER)
    for whose in (typed["whose"], "", fields_of(bob.get(PAGE), PAGE)["whose"][::-1]):
        shared = Client(enforce_csrf_checks=True)
        shared.post(PAGE, typed | {"whose": whose})
        assert fields_of(as_eve(shared, bob).get(PAGE), PAGE)["rank-2"] == ""


def test_a_form_sent_twice_is_one_ballot_and_says_so(public_eve):
    ballot = fields_of(public_eve.get(PAGE), PAGE)
    fields = fields_of(public_eve.post(PAGE, ballot | {"rank-2": "1"}, follow=True), f"{PAGE}cast/")
    first = public_eve.post(f"{PAGE}cast/", fields, follow=True)
    second = public_eve.post(f"{PAGE}cast/", fields, follow=True)
    assert code_of(first) == code_of(second)
    assert "was already submitted" in text_of(second)


def test_two_tabs_the_later_one_wins_and_both_are_told(public_eve):
    """Tab A opens the ballot, tab B votes, tab A votes."""
    early = fields_of(public_eve.get(PAGE), PAGE)
    receipt = vote(public_eve, rank_1="1")
    acts = re.search(r'data-acts="(\d+)"', receipt.content.decode())[1]
    assert public_eve.get(f"{PAGE}state/").json() == {"acts": int(acts)}
    review = public_eve.post(PAGE, early | {"rank-2": "1"}, follow=True)
    late = public_eve.post(f"{PAGE}cast/", fields_of(review, f"{PAGE}cast/"), follow=True)
    assert "It replaced a ballot you had cast in another window in the meantime" in text_of(late)
    assert public_eve.get(f"{PAGE}state/").json() != {"acts": int(acts)}
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["2"]


def test_a_change_in_one_tab_says_that_the_earlier_code_no_longer_counts(public_eve):
    first = code_of(vote(public_eve, rank_1="1"))
    changed = vote(public_eve, rank_2="1")
    assert code_of(changed) != first
    assert "<h1>Thank you. Your vote is changed.</h1>" in changed.content.decode()
    assert "The earlier code is no longer valid" in text_of(changed)
    assert "It replaced a ballot" not in text_of(changed)


def test_a_ballot_is_withdrawn_after_a_question(public_eve):
    vote(public_eve, rank_1="1")
    question = public_eve.get(f"{PAGE}withdraw/")
    assert "its code will no longer be valid" in text_of(question)
    token = re.search(r'name="token" value="([^"]+)"', question.content.decode())[1]
    answer = public_eve.post(f"{PAGE}withdraw/", {"token": token}, follow=True)
    assert "withdrawn" in text_of(answer)
    assert list(repository.every_ballot("Board")) == []
    assert public_eve.post(f"{PAGE}withdraw/", {"token": token}).status_code == 302, "the same form again"
    assert public_eve.post(f"{PAGE}withdraw/").status_code == 403


def test_who_is_not_on_the_roll_reads_a_sentence(eve, signed_in):
    answer = signed_in("Mallory", Role.VOTER).get(PAGE)
    assert answer.status_code == 403
    assert "You are not on the electoral roll" in text_of(answer)
    assert signed_in("Trudy", Role.VOTER).post(f"{PAGE}cast/", {"rank-0": "1"}).status_code == 422


def test_after_the_close_nobody_can_tell_whose_ballot_is_whose(eve):
    code = code_of(vote(eve, rank_1="1"))
    closing.close(people.find("the organiser"), elections.find("Board"))
    answer = eve.get(f"{PAGE}receipt/")
    assert answer.status_code == 200
    assert code not in text_of(answer)
    assert "nobody can tell which ballot is whose" in text_of(answer)


def test_nobody_sees_anothers_receipt(eve, signed_in):
    code = code_of(vote(eve, rank_1="1"))
    for name, role in (("the organiser", None), ("Bob", Role.VOTER), ("Root", Role.OWNER)):
        client = signed_in(people.find(name) or name, role) if role else signed_in(people.find(name))
        for address in ("receipt/", "state/", ""):
            assert code not in client.get(f"{PAGE}{address}", follow=True).content.decode()


def test_the_code_is_in_no_log_and_no_message(eve, caplog):
    with caplog.at_level("DEBUG"):
        code = code_of(vote(eve, rank_1="1"))
    assert code not in caplog.text
    assert code not in str(eve.cookies)


def test_the_election_page_leads_to_the_ballot_and_then_to_the_receipt(eve, signed_in):
    assert f'href="{PAGE}"' in eve.get("/election/Board/").content.decode()
    vote(eve, rank_1="1")
    assert f'href="{PAGE}receipt/"' in eve.get("/election/Board/").content.decode()
    assert PAGE not in signed_in("Mallory", Role.VOTER).get("/election/Board/").content.decode()


# --- what it costs ---


def trips_of(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


def test_a_cast_is_one_commit(eve, site):
    fields = fields_of(eve.post(PAGE, {"rank-1": "1"}, follow=True), f"{PAGE}cast/")
    heard = commits(site)
    eve.post(f"{PAGE}cast/", fields)
    assert heard == ["COMMIT"]


# --- the secret of a ballot ---

CHANGE = "/election/Board/change/"


def review_of(client: Client, **typed: str) -> dict[str, str]:
    ballot = fields_of(client.get(PAGE), PAGE)
    review = client.post(PAGE, ballot | {name.replace("_", "-"): value for name, value in typed.items()}, follow=True)
    return fields_of(review, f"{PAGE}cast/")


def open_by(words: str, browser: Client | None = None) -> tuple[Client, Any]:
    """In another browser, in which nobody is signed in."""
    browser = browser or Client()
    return browser, browser.post(CHANGE, {"words": words}, follow=True)


def test_the_same_form_again_gets_the_same_receipt(eve):
    fields = review_of(eve, rank_2="1") | {"half": "7" * 32}
    first, second = (eve.post(f"{PAGE}cast/", fields) for _ in range(2))
    assert words_of(first) == words_of(second)
    assert code_of(first) == code_of(second)
    other = eve.post(f"{PAGE}cast/", fields | {"half": "8" * 32, "token": "another"})
    assert "You have voted" in text_of(other)
    assert len(list(repository.every_ballot("Board"))) == 1


def test_a_secret_that_another_voter_has_cast_with_casts_nothing_and_the_next_form_has_a_new_one(eve, signed_in):
    """Two browsers that were tampered with choose the same one."""
    chosen = {"secret": "5" * 32, "half": "7" * 32}
    receipt = eve.post(f"{PAGE}cast/", review_of(eve, rank_2="1") | chosen)
    bob = signed_in("Bob", Role.VOTER)
    refused = bob.post(f"{PAGE}cast/", review_of(bob, rank_1="1") | chosen)
    assert refused.status_code == 422
    assert "your vote was not cast" in text_of(refused)
    assert code_of(receipt) not in text_of(refused)
    assert services.voter_context(people.find("Bob"), "Board").voted is False
    again = bob.post(PAGE, fields_of(refused, PAGE) | {"rank-1": "1"}, follow=True)
    theirs = bob.post(f"{PAGE}cast/", fields_of(again, f"{PAGE}cast/"))
    assert code_of(theirs) != code_of(receipt)
    assert len(list(repository.every_ballot("Board"))) == 2


def test_a_form_that_was_not_sent_before_changes_nothing_once_its_session_has_ended(eve):
    """Only the very form that cast the ballot is answered again; any other leads to the sign-in, with its ranking."""
    fields = review_of(eve, rank_2="1") | {"half": "7" * 32}
    receipt, stranger = eve.post(f"{PAGE}cast/", fields), Client()
    (ballot,) = repository.every_ballot("Board")
    other = stranger.post(f"{PAGE}cast/", fields | {"rank-2": "", "rank-1": "1", "token": "another"})
    assert other["Location"].startswith("/sign-in/")
    assert list(repository.every_ballot("Board")) == [ballot]
    assert words_of(stranger.post(f"{PAGE}cast/", fields)) == words_of(receipt)


def test_who_lost_the_response_gets_the_receipt_on_any_page_of_the_ballot(eve):
    """Without scripts."""
    fields = review_of(eve, rank_2="1")
    carried = eve.cookies["ranking"].value
    sent = words_of(eve.post(f"{PAGE}cast/", fields))
    for page in ("", "receipt/"):
        lost = as_eve(Client(), eve)
        lost.cookies["ranking"] = carried
        assert words_of(lost.get(f"{PAGE}{page}")) == sent
    assert "Thank you" not in text_of(eve.get(PAGE))


def test_without_the_secret_the_page_says_that_the_vote_counts_and_asks_for_the_words(eve):
    vote(eve, rank_1="1")
    for page in ("", "receipt/"):
        answer = eve.get(f"{PAGE}{page}")
        assert "Your ballot counts as you left it." in text_of(answer)
        assert "not even this site" in text_of(answer)
        assert fields_of(answer, CHANGE)["secret"] == ""
        assert "Your twelve words" in text_of(eve.post(CHANGE, fields_of(answer, CHANGE)))
    assert eve.get(f"{PAGE}withdraw/").status_code == 403


def test_the_words_change_the_ballot_in_another_browser(eve):
    thanks = vote(eve, rank_1="1")
    typed = " ".join(f"{number}. {word.upper()[:4]}" for number, word in enumerate(words_of(thanks), 1))
    browser, ballot = open_by(typed)
    assert fields_of(ballot, f"{CHANGE}ballot/")["rank-1"] == "1"
    fields = fields_of(ballot, f"{CHANGE}ballot/") | {"rank-1": "", "rank-0": "1"}
    review = browser.post(f"{CHANGE}ballot/", fields, follow=True)
    again = browser.post(f"{CHANGE}cast/", fields_of(review, f"{CHANGE}cast/"))
    assert "<h1>Thank you. Your vote is changed.</h1>" in again.content.decode()
    assert words_of(again) == words_of(thanks)
    assert code_of(again) == code_of(thanks)
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["0"]
    assert browser.get(f"{CHANGE}ballot/").url == CHANGE, "the browser has forgotten them"


def test_the_words_withdraw_the_ballot_and_vote_again(eve):
    fields = review_of(eve, rank_1="1")
    browser, _ballot = open_by(" ".join(words_of(eve.post(f"{PAGE}cast/", fields))))
    assert "its code will no longer be valid" in text_of(browser.get(f"{CHANGE}withdraw/"))
    answer = browser.post(f"{CHANGE}withdraw/", {"token": "t"}, follow=True)
    assert "You have withdrawn your ballot" in text_of(answer)
    assert list(repository.every_ballot("Board")) == []
    assert browser.post(f"{CHANGE}withdraw/", {"token": "u"}).status_code == 403
    assert eve.post(f"{PAGE}cast/", fields).url == f"{CHANGE}ballot/", "the first form again casts nothing"
    review = browser.post(f"{CHANGE}ballot/", {"rank-2": "1"}, follow=True)
    browser.post(f"{CHANGE}cast/", fields_of(review, f"{CHANGE}cast/"))
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["2"]


WRONG = [
    ("legal winner thank year wave sausage worth useful legal winner thank", "you entered 11"),
    ("legal winner thank year wave sausage worth useful legal winner thank sausage", "not together"),
    ("legal winner thank year wave sausages worth useful legal winner thank yelow", "Did you mean “sausage”?"),
    ("legal winner thank year wave sausage worth useful legal winner thank xqzj", "“xqzj” is not one of the words"),
    ("legal winner thank year wave sausage worth useful legal winner thank yellow", "do not open a ballot here"),
    ("", "you entered 0"),
    ("عبد الله", "you entered 0"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_wrong_words_are_refused_with_what_is_wrong_about_them(eve, words, sentence):
    vote(eve, rank_1="1")
    _browser, answer = open_by(words)
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert unescape(answer.content.decode()).count(words) >= 1


def test_nobody_learns_from_the_page_whether_there_is_such_an_election(eve):
    vote(eve, rank_1="1")

    def seen(name: str, page: str, **form: str) -> tuple[int, str]:
        at = f"/election/{name}/change/{page}"
        answer = Client().post(at, form) if form else Client().get(at)
        return answer.status_code, re.sub(r'(csrf\w*|nonce)[^>]*"[^"]+"|election/\w+', "", answer.content.decode())

    for form in ({}, {"words": WRONG[4][0]}, {"secret": "5" * 32}):
        for page in ("", "receipt/"):
            assert seen("Board", page, **form) == seen("Nothing", page, **form)


def test_the_secret_is_in_no_log_cookie_address_or_session(eve, site, caplog):
    with caplog.at_level("DEBUG"):
        fields = review_of(eve, rank_1="1")
        thanks = eve.post(f"{PAGE}cast/", fields)
        receipt = receipt_of(thanks, eve)
        browser, _ballot = open_by(" ".join(words_of(thanks)))
    secret = re.search(r'data-secret="(\w{32})"', thanks.content.decode())[1]
    for where in (caplog.text, str(eve.cookies), str(browser.cookies), str(list(site.everything()))):
        assert secret not in where
        assert fields["secret"] not in where
    assert not re.search(rf'(?:href|action|src|data-address)="[^"]*{secret}', thanks.content.decode())
    links = re.findall(rf'(?:href|action|src)="([^"]*{secret})', receipt.content.decode())
    assert set(links) == {f"{settings.SITE_URL}{CHANGE}#{secret}"}, "behind the # only, which no browser sends"


def test_where_votes_are_final_nothing_is_shown_that_could_be_lost_or_prove_anything(opened, signed_in):
    opened("Eve", changeable=False)
    eve = signed_in("Eve", Role.VOTER)
    review = eve.post(PAGE, {"rank-1": "1"})
    assert "votes are final" in text_of(review)
    fields = fields_of(review, f"{PAGE}cast/")
    (receipt, again) = (eve.post(f"{PAGE}cast/", fields) for _ in range(2))
    (ballot,) = repository.every_ballot("Board")
    for answer in (receipt, again, eve.get(PAGE), eve.get(f"{PAGE}receipt/")):
        assert "votes are final" in text_of(answer)
        assert ballot.confirmation not in text_of(answer)
        assert 'class="words"' not in answer.content.decode()


# --- paper ---


@pytest.fixture
def organiser(opened, signed_in) -> Client:
    opened("Eve", "mail@example.org", paper_ballots=True)
    return signed_in(people.find("the organiser"))


PAPER = "/election/Board/paper/"


def test_an_organiser_enters_a_paper_ballot(organiser):
    assert "Whose ballot is it" in text_of(organiser.get(PAPER))
    ballot = organiser.get(PAPER, {"voter": "mail@example.org"})
    assert "paper ballot of mail@example.org" in text_of(ballot)
    review = organiser.post(PAPER, fields_of(ballot, PAPER) | {"rank-1": "1"})
    fields = fields_of(review, f"{PAPER}enter/")
    receipt = organiser.post(f"{PAPER}enter/", fields)
    (cast,) = repository.every_ballot("Board")
    assert code_of(receipt) == cast.confirmation
    assert "entered then" in text_of(organiser.post(f"{PAPER}enter/", fields, follow=True))
    assert "1 on paper" in text_of(organiser.get("/election/Board/dashboard/"))


@pytest.mark.parametrize("is_secret", [True, False])
def test_the_paper_page_says_whether_the_voter_can_still_change_the_ballot(opened, person, signed_in, is_secret):
    opened("Eve", paper_ballots=True, secret_ballot=is_secret)
    shown = text_of(signed_in(people.find("the organiser")).get(PAPER))
    assert ("It is final" in shown, "can still change it online" in shown) == (is_secret, not is_secret)


def test_a_voter_whose_ballot_was_entered_from_paper_is_not_sent_looking_for_words(organiser, signed_in):
    organiser.post(f"{PAPER}enter/", {"voter": "Eve", "rank-1": "1"})
    assert "or if your ballot was entered from paper, it stays" in text_of(signed_in("Eve").get(PAGE))


def test_a_paper_ballot_of_a_stranger_is_refused_in_a_sentence(organiser):
    answer = organiser.get(PAPER, {"voter": "Mallory"})
    assert answer.status_code == 422
    assert "Nobody with that name is on the roll" in text_of(answer)
    refused = organiser.post(f"{PAPER}enter/", {"voter": "Mallory", "rank-1": "1"})
    assert refused.status_code == 422


def listed(answer) -> list[str]:
    return re.findall(r'name="rank-(\d+)"', answer.content.decode())


def test_the_paper_page_lists_candidates_by_name_whosever_ballot_it_is(opened, person, signed_in):
    voters = [f"voter {number}" for number in range(6)]
    opened(*voters, paper_ballots=True)
    client = signed_in(people.find("the organiser"))
    for voter in voters:
        assert listed(client.get(PAPER, {"voter": voter})) == ["0", "1", "2"]
    own = {tuple(listed(signed_in(voter).get(PAGE))) for voter in voters}
    assert len(own) > 1, "each voter's own page has an order of its own"


def test_who_has_voted_is_told_when_the_form_is_sent_and_nothing_is_lost(organiser, person):
    services.cast(person("Eve"), "Board", ranks(Ada=1), "1")
    question = organiser.get(PAPER, {"voter": "Eve"})
    assert (question.status_code, fields_of(question, PAPER)["acts"]) == (200, "0")
    review = organiser.post(PAPER, fields_of(question, PAPER) | {"rank-1": "1"})
    assert "has not been cast yet" in text_of(review)
    answer = organiser.post(f"{PAPER}enter/", fields_of(review, f"{PAPER}enter/"))
    assert answer.status_code == 422
    assert "Eve has already voted." in text_of(answer)
    assert re.search(r'name="rank-1"[^>]*value="1"', answer.content.decode())
    (cast,) = repository.every_ballot("Board")
    assert cast.rankings == "0"


def test_a_form_that_is_refused_anyhow_does_not_tell_who_has_voted(organiser, person):
    services.cast(person("Eve"), "Board", ranks(Ada=1), "1")
    for typed in ({"rank-1": "x"}, {"rank-99": "1"}):
        said = [organiser.post(f"{PAPER}enter/", {"voter": voter} | typed) for voter in ("Eve", "mail@example.org")]
        assert said[0].status_code == said[1].status_code == 422
        assert "already voted" not in text_of(said[0])


# --- the organiser's pages ---


def test_the_roll_says_who_voted_only_when_it_tells_nobody_how(opened, person, signed_in):
    opened("Eve", "Bob", "Kim")
    client = signed_in(people.find("the organiser"))
    voters = [person(name) for name in ("Eve", "Bob", "Kim")]
    badge = '<span class="badge open">voted</span>'
    for number, voter in enumerate(voters):
        services.cast(voter, "Board", {"1": ["1"]}, voter.name)
        shown = client.get("/election/Board/roll/").content.decode().count(badge)
        assert shown == (3 if number == 2 else 0)


def test_turnout_is_a_number_and_a_curve(opened, person, signed_in):
    opened("Eve", "Bob")
    client = signed_in(people.find("the organiser"))
    services.cast(person("Eve"), "Board", {}, "1")
    for address in ("dashboard/", "roll/", "turnout/"):
        answer = client.get(f"/election/Board/{address}")
        assert "50% 1 of 2 voters have voted" in text_of(answer)
        assert '<polyline class="grown" points=' in answer.content.decode()


def test_the_deletion_names_how_many_ballots_will_go(opened, person, signed_in):
    opened("Eve", "Bob")
    services.cast(person("Eve"), "Board", {}, "1")
    answer = signed_in(people.find("the organiser")).get("/election/Board/delete/")
    assert "1 ballot will be deleted for good" in text_of(answer)


def test_a_rehearsal_by_one_click(person, signed_in):
    owner = person("the organiser")
    election = drafts.create(owner, "Board")
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    client = signed_in(owner)
    assert "robots vote" in text_of(client.get("/election/Board/rehearsal/"))
    answer = client.post("/election/Board/rehearsal/")
    assert "Nothing was stored" in text_of(answer)
    assert "sealed and verified" in text_of(answer)


def test_a_rehearsal_of_what_cannot_open_says_why(person, signed_in):
    owner = person("the organiser")
    drafts.create(owner, "Board")
    answer = signed_in(owner).post("/election/Board/rehearsal/")
    assert answer.status_code == 422
    assert "two candidates" in text_of(answer)


def test_the_help_page_is_for_everybody(site):
    assert "can tell how a person voted" in text_of(Client().get("/help/secrecy/"))


def test_where_everybody_may_vote_the_roll_does_not_name_who_has(opened, person, signed_in):
    voters = [person(name) for name in ("Quinn", "Bob", "Kim")]
    opened("by.post@example.org", electorate="everyone", secret_ballot=True)
    client = signed_in(people.find("the organiser"))
    for number, voter in enumerate(voters, 1):
        services.cast(voter, "Board", ranks(Ada=1), voter.name)
        roll = text_of(client.get("/election/Board/roll/"))
        assert "by.post@example.org" in roll
        assert ("Quinn" in roll, "shown once three people have voted" in roll) == (number == 3, number < 3)
        exported = b"".join(client.get("/election/Board/roll/roll.csv").streaming_content).decode()
        assert ("Quinn" in exported) == (number == 3)
    upload = SimpleUploadedFile("list.csv", b"voter\nQuinn\nSomebody else\n")
    preview = text_of(client.post("/election/Board/roll/import/", {"file": upload}))
    assert preview.count("Add others by their mail address.") == 2
    assert "2 cannot be used" in preview
    assert "already on the roll" not in preview
