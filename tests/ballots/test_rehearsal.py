"""The dress rehearsal: everything happens, and nothing of it stays."""

from __future__ import annotations

import tempfile
from dataclasses import replace

import pytest

from accounts import repository as people
from ballots import rehearsal
from elections import repository as elections
from elections.candidates.services import add_candidates, remove_candidate
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
    remove_candidate(owner, elections.find("Board"), "Bo")
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
    assert report.ballots == report.cast - report.withdrawn
    assert 0 < report.withdrawn < report.changed < report.cast <= report.robots
    assert report.partial > 0
    assert report.tied > 0
    assert report.flaw is None
    assert report.events > report.cast + report.changed + report.withdrawn
    assert {name for name, place in report.result.places} == {"Ada", "Cy", "Di"}
    assert report.result.total == report.ballots
    assert report.sentences


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
        rehearsal.check_cost(replace(draft, method=method, seats=seats), candidates)
    rehearsal.check_cost(replace(draft, method=method, seats=min(seats, 4)), 20)


def test_only_a_draft_is_rehearsed(site, opened):
    election = opened("Eve")
    with pytest.raises(WrongState):
        rehearsal.rehearse(people.find("the organiser"), election)
