"""Every state x action x relation; the clock at both ends of the window; what opening needs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from django.core.exceptions import ValidationError

from accounts.rules import Role
from elections.opening_rules import check_opening
from elections.rules import (
    Action,
    Election,
    NotReady,
    Relation,
    State,
    WrongState,
    check_new_end,
    check_settings,
    check_when,
    check_who,
    check_window,
    offered,
    relation,
)
from foundation.acts.refusals import NotAllowed
from tests.rows import every_row

NOON = "2026-11-15T12:00:00.000Z"
BEFORE, AFTER = "2026-11-15T11:59:59.999Z", "2026-11-15T12:00:00.001Z"
ELECTION = Election(name="Board", owner_name="Ada", created_at="2026-11-01T00:00:00.000Z")
OPEN = replace(ELECTION, allow_edit=False, allow_vote=True)

# Written down once more, as a person would say it: per action the states (Draft, Editable, Open, Closed) and who.
TABLE = {
    Action.LOOK: ("DEOC", "owner manager moderator"),
    Action.DESCRIBE: ("DE", "owner manager moderator"),
    Action.SET_UP: ("D", "owner"),
    Action.ADD_CANDIDATES: ("DE", "owner manager"),
    Action.CHANGE_CANDIDATES: ("D", "owner manager"),
    Action.SET_NEEDS: ("D", "owner manager"),
    Action.SET_QUESTIONS: ("DEO", "owner manager"),
    Action.REVIEW_QUESTIONS: ("EOC", "owner manager moderator"),
    Action.ANSWER_QUESTIONS: ("EO", "owner manager"),
    Action.ADD_VOTERS: ("DEO", "owner manager"),
    Action.REMOVE_VOTERS: ("D", "owner manager"),
    Action.SEE_ROLL: ("DEOC", "owner manager moderator"),
    Action.INVITE: ("EO", "owner manager"),
    Action.READ_MAILS: ("EOC", "owner manager"),
    Action.ANNOUNCE: ("C", "owner manager"),
    Action.WORD_INVITATION: ("DEO", "owner manager"),
    Action.SET_REMINDERS: ("DEO", "owner manager"),
    Action.ANSWER: ("EOC", "owner manager"),
    Action.ENTER_PAPER: ("EO", "owner manager"),
    Action.RUN_STATION: ("EO", "owner manager"),
    Action.REHEARSE: ("D", "owner manager"),
    Action.OPEN: ("D", "owner"),
    Action.FIX: ("E", "owner"),
    Action.EXTEND: ("EO", "owner"),
    Action.CLOSE: ("EO", "owner moderator"),
    Action.RENAME: ("D", "owner"),
    Action.DELETE: ("DEOC", "owner moderator"),
    Action.COPY: ("DEOC", "owner manager"),
    Action.CHANGE_MANAGERS: ("DEO", "owner"),
    Action.HAND_OVER: ("DEO", "owner moderator"),
}


@every_row(("action", "state", "who"), product(Action, State, Relation))
def test_who_may_do_what_and_when(action, state, who):
    states, people = TABLE[action]
    in_time, allowed = state.name[0] in states, who.value in people.split()
    assert (action in offered(who, state)) is (in_time and allowed)
    if allowed:
        check_who(who, action)
    else:
        with pytest.raises(NotAllowed, match=r"\.$"):
            check_who(who, action)
    if in_time:
        check_when(state, action)
    else:
        with pytest.raises(WrongState, match=r"\.$"):
            check_when(state, action)


@every_row(
    ("flags", "state"),
    [
        ((True, False), State.DRAFT),
        ((True, True), State.EDITABLE),
        ((False, True), State.OPEN),
        ((False, False), State.CLOSED),
    ],
)
def test_the_flags_make_the_state(flags, state):
    election = replace(ELECTION, allow_edit=flags[0], allow_vote=flags[1])
    assert election.state(NOON) == election.stored_state == state


@every_row(("now", "state"), [(BEFORE, State.OPEN), (NOON, State.CLOSED), (AFTER, State.CLOSED)])
def test_the_closing_moment_itself_is_too_late(now, state):
    election = replace(OPEN, no_voting_after=NOON)
    assert election.state(now) == state
    assert election.takes_votes(now) is (state == State.OPEN)


@every_row(("now", "takes"), [(BEFORE, False), (NOON, True), (AFTER, True)])
def test_voting_begins_at_its_moment(now, takes):
    election = replace(OPEN, no_voting_before=NOON)
    assert election.takes_votes(now) is takes
    assert election.state(now) == State.OPEN


def test_a_draft_does_not_close_by_the_clock():
    assert replace(ELECTION, no_voting_after=NOON).state(AFTER) == State.DRAFT


@every_row(
    ("name", "role", "expected"),
    [
        ("Ada", Role.USER, Relation.OWNER),
        ("ADA", Role.OWNER, Relation.OWNER),
        ("Ada", Role.VOTER, Relation.NOBODY),  # a demotion works at once, also for an owner of an election
        ("Bo", Role.USER, Relation.MANAGER),
        ("Bo", Role.OBSERVER, Relation.NOBODY),
        ("Cy", Role.USER, Relation.NOBODY),
        ("Cy", Role.ADMIN, Relation.MODERATOR),
        ("Bo", Role.ADMIN, Relation.MANAGER),
        ("Cy", Role.OWNER, Relation.MODERATOR),
    ],
)
def test_what_somebody_is_to_an_election(name, role, expected):
    assert relation(name, role, replace(ELECTION, managers=("bo",))) == expected


def test_opening_names_everything_that_is_missing():
    with pytest.raises(NotReady) as refused:
        check_opening(replace(ELECTION, no_voting_after=BEFORE), candidates={1: 1}, now=NOON)
    for words in ("two candidates", "one voter", "end in the future"):
        assert words in str(refused.value)


@every_row(("candidates", "seats", "ready"), [(2, 1, True), (3, 3, False), (3, 2, True), (1, 1, False)])
def test_opening_needs_more_candidates_than_seats(candidates, seats, ready):
    election = replace(ELECTION, seats=seats, method="stv-meek" if seats > 1 else "irv", voter_count=1)
    if ready:
        check_opening(election, {1: candidates}, now=NOON)
    else:
        with pytest.raises(NotReady):
            check_opening(election, {1: candidates}, now=NOON)


def test_everybody_as_the_electorate_needs_no_roll():
    check_opening(replace(ELECTION, electorate="everyone"), candidates={1: 2}, now=NOON)


@every_row(
    ("old", "new", "accepted"),
    [
        (AFTER, "2026-11-16T00:00:00.000Z", True),
        (AFTER, AFTER, True),
        (AFTER, None, True),
        (AFTER, NOON, False),
        (None, AFTER, False),
        (None, None, True),
    ],
)
def test_while_it_is_open_the_end_only_moves_later(old, new, accepted):
    election = replace(OPEN, no_voting_after=old)
    if accepted:
        check_new_end(election, new, NOON)
    else:
        with pytest.raises(WrongState, match=r"\.$"):
            check_new_end(election, new, NOON)


def test_settings_that_contradict_each_other_are_refused():
    check_settings("stv-meek", 3, True, "closed")
    check_settings("schulze", 1, False, "live")
    with pytest.raises(ValidationError, match="STV"):
        check_settings("schulze", 2, True, "closed")
    with pytest.raises(ValidationError, match="secret"):
        check_settings("schulze", 1, True, "live")
    with pytest.raises(ValidationError, match="after it begins"):
        check_window(NOON, NOON)
