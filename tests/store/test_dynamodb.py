"""What is peculiar to the DynamoDB adapter: its wire format, its retries, and how it tells of failures."""

from __future__ import annotations

import base64
import os
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import botocore.session
import orjson
import pytest
from boto3.dynamodb.types import TypeDeserializer
from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store import round_trips
from foundation.store.dynamodb import DynamoDbTable
from foundation.store.dynamodb import wire as dynamodb_wire
from foundation.store.dynamodb.connection import MAX_CONFLICT_ATTEMPTS, MAX_PAUSE_SECONDS, MAX_SILENCE_ATTEMPTS
from foundation.store.table import (
    DATA,
    LOG,
    AllOf,
    AnyOf,
    BadCursor,
    Check,
    Conflict,
    Delete,
    Equals,
    Exists,
    Greater,
    Invalid,
    Key,
    Less,
    Missing,
    Put,
    Refused,
    Span,
    Unavailable,
    Update,
)
from tests.aws.engine import ours_over_the_network
from tests.ports import free_port
from tests.rows import every_row

from . import engines
from .between import Between, between, cancelled, failed, lost_reply, lost_request, said

TIMEOUT_SECONDS = 120  # seconds for what happens at once, unless the machine is busy
A, B = Key("a", "1"), Key("b", "1", LOG)
NEW_A, NEW_B = Put({"PK": "a", "SK": "1"}, Missing()), Put({"PK": "b", "SK": "1"}, Missing(), table=LOG)
STARTED = {"moto": engines.moto, "ministack": engines.ministack, "dynamodb-local": engines.dynamodb_local}
STARTED |= {"ours": ours_over_the_network}
OTHERS = ["ministack"] + (["dynamodb-local"] if os.environ.get(engines.JAR_DIR) else [])
SERVERS = ["ours", *(pytest.param(each, marks=pytest.mark.deep) for each in OTHERS)]

SERVICE = botocore.session.get_session().get_service_model("dynamodb")


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    with STARTED[request.param]() as engine:
        yield engine


@pytest.fixture(params=[pytest.param("moto", marks=pytest.mark.deep), *SERVERS])
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    with STARTED[request.param]() as engine:
        yield engine


@pytest.fixture(scope="module")
def all_pauses() -> list[float]:
    return []


@pytest.fixture
def pauses(all_pauses: list[float]) -> list[float]:
    """How long the adapter paused, instead of pausing."""
    all_pauses.clear()
    return all_pauses


# Tables, clients and servers take longer to make than most of these tests: one of each serves them all, and every test
# finds them as if they were new.


@pytest.fixture(scope="module")
def only_line(server: engines.Engine) -> Iterator[Between]:
    with between(server.endpoint) as line:
        yield line


@pytest.fixture
def line(only_line: Between) -> Between:
    """The way to the engine, on which things can be lost."""
    only_line.begin_anew()
    return only_line


@pytest.fixture(scope="module")
def only_table(server: engines.Engine, only_line: Between, all_pauses: list[float]) -> Iterator[DynamoDbTable]:
    table = server.fresh(sleep=all_pauses.append)
    table._connection._endpoint = only_line.endpoint
    yield table
    server.drop(table)


@pytest.fixture
def table(server: engines.Engine, only_table: DynamoDbTable, line: Between, pauses: list[float]) -> DynamoDbTable:
    assert server.empty(only_table), "a test that leaves much behind needs tables of its own"
    return only_table


@pytest.fixture(scope="module")
def only_dead_end() -> Iterator[Between]:
    with between() as line:
        yield line


@pytest.fixture
def dead_end(only_dead_end: Between) -> Between:
    """A server that stands for AWS, with nothing behind it."""
    only_dead_end.begin_anew()
    return only_dead_end


@pytest.fixture(scope="module")
def only_stranger(only_dead_end: Between, all_pauses: list[float]) -> Iterator[DynamoDbTable]:
    table = DynamoDbTable(region="us-east-1", endpoint=only_dead_end.endpoint, sleep=all_pauses.append)
    yield table
    table.close()


