"""What organisers do, alone and at once."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from elections import actions, repository, rolls, rules
from elections.candidates import CandidatesForm, add_candidates, edit_candidate, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_ended_elections
from elections.managers import add_manager, hand_over, remove_manager
from elections.own_elections import votes_of
from elections.roll.services import add_voters, remove_voter
from elections.rules import Action, NotReady, State, WrongState
from foundation.acts.refusals import LostRace, NameTaken, NotAllowed
from foundation.acts.storage import now_text
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from tests.background import finish_background, unfinished
from tests.clock import at_its_own_moment, stands_at
from tests.people import enrol, sign_in

PAST, FUTURE, LATER = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z", "2999-02-01T00:00:00.000Z"


@pytest.fixture
def draft(ada):
    return drafts.create(ada, "Board 2027", description="Who leads us?")


@pytest.fixture
def ready(ada, draft):
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy", "I will.", "https://example.org")])
    enrol("Hypatia")
    add_voters(ada, draft, ["Hypatia", "new@example.org"])
    return again(draft)


def events(site):
    return [event["event_type"] for event in EventLog(site).since(0) if "election_name" in event["event_data"]]


def again(election):
    return repository.find(election.name)


# --- the whole way ---


def test_from_draft_to_closed(site, ada, ready):
    election = lifecycle.open_(ada, ready, editable=True)
    assert again(election) == election
    assert election.stored_state == State.EDITABLE
    add_candidates(ada, election, [Candidate("Di")])
    election = lifecycle.fix(ada, again(election))
    election = lifecycle.extend(ada, election, None)
    election = closing.close(ada, election)
    assert again(election).stored_state == State.CLOSED
    assert events(site) == [
        "ElectionCreated",
        "CandidatesAdded",
        "VotersAdded",
        "ElectionOpened",
        "CandidatesAdded",
        "ElectionUpdated",
        "ElectionClosed",
    ]


def test_every_list_shows_the_state(site, ada, ready):
    def seen():
        headings = (State.DRAFT, State.OPEN, State.CLOSED)  # what is open and editable is listed as open
        lists = {state: repository.list_elections(state=state, limit=9)[0] for state in headings}
        mine = repository.list_elections(run_by="ADA", limit=9)[0]
        public = [each.name for each in repository.list_elections(limit=9)[0]]
        assert public == ([] if again(ready).stored_state == State.DRAFT else ["Board 2027"])
        assert [each.name for each in repository.list_elections(prefix="board", limit=9)[0]] == ["Board 2027"]
        return [state for state, found in lists.items() if found], [each.stored_state for each in mine]

    assert seen() == ([State.DRAFT], [State.DRAFT])
    election = lifecycle.open_(ada, ready, editable=False)
    assert seen() == ([State.OPEN], [State.OPEN])
    closing.close(ada, election)
    assert seen() == ([State.CLOSED], [State.CLOSED])


def test_names_are_unique_without_regard_to_case(ada, draft):
    with pytest.raises(NameTaken):
        drafts.create(ada, " BOARD  2027 ")


def test_opening_says_what_is_missing(ada, draft):
    with pytest.raises(NotReady, match="two candidates"):
        lifecycle.open_(ada, draft, editable=False)


def test_a_closed_election_changes_nothing_any_more(ada, ready):
    closed = closing.close(ada, lifecycle.open_(ada, ready, editable=False))
    for act in (
        lambda: actions.change(ada, closed, Action.DESCRIBE, description="x"),
        lambda: add_candidates(ada, closed, [Candidate("Di")]),
        lambda: add_voters(ada, closed, ["Di"]),
        lambda: lifecycle.extend(ada, closed, FUTURE),
        lambda: lifecycle.open_(ada, closed, editable=False),
        lambda: hand_over(ada, closed, "Ada"),
    ):
        with pytest.raises(WrongState, match=r"\.$"):
            act()


# --- the clock ---


def test_an_election_past_its_end_is_closed_with_no_job_having_run(ada, ready, monkeypatch):
    election = actions.change(ada, ready, Action.SET_UP, no_voting_after=FUTURE)
    election = lifecycle.open_(ada, election, editable=False)
    stands_at(monkeypatch, FUTURE)
    assert again(election).state(FUTURE) == State.CLOSED
    with pytest.raises(WrongState):
        lifecycle.extend(ada, election, LATER)


def test_the_end_is_recorded_once_by_any_number_of_workers(site, ada, ready, monkeypatch):
    election = actions.change(ada, ready, Action.SET_UP, no_voting_after=FUTURE)
    lifecycle.open_(ada, election, editable=False)
    assert close_ended_elections() == 0
    stands_at(monkeypatch, LATER)
    closed = []
    workers = [threading.Thread(target=lambda: closed.append(close_ended_elections())) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sum(closed) == 1
    assert events(site).count("ElectionClosed") == 1
    assert again(election).stored_state == State.CLOSED


# --- who may ---


def test_a_stranger_may_nothing_and_a_manager_what_managers_may(ada, ready, person):
    stranger, manager, admin = person("Stranger"), person("Manager"), person("Root", Role.ADMIN)
    with pytest.raises(NotAllowed):
        add_candidates(stranger, ready, [Candidate("Me")])
    add_manager(ada, ready, "MANAGER")
    election = again(ready)
    add_candidates(manager, election, [Candidate("Di")])
    election = again(election)
    with pytest.raises(NotAllowed):
        lifecycle.open_(manager, election, editable=False)
    with pytest.raises(NotAllowed):
        add_voters(admin, election, ["x"])
    hand_over(admin, election, "Stranger")
    assert again(election).owner_name == "Stranger"
    assert [each.name for each in repository.list_elections(run_by="Ada", limit=9)[0]] == []
    assert [each.name for each in repository.list_elections(run_by="Stranger", limit=9)[0]] == ["Board 2027"]
    remove_manager(stranger, again(election), "manager")
    assert repository.list_elections(run_by="Manager", limit=9)[0] == []


def test_only_somebody_who_may_run_elections_becomes_a_manager(ada, draft, person):
    person("Voter", Role.VOTER)
    for name in ("Voter", "nobody", "Ada"):
        with pytest.raises(NotReady):
            add_manager(ada, draft, name)


# --- candidates and roll ---


def test_a_candidate_is_added_once_changed_and_removed(ada, ready):
    assert add_candidates(ada, ready, [Candidate("BO"), Candidate("Di")]) == ["Di"]
    edit_candidate(ada, ready, Candidate("Bo", "Trust me.", ""))
    assert repository.candidates("board 2027")[0] == Candidate("Bo", "Trust me.", "")
    remove_candidates(ada, ready, "di")
    assert [each.name for each in repository.candidates(ready.name)] == ["Bo", "Cy"]


def test_the_same_list_again_changes_nothing(site, ada, ready):
    before = events(site)
    assert add_voters(ada, ready, ["HYPATIA", "New@example.org"]) == 0
    assert events(site) == before


def test_a_long_list_is_added_in_batches(ada, draft):
    names = [f"voter.{n}@example.org" for n in range(250)]
    assert add_voters(ada, draft, names + names) == 250
    assert again(draft).voter_count == 250
    assert len(list(rolls.every_voter(draft.name))) == 250


def test_while_open_the_roll_may_only_grow(ada, ready):
    enrol("Late")
    election = lifecycle.open_(ada, ready, editable=False)
    assert add_voters(ada, election, ["Late"]) == 1
    with pytest.raises(WrongState):
        remove_voter(ada, election, "Late")


def test_elections_waiting_for_me_are_found_by_name_and_by_address(ada, ready, person):
    by_name, by_address = person("hypatia"), person("somebody", email="NEW@example.org")
    assert votes_of(by_name, now_text()).waiting == []
    lifecycle.open_(ada, ready, editable=False)
    now = now_text()
    assert [each.name for each in votes_of(by_name, now).waiting] == ["Board 2027"]
    assert [each.name for each in votes_of(by_address, now).waiting] == ["Board 2027"]
    assert votes_of(ada, now).waiting == []


def test_elections_of_somebody_removed_pass_to_the_owner(ada, ready, person):
    owner, manager = person("Boss", Role.OWNER), person("Manager")
    add_manager(ada, ready, "Manager")
    accounts.remove(owner, manager)
    assert again(ready).managers == ()
    accounts.remove(owner, ada)
    assert again(ready).owner_name == "Boss"
    assert [each.name for each in repository.list_elections(run_by="Boss", limit=9)[0]] == ["Board 2027"]
    assert repository.list_elections(run_by="Ada", limit=9)[0] == []


def test_an_election_for_everybody_waits_for_everybody_who_was_here_when_it_opened(ada, draft, person):
    anybody = person("anybody")
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    election = actions.change(ada, again(draft), Action.SET_UP, electorate="everyone")
    at_its_own_moment(lambda: lifecycle.open_(ada, election, editable=False))
    now = now_text()
    assert [each.name for each in votes_of(anybody, now).waiting] == ["Board 2027"]
    assert votes_of(person("Late"), now).waiting == []


# --- copy, rename, delete ---


def test_a_copy_has_everything_but_ballots_and_window(ada, ready, person):
    actions.change(ada, ready, Action.SET_UP, no_voting_after=FUTURE, seats=1, method="irv")
    copy = copying.copy(ada, again(ready), "Board 2028")
    assert (copy.method, copy.no_voting_after, copy.stored_state) == ("irv", None, State.DRAFT)
    assert [each.name for each in repository.candidates("board 2028")] == ["Bo", "Cy"]
    assert [each.name for each in rolls.every_voter("board 2028")] == ["Hypatia", "new@example.org"]


def test_a_draft_is_renamed_with_all_it_has(ada, ready):
    renamed = drafts.rename(ada, ready, "Council")
    assert repository.find("Board 2027") is None
    assert again(renamed).name == "Council"
    assert len(repository.candidates("council")) == 2
    assert drafts.rename(ada, again(renamed), "COUNCIL").name == "COUNCIL"
    assert repository.find("council").name == "COUNCIL"
    assert [each.name for each in repository.list_elections(run_by="Ada", limit=9)[0]] == ["COUNCIL"]


def test_deleting_leaves_nothing_but_the_log(site, ada, ready):
    lifecycle.delete(ada, ready)
    assert repository.find(ready.name) is None
    assert finish_background("delete election") == 1
    assert list(site.each(keys.all_of_election(ready.name))) == []
    assert repository.list_elections(limit=9)[0] == repository.list_elections(run_by="Ada", limit=9)[0] == []
    assert events(site)[-1] == "ElectionDeleted"


def test_what_a_deletion_left_behind_does_not_come_back(site, ada, ready):
    lifecycle.delete(ada, ready)
    assert repository.candidates(ready.name)
    drafts.create(ada, ready.name)
    assert repository.candidates(ready.name) == []


# --- at once ---


def test_of_two_organisers_with_the_same_page_the_second_is_told(ada, draft):
    actions.change(ada, draft, Action.DESCRIBE, description="first")
    with pytest.raises(LostRace):
        actions.change(ada, draft, Action.DESCRIBE, description="second")
    assert repository.description_of(draft.name).description == "first"


# --- behind a hundred others ---


@pytest.mark.parametrize("state", ["closed", "draft"])
def test_what_waits_for_ones_vote_is_not_hidden_by_a_hundred_others(site, ada, ready, state):
    """The entries are made as the store has them: a hundred elections from draft to closed take too long here."""
    now = now_text()
    hypatia = people.find("Hypatia")
    early, late = (copying.copy(ada, ready, name) for name in ("The oldest", "The newest"))
    flags = {"closed": (False, False), "draft": (True, False)}[state]
    for number in range(101):
        other = replace(ready, name=f"Other {number}", created_at=late.created_at, version=1)
        other = replace(other, allow_edit=flags[0], allow_vote=flags[1])
        site.write(*repository.creation(other), rolls.new_voter(other, "Hypatia", hypatia.created_at))
    for name in (early.name, late.name):
        lifecycle.open_(ada, repository.find(name), editable=False)
    waiting = votes_of(hypatia, now).waiting
    assert {each.name for each in waiting} == {"The oldest", "The newest"}


# --- long statements ---


LONG = [Candidate(f"Candidate {number:02}", "word " * 3_900) for number in range(25)]  # 19,500 letters each


def test_candidates_with_long_statements_are_added_and_copied(site, ada, draft):
    assert len(add_candidates(ada, draft, LONG)) == 25
    copying.copy(ada, again(draft), "Copy")
    there, copied = repository.candidates("Board 2027"), repository.candidates("Copy")
    assert copied == there
    assert [each.statement for each in there] == [each.statement for each in LONG]
    assert unfinished("fill election") == []


def test_many_short_ones_take_as_few_events_as_before(site, ada, draft):
    add_candidates(ada, draft, [Candidate(str(number)) for number in range(200)])
    assert events(site).count("CandidatesAdded") == 3


@pytest.fixture
def unfilled(ada, ready, monkeypatch):
    """A copy whose maker died at once."""
    with monkeypatch.context() as patched:
        patched.setattr(copying.FILLING, "start", lambda name: False)
        return copying.copy(ada, ready, "Copy")


def test_a_copy_that_can_never_be_filled_says_why_and_can_be_used(site, ada, unfilled, monkeypatch):
    """Somebody has added as many candidates by hand meanwhile as there may be."""
    monkeypatch.setattr(rules, "MAX_CANDIDATES", 2)
    add_candidates(ada, repository.find("Copy"), [Candidate("Zoe"), Candidate("Zeno")])
    assert finish_background("fill election") == 1
    assert finish_background("fill election") == 0
    assert not repository.find("Copy").filling
    (said,) = [each["event_data"] for each in site.each(keys.events()) if each["event_type"] == "ElectionNotFilled"]
    assert said == {"election_name": "Copy", "sentence": "An election has at most 2 candidates."}
    assert (
        "could be copied into the draft: An election has at most 2 candidates."
        in sign_in(ada).get("/election/Copy/history/").text
    )
    drafts.rename(ada, repository.find("Copy"), "Another")


def test_names_that_are_too_long_together_are_refused_before_any_is_added(site, ada, draft):
    """Two hundred of two hundred emoji: in batches, of which none is recorded."""
    with pytest.raises(rules.WrongState, match="at most 40 kB; these have 159 kB"):
        add_candidates(ada, draft, [Candidate(f"{number:03}" + "\U0001f600" * 197 + "z") for number in range(200)])
    assert not repository.candidates(draft.name)
    fits = [Candidate(f"{number:02}" + "\U0001f600" * 198) for number in range(50)]
    assert len(add_candidates(ada, draft, fits)) == 50


def test_the_page_says_how_many_candidates_and_how_long_names_there_may_be():
    words = str(CandidatesForm.base_fields["names"].help_text)
    assert f"{rules.MAX_CANDIDATES} candidates" in words
    assert f"{rules.MAX_CANDIDATE_NAMES_BYTES:,} Latin letters" in words


def test_a_copy_is_left_alone_until_it_is_whole(ada, unfilled):
    for act in (
        lambda: lifecycle.open_(ada, unfilled, editable=False),
        lambda: drafts.rename(ada, unfilled, "Another"),
        lambda: copying.copy(ada, unfilled, "Another"),
        lambda: remove_voter(ada, unfilled, "Hypatia"),
    ):
        with pytest.raises(WrongState, match="still being copied"):
            act()
    assert finish_background("fill election") == 1
    assert lifecycle.open_(ada, again(unfilled), editable=False).voter_count == 2
    assert finish_background("fill election") == 0


def test_a_copy_whose_original_is_gone_stays_as_it_is(ada, ready, unfilled):
    lifecycle.delete(ada, again(ready))
    assert finish_background("fill election") == 1
    assert repository.candidates("Copy") == []
    assert finish_background("fill election") == 0


# --- a roll whose names come with votes ---


def test_without_names_a_page_of_the_roll_is_filled_and_its_end_tells_nothing(site, ada, draft):
    addresses = [f"{letter}@example.org" for letter in "abcdef"]
    enrol("Bob", "Zoe")
    add_voters(ada, draft, [*addresses, "Bob", "Zoe"])
    first, cursor = rolls.list_voters(draft.name, limit=3, by_name=False)
    assert [each["voter_name"] for each in first] == addresses[:3]
    rest, cursor = rolls.list_voters(draft.name, limit=3, cursor=cursor, by_name=False)
    assert [each["voter_name"] for each in rest] == addresses[3:]
    assert cursor is None, "that a name comes after them does not show"
    assert [each.name for each in rolls.every_voter(draft.name, by_name=False)] == addresses


def test_where_everybody_may_vote_nobody_is_added_by_name_once_it_is_open(site, ada, draft):
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    election = actions.change(ada, again(draft), Action.SET_UP, electorate="everyone")
    add_voters(ada, election, ["by.post@example.org"])
    election = lifecycle.open_(ada, again(election), editable=False)
    with pytest.raises(WrongState, match="by their mail address"):
        add_voters(ada, election, ["Hypatia"])
    assert add_voters(ada, election, ["other@example.org"]) == 1
    copying.copy(ada, again(election), "Copy")
    assert {each.name for each in rolls.every_voter("Copy")} == {"by.post@example.org", "other@example.org"}
