"""Voters see and answer only the questions that are for their groups, signed in, by link and on paper."""

from __future__ import annotations

import html
import json
import re
import zipfile

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from ballots.passes import Pass
from ballots.rules import NotOnTheRoll
from elections import actions, rolls, sharding
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.public import own_elections
from elections.roll.services import add_voters, remove_together
from elections.rules import Action
from elections.voter_lists import Details
from foundation.acts.storage import now_text, table
from foundation.ranking.candidates import Candidate
from foundation.store.log.seal import Sealer
from foundation.store.table import Refused, Update
from operations.upkeep import replay
from results import repository as results
from results.exports import verify as program
from results.exports.bundle import bundle
from tests import voting
from tests.people import enrol

from .test_multi_ballot_pages import page, ranked
from .test_pages import text_of

GROUPS = {"Eve": ("Staff",), "Bob": ("Staff", "Board"), "Cay": ("Board",), "Dee": ("Staff",)}


def made(person, *, leading=(), others=("Staff",), **settings):
    """Two questions: one that leads, and one for the staff."""
    owner = person("the organiser")
    ballot = binding.make(owner, "Spring", ["Chair", "Canteen"])
    for name in ballot.questions:
        add_candidates(owner, elections.find(name), [Candidate(each) for each in ("Ada", "Bo", "Cy")])
    enrol(*GROUPS)
    add_voters(owner, elections.find(ballot.leader), list(GROUPS), {k: Details(groups=v) for k, v in GROUPS.items()})
    actions.change(owner, elections.find(ballot.leader), Action.SET_UP, for_groups=tuple(leading), **settings)
    actions.change(owner, elections.find(ballot.questions[1]), Action.SET_UP, for_groups=tuple(others))
    binding.open_(owner, multi_ballots.find(ballot.id))
    return multi_ballots.find(ballot.id)


def test_each_voter_is_asked_their_own_questions(person, signed_in):
    ballot = made(person)
    eve, cay = signed_in("Eve", Role.VOTER), signed_in("Cay", Role.VOTER)
    assert "Question 1 of 2" in text_of(eve.get(page(ballot), follow=True))
    shown = text_of(cay.get(page(ballot), follow=True))
    assert "Question 1 of 1" in shown
    assert "Review all questions" in shown
    review = text_of(ranked(cay, ballot, 1, rank_0="1"))
    assert "Chair" in review
    assert "Canteen" not in review
    assert "Canteen" not in text_of(cay.get(f"/book/{ballot.id}/"))
    assert "Canteen" in text_of(eve.get(f"/book/{ballot.id}/"))


def test_the_leading_question_may_be_for_others(person, signed_in):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    eve = signed_in("Eve", Role.VOTER)
    answer = eve.get(page(ballot))
    assert answer.headers["Location"].endswith("/ballot/2/")
    assert "Question 1 of 1" in text_of(eve.get(page(ballot, "2/")))
    assert "Chair" not in text_of(ranked(eve, ballot, 2, rank_0="1"))
    refused = eve.get(page(ballot, "1/"))
    assert refused.status_code == 403
    assert "This question is for: Board." in text_of(refused)
    assert eve.post(page(ballot, "1/"), {"rank-0": "1"}).status_code == 403


def test_the_receipt_leads_back_to_ones_own_question(person, signed_in):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    eve = signed_in("Eve", Role.VOTER)
    voting.cast(people.find("Eve"), ballot.questions[1], {"0": ["1"]}, "form")
    receipts = eve.get(page(ballot, "receipts/")).content.decode()
    assert re.findall(r'href="([^"]+)\?change=1"', receipts) == [page(ballot, "2/")]


def test_no_page_leads_to_a_question_for_others(person, signed_in):
    """From home over all links, before and after voting; with the results, all questions are shown."""
    ballot = made(person, leading=["Board"], secret_ballot=False)
    eve = signed_in("Eve", Role.VOTER)
    for form in ("", "form"):
        if form:
            voting.cast(people.find("Eve"), ballot.questions[1], {"0": ["1"]}, form)
        seen, left = set(), ["/", "/elections/", "/me/data/", f"/book/{ballot.id}/", page(ballot, "receipts/")]
        while left:
            seen.add(path := left.pop())
            answer = eve.get(path)
            shown = text_of(answer) if not answer.streaming else ""
            assert (answer.status_code < 400, "Chair" in shown) == (True, False), path
            leading_on = LINKS.findall(answer.content.decode()) if not answer.streaming else []
            left += [each for each in map(html.unescape, leading_on) if each not in {*seen, *left}]
        assert page(ballot, "2/?change=1") in seen


