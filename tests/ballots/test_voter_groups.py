"""Voters see and answer only the questions that are for their groups, signed in, by link and on paper."""

from __future__ import annotations

import json
import zipfile

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from ballots.passes import Pass
from ballots.rules import NotOnTheRoll
from ballots.sealing import seal_closed
from elections import actions, own_elections, rolls, sharding
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters, remove_together
from elections.rules import Action
from elections.voter_lists import Details
from foundation.acts.storage import now_text, table
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import BadRanking
from foundation.store.log.seal import Sealer
from foundation.store.table import Refused, Update
from operations.upkeep import replay
from results import repository as results
from results.exports import verify as program
from results.exports.bundle import bundle
from tests import voting
from tests.people import enrol

from .conftest import draft_asking
from .test_pages import text_of

GROUPS = {"Eve": ("Staff",), "Bob": ("Staff", "Board"), "Cay": ("Board",), "Dee": ("Staff",)}
BALLOT = "/election/Spring/ballot/"


@pytest.fixture
def spring(person):
    """Open an election of two questions: the first is for the board, the other for the staff."""

    def make(**settings):
        owner = person("the organiser")
        election = draft_asking(owner, "Spring", "Chair", "Canteen", **settings)
        enrol(*GROUPS)
        add_voters(owner, election, list(GROUPS), {name: Details(groups=own) for name, own in GROUPS.items()})
        for number, group in ((1, "Board"), (2, "Staff")):
            actions.change(owner, elections.find("Spring").at(number), Action.SET_UP, for_groups=(group,))
        return lifecycle.open_(owner, elections.find("Spring"))

    return make


def test_whom_no_question_is_for_is_told_so(person, signed_in):
    owner = person("the organiser")
    election = draft_asking(owner, "Autumn", "Chair", "Canteen", secret_ballot=False)
    enrol("Eve", "Fay", "Gus")
    add_voters(owner, election, ["Eve", "Fay", "Gus"], {each: Details(groups=("Staff",)) for each in ("Eve", "Fay")})
    for number in (1, 2):
        actions.change(owner, elections.find("Autumn").at(number), Action.SET_UP, for_groups=("Staff",))
    lifecycle.open_(owner, elections.find("Autumn"))
    refused = signed_in("Gus", Role.VOTER).get("/election/Autumn/ballot/")
    assert (refused.status_code, "This election is for: Staff." in text_of(refused)) == (403, True)
    with pytest.raises(NotOnTheRoll, match="for: Staff"):
        voting.cast(people.find("Gus"), "Autumn", {"0": ["1"]}, "form")


def test_the_server_refuses_what_a_page_does_not_offer(spring):
    election = spring(secret_ballot=False)
    for name, field in (("Eve", "0"), ("Dee", "0"), ("Cay", "2:0")):
        with pytest.raises(BadRanking, match="not for you"):
            voting.cast(people.find(name), "Spring", {field: ["1"]}, f"form of {name}")
    assert [each.entitled for each in election.questions] == [2, 3]
    assert not any(voter.voted for voter in rolls.every_voter("Spring"))


def test_no_page_of_a_voter_names_a_question_for_others(spring, signed_in):
    """Before and after voting; also not the receipt."""
    spring(secret_ballot=False)
    eve = signed_in("Eve", Role.VOTER)
    assert "Chair" not in text_of(eve.get(BALLOT))
    voting.cast(people.find("Eve"), "Spring", {"2:0": ["1"]}, "form")
    for page in (BALLOT, f"{BALLOT}receipt/"):
        assert ("Canteen" in text_of(eve.get(page)), "Chair" in text_of(eve.get(page))) == (True, False)


def test_who_is_asked_any_question_finds_the_election_and_their_vote_in_it(spring, signed_in):
    spring(secret_ballot=False)
    for name in ("Eve", "Cay"):
        assert [each.name for each in own_elections.votes_of(people.find(name), now_text()).waiting] == ["Spring"]
        assert f'href="{BALLOT}"' in signed_in(name, Role.VOTER).get("/election/Spring/").content.decode()


def test_a_link_opens_ones_own_questions(spring):
    spring(secret_ballot=False, vote_by_link=True)
    link = voting.link_to("Spring", "Eve", people.find("Eve").email)
    browser = Client()
    browser.post(f"/vote/{link.token}/")
    page = text_of(browser.get(BALLOT))
    assert ("Canteen" in page, "Chair" in page) == (True, False)
    with pytest.raises(BadRanking, match="not for you"):
        services.cast(Pass(link), "Spring", {"0": ["1"]}, "form")


