"""An election that an assembly called for: said once, told everywhere, changed by nothing and copied by no copy."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

from accounts import repository as people
from elections import actions, repository, rolls
from elections.convening import Convened, convened_of
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.rules import Action
from foundation.acts.refusals import LostRace, NameTaken
from foundation.store import keys
from foundation.store.table import Check, Missing
from tests.background import finish_background, unfinished
from tests.people import enrol
from tests.rows import every_row

ROOM = Convened("Spring meeting", "g1", "2026-03-01T18:30:00.000Z", 37, 120, "30", True, 35, 2, "ab" * 32)


def draft(owner, name="Board", voters=(), convened=ROOM, **more):
    enrol(*voters)
    accounts = {each: people.find(each).created_at for each in voters}
    return copying.make(owner, name, ["Ada", "Bo"], voters=accounts, convened=convened, **more)


def shown(answer) -> str:
    whole = b"".join(answer).decode()
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", whole)))


def roll(name: str) -> list[str]:
    return [each.name for each in rolls.every_voter(name)]


# --- what is said ---


@every_row(
    ("changes", "words"),
    [
        (
            {},
            "37 of 120 present · quorum of 30 met · "
            "35 of them were added to the roll; 2 could not be added: no account or address here",
        ),
        ({"entitled": 0, "quorum": "", "unlisted": 0}, "37 present · 35 of them were added to the roll"),
        ({"quorum": "1/4", "listed": 0, "unlisted": 0}, "37 of 120 present · quorum of 1/4 of those entitled met"),
        (
            {"quorum": ">1/2", "quorate": False, "listed": 0, "unlisted": 0},
            "37 of 120 present · quorum of more than 1/2 of those entitled NOT met",
        ),
    ],
)
def test_it_is_said_in_one_line(changes, words):
    assert replace(ROOM, **changes).summary == words


def test_it_is_stored_with_the_election_and_said_by_the_event_that_makes_it(person, site):
    election = draft(person("Ida"), voters=("Eve", "Fay"))
    assert election.convened == ROOM
    assert repository.find("Board").convened == ROOM
    (made,) = (each for each in site.each(keys.events()) if each["event_type"] == "ElectionCreated")
    assert convened_of(made["event_data"]["convened"]) == ROOM


def test_an_election_that_nobody_convened_says_nothing_of_it(person, site):
    drafts.create(person("Ida"), "Board")
    (made,) = (each for each in site.each(keys.events()) if each["event_type"] == "ElectionCreated")
    assert "convened" not in made["event_data"]
    assert repository.find("Board").convened is None


def test_it_stays_through_changes_and_names_and_is_copied_by_no_copy(person):
    ida = person("Ida")
    draft(ida, voters=("Eve",))
    actions.change(ida, repository.find("Board"), Action.DESCRIBE, description="Now.")
    drafts.rename(ida, repository.find("Board"), "Council")
    lifecycle.open_(ida, repository.find("Council"), editable=False)
    closing.close(ida, repository.find("Council"))
    assert repository.find("Council").convened == ROOM
    assert copying.copy(ida, repository.find("Council"), "Next").convened is None


def test_nothing_that_is_written_to_an_election_changes_it(person, site):
    election = draft(person("Ida"))
    site.write(*repository.change(election, replace(election, convened=replace(ROOM, present=99))))
    assert repository.find("Board").convened == ROOM


# --- who is put on the roll ---


def test_those_present_are_on_the_roll_with_their_accounts(person):
    draft(person("Ida"), voters=("Eve", "Fay"))
    found = {each.name: each.account for each in rolls.every_voter("Board")}
    assert found == {name: people.find(name).created_at for name in ("Eve", "Fay")}
    assert not repository.find("Board").filling


def test_a_hall_of_two_thousand_with_long_names_is_one_transaction_and_then_handfuls(person, site, monkeypatch):
    """Only making the draft: who follows, the worker brings."""
    monkeypatch.setattr(copying.FILLING, "start", lambda name: False)
    voters = {f"{number:04d} {'ü' * 195}": "2026-01-01T00:00:00.000Z" for number in range(2_000)}
    copying.make(person("Ida"), "Board", ["Ada", "Bo"], voters=voters, convened=ROOM)
    parts = list(site.each(keys.filling_parts("Board")))
    assert [name for part in parts for name in part["voters"]] == list(voters)
    assert repository.find("Board").filling


def test_who_is_gone_by_then_has_no_vote_nor_has_whoever_takes_the_name(person, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(copying.FILLING, "start", lambda name: False)
        voters = {"Eve": person("Eve").created_at, "Fay": "2020-01-01T00:00:00.000Z", "Gus": "2026-01-01T00:00:00.000Z"}
        person("Fay")
        copying.make(person("Ida"), "Board", ["Ada", "Bo"], voters=voters, convened=ROOM)
    assert finish_background("fill election") == 1
    assert roll("Board") == ["Eve"]
    assert finish_background("fill election") == 0


def test_nothing_of_the_list_is_left_when_everybody_has_arrived(person, site):
    draft(person("Ida"), voters=("Eve",))
    assert not list(site.each(keys.filling_parts("Board")))
    assert unfinished("fill election") == []


def test_what_goes_along_with_the_draft_can_refuse_it_and_then_nothing_is_there(person, site):
    def refusing(draft):
        return [Check(keys.user("Eve"), Missing())]

    ida, _eve = person("Ida"), person("Eve")
    with pytest.raises(LostRace):
        copying.make(ida, "Board", ["Ada"], writes=refusing, convened=ROOM)
    assert repository.find("Board") is None
    copying.make(ida, "Board", ["Ada"], convened=ROOM)
    with pytest.raises(NameTaken):
        copying.make(ida, "Board", ["Ada"], writes=refusing, convened=ROOM)


# --- where it is told ---

MET = "37 of 120 present · quorum of 30 met"


def test_every_page_about_the_election_tells_it(person, signed_in):
    ida = person("Ida")
    browser = signed_in(ida)
    draft(ida, voters=("Eve",), results_public=True)
    for page in ("dashboard/", ""):
        told = shown(browser.get(f"/election/Board/{page}"))
        assert "Convened by the assembly" in told
        assert "Spring meeting" in told
        assert MET in told
    assert "for the assembly “Spring meeting”: " + MET in shown(browser.get("/election/Board/history/"))
    lifecycle.open_(ida, repository.find("Board"), editable=False)
    closing.close(ida, repository.find("Board"))
    for page in ("results/", "results/export/report.txt"):
        assert MET in shown(browser.get(f"/election/Board/{page}"))


def test_that_there_was_no_quorum_is_said_before_anything_else(person, signed_in):
    ida = person("Ida")
    draft(ida, convened=replace(ROOM, quorum="40", quorate=False))
    browser = signed_in(ida)
    told = shown(browser.get("/election/Board/dashboard/"))
    assert "The assembly that convened this election was not quorate: 37 of 120 present" in told
    assert "not quorate" in shown(browser.get("/election/Board/"))
