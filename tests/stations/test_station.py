"""Polling stations: who opens them, how a browser becomes a booth, and that nothing of a voter is left."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from html import unescape

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import repository as ballots
from ballots.passes import COOKIE as PASS
from ballots.rules import NotOnTheRoll
from ballots.sealing import seal_closed
from elections import actions, rolls
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations.voting_link import LINKS
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action, Election, WrongState
from elections.voter_lists import Details
from foundation.acts.refusals import NotAllowed, NotNow, Refusal
from foundation.acts.storage import log, now_text, table
from foundation.acts.tokens import read_token
from foundation.qa import store as qa_store
from foundation.qa.rules import Fate
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import Exists, Update
from parts.candidate_questions import repository as asked
from parts.candidate_questions import services as questions
from parts.candidate_questions.rules import CandidateQuestion
from parts.letters import services as letters
from parts.stations import browser, repository, rules, services
from parts.stations.rules import Booth, Busy, Device, NoStation, Station, Visit
from tests import clock, voting
from tests.at_once import at_once
from tests.ballots.conftest import draft_asking, ranks
from tests.ballots.test_pages import PAGE, code_of, fields_of, receipt_of, text_of, vote, words_of
from tests.people import make_person, sign_in
from tests.races.overtaken import lost, overtaken_by

ANN, BEN, CLEO, DAN = (f"{name}@example.org" for name in ("ann", "ben", "cleo", "dan"))
BOOTH, PAIR, START, FINISH = "/station/", "/station/pair/", "/station/start/", "/station/finish/"


@pytest.fixture
def board(opened) -> Election:
    return opened(ANN, BEN, CLEO, DAN, "Eve")


def organiser():
    return people.find("the organiser")


def new_station(election: Election | str = "Board", name: str = "Booth 1") -> Station:
    """An open station; nothing is paired with it yet."""
    election = elections.find(election) if isinstance(election, str) else election
    services.open_(organiser(), election, name, f"form {name}")
    return next(each for each in repository.every(election.name) if each.name == name)


def paired(station: Station) -> Client:
    """The browser in its booth."""
    client = Client()
    answer = client.post(PAIR, {"code": repository.code_for(station)})
    assert answer["Location"] == BOOTH
    return client


def let_in(station: Station, voter: str, *, instead: bool = False) -> None:
    services.let_in(organiser(), elections.find(station.election_name), station.id, voter, instead=instead)


def now_at(station: Station) -> Station:
    found = repository.find(station.election_name, station.id)
    assert found is not None
    return found


def entry_of(voter: str, name: str = "Board") -> dict:
    return table().get(keys.voter(name, voter))


def cookies(client: Client) -> set[str]:
    """Those that the browser still has."""
    return {name for name, each in client.cookies.items() if each.value}


@pytest.fixture
def station(board) -> Station:
    return new_station()


@pytest.fixture
def booth(station) -> Client:
    return paired(station)


# --- from the desk to the receipt and back ---


def test_an_officer_lets_a_voter_in_who_votes_and_finishes(board, station, booth):
    assert "Please wait for the officer" in text_of(booth.get(BOOTH))
    let_in(station, ANN)
    assert now_at(station).booth == Booth.WAITING
    ready = booth.get(BOOTH)
    assert "Your ballot is ready" in text_of(ready)
    assert ANN in text_of(ready)
    assert booth.post(START)["Location"] == PAGE
    assert now_at(station).booth == Booth.VOTING
    assert "Polling station: Booth 1" in text_of(booth.get(PAGE))
    thanks = vote(booth, rank_1="1")
    receipt = receipt_of(thanks, booth)
    for page in (thanks, receipt):
        assert f'action="{FINISH}"' in page.content.decode()
        assert "data-secret" not in page.content.decode(), "nothing is remembered in a booth"
        assert "Change my" not in text_of(page)
    assert "open your receipt first" in text_of(thanks)
    assert 'class="words"' in receipt.content.decode()
    assert [each.rankings for each in ballots.every_ballot("Board")] == ["1"]
    assert booth.post(FINISH)["Location"] == BOOTH
    assert now_at(station).booth == Booth.FREE
    assert "Please wait for the officer" in text_of(booth.get(BOOTH))


def test_the_next_voter_votes_in_the_same_browser(station, booth):
    for voter, rank in ((ANN, "rank_0"), (BEN, "rank_1")):
        let_in(station, voter)
        booth.post(START)
        vote(booth, **{rank: "1"})
        booth.post(FINISH)
    assert sorted(each.rankings for each in ballots.every_ballot("Board")) == ["0", "1"]
    assert entry_of(ANN)["voted"]
    assert entry_of(BEN)["voted"]
    assert not entry_of(CLEO)["voted"]


def test_the_words_of_the_receipt_open_the_ballot_from_any_device(station, booth):
    let_in(station, ANN)
    booth.post(START)
    words = words_of(vote(booth, rank_1="1"))
    changed = Client().post("/election/Board/change/", {"words": " ".join(words)}, follow=True)
    assert changed.status_code == 200
    assert "This is your current ballot" in text_of(changed)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "chosen",
    [
        {"secret_ballot": False},
        {"changeable": False},
        {"safeguards": ("no-drafts", "leave", "confirm", "counts")},
        {"kind": "yes-no", "method": "majority", "majority": "2/3 cast"},
        {"kind": "score", "method": "score"},
        {"kind": "approval", "method": "approval"},
    ],
)
def test_every_kind_of_election_can_be_voted_in(opened, chosen):
    election = opened(ANN, BEN, CLEO, **chosen)
    station = new_station(election)
    booth = paired(station)
    let_in(station, ANN)
    booth.post(START)
    fields = fields_of(booth.get(PAGE), PAGE)
    review = booth.post(
        PAGE, fields | {"rank-choice" if chosen.get("kind") == "yes-no" else "rank-0": "1"}, follow=True
    )
    cast = fields_of(review, f"{PAGE}cast/") | {"protected": "on"}
    receipt = booth.post(f"{PAGE}cast/", cast, follow=True)
    assert entry_of(ANN)["voted"], text_of(receipt)
    assert f'action="{FINISH}"' in receipt.content.decode()
    booth.post(FINISH)
    assert LINKS not in entry_of(ANN)
    assert now_at(station).booth == Booth.FREE


def test_all_questions_on_a_ballot_are_voted_on_in_one_visit(site):
    owner = make_person("the organiser")
    add_voters(owner, draft_asking(owner, "Spring", "Chair", "Song"), [ANN, BEN])
    election = lifecycle.open_(owner, elections.find("Spring"))
    station, ballot = new_station("Spring"), "/election/Spring/ballot/"
    booth = paired(station)
    let_in(station, ANN)
    assert booth.post(START)["Location"] == ballot
    review = booth.post(ballot, fields_of(booth.get(ballot), ballot) | {"rank-0": "1", "rank-2:1": "1"})
    thanks = booth.post(f"{ballot}cast/", fields_of(review, f"{ballot}cast/"))
    shown = receipt_of(thanks, booth)
    for answer in (thanks, shown):
        assert f'action="{FINISH}"' in answer.content.decode()
    assert 'class="words"' in shown.content.decode()
    assert 'name="secret"' not in shown.content.decode(), "no other page is open"
    booth.post(FINISH)
    assert cookies(booth) <= {browser.COOKIE, "csrftoken"}
    assert [[each.rankings for each in ballots.every_ballot(one)] for one in election.questions] == [["0"], ["1"]]
    assert LINKS not in entry_of(ANN, "Spring")


def test_a_booth_shows_the_questions_that_are_for_the_voter(site):
    owner = make_person("the organiser")
    groups = {ANN: "North", BEN: "South", CLEO: "West"}
    of = groups | {f"{group}{number}@example.org": group for group in ("North", "South") for number in (1, 2)}
    election = draft_asking(owner, "Spring", "Chair", "Song", "Street")
    add_voters(owner, election, [*of], {name: Details(groups=(group,)) for name, group in of.items()})
    for number, group in ((1, "North"), (2, "South"), (3, "North")):
        actions.change(owner, elections.find("Spring").at(number), Action.SET_UP, for_groups=(group,))
    lifecycle.open_(owner, elections.find("Spring"))
    station = new_station("Spring")
    booth, seen = paired(station), {}
    for voter in (ANN, BEN):
        let_in(station, voter)
        booth.post(START)
        page = booth.get("/election/Spring/ballot/")
        seen[voter] = [name for name in ("Chair", "Song", "Street") if f">{name}</h2>" in page.content.decode()]
        assert f'action="{FINISH}"' in page.content.decode(), text_of(page)
        booth.post(FINISH)
    assert seen == {ANN: ["Chair", "Street"], BEN: ["Song"]}, "one after the other"
    with pytest.raises(NotOnTheRoll, match="is for: North, South"):
        let_in(station, CLEO)


# --- out of the booth ---

LEAVE = "/station/leave/"


def test_whoever_made_a_browser_a_booth_gets_it_back_with_the_same_code(station):
    code, booth = repository.code_for(station), paired(station)
    services.renew_code(organiser(), elections.find("Board"), station.id)
    assert f'href="{LEAVE}"' in booth.get(BOOTH).content.decode()
    assert "Type the code with which it became one" in text_of(booth.get(LEAVE))
    newer = repository.code_for(now_at(station))
    for wrong in ("0000-0000-0000", newer, "#"):
        refused = booth.post(LEAVE, {"code": wrong})
        assert (refused.status_code, "not the code with which" in text_of(refused)) == (422, True)
    assert now_at(station).device
    assert booth.post(LEAVE, {"code": code.lower().replace("-", " ")})["Location"] == "/"
    assert cookies(booth) <= {"csrftoken"}
    assert booth.get("/sign-in/").status_code == 200
    assert now_at(station).booth == Booth.UNPAIRED
    again = Client()
    assert again.post(PAIR, {"code": newer})["Location"] == BOOTH, "and the desk pairs another"


def test_leaving_the_booth_ends_the_visit_in_it(station):
    code, booth = repository.code_for(station), paired(station)
    let_in(station, ANN)
    booth.post(START)
    assert booth.post(LEAVE, {"code": code})["Location"] == "/"
    assert booth.get(PAGE).status_code == 302
    assert LINKS not in entry_of(ANN)


def test_only_a_booth_can_be_left(station, booth):
    assert Client().get(LEAVE)["Location"] == "/"
    assert Client().post(LEAVE, {"code": repository.code_for(station)})["Location"] == "/"
    assert now_at(station).device
    let_in(station, ANN)
    assert LEAVE not in booth.get(BOOTH).content.decode(), "not on the screen of a voter"


def test_who_is_signed_in_types_the_code_of_a_link(station):
    """Otherwise one press on a link takes a browser away from its owner."""
    code = repository.code_for(station)
    page = sign_in("Eve", Role.ADMIN).get(PAIR, {"code": code})
    assert f'value="{code}"' not in page.content.decode()
    assert f"The code in the link is {code}" in text_of(page)
    assert "Eve is signed in here" in text_of(page)
    tablet = Client().get(PAIR, {"code": code})
    assert f'value="{code}"' in tablet.content.decode(), "which has scanned it"
    assert "Is this browser meant to be a booth?" not in text_of(tablet)


def test_a_pass_of_a_visit_that_has_ended_says_so(station, booth):
    """One that was taken out of the booth, to another browser."""
    let_in(station, ANN)
    booth.post(START)
    other = Client()
    other.cookies[PASS] = booth.cookies[PASS].value
    assert other.get(PAGE).status_code == 200
    booth.post(FINISH)
    gone = other.get(PAGE)
    assert gone.status_code == 403
    assert "This visit to the polling station has ended." in text_of(gone)
    assert "no longer exists" not in text_of(gone)


# --- nothing is left ---


def test_after_a_visit_without_a_vote_the_store_is_as_before(station, booth):
    before = list(table().everything())
    let_in(station, ANN)
    assert [each[0] for each in entry_of(ANN)[LINKS]] == ["station"]
    booth.post(START)
    booth.post(FINISH)
    assert list(table().everything()) == before, "in the whole store"


def test_a_voter_at_the_station_leaves_what_a_voter_by_link_leaves(opened):
    opened(ANN, BEN, CLEO, DAN, vote_by_link=True)
    station = new_station()
    booth, link = paired(station), Client()
    link.post(reverse("vote_by_link", args=[voting.link_to("Board", ANN).token]))
    voting.link_to("Board", BEN)
    vote(link, rank_1="1")
    let_in(station, BEN)
    booth.post(START)
    vote(booth, rank_1="1")
    booth.post(FINISH)
    by_link, here = entry_of(ANN), entry_of(BEN)
    assert {*by_link} == {*here}
    assert [len(each) for each in by_link[LINKS]] == [len(each) for each in here[LINKS]]
    cast = [each for each in log().since(0) if each["event_type"] == "BallotCast"]
    shapes = [{name: value for name, value in each["event_data"].items() if name != "voter_name"} for each in cast]
    assert shapes[0] == shapes[1]
    assert [each["actor"] for each in cast] == [ANN, BEN]
    assert traces(ANN) == traces(BEN)


def traces(voter: str) -> list[tuple[str, list[str]]]:
    """Every item of the store that names them, by the table and its fields."""
    return sorted((name, sorted(item)) for name, item in table().everything() if voter in str(item))


def test_the_mail_about_the_vote_is_the_usual_one(station, booth, outbox):
    voting.cast(people.find("Eve"), "Board", ranks(Ada=1), "form")
    let_in(station, ANN)
    booth.post(START)
    vote(booth, rank_1="1")
    mails = {to: (subject, text) for to, subject, text in outbox()}
    subject, text = mails[people.find("Eve").email]
    assert mails[ANN] == (subject, text.replace("Hello Eve,", "Hello,"))


def test_finishing_leaves_one_cookie_and_nothing_in_the_browser(station, booth):
    let_in(station, ANN)
    booth.post(START)
    booth.post("/language/", {"language": "de", "next": PAGE})
    fields = fields_of(booth.get(PAGE), PAGE)
    booth.post(PAGE, fields | {"rank-1": "1"})
    assert {PASS, "ranking"} <= cookies(booth)
    answer = booth.post(FINISH)
    assert cookies(booth) <= {browser.COOKIE, "csrftoken"}
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert answer["Cache-Control"] == "private, no-store"


def test_a_page_in_the_booth_stores_no_draft(station, booth):
    let_in(station, ANN)
    booth.post(START)
    page = booth.get(PAGE).content.decode()
    assert 'name="drafts"' not in page
    assert 'data-draft="draft' not in page
    assert "js/booth" in page


@pytest.mark.parametrize("seconds", [None, 1])
def test_a_form_of_an_earlier_voter_shows_nothing_to_the_next(station, seconds):
    """Somebody goes back in the history of the browser, and lets it send a form again."""
    booth = Client(enforce_csrf_checks=True)
    send(booth, PAIR, booth.get(PAIR), code=repository.code_for(station))
    let_in(station, ANN)
    send(booth, START, booth.get(BOOTH))
    ballot = fields_of(booth.get(PAGE), PAGE) | {"rank-1": "1"}
    review = booth.post(PAGE, ballot, follow=True)
    cast = fields_of(review, f"{PAGE}cast/")
    code = code_of(booth.post(f"{PAGE}cast/", cast))
    send(booth, FINISH, booth.get(BOOTH))
    if seconds:  # the next voter is there already
        let_in(station, BEN)
        send(booth, START, booth.get(BOOTH))
    for address, fields in ((f"{PAGE}cast/", cast), (PAGE, ballot), (PAGE, None)):
        answer = booth.post(address, fields) if fields else booth.get(address)
        assert code not in text_of(answer)
        if fields or not seconds:
            assert answer["Location"] == BOOTH
    assert not entry_of(BEN)["voted"]


def send(client: Client, address: str, page, **fields: str):
    """A form as the page has it, with its token."""
    action = address if f'action="{address}"' in page.content.decode() else None
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())[1]
    known = fields_of(page, action) if action else {}
    return client.post(address, known | {"csrfmiddlewaretoken": token} | fields)


# --- one vote ---


def test_who_has_voted_by_link_cannot_vote_again_in_secret(station, booth):
    eve = people.find("Eve")
    voting.cast(eve, "Board", ranks(Ada=1), "form")
    let_in(station, "Eve")
    booth.post(START)
    page = booth.get(PAGE)
    assert "You have voted" in text_of(page)
    assert 'name="rank-0"' not in page.content.decode()
    assert len(list(ballots.every_ballot("Board"))) == 1


def test_the_desk_says_who_has_voted_only_where_the_roll_does(station, booth):
    voting.cast(people.find("Eve"), "Board", ranks(Ada=1), "form")
    let_in(station, "Eve")  # so few have voted that it must not be told
    for voter in (ANN, BEN):
        let_in(station, voter)
        booth.post(START)
        vote(booth, rank_1="1")
        booth.post(FINISH)
    with pytest.raises(NotNow, match="Eve has already voted"):
        let_in(station, "Eve")


def test_in_a_public_election_the_later_vote_replaces_the_earlier(opened):
    opened(ANN, "Eve", secret_ballot=False)
    station = new_station()
    booth = paired(station)
    voting.cast(people.find("Eve"), "Board", ranks(Ada=1), "form")
    let_in(station, "Eve")
    booth.post(START)
    vote(booth, rank_2="1")
    assert [each.rankings for each in ballots.every_ballot("Board")] == ["2"]


def test_the_same_voter_in_two_booths_has_the_later_one(board, station, booth):
    other = new_station(name="Booth 2")
    second = paired(other)
    let_in(station, ANN)
    booth.post(START)
    let_in(other, ANN)
    second.post(START)
    assert booth.get(PAGE)["Location"] == BOOTH
    assert now_at(station).booth == Booth.FREE
    vote(second, rank_0="1")
    assert [each.rankings for each in ballots.every_ballot("Board")] == ["0"]


def test_who_has_two_step_sign_in_may_vote_here(station, booth):
    """The officer has seen who they are."""
    table().write(Update(keys.user("Eve"), set={"factors": [{"kind": "app"}]}))
    assert people.find("Eve").factors
    let_in(station, "Eve")
    booth.post(START)
    vote(booth, rank_1="1")
    assert entry_of("Eve")["voted"]


# --- who may be let in ---


def test_nobody_who_is_not_on_the_roll_is_let_in(station, booth):
    for voter in ("stranger@example.org", "nobody", ""):
        with pytest.raises(NotOnTheRoll):
            let_in(station, voter)
    assert now_at(station).booth == Booth.FREE


def test_somebody_in_no_group_that_may_vote_is_not_let_in(opened):
    owner = make_person("the organiser")
    draft = drafts.create(owner, "Board", secret_ballot=False)
    add_candidates(owner, draft, [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, draft, [ANN, BEN], {ANN: Details(groups=("North",)), BEN: Details(groups=("South",))})
    actions.change(owner, elections.find("Board"), Action.SET_UP, for_groups=("North",))
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    station = new_station()
    paired(station)
    with pytest.raises(NotOnTheRoll, match="North"):
        let_in(station, BEN)
    let_in(station, ANN)


@pytest.fixture
def by_letter(site) -> Station:
    """Of an election with two members who have letters and no mail."""
    owner = make_person("the organiser")
    draft = drafts.create(owner, "Board", secret_ballot=True)
    add_candidates(owner, draft, [Candidate("Ada"), Candidate("Bo")])
    known = {f"{number}@": Details(f"Member {number}", postal=("Main Street 1",)) for number in (4711, 4712)}
    add_voters(owner, draft, [*known, ANN], known)
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    return new_station()


def codes_of(election_name: str = "Board") -> dict[str, str]:
    printed = letters.print_batch(organiser(), elections.find(election_name), 1, 50)
    return {each.voter.name: each.code for each in printed}


def test_the_code_on_a_letter_lets_its_voter_in(by_letter):
    codes, booth, client = codes_of(), paired(by_letter), sign_in(organiser())
    roll = entry_of("4711@")
    desk = f"/election/Board/stations/{by_letter.id}/"
    assert "Code on their letter" in text_of(client.get(desk))
    typed = codes["4711@"].replace("-", " ").lower()
    assert client.post(f"{desk}letter/", {"code": typed})["Location"] == desk, "no code in an address"
    assert [each[0] for each in entry_of("4711@")[LINKS]] == ["letter", "station"]
    assert "Member 4711 (member 4711)" in text_of(booth.get(BOOTH))
    booth.post(START)
    assert "member 4711" in text_of(booth.get(PAGE))
    assert len(words_of(vote(booth, rank_1="1"))) == 12
    booth.post(FINISH)
    assert entry_of("4711@") == roll | {"voted": True}, "the letter stays as it was"


def test_a_wrong_code_and_one_that_was_replaced_let_nobody_in(by_letter):
    codes, client = codes_of(), sign_in(organiser())
    paired(by_letter)
    letters.reissue(organiser(), elections.find("Board"), "4712@")
    for code in (codes["4712@"], "0000-0000-0000", "<b>#", "x" * 41, ""):
        answer = client.post(f"/election/Board/stations/{by_letter.id}/letter/", {"code": code})
        assert answer.status_code == 422
        assert not code or code in unescape(answer.content.decode()), "what was typed is still there"
    assert now_at(by_letter).booth == Booth.FREE


def test_a_letter_of_another_election_lets_nobody_in(by_letter, opened):
    opened(ANN, name="Other")
    with pytest.raises(NotOnTheRoll, match="No letter for this election"):
        services.find_by_letter(elections.find("Other"), codes_of()["4711@"])


def test_a_member_is_found_by_number_and_by_name(by_letter):
    found, _more = rolls.find_voters(elections.find("Board"), "4711", limit=9)
    assert [each["voter_name"] for each in found] == ["4711@"]
    page = sign_in(organiser()).get(f"/election/Board/stations/{by_letter.id}/", {"q": "member"})
    assert "4711@" not in text_of(page)


def test_an_account_that_may_not_vote_is_not_let_in(station, booth):
    make_person("Eve", Role.NO_ACCESS)
    with pytest.raises(NotAllowed, match="not allowed to vote"):
        let_in(station, "Eve")


def test_the_search_finds_names_addresses_and_what_people_are_called(board):
    call(ANN, "Ann-Sophie #1 😀")
    call(BEN, "Ben Bar")
    found = lambda typed: [each["voter_name"] for each in rolls.find_voters(board, typed, limit=9)[0]]  # noqa: E731
    assert found("ann@") == [ANN]
    assert found("sophie") == [ANN]
    assert found("bar  Be") == [BEN], "in any order"
    assert found("bar ann") == []
    assert found("EVE") == ["Eve"]
    assert found("ben") == [BEN], "once, however it was found"
    assert found("nobody") == []
    assert len(found("")) == 5


def test_the_desk_says_when_there_are_more_than_it_shows(board, station, booth, monkeypatch):
    monkeypatch.setattr(services, "MAX_FOUND", 1)
    for voter in (ANN, BEN):
        call(voter, "Kim")
    page = lambda typed: text_of(sign_in(organiser()).get(f"/election/Board/stations/{station.id}/", {"q": typed}))  # noqa: E731
    assert "There are more." in page("kim")
    assert "There are more." not in page("ann")


def call(voter: str, display_name: str) -> None:
    table().write(Update(keys.voter("Board", voter), set={"display_name": display_name}))


def test_before_a_browser_is_paired_nobody_is_let_in(station):
    with pytest.raises(NotNow, match="No browser is paired"):
        let_in(station, ANN)
    assert LINKS not in entry_of(ANN)


def test_no_station_where_everybody_may_vote(opened):
    election = opened(electorate="everyone")
    with pytest.raises(NotNow, match="needs a list of voters"):
        services.open_(organiser(), election, "Booth 1", "form")


def test_an_election_has_only_so_many_stations(board, monkeypatch):
    monkeypatch.setattr(rules, "MAX_STATIONS", 1)
    new_station()
    with pytest.raises(NotNow, match="at most 1 polling station"):
        new_station(name="Booth 2")


def test_a_form_sent_twice_opens_one_station(board):
    for _time in range(2):
        services.open_(organiser(), board, "Booth 1", "the form")
    assert len(repository.every("Board")) == 1


# --- pairing ---


def test_a_code_works_once_and_however_it_is_typed(station):
    code = repository.code_for(station)
    typed = code.replace("-", " ").lower()
    assert services.pair(typed).station_id == station.id
    with pytest.raises(NoStation):
        services.pair(code)


def test_a_wrong_code_a_used_one_and_that_of_a_closed_station_say_the_same(board, station):
    used = repository.code_for(station)
    services.pair(used)
    gone = new_station(name="Booth 2")
    services.close(organiser(), board, gone.id)
    answers = [Client().post(PAIR, {"code": code}) for code in (used, repository.code_for(gone), "0000-0000-0000", "#")]
    assert {each.status_code for each in answers} == {422}
    assert len({text_of(each).replace(each.wsgi_request.POST["code"], "") for each in answers}) == 1
    assert all(browser.COOKIE not in each.cookies for each in answers)


def test_a_second_browser_ends_the_first(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    services.renew_code(organiser(), board, station.id)
    assert "Polling station" in text_of(booth.get(PAGE)), "until the code is used"
    second = paired(now_at(station))
    assert LINKS not in entry_of(ANN), "whoever was in the booth is out"
    assert booth.get(BOOTH)["Location"] == PAIR
    assert browser.COOKIE not in cookies(booth)
    assert "Please wait" in text_of(second.get(BOOTH))


def test_a_new_code_ends_the_earlier_one(board, station):
    earlier = repository.code_for(station)
    services.renew_code(organiser(), board, station.id)
    with pytest.raises(NoStation):
        services.pair(earlier)
    assert services.pair(repository.code_for(now_at(station)))


def test_pairing_signs_out_whoever_is_signed_in(station):
    client = sign_in(people.find("Eve"))
    client.post(PAIR, {"code": repository.code_for(station)})
    assert client.get("/me/").status_code == 302
    assert client.get("/me/")["Location"] == BOOTH


def test_a_made_up_or_stolen_cookie_is_no_booth(station, booth):
    for value in ("x", booth.cookies[browser.COOKIE].value[:-2], ""):
        client = Client()
        client.cookies[browser.COOKIE] = value
        assert client.get(BOOTH)["Location"] == PAIR
    other = Client()
    answer = devices_cookie(Device("Board", station.id, "0" * 32))
    other.cookies[browser.COOKIE] = answer
    let_in(station, ANN)
    assert other.post(START)["Location"] == PAIR
    assert now_at(station).booth == Booth.WAITING


def devices_cookie(device: Device) -> str:
    answer = HttpResponse()
    browser.remember(answer, device)
    return answer.cookies[browser.COOKIE].value


def test_a_booth_shows_nothing_but_ballots(station, booth):
    for address in ("/", "/sign-in/", "/help/", "/elections/", "/election/Board/", "/election/Board/roll/", PAGE):
        assert booth.get(address)["Location"] == BOOTH, address
    let_in(station, ANN)
    booth.post(START)
    assert booth.get(PAGE).status_code == 200
    for address in ("/", "/sign-in/", "/election/Board/", "/election/Board/change/"):
        assert booth.get(address)["Location"] == BOOTH, address


@pytest.mark.needs("candidate_questions")
def test_nobody_asks_candidates_in_a_booth_where_answers_are_on_the_ballot(opened):
    board = opened(ANN, BEN, questions_from="everyone")
    question = CandidateQuestion("q1", "Who pays?", "", 1, Fate.SHOWN)
    table().write(*qa_store.sending(asked.board("Board"), question))
    questions.answer(None, board, elections.candidates_of(board)[0], "q1", "We all do.", 1)
    station = new_station(board)
    booth = paired(station)
    let_in(station, ANN)
    booth.post(START)
    ballot = text_of(booth.get(PAGE))
    assert "We all do." in ballot
    path = reverse("candidate_questions", args=["Board"])
    assert path not in ballot
    for act in ({"text": "Who asks?"}, {"upvote": "q1"}):
        assert booth.post(path, act)["Location"] == BOOTH
    assert booth.get(path)["Location"] == BOOTH
    found = asked.read("Board")
    assert ([each.text for each in found.questions], found.upvotes) == (["Who pays?"], {})


def test_an_address_that_leads_nowhere_leaves_the_booth_a_booth(booth):
    assert booth.get("/no/such/page/").status_code == 404
    assert "Please wait" in text_of(booth.get(BOOTH))


# --- when a visit ends ---


def later(seconds: float) -> str:
    return as_text(datetime.fromisoformat(now_text()) + timedelta(seconds=seconds))


def test_after_some_minutes_without_a_page_the_visit_is_over(station, booth, monkeypatch):
    let_in(station, ANN)
    booth.post(START)
    clock.stands_at(monkeypatch, later(rules.IDLE_SECONDS - 5))
    assert booth.get(PAGE).status_code == 200, "which extends it"
    clock.stands_at(monkeypatch, later(rules.IDLE_SECONDS - 5))
    assert booth.get("/station/state/").status_code == 204
    clock.stands_at(monkeypatch, later(10))
    assert booth.get("/station/state/")["Location"] == BOOTH
    assert booth.post(f"{PAGE}cast/", {"rank-0": "1"})["Location"] == BOOTH
    assert "Please wait" in text_of(booth.get(BOOTH))
    assert LINKS not in entry_of(ANN)
    assert PASS not in cookies(booth)
    assert not entry_of(ANN)["voted"]


def test_touching_the_page_extends_the_visit(station, booth, monkeypatch):
    let_in(station, ANN)
    booth.post(START)
    for _time in range(3):
        clock.stands_at(monkeypatch, later(rules.IDLE_SECONDS - 5))
        assert booth.get("/station/state/?active=1").status_code == 204
    assert booth.get(PAGE).status_code == 200


def test_when_a_visit_is_over_is_decided_by_the_clock():
    visit = Visit("h", "v", "2026-01-01T12:00:00.000Z", is_picked_up=True)
    station = Station("Board", "1", "Booth", "2026-01-01T08:00:00.000Z", device="d", visit=visit)
    own = Device("Board", "1", "s", "h", "2026-01-01T12:00:00.000Z")
    other = replace(own, visit="")
    assert rules.is_voting(station, own, "2026-01-01T12:10:00.000Z")
    assert not rules.is_voting(station, own, "2026-01-01T12:10:00.001Z")
    assert rules.is_abandoned(station, own, "2026-01-01T12:10:00.001Z")
    assert not rules.is_voting(station, other, "2026-01-01T12:00:01.000Z")
    assert not rules.is_abandoned(station, other, "2026-01-01T12:00:15.000Z"), "its cookie may be on the way"
    assert rules.is_abandoned(station, other, "2026-01-01T12:00:15.001Z")
    waiting = replace(station, visit=replace(visit, is_picked_up=False))
    assert not rules.is_abandoned(waiting, other, "2026-01-01T18:00:00.000Z")


def test_taking_back_locks_the_booth(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    services.take_back(organiser(), board, station.id)
    assert booth.get(PAGE)["Location"] == BOOTH
    assert booth.post(f"{PAGE}cast/", {"rank-0": "1"})["Location"] == BOOTH
    assert LINKS not in entry_of(ANN)
    assert PASS in cookies(booth)
    booth.get(BOOTH)
    assert PASS not in cookies(booth)


def test_letting_the_next_voter_in_instead_ends_the_visit_of_the_one_before(station, booth):
    let_in(station, ANN)
    booth.post(START)
    let_in(station, BEN, instead=True)
    assert LINKS not in entry_of(ANN)
    assert BEN in text_of(booth.get(BOOTH))
    assert ANN not in text_of(booth.get(BOOTH))
    assert PASS not in cookies(booth)


def test_somebody_who_may_not_vote_puts_nobody_out_of_the_booth(station, booth):
    let_in(station, ANN)
    booth.post(START)
    with pytest.raises(NotOnTheRoll):
        let_in(station, "stranger@example.org", instead=True)
    assert booth.get(PAGE).status_code == 200


def test_whoever_was_let_in_by_mistake_is_replaced_without_a_question(station, booth):
    let_in(station, ANN)
    let_in(station, BEN)
    assert LINKS not in entry_of(ANN)
    assert BEN in text_of(booth.get(BOOTH))


def test_an_officer_is_asked_before_somebody_who_votes_is_put_out(by_letter):
    codes, booth, client = codes_of(), paired(by_letter), sign_in(organiser())
    desk = f"/election/Board/stations/{by_letter.id}/"
    let_in(by_letter, ANN)
    booth.post(START)
    for where, form in (("let-in/", {"voter": "4711@"}), ("letter/", {"code": codes["4711@"]})):
        asked = client.post(f"{desk}{where}", form)
        assert asked.status_code == 409
        assert "They have left: let member 4711 vote" in text_of(asked)
        assert booth.get(PAGE).status_code == 200
    page = asked.content.decode()
    assert 'name="instead" value="1"' in page
    client.post(f"{desk}let-in/", fields_of(asked, f"{desk}let-in/") | {"instead": "1"})
    assert "member 4711" in text_of(booth.get(BOOTH))


def test_what_was_unlocked_and_taken_back_cannot_be_started(board, station, booth):
    let_in(station, ANN)
    services.take_back(organiser(), board, station.id)
    assert booth.post(START)["Location"] == BOOTH
    assert PASS not in cookies(booth)


def test_closing_the_station_ends_its_visit_and_frees_the_browser(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    services.close(organiser(), board, station.id)
    assert repository.every("Board") == []
    assert LINKS not in entry_of(ANN)
    assert booth.get(BOOTH)["Location"] == PAIR
    assert booth.get("/help/").status_code == 200


def test_the_close_of_the_election_ends_every_visit(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    closing.close_and_follow_up(organiser(), board)
    seal_closed("Board")
    assert LINKS not in entry_of(ANN)
    assert now_at(station).visit is None
    assert "No votes are taken now" in text_of(booth.get(BOOTH))
    with pytest.raises(Refusal):
        let_in(station, BEN)
    services.close(organiser(), elections.find("Board"), station.id)


def test_a_receipt_stays_when_the_election_closes_until_somebody_finishes(board, station, booth, monkeypatch):
    let_in(station, ANN)
    booth.post(START)
    vote(booth, rank_1="1")
    closing.close_and_follow_up(organiser(), board)
    seal_closed("Board")
    assert LINKS not in entry_of(ANN)
    assert booth.get("/station/state/").status_code == 204
    assert booth.get(PAGE)["Location"] == BOOTH, "but no page of the ballot opens"
    booth.post(FINISH)
    assert cookies(booth) <= {browser.COOKIE, "csrftoken"}
    assert booth.get("/station/state/")["Location"] == BOOTH


def test_whoever_leaves_a_receipt_open_at_the_close_is_out_after_some_minutes(board, station, booth, monkeypatch):
    let_in(station, ANN)
    booth.post(START)
    closing.close_and_follow_up(organiser(), board)
    seal_closed("Board")
    clock.stands_at(monkeypatch, later(rules.IDLE_SECONDS + 1))
    assert booth.get("/station/state/")["Location"] == BOOTH


# --- at the same moment ---


@pytest.mark.few(1)
@pytest.mark.parametrize("is_secret", [True, False])
def test_whoever_votes_by_all_channels_at_the_same_moment_has_one_vote(opened, is_secret):
    opened("Eve", BEN, CLEO, vote_by_link=True, paper_ballots=True, secret_ballot=is_secret)
    station = new_station()
    booth, by_link, signed_in, officer = paired(station), Client(), sign_in(people.find("Eve")), sign_in(organiser())
    link = voting.link_to("Board", "Eve", people.find("Eve").email)
    by_link.post(reverse("vote_by_link", args=[link.token]))
    let_in(station, "Eve")
    booth.post(START)
    casts = [about_to_cast(client, place) for place, client in enumerate((booth, by_link, signed_in))]
    on_paper = {"voter": "Eve", "rank-0": "1", "token": "the form"}
    found = at_once(*casts, lambda: officer.post(reverse("enter_paper", args=["Board"]), on_paper, follow=True))
    assert {each.status_code for each in found} <= {200, 302, 403, 422}
    assert len(list(ballots.every_ballot("Board"))) == 1
    booth.post(FINISH)
    entry = entry_of("Eve")
    assert entry["voted"]
    assert "station" not in {mark for mark, _hash in entry[LINKS]}


def about_to_cast(client: Client, place: int):
    """Has the ballot before them, reviewed."""
    review = client.post(PAGE, fields_of(client.get(PAGE), PAGE) | {f"rank-{place}": "1"}, follow=True)
    fields = fields_of(review, f"{PAGE}cast/")
    return lambda: client.post(f"{PAGE}cast/", fields)


def device_of(client: Client) -> Device:
    return Device(*read_token("station", client.cookies[browser.COOKIE].value, None))


def test_of_two_officers_who_look_at_once_one_lets_somebody_in(station, booth):
    lost(lambda: let_in(station, BEN), to=lambda: let_in(station, ANN))
    assert [voter for voter in (ANN, BEN) if LINKS in entry_of(voter)] == [ANN]


def test_of_two_windows_that_look_at_once_one_picks_up_the_visit(station, booth):
    let_in(station, ANN)
    assert isinstance(lost(*[partial(services.pick_up, device_of(booth), now_text())] * 2), Busy)


def test_who_is_let_in_while_the_station_is_closed_has_no_link_left(board, station, booth):
    with overtaken_by(lambda: let_in(station, ANN)):
        services.close(organiser(), board, station.id)
    assert repository.find("Board", station.id) is None
    assert LINKS not in entry_of(ANN)


def test_a_station_that_is_closed_meanwhile_lets_nobody_in(board, station, booth):
    assert isinstance(
        lost(lambda: let_in(station, ANN), to=lambda: services.close(organiser(), board, station.id)), NoStation
    )
    assert repository.find("Board", station.id) is None
    assert LINKS not in entry_of(ANN)


def test_a_visit_that_is_taken_back_while_the_next_voter_is_let_in_leaves_no_link(board, station, booth):
    let_in(station, ANN)
    with overtaken_by(lambda: let_in(station, BEN)):
        services.take_back(organiser(), board, station.id)
    assert now_at(station).visit is None
    assert [voter for voter in (ANN, BEN) if LINKS in entry_of(voter)] == []


def test_who_finishes_late_does_not_put_out_the_next_voter(board, station, booth):
    """Whose link was replaced meanwhile, so that only the station itself says who is in."""
    let_in(station, ANN)
    first = now_at(station).visit
    table().write(Update(keys.voter("Board", ANN), remove=(LINKS,), when=Exists()))
    with overtaken_by(lambda: let_in(station, BEN, instead=True)):
        services.end_visit("Board", station.id, first.hash)
    assert repository.visitor_of(now_at(station).visit)[0] == BEN
    assert LINKS in entry_of(BEN)


def test_letting_in_and_closing_the_station_leave_no_mark(board, station, booth):
    at_once(lambda: let_in(station, ANN), lambda: services.close(organiser(), board, station.id))
    assert repository.every("Board") == []
    assert LINKS not in entry_of(ANN)


def test_a_vote_that_is_cast_while_it_is_taken_back_counts_or_not_and_leaves_no_mark(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    review = booth.post(PAGE, fields_of(booth.get(PAGE), PAGE) | {"rank-1": "1"}, follow=True)
    fields = fields_of(review, f"{PAGE}cast/")
    at_once(lambda: booth.post(f"{PAGE}cast/", fields), lambda: services.take_back(organiser(), board, station.id))
    assert LINKS not in entry_of(ANN)
    assert len(list(ballots.every_ballot("Board"))) == int(entry_of(ANN)["voted"])


def test_who_is_cut_off_between_two_voters_leaves_the_booth_free(board, station, booth, monkeypatch):
    """Killed after the visit before has ended, and before the next one has begun."""
    let_in(station, ANN)
    monkeypatch.setattr(services, "_let_in", lambda *_given: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        let_in(station, BEN)  # instead of somebody who has not begun
    assert now_at(station).booth == Booth.FREE
    assert LINKS not in entry_of(ANN)
    monkeypatch.undo()
    let_in(station, BEN)
    assert now_at(station).booth == Booth.WAITING


def test_an_answer_that_got_lost_frees_the_booth_after_a_moment(station, booth, monkeypatch):
    let_in(station, ANN)
    services.pick_up(device_of(booth), now_text())
    assert "Please wait" in text_of(booth.get(BOOTH))
    assert now_at(station).booth == Booth.VOTING
    clock.stands_at(monkeypatch, later(rules.PICK_UP_SECONDS + 1))
    booth.get(BOOTH)
    assert now_at(station).booth == Booth.FREE
    assert LINKS not in entry_of(ANN)


# --- the pages of organisers ---


def test_an_organiser_opens_a_station_and_lets_somebody_in(board):
    client = sign_in(organiser())
    page = client.get("/election/Board/stations/")
    assert "No polling station yet" in text_of(page)
    opened = client.post("/election/Board/stations/", {"name": "Booth #1 <b>", "token": "t"}, follow=True)
    (station,) = repository.every("Board")
    assert "Booth #1 <b>" in text_of(opened)
    assert "Booth #1 <b>" not in opened.content.decode()
    desk = f"/election/Board/stations/{station.id}/"
    assert repository.code_for(station) in text_of(client.get(desk))
    booth = paired(station)
    assert repository.code_for(station) not in text_of(client.get(desk))
    found = client.get(desk, {"q": "ann"})
    assert "Let them vote" in text_of(found)
    assert "waiting for the voter" in text_of(client.post(f"{desk}let-in/", {"voter": ANN}, follow=True))
    booth.post(START)
    assert "somebody is voting" in text_of(client.get(desk))
    assert ANN not in text_of(client.get(desk)), "whoever it is"
    assert "locked again" in text_of(client.post(f"{desk}take-back/", follow=True))
    client.post(f"{desk}code/")
    assert repository.code_for(now_at(station)) in text_of(client.get(desk))
    client.post(f"{desk}close/")
    assert repository.every("Board") == []
    assert client.get(desk).status_code == 404


def test_the_desk_answers_a_look_only_with_news(board, station):
    client, desk = sign_in(organiser()), f"/election/Board/stations/{station.id}/"

    def look(page) -> str:
        return unescape(re.search(r'id="booth-now"[^>]* hx-get="([^"]+)"', page.content.decode())[1])

    unpaired = look(client.get(desk))
    assert client.get(unpaired, headers={"HX-Request": "true"}).status_code == 204
    paired(station)
    free = client.get(unpaired, headers={"HX-Request": "true"})
    assert "Find the next voter" in text_of(free)
    assert client.get(look(free), headers={"HX-Request": "true"}).status_code == 204
    let_in(station, ANN)
    assert "waiting for the voter" in text_of(client.get(look(free), headers={"HX-Request": "true"}))


def test_a_booth_does_not_show_the_page_that_pairs_it(booth, station):
    assert booth.get(PAIR, {"code": "1234"})["Location"] == BOOTH
    services.close(organiser(), elections.find("Board"), station.id)
    assert booth.get(PAIR).status_code == 200


def test_a_refusal_at_the_desk_is_a_sentence(board, station, booth):
    client = sign_in(organiser())
    answer = client.post(f"/election/Board/stations/{station.id}/let-in/", {"voter": "nobody"}, follow=True)
    assert "Nobody with that name is on the roll" in text_of(answer)


@pytest.mark.parametrize("where", ["", "let-in/", "take-back/", "code/", "close/"])
def test_nobody_else_gets_to_the_desk(board, station, where):
    address = f"/election/Board/stations/{station.id}/{where}"
    for client, status in ((Client(), 302), (sign_in("Eve"), 403), (sign_in("admin", Role.ADMIN), 403)):
        answer = client.post(address) if where else client.get(address)
        assert answer.status_code == status
    assert now_at(station) == station
    assert sign_in(organiser()).post(f"/election/Board/stations/unknown/{where}").status_code in (404, 405)


def test_a_station_of_another_election_is_not_found(opened, station):
    opened(ANN, name="Other")
    assert sign_in(organiser()).get(f"/election/Other/stations/{station.id}/").status_code == 404


def test_services_check_who_acts_and_when(board, station):
    stranger = make_person("stranger")
    for act in (
        lambda: services.open_(stranger, board, "Booth", "f"),
        lambda: services.close(stranger, board, station.id),
        lambda: services.renew_code(stranger, board, station.id),
        lambda: services.let_in(stranger, board, station.id, ANN),
        lambda: services.take_back(stranger, board, station.id),
    ):
        with pytest.raises(NotAllowed):
            act()
    closed = closing.close(organiser(), board)
    with pytest.raises(WrongState):
        services.open_(organiser(), closed, "Booth", "g")
    with pytest.raises(WrongState):
        services.renew_code(organiser(), closed, station.id)


def test_the_log_says_who_opened_and_closed_a_station(board, station):
    services.close(organiser(), board, station.id)
    told = [(each["event_type"], each["actor"], each["event_data"].get("name")) for each in log().since(0)]
    assert ("StationOpened", "the organiser", "Booth 1") in told
    assert ("StationClosed", "the organiser", "Booth 1") in told
    history = text_of(sign_in(organiser()).get("/election/Board/history/"))
    assert "the organiser opened the polling station “Booth 1”." in history
    assert "the organiser closed the polling station “Booth 1”." in history