def test_no_paper_answer_is_entered_for_somebody_else(spring):
    spring(secret_ballot=False, paper_ballots=True)
    organiser = people.find("the organiser")
    with pytest.raises(BadRanking, match="not for you"):
        services.enter_paper(organiser, "Spring", "Eve", {"0": ["1"]}, "form")
    services.enter_paper(organiser, "Spring", "Cay", {"0": ["1"]}, "form")


def test_a_cast_is_refused_if_the_groups_are_others_by_then(spring):
    """They do not change once it is open, so this takes somebody who left the roll and came back in others."""
    spring(secret_ballot=False)
    context = services.voter_context(people.find("Eve"), "Spring")
    table().write(Update(sharding.voter_key(context.election, "Eve"), set={"groups": ["Board"]}))
    with pytest.raises(Refused):
        table().write(repository.marking_roll(context, voted=True, paper=False))


def test_the_proof_has_the_roll_of_the_question(person, tmp_path, capsys):
    organiser = person("the organiser")
    board = draft_asking(organiser, "Board", "Chair", secret_ballot=False)
    enrol(*GROUPS)
    add_voters(organiser, board, list(GROUPS), {name: Details(groups=own) for name, own in GROUPS.items()})
    actions.change(organiser, elections.find("Board"), Action.SET_UP, for_groups=("Board",))
    lifecycle.open_(organiser, elections.find("Board"))
    voting.cast(people.find("Bob"), "Board", {"0": ["1"]}, "form")
    closing.close(organiser, elections.find("Board"))
    seal_closed("Board")
    Sealer(table()).seal()
    with zipfile.ZipFile(bundle(results.find("Board"))) as archive:
        archive.extractall(tmp_path)
    roll, rules = (json.loads((tmp_path / name).read_bytes()) for name in ("roll.json", "rules.json"))
    assert [(each["name"], each["voted"]) for each in roll["voters"]] == [("Bob", True), ("Cay", False)]
    assert (roll["may_vote"], roll["voted"], rules["for_groups"]) == (2, 1, ["Board"])
    assert program.main(tmp_path) == 0, capsys.readouterr().out
    (tmp_path / "rules.json").write_text(json.dumps(rules | {"for_groups": ["Staff"]}))
    assert program.main(tmp_path) != 0
    assert "for_groups" in capsys.readouterr().out


@pytest.mark.parametrize("secret", [False, True])
def test_the_proof_agrees_if_events_that_exclude_people_are_withheld_as_they_have_addresses(
    person, tmp_path, capsys, secret
):
    organiser = person("the organiser")
    election = drafts.create(organiser, "Board", secret_ballot=secret)
    add_candidates(organiser, election, [Candidate("Ada"), Candidate("Bo")])
    names = ["Bob", "Cay", "Dot", "Eve", "Fay"]
    enrol(*names)
    staff, none = Details(groups=("Staff",)), Details(groups=())
    add_voters(organiser, elections.find("Board"), names, dict.fromkeys(names, staff))
    add_voters(organiser, elections.find("Board"), ["ann@example.org"], {"ann@example.org": staff})
    actions.change(organiser, elections.find("Board"), Action.SET_UP, for_groups=("Staff",))
    regrouped = ["Eve", "ann@example.org"]
    add_voters(organiser, elections.find("Board"), regrouped, dict.fromkeys(regrouped, none))
    remove_together(organiser, elections.find("Board"), ["Fay", "ann@example.org"])
    lifecycle.open_(organiser, elections.find("Board"), editable=False)
    for voter in ("Bob", "Cay", "Dot"):
        voting.cast(people.find(voter), "Board", {"0": ["1"]}, f"form of {voter}")
    closing.close(organiser, elections.find("Board"))
    seal_closed("Board")
    found = results.find("Board")
    Sealer(table()).seal()
    with zipfile.ZipFile(bundle(found)) as archive:
        archive.extractall(tmp_path)
    assert b"ann@" not in (tmp_path / "events.jsonl").read_bytes()
    assert program.main(tmp_path) == 0, capsys.readouterr().out
    roll = json.loads((tmp_path / "roll.json").read_bytes())
    roll["voters"][0]["name"] = "Eve"
    (tmp_path / "roll.json").write_text(json.dumps(roll))
    assert program.main(tmp_path) != 0, "what the log does tell still counts"


def test_the_log_lets_nobody_vote_whom_no_question_is_for(spring):
    election = spring(secret_ballot=False)
    voting.cast(people.find("Cay"), "Spring", {"0": ["1"]}, "form")
    assert replay.check(table(), replay.quietly).first == ()
    table().write(Update(sharding.voter_key(election, "Cay"), set={"groups": ["Guests"]}))
    assert [each.attribute for each in replay.check(table(), replay.quietly).first] == ["groups"]
