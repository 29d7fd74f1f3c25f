"""Several questions on one ballot: bound together, opened, extended and closed together, each still an election."""

from __future__ import annotations

from functools import partial

import pytest

from accounts import services as accounts
from accounts.rules import Role
from ballots import services as ballots
from elections import actions, repository, rolls
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.drafts.setup_forms import QuestionsForm
from elections.lifecycle import closing, deleting
from elections.lifecycle import services as lifecycle
from elections.managers.services import add_manager, hand_over, remove_manager
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots import rules
from elections.multi_ballots.links import question_lines
from elections.roll.services import add_voters, remove_voter
from elections.rules import Action, NotReady, State, WrongState
from foundation.acts.refusals import LostRace, NotAllowed, NotNow, Refusal
from foundation.ranking.candidates import Candidate
from foundation.store.log import EventLog
from tests.background import finish_background, unfinished
from tests.people import enrol
from tests.races.overtaken import lost

FUTURE, LATER = "2999-01-01T00:00:00.000Z", "2999-02-01T00:00:00.000Z"


@pytest.fixture
def multi_ballot(ada):
    return binding.make(ada, "Spring", ["Chair", "Treasurer", "Colour"])


@pytest.mark.parametrize("question", ["Chair", "漢" * 150, "x" * 197, "x" * 200])
def test_the_name_of_a_question_begins_with_as_much_of_the_ballot_as_fits(ada, question):
    names = [f"{number} " + "\U0001f600" * 190 for number in range(2)]
    made = [
        binding.make(ada, name, [question, "Other"]).questions[0] for name in names[: 2 if len(question) < 190 else 1]
    ]
    assert len(set(made)) == len(made)
    assert all(len(name) <= 200 and name.endswith(question) for name in made)
    assert len(question) > 190 or made[0].startswith("0 \U0001f600")


def again(multi_ballot):
    return multi_ballots.find(multi_ballot.id)


def question(multi_ballot, place):
    return repository.find(again(multi_ballot).questions[place])


def filled(ada, multi_ballot):
    """Candidates in each question, and voters and a window in the first."""
    for name in multi_ballot.questions:
        add_candidates(ada, repository.find(name), [Candidate("Bo"), Candidate("Cy")])
    enrol("Hypatia")
    add_voters(ada, question(multi_ballot, 0), ["Hypatia", "new@example.org"])
    actions.change(ada, question(multi_ballot, 0), Action.SET_UP, no_voting_after=FUTURE, secret_ballot=False)
    return again(multi_ballot)


def test_all_questions_have_so_many_candidates_together_as_can_be_cast(ada, multi_ballot, settings, monkeypatch):
    assert settings.DATA_UPLOAD_MAX_NUMBER_FIELDS > rules.MAX_TOTAL_CANDIDATES
    monkeypatch.setattr(rules, "MAX_TOTAL_CANDIDATES", 5)
    filled(ada, multi_ballot)
    with pytest.raises(NotReady, match="at most 5 candidates in total; these have 6"):
        binding.open_(ada, again(multi_ballot))
    monkeypatch.setattr(rules, "MAX_TOTAL_CANDIDATES", 6)
    binding.open_(ada, again(multi_ballot))
    assert set(states(multi_ballot)) == {State.OPEN}


def test_the_page_says_how_many_questions_and_candidates_there_may_be():
    words = str(QuestionsForm.base_fields["questions"].help_text)
    assert f"{rules.MAX_QUESTIONS} questions" in words
    assert f"{rules.MAX_TOTAL_CANDIDATES:,} candidates" in words


def roll(election):
    return {(voter.name, voter.account) for voter in rolls.every_voter(election.name)}


def states(multi_ballot):
    return [question(multi_ballot, place).stored_state for place in range(len(again(multi_ballot).questions))]


def types(site):
    return [event["event_type"] for event in EventLog(site).since(0)]


# --- binding ---


def test_a_multi_ballot_binds_new_drafts_and_own_ones_and_the_first_leads(site, ada):
    drafts.create(ada, "Colour")
    multi_ballot = binding.make(ada, "Spring", ["Chair", "colour"])
    assert again(multi_ballot) == multi_ballot
    assert multi_ballot.questions == ("Spring: Chair", "Colour")
    assert multi_ballot.leader == "Spring: Chair"
    assert [multi_ballot.short(name) for name in multi_ballot.questions] == ["Chair", "Colour"]
    assert [repository.find(name).book for name in multi_ballot.questions] == [multi_ballot.id, multi_ballot.id]
    assert types(site)[-1] == "BookMade"


