"""Which step comes next, of every election in every state, for everybody who may see its dashboard."""

from __future__ import annotations

from dataclasses import replace

from elections.dashboard.next_step import Button, NextStep, Numbers, next_step
from elections.rules import Election, Relation, State, offered
from tests.rows import every_row

NOW = "2026-11-16T12:00:00.000Z"
TOMORROW, LATER, PAST = "2026-11-17T12:00:00.000Z", "2026-12-01T12:00:00.000Z", "2026-11-15T12:00:00.000Z"
DRAFT = Election("Board", "Ada", "2026-11-01T00:00:00.000Z", voter_count=207, no_voting_after=LATER)
OPEN = replace(DRAFT, allow_edit=False, allow_vote=True)
CLOSED = replace(DRAFT, allow_edit=False)
EVERYBODY = replace(OPEN, electorate="everyone")
FIVE = Numbers(candidates={1: 5})
INVITED = replace(FIVE, voted=120)
REMIND = "Remind those who have not voted"
ANNOUNCE = NextStep("announce", "Tell them.", Button("Announce", "/announce/"))


def may(election, who=Relation.OWNER):
    return {action.name for action in offered(who, election.state(NOW))}


def step(election, numbers, *later, who=Relation.OWNER):
    return next_step(election, numbers, may(election, who), NOW, *later)


STEPS = [
    (replace(DRAFT, filling=True), FIVE, "wait", "being copied", None),
    (DRAFT, Numbers(), "candidates", "at least two candidates", "Add candidates"),
    (replace(DRAFT, voter_count=0), Numbers(), "candidates", "at least one voter", "Add candidates"),
    (replace(DRAFT, voter_count=0), FIVE, "voters", "at least one voter on the roll.", "Add voters"),
    (replace(DRAFT, seats=5, method="stv-meek"), FIVE, "candidates", "more candidates than seats", "Add candidates"),
    (replace(DRAFT, no_voting_after=PAST), FIVE, "settings", "an end in the future", "Change the settings"),
    (
        replace(DRAFT, voter_count=0, electorate="everyone"),
        FIVE,
        "open",
        "Everything is ready",
        "Open the election",
    ),
    (DRAFT, FIVE, "open", "as soon as you open the election", "Open the election"),
    (OPEN, replace(FIVE, uninvited=207), "invite", "207 of 207 voters have not been invited yet.", "Invite voters"),
    (OPEN, replace(FIVE, uninvited=1), "invite", "1 of 207 voters has not", "Invite voters"),
    (OPEN, replace(FIVE, uninvited=9, is_inviting=True), "wait", "9 of 207 still to go", None),
    (OPEN, INVITED, "watch", "Everyone is invited. 120 of 207 have voted.", None),
    (replace(OPEN, no_voting_after=TOMORROW), INVITED, "remind", "120 of 207", "Remind those who have not voted"),
    (replace(OPEN, no_voting_after=None), INVITED, "remind", "120 of 207", "Remind those who have not voted"),
    (replace(OPEN, no_voting_after=TOMORROW), replace(INVITED, reminded=87), "watch", "120 of 207", None),
    (replace(OPEN, no_voting_after=TOMORROW, remind_before=(3,)), INVITED, "watch", "automatic reminder", None),
    (replace(OPEN, no_voting_before=TOMORROW, no_voting_after=LATER), INVITED, "watch", "120 of 207", None),
    (OPEN, replace(FIVE, voted=207), "close", "Everyone has voted", "Close the election"),
    (EVERYBODY, replace(INVITED, uninvited=3), "invite", "Nobody has been invited by mail yet.", "Invite voters"),
    (EVERYBODY, replace(INVITED, is_inviting=True), "wait", "on their way", None),
    (EVERYBODY, replace(INVITED, invited=300), "watch", "120 have voted.", None),
    (replace(EVERYBODY, no_voting_after=TOMORROW), replace(INVITED, invited=300), "remind", "120 have", REMIND),
    (replace(OPEN, no_voting_after=PAST), INVITED, "wait", "being counted", "See the result"),
    (CLOSED, INVITED, "wait", "being counted", "See the result"),
    (CLOSED, replace(INVITED, is_sealed=True), "result", "closed and final.", "See the result"),
]


