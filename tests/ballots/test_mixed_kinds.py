"""Questions of mixed kinds on one ballot, without scripts: from the first page to results that anybody can verify."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from acts.storage import table
from ballots import repository
from elections import actions
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.invitations import mailing
from elections.kinds import settings_of_kind
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.roll.services import add_voters
from elections.rules import Action
from ranking.candidates import Candidate
from results import services as results
from store.log import seal, utc_now
from tests.background import queue_mailings
from tests.people import enrol
from tests.results.test_bundle import unpacked
from tests.results.test_bundle import verdict as verdict  # a fixture
from upkeep import replay

from .test_multi_ballot_pages import cast, page
from .test_pages import fields_of, text_of, words_of

QUESTIONS = {
    "Chair": {"kind": "ranked"},
    "Rules": {"kind": "yes-no", "majority": "1/2 entitled"},
    "Board": {"kind": "choose", "most": 2, "seats": 2},
    "Colour": {"kind": "score", "method": "star"},
}
EVE = ({"rank-0": "1", "rank-1": "2"}, {"rank-choice": "1"}, {"rank-0": "1", "rank-1": "1"}, {"rank-0": "5"})
ANN = ({"rank-2": "1"}, {"rank-choice": "0"}, {"rank-0": "1"}, {"rank-1": "4", "rank-2": "2"})


@pytest.fixture
def multi_ballot(person):
    """Whose voters are Eve, who signs in, Ann, who has a link, and one who does not vote."""
    owner = person("the organiser")
    made = binding.make(owner, "Annual", tuple(QUESTIONS))
    actions.change(owner, elections.find(made.leader), Action.SET_UP, vote_by_link=True, results_public=True)
    for name, asked in zip(made.questions, QUESTIONS.values(), strict=True):
        actions.change(owner, elections.find(name), Action.SET_UP, **settings_of_kind(asked))
        if asked["kind"] != "yes-no":
            add_candidates(owner, elections.find(name), [Candidate(each) for each in ("Ada", "Bo", "Cy")])
    enrol("Eve", "idle")
    add_voters(owner, elections.find(made.leader), ["Eve", "ann@example.org", "idle"])
    binding.open_(owner, multi_ballots.find(made.id))
    mailing.invite(owner, elections.find(made.leader))
    queue_mailings()
    return multi_ballots.find(made.id)


def marked(client, multi_ballot, marks):
    """Each question is filled in on its page; the last leads to the review."""
    for place, sent in enumerate(marks, 1):
        at = page(multi_ballot, f"{place}/")
        plain = {name: value for name, value in fields_of(client.get(at), at).items() if not name.startswith("rank-")}
        answer = client.post(at, plain | sent, follow=True)
        assert answer.status_code == 200, text_of(answer)
    return answer


def changed_with(words, name, marks):
    """On the pages of nobody's, as from another device."""
    client, at = Client(), reverse("change", args=[name])
    ballot = client.post(at, {"words": words}, follow=True)
    plain = {field: value for field, value in fields_of(ballot, f"{at}ballot/").items() if field[:5] != "rank-"}
    review = client.post(f"{at}ballot/", plain | marks, follow=True)
    client.post(f"{at}cast/", fields_of(review, f"{at}cast/"))


def in_the_box(multi_ballot):
    return [sorted(ballot.rankings for ballot in repository.every_ballot(name)) for name in multi_ballot.questions]


@pytest.mark.deep
def test_from_the_votes_to_results_that_can_be_verified(multi_ballot, signed_in, client, link, verdict):
    eve = signed_in("Eve", Role.VOTER)
    review = marked(eve, multi_ballot, EVE)
    for shown in ("Cast these 4 ballots", "✓ No", "✓ Ada : chosen ✓ Bo", "5 Ada : score 5 No score"):
        assert shown in text_of(review)
    receipts = cast(eve, multi_ballot, review)
    assert "4 ballots are cast." in text_of(receipts)
    assert in_the_box(multi_ballot) == [["0>1"], ["1"], ["0=1"], ["0@5"]]

    client.post(link("ann@example.org"), follow=True)
    assert "4 ballots are cast." in text_of(cast(client, multi_ballot, marked(client, multi_ballot, ANN)))
    words = " ".join(words_of(receipts))
    changed_with(words, multi_ballot.questions[1], {"rank-choice": "0"})
    changed_with(words, multi_ballot.questions[3], {"rank-2": "5"})
    again = marked(client, multi_ballot, [{"rank-0": "1", "rank-2": "2", "review": "1"}])
    assert "Cast 1 ballot" in text_of(again)
    cast(client, multi_ballot, again)
    assert in_the_box(multi_ballot) == [["0>1", "0>2"], ["0", "0"], ["0", "0=1"], ["1@4>2@2", "2@5"]]

    binding.close(people.find("the organiser"), multi_ballots.find(multi_ballot.id))
    found = [results.find(name) for name in multi_ballot.questions]
    assert [each.report.result.winners for each in found] == [("Ada",), ("Yes",), ("Ada", "Bo"), ("Cy",)]
    assert replay.check(table()).first == ()
    seal.Sealer(table(), clock=lambda: utc_now() + 2 * seal.GRACE_PERIOD).seal()  # questions close at once
    for name in multi_ballot.questions:
        status, told = verdict(unpacked(name))
        assert status == 0, told
        assert "the outcome is the same" in told
    for reader, name in ((eve, "multi_ballot_results"), (Client(), "shared_multi_ballot")):
        shown = text_of(reader.get(reverse(name, args=[multi_ballot.id])))
        for expected in (
            "Chair Winner Ada Method Schulze",
            "Rules Carried 2 yes, 0 no, 0 abstentions; 2 needed. Method Majority"
            " Majority needed more than half of everyone on the roll Ballots",
            "Board Elected Ada Bo Method",
            "Colour Winner Cy Method",
        ):
            assert expected in shown