def test_drafts_of_others_and_opened_ones_and_those_of_another_multi_ballot_are_not_bound(ada, person):
    bea = person("Bea")
    drafts.create(bea, "Chair")
    first = binding.make(ada, "Spring", ["Chair"])
    assert first.questions == ("Spring: Chair",)
    assert binding.make(ada, "Autumn", ["Spring: Chair"]).questions == ("Autumn: Spring: Chair",)
    drafts.create(bea, "Winter: Chair")
    with pytest.raises(Refusal, match=r"^Chair: There is already an election with that name"):
        binding.make(ada, "Winter", ["Dish", "Chair"])
    made = binding.make(ada, "Winter", ["Dish", "Cook"])  # what was made before the refusal is bound now
    assert made.questions == ("Winter: Dish", "Winter: Cook")


def test_a_long_name_leaves_less_room_and_a_question_typed_twice_is_one(ada):
    long = "q" * 195
    multi_ballot = binding.make(ada, "Spring", ["Chair", "Spring: Chair", long])
    assert multi_ballot.questions == ("Spring: Chair", f"Sp…: {long}")


def test_a_mail_lists_the_first_questions_and_how_many_more_there_are(ada):
    many = binding.make(ada, "Autumn", [f"Q{number}" for number in range(20)])
    assert question_lines(repository.find(many.leader)) == [*(f"Q{number}" for number in range(8)), "and 12 more"]
    few = binding.make(ada, "Winter", [f"W{number}" for number in range(8)])
    assert question_lines(repository.find(few.leader)) == [f"W{number}" for number in range(8)]


def test_twenty_questions_and_no_more(ada):
    multi_ballot = binding.make(ada, "Many", [f"Question {number}" for number in range(20)])
    with pytest.raises(NotNow, match="at most 20 questions"):
        binding.add(ada, multi_ballot, ["One more"])
    assert repository.find("Many: One more") is None
    with pytest.raises(NotNow, match="at least one question"):
        binding.make(ada, "None", [])


def test_questions_are_added_moved_taken_out_and_the_multi_ballot_renamed(site, ada, multi_ballot):
    binding.add(ada, multi_ballot, ["Song"])
    binding.move(ada, again(multi_ballot), "Spring: Song", up=True)
    binding.move(ada, again(multi_ballot), "Spring: Chair", up=True)  # it is the first already
    binding.take_out(ada, again(multi_ballot), "Spring: Treasurer")
    binding.rename(ada, again(multi_ballot), "Summer")
    after = again(multi_ballot)
    assert (after.name, after.leader) == ("Summer", "Spring: Chair")
    assert after.questions == ("Spring: Chair", "Spring: Song", "Spring: Colour")
    assert repository.find("Spring: Treasurer").book == ""
    assert types(site)[-4:] == ["BookChanged"] * 4
    drafts.rename(ada, repository.find("Spring: Treasurer"), "Money")  # it is by itself again


def test_what_leads_stays_until_it_is_the_last(site, ada, multi_ballot):
    with pytest.raises(NotNow, match="Remove the others first"):
        binding.take_out(ada, multi_ballot, "Spring: Chair")
    for name in ("Spring: Treasurer", "Spring: Colour", "Spring: Chair"):
        binding.take_out(ada, again(multi_ballot), name)
    assert again(multi_ballot) is None
    assert types(site)[-1] == "BookTakenApart"
    assert repository.find("Spring: Chair").book == ""


def test_who_does_not_own_it_binds_nothing(multi_ballot, person):
    bea = person("Bea")
    for act in (
        lambda: binding.add(bea, multi_ballot, ["Song"]),
        lambda: binding.take_out(bea, multi_ballot, "Spring: Colour"),
        lambda: binding.rename(bea, multi_ballot, "Mine"),
        lambda: binding.move(bea, multi_ballot, "Spring: Colour", up=True),
        lambda: binding.open_(bea, multi_ballot),
    ):
        with pytest.raises(NotAllowed):
            act()
    assert repository.find("Spring: Song") is None


def test_of_two_who_change_it_at_once_one_is_told_to_look_again(ada, multi_ballot):
    binding.add(ada, multi_ballot, ["Song"])
    for act in (
        lambda: binding.rename(ada, multi_ballot, "Old"),
        lambda: binding.take_out(ada, multi_ballot, "Spring: Colour"),
    ):
        with pytest.raises(LostRace):
            act()
    assert again(multi_ballot).name == "Spring"
    assert repository.find("Spring: Colour").book == multi_ballot.id


