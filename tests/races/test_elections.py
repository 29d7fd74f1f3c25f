"""Races of those who run an election: with each other, and with voters."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.groups import repository as groups
from elections.groups import services as keeping
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts.refusals import LostRace, NameTaken
from foundation.ranking.candidates import Candidate
from foundation.store.log import as_text, utc_now
from tests.people import enrol

from .overtaken import lost, overtaken_by
from .test_voting import events


@pytest.fixture
def ada(person):
    return person("Ada")


@pytest.fixture
def draft(ada):
    """A draft that could be opened."""
    made = drafts.create(ada, "Council", no_voting_after=as_text(utc_now() + timedelta(hours=1)))
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    enrol("Eve")
    add_voters(ada, made, ["Eve"])
    return repository.find("Council")


def test_of_two_drafts_of_one_name_there_is_one(ada):
    assert isinstance(lost(*[partial(drafts.create, ada, "Council")] * 2), (LostRace, NameTaken))
    assert len(events("ElectionCreated")) == 1


def test_an_election_is_opened_once(ada, draft):
    lost(*[partial(lifecycle.open_, ada, draft, editable=False)] * 2)
    assert len(events("ElectionOpened")) == 1


def test_an_election_is_closed_once(ada, draft):
    election = lifecycle.open_(ada, draft, editable=False)
    lost(*[partial(closing.close, ada, election)] * 2)
    assert len(events("ElectionClosed")) == 1


def test_what_was_closed_meanwhile_is_not_extended(ada, draft):
    election, later = lifecycle.open_(ada, draft, editable=False), as_text(utc_now() + timedelta(hours=5))
    lost(partial(lifecycle.extend, ada, election, later), to=partial(closing.close, ada, election))
    assert repository.find("Council").stored_state == State.CLOSED


@pytest.mark.parametrize("act", [lifecycle.delete, partial(drafts.rename, name="Board")])
def test_what_was_opened_meanwhile_is_neither_deleted_nor_renamed(ada, draft, act):
    lost(partial(act, ada, draft), to=partial(lifecycle.open_, ada, draft, editable=False))
    assert repository.find("Council").stored_state == State.OPEN
    assert repository.find("Board") is None


def test_an_election_is_renamed_once(ada, draft):
    lost(partial(drafts.rename, ada, draft, "Slow"), to=partial(drafts.rename, ada, draft, "Quick"))
    assert [name for name in ("Council", "Slow", "Quick") if repository.find(name)] == ["Quick"]


def test_two_who_add_candidates_give_each_a_number(ada, draft):
    with overtaken_by(partial(add_candidates, ada, draft, [Candidate("Quick")])):
        add_candidates(ada, draft, [Candidate("Slow")])
    numbers = [each.number for each in repository.candidates("Council")]
    assert len(numbers) == len(set(numbers)) == 4


def test_somebody_added_twice_is_on_the_roll_once(ada, draft):
    lost(*[partial(add_voters, ada, draft, ["new@example.org"])] * 2)
    assert len(list(rolls.every_voter("Council"))) == repository.find("Council").voter_count == 2


def test_nobody_comes_onto_a_roll_after_the_close(ada, draft):
    election = lifecycle.open_(ada, draft, editable=False)
    lost(partial(add_voters, ada, election, ["late@example.org"]), to=partial(closing.close, ada, election))
    assert "late@example.org" not in {voter.name for voter in rolls.every_voter("Council")}


# --- groups of people ---


def test_two_presses_save_a_roll_as_one_group(ada, draft):
    save, made = partial(keeping.save_roll, ada, draft, "form"), []
    with overtaken_by(lambda: made.append(save().id)):
        assert [save().id] == made
    assert len(list(groups.every_group_of("Ada"))) == 1


def test_of_two_renames_of_a_group_no_name_stays_behind(ada):
    group = keeping.make(ada, "Club")
    with overtaken_by(partial(keeping.rename, ada, group.id, "Quick")):
        keeping.rename(ada, group.id, "Slow")
    assert groups.names_taken("Ada") == {"slow"} == {groups.find(group.id).name.lower()}


def test_somebody_added_twice_is_in_a_group_once(ada):
    group = keeping.make(ada, "Club")
    with overtaken_by(partial(keeping.add, ada, group.id, ["a@example.org"])):
        keeping.add(ada, group.id, ["a@example.org"])
    assert groups.find(group.id).members == 1
