"""What every act needs, tried on a thing of its own: a third user of gates and closing needs no copy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import pytest

from foundation.acts import retry
from foundation.acts.gates import Closing, Gates, as_of, count_votes
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.retry import retry_lost_race, run_once
from foundation.acts.storage import delete_all, log, table, use_table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Check, Conflict, Equals, Exists, Key, Less, Missing, Put, Refused, Update, Write
from tests.chaos import Chaos

HALL = Key("ELECTION#hall", "METADATA")
ONE, TWO, THREE = (as_of("2031-05-01T12:00:00.000Z", version) for version in (1, 2, 10))
GATES = Gates(3, keys.gate)

pytestmark = pytest.mark.usefixtures("site")


# --- the table at hand ---


def test_whatever_happens_inside_happens_on_another_table(site, tmp_path):
    stage = SqliteTable(str(tmp_path / "stage.sqlite3"))
    stage.create()
    with use_table(stage):
        table().write(Put({"PK": HALL.pk, "SK": HALL.sk}))
    assert (stage.get(HALL) is None, site.get(HALL) is None) == (False, True)


# --- trying again ---


@pytest.mark.parametrize("in_the_way", [Refused((0,)), LostRace("faster")])
def test_whoever_is_overtaken_looks_again(in_the_way):
    seen = iter([in_the_way, in_the_way, None])

    def act() -> str:
        if (error := next(seen)) is not None:
            raise error
        return "done"

    assert retry_lost_race(act) == "done"


def test_after_some_tries_it_is_said_that_somebody_is_always_faster():
    tries = []

    def act() -> None:
        tries.append(1)
        raise Refused((0,))

    with pytest.raises(LostRace, match="at the same moment"):
        retry_lost_race(act)
    assert len(tries) == retry.MAX_RACES


def test_a_refusal_in_words_is_not_tried_again():
    tries = []

    def act() -> None:
        tries.append(1)
        raise Refusal("No.")

    with pytest.raises(Refusal, match="No"):
        retry_lost_race(act)
    assert tries == [1]


# --- a form that is carried out once ---


def test_a_form_is_carried_out_once_and_not_refused_for_what_it_did_itself():
    def act() -> str:
        log().record(Event("Ada", "ProfileChanged"), once="form")
        return "done"

    def refused() -> str:
        raise Refusal("You have done so already.")

    assert [run_once("form", act, "before") for _ in range(2)] == ["done", "before"]
    assert run_once("form", refused, "before") == "before"
    with pytest.raises(Refusal, match="already"):
        run_once("another form", refused, "before")


# --- gates ---


def through(number: int = 0, **counted: int) -> Write:
    return GATES.passing("hall", number, counted or {"voted": 1})


def passes() -> bool:
    try:
        table().write(through())
    except Refused:
        return False
    return True


def test_gates_count_who_came_through_and_nobody_comes_when_they_are_shut():
    table().write(*GATES.opening("hall", ONE))
    for number in range(3):
        table().write(through(number))
    table().write(*GATES.shutting("hall", TWO))
    assert not passes()
    assert count_votes(table().get_many(GATES.keys("hall")).values()) == 3, "shut, they keep what they have counted"


def test_whoever_comes_late_with_a_move_changes_nothing_that_was_decided_since():
    table().write(*GATES.opening("hall", ONE))
    table().write(*GATES.shutting("hall", TWO))
    retry.write_each(GATES.opening("hall", ONE))
    assert not passes(), "shut after it was opened"
    table().write(*GATES.opening("hall", THREE))
    retry.write_each(GATES.shutting("hall", TWO))
    assert passes(), "opened again after it was shut"
    retry.write_each(GATES.shutting("hall", as_of("2020-01-01T00:00:00.000Z", 999)))
    assert passes(), "an earlier hall of that name was shut"


def test_what_is_gone_is_not_made_again_by_shutting_it():
    retry.write_each(GATES.shutting("hall", ONE))
    assert table().get_many(GATES.keys("hall")) == {}


def test_who_changes_a_vote_passes_a_gate_that_counts_nothing():
    table().write(*GATES.opening("hall", ONE))
    assert isinstance(through(voted=0), Check)


def test_a_gate_may_ask_more():
    table().write(*GATES.opening("hall", ONE))
    room = Missing("voted") | Less("voted", 1)
    table().write(GATES.passing("hall", 0, {"voted": 1}, room))
    with pytest.raises(Refused):
        table().write(GATES.passing("hall", 0, {"voted": 1}, room))


# --- closing ---


@dataclass(frozen=True)
class Hall:
    closing: str | None = None
    closed: bool = False


def stored(hall: Hall) -> Hall:
    table().write(Put({"PK": HALL.pk, "SK": HALL.sk, "closing": hall.closing, "closed": hall.closed}))
    return hall


def _changed(before: Hall, after: Hall) -> Write:
    now = Equals("closing", before.closing) & Equals("closed", before.closed)
    return Update(HALL, set={"closing": after.closing, "closed": after.closed}, when=now)


def _begun(hall: Hall, who: str) -> tuple[Hall, list[Write]]:
    after = replace(hall, closing=who)
    return after, [_changed(hall, after)]


def _said(shut: Hall) -> tuple[Hall, Event, list[Write]]:
    after = Hall(closed=True)
    return after, Event(str(shut.closing), "ElectionClosed", {"election_name": "hall"}), [_changed(shut, after)]


CLOSING = Closing(_begun, _said, lambda hall: GATES.shutting("hall", TWO))


def test_first_it_says_so_then_nobody_gets_in_and_then_the_log_tells():
    table().write(*GATES.opening("hall", ONE))
    begun = CLOSING.begin(stored(Hall()), "Ada")
    assert passes(), "whoever had looked before may still get in"
    CLOSING.shut_gates(begun)
    assert (begun.closing, list(log().since(0)), passes()) == ("Ada", [], False)
    assert CLOSING.close(begun, "somebody who comes by") == (Hall(closed=True), True)
    assert [each["actor"] for each in log().since(0)] == ["Ada"]


class InUse(Chaos):
    """A distant table in which some gates are in others' transactions for a while: as often as `busy` says of each, a
    write that touches it fails."""

    is_distant = True

    def __init__(self, busy: dict[str, int]):
        super().__init__(table(), Random())
        self.busy = busy
        self.tries: list[list[str]] = []

    def write(self, *writes: Write, token: str | None = None) -> None:
        gates = [write.key.sk for write in writes if write.key.sk.startswith("GATE#")]
        self.tries.append(gates)
        for gate in gates:
            if self.busy.get(gate, 0):
                self.busy[gate] -= 1
                raise Conflict("Other changes kept getting in the way.")
        super().write(*writes, token=token)


def test_a_gate_that_is_in_use_keeps_no_other_waiting(monkeypatch):
    monkeypatch.setattr("foundation.acts.retry._pause", lambda number: 0)
    table().write(*GATES.opening("hall", ONE))
    begun = CLOSING.begin(stored(Hall()), "Ada")
    with use_table(busy := InUse({"GATE#00": 2})):
        assert CLOSING.finish(begun)[1]
    assert [gates for gates in busy.tries if gates] == [
        ["GATE#00"],
        ["GATE#01"],
        ["GATE#02"],
        ["GATE#00"],
        ["GATE#00"],
    ]


def test_what_does_not_get_through_is_left_to_whoever_comes_next(monkeypatch):
    monkeypatch.setattr("foundation.acts.retry._pause", lambda number: 0)
    table().write(*GATES.opening("hall", ONE))
    begun = CLOSING.begin(stored(Hall()), "Ada")
    with use_table(InUse({"GATE#01": 1000})):
        assert CLOSING.try_finish(begun) == begun
    assert list(log().since(0)) == [], "it is not told before all gates are shut"
    with use_table(busy := InUse({})):
        assert CLOSING.try_finish(begun) == Hall(closed=True)
    assert [gates for gates in busy.tries if gates] == [["GATE#01"]], "what is shut is left alone"


def test_the_log_is_told_however_often_others_are_in_the_way(monkeypatch):
    monkeypatch.setattr("foundation.acts.retry._pause", lambda number: 0)
    table().write(*GATES.opening("hall", ONE))
    hall = stored(Hall())
    with use_table(Chaos(table(), Random(1), conflicts=0.3)):
        assert CLOSING.close(hall, "Ada") == (Hall(closed=True), True)
    assert len(list(log().since(0))) == 1


def test_of_two_who_say_so_one_is_told_that_it_was_not_them():
    shut = CLOSING.begin(stored(Hall()), "Ada")
    assert [CLOSING.record_closed(shut)[1] for _ in range(2)] == [True, False]
    assert len(list(log().since(0))) == 1


def test_what_was_changed_meanwhile_is_not_shut():
    stored(Hall(closing="Bo"))
    with pytest.raises(LostRace):
        CLOSING.close(Hall(), "Ada")


# --- more than fits ---


def left_behind(*names: str) -> None:
    table().write(*(Put({"PK": HALL.pk, "SK": name}) for name in names))


def test_everything_in_a_partition_is_deleted_however_much_it_is():
    left_behind("A", HALL.sk)
    left_behind(*(f"B{number:03d}" for number in range(99)))
    delete_all(keys.all_of_election("hall"))
    assert list(table().each(keys.all_of_election("hall"))) == []


# --- steps ---


def test_steps_are_in_the_order_in_which_they_were_last_installed():
    steps = Hooks[[str], str]("when a hall closes")
    assert list(steps) == []
    steps.install(str.title)
    steps.install(str.upper, str.lower)
    assert [step("Hall") for step in steps] == ["HALL", "hall"]


def test_the_condition_of_a_write_is_part_of_no_other():
    """A gate that asks more asks it besides, not instead: it must be open, too."""
    table().write(*GATES.opening("hall", ONE))
    table().write(*GATES.shutting("hall", TWO))
    with pytest.raises(Refused):
        table().write(GATES.passing("hall", 0, {"voted": 1}, Exists("open")))
