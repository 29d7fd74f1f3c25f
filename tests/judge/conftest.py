"""A site on the engine that is judged: every test has tables of its own, which are gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foundation.store.connect import connect
from foundation.store.table import Table
from tests.ballots.conftest import opened
from tests.ballots.test_linearizable import rush
from tests.store import engines

__all__ = ["opened", "rush"]


@pytest.fixture(scope="session", params=engines.JUDGES)
def engine(request) -> Iterator[engines.Engine]:
    with engines.STARTED[request.param]() as started:
        yield started


@pytest.fixture
def site(engine, settings) -> Iterator[Table]:
    """An empty site; answers its table."""
    settings.STORE_URL = engine.url()
    table = connect(settings.STORE_URL)
    table.create()
    yield table
    engine.drop(table)
