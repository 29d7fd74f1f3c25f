"""Which needs the elected cover: on the result's page and as a file, and in nothing that is sealed."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from parts.skills.needed import services as skills_needed
from parts.skills.needed.coverage import as_csv, coverage_by, picture
from parts.skills.needed.needs import Need, Snapshot
from parts.skills.needed.services import set_need
from results import services
from results.exports import bundle
from tests import voting as votes
from tests.people import enrol
from tests.results.test_bundle import cast, finish
from tests.skills.conftest import boss, have, listed  # noqa: F401 - fixtures

BOARD = "/election/Board/results/"
NEEDS = (Need("go", 3, 1, "Go"), Need("law", 2, 2, "Law"), Need("tea", 1, 1, "Tea"))
KEPT = Snapshot(NEEDS, {"ada": (3, 4, 0), "bo": (2, 1, 0)})


def text_of(answer) -> str:
    return answer.content.decode()


def test_a_need_is_met_by_enough_who_have_the_level():
    found = coverage_by(KEPT, ["Ada", "Bo", "Cy"])
    assert [(each.by, each.is_met, each.share) for each in found.covered] == [
        (("Ada",), True, 1),
        (("Ada",), False, Fraction(1, 2)),
        ((), False, 0),
    ]
    assert found.missing == ["Tea"]
    assert found.silent == ("Cy",)
    assert found.rows == [
        ("Ada", ["Advanced", "Expert", "none"]),
        ("Bo", ["Intermediate", "Beginner", "none"]),
        ("Cy", ["not shown"] * 3),
    ]


def test_who_was_not_elected_covers_nothing():
    assert coverage_by(KEPT, ["Bo"]).missing == ["Go", "Law", "Tea"]
    assert coverage_by(KEPT, []).rows == []


def test_what_somebody_did_not_agree_to_show_is_not_what_they_have_not_got():
    kept = Snapshot(NEEDS, {"ada": (3, None, 0)})
    found = coverage_by(kept, ["Ada"])
    assert found.rows == [("Ada", ["Advanced", "not shown", "none"])]
    assert found.missing == ["Law", "Tea"]
    assert found.has_gaps
    assert not coverage_by(KEPT, ["Ada", "Bo"]).has_gaps


def test_a_screen_reader_hears_whether_a_need_is_met_and_nothing_of_being_elected():
    drawn = picture(coverage_by(KEPT, ["Ada", "Bo"])).drawn
    assert heard(drawn) == [
        "met: Go 1 of 1",
        "Law 1 of 2",
        "not met, as far as we know: Tea 0 of 1",
    ]


def heard(drawn: str) -> list[str]:
    """The rows as they are read out: without what is hidden from those who listen."""
    spoken = re.sub(r'(?s)<svg [^>]*aria-hidden="true".*?</svg>', "", drawn)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in re.findall("(?s)<li.*?</li>", spoken)]


def test_the_picture_says_what_the_table_says():
    drawn = picture(coverage_by(KEPT, ["Ada", "Bo"])).drawn
    assert drawn.count('class="bar"') == 3
    assert "1 of 2" in drawn
    assert 'width="50%"' in drawn


def test_a_file_for_spreadsheets():
    odd = replace(KEPT, levels={"=1+1": (4, 0, 0)})
    lines = list(csv.reader(io.StringIO("".join(as_csv(coverage_by(odd, ["=1+1", "Cy"]))).lstrip("\ufeff"))))
    assert lines[0] == ["Elected", "Go (≥ 3)", "Law (≥ 2)", "Tea (≥ 1)"]
    assert lines[1] == ["'=1+1", "4", "0", "0"]
    assert lines[2] == ["Cy", "", "", ""]


@pytest.fixture
def sealed(person, listed):  # noqa: F811
    """Ada wins, who can do one of the two things that are needed; she learns the other too late."""
    listed("Go")
    listed("Tea", "Kitchen")
    owner, ada = person("the organiser"), person("Ada", Role.VOTER)
    drafts.create(owner, "Board")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Cy")])
    enrol("voter")
    add_voters(owner, elections.find("Board"), ["voter"])
    for skill in ("go", "tea"):
        set_need(owner, elections.find("Board"), Need(skill, 3, 1))
    have(ada, "go", level=4)
    skills_needed.agree(ada, elections.find("Board"), elections.find_candidate("Board", "Ada"))
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    have(people.find("Ada"), "tea", level=4)
    cast(person, "Board", "voter", "0>1")
    finish("Board")


def test_the_result_says_it_and_what_is_sealed_does_not(sealed, signed_in, client):
    reader = signed_in("a reader", Role.OBSERVER)
    shown = text_of(reader.get(BOARD))
    assert "Not covered: Tea." in shown
    assert "Needs met" in shown
    answer = reader.get(f"{BOARD}skills.csv")
    rows = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
    assert rows == [["Elected", "Go (≥ 3)", "Tea (≥ 3)"], ["Ada", "4", "0"]]
    assert reader.post(f"{BOARD}skills.csv").status_code == 405
    assert client.get(f"{BOARD}skills.csv")["Location"].startswith("/sign-in/")
    found = services.find("Board")
    assert "tea" not in found.report.as_json().casefold()
    with bundle.bundle(found) as file:
        assert file.read()


def test_an_election_without_needs_has_no_such_part(person, signed_in):
    owner = person("the organiser")
    drafts.create(owner, "Board")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Cy")])
    enrol("voter")
    add_voters(owner, elections.find("Board"), ["voter"])
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    reader = signed_in("a reader", Role.OBSERVER)
    assert reader.get(f"{BOARD}skills.csv").status_code == 403, "nothing before its time"
    finish("Board")
    assert "Skills of the winners" not in text_of(reader.get(BOARD))
    assert reader.get(f"{BOARD}skills.csv").status_code == 404


def test_of_several_questions_those_say_it_in_which_people_stand_who_agreed(person, listed, signed_in):  # noqa: F811
    listed("Go")
    owner, ada = person("the organiser"), person("Ada", Role.VOTER)
    board = drafts.create(owner, "Board")
    add_candidates(owner, board, [Candidate("Red"), Candidate("Blue")])
    speaker = drafts.add_question(owner, elections.find("Board"), "Speaker", first_title="Colour")
    add_candidates(owner, speaker, [Candidate("Ada"), Candidate("Cy")])
    enrol("voter")
    add_voters(owner, elections.find("Board"), ["voter"])
    set_need(owner, elections.find("Board"), Need("go", 3, 1))
    have(ada, "go", level=4)
    assert signed_in("Ada", Role.VOTER).post("/election/Board/agree/").status_code == 302
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    votes.cast(people.find("voter"), "Board", {"0": ["1"], "2:0": ["1"]}, "1")
    finish("Board")
    reader = signed_in("a reader", Role.OBSERVER)
    assert "Needs met" not in text_of(reader.get("/election/Board/question/1/results/"))
    assert "Needs met" in text_of(reader.get("/election/Board/question/2/results/"))
    assert reader.get(f"{BOARD}skills.csv").status_code == 404
    rows = b"".join(reader.get("/election/Board/question/2/results/skills.csv").streaming_content).decode("utf-8-sig")
    assert rows.splitlines() == ["Elected,Go (≥ 3)", "Ada,4"]
