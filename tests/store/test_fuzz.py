"""Random programs answer the same on every adapter as on the model.

`make test` tries the same programs each time, `make test-deep` new ones: many, but few where each of them is hundreds
of requests to a server. A failure names its seed and shows the shortest program that goes wrong; `FUZZ_SEED` runs from
a given seed on, `FUZZ_SECONDS` makes each search take that long.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from foundation.store.sqlite import SqliteTable
from tests.aws.engine import ours
from tests.seeds import seed

from . import engines
from .model import Model
from .programs import Clock, search

SEED = int(os.environ.get("FUZZ_SEED") or seed())
ENGINES = ["ministack", *engines.JUDGES]
IN_THE_FILE, SERVED = 150, 20  # programs
FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))


@pytest.fixture(scope="module")
def clock():
    return Clock()


@pytest.fixture(scope="module")
def embedded(clock, tmp_path_factory):
    table = SqliteTable(str(tmp_path_factory.mktemp("fuzz") / "plenum.sqlite3"), clock=clock)
    table.create()
    yield table
    table.close()


def seeds(number: int) -> Iterator[int]:
    """So many, one after the other; more if there is time."""
    end = time.monotonic() + FUZZ_SECONDS
    seed = SEED
    while time.monotonic() < end or seed < SEED + number:
        yield seed
        seed += 1


@pytest.mark.seconds(4)
def test_the_embedded_adapter_answers_like_the_model(embedded, clock):
    done = search(seeds(IN_THE_FILE), clock, lambda: Model(clock), embedded, sweeps=True)
    print(f"{done} operations from seed {SEED}")
    assert done >= 6 * IN_THE_FILE


@pytest.mark.deep
@pytest.mark.parametrize("engine", ENGINES)
def test_both_adapters_answer_like_the_model(engine, embedded, clock):
    """On our own engine as well, which takes next to no time."""
    with engines.STARTED[engine]() as running, ours() as own:
        table = running.fresh(clock=clock)
        done = search(seeds(SERVED), clock, lambda: Model(clock), embedded, own.fresh(clock=clock), table)
        running.drop(table)
    print(f"{done} operations from seed {SEED} on {running.name}")
    assert done >= 6 * SERVED
