"""Elections that 8c8bce75 tied together as the questions of one ballot: each is an election of its own now, with its
roll, its ballots and its result.

That revision wrote the store: four ballots, each with the elections Chair and Song, of which the chair's led. Spring is
secret and open, and its song is for the staff alone; Summer is public, weighted and open; Autumn is public, weighted
and sealed; Winter is secret and sealed. Gus and Cy have voted in all of them, Cy only on the chair.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts import repository as people
from ballots import repository as boxes
from ballots import services as ballots
from elections import repository, rolls
from elections.lifecycle import closing
from elections.rules import State
from foundation.acts.refusals import Refusal
from operations.upkeep.figures import site_sealer
from results import services as results
from tests.background import finish_background
from tests.results.test_bundle import unpacked, verdict  # noqa: F401 - a fixture

STORE = Path(__file__).parent.parent / "upkeep" / "stores" / "2026-11-18-tied.jsonl.gz"
BALLOTS, QUESTIONS = ("Spring", "Summer", "Autumn", "Winter"), ("Chair", "Song")
NAMES = [f"{ballot}: {question}" for ballot in BALLOTS for question in QUESTIONS]
SECRETS = {"Gus": "0" * 31 + "a", "Cy": "0" * 31 + "b"}  # of the ballots of Spring
EVERYBODY, STAFF = ("Cy", "Di", "Ed", "Gus", "fay@example.org"), ("Di", "Ed", "Gus")
VOTED = {
    **{"Spring: Chair": {"Cy", "Gus"}, "Spring: Song": {"Gus"}, "Summer: Chair": {"Cy", "Gus"}},
    **{"Summer: Song": {"Gus"}, "Autumn: Chair": {"Cy", "Ed", "Gus"}, "Autumn: Song": {"Ed", "Gus"}},
    **{"Winter: Chair": {"Cy", "Di", "Gus"}, "Winter: Song": {"Di", "Gus"}},
}
STORED = {  # ballots by how often they count
    **{"Spring: Chair": {"0>1": 1, "1": 1}, "Spring: Song": {"2": 1}},
    **{"Summer: Chair": {"0>1": 3, "1": 1}, "Summer: Song": {"2": 3}},
}
COUNTED = {  # what was counted, and who won
    "Autumn: Chair": ({"0>1": 3, "1": 1, "1>2": 2}, ("Xi", "Yu")),
    "Autumn: Song": ({"0": 2, "2": 3}, ("Zoe",)),
    "Winter: Chair": ({"0>1": 1, "1": 1, "1>2": 1}, ("Yu",)),
    "Winter: Song": ({"2": 1, "2>0": 1}, ("Zoe",)),
}


@pytest.fixture
def tied(site):
    call_command("restore", str(STORE), stdout=StringIO(), stderr=StringIO())
    return site


def find(name):
    election = repository.find(name)
    assert (election.name, election.more, len(election.questions)) == (name, (), 1)
    return election


def roll(name):
    """Who is on it, with their weight, their groups and whether they have voted."""
    found = sorted(rolls.every_voter(find(name)), key=lambda voter: voter.name)
    return [(voter.name, voter.weight, voter.groups, voter.voted) for voter in found]


def roll_before(name):
    weights = {"Gus": 3, "Ed": 2} if name.startswith(("Summer", "Autumn")) else {}
    groups = dict.fromkeys(STAFF, ("Staff",)) if name.startswith("Spring") else {}
    listed = STAFF if name == "Spring: Song" else EVERYBODY
    return [(each, weights.get(each, 1), groups.get(each, ()), each in VOTED[name]) for each in listed]


def stored(name):
    return {ballot.rankings: ballot.weight for ballot in boxes.every_ballot(find(name))}


def counted_in(name):
    counts: dict[str, int] = {}
    for item in boxes.every_published(name):
        counts[item["rankings"]] = counts.get(item["rankings"], 0) + item.get("weight", 1)
    return counts


def cast(who, name, secret="", **ranks):
    sent = {str(["Xi", "Yu", "Zoe"].index(each)): [str(rank)] for each, rank in ranks.items()}
    return ballots.cast(people.find(who) if who else None, name, sent, f"{who} {name} {secret} {ranks}", secret=secret)


def close(name):
    closing.close(people.find("Ada"), find(name))
    finish_background()


@pytest.mark.parametrize("name", NAMES)
def test_each_is_an_election_with_one_question_and_its_own_roll(tied, signed_in, name):
    election = find(name)
    is_open = name.startswith(("Spring", "Summer"))
    assert election.stored_state == (State.OPEN if is_open else State.CLOSED)
    assert [each.name for each in repository.candidates_of(election)] == ["Xi", "Yu", "Zoe"]
    assert roll(name) == roll_before(name)
    assert election.voter_count == len(roll_before(name))
    organiser, page = signed_in(people.find("Ada")), f"/election/{name}/"
    assert [organiser.get(f"{page}{each}").status_code for each in ("", "dashboard/", "roll/")] == [200, 200, 200]


@pytest.mark.parametrize("name", STORED)
def test_the_ballots_of_an_open_one_are_there(tied, name):
    assert stored(name) == STORED[name]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_secret_ballot_is_opened_and_changed_by_its_secret_in_its_own_election(tied, question):
    name, other = (f"Spring: {each}" for each in (question, "Song" if question == "Chair" else "Chair"))
    untouched = stored(other)
    opened = ballots.voter_context(None, name, secret=SECRETS["Gus"])
    (ballot,) = opened.ballots.values()
    assert ballot.rankings == {"Chair": "0>1", "Song": "2"}[question]
    changed = cast(None, name, SECRETS["Gus"], Yu=1)
    assert changed.ballot.confirmation == ballot.confirmation
    assert changed.replaced
    assert "1" in stored(name)
    assert ballot.rankings not in stored(name)
    assert stored(other) == untouched
    with pytest.raises(Refusal):
        cast("Gus", name, Zoe=1)


def test_who_is_not_of_the_group_has_no_vote_in_the_election_for_it(tied):
    with pytest.raises(Refusal):
        cast("Cy", "Spring: Song", Xi=1)
    assert ballots.voter_context(None, "Spring: Song", secret=SECRETS["Cy"]) is None


@pytest.mark.parametrize("name", COUNTED)
def test_a_sealed_one_has_the_result_it_had(tied, verdict, name):  # noqa: F811
    counted, winners = COUNTED[name]
    found = results.find(name)
    assert found.report.result.winners == winners
    assert counted_in(name) == counted
    status, said = verdict(unpacked(name))
    assert status == 0, said


def test_an_open_one_takes_votes_and_is_closed_while_the_other_stays_open(tied, verdict):  # noqa: F811
    cast("Di", "Spring: Song", "1" * 32, Zoe=1)
    cast("Ed", "Summer: Chair", Yu=1)
    cast("Gus", "Summer: Chair", Zoe=1)
    close("Spring: Song")
    close("Summer: Chair")
    site_sealer().seal()
    for name, counted, winner in (("Spring: Song", {"2": 2}, "Zoe"), ("Summer: Chair", {"1": 3, "2": 3}, None)):
        report = results.find(name).report
        assert counted_in(name) == counted
        assert winner is None or report.result.winners == (winner,)
        status, said = verdict(unpacked(name))
        assert status == 0, said
    for name in ("Spring: Chair", "Summer: Song"):
        assert find(name).stored_state == State.OPEN
        assert roll(name) == roll_before(name)
        assert stored(name) == STORED[name]
    call_command("verify", stdout=StringIO())
