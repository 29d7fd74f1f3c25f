"""Votes that count several times: on the roll, on the ballot, in the count and in the proof."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts import repository as people
from accounts.models import User
from ballots import repository, services
from ballots.sealing import seal_closed
from elections import actions, rolls, voter_lists
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import imports
from elections.roll.services import add_voters, remove_voter
from elections.rules import Action, Election, NotReady, WrongState
from elections.turnout.counts import tells_who, turnout
from elections.voter_lists import Details
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.pages.lists import Verdict
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import seal
from foundation.store.table import Update
from foundation.tally.ballots import Ballots, ranking_of, text_of
from foundation.tally.majorities import ABSTAIN, NO, YES
from foundation.tally.methods import KIND_OF, METHODS, count
from results import incoming as coming_in
from results import proof
from results import services as results
from results.exports import verify
from results.exports.files import EXPORTS
from tests.background import finish_background
from tests.people import enrol, sign_in
from tests.results.test_bundle import changed, unpacked
from tests.results.test_bundle import verdict as verdict  # a fixture

from .conftest import draft_asking, ranks
from .test_pages import fields_of
from .test_pages import text_of as words_of_page

NAME = "Board"
SECRET = "5" * 32


@pytest.fixture
def organiser(person) -> User:
    return people.find("the organiser") or person("the organiser")


@pytest.fixture
def drafted(organiser) -> Callable[..., Election]:
    """A draft with the candidates Ada, Bo and Cy, and voters with these weights."""

    def make(weights: Mapping[str, int], name: str = NAME, **settings) -> Election:
        election = drafts.create(organiser, name, **settings)
        add_candidates(organiser, election, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
        weigh(organiser, name, weights)
        return elections.find(name)

    return make


@pytest.fixture
def opened(organiser, drafted) -> Callable[..., Election]:
    def make(weights: Mapping[str, int], **settings) -> Election:
        return lifecycle.open_(organiser, drafted(weights, **settings), editable=False)

    return make


@pytest.fixture
def begun(organiser) -> Callable[..., Election]:
    """A secret election with weights, as an earlier version opened it. A draft has them by what it is copied from."""

    def make(weights: Mapping[str, int], **settings) -> Election:
        draft = weighted_draft(organiser, weights, **settings)
        return lifecycle.open_now(organiser, rolls.as_it_would_open(draft), editable=False)

    return make


def weighted_draft(organiser: User, weights: Mapping[str, int], **settings) -> Election:
    """Secret, from an assembly in which some votes count several times."""
    enrol(*weights)
    voters = {voter: people.find(voter).created_at for voter in weights}
    copying.make(organiser, NAME, ["Ada", "Bo", "Cy"], voters, weights=weights, **settings)
    finish_background()
    return elections.find(NAME)


def weigh(organiser: User, name: str, weights: Mapping[str, int]) -> None:
    enrol(*weights)
    known = {voter: Details(weight=weight) for voter, weight in weights.items()}
    add_voters(organiser, elections.find(name), list(weights), known)


def weights_on_roll(name: str = NAME) -> dict[str, int]:
    return {voter.name: voter.weight for voter in rolls.every_voter(name)}


def cast(voter: str, *, secret: str = "", name: str = NAME, **ranking: int) -> None:
    services.cast(people.find(voter), name, ranks(**ranking), f"{voter} {ranking} {name}", secret=secret)


def sealed(name: str = NAME):
    closing.close(people.find("the organiser"), elections.find(name))
    found = results.find(name)
    seal.Sealer(table()).seal()
    return found


FEW = {"Eve": 12, "Bob": 3, "Kim": 1}
MANY = {f"one {number}": 1 for number in range(5)} | {f"seven {number}": 7 for number in range(5)}


# --- casting and counting ---


def test_a_public_ballot_has_the_weight_of_its_voter_and_counts_so_often(site, opened):
    opened(FEW, secret_ballot=False)
    cast("Eve", Ada=1)
    cast("Bob", Bo=1)
    cast("Kim", Bo=1)
    stored = {item["voter_name"]: item.get("weight") for item in site.each(*keys.ballots(NAME))}
    assert stored == {"Eve": 12, "Bob": 3, "Kim": None}, "once is not stored"
    assert repository.read_ballots(elections.find(NAME)).counts == {"0": 12, "1": 4}
    assert (turnout(NAME).voted, turnout(NAME).votes) == (3, 16)
    cast("Eve", Cy=1)
    services.withdraw(people.find("Bob"), NAME, "gone")
    assert (turnout(NAME).voted, turnout(NAME).votes) == (2, 13)
    found = sealed()
    result = found.report.result
    assert (result.winners, result.total, found.seal.ballots) == (("Cy",), 13, 2)
    assert proof.check_sealed(elections.find(NAME)) is None


def test_a_secret_ballot_that_has_a_weight_keeps_it_when_it_is_changed_withdrawn_and_cast_again(site, begun):
    begun(MANY)
    cast("seven 1", Ada=1, secret=SECRET)
    for form, ranking in (("change", "Bo"), ("withdraw", ""), ("again", "Cy")):
        if ranking:
            services.cast(None, NAME, ranks(**{ranking: 1}), form, secret=SECRET)
        else:
            services.withdraw(None, NAME, form, secret=SECRET)
        (item,) = site.each(*keys.ballots(NAME))
        assert item["weight"] == 7
        assert turnout(NAME).votes == (7 if ranking else 0)
    assert set(item) == {"PK", "SK", "rankings", "confirmation", "weight"}
    assert repository.read_ballots(elections.find(NAME)).counts == {"2": 7}


def test_a_secret_election_with_weights_is_sealed_as_it_was_begun(site, begun):
    begun(MANY)
    for voter in MANY:
        cast(voter, **({"Ada": 1} if "one" in voter else {"Bo": 1}))
    found = sealed()
    assert found.report.result.winners == ("Bo",)
    assert Counter(each.get("weight") for each in repository.every_published(NAME)) == {None: 5, 7: 5}
    assert proof.check_sealed(elections.find(NAME)) is None
    seal_closed()
    assert not list(site.each(*keys.ballots(NAME))), "the box is emptied: what was in it is published"


def test_live_results_count_weights(opened, monkeypatch):
    opened(FEW, secret_ballot=False, results_visible="live")
    cache = coming_in.ElectionCountCache()
    monkeypatch.setattr("results.running_count.REFRESH_SECONDS", 0)
    monkeypatch.setattr("results.running_count.REST_FACTOR", 0)
    cast("Kim", Bo=1)
    assert cache.get(NAME).result.total == 1
    cast("Eve", Ada=1)
    look = cache.get(NAME)
    assert (look.ballots, look.result.total, look.result.winners) == (2, 13, ("Ada",))
    cast("Eve", Cy=1)
    assert cache.get(NAME).result.winners == ("Cy",)
    sealed()  # which holds the ballots against those by the time they were cast


def test_weights_that_do_not_add_up_are_not_sealed(site, opened):
    opened(FEW, secret_ballot=False)
    cast("Eve", Ada=1)
    site.write(Update(keys.ballot(NAME, "Eve"), set={"weight": 13}))
    closing.close(people.find("the organiser"), elections.find(NAME))
    with pytest.raises(results.Disagreement, match="13 votes, but the gates have counted 12"):
        results.seal_result(elections.find(NAME))


def test_a_weight_changed_after_the_seal_is_found(site, opened):
    opened(FEW, secret_ballot=False)
    cast("Eve", Ada=1)
    sealed()
    site.write(Update(keys.ballot(NAME, "Eve"), set={"weight": 13}))
    assert "is not what was sealed" in proof.check_sealed(elections.find(NAME))


def test_who_was_removed_and_is_back_with_another_weight_does_not_vote_with_the_first(site, opened, monkeypatch):
    """Only somebody who leaves the site is taken off the roll of an open election."""
    opened(FEW, secret_ballot=False)
    read = repository.context_of_account

    def read_then_change(*arguments, **options):
        context = read(*arguments, **options)
        if context.entry["weight"] == 12:
            site.write(Update(keys.voter(NAME, "Eve"), set={"weight": 2}))
        return context

    monkeypatch.setattr(repository, "context_of_account", read_then_change)
    cast("Eve", Ada=1)
    assert site.get(keys.ballot(NAME, "Eve"))["weight"] == 2


# --- secrecy ---


REFUSED = "A secret ballot that counts several times would show whose it is."


@pytest.mark.parametrize("questions", [("Chair",), ("Chair", "Colour")])
def test_a_secret_election_with_weights_does_not_open_until_they_are_removed(organiser, questions):
    draft_asking(organiser, NAME, *questions, secret_ballot=False)
    weigh(organiser, NAME, FEW)
    table().write(Update(keys.election(NAME), set={"secret_ballot": True}))  # an earlier version let it
    name, at = NAME, f"/election/{NAME}"
    browser, button = sign_in(organiser), '<button class="button">Open it</button>'
    assert "one vote for each voter, because a secret ballot" in words_of_page(browser.get(f"{at}/dashboard/"))
    page = browser.get(f"{at}/open/")
    assert words_of_page(page).count(REFUSED) == 1, "once for all questions"
    assert "2 voters have 3 to 12 votes each: 16 votes in all." in words_of_page(page)
    assert button not in page.content.decode()
    browser.post(f"{at}/open/", {})
    assert elections.find(name).opened_at is None
    roll = words_of_page(browser.get(f"/election/{name}/roll/"))
    assert REFUSED in roll
    assert "Remove the weights" in roll
    browser.post(f"/election/{name}/roll/weights/remove/")
    assert set(weights_on_roll(name).values()) == {1}
    assert button in browser.get(f"{at}/open/").content.decode()
    assert "Remove the weights" not in words_of_page(browser.get(f"/election/{name}/roll/"))


def test_or_until_its_ballots_are_public(organiser):
    weighted_draft(organiser, FEW)
    browser = sign_in(organiser)
    sent = {"electorate": "listed", "voters": "", "ballots": "public", "changes": "changeable"}
    assert browser.post(f"/election/{NAME}/steps/who/", sent).status_code == 302
    browser.post(f"/election/{NAME}/open/", {})
    opened = elections.find(NAME)
    assert (opened.secret_ballot, opened.allow_vote, opened.entitled_votes) == (False, True, 16)


def test_a_draft_with_weights_cannot_be_made_secret_and_what_was_typed_stays(organiser, drafted):
    drafted(FEW, secret_ballot=False)
    browser, page = sign_in(organiser), f"/election/{NAME}/steps/who/"
    sent = {"electorate": "listed", "voters": "new@example.org", "ballots": "secret", "changes": "final"}
    refused = browser.post(page, sent)
    assert (refused.status_code, REFUSED in words_of_page(refused)) == (422, True)
    assert (elections.find(NAME).secret_ballot, elections.find(NAME).changeable) == (False, True)
    assert sign_in(people.find("Eve")).post(f"/election/{NAME}/roll/weights/remove/").status_code == 404
    browser.post(f"/election/{NAME}/roll/weights/remove/")
    assert browser.post(page, sent).status_code == 302
    assert elections.find(NAME).secret_ballot


def test_where_ballots_are_secret_nobody_gets_a_weight(organiser, drafted):
    drafted({"Eve": 1})
    browser = sign_in(organiser)
    refused = browser.post(f"/election/{NAME}/roll/", {"voters": "voter,weight\nbob@example.org,2"})
    assert (refused.status_code, REFUSED in words_of_page(refused)) == (422, True)
    assert "bob@example.org" in words_of_page(refused)
    assert "Votes each" not in words_of_page(browser.get(f"/election/{NAME}/roll/?add"))
    stale = browser.post(f"/election/{NAME}/roll/", {"voters": "bob@example.org", "weight": "2"})
    assert (stale.status_code, REFUSED in words_of_page(stale)) == (422, True)
    with pytest.raises(WrongState, match="secret ballot"):
        imports.start(
            organiser, elections.find(NAME), ["bob@example.org"], known={"bob@example.org": Details(weight=2)}
        )
    with pytest.raises(WrongState, match="secret ballot"):
        weigh(organiser, NAME, {"Eve": 2})
    weigh(organiser, NAME, {"Kim": 1})
    assert weights_on_roll() == {"Eve": 1, "Kim": 1}


def test_who_pastes_weights_and_makes_the_ballots_public_in_one_form_has_both(organiser, drafted):
    drafted({})
    browser, page = sign_in(organiser), f"/election/{NAME}/steps/who/"
    sent = {"electorate": "listed", "voters": "voter,weight\nbob@example.org,2", "changes": "changeable"}
    assert REFUSED in words_of_page(browser.post(page, sent | {"ballots": "secret"}))
    assert weights_on_roll() == {}
    assert browser.post(page, sent | {"ballots": "public"}).status_code == 302
    assert (weights_on_roll(), elections.find(NAME).secret_ballot) == ({"bob@example.org": 2}, False)


def test_an_import_that_began_before_the_ballots_became_secret_adds_no_weights(organiser, drafted):
    drafted({}, secret_ballot=False)
    names = [f"{number}@example.org" for number in range(3)]
    imports.start(organiser, elections.find(NAME), names, known=dict.fromkeys(names, Details(weight=2)))
    actions.change(organiser, elections.find(NAME), Action.SET_UP, secret_ballot=True)
    finish_background()
    assert set(weights_on_roll().values()) <= {1}


@pytest.mark.parametrize("secret", [True, False])
def test_the_preview_of_a_list_adds_up_its_weights_and_a_secret_election_takes_it_without(organiser, drafted, secret):
    drafted({}, secret_ballot=secret)
    browser = sign_in(organiser)
    lines = [*(f"{number}@example.org;{1 + (number < 14)}" for number in range(38)), "nobody here;5"]
    file = SimpleUploadedFile("roll.csv", "\n".join(["E-Mail;Stimmen", *lines]).encode())
    page = browser.post(f"/election/{NAME}/roll/import/", {"file": file})
    said = words_of_page(page)
    assert "14 voters have 2 votes each: 52 votes in all." in said
    assert ("Add 38 voters with one vote each" in said, "everybody on this list gets one vote" in said) == (secret,) * 2
    assert (f"/election/{NAME}/steps/who/" in page.content.decode()) == secret
    sent = {name: value for name, value in fields_of(page, f"/election/{NAME}/roll/import/").items() if name != "file"}
    assert browser.post(f"/election/{NAME}/roll/import/", sent).status_code == 302
    assert Counter(weights_on_roll().values()) == ({1: 38} if secret else {1: 24, 2: 14})
    assert ("38 voters · 52 votes" in words_of_page(browser.get(f"/election/{NAME}/dashboard/"))) != secret
    assert ("14 voters have 2 votes each" in words_of_page(browser.get(f"/election/{NAME}/open/"))) != secret


# --- those that an earlier version opened ---


def test_voters_of_a_secret_election_with_weights_are_told_who_can_tell_how_they_voted(organiser, begun, opened):
    begun(FEW)
    opened({"Eve": 12}, name="Public", secret_ballot=False)
    told = "whoever can read the log of this site, or made the list of voters, can tell how you voted"
    for voter in FEW:
        browser = sign_in(people.find(voter))
        assert told in words_of_page(browser.get(f"/election/{NAME}/ballot/"))
        assert told in words_of_page(browser.post(f"/election/{NAME}/ballot/", {"rank-0": "1"}, follow=True))
    assert told not in words_of_page(sign_in(people.find("Eve")).get("/election/Public/ballot/"))


def test_it_goes_on_as_it_was_promised_and_nobody_else_gets_a_weight(organiser, begun):
    begun(MANY)
    services.remove_ballots_of(people.find("seven 0"))
    assert "seven 0" not in weights_on_roll(), "nobody has voted, so it tells nothing"
    for voter in list(MANY)[:4]:
        cast(voter, Ada=1)
    assert not tells_who(elections.find(NAME), 4), "its voters were promised that nobody is shown who has voted"
    assert 'class="badge open">voted' not in sign_in(organiser).get(f"/election/{NAME}/roll/").content.decode()
    weigh(organiser, NAME, {"late": 1})
    with pytest.raises(WrongState, match="secret ballot"):
        weigh(organiser, NAME, {"later": 7})
    sealed()
    (roll,) = [json.loads(unpacked(NAME)["roll.json"])]
    assert {each["voted"] for each in roll["voters"]} == {None}, "nor afterwards, by ballots of few weights"


def test_while_one_or_two_have_voted_in_secret_who_leaves_stays_on_the_roll(opened):
    opened({f"voter {number}": 1 for number in range(6)})
    services.remove_ballots_of(people.find("voter 0"))
    assert "voter 0" not in weights_on_roll(), "nobody has voted, so it tells nothing"
    cast("voter 1", Ada=1)
    services.remove_ballots_of(people.find("voter 4"))
    assert "voter 4" in weights_on_roll()
    for voter in ("voter 2", "voter 3"):
        cast(voter, Ada=1)
    services.remove_ballots_of(people.find("voter 5"))
    assert "voter 5" not in weights_on_roll(), "organisers see who has voted"


# --- the roll ---


def test_weights_come_with_a_list_and_change_with_another_while_it_is_a_draft(organiser, drafted):
    drafted({"Eve": 2, "Bob": 1}, secret_ballot=False)
    weigh(organiser, NAME, {"Eve": 5, "Bob": 1, "Kim": 3})
    assert weights_on_roll() == {"Bob": 1, "Eve": 5, "Kim": 3}
    weigh(organiser, NAME, {"Eve": 1})
    assert weights_on_roll()["Eve"] == 1
    add_voters(organiser, elections.find(NAME), ["Kim"])
    assert weights_on_roll()["Kim"] == 3, "a list without weights leaves them as they are"
    election = lifecycle.open_(organiser, elections.find(NAME), editable=True)
    weigh(organiser, NAME, {"Kim": 8})
    assert weights_on_roll()["Kim"] == 3, "fixed when it opens"
    assert election.entitled_votes == 1 + 1 + 3


@pytest.mark.parametrize("typed", ["0", "-1", "1.5", "many", "1000001", "1e3", "٣", "9" * 30])
def test_a_weight_that_is_none_is_refused_with_its_row(typed):
    (row,) = voter_lists.read_voters(f"voter,weight\nEve,{typed}".encode())
    assert row.verdict == Verdict.INVALID
    assert "whole number" in row.reason


def test_a_list_says_weights_in_a_column_with_any_of_its_names():
    for heading in ("Weight", "weights", "Stimmen", "Gewicht", "Votes"):
        rows = voter_lists.read_voters(f"voter;{heading}\nEve;12\nBob;\nKim; 1 \nMax;1000000".encode())
        assert [(row.verdict, row.weight) for row in rows] == [
            (Verdict.NEW, 12),
            (Verdict.NEW, 1),
            (Verdict.NEW, 1),
            (Verdict.NEW, 1_000_000),
        ]
    (row,) = voter_lists.read_voters(b"voter\nEve")
    assert row.weight is None, "it says nothing"


def test_a_long_list_is_imported_with_its_weights(organiser, drafted):
    drafted({"Eve": 2}, secret_ballot=False)
    names = [f"{number}@example.org" for number in range(200)]
    known = {name: Details(weight=number % 3 + 1) for number, name in enumerate(names)}
    new = imports.start(organiser, elections.find(NAME), names, known=known)
    imports.resume(organiser, elections.find(NAME), new, 60)
    assert Counter(weights_on_roll().values()) == {1: 67, 2: 68, 3: 66}


def test_the_page_takes_shows_and_exports_weights(organiser, drafted):
    drafted({"Eve": 2}, secret_ballot=False)
    enrol("Bob", "Kim")
    browser = sign_in(organiser)
    assert browser.post(f"/election/{NAME}/roll/", {"voters": "Bob\nKim", "weight": "12"}).status_code == 302
    page = browser.get(f"/election/{NAME}/roll/").content.decode()
    assert page.count("12 votes</span>") == 2
    weigh(organiser, NAME, {"Max": 1_000_000})
    page = browser.get(f"/election/{NAME}/roll/").content.decode()
    assert ('<span class="votes">Votes</span>' in page, "1,000,000 votes</span>" in page) == (True, True)
    german = browser.get(f"/election/{NAME}/roll/", headers={"accept-language": "de"}).content.decode()
    assert "1.000.000 Stimmen</span>" in german
    remove_voter(organiser, elections.find(NAME), "Max")
    exported = b"".join(browser.get(f"/election/{NAME}/roll/roll.csv").streaming_content).decode()
    back = {row.value: row.weight for row in voter_lists.read_voters(exported.encode())}
    assert back == {"Bob": 12, "Eve": 2, "Kim": 12}
    for typed in ("0", "-3", "1.5", "many", "1000001"):
        refused = browser.post(f"/election/{NAME}/roll/", {"voters": "Max", "weight": typed})
        assert refused.status_code == 422, typed


def test_where_everybody_here_may_vote_there_are_no_weights(organiser, drafted):
    drafted({}, electorate="everyone")
    with pytest.raises(Refusal, match="weight"):
        weigh(organiser, NAME, {"ann@example.org": 2})
    drafted({"Eve": 2}, name="Second", secret_ballot=False)
    table().write(Update(keys.election("Second"), set={"electorate": "everyone"}))
    with pytest.raises(NotReady, match="weight"):
        lifecycle.open_(organiser, elections.find("Second"), editable=False)


def test_a_copy_has_the_weights_and_who_leaves_takes_theirs_along(organiser, drafted):
    drafted(FEW, secret_ballot=False)
    remove_voter(organiser, elections.find(NAME), "Eve")
    copying.copy(organiser, elections.find(NAME), "Again")
    assert weights_on_roll("Again") == {"Bob": 3, "Kim": 1}
    opened = lifecycle.open_(organiser, elections.find("Again"), editable=False)
    assert opened.entitled_votes == 4


def test_a_vote_counts_as_often_in_all_questions_of_a_ballot(organiser):
    draft_asking(organiser, "Spring", "Chair", "Song", secret_ballot=False)
    weigh(organiser, "Spring", FEW)
    with pytest.raises(WrongState, match="secret ballot"):
        actions.change(organiser, elections.find("Spring"), Action.SET_UP, secret_ballot=True)
    election = lifecycle.open_(organiser, elections.find("Spring"))
    services.cast(people.find("Eve"), "Spring", {"0": ["1"], "2:1": ["1"]}, "form")
    assert [[each.weight for each in repository.every_ballot(one)] for one in election.questions] == [[12], [12]]


def test_a_paper_ballot_has_the_weight_of_its_voter(site, organiser, opened):
    opened(FEW, secret_ballot=False, paper_ballots=True)
    services.enter_paper(organiser, NAME, "Eve", ranks(Ada=1), "paper")
    assert site.get(keys.ballot(NAME, "Eve"))["weight"] == 12


# --- what voters see ---


def test_voters_read_how_often_their_vote_counts(person, opened):
    opened(FEW, secret_ballot=False)
    eve, kim = sign_in(people.find("Eve")), sign_in(people.find("Kim"))
    ballot = f"/election/{NAME}/ballot/"
    assert "Your vote counts 12 times." in eve.get(ballot).content.decode()
    assert "counts 1 time" not in kim.get(ballot).content.decode()
    page = eve.post(ballot, {"rank-0": "1"}, follow=True).content.decode()
    assert "Is this your ballot?" in page
    assert "Your vote counts 12 times." in page


def test_the_result_tells_ballots_and_votes(organiser, opened):
    opened(FEW, secret_ballot=False)
    cast("Eve", Ada=1)
    cast("Kim", Bo=1)
    found = sealed()
    browser = sign_in(organiser)
    told = re.compile(r"2 of 3 voters\s*· 13 votes")
    for page in ("results", "results/screen"):
        assert told.search(browser.get(f"/election/{NAME}/{page}/").content.decode()), page
    listed = browser.get(f"/election/{NAME}/results/follow/").content.decode()
    assert re.findall(r'data-label="Weight" class="number">(\d+)<', listed).count("12") == 1
    assert "the 2 published ballots" in browser.get(f"/election/{NAME}/results/recount/").content.decode()
    without = browser.get(f"/election/{NAME}/results/what-if/", {"voters": "Eve"}).content.decode()
    assert "1 of 3 voters" in without
    assert "2 ballots were counted. Together they have 13 votes." in "".join(EXPORTS["report.txt"].make(found))
    header, *rows = "".join(EXPORTS["single-ballots.csv"].make(found)).lstrip("\ufeff").splitlines()
    assert header == "code,voter,weight,ranking"
    assert {row.split(",")[1]: row.split(",")[2] for row in rows} == {"Eve": "12", "Kim": "1"}
    assert b"12 1 0" in b"".join(EXPORTS["ballots.blt"].make(found)), "BLT lines begin with how many votes they are"


# --- the proof ---


@pytest.mark.parametrize("secret", [True, False])
def test_the_bundle_agrees_with_weights_and_says_no_if_one_was_changed(opened, begun, verdict, secret):
    begun(MANY) if secret else opened(MANY, secret_ballot=False)
    for voter in list(MANY)[:-1]:
        cast(voter, **({"Ada": 1, "Bo": 2} if "one" in voter else {"Bo": 1}))
    sealed()
    files = unpacked(NAME)
    status, said = verdict(files)
    assert status == 0, said
    heavier = changed(files, "ballots.json", lambda every: every[0].update(weight=8))
    assert verdict(heavier)[0] == 1
    assert verdict(changed(files, "roll.json", lambda roll: roll["voters"][0].update(weight=8)))[0] == 1
    bundle = verify.Bundle.__new__(verify.Bundle)
    bundle.rules, bundle.roll = json.loads(files["rules.json"]), json.loads(files["roll.json"])
    bundle.ballots = json.loads(files["ballots.json"])
    bundle.check_weights()
    ones = [each for each in bundle.ballots if "weight" not in each]
    ones[0]["weight"] = 7
    ones[1]["weight"] = 7
    with pytest.raises(verify.Wrong, match="weights of the ballots"):
        bundle.check_weights()


@pytest.mark.few(5)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_counts_large_weights_exactly(method):
    """Ten thousand voters who have a million votes each decide as they do with one."""
    chance, kind = Random(42), KIND_OF[method]
    names = (YES, NO, ABSTAIN) if kind == "yes-no" else tuple("ABCDEF")
    ones: Counter[str] = Counter()
    for _ in range(10_000):
        some = chance.sample(range(len(names)), 1 if kind == "yes-no" else chance.randint(1, len(names)))
        if kind in ("score", "points"):
            ones[text_of({number: chance.randint(0, 5) for number in some})] += 1
        else:
            ones[ranking_of([[number] for number in some] if kind == "ranked" else [some])] += 1
    large = {text: number * voter_lists.MAX_WEIGHT for text, number in ones.items()}
    rules = {"seats": 2} if method.startswith("stv") else {}
    once, often = (count(Ballots(names, each), method, seed="lots", **rules) for each in (ones, large))
    assert often.total == 10_000 * voter_lists.MAX_WEIGHT
    assert (once.winners, once.places) == (often.winners, often.places)
