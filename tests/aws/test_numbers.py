"""Event numbers when their key is throttled: every act gets one, after a while that does not grow."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from foundation.store.log import numbers

from .casting import arrivals
from .rules import Limits
from .site import acting, site

# A tenth of 5,000 acts a second of 350 processes on AWS's 1,000 units: what each waits for is the same.
PROCESSES, RATE, UNITS, SECONDS = 35, 500.0, 100.0, 3.0
SEED = 1


@pytest.mark.deep
def test_five_times_as_many_acts_as_requests_all_get_their_numbers(django_test_environment):
    waited: list[float] = []
    taken: list[int] = []
    with site(SEED) as here:
        rules = here.start(PROCESSES, SEED, limits=Limits(write_units=UNITS, read_units=None))
        chance = Random(SEED)

        def take(process) -> None:
            began = here.time.now
            taken.append(acting(process, partial(numbers.take, process)))
            waited.append(here.time.now - began)

        def come() -> None:
            for after in arrivals(RATE, int(RATE * SECONDS), chance):
                here.time.begin(partial(take, chance.choice(here.processes)), after)

        here.time.run(come)
        assert here.time.now < SECONDS + 1.5, "it keeps up"
    waited.sort()
    assert len(set(taken)) == len(waited) == RATE * SECONDS
    assert rules.counts.refused["throttled writes"] < 5 * rules.counts.calls["update_item"] / 6, "no storm of retries"
    assert waited[len(waited) // 2] < 2 * PROCESSES / UNITS, "half wait less than two turns of all processes"
    assert waited[-1] < 4
