"""Every adapter on every engine, one after the other, for the promises and races told in this folder."""

from __future__ import annotations

import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from store.sqlite import SqliteTable
from store.table import Table

from . import engines
from .model import Model
from .programs import START, Clock

JUDGE = ["dynamodb-local"] if os.environ.get(engines.JAR_DIR) else []
ADAPTERS = ["sqlite", "moto", "ministack", *JUDGE]
CONCURRENT = ["sqlite", "ministack", *JUDGE]  # moto is not isolated under threads
# The model has to keep these promises too: it is what the fuzz holds the others against.
PROMISES = {"test_reads", "test_index", "test_writes", "test_conditions", "test_limits", "test_expiry"}
STARTED = {"moto": engines.moto, "ministack": engines.ministack, "dynamodb-local": engines.dynamodb_local}

# Where an engine does not do what DynamoDB does. DynamoDB Local was the judge of each; our adapter is right there.
NO_TOKENS = "moto ignores idempotency tokens"
OTHER_SIZES = "moto refuses items well below 400 KB"
MIXED_TYPES = "moto compares as Python does: True equals 1, text beside a number is an error, missing equals null"
KNOWN_ENGINE_FAULTS = {
    ("moto", "test_the_same_write_with_the_same_token_happens_once"): NO_TOKENS,
    ("moto", "test_a_write_that_could_not_happen_again_is_still_the_same_write"): NO_TOKENS,
    ("moto", "test_a_repeated_write_does_not_undo_what_came_between"): NO_TOKENS,
    ("moto", "test_a_token_of_another_write_is_refused_and_nothing_is_written"): NO_TOKENS,
    ("moto", "test_a_refused_writes_token_may_be_tried_again"): NO_TOKENS,
    ("moto", "test_incrementing_goes_by_any_step"): "moto answers nothing to an addition of 0",
    ("moto", "test_incrementing_what_is_not_a_number_is_invalid_and_changes_nothing"): "moto keeps half of the update",
    ("moto", "test_an_item_of_400_kilobytes_is_kept_and_one_byte_more_refused"): OTHER_SIZES,
    ("moto", "test_names_and_keys_count_towards_the_size"): OTHER_SIZES,
    ("moto", "test_an_update_may_fill_an_item_to_400_kilobytes_and_no_further"): OTHER_SIZES,
    ("moto", "test_the_items_of_one_write_have_at_most_four_megabytes_together"): OTHER_SIZES,
    ("moto", "test_tables_not_created_say_so_in_a_sentence"): "moto calls a missing table a cancelled transaction",
    ("moto", "test_everything_is_missing_from_an_item_that_is_not_there"): MIXED_TYPES,
    ("moto", "test_a_truth_value_equals_no_number_not_even_deep_inside"): MIXED_TYPES,
    ("moto", "test_a_missing_attribute_equals_nothing"): MIXED_TYPES,
    ("moto", "test_other_types_and_missing_attributes_are_neither_less_nor_greater"): MIXED_TYPES,
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "concurrent: uses one table from several threads or processes")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "adapter" in metafunc.fixturenames:
        metafunc.parametrize("adapter", adapters_for(metafunc), indirect=True, scope="session")


def adapters_for(metafunc: pytest.Metafunc) -> list[str]:
    if metafunc.definition.get_closest_marker("concurrent"):
        return CONCURRENT
    needs_no_model = "uncreated" in metafunc.fixturenames or not is_promise(metafunc.module)
    return ADAPTERS if needs_no_model else ["model", *ADAPTERS]


def is_promise(module: ModuleType) -> bool:
    return module.__name__.rpartition(".")[2] in PROMISES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        callspec = getattr(item, "callspec", None)
        name = (callspec.params.get("adapter") if callspec else None, getattr(item, "originalname", item.name))
        if reason := KNOWN_ENGINE_FAULTS.get(name):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


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


@dataclass
class Served(Adapter):
    """Promises share a table, because making one takes longer than most of them; moto slows down with what is in it."""

    engine: engines.Engine
    clock: Clock
    shared: Table | None = None
    sharing: str = ""

    def empty(self, folder: Path) -> Table:
        return self.engine.fresh(clock=self.clock)

    def roomy(self, folder: Path, module: str) -> Table:
        if self.shared is None or self.sharing != module:
            self.end_sharing()
            self.shared, self.sharing = self.empty(folder), module
        return self.shared

    def put_back(self, table: Table) -> None:
        if table is not self.shared:
            table.close()

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