@pytest.fixture
def stranger(only_stranger: DynamoDbTable, dead_end: Between, pauses: list[float]) -> DynamoDbTable:
    return only_stranger


# --- values on the wire ---


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.one_of(
        st.text(min_size=1, max_size=4), st.sampled_from(["S", "N", "B", "M", "L", "NULL", "BOOL", "a.b"])
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3))


def plain_values() -> st.SearchStrategy[Any]:
    numbers = st.integers(-(2**63) + 1, 2**63 - 1)
    return nested(st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.binary(max_size=8)))


def sent(item: dict[str, Any]) -> dict[str, Any]:
    """The item as botocore puts it on the wire."""
    operation = SERVICE.operation_model("PutItem")
    asked = {"TableName": "any", "Item": dynamodb_wire.encode_item(item)}
    body = create_serializer("json", include_validation=True).serialize_to_request(asked, operation)["body"]
    return dict(orjson.loads(body)["Item"])


def read(parser: Any, wire: dict[str, Any]) -> dict[str, Any]:
    shape = SERVICE.operation_model("GetItem").output_shape
    body = orjson.dumps({"Item": wire})
    reply = {"headers": {}, "status_code": 200, "body": body, "context": {"operation_name": "GetItem"}}
    return dict(parser.parse(reply, shape)["Item"])


def as_botocore_reads(wire: dict[str, Any]) -> Any:
    return TypeDeserializer().deserialize({"M": read(create_parser("json"), wire)})


def as_we_read(wire: dict[str, Any]) -> dict[str, Any]:
    return dynamodb_wire.decode_item(read(dynamodb_wire.PlainParserFactory().create_parser("json"), wire))


def kinds(value: Any) -> Any:
    """The value with its type beside it, so that True is not 1."""
    if isinstance(value, dict):
        return {name: kinds(each) for name, each in value.items()}
    return [kinds(each) for each in value] if isinstance(value, list) else (type(value), value)


@pytest.mark.deep
@given(plain_values())
@settings(deadline=None)
def test_every_value_comes_back_as_it_was_sent(value: Any) -> None:
    assert kinds(as_we_read(sent({"value": value}))) == kinds({"value": value})


@pytest.mark.deep
@given(plain_values())
@settings(deadline=None)
def test_our_parser_reads_what_botocore_reads(value: Any) -> None:
    wire = sent({"value": value})
    assert as_botocore_reads(wire) == as_we_read(wire)


@every_row(("text", "number"), [("1E+20", 10**20), ("-7", -7), ("120000000000000000000", 12 * 10**19)])
def test_a_number_is_whole_however_it_is_written(text: str, number: int) -> None:
    assert kinds(dynamodb_wire.decode({"N": text})) == (int, number)


