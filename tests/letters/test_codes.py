"""Codes in letters: how they are entered, what guessing them yields, and what a stolen letter is worth."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from ballots import passes, repository, services
from elections import repository as elections
from elections import rolls
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.voter_lists import Details, check_mark, read_voters
from foundation.acts.storage import log, table
from foundation.pages.lists import Verdict
from foundation.ranking.candidates import Candidate
from foundation.ranking.codes import code_symbols
from foundation.store import keys
from parts.letters import rules
from parts.letters import services as letters
from tests.background import finish_background
from tests.ballots.conftest import draft_asking
from tests.ballots.test_pages import PAGE, code_of, fields_of, text_of, vote, words_of
from tests.people import make_person

MEMBERS = ["4711@", "4712@", "4713@"]
DOOR = "/code/"
BORN = "1815-12-10"


@pytest.fixture
def owner(person):
    return person("the organiser")


def opened(owner, **settings):
    election = drafts.create(owner, "Board", **settings)
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    known = {name: Details(f"Member {name}", check=check_mark(name, BORN)) for name in MEMBERS}
    add_voters(owner, election, [*MEMBERS, "ann@example.org"], known)
    return lifecycle.open_(owner, elections.find("Board"), editable=False)


def codes(owner, election, batch=1):
    return {each.voter.name: each.code for each in letters.print_batch(owner, election, batch, 100)}


@pytest.fixture
def board(owner):
    return opened(owner)


@pytest.fixture
def code(owner, board):
    return codes(owner, board)["4711@"]


def enter(code: str, answer: str = "", client: Client | None = None, address: str = "127.0.0.1"):
    client = client or Client(REMOTE_ADDR=address)
    return client, client.post(DOOR, {"code": code, "answer": answer})


def come_in(code: str, answer: str = "") -> Client:
    client, page = enter(code, answer)
    assert (page.status_code, page["Location"]) == (302, PAGE), text_of(page)
    return client


# --- from the letter to the receipt ---


def test_a_code_opens_the_ballot_and_the_receipt_has_words(board, code):
    client = come_in(code.lower().replace("-", " "))
    assert "Voting as Member 4711@ (member 4711)" in text_of(client.get(PAGE))
    receipt = vote(client, rank_1="1")
    (ballot,) = repository.every_ballot("Board")
    assert (code_of(receipt), ballot.rankings) == (ballot.confirmation, "1")
    assert len(words_of(receipt)) == 12
    (event,) = [each for each in log().since(0) if each["event_type"] == "BallotCast"]
    assert (event["actor"], set(event["event_data"])) == ("4711@", {"election_name", "voter_name", "changed"})
    assert rolls.on_roll("Board", ["4711@"])["4711@"].voted


LOOKALIKES = str.maketrans("01", "Ol")
WIDE = {ord(sign): ord(sign) + 0xFEE0 for sign in "0123456789ABCDEFGHJKMNPQRSTVWXYZ-"}


@pytest.mark.parametrize(
    "typing",
    [
        str.lower,
        lambda code: f"  {code} ",
        lambda code: code.replace("-", ""),
        " ".join,
        lambda code: code.replace("-", "\u2013"),
        lambda code: code.replace("-", "\u00a0\u200b"),
        lambda code: code.translate(LOOKALIKES),
        lambda code: code.replace("1", "I").replace("0", "o"),
        lambda code: code.translate(WIDE),
    ],
)
def test_a_code_opens_the_ballot_however_it_is_typed(board, code, typing):
    come_in(typing(code))


def test_a_typing_error_opens_nothing_and_is_kept_to_be_corrected(board, code):
    other = code[:-1] + ("2" if code[-1] != "2" else "3")
    _client, page = enter(other)
    assert (page.status_code, fields_of(page, DOOR)["code"]) == (422, other)


def test_the_qr_code_leads_to_a_page_whose_button_leads_on(board, code):
    client = Client()
    page = client.get(reverse("by_code", args=[code]))
    assert page["Referrer-Policy"] == "strict-origin"
    assert fields_of(page, DOOR)["code"] == code
    assert not client.cookies.get(passes.COOKIE), "cameras open links by themselves"
    assert client.post(DOOR, fields_of(page, DOOR))["Location"] == PAGE


@pytest.mark.parametrize("secret", [True, False])
def test_one_vote_whichever_way_comes_first(owner, secret):
    board = opened(owner, secret_ballot=secret, paper_ballots=True)
    own = codes(owner, board)
    services.enter_paper(owner, "Board", "4711", {"0": ["1"]}, "paper")
    client, _page = enter(own["4711@"])
    shown = client.get(PAGE)
    if secret:
        assert "words on your receipt" in text_of(shown) or "You have voted" in text_of(shown)
    else:
        vote(client, rank_2="1")
        assert [each.rankings for each in repository.every_ballot("Board")] == ["2"]
    vote(come_in(own["4712@"]), rank_1="1")
    with pytest.raises(Exception, match="already voted"):
        services.enter_paper(owner, "Board", "4712", {"0": ["1"]}, "paper again")
    assert len(list(repository.every_ballot("Board"))) == 2


SPRING = "/election/Spring/ballot/"


@pytest.fixture
def spring(owner):
    """Two questions on one ballot."""
    election = draft_asking(owner, "Spring", "Chair", "Colour")
    add_voters(owner, election, MEMBERS, dict.fromkeys(MEMBERS, Details("Ada")))
    return lifecycle.open_(owner, elections.find("Spring"))


def fill_both(client: Client, code: str) -> dict:
    """What the last button of the ballot sends."""
    _client, page = enter(code, client=client)
    assert page["Location"] == SPRING
    review = client.post(SPRING, fields_of(client.get(SPRING), SPRING) | {"rank-0": "1", "rank-2:1": "1"})
    return fields_of(review, f"{SPRING}cast/")


def vote_on_both(client: Client, code: str):
    return client.post(f"{SPRING}cast/", fill_both(client, code))


def said_in(election) -> list[list[str]]:
    return [[each.rankings for each in repository.every_ballot(one)] for one in election.questions]


def test_a_letter_opens_all_questions_of_a_ballot(owner, spring):
    thanks = vote_on_both(Client(), codes(owner, spring)["4711@"])
    assert said_in(spring) == [["0"], ["1"]]
    assert len(words_of(thanks)) == 12


def test_the_next_letter_in_the_same_browser_does_not_find_what_it_keeps_of_the_last(owner, spring):
    """A household that shares a phone: with the secret of a ballot, that ballot could be read and changed."""
    client, own = Client(), codes(owner, spring)
    kept = [
        re.search('data-done="([^"]+)"', vote_on_both(client, own[member]).content.decode())[1]
        for member in ("4711@", "4712@")
    ]
    assert len(set(kept)) == 2
    assert kept[0] not in client.get(SPRING, follow=True).content.decode()
    assert said_in(spring) == [["0", "0"], ["1", "1"]]


def test_after_the_close_the_letter_opens_the_result(owner, board, code):
    closing.close(owner, board)
    _client, page = enter(code)
    assert page["Location"] == reverse("results", args=["Board"])


def test_before_voting_begins_the_holder_learns_when(owner):
    board = opened(owner, no_voting_before="2100-01-01T00:00:00.000Z")
    _client, page = enter(codes(owner, board)["4711@"])
    assert page.status_code == 403
    assert "Board" in text_of(page)


def test_leaving_forgets_the_letter(board, code):
    client = come_in(code)
    assert client.post(f"{PAGE}leave/")["Location"] == DOOR
    assert client.get(PAGE).status_code == 302


# --- what else is asked ---


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [("birth", "10.12.1815", "11.12.1815"), ("birth", BORN, ""), ("number", " 4711 ", "4712"), ("", "anything", None)],
)
def test_a_second_answer_is_asked_for_if_the_organiser_wants_it(owner, check, right, wrong):
    code = codes(owner, opened(owner, letter_check=check))["4711@"]
    if wrong is not None:
        _client, page = enter(code, wrong)
        assert (page.status_code, str(letters.WRONG) in text_of(page)) == (422, True)
    come_in(code, right)


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("number", "typed", "is_right"),
    [
        ("0047", "0047", True),
        ("0047", "47", False),
        ("A-12/3 b", "a-12/3  B", True),
        ("#5", "#5", True),
        ("#5", "5", False),
        ("\u4f1a\u54e16", "\u4f1a\u54e1\uff16", True),
        ("4711", "\uff14\uff17\uff11\uff11", True),
        ("\uff14\uff17", "47", True),
        ("STRASSE-1", "stra\u00dfe-1", True),
        ("9" * 40, "9" * 40, True),
        ("9" * 40, "9" * 39, False),
        ("4711", "4711@", True),
        ("4711", "@", False),
    ],
)
def test_member_numbers_of_all_kinds_are_asked_for_as_they_are_written(owner, number, typed, is_right):
    election = drafts.create(owner, "Board", letter_check="number")
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, election, [f"{number}@"], {f"{number}@": Details("Ada")})
    (code,) = codes(owner, lifecycle.open_(owner, elections.find("Board"), editable=False)).values()
    assert enter(code, typed)[1].status_code == (302 if is_right else 422)


@pytest.mark.parametrize(
    "typed", ["10.12.1815", "10/12/1815", " 10. 12. 1815", "\uff11\uff10.\uff11\uff12.\uff11\uff18\uff11\uff15"]
)
def test_a_date_of_birth_is_written_as_people_do(owner, typed):
    come_in(codes(owner, opened(owner, letter_check="birth"))["4711@"], typed)


def test_numbers_that_differ_by_case_are_one(owner):
    """Nobody can tell them apart on the telephone: the second is refused before anything is printed."""
    rows = read_voters(b"name,member number\nAda,a1\nBo,A1\n")
    assert [(each.value, each.verdict) for each in rows] == [("a1@", Verdict.NEW), ("A1@", Verdict.REPEATED)]


def test_the_setting_is_chosen_in_a_draft_and_copied(owner, signed_in):
    board = opened(owner, letter_check="birth")
    copying.copy(owner, board, "Again")
    finish_background()
    assert elections.find("Again").letter_check == "birth"
    assert "letter_check" in signed_in("the organiser").get("/election/Again/settings/").content.decode()


# --- attacks ---


def answer_of(page) -> tuple[int, str]:
    """What somebody learns from a page, without what they typed and the random numbers of the form."""
    return page.status_code, re.sub(r'(?: value| nonce)="[^"]*"', "", page.content.decode())


def test_wrong_codes_reissued_codes_and_wrong_answers_are_answered_alike(owner):
    board = opened(owner, letter_check="birth")
    own = codes(owner, board)
    letters.reissue(owner, board, "4712@")
    attempts = [
        ("0000-0000-0000", BORN),
        (own["4712@"], BORN),
        (own["4711@"], "1815-12-11"),
        (own["4711@"], ""),
        (rules.letter_code(board, "4712@", 2), BORN),
    ]
    answers = {answer_of(enter(code, typed)[1]) for code, typed in attempts}
    assert len(answers) == 1
    assert all(not enter(code, typed)[0].cookies.get(passes.COOKIE) for code, typed in attempts)


@pytest.mark.usefixtures("each_site")
def test_they_take_the_same_reads_and_writes():
    """In a store of many shards, too: nobody can time whether a code exists, or was replaced."""
    owner = make_person("the organiser")
    board = opened(owner, letter_check="birth")
    own = codes(owner, board)
    letters.reissue(owner, board, "4712@")
    attempts = (("1111-1111-1111", BORN), (own["4711@"], "1815-12-11"), (own["4712@"], BORN), (own["4711@"], ""))
    assert len({timing_of(enter(tried, typed)[1]) for tried, typed in attempts}) == 1


def timing_of(page) -> tuple[str, ...]:
    """How often the store was asked, and how often it had to answer first before it was asked again."""
    return tuple(re.findall(r'desc="([^"]*)"', page["Server-Timing"]))


def test_looking_at_a_code_looks_nothing_up(board, code):
    right, wrong = (Client().get(reverse("by_code", args=[each])) for each in (code, "0000-0000-0000"))
    assert answer_of(right) == answer_of(wrong)


def test_guesses_at_a_date_of_birth_are_few_and_lock_nobody_else_out(owner):
    board = opened(owner, letter_check="birth")
    own = codes(owner, board)
    for _try in range(letters.PER_NETWORK.most):
        assert enter(own["4711@"], "1900-01-01", address="10.0.0.1")[1].status_code == 422
    _client, page = enter(own["4711@"], BORN, address="10.0.0.1")
    assert "tried too often" in text_of(page)
    assert enter(own["4711@"], BORN, address="10.9.0.2")[1].status_code == 302, "the voter at home"
    assert enter(own["4712@"], BORN, address="10.0.0.1")[1].status_code == 302, "somebody else in the same network"


@pytest.mark.deep
def test_a_thief_with_many_networks_stops_one_code_until_it_is_reissued(owner):
    board = opened(owner, letter_check="birth")
    own = codes(owner, board)
    for number in range(letters.PER_CODE.most):
        enter(own["4711@"], "1900-01-01", address=f"10.0.{number}.1")
    assert "tried too often" in text_of(enter(own["4711@"], BORN)[1])
    come_in(own["4712@"], BORN)
    letters.reissue(owner, board, "4711@")
    come_in(codes(owner, board, 2)["4711@"], BORN)


def test_right_codes_do_not_use_up_tries(board, code):
    for _try in range(letters.PER_NETWORK.most + 2):
        come_in(code)


def test_one_code_takes_few_wrong_tries_a_day_from_everywhere():
    in_two_weeks = letters.PER_CODE.most * 14
    assert in_two_weeks / (80 * 365) < 0.03, "of the dates of birth there are"


def test_guessing_codes_is_hopeless():
    """At a thousand guesses a second, and with 10,000 letters, the first hit takes thousands of years."""
    seconds = 32**rules.CODE_SYMBOLS / 10_000 / 1000
    assert seconds > 1000 * 365 * 24 * 3600


def test_a_stolen_letter_that_is_reissued_while_the_thief_votes_casts_nothing(owner, board, code):
    thief = come_in(code)
    review = thief.post(PAGE, {"rank-1": "1"}, follow=True)
    letters.reissue(owner, board, "4711@")
    sent = thief.post(f"{PAGE}cast/", fields_of(review, f"{PAGE}cast/"), follow=True)
    assert list(repository.every_ballot("Board")) == []
    assert "newer letter" in text_of(sent) or sent.status_code >= 400 or "Sign in" in text_of(sent)
    (new,) = codes(owner, board, 2).values()
    vote(come_in(new), rank_2="1")
    assert [each.rankings for each in repository.every_ballot("Board")] == ["2"]


def test_nor_on_any_question_of_a_ballot(owner, spring):
    own, thief = codes(owner, spring), Client()
    fields = fill_both(thief, own["4711@"])
    letters.reissue(owner, spring, "4711@")
    thief.post(f"{SPRING}cast/", fields, follow=True)
    assert said_in(spring) == [[], []]
    vote_on_both(Client(), codes(owner, spring, 2)["4711@"])
    assert said_in(spring) == [["0"], ["1"]]


def test_the_store_does_not_tell_who_came_with_a_letter(owner, board, code):
    """Of those with letters, some vote with them and some on paper: afterwards, their entries look the same."""
    vote(come_in(code), rank_1="1")
    entry = table().get(keys.voter("Board", "4711@"))
    other = table().get(keys.voter("Board", "4712@"))
    assert set(entry) == set(other)
    assert code_symbols(code) not in str(list(log().since(0)))
    assert people.find("4711@") is None


@pytest.mark.parametrize("typed", ["", "K7QM", "K7QM-2XHD-94TP-WB3N", "\u05d0" * 12, "<script>", "0" * 61])
def test_what_is_no_code_is_refused_with_a_sentence(site, typed):
    page = Client().post(DOOR, {"code": typed})
    assert page.status_code == 422
    assert "<script>" not in page.content.decode().split("<main")[1]
