"""Cast vote records of NIST SP 1500-103 are read as ballots of every kind, or refused with a sentence."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from foundation.tally.formats import BadFile, read
from foundation.tally.methods import count

PEOPLE = {"c1": "Ada", "c2": "Bo", "c3": "Cy"}


def report(*ballots: list[dict[str, Any]], first: str = "CVR", **contest: Any) -> dict[str, Any]:
    """The records of one contest; each ballot is a list of selections."""
    asked = [{"@id": f"s{each}", "CandidateIds": [each]} for each in PEOPLE]
    mayor = {"@id": "mayor", "Name": "Mayor", "ContestSelection": asked, **contest}
    people = [{"@id": each, "Name": name} for each, name in PEOPLE.items()]
    parts = {
        "CVR": [
            {
                "CurrentSnapshotId": f"{number} now",
                "CVRSnapshot": [
                    {"@id": f"{number} then", "CVRContest": [{"ContestId": "mayor", "CVRContestSelection": []}]},
                    {"@id": f"{number} now", "CVRContest": [{"ContestId": "mayor", "CVRContestSelection": ballot}]},
                ],
            }
            for number, ballot in enumerate(ballots)
        ],
        "Election": [{"@id": "e", "Candidate": people, "Contest": [mayor]}],
    }
    order = sorted(parts, key=lambda key: key != first)
    return {"@type": "CVR.CastVoteRecordReport", "Version": "1.0.0"} | {key: parts[key] for key in order}


def chosen(each: str, votes: int = 1, **more: Any) -> dict[str, Any]:
    position = {"HasIndication": "yes", "IsAllocable": "yes", "NumberVotes": votes} | more
    return {"ContestSelectionId": f"s{each}", "SelectionPosition": [position]}


@pytest.mark.parametrize("first", ["CVR", "Election"])
def test_ranks_make_rankings_wherever_the_candidates_are_named(first):
    ranked = [chosen("c2", Rank=1), chosen("c1", Rank=2)]
    equals = [chosen("c1", Rank=1), chosen("c2", Rank=1), chosen("c3", Rank=4)]
    twice = [chosen("c3", Rank=1), chosen("c3", Rank=2)]
    file = read(json.dumps(report(ranked, ranked, equals, twice, [], first=first, NumberElected=1)))
    assert file.ballots.candidates == ("Ada", "Bo", "Cy")
    assert file.ballots.counts == {"1>0": 2, "0=1>2": 1, "2": 1, "": 1}
    assert (file.kind, file.title, file.seats, file.format) == ("ranked", "Mayor", 1, "json")
    assert count(file.ballots, "irv").winners == ("Bo",)


def test_marks_are_approvals_choices_or_points_as_the_contest_says():
    ballots = [[chosen("c1"), chosen("c2")], [chosen("c1")]]
    assert read(json.dumps(report(*ballots))).kind == "approval"
    file = read(json.dumps(report(*ballots, VoteVariation="n-of-m")))
    assert (file.kind, file.ballots.counts) == ("choose", {"0=1": 1, "0": 1})
    points = [chosen("c1", 3), chosen("c2", 1), chosen("c2", 1)]
    file = read(json.dumps(report(points, VoteVariation="cumulative")))
    assert (file.kind, file.ballots.counts) == ("points", {"0@3>1@2": 1})


def test_what_has_no_indication_or_may_not_be_allocated_does_not_count():
    spoiled = [chosen("c1", IsAllocable="no"), chosen("c2", HasIndication="no"), chosen("c3", IsAllocable="unknown")]
    assert read(json.dumps(report(spoiled))).ballots.counts == {"2": 1}


def test_an_answer_to_a_question_is_a_vote_on_yes_or_no():
    asked = [{"@id": "sc1", "Selection": "Yes"}, {"@id": "sc2", "Selection": "No"}]
    file = read(json.dumps(report([chosen("c1")], [chosen("c2")], [chosen("c1")], ContestSelection=asked)))
    assert (file.kind, file.ballots.counts) == ("yes-no", {"0": 2, "1": 1})


def test_a_record_without_the_contest_is_no_ballot_and_several_contests_are_refused():
    made = report([chosen("c1")])
    made["CVR"].append({"CVRSnapshot": [{"@id": "x", "CVRContest": []}]})
    assert read(json.dumps(made)).ballots.total == 1
    made["CVR"].append({"CVRSnapshot": [{"@id": "x", "CVRContest": [{"ContestId": "council"}]}]})
    with pytest.raises(BadFile, match=r"several contests: council, mayor"):
        read(json.dumps(made))


@pytest.mark.deep
def test_whatever_is_in_its_place_a_file_is_read_or_refused_with_a_sentence():
    chance, odd = Random(3), [None, 0, -1, 1.5, True, "", "x", [], {}, [[]], [{}], {"@id": []}, 10**30]
    for _ in range(600):
        made = report([chosen("c1", Rank=1)], [chosen("c2", 2)])
        place: Any = made
        while True:
            key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not (isinstance(place[key], dict | list) and place[key]) or chance.random() < 0.15:
                break
            place = place[key]
        place[key] = chance.choice(odd)
        with suppress(BadFile):
            assert read(json.dumps(made)).ballots.candidates