@every_row("wire", [{"N": "1.5"}, {"SS": ["a"]}, {"NS": ["1"]}])
def test_a_value_that_is_not_ours_is_invalid(wire: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        dynamodb_wire.decode_item({"value": wire})


@pytest.mark.deep
@every_row("name", ["a.b", "#a", ":a", "a[0]", "[", "size", "ttl ", "é 🗳", "NULL", "a-b", "{0}", "\\"])
def test_a_name_means_nothing_but_itself(table: DynamoDbTable, name: str) -> None:
    table.write(Put({"PK": "a", "SK": "1", name: 1, "a": {"b": 9}}))
    table.write(Update(A, add={name: 1}, when=AllOf((Exists(name), Equals(name, 1), Less(name, 2), Greater(name, 0)))))
    assert table.increment(A, name) == 3
    table.write(Update(A, set={name: {"S": "x"}}))
    with pytest.raises(Refused):
        table.write(Update(A, remove=(name,), when=AnyOf((Equals(name, 3), Equals(name, "x")))))
    table.write(Update(A, remove=(name,), when=Equals(name, {"S": "x"})))
    assert table.get(A) == {"PK": "a", "SK": "1", "a": {"b": 9}}


def test_a_null_is_set_and_not_removed(table: DynamoDbTable) -> None:
    table.write(Update(A, set={"gone": None, "empty": [], "none": {}}))
    assert table.get(A) == {"PK": "a", "SK": "1", "gone": None, "empty": [], "none": {}}


# --- one write, once ---


@pytest.mark.parametrize("loss", [lost_reply, lost_request])
def test_a_creation_whose_reply_is_lost_is_neither_doubled_nor_refused(
    table: DynamoDbTable, line: Between, loss: Any
) -> None:
    line.acts.append(loss)
    table.write(NEW_A, Update(B, add={"n": 1}))
    assert len(line.requests) == 2
    assert line.requests[0] == line.requests[1]
    assert table.get(B) == {"PK": "b", "SK": "1", "n": 1}


def test_a_creation_that_loses_every_reply_says_so_and_can_be_tried_again(table: DynamoDbTable, line: Between) -> None:
    token = uuid.uuid4().hex
    line.acts.extend([lost_reply] * MAX_SILENCE_ATTEMPTS)
    with pytest.raises(Unavailable, match="whether a write has happened is not known"):
        table.write(NEW_A, token=token)
    table.write(NEW_A, token=token)
    assert table.get(A) is not None


def test_a_write_without_a_token_has_a_new_one_each_time(table: DynamoDbTable, line: Between) -> None:
    table.write(Update(A, add={"n": 1}))
    table.write(Update(A, add={"n": 1}))
    assert table.get(A) == {"PK": "a", "SK": "1", "n": 2}
    assert len({asked.get("ClientRequestToken") for asked in line.requests[:2]}) == 2


def test_a_plain_put_or_delete_costs_no_transaction(table: DynamoDbTable, line: Between) -> None:
    table.write(Put({"PK": "a", "SK": "1"}))
    table.write(Delete(A))
    assert [asked.get("TransactItems") for asked in line.requests] == [None, None]
    table.write(Put({"PK": "a", "SK": "1"}), token=uuid.uuid4().hex)
    assert len(line.requests[2]["TransactItems"]) == 1


# --- others in the way ---


@pytest.mark.parametrize("obstacle", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_cancelled_write_is_tried_again_with_its_token(
    table: DynamoDbTable, line: Between, pauses: list[float], obstacle: str
) -> None:
    line.acts.extend([cancelled("None", obstacle)] * (MAX_CONFLICT_ATTEMPTS - 1))
    table.write(NEW_A, NEW_B)
    assert len({asked["ClientRequestToken"] for asked in line.requests}) == 1
    assert len(line.requests) == MAX_CONFLICT_ATTEMPTS
    assert len(pauses) == MAX_CONFLICT_ATTEMPTS - 1
    assert all(0 <= pause <= MAX_PAUSE_SECONDS for pause in pauses)


@pytest.mark.parametrize(("obstacle", "error"), [("TransactionConflict", Conflict), ("ThrottlingError", Unavailable)])
def test_a_write_that_is_always_cancelled_is_given_up(
    stranger: DynamoDbTable, dead_end: Between, obstacle: str, error: type[Exception]
) -> None:
    dead_end.always = cancelled("None", obstacle)
    with pytest.raises(error):
        stranger.write(NEW_A, NEW_B)
    assert len(dead_end.requests) == MAX_CONFLICT_ATTEMPTS


def test_a_single_put_and_an_increment_wait_for_a_transaction_on_their_item(
    table: DynamoDbTable, line: Between
) -> None:
    line.acts.extend([failed("TransactionConflictException")] * 2)
    table.write(Put({"PK": "a", "SK": "1", "n": 4}))
    line.acts.extend([failed("TransactionConflictException")] * 2)
    assert table.increment(A, "n") == 5
    assert len(line.requests) == 6


def test_a_refusal_is_told_even_beside_a_conflict(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = cancelled("ConditionalCheckFailed", "TransactionConflict", "None", "ConditionalCheckFailed")
    with pytest.raises(Refused) as told:
        stranger.write(NEW_A, NEW_B, Delete(Key("c", "1")), Check(Key("d", "1"), Exists()))
    assert told.value.parts == (0, 3)
    assert len(dead_end.requests) == 1


def test_a_mistake_is_told_in_dynamodbs_words(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = cancelled("None", "ValidationError", message="An operand has an incorrect data type")
    with pytest.raises(Invalid, match="An operand has an incorrect data type"):
        stranger.write(NEW_A, NEW_B)


def test_two_threads_that_meet_on_an_item_both_get_through(server: engines.Engine) -> None:
    table = server.fresh()

    def count_up() -> None:
        for _ in range(20):
            table.write(Update(A, add={"n": 1}), Update(B, add={"n": 1}))

    threads = [threading.Thread(target=count_up) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.get(A) == {"PK": "a", "SK": "1", "n": 40}
    server.drop(table)


# --- batches ---


def none_of_them(_: Between, asked: dict[str, Any], forward: Any) -> tuple[int, bytes]:
    return 200, orjson.dumps({"Responses": {}, "UnprocessedKeys": asked["RequestItems"]})


def the_first_of_them(_: Between, asked: dict[str, Any], forward: Any) -> tuple[int, bytes]:
    """One table's first key is answered; the rest is left for later."""
    name = next(iter(asked["RequestItems"]))
    first, *_rest = asked["RequestItems"][name]["Keys"]
    asked["RequestItems"][name]["Keys"] = _rest
    left = {table: keys for table, keys in asked["RequestItems"].items() if keys["Keys"]}
    return 200, orjson.dumps({"Responses": {name: [first | {"said": {"N": "1"}}]}, "UnprocessedKeys": left})


def keys_of(asked: dict[str, Any]) -> list[list[Any]]:
    return [each["Keys"] for each in asked["RequestItems"].values()]


def test_unprocessed_keys_are_asked_for_again(table: DynamoDbTable, line: Between, pauses: list[float]) -> None:
    keys = [Key("a", f"{n:03}", name) for n in range(45) for name in (DATA, LOG)]
    for key in keys[::20]:
        table.write(Put({"PK": key.pk, "SK": key.sk}, table=key.table))
    line.requests.clear()
    line.acts.extend([none_of_them, the_first_of_them, none_of_them])
    found = table.get_many([*keys, *keys])
    assert set(found) == {*keys[::20], keys[0]}
    assert found[keys[0]] == {"PK": "a", "SK": "000", "said": 1}
    assert [sum(map(len, keys_of(asked))) for asked in line.requests] == [90, 90, 89, 89]
    assert len(pauses) == 3


def test_more_keys_than_one_request_takes_are_asked_for_in_several_at_once(table: DynamoDbTable, line: Between) -> None:
    table.write(Put({"PK": "a", "SK": "007"}), Put({"PK": "a", "SK": "120"}))
    line.requests.clear()
    with round_trips.count_round_trips() as asked:
        found = table.get_many(Key("a", f"{n:03}") for n in range(140))
    assert set(found) == {Key("a", "007"), Key("a", "120")}
    assert sorted(sum(map(len, keys_of(each))) for each in line.requests) == [40, 100]
    assert (asked.count, asked.in_a_row) == (2, 1)


def test_keys_that_are_never_processed_are_given_up(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = none_of_them
    with pytest.raises(Unavailable, match="throttling"):
        stranger.get_many([A, B])
    assert len(dead_end.requests) == MAX_CONFLICT_ATTEMPTS


def test_a_batch_that_gets_on_slowly_is_not_given_up(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = the_first_of_them
    assert (
        len(stranger.get_many([Key("a", str(n)) for n in range(3 * MAX_CONFLICT_ATTEMPTS)]))
        == 3 * MAX_CONFLICT_ATTEMPTS
    )


def puts_of(asked: dict[str, Any]) -> list[Any]:
    (puts,) = asked["RequestItems"].values()
    return puts


def none_are_put(_: Between, asked: dict[str, Any], forward: Any) -> tuple[int, bytes]:
    return 200, orjson.dumps({"UnprocessedItems": asked["RequestItems"]})


def all_but_the_first_are_left(_: Between, asked: dict[str, Any], forward: Any) -> tuple[int, bytes]:
    (name,) = asked["RequestItems"]
    left = puts_of(asked)[1:]
    return 200, orjson.dumps({"UnprocessedItems": {name: left} if left else {}})


def test_puts_left_for_later_are_sent_again(table: DynamoDbTable, line: Between, pauses: list[float]) -> None:
    line.acts.extend([none_are_put, all_but_the_first_are_left])
    table.put_all([{"PK": "a", "SK": str(n)} for n in range(5)])
    assert [len(puts_of(asked)) for asked in line.requests] == [5, 5, 4]
    assert len(pauses) == 2
    assert table.count(Span("a")) == 4, "the first was only said to be there"


def test_a_lost_reply_to_a_batch_does_no_harm(table: DynamoDbTable, line: Between) -> None:
    line.acts.append(lost_reply)
    table.put_all([{"PK": "a", "SK": str(n)} for n in range(5)])
    assert table.count(Span("a")) == 5


def test_puts_that_are_never_taken_are_given_up(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = none_are_put
    with pytest.raises(Unavailable, match="throttling"):
        stranger.put_all([{"PK": "a", "SK": "1"}, {"PK": "a", "SK": "2"}])
    assert len(dead_end.requests) == MAX_CONFLICT_ATTEMPTS


def test_puts_that_get_on_slowly_are_not_given_up(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = all_but_the_first_are_left
    stranger.put_all([{"PK": "a", "SK": str(n)} for n in range(3 * MAX_CONFLICT_ATTEMPTS)])
    assert len(dead_end.requests) == 3 * MAX_CONFLICT_ATTEMPTS


# --- reads ---


def test_every_read_is_consistent_but_an_index_is_never_asked_for_that(table: DynamoDbTable, line: Between) -> None:
    table.page(Span("a", index=True))
    table.count(Span("a", index=True))
    table.page(Span("a"))
    table.count(Span("a"))
    table.get(A)
    assert [asked.get("ConsistentRead") for asked in line.requests] == [None, None, True, True, True]
    table.get_many([A])
    (batch,) = line.requests[-1]["RequestItems"].values()
    assert batch["ConsistentRead"] is True


@every_row("limit", [0, -1])
def test_a_page_of_nothing_is_invalid(stranger: DynamoDbTable, limit: int) -> None:
    with pytest.raises(Invalid):
        stranger.page(Span("a"), limit=limit)


@every_row("span", [Span(""), Span("a", first=""), Span("a", last=""), Span("a", prefix="x" * 1025)])
def test_a_span_that_dynamodb_refuses_is_refused_before_it_is_sent(stranger: DynamoDbTable, span: Span) -> None:
    with pytest.raises(Invalid):
        stranger.page(span)


def cursor_of(*parts: Any) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode().rstrip("=")


@every_row(
    "cursor",
    [
        *("", "x", "====", "é", "!!!!", "AAAA", cursor_of(), cursor_of("a"), cursor_of("a", 1), cursor_of("a", "")),
        *(cursor_of("b", "m2"), cursor_of("a", "l"), cursor_of("a", "n"), cursor_of("a", "m2", "a", "m2")),
        *(cursor_of("a", "m" * 1025), cursor_of("a", None), cursor_of({"PK": "a"}, "m2"), cursor_of("a", "m2") + "\n"),
    ],
)
def test_a_forged_cursor_is_refused_before_it_is_sent(stranger: DynamoDbTable, dead_end: Between, cursor: str) -> None:
    with pytest.raises(BadCursor):
        stranger.page(Span("a", prefix="m"), cursor=cursor)
    assert dead_end.requests == []


@every_row("key", [("b", "m", "x", "y"), ("a", "x", "p", "m"), ("a", "m", "p" * 2049, "s"), ("a", "m")])
def test_a_forged_cursor_of_the_index_is_refused(stranger: DynamoDbTable, key: tuple[str, ...]) -> None:
    with pytest.raises(BadCursor):
        stranger.page(Span("a", prefix="m", index=True), cursor=cursor_of(*key))


# --- failures in sentences ---


def every_ask(table: DynamoDbTable) -> list[Any]:
    return [
        lambda: table.get(A),
        lambda: table.get_many([A, B]),
        lambda: table.page(Span("a")),
        lambda: table.count(Span("a")),
        lambda: list(table.values(Span("a"), "name")),
        lambda: table.write(Put({"PK": "a", "SK": "1"})),
        lambda: table.write(NEW_A),
        lambda: table.put_all([{"PK": "a", "SK": "1"}]),
        lambda: table.increment(A, "n"),
    ]


@pytest.mark.deep
def test_tables_that_are_not_there_are_named_with_the_way_to_make_them(engine: engines.Engine) -> None:
    table = engine.table()
    for ask in every_ask(table):
        with pytest.raises(Unavailable, match=rf"{table.prefix}vote_data.* is not there yet; run: python manage.py"):
            ask()


def test_an_endpoint_nobody_listens_on_cannot_be_reached() -> None:
    table = DynamoDbTable(region="us-east-1", endpoint=f"http://127.0.0.1:{free_port()}")
    for ask in (*every_ask(table), table.create):
        with pytest.raises(Unavailable, match="cannot be reached"):
            ask()


@every_row("endpoint", ["nonsense", "http://[", "http://a b"])
def test_an_endpoint_that_is_no_address_cannot_be_reached(endpoint: str) -> None:
    with pytest.raises(Unavailable):
        DynamoDbTable(region="us-east-1", endpoint=endpoint).get(A)


@pytest.mark.seconds(4)
@every_row(
    ("answer", "words"),
    [
        (
            failed("UnrecognizedClientException", "The security token is invalid"),
            "does not accept our credentials: The",
        ),
        (
            failed("InvalidSignatureException", "It does not match"),
            "does not accept our credentials: It does not match",
        ),
        (failed("ExpiredTokenException", "It has expired"), "does not accept our credentials: It has expired"),
        (
            failed("AccessDeniedException", "No identity-based policy"),
            "does not allow us to use vote_data.*: No identity",
        ),
        (failed("ThrottlingException", "Rate exceeded"), "throttling"),
        (failed("ProvisionedThroughputExceededException", "Too fast"), "throttling"),
        (failed("InternalServerError", "Oh no", status=500), "InternalServerError: Oh no"),
        (said(503, b"<html>no</html>"), "503: Service Unavailable"),
        (said(200, b"<html>Please sign in to the network</html>"), "could not be asked"),
        (said(200, b"[]"), "could not be asked"),
        (failed("TransactionInProgressException"), "still at work on this same write"),
        (lost_request, "did not answer in time"),
    ],
)
def test_a_failure_is_a_sentence(stranger: DynamoDbTable, dead_end: Between, answer: Any, words: str) -> None:
    dead_end.always = answer
    for ask in every_ask(stranger):
        with pytest.raises(Unavailable, match=words):
            ask()


def test_only_the_values_asked_for_come_over_the_line(table: DynamoDbTable, line: Between) -> None:
    table.write(Put({"PK": "a", "SK": "1", "name": "Ada", "long": "x" * 1000}))
    assert list(table.values(Span("a"), "name", "name")) == [("Ada", "Ada")]
    asked = line.requests[-1]
    wanted = {asked["ExpressionAttributeNames"][short] for short in asked["ProjectionExpression"].split(", ")}
    assert wanted == {"name", "ttl"}


def test_a_server_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, dead_end: Between) -> None:
    ended = threading.Event()
    dead_end.always = lambda *_: ended.wait(TIMEOUT_SECONDS) and None
    monkeypatch.setattr(dynamodb_wire, "READ_TIMEOUT_SECONDS", 0.05)
    table = DynamoDbTable(region="us-east-1", endpoint=dead_end.endpoint)
    with pytest.raises(Unavailable, match="did not answer in time"):
        table.get(A)
    patience = time.monotonic() + TIMEOUT_SECONDS
    while len(dead_end.requests) < MAX_SILENCE_ATTEMPTS and time.monotonic() < patience:
        time.sleep(0.05)  # whoever does not wait for an answer may be quicker than the server that hears of it
    ended.set()
    table.close()
    assert len(dead_end.requests) == MAX_SILENCE_ATTEMPTS


def test_what_dynamodb_calls_a_mistake_is_invalid(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = failed("ValidationException", "The expression is too large")
    for ask in every_ask(stranger):
        with pytest.raises(Invalid, match="The expression is too large"):
            ask()


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A machine without credentials."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.mark.usefixtures("nobody")
def test_aws_without_credentials_says_so() -> None:
    with pytest.raises(Unavailable, match="no credentials for AWS"):
        DynamoDbTable(region="us-east-1").get(A)


@pytest.mark.usefixtures("nobody")
def test_an_endpoint_of_ones_own_needs_no_credentials(server: engines.Engine) -> None:
    table = server.fresh()
    table.write(NEW_A)
    assert table.get(A) == {"PK": "a", "SK": "1"}
    server.drop(table)


@pytest.mark.usefixtures("nobody")
def test_an_endpoint_of_amazons_is_given_no_false_credentials() -> None:
    with pytest.raises(Unavailable, match="no credentials for AWS"):
        DynamoDbTable(region="us-east-1", endpoint="https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com").get(A)


# --- the client ---


def test_the_client_is_set_up_as_we_say() -> None:
    config = dynamodb_wire.client("eu-central-1", "http://127.0.0.1:1", threads=16).meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}, "we ask again ourselves"
    assert (config.connect_timeout, config.read_timeout, config.max_pool_connections) == (1, 3, 20)


def test_a_table_that_was_closed_connects_anew(table: DynamoDbTable) -> None:
    table.write(NEW_A)
    table.close()
    table.close()
    assert table.get(A) is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_does_not_use_its_parents_connections(table: DynamoDbTable) -> None:
    table.write(NEW_A)
    parents = table._connection.client()
    child = os.fork()
    if child == 0:
        apart = table._connection.client() is not parents and table.get(A) is not None
        os._exit(0 if apart else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert table._connection.client() is parents
    assert table.get(A) is not None


def test_many_threads_share_one_client(stranger: DynamoDbTable) -> None:
    clients: list[Any] = []
    threads = [threading.Thread(target=lambda: clients.append(stranger._connection.client())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(clients) == 8
    assert len(set(map(id, clients))) == 1


# --- round trips ---


def test_every_request_of_ours_is_a_round_trip_with_its_outcome(
    table: DynamoDbTable, line: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(
        round_trips, "_listeners", [lambda operation, outcome, seconds: told.append((operation, outcome))]
    )
    line.acts.append(cancelled("TransactionConflict"))
    with round_trips.count_round_trips() as counted:
        table.write(NEW_A)
        with pytest.raises(Refused):
            table.write(NEW_A)
        table.get(A)
        table.get_many([Key("a", str(n)) for n in range(101)])
        table.page(Span("a"))
        table.count(Span("a"))
        table.put_all([{"PK": "a", "SK": "2"}])
        table.increment(A, "n")
    assert told == [
        ("write", "conflict"),
        ("write", "ok"),
        ("write", "refused"),
        ("get", "ok"),
        ("get_many", "ok"),
        ("get_many", "ok"),
        ("page", "ok"),
        ("count", "ok"),
        ("put_all", "ok"),
        ("increment", "ok"),
    ]
    assert counted.count == len(told)


# --- what it costs ---


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, float]]:
    """All that was told to whoever meters it."""
    told: list[tuple[str, str, float]] = []
    monkeypatch.setattr(round_trips, "_meters", [lambda *cost: told.append(cost)])
    return told


@pytest.mark.deep
@pytest.mark.parametrize("server", OTHERS, indirect=True, scope="module")  # ours says nothing of costs
def test_every_request_asks_what_it_costs_and_the_answer_is_told(
    table: DynamoDbTable, line: Between, costs: list[tuple[str, str, float]]
) -> None:
    table.write(Put({"PK": "a", "SK": "1"}))
    table.write(Put({"PK": "a", "SK": "2"}, Missing()))
    table.increment(A, "n")
    table.put_all([{"PK": "a", "SK": "1"}, {"PK": "a", "SK": "2"}])
    assert {(what, kind) for what, kind, _ in costs} == {("capacity", "write")}
    assert [units for *_, units in costs] == [1, 2, 1, 2], "a transaction costs twice as much"
    costs.clear()
    table.get(A)
    list(table.values(Span("a"), "n"))
    table.count(Span("a"))
    list(table.everything())
    assert {(what, kind) for what, kind, _ in costs} == {("capacity", "read")}
    assert all(asked["ReturnConsumedCapacity"] == "TOTAL" for asked in line.requests)


@every_row(
    ("method", "told", "charged"),
    [
        ("query", {}, []),
        ("query", {"ConsumedCapacity": {"TableName": "a", "CapacityUnits": 0.5}}, [("read", 0.5)]),
        ("put_item", {"ConsumedCapacity": {"TableName": "a", "CapacityUnits": 3.0}}, [("write", 3.0)]),
        (
            "batch_get_item",
            {"ConsumedCapacity": [{"TableName": name, "CapacityUnits": 2.0} for name in "ab"]},
            [("read", 2.0), ("read", 2.0)],
        ),
        (
            "transact_write_items",
            {"ConsumedCapacity": [{"CapacityUnits": 6.0, "WriteCapacityUnits": 6.0, "ReadCapacityUnits": 0.0}]},
            [("write", 6.0)],
        ),
        (
            "transact_write_items",  # the same once more, with its token: nothing was written again
            {"ConsumedCapacity": [{"CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]},
            [("read", 4.0)],
        ),
    ],
)
def test_what_a_reply_charges(method: str, told: dict[str, Any], charged: list[tuple[str, float]]) -> None:
    assert list(dynamodb_wire.charges(method, told)) == charged


def test_what_nobody_answered_is_asked_again_and_counted(
    table: DynamoDbTable, line: Between, costs: list[tuple[str, str, float]]
) -> None:
    line.acts.extend([lost_reply, failed("InternalServerError", status=500)])
    table.get(A)
    assert [cost for cost in costs if cost[0] == "retries"] == [("retries", "unanswered", 1)] * 2


def test_what_is_sent_again_in_vain_is_counted_too(
    stranger: DynamoDbTable, dead_end: Between, costs: list[tuple[str, str, float]]
) -> None:
    dead_end.always = lost_request
    with pytest.raises(Unavailable):
        stranger.get(A)
    assert costs == [("retries", "unanswered", 1)] * (MAX_SILENCE_ATTEMPTS - 1)


@pytest.mark.parametrize(
    ("obstacle", "reason"), [("TransactionConflict", "conflict"), ("ThrottlingError", "throttled")]
)
def test_what_we_send_again_is_counted_with_its_reason(
    stranger: DynamoDbTable, dead_end: Between, costs: list[tuple[str, str, float]], obstacle: str, reason: str
) -> None:
    dead_end.always = cancelled("None", obstacle)
    with pytest.raises((Conflict, Unavailable)):
        stranger.write(NEW_A, NEW_B)
    assert costs == [("retries", reason, 1)] * (MAX_CONFLICT_ATTEMPTS - 1)


def test_keys_asked_for_again_are_counted(
    table: DynamoDbTable, line: Between, costs: list[tuple[str, str, float]]
) -> None:
    line.acts.extend([none_of_them, none_of_them])
    table.get_many([A])
    assert [cost for cost in costs if cost[0] == "retries"] == [("retries", "unprocessed", 1)] * 2


# --- how the tables stand ---


def test_tables_are_described(engine: engines.Engine) -> None:
    table = engine.fresh()
    assert [(each.name, each.status) for each in table.states()] == [
        (table.prefix + name, "ACTIVE") for name in (DATA, LOG)
    ]
    assert all(each.size >= 0 and each.items >= 0 for each in table.states())
    engine.drop(table)


def test_who_may_not_ask_how_the_tables_stand_is_told_so(stranger: DynamoDbTable, dead_end: Between) -> None:
    dead_end.always = failed("AccessDeniedException", "not authorized to perform dynamodb:DescribeTable")
    with pytest.raises(Unavailable, match="DescribeTable"):
        stranger.states()