@every_row(("election", "numbers", "what", "words", "button"), STEPS)
def test_the_next_step(election, numbers, what, words, button):
    found = step(election, numbers)
    assert found.what == what
    assert words in found.sentence
    assert (found.button.label if found.button else None) == button


def test_weights_and_secret_ballots_do_not_go_together_and_there_are_two_ways_out():
    found = step(replace(DRAFT, extra_votes=3), FIVE)
    assert "public ballots or one vote for each voter" in found.sentence
    assert [each.label for each in (found.button, *found.other_buttons)] == ["Change the settings", "See the list"]
    assert step(replace(DRAFT, extra_votes=3, secret_ballot=False), FIVE).what == "open"


def test_a_reminder_that_leaves_nobody_out_is_not_said_to_go_to_those_who_have_not_voted():
    soon, two = replace(OPEN, no_voting_after=TOMORROW), replace(FIVE, voted=2)
    assert step(soon, two).button.label == "Remind voters"
    assert step(replace(soon, secret_ballot=False), two).button.label == REMIND
    assert "Everybody who was invited gets an automatic" in step(replace(soon, remind_before=(3,)), two).sentence
    assert "The others get an automatic" in step(replace(soon, remind_before=(3,)), INVITED).sentence


def test_inviting_is_the_loud_button_only_while_somebody_waits_for_it():
    assert not step(OPEN, replace(FIVE, uninvited=1)).is_quiet
    for numbers in (INVITED, replace(FIVE, voted=207)):
        assert step(OPEN, numbers).is_quiet


def test_what_others_ask_for_follows_the_sealing_and_leaves_the_result_in_reach():
    assert step(CLOSED, INVITED, ANNOUNCE).what == "wait", "not before it is sealed"
    found = step(CLOSED, replace(INVITED, is_sealed=True), None, ANNOUNCE)
    assert (found.what, found.button) == ("announce", ANNOUNCE.button)
    assert [each.label for each in found.other_buttons] == ["See the result"]


@every_row(
    ("who", "election", "numbers", "button"),
    [
        (Relation.MANAGER, DRAFT, Numbers(), "Add candidates"),
        (Relation.MANAGER, DRAFT, FIVE, None),
        (Relation.MANAGER, replace(DRAFT, no_voting_after=PAST), FIVE, None),
        (Relation.MANAGER, OPEN, replace(FIVE, uninvited=1), "Invite voters"),
        (Relation.MANAGER, OPEN, replace(FIVE, voted=207), None),
        (Relation.MODERATOR, DRAFT, Numbers(), None),
        (Relation.MODERATOR, OPEN, replace(FIVE, uninvited=1), None),
        (Relation.MODERATOR, OPEN, replace(FIVE, voted=207), "Close the election"),
    ],
)
def test_nobody_is_offered_what_they_may_not_do(who, election, numbers, button):
    found = step(election, numbers, who=who)
    assert (found.button.label if found.button else None) == button


def test_a_manager_is_told_who_can_open_it_and_may_rehearse():
    found = step(DRAFT, FIVE, who=Relation.MANAGER)
    assert "Ada can open the election" in found.sentence
    assert [each.label for each in found.other_buttons] == ["Dress rehearsal"]


def test_every_state_has_a_step_for_everybody():
    for election in (DRAFT, replace(OPEN, allow_edit=True), OPEN, CLOSED):
        for who in (Relation.OWNER, Relation.MANAGER, Relation.MODERATOR):
            assert step(election, FIVE, who=who).sentence.endswith(".")
    assert {each.state(NOW) for each in (DRAFT, replace(OPEN, allow_edit=True), OPEN, CLOSED)} == set(State)
