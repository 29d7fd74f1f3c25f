"""Making the tables: again, by two at once, and on an engine that does not know everything."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from foundation.store.dynamodb import DynamoDbTable, schema
from foundation.store.dynamodb import wire as dynamodb_wire
from foundation.store.table import DATA, LOG, Key, Put, Unavailable

from . import engines
from .between import Between, between, failed, passed_on, said

STARTED = {"moto": engines.moto, "ministack": engines.ministack, "dynamodb-local": engines.dynamodb_local}
SERVERS = ["ministack"] + (["dynamodb-local"] if os.environ.get(engines.JAR_DIR) else [])
NO_RECOVERY = {"dynamodb-local"}

pytestmark = pytest.mark.deep  # every run makes tables on our own engine hundreds of times


@pytest.fixture(scope="module", params=["moto", *SERVERS])
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    with STARTED[request.param]() as engine:
        yield engine


@pytest.fixture
def prefix() -> str:
    """A site nobody else has."""
    return f"{uuid.uuid4().hex[:8]}-"


@pytest.fixture(scope="module")
def server() -> Iterator[engines.Engine]:
    with engines.ministack() as engine:
        yield engine


@pytest.fixture
def line(server: engines.Engine) -> Iterator[Between]:
    with between(server.endpoint) as line:
        yield line


def described(engine: engines.Engine, name: str) -> dict[str, Any]:
    return dict(engine.client.describe_table(TableName=name)["Table"])


def extras(engine: engines.Engine, name: str) -> set[str]:
    """Which of the protections the engine says are on."""
    client, on = engine.client, set()
    if described(engine, name).get("DeletionProtectionEnabled"):
        on.add("protection")
    expiry = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if expiry.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") and expiry["AttributeName"] == "ttl":
        on.add("expiry")
    if engine.name not in NO_RECOVERY:
        backups = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        if backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED":
            on.add("recovery")
    return on


def expected(engine: engines.Engine, *names: str) -> set[str]:
    return {name for name in names if name != "recovery" or engine.name not in NO_RECOVERY}


def test_the_tables_are_as_the_models_say(engine: engines.Engine, prefix: str) -> None:
    schema.create(engine.client, prefix)
    table = described(engine, f"{prefix}vote_data")
    keys = [("PK", "HASH"), ("SK", "RANGE")]
    assert [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]] == keys
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "GSI1"
    assert index["Projection"]["ProjectionType"] == "ALL"
    assert [key["AttributeName"] for key in index["KeySchema"]] == ["GSI1PK", "GSI1SK"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    log = described(engine, f"{prefix}vote_event_log")
    assert [(key["AttributeName"], key["KeyType"]) for key in log["KeySchema"]] == keys
    assert not log.get("GlobalSecondaryIndexes")


def test_what_protects_the_tables_is_on(engine: engines.Engine, prefix: str) -> None:
    schema.create(engine.client, prefix)
    assert extras(engine, f"{prefix}vote_data") == expected(engine, "expiry", "recovery", "protection")
    assert extras(engine, f"{prefix}vote_event_log") == expected(engine, "recovery", "protection")
    with pytest.raises(ClientError):
        engine.client.delete_table(TableName=f"{prefix}vote_data")


def test_what_the_engine_does_not_know_is_told(engine: engines.Engine, prefix: str) -> None:
    unavailable = schema.create(engine.client, prefix)
    unknown = [f"{prefix}{name}: this engine has no point-in-time recovery." for name in (DATA, LOG)]
    assert unavailable == (unknown if engine.name in NO_RECOVERY else [])


def test_unprotected_tables_can_be_dropped_again(engine: engines.Engine) -> None:
    table = engine.fresh()
    assert "protection" not in extras(engine, table.prefix + DATA)
    engine.drop(table)
    assert table.prefix + DATA not in engine.client.list_tables()["TableNames"]


def test_creating_again_changes_nothing_and_keeps_what_is_stored(engine: engines.Engine) -> None:
    table = engine.fresh()
    table.write(Put({"PK": "a", "SK": "b"}))
    table.create()
    assert table.get(Key("a", "b")) == {"PK": "a", "SK": "b"}


def test_a_bare_table_is_brought_up_to_date(engine: engines.Engine, prefix: str) -> None:
    for model, indexes in schema.MODELS:
        engine.client.create_table(**schema.definition(model, indexes, prefix))
    assert extras(engine, f"{prefix}vote_data") == set()
    schema.create(engine.client, prefix)
    assert extras(engine, f"{prefix}vote_data") == expected(engine, "expiry", "recovery", "protection")
    assert extras(engine, f"{prefix}vote_event_log") == expected(engine, "recovery", "protection")


def test_a_protected_table_is_not_unprotected_by_creating_it_again(engine: engines.Engine, prefix: str) -> None:
    schema.create(engine.client, prefix)
    schema.create(engine.client, prefix, protected=False)
    assert "protection" in extras(engine, f"{prefix}vote_data")


def test_a_foreign_table_of_the_same_name_is_refused(engine: engines.Engine, prefix: str) -> None:
    definition = schema.definition(schema.LogItem, (), "")
    engine.client.create_table(**definition | {"TableName": f"{prefix}vote_data"})
    with pytest.raises(Unavailable, match=f"{prefix}vote_data already, but it has other keys"):
        schema.create(engine.client, prefix)


def test_a_table_with_an_index_more_is_still_ours(engine: engines.Engine, prefix: str) -> None:
    data, log = (schema.definition(model, indexes, prefix) for model, indexes in schema.MODELS)
    (index,) = data["GlobalSecondaryIndexes"]
    engine.client.create_table(**data | {"GlobalSecondaryIndexes": [index, index | {"IndexName": "GSI2"}]})
    engine.client.create_table(**log)
    schema.create(engine.client, prefix)
    assert extras(engine, f"{prefix}vote_data") == expected(engine, "expiry", "recovery", "protection")


def test_an_engine_that_takes_a_wish_and_forgets_it_is_told_apart(
    line: Between, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setattr(schema, "VISIBLE_SECONDS", 0.1)
    answered(line, "PointInTimeRecoverySpecification", 9, said(200, {}))
    unavailable = schema.create(dynamodb_wire.client(engines.REGION, line.endpoint, threads=1), prefix, protected=False)
    assert unavailable == [f"{prefix}{name}: this engine has no point-in-time recovery." for name in (DATA, LOG)]


def test_four_at_once_make_the_tables_once(server: engines.Engine, prefix: str) -> None:
    reports: list[list[str]] = []
    start = threading.Barrier(4)

    def make() -> None:
        client = dynamodb_wire.client(engines.REGION, server.endpoint, threads=1)
        start.wait()
        reports.append(schema.create(client, prefix))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reports == [[]] * 4
    assert extras(server, f"{prefix}vote_data") == {"expiry", "recovery", "protection"}


def answered(line: Between, target: str, times: int, act: Any) -> None:
    """Let the act answer the first `times` requests of this kind, and the engine all others."""
    left = [act] * times

    def choose(between: Between, asked: dict[str, Any], forward: Any) -> Any:
        chosen = left.pop() if target in asked and left else passed_on
        return chosen(between, asked, forward)

    line.always = choose


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("PointInTimeRecoverySpecification", "ContinuousBackupsUnavailableException"),
        ("TimeToLiveSpecification", "ResourceInUseException"),
    ],
)
def test_a_table_that_is_busy_is_asked_again(
    server: engines.Engine, line: Between, target: str, code: str, prefix: str
) -> None:
    answered(line, target, 2, failed(code))
    unavailable = schema.create(dynamodb_wire.client(engines.REGION, line.endpoint, threads=1), prefix)
    assert unavailable == []
    assert extras(server, f"{prefix}vote_data") == {"expiry", "recovery", "protection"}


def test_a_table_made_by_another_between_our_look_and_our_act_is_taken_as_it_is(
    server: engines.Engine, line: Between, prefix: str
) -> None:
    made = schema.create(server.client, prefix)
    answered(line, "TableName", 1, failed("ResourceNotFoundException"))
    assert schema.create(dynamodb_wire.client(engines.REGION, line.endpoint, threads=1), prefix) == made


def test_a_refusal_is_not_taken_for_an_engine_that_does_not_know(line: Between, prefix: str) -> None:
    answered(line, "PointInTimeRecoverySpecification", 9, failed("AccessDeniedException", "No policy allows it"))
    table = DynamoDbTable(region=engines.REGION, prefix=prefix, endpoint=line.endpoint)
    with pytest.raises(Unavailable, match=rf"does not allow us to use {prefix}vote_data or .*: No policy allows it"):
        table.create()


def test_an_engine_that_does_not_know_expiry_is_told_apart(line: Between, prefix: str) -> None:
    answered(line, "TimeToLiveSpecification", 9, failed("UnknownOperationException"))
    unavailable = schema.create(dynamodb_wire.client(engines.REGION, line.endpoint, threads=1), prefix, protected=False)
    assert unavailable == [f"{prefix}vote_data: this engine does not delete expired items."]
