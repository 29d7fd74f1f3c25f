"""Writing a change with its event: what whoever lost the race is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from foundation.acts.refusals import LOST_RACE_MESSAGE, LostRace, NameTaken, NotThere
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import log, record, try_record, try_write, write
from foundation.store.log import Event, as_text
from foundation.store.table import Check, Exists, Key, Missing, Put

EVENT = Event("Ada", "ThingMade")
HERE, ELSEWHERE = Key("THING#1", "A"), Key("THING#2", "A")


def thing(key: Key = HERE) -> Put:
    return Put({"PK": key.pk, "SK": key.sk}, when=Missing())


def events() -> list[str]:
    return [event["event_type"] for event in log().since(0)]


def test_a_condition_that_does_not_hold_is_a_lost_race_and_nothing_is_written(site):
    record(EVENT, thing())
    with pytest.raises(LostRace, match="at the same moment") as lost:
        record(EVENT, thing(ELSEWHERE), thing())
    assert (str(lost.value), lost.value.parts) == (str(LOST_RACE_MESSAGE), (1,))
    assert site.get(ELSEWHERE) is None
    assert events() == ["ThingMade"]


@pytest.mark.parametrize("act", [write, lambda *writes, **named: record(EVENT, *writes, **named)])
def test_what_is_refused_may_have_words_of_its_own_and_the_first_named_counts(site, act):
    site.write(thing())
    gone = Check(ELSEWHERE, Exists())
    with pytest.raises(NameTaken, match="so already"):
        act(thing(), refusals={0: NameTaken("It is called so already.")})
    for first, second, kind in ((0, 1, NameTaken), (1, 0, NotThere)):
        words = {0: NameTaken("taken"), 1: NotThere("gone")}
        with pytest.raises(kind):
            act(thing(), gone, refusals={first: words[first], second: words[second]})
    with pytest.raises(LostRace):
        act(thing(), refusals={1: NameTaken("taken")})


def test_whoever_only_tries_is_told_whether_it_was_done(site):
    assert try_write(thing()) is True
    assert try_write(thing()) is False
    assert try_record(EVENT, thing(ELSEWHERE)) is True
    assert try_record(EVENT, thing(ELSEWHERE)) is False
    assert events() == ["ThingMade"]


def test_a_lost_race_is_tried_again(site):
    site.write(thing())
    places = iter([HERE, ELSEWHERE])
    assert retry_lost_race(lambda: record(EVENT, thing(next(places)))) == 1
    assert site.get(ELSEWHERE) is not None


def test_an_act_that_has_looked_at_the_clock_is_logged_at_that_moment(site):
    moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    record(EVENT, thing(), at=moment)
    assert [event["when_occurred"] for event in log().since(0)] == [as_text(moment)]
