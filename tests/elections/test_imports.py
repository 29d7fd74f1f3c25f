"""A long list comes onto the roll in steps: watched, interrupted, taken up again, never doubled."""

from __future__ import annotations

from functools import partial

import pytest

from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import imports
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Key, Update
from tests.at_once import at_once
from tests.background import finish_background
from tests.races.overtaken import overtaken_by

VOTERS = [f"voter {n:04}@example.org" for n in range(500)]


@pytest.fixture
def draft(ada):
    return drafts.create(ada, "Board 2027")


def on_roll(name="Board 2027"):
    return [voter.name for voter in rolls.every_voter(name)]


def added(site):
    events = [event for event in EventLog(site).since(0) if event["event_type"] == "VotersAdded"]
    return [name for event in events for name in event["event_data"]["voters"]]


def assert_all_there_once(site):
    assert on_roll() == VOTERS
    assert sorted(added(site)) == VOTERS
    assert repository.find("Board 2027").voter_count == len(VOTERS)
    left = [item["SK"] for item in site.each(keys.all_of_election("Board 2027")) if item["SK"].startswith("IMPORTED#")]
    assert left == []


def test_step_by_step(site, ada, draft):
    add_voters(ada, draft, VOTERS[:30])
    begun = imports.start(ada, draft, [*VOTERS, VOTERS[0].upper()])
    assert (begun.voters, begun.slices, begun.done) == (500, 6, 0)
    one = imports.resume(ada, draft, begun, 0)
    assert (one.done, one.processed, one.added) == (1, 90, 60)
    assert imports.recent_imports(draft)[0] == [one]
    done = imports.resume(ada, draft, one, 60)
    assert (done.is_finished, done.processed, done.added) == (True, 500, 470)
    assert imports.recent_imports(draft)[0] == []
    assert_all_there_once(site)


def test_the_same_list_sent_again_goes_on_where_it_was_and_changes_nothing_when_it_is_done(site, ada, draft):
    one = imports.resume(ada, draft, imports.start(ada, draft, VOTERS), 0)
    assert imports.start(ada, draft, VOTERS) == one
    imports.resume(ada, draft, one, 60)
    again = imports.resume(ada, draft, imports.start(ada, draft, VOTERS), 60)
    assert (again.is_finished, again.added) == (True, 0)
    assert_all_there_once(site)


def test_a_tab_that_another_overtakes_doubles_nobody(site, ada, draft):
    start = partial(imports.start, ada, draft, VOTERS)
    with overtaken_by(start):
        begun = start()
    with overtaken_by(partial(imports.resume, ada, draft, begun, 60)):
        assert imports.resume(ada, draft, begun, 60).is_finished
    assert_all_there_once(site)


def test_a_tab_whose_list_another_finishes_meanwhile_is_not_told_that_it_expired(site, ada, draft, monkeypatch):
    """It looks how far the list has come; then the other finishes it."""
    begun, look = imports.start(ada, draft, VOTERS), imports.find

    def overtaken(*which):
        found = look(*which)
        monkeypatch.setattr(imports, "find", look)
        imports.resume(ada, draft, begun, 60)
        return found

    monkeypatch.setattr(imports, "find", overtaken)
    assert not imports.resume(ada, draft, begun, 0).is_finished
    assert_all_there_once(site)


def test_it_goes_on_while_others_change_the_election(site, ada, draft):
    begun = imports.start(ada, draft, VOTERS)

    def meddle():
        for n in range(20):
            add_candidates(ada, repository.find("Board 2027"), [Candidate(f"Candidate {n}")])

    done, _ = at_once(lambda: imports.resume(ada, draft, begun, 60), meddle)
    assert done.is_finished
    assert_all_there_once(site)


def test_of_a_closed_election_it_is_refused(site, ada, draft):
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    one = imports.resume(ada, draft, imports.start(ada, draft, VOTERS), 0)
    election = lifecycle.open_(ada, repository.find(draft.name), editable=False)
    one = imports.resume(ada, election, one, 0)
    closing.close(ada, repository.find(draft.name))
    with pytest.raises(WrongState):
        imports.resume(ada, election, one, 0)
    assert len(on_roll()) == 180


def test_an_import_that_lay_too_long_says_so(site, ada, draft):
    begun = imports.start(ada, draft, VOTERS)
    for item in list(site.each(keys.all_of_election(draft.name))):
        if item["SK"].startswith("IMPORT"):
            site.write(Update(Key(item["PK"], item["SK"]), set={"ttl": 1}))
    with pytest.raises(WrongState, match="start again"):
        imports.resume(ada, draft, begun, 0)
    assert imports.resume(ada, draft, imports.start(ada, draft, VOTERS), 60).is_finished
    assert_all_there_once(site)


def test_it_moves_along_when_the_draft_is_renamed(site, ada, draft):
    one = imports.resume(ada, draft, imports.start(ada, draft, VOTERS), 0)
    council = drafts.rename(ada, repository.find(draft.name), "Council")
    assert finish_background("rename election") == 0
    moved = imports.find("Council", one.digest)
    assert imports.resume(ada, council, moved, 60).is_finished
    assert on_roll("Council") == VOTERS
