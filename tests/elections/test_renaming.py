"""A draft under another name: one event, nothing lost, whoever dies on the way."""

from __future__ import annotations

import pytest

from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.acts.refusals import NameTaken
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Update
from tests.background import finish_background

CANDIDATES = [Candidate(f"Candidate {n:02}", f"Statement {n}", "https://example.org") for n in range(60)]
VOTERS = [f"voter.{n:03}@example.org" for n in range(70)]


class Killed(BaseException):
    pass


@pytest.fixture
def draft(ada, person):
    person("Manager")
    election = drafts.create(ada, "Board 2027", description="Who leads us?")
    add_candidates(ada, election, CANDIDATES)
    add_voters(ada, election, VOTERS)
    add_manager(ada, repository.find("Board 2027"), "Manager")
    return repository.find("Board 2027")


def dies_at(monkeypatch, site, step):
    """The process that writes for the `step`th time is killed instead. Answers how often it has written so far."""
    write, calls = type(site).write, []

    def counted(self, *writes, token=None):
        calls.append(1)
        if len(calls) == step:
            raise Killed
        return write(self, *writes, token=token)

    monkeypatch.setattr(type(site), "write", counted)
    return calls


def renamed_events(site):
    events = (event for event in EventLog(site).since(0) if "election_name" in event["event_data"])
    return [event["event_data"] for event in events if event["event_type"] == "ElectionRenamed"]


def words(candidates):
    return [(each.name, each.statement, each.link) for each in candidates]


def assert_moved(site, ada):
    assert repository.find("Board 2027") is None
    assert list(site.each(keys.all_of_election("Board 2027"))) == []
    council = repository.find("Council")
    assert (council.renamed_from, council.voter_count) == ("", 70)
    assert repository.description_of("Council").description == "Who leads us?"
    assert words(repository.candidates("Council")) == words(CANDIDATES)
    voters = list(site.each(*keys.voters("Council")))
    assert [item["voter_name"] for item in voters] == VOTERS
    assert {item["election_name"] for item in voters} == {"Council"}
    assert len(list(site.each(keys.elections_of_voter("voter.007@example.org")))) == 1
    for name in ("Ada", "Manager"):
        assert [each.name for each in repository.list_elections(run_by=name, limit=9)[0]] == ["Council"]
    assert [each.name for each in repository.list_elections(prefix="", limit=9, state=council.stored_state)[0]] == [
        "Council"
    ]
    assert renamed_events(site) == [{"election_name": "Board 2027", "new_name": "Council"}]
    add_voters(ada, council, ["one.more@example.org"])
    assert repository.find("Council").voter_count == 71


def test_a_draft_moves_with_all_it_has_in_one_event(site, ada, draft):
    assert drafts.rename(ada, draft, "Council") == repository.find("Council")
    assert_moved(site, ada)


def test_what_others_keep_on_its_items_moves_along(site, ada, draft):
    site.write(Update(keys.candidate(draft.name, "Candidate 07"), set={"number": 7}))
    site.write(Update(keys.election(draft.name), set={"last_number": 60}))
    drafts.rename(ada, draft, "Council")
    assert site.get(keys.candidate("Council", "Candidate 07"))["number"] == 7
    assert site.get(keys.election("Council"))["last_number"] == 60


def cut_short(monkeypatch, site, ada, draft):
    dies_at(monkeypatch, site, 3)
    with pytest.raises(Killed):
        drafts.rename(ada, draft, "Council")
    monkeypatch.undo()
    election = repository.find("Council")
    assert election.renamed_from == "Board 2027"
    return election


def test_while_it_moves_it_can_be_looked_at_but_not_changed(site, ada, draft, monkeypatch):
    election = cut_short(monkeypatch, site, ada, draft)
    for act in (
        lambda: lifecycle.open_(ada, election, editable=False),
        lambda: add_voters(ada, election, ["late@example.org"]),
        lambda: drafts.rename(ada, election, "Another"),
        lambda: copying.copy(ada, election, "Another"),
        lambda: lifecycle.delete(ada, election),
    ):
        with pytest.raises(WrongState, match="still being renamed"):
            act()
    finish_background("rename election")
    assert_moved(site, ada)


def test_the_next_organiser_to_look_finishes_it(site, ada, draft, monkeypatch, signed_in):
    page = signed_in(ada)
    cut_short(monkeypatch, site, ada, draft)
    assert page.get("/election/Council/dashboard/").status_code == 200
    assert_moved(site, ada)


@pytest.mark.parametrize("how", ["made", "taken by another renaming"])
def test_the_old_name_is_free_again_and_takes_nothing_along(site, ada, draft, monkeypatch, how):
    cut_short(monkeypatch, site, ada, draft)
    if how == "made":
        drafts.create(ada, "Board 2027")
    else:
        drafts.rename(ada, drafts.create(ada, "Other"), "Board 2027")
    assert repository.candidates("Board 2027") == list(rolls.every_voter("Board 2027")) == []
    assert words(repository.candidates("Council")) == words(CANDIDATES)
    assert len(list(rolls.every_voter("Council"))) == 70


def test_a_taken_name_is_a_sentence_and_changes_nothing(site, ada, draft):
    drafts.create(ada, "Council")
    with pytest.raises(NameTaken):
        drafts.rename(ada, draft, " COUNCIL")
    assert repository.find("Board 2027") == draft
    assert repository.candidates("Council") == []
    assert renamed_events(site) == []
