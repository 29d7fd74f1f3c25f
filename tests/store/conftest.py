"""Every adapter on every engine, one after the other, for the promises and races told in this folder."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from foundation.store.sqlite import SqliteTable
from foundation.store.table import Table
from tests.aws.engine import ours

from . import engines
from .model import Model
from .programs import START, Clock
from .spread import Distant

ADAPTERS = ["sqlite", "ministack", *engines.JUDGES]
# The model has to keep these promises too: it is what the fuzz holds the others against.
PROMISES = {"test_reads", "test_index", "test_writes", "test_conditions", "test_limits", "test_expiry"}
LOGS = {"test_log", "test_log_search"}  # also on a log that is spread
EVERY_RUN = {"sqlite", "ours", "spread"}  # the embedded store, and the other adapter on our own engine
STARTED = engines.STARTED | {"ours": ours}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "adapter" in metafunc.fixturenames:
        adapters = [
            each if each in EVERY_RUN else pytest.param(each, marks=pytest.mark.deep) for each in adapters_for(metafunc)
        ]
        metafunc.parametrize("adapter", adapters, indirect=True, scope="session")


def adapters_for(metafunc: pytest.Metafunc) -> list[str]:
    """moto where it is stricter than ministack: reserved words among names to read, places named twice. Our own engine
    is no other for other processes than for threads."""
    marked, is_alone = metafunc.definition.get_closest_marker, "uncreated" in metafunc.fixturenames
    model = ["model"] if is_promise(metafunc.module) and not is_alone and not marked("concurrent") else []
    own = ["ours"] if is_promise(metafunc.module) or marked("concurrent") else []
    own = [] if "url" in metafunc.fixturenames else own
    logs = ["spread"] if metafunc.module.__name__.rpartition(".")[2] in LOGS else []
    return [*model, *ADAPTERS, *own, *logs, *(["moto"] if marked("names_attributes") else [])]


def is_promise(module: ModuleType) -> bool:
    return module.__name__.rpartition(".")[2] in PROMISES


@pytest.fixture(scope="session")
def standing_clock() -> Clock:
    return Clock()


@pytest.fixture
def clock(standing_clock: Clock) -> Clock:
    """The clock of the table at hand."""
    standing_clock.now = START
    return standing_clock


class Adapter(ABC):
    """One kind of table, and how to come by one."""

    @abstractmethod
    def empty(self, folder: Path) -> Table:
        """A table that nobody has written to."""

    def roomy(self, folder: Path, module: str) -> Table:
        """A table that may hold the partitions of other tests of the same module."""
        return self.empty(folder)

    def put_back(self, table: Table) -> None:
        table.close()

    @abstractmethod
    def uncreated(self, folder: Path) -> Table:
        """A table that nobody has created."""


@dataclass(frozen=True)
class Plain(Adapter):
    clock: Clock

    def empty(self, folder: Path) -> Table:
        return Model(self.clock)

    uncreated = empty


@dataclass(frozen=True)
class Embedded(Adapter):
    clock: Clock

    def empty(self, folder: Path) -> Table:
        table = self.uncreated(folder)
        table.create()
        return table

    def uncreated(self, folder: Path) -> Table:
        return SqliteTable(str(folder / "plenum.sqlite3"), clock=self.clock)


class Spread(Embedded):
    def uncreated(self, folder: Path) -> Table:
        return Distant(str(folder / "plenum.sqlite3"), clock=self.clock)


@dataclass
class Served(Adapter):
    """Promises share a table, because making one takes longer than most of them; moto slows down with what is in it.
    Others are given one that somebody has put back."""

    engine: engines.Engine
    clock: Clock
    shared: Table | None = None
    sharing: str = ""
    emptied: list[Table] = field(default_factory=list)

    def empty(self, folder: Path) -> Table:
        return self.emptied.pop() if self.emptied else self.engine.fresh(clock=self.clock)

    def roomy(self, folder: Path, module: str) -> Table:
        if self.shared is None or self.sharing != module:
            self.end_sharing()
            self.shared, self.sharing = self.empty(folder), module
        return self.shared

    def put_back(self, table: Table) -> None:
        if table is self.shared:
            return
        if self.engine.empty(table):
            self.emptied.append(table)
        else:
            self.engine.drop(table)

    def end_sharing(self) -> None:
        if self.shared is not None:
            self.engine.drop(self.shared)

    def uncreated(self, folder: Path) -> Table:
        return self.engine.table()


@pytest.fixture(scope="session")
def adapter(request: pytest.FixtureRequest, standing_clock: Clock) -> Iterator[Adapter]:
    if request.param == "model":
        yield Plain(standing_clock)
    elif request.param == "sqlite":
        yield Embedded(standing_clock)
    elif request.param == "spread":
        yield Spread(standing_clock)
    else:
        with STARTED[request.param]() as engine:
            served = Served(engine, standing_clock)
            yield served
            served.end_sharing()


@pytest.fixture
def table(adapter: Adapter, request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> Iterator[Table]:
    """A table of each kind in turn: empty, but for promises, whose partitions are their own."""
    module = request.module
    table = adapter.roomy(tmp_path, module.__name__) if is_promise(module) else adapter.empty(tmp_path)
    yield table
    adapter.put_back(table)


@pytest.fixture
def uncreated(adapter: Adapter, tmp_path: Path) -> Table:
    """A table of each kind in turn that nobody has created yet."""
    return adapter.uncreated(tmp_path)


@pytest.fixture
def pk() -> str:
    """A partition nobody else has."""
    return f"P{uuid.uuid4().hex}"


@pytest.fixture
def token() -> str:
    return uuid.uuid4().hex
