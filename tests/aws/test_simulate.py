"""An election of four shards takes votes while its end is moved and it is closed, under AWS's rules in virtual time.

`make simulate` does the same with a thousand casts a second, and others besides.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from elections import sharding
from foundation.acts.storage import use_table
from foundation.store.table import Delete, Key
from tests.ballots.history import CLOSED, DONE, flaws, left_behind

from .judging import judged
from .ledger import WRITE
from .simulate import THROTTLED, Day, Run, simulated
from .site import found

NAME = "Board 1"
DAY = Day(shards=4, rate=500, seconds=0.4, processes=3, closing=0.3, extending=0.1, secret=False)


CROWD = replace(THROTTLED, shards=16, rate=500, seconds=1, closing=0.7, extending=0.3, processes=4)


@pytest.fixture(scope="module")
def ran(django_test_environment) -> tuple[Run, dict]:
    seen: dict = {}

    def look(site, rush, organised) -> None:
        with use_table(site.looking()) as _:
            pk = sharding.ballot_spans(found(NAME))[0].pk
            seen["first"] = next(each for each in site.looking().each(sharding.ballot_spans(found(NAME))[0]))
            voters = [user for user in site.voters if user.name in {act.actor for act in rush.acts}]
            seen["flaws"] = flaws([*rush.acts, *organised], left_behind(site.looking(), NAME, voters))
            site.looking().write(Delete(Key(pk, seen["first"]["SK"])))
            seen["after"] = judged(site, NAME, rush)

    return simulated(DAY, look), seen


@pytest.mark.seconds(5)
def test_the_close_and_the_move_of_the_end_get_through_at_the_first_call(ran):
    run, _ = ran
    assert [(act.kind, act.answer) for act in run.organised] == [("extend", DONE), ("close", DONE)]


@pytest.mark.deep
def test_an_organiser_gets_through_a_crowd_four_times_too_large(django_test_environment):
    """By the pages, on a table that throttles the shards, the election's own key and the numbers of events. All twenty
    seeds, with a larger crowd: `make simulate PART=throttled`."""
    run = simulated(replace(CROWD, seed=1))
    assert [(act.kind, act.answer) for act in run.organised] == [("extend", DONE), ("close", DONE)]
    assert run.is_right, run.judgements
    assert run.rules.counts.refused["throttled writes"] > 100


def test_what_was_acknowledged_is_what_is_there_and_nothing_came_after_the_close(ran):
    run, _ = ran
    (judgement,) = run.judgements
    assert run.is_right, judgement
    assert judgement.acknowledged > 100
    assert run.rush.tries[CLOSED] > 10, "some came too late"


def test_some_order_explains_every_answer(ran):
    assert ran[1]["flaws"] == []


def test_they_met_and_paid(ran):
    """Conflicts there were, and the hottest key of the table is a shard of the election or the log's own."""
    run, _ = ran
    assert run.rules.counts.refused["transactions in conflict"] > 0
    assert run.rules.ledger.total(WRITE) > 15 * run.judgements[0].acknowledged
    assert run.row().count("|") == 11


def test_a_ballot_that_is_lost_is_noticed(ran):
    _, seen = ran
    assert (seen["after"].lost, seen["after"].is_right) == (1, False)