LINKS = re.compile(r'href="(/(?:elections?|book)/[^"#]*)"')


def test_the_server_refuses_what_a_page_does_not_offer(person, signed_in):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    for name in ("Eve", "Dee"):
        with pytest.raises(NotOnTheRoll, match="This question is for: Board"):
            voting.cast(people.find(name), ballot.leader, {"0": ["1"]}, f"form {name}")
    with pytest.raises(NotOnTheRoll, match="This question is for: Staff"):
        voting.cast(people.find("Cay"), ballot.questions[1], {"0": ["1"]}, "form")
    eve = signed_in("Eve", Role.VOTER)
    refused = eve.get(f"/election/{ballot.leader}/ballot/")
    assert (refused.status_code, "This question is for: Board." in text_of(refused)) == (403, True)
    assert elections.find(ballot.leader).entitled == 2
    assert not any(voter.voted for voter in rolls.every_voter(ballot.leader))


def test_home_counts_ones_own_questions(person):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    waiting = {
        name: [each.name for each in own_elections.votes_of(people.find(name), now_text()).waiting] for name in GROUPS
    }
    assert waiting["Eve"] == [ballot.questions[1]]
    assert waiting["Cay"] == [ballot.leader]
    assert sorted(waiting["Bob"]) == sorted(ballot.questions)
    own, _more = own_elections.own_elections(people.find("Eve"), limit=10)
    assert [each.listed.name for each in own] == [ballot.questions[1]]


def test_a_link_opens_ones_own_questions(person):
    ballot = made(person, leading=["Board"], secret_ballot=False, vote_by_link=True)
    eve = people.find("Eve")
    link = voting.link_to(ballot.leader, "Eve", eve.email)
    browser = Client()
    browser.post(f"/vote/{link.token}/")
    assert "Question 1 of 1" in text_of(browser.get(page(ballot), follow=True))
    with pytest.raises(NotOnTheRoll, match="This question is for: Board"):
        services.cast(Pass(link), ballot.leader, {"0": ["1"]}, "form")


def test_no_paper_ballot_is_entered_for_somebody_else(person):
    ballot = made(person, leading=["Board"], secret_ballot=False, paper_ballots=True)
    organiser = people.find("the organiser")
    with pytest.raises(NotOnTheRoll, match="This question is for: Board"):
        services.enter_paper(organiser, ballot.leader, "Eve", {"0": ["1"]}, "form")
    services.enter_paper(organiser, ballot.leader, "Cay", {"0": ["1"]}, "form")


def test_a_cast_is_refused_if_the_groups_are_others_by_then(person):
    """They do not change once it is open, so this takes somebody who left the roll and came back in others."""
    ballot = made(person, leading=["Staff"])
    standing = services.standing_of(people.find("Eve"), ballot.leader)
    table().write(Update(sharding.voter_key(standing.election, "Eve"), set={"groups": ["Board"]}))
    with pytest.raises(Refused):
        table().write(repository.marking_roll(standing, voted=True, paper=False))


def test_the_proof_has_the_roll_of_the_question(person, tmp_path, capsys):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    voting.cast(people.find("Bob"), ballot.leader, {"0": ["1"]}, "form")
    binding.close(people.find("the organiser"), multi_ballots.find(ballot.id))
    services.seal_closed(ballot.leader)
    Sealer(table()).seal()
    found = results.find(ballot.leader)
    with zipfile.ZipFile(bundle(found)) as archive:
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
    services.seal_closed("Board")
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


def test_the_log_lets_nobody_vote_whom_the_question_is_not_for(person):
    ballot = made(person, leading=["Board"], secret_ballot=False)
    voting.cast(people.find("Bob"), ballot.leader, {"0": ["1"]}, "form")
    assert replay.check(table(), replay.quietly).first == ()
    entry = sharding.voter_key(elections.find(ballot.leader), "Bob")
    table().write(Update(entry, set={"groups": ["Staff"]}))
    assert [each.attribute for each in replay.check(table(), replay.quietly).first] == ["groups"]
