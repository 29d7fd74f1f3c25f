"""Several questions in one election: asked, put in order, answered by those they are for."""

from __future__ import annotations

import pytest

from accounts import repository as people
from ballots import repository as ballots
from ballots.services import voter_context, withdraw
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import BadRanking
from operations.upkeep.figures import site_sealer
from operations.upkeep.replay import check
from tests.people import enrol
from tests.voting import cast, secret_for

NAME = "General meeting"


def three_questions(*, secret: bool, **settings):
    """A chair by ranking, a proposal, and a speaker of the students; Ada and Bob are students, Cy is not."""
    enrol("Olga", "Ada", "Bob", "Cy", "Dan")
    olga = people.find("Olga")
    election = drafts.create(olga, NAME, secret_ballot=secret, **settings)
    election = drafts.add_question(
        olga, election, "The budget", first_title="The chair", kind="yes-no", method="majority", majority="1/2 cast"
    )
    election = drafts.add_question(
        olga, election, "Speaker", for_groups=("Students",), kind="choose", most=1, method="most-votes"
    )
    add_candidates(olga, election.at(1), [Candidate("Xi"), Candidate("Yu"), Candidate("Zoe")])
    add_candidates(olga, election.at(3), [Candidate("Kim"), Candidate("Lou")])
    groups = {name: Details(groups=("Students",)) for name in ("Ada", "Bob", "Dan")}
    add_voters(olga, repository.find(NAME), ["Ada", "Bob", "Cy", "Dan"], groups)
    return open_(olga, repository.find(NAME))


@pytest.mark.parametrize("secret", [True, False])
def test_each_voter_answers_their_own_questions_and_may_skip_some(each_site, secret):
    three_questions(secret=secret)
    ada, cy = people.find("Ada"), people.find("Cy")
    cast(ada, NAME, {"0": ["1"], "2": ["2"], "2:1": ["1"], "3:0": ["1"]}, "1")
    cast(cy, NAME, {"2:0": ["1"]}, "2")
    election = repository.find(NAME)
    said = {each.number: sorted(one.rankings for one in ballots.every_ballot(each)) for each in election.questions}
    assert said == {1: ["", "0>2"], 2: ["0", "1"], 3: ["0"]}
    with pytest.raises(BadRanking):
        cast(people.find("Cy"), NAME, {"3:0": ["1"]}, "3")
    with pytest.raises(BadRanking):
        cast(people.find("Bob"), NAME, {"0": [""]}, "4")
    cast(ada, NAME, {"0": ["1"], "2:2": ["1"]}, "5")
    said = {each.number: sorted(one.rankings for one in ballots.every_ballot(each)) for each in election.questions}
    assert said == {1: ["", "0"], 2: ["0", "2"], 3: [""]}
    who = None if secret else ada
    withdraw(who, NAME, "6", secret=secret_for("Ada"))
    assert [len(list(ballots.every_ballot(each))) for each in election.questions] == [1, 1, 0]
    if secret:
        assert voter_context(None, NAME, secret=secret_for("Ada")).ballots == {}
    site_sealer().seal()
    assert check(each_site).first == ()