def test_a_deleted_question_leaves_the_multi_ballot_and_the_next_leads(ada, multi_ballot):
    deleting.delete(ada, question(multi_ballot, 0))
    assert again(multi_ballot).questions == ("Spring: Treasurer", "Spring: Colour")
    assert again(multi_ballot).leader == "Spring: Treasurer"
    for _ in range(2):
        deleting.delete(ada, question(multi_ballot, 0))
    assert again(multi_ballot) is None


# --- what one question cannot do alone ---


def test_alone_a_question_says_where_it_is_done(ada, multi_ballot):
    filled(ada, multi_ballot)
    for act in (
        lambda: lifecycle.open_(ada, question(multi_ballot, 1), editable=False),
        lambda: drafts.rename(ada, question(multi_ballot, 0), "Other"),
        lambda: add_voters(ada, question(multi_ballot, 1), ["x@example.org"]),
    ):
        with pytest.raises(WrongState, match="“Spring”"):
            act()
    binding.open_(ada, again(multi_ballot))
    for act in (
        lambda: lifecycle.extend(ada, question(multi_ballot, 0), LATER),
        lambda: closing.close(ada, question(multi_ballot, 1)),
    ):
        with pytest.raises(WrongState, match="Do this there, for all of them"):
            act()
    assert states(multi_ballot) == [State.OPEN] * 3


def test_the_same_people_run_all_questions(ada, multi_ballot, person):
    bea, cleo = person("Bea"), person("Cleo")
    add_manager(ada, question(multi_ballot, 1), "Bea")
    assert [question(multi_ballot, place).managers for place in range(3)] == [("Bea",)] * 3
    remove_manager(ada, question(multi_ballot, 2), "Bea")
    assert [question(multi_ballot, place).managers for place in range(3)] == [()] * 3
    hand_over(ada, question(multi_ballot, 1), "Cleo")
    assert [question(multi_ballot, place).owner_name for place in range(3)] == ["Cleo"] * 3
    binding.rename(cleo, again(multi_ballot), "Hers")
    with pytest.raises(NotAllowed):
        binding.rename(bea, again(multi_ballot), "Not hers")


def test_what_somebody_leaves_behind_passes_on_whole(multi_ballot, ada, person):
    olga = person("Olga", Role.OWNER)
    accounts.remove(olga, ada)
    assert [question(multi_ballot, place).owner_name for place in range(3)] == ["Olga"] * 3
    binding.rename(olga, again(multi_ballot), "Inherited")


# --- opening, extending, closing ---


def test_everything_that_is_missing_is_said_with_its_question(ada, multi_ballot):
    add_candidates(ada, question(multi_ballot, 0), [Candidate("Bo"), Candidate("Cy")])
    with pytest.raises(NotReady) as refused:
        binding.open_(ada, again(multi_ballot))
    said = str(refused.value)
    assert "Chair: Before it can open, it needs at least one voter on the roll." in said
    assert "Treasurer: Before it can open, it needs at least two candidates, at least one voter on the roll." in said
    assert states(multi_ballot) == [State.DRAFT] * 3


