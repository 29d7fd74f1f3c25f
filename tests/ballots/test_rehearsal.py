"""The dress rehearsal: everything happens, and nothing of it stays."""

from __future__ import annotations

import tempfile
from dataclasses import replace

import pytest

from accounts import repository as people
from ballots import rehearsal
from elections import repository as elections
from elections.candidates import add_candidates, remove_candidates
from elections.drafts import services as drafts
from elections.rules import NotReady, WrongState
from foundation.acts.refusals import TooMany
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Span


@pytest.fixture
def draft(person):
    owner = person("the organiser")
    election = drafts.create(owner, "Board", secret_ballot=True, no_voting_after="2099-01-01T00:00:00.000Z")
    add_candidates(owner, election, [Candidate(name) for name in ("Ada", "Bo", "Cy", "Di")])
    remove_candidates(owner, elections.find("Board"), "Bo")
    return elections.find("Board")


def everything(site) -> list:
    return (
        list(site.each(keys.events()))
        + list(site.each(keys.all_of_election("Board")))
        + list(site.each(Span("PEOPLE")))
    )


@pytest.mark.deep
@pytest.mark.parametrize(("method", "seats"), [("schulze", 1), ("irv", 1), ("borda", 1), ("stv-meek", 2)])
def test_robots_vote_change_withdraw_and_are_counted(draft, method, seats):
    report = rehearsal.rehearse(people.find("the organiser"), replace(draft, method=method, seats=seats))
    (counted,) = report.counts
    assert counted.ballots == report.cast - report.withdrawn
    assert 0 < report.withdrawn < report.changed < report.cast <= report.robots
    assert counted.partial > 0
    assert counted.tied > 0
    assert report.flaw is None
    assert report.events > report.cast + report.changed + report.withdrawn
    assert {name for name, place in counted.result.places} == {"Ada", "Cy", "Di"}
    assert counted.result.total == counted.ballots
    assert counted.sentences


def test_nothing_of_it_stays(site, draft, monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("of this test alone")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = everything(site)
    rehearsal.rehearse(people.find("the organiser"), draft)
    assert everything(site) == before
    assert list(folder.iterdir()) == []


def test_nothing_stays_either_when_it_fails(site, draft, monkeypatch):
    before = everything(site)
    monkeypatch.setattr(rehearsal, "_vote", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rehearsal.rehearse(people.find("the organiser"), draft)
    assert everything(site) == before
    assert table() is site


def test_what_could_not_open_cannot_be_rehearsed(site, person):
    owner = person("the organiser")
    election = drafts.create(owner, "Board")
    with pytest.raises(NotReady, match="two candidates"):
        rehearsal.rehearse(owner, election)


@pytest.mark.parametrize(("method", "seats", "candidates"), [("schulze", 1, 500), ("stv-meek", 50, 60)])
def test_what_would_take_too_long_to_count_is_not_rehearsed(draft, method, seats, candidates):
    with pytest.raises(TooMany, match="takes too long"):
        rehearsal.check_cost(replace(draft, method=method, seats=seats), {1: candidates})
    rehearsal.check_cost(replace(draft, method=method, seats=min(seats, 4)), {1: 20})


def test_only_a_draft_is_rehearsed(site, opened):
    election = opened("Eve")
    with pytest.raises(WrongState):
        rehearsal.rehearse(people.find("the organiser"), election)


def test_robots_answer_every_question(draft):
    owner = people.find("the organiser")
    drafts.add_question(owner, draft, "The budget", first_title="The chair", kind="yes-no", majority="1/2 cast")
    asked = drafts.add_question(
        owner, elections.find("Board"), "Speaker", kind="choose", method="most-votes", most=1, for_groups=("Nobody",)
    )
    add_candidates(owner, asked, [Candidate("Kim"), Candidate("Lou")])
    report = rehearsal.rehearse(owner, elections.find("Board"))
    assert [each.title for each in report.counts] == ["The chair", "The budget", "Speaker"]
    assert {each.ballots for each in report.counts} == {report.cast - report.withdrawn}
    assert {name for name, _place in report.counts[2].result.places} == {"Kim", "Lou"}
