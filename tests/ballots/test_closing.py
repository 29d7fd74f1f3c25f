"""Closing while people vote, where each gate is shut by itself: killed at any write, taken up by whoever comes by."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import pytest

from accounts import repository as people
from ballots import repository, services
from ballots.services import _record_cast
from elections import repository as elections
from elections import sharding
from elections.lifecycle import closing
from elections.lifecycle.closing import close_ended_elections
from elections.lifecycle.services import move_end
from elections.rules import Election, State
from elections.turnout.counts import turnout
from foundation.acts.refusals import LostRace
from foundation.acts.storage import log, table, use_table
from foundation.store.log import as_text, utc_now
from foundation.store.table import Conflict, Refused, Table
from operations.upkeep import replay

from . import held
from .caster import Deadly, Killed
from .conftest import ranks


class Distant(Deadly):
    """A table in which every write is a journey, until whoever writes is killed."""

    is_distant = True


def owner():
    return people.find("the organiser")


def told(election_name: str) -> list[str]:
    return [
        event["event_type"]
        for event in log().since(0)
        if event["event_data"].get("election_name") == election_name
        and event["event_type"] in ("BallotCast", "ElectionClosed")
    ]


def is_shut(site: Table, name: str) -> bool:
    return {gate["open"] for gate in site.get_many(sharding.gates_of(name).keys(name)).values()} == {False}


def test_killed_at_any_write_whoever_comes_by_goes_on(site, person, opened):
    """And whoever was voting meanwhile gets in or is told otherwise, and has a lower number than the close."""
    eve, bob = person("Eve"), person("Bob")
    for at in count(1):
        board = opened("Eve", "Bob", name=f"Board {at}")
        services.cast(eve, board.name, ranks(Bo=1), f"{at}")
        before = services.voter_context(bob, board.name)
        killed = _close_until_killed(board, at)
        is_in = _cast_as_if_it_were_open(bob, before, at)
        close_ended_elections()
        closed = elections.find(board.name).stored_state == State.CLOSED
        assert closed == (at > 1), "from the first write on it is said"
        if closed:
            assert told(board.name) == ["BallotCast"] * (1 + is_in) + ["ElectionClosed"]
            assert is_shut(site, board.name)
            assert turnout(board.name).voted == 1 + is_in == len(list(repository.every_ballot(board.name)))
        if not killed:
            break
    assert at > sharding.GATES_PER_SHARD + 2
    assert replay.check(site).first == ()


def _close_until_killed(board: Election, at: int) -> bool:
    try:
        with use_table(Distant(table(), at)):
            closing.close(owner(), board)
    except Killed:
        return True
    return False


def _cast_as_if_it_were_open(bob, before, at: int) -> bool:
    try:
        _record_cast(bob, before, {1: "1"}, utc_now(), f"late {at}", paper=False)
    except Refused:
        return False
    return True


def test_what_does_not_get_through_is_left_to_the_worker(site, person, opened, monkeypatch):
    """Whoever closes it is told that it is closed, and so is everybody who comes."""
    monkeypatch.setattr("foundation.acts.retry._pause", lambda number: 0)
    monkeypatch.setattr(held, "PAUSE_SECONDS", 0)
    board = opened("Eve")
    with use_table(held.Held(site, seconds=0, most=0)):
        assert closing.close(owner(), board).state(as_text(utc_now())) == State.CLOSED
        with pytest.raises(Conflict):
            closing.close_if_over("Board")
    assert told("Board") == []
    assert close_ended_elections() == 1
    assert told("Board") == ["ElectionClosed"]


def test_an_extension_and_a_close_at_once_are_one_before_the_other(opened):
    board = opened("Eve", no_voting_after=as_text(utc_now() + timedelta(hours=1)))
    closing.CLOSING.begin(board, "the organiser")
    with pytest.raises(LostRace):
        move_end(owner(), board, as_text(utc_now() + timedelta(hours=2)))
