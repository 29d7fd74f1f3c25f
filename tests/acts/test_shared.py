"""What every act needs, tried on a thing of its own: a third user of gates, closing and sweeping needs no copy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from acts import again, handfuls
from acts.again import try_again
from acts.closing import Closing
from acts.gates import Gates, voted
from acts.once import once
from acts.refusals import Overtaken, Refusal
from acts.site import acting_on, log, table
from acts.steps import Steps
from store import keys
from store.log import Event
from store.sqlite import SqliteTable
from store.table import Check, Equals, Exists, Key, Less, Missing, Put, Refused, Update, Write

HALL = Key("ELECTION#hall", "METADATA")
NOON, ONE, TWO = (f"2031-05-0{day}T12:00:00.000Z" for day in (1, 2, 3))
GATES = Gates(3, keys.gate)

pytestmark = pytest.mark.usefixtures("site")


# --- the table at hand ---


def test_whatever_happens_inside_happens_on_another_table(site, tmp_path):
    stage = SqliteTable(str(tmp_path / "stage.sqlite3"))
    stage.create()
    with acting_on(stage):
        table().write(Put({"PK": HALL.pk, "SK": HALL.sk}))
    assert (stage.get(HALL) is None, site.get(HALL) is None) == (False, True)


# --- trying again ---


@pytest.mark.parametrize("in_the_way", [Refused((0,)), Overtaken("faster")])
def test_whoever_is_overtaken_looks_again(in_the_way):
    seen = iter([in_the_way, in_the_way, None])

    def act() -> str:
        if (error := next(seen)) is not None:
            raise error
        return "done"

    assert try_again(act) == "done"


def test_after_some_tries_it_is_said_that_somebody_is_always_faster():
    tries = []

    def act() -> None:
        tries.append(1)
        raise Refused((0,))

    with pytest.raises(Overtaken, match="at the same moment"):
        try_again(act)
    assert len(tries) == again.TRIES


def test_a_refusal_in_words_is_not_tried_again():
    tries = []

    def act() -> None:
        tries.append(1)
        raise Refusal("No.")

    with pytest.raises(Refusal, match="No"):
        try_again(act)
    assert tries == [1]


# --- a form that is carried out once ---


def test_a_form_is_carried_out_once_and_not_refused_for_what_it_did_itself():
    def act() -> str:
        log().record(Event("Ada", "ProfileChanged"), once="form")
        return "done"

    def refused() -> str:
        raise Refusal("You have done so already.")

    assert [once("form", act, "before") for _ in range(2)] == ["done", "before"]
    assert once("form", refused, "before") == "before"
    with pytest.raises(Refusal, match="already"):
        once("another form", refused, "before")


# --- gates ---


def through(now: str, number: int = 0, **counted: int) -> Write:
    return GATES.passed("hall", number, now, counted or {"voted": 1})


def test_gates_count_who_came_through_and_nobody_comes_when_they_are_shut():
    table().write(*GATES.moved("hall", open_=True, until=None))
    for number in range(3):
        table().write(through(NOON, number))
    table().write(*GATES.moved("hall", open_=False, until=None))
    with pytest.raises(Refused):
        table().write(through(NOON))
    assert voted(table().get_many(GATES.keys("hall")).values()) == 3, "shut, they keep what they have counted"


def test_the_closing_moment_itself_is_too_late_and_the_end_can_be_moved():
    table().write(*GATES.moved("hall", open_=True, until=ONE))
    table().write(through(NOON))
    with pytest.raises(Refused):
        table().write(through(ONE))
    table().write(*GATES.moved("hall", open_=True, until=TWO))
    table().write(through(ONE))


def test_who_changes_a_vote_passes_a_gate_that_counts_nothing():
    table().write(*GATES.moved("hall", open_=True, until=None))
    assert isinstance(through(NOON, voted=0), Check)


def test_a_gate_may_ask_more():
    table().write(*GATES.moved("hall", open_=True, until=None))
    room = Missing("voted") | Less("voted", 1)
    table().write(GATES.passed("hall", 0, NOON, {"voted": 1}, room))
    with pytest.raises(Refused):
        table().write(GATES.passed("hall", 0, NOON, {"voted": 1}, room))


def test_every_gate_is_tried_once_in_any_order():
    assert sorted(GATES.in_any_order()) == [0, 1, 2]
    assert {GATES.any() for _ in range(200)} <= {0, 1, 2}


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


def _shut(hall: Hall, who: str) -> tuple[Hall, list[Write]]:
    after = replace(hall, closing=who)
    return after, [_changed(hall, after), *GATES.moved("hall", open_=False, until=None)]


def _said(shut: Hall) -> tuple[Hall, Event, list[Write]]:
    after = Hall(closed=True)
    return after, Event(str(shut.closing), "ElectionClosed", {"election_name": "hall"}), [_changed(shut, after)]


CLOSING = Closing(_shut, _said)


def test_first_nobody_gets_in_and_then_the_log_says_so():
    table().write(*GATES.moved("hall", open_=True, until=None))
    shut = CLOSING.shut(stored(Hall()), "Ada")
    assert (shut.closing, list(log().since(0))) == ("Ada", [])
    with pytest.raises(Refused):
        table().write(through(NOON))
    assert CLOSING.close(shut, "somebody who comes by") == (Hall(closed=True), True)
    assert [each["actor"] for each in log().since(0)] == ["Ada"]


def test_of_two_who_say_so_one_is_told_that_it_was_not_them():
    shut = CLOSING.shut(stored(Hall()), "Ada")
    assert [CLOSING.say(shut)[1] for _ in range(2)] == [True, False]
    assert len(list(log().since(0))) == 1


def test_what_was_changed_meanwhile_is_not_shut():
    stored(Hall(closing="Bo"))
    with pytest.raises(Overtaken):
        CLOSING.close(Hall(), "Ada")


# --- more than fits ---


def test_things_are_taken_in_handfuls_in_their_order():
    assert list(handfuls.handfuls(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(handfuls.handfuls([])) == []


def left_behind(*names: str) -> None:
    table().write(*(Put({"PK": HALL.pk, "SK": name}) for name in names))


def sweep(**most: int) -> bool:
    return handfuls.sweep(keys.all_of_election("hall"), (HALL.sk, "DELETED"), Check(HALL, Missing()), **most)


def test_what_something_has_left_is_swept_in_slices_and_the_mark_stays(monkeypatch):
    monkeypatch.setattr(handfuls.handfuls, "__defaults__", (2,))
    left_behind("A", "B", "C", "D", "DELETED", "E")
    assert [sweep(most=2), sweep(most=2)] == [False, True]
    assert [item["SK"] for item in table().each(keys.all_of_election("hall"))] == ["DELETED"]


def test_nothing_is_swept_of_what_is_there_again():
    left_behind("A", HALL.sk)
    with pytest.raises(Refused):
        sweep()
    assert table().get(Key(HALL.pk, "A")) is not None


# --- steps ---


def test_steps_are_taken_in_their_order_and_what_they_make_is_answered():
    steps = Steps[[str], str]("when a hall closes")
    assert steps.taken("Hall") == []
    steps.arrange(str.upper, str.lower)
    assert steps.taken("Hall") == ["HALL", "hall"]


def test_the_condition_of_a_write_is_part_of_no_other():
    """A gate that asks more asks it besides, not instead: it must be open, too."""
    table().write(*GATES.moved("hall", open_=False, until=None))
    with pytest.raises(Refused):
        table().write(GATES.passed("hall", 0, NOON, {"voted": 1}, Exists("open")))