def test_all_open_with_one_roll_and_one_window_the_one_that_leads_last(site, ada, multi_ballot):
    filled(ada, multi_ballot)
    drafts.create(ada, "Old", remind_before=(24,))
    add_candidates(ada, repository.find("Old"), [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, repository.find("Old"), ["gone@example.org"])
    binding.add(ada, again(multi_ballot), ["Old"])
    actions.change(ada, question(multi_ballot, 1), Action.SET_UP, method="borda")
    binding.open_(ada, again(multi_ballot))
    found = [question(multi_ballot, place) for place in range(4)]
    assert states(multi_ballot) == [State.OPEN] * 4
    assert {each.no_voting_after for each in found} == {FUTURE}
    assert {each.secret_ballot for each in found} == {False}
    assert [each.method for each in found] == ["schulze", "borda", "schulze", "schulze"]
    assert found[3].remind_before == ()
    assert all(roll(each) == roll(found[0]) and each.voter_count == 2 for each in found)
    opened = [event["event_data"] for event in EventLog(site).since(0) if event["event_type"] == "ElectionOpened"]
    assert opened[-1]["election_name"] == "Spring: Chair"
    assert unfinished("act on ballot") == []


def test_settings_of_all_questions_are_changed_for_the_one_that_leads(ada, multi_ballot):
    """Those of another question would be lost by the opening."""
    with pytest.raises(rules.SharedSetting, match=r"Change it for “Spring: Chair”"):
        actions.change(ada, question(multi_ballot, 1), Action.SET_UP, secret_ballot=False, method="borda")
    assert question(multi_ballot, 1).method == "schulze"
    actions.change(ada, question(multi_ballot, 0), Action.SET_UP, secret_ballot=False)
    assert multi_ballots.as_led(question(multi_ballot, 1)).secret_ballot is False


def test_voters_who_come_later_are_on_every_roll_and_voted_marks_stay(ada, multi_ballot, person):
    filled(ada, multi_ballot)
    binding.open_(ada, again(multi_ballot))
    hypatia = person("Hypatia2")
    add_voters(ada, question(multi_ballot, 0), ["Hypatia2", "later@example.org"])
    add_voters(ada, question(multi_ballot, 0), ["Hypatia2", "later@example.org"])
    assert [question(multi_ballot, place).voter_count for place in range(3)] == [4, 4, 4]
    ballots.cast(hypatia, question(multi_ballot, 1).name, {"0": ["1"]}, "form")
    add_voters(ada, question(multi_ballot, 0), ["last@example.org"])
    assert rolls.find_with_entry(question(multi_ballot, 1).name, hypatia)[1].voted
    assert not rolls.find_with_entry(question(multi_ballot, 0).name, hypatia)[1].voted


def test_the_end_moves_for_all_and_all_are_closed(ada, multi_ballot):
    filled(ada, multi_ballot)
    binding.open_(ada, again(multi_ballot))
    binding.extend(ada, again(multi_ballot), LATER)
    assert {question(multi_ballot, place).no_voting_after for place in range(3)} == {LATER}
    with pytest.raises(WrongState, match="only be moved later"):
        binding.extend(ada, again(multi_ballot), FUTURE)
    binding.close(ada, again(multi_ballot))
    assert states(multi_ballot) == [State.CLOSED] * 3
    with pytest.raises(WrongState):
        binding.close(ada, again(multi_ballot))


def test_while_it_is_opened_nothing_gets_in_the_way(site, ada, multi_ballot, monkeypatch):
    filled(ada, multi_ballot)
    monkeypatch.setattr(multi_ballots.ACTING, "start", lambda multi_ballot_id: False)  # whoever asked for it died
    binding.open_(ada, again(multi_ballot))
    for act in (
        lambda: add_voters(ada, question(multi_ballot, 0), ["x@example.org"]),
        lambda: remove_voter(ada, question(multi_ballot, 0), "new@example.org"),
        lambda: deleting.delete(ada, question(multi_ballot, 1)),
        lambda: binding.take_out(ada, again(multi_ballot), "Spring: Colour"),
        lambda: binding.open_(ada, again(multi_ballot)),
    ):
        with pytest.raises(WrongState, match="Please try again in a moment"):
            act()
    monkeypatch.undo()
    assert finish_background("act on ballot", "add to rolls") == 1
    assert states(multi_ballot) == [State.OPEN] * 3


def test_who_decided_before_the_opening_is_refused_by_it(ada, multi_ballot, monkeypatch):
    """They looked before the mark was there, and write after it."""
    filled(ada, multi_ballot)
    monkeypatch.setattr(multi_ballots.ACTING, "start", lambda multi_ballot_id: False)
    monkeypatch.setattr(multi_ballots, "check_single_question", lambda *_arguments: None)
    stale = question(multi_ballot, 0)
    binding.open_(ada, again(multi_ballot))
    for act in (
        lambda: actions.change(ada, stale, Action.SET_UP, no_voting_after=LATER),
        lambda: add_voters(ada, stale, ["x@example.org"]),
        lambda: remove_voter(ada, stale, "new@example.org"),
        lambda: deleting.delete(ada, stale),
    ):
        with pytest.raises(LostRace):
            act()


@pytest.mark.parametrize("opened_first", [True, False])
def test_of_opening_and_taking_out_the_first_wins(ada, multi_ballot, opened_first):
    filled(ada, multi_ballot)
    open_ = partial(binding.open_, ada, again(multi_ballot))
    take_out = partial(binding.take_out, ada, again(multi_ballot), "Spring: Colour")
    lost(*((take_out, open_) if opened_first else (open_, take_out)))
