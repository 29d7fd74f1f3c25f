"""How long a request waits for DynamoDB in trouble, how often it asks, what it says then, and when nobody waits at all.

Time is a number here that only servers and pauses move.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from foundation.store import wait_budget
from foundation.store.connect import BadStoreUrl, check, connect, expect_threads
from foundation.store.dynamodb import DynamoDbTable, wire
from foundation.store.dynamodb.connection import (
    EXTRA_THREADS_PER_THREAD,
    MAX_CONFLICT_ATTEMPTS,
    MAX_CONSECUTIVE_FAILURES,
    MAX_SILENCE_ATTEMPTS,
    SHEDDING_SECONDS,
    CircuitBreaker,
)
from foundation.store.table import Conflict, Crowded, InDoubt, Key, Missing, Put, Refused, Unavailable
from tests.rows import every_row

from .between import Between, Reply, between, cancelled, failed, said

A = Key("a", "1")
NEW = Put({"PK": "a", "SK": "1"}, Missing())
NOTHING = said(200, {})
BUSY = failed("ProvisionedThroughputExceededException")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def server() -> Iterator[Between]:
    with between() as line:
        yield line


@pytest.fixture
def line(server: Between) -> Between:
    server.acts.clear()
    server.requests.clear()
    return server


@pytest.fixture(scope="module")
def client(server: Between) -> Any:
    """To make one takes longer than most of what is done with it here."""
    return wire.client("us-east-1", server.endpoint, threads=1)


@pytest.fixture
def table(line: Between, client: Any, clock: Clock) -> DynamoDbTable:
    table = DynamoDbTable(region="us-east-1", endpoint=line.endpoint, sleep=clock.pass_by, ticking=clock)
    table._connection._own_client = os.getpid(), client
    return table


@pytest.fixture
def waits(client: Any) -> Iterator[list[float]]:
    """How long each request that went out was to be waited for."""
    seen: list[float] = []
    keep = lambda request, **_: seen.append(request.context.get("read_timeout", wire.READ_TIMEOUT_SECONDS))  # noqa: E731
    client.meta.events.register("before-send.dynamodb", keep)
    yield seen
    client.meta.events.unregister("before-send.dynamodb", keep)


def silence(clock: Clock, waits: list[float]) -> Any:
    """Nobody answers for as long as the adapter waits for an answer."""

    def act(between: Between, asked: dict[str, Any], forward: Any) -> Reply | None:
        clock.pass_by(waits[-1])
        return None

    return act


# --- how long ---


def test_a_silent_store_is_given_up_when_patience_is_over(
    table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]
) -> None:
    line.always, begun = silence(clock, waits), clock.now
    with wait_budget.of_request(5) as left, pytest.raises(Unavailable, match="did not answer in time"):
        table.get(A)
    assert len(line.requests) == 2
    assert waits[0] == wire.READ_TIMEOUT_SECONDS
    assert waits[1] <= 5 - wire.CONNECT_TIMEOUT_SECONDS - wire.READ_TIMEOUT_SECONDS
    assert clock.now - begun <= 5 - wire.CONNECT_TIMEOUT_SECONDS + 1e-6, "a second is kept for connecting"
    assert left.left < wire.CONNECT_TIMEOUT_SECONDS + 0.25


def test_whoever_has_no_patience_left_does_not_ask_again(
    table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]
) -> None:
    line.always = silence(clock, waits)
    with wait_budget.of_request(5):
        with pytest.raises(Unavailable):
            table.get(A)
        sent = len(line.requests)
        for ask in (lambda: table.get(A), lambda: table.write(NEW), lambda: table.get_many([A])):
            with pytest.raises(Unavailable, match="as long as it may wait") as told:
                ask()
            assert not isinstance(told.value, InDoubt), "nothing was sent"
    assert len(line.requests) == sent


def test_a_job_waits_as_long_as_it_takes(table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]) -> None:
    line.always = silence(clock, waits)
    with pytest.raises(Unavailable, match="did not answer in time"):
        table.get(A)
    assert waits == [wire.READ_TIMEOUT_SECONDS] * MAX_SILENCE_ATTEMPTS


def test_a_store_that_answers_at_once_is_never_too_slow(table: DynamoDbTable, line: Between, clock: Clock) -> None:
    def quickly(between: Between, asked: dict[str, Any], forward: Any) -> Reply | None:
        clock.pass_by(0.2)
        return 200, b"{}"

    line.always = quickly
    with wait_budget.of_request(2) as left:
        for _ in range(30):
            table.get(A)
    assert (left.left, len(line.requests)) == (2, 30)


def test_a_store_that_answers_slowly_is_not_asked_for_ever(table: DynamoDbTable, line: Between, clock: Clock) -> None:
    def slowly(between: Between, asked: dict[str, Any], forward: Any) -> Reply | None:
        clock.pass_by(1)
        return 200, b"{}"

    line.always = slowly
    with wait_budget.of_request(5):
        for _ in range(4):
            table.get(A)
        with pytest.raises(Unavailable, match="as long as it may wait"):
            table.get(A)
    assert len(line.requests) == 4


@pytest.mark.parametrize(("answer", "error"), [(failed("TransactionConflictException"), Conflict), (BUSY, Crowded)])
def test_pauses_count(table: DynamoDbTable, line: Between, clock: Clock, answer: Any, error: type[Exception]) -> None:
    line.always = answer
    for _ in range(9):
        begun, sent = clock.now, len(line.requests)
        with wait_budget.of_request(1.3), pytest.raises(error):
            table.write(NEW)
        assert clock.now - begun <= 0.3 + 1e-6  # of a clock that is a float
        assert len(line.requests) - sent <= MAX_CONFLICT_ATTEMPTS


# --- whoever runs a vote ---


@pytest.mark.parametrize("answer", [failed("TransactionConflictException"), BUSY])
def test_an_organiser_asks_again_for_longer_than_a_voter(
    table: DynamoDbTable, line: Between, clock: Clock, answer: Any
) -> None:
    begun = clock.now
    line.acts.extend([answer] * 5 * MAX_CONFLICT_ATTEMPTS)
    line.acts.append(NOTHING)
    with wait_budget.of_request(5) as left:
        wait_budget.insist()
        table.write(NEW)
    assert len(line.requests) == 5 * MAX_CONFLICT_ATTEMPTS + 1
    assert clock.now - begun <= wait_budget.INSIST_SECONDS
    assert left.left == 5, "what is waited for others costs no patience"


@pytest.mark.deep
@pytest.mark.parametrize(("answer", "error"), [(failed("TransactionConflictException"), Conflict), (BUSY, Crowded)])
def test_an_organiser_does_not_ask_for_ever(
    table: DynamoDbTable, line: Between, clock: Clock, answer: Any, error: type[Exception]
) -> None:
    line.always, begun = answer, clock.now
    with wait_budget.of_request(5) as left:
        left.insist()
        with pytest.raises(error):
            table.write(NEW)
    assert 0 <= clock.now - begun - wait_budget.INSIST_SECONDS < 5


def test_what_is_left_over_of_a_batch_is_asked_for_again_for_as_long(
    table: DynamoDbTable, line: Between, clock: Clock
) -> None:
    rest = said(
        200, {"Responses": {}, "UnprocessedKeys": {"vote_data": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "1"}}]}}}
    )
    line.acts.extend([rest] * 5 * MAX_CONFLICT_ATTEMPTS)
    line.acts.append(said(200, {"Responses": {}, "UnprocessedKeys": {}}))
    with wait_budget.of_request(5):
        wait_budget.insist()
        assert table.get_many([A]) == {}
    line.always = rest
    with wait_budget.of_request(5), pytest.raises(Crowded):
        table.get_many([A])


def test_a_silent_store_keeps_an_organiser_waiting_no_longer(
    table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]
) -> None:
    line.always, begun = silence(clock, waits), clock.now
    with wait_budget.of_request(5) as left:
        left.insist()
        with pytest.raises(Unavailable, match="did not answer in time"):
            table.get(A)
    assert clock.now - begun <= 5


def test_a_real_server_that_accepts_and_never_answers_is_left(line: Between) -> None:
    over = threading.Event()
    line.always = lambda *_: over.wait(20) and None
    table = DynamoDbTable(region="us-east-1", endpoint=line.endpoint)
    with (
        wait_budget.of_request(wire.CONNECT_TIMEOUT_SECONDS + 0.3),
        pytest.raises(InDoubt, match="did not answer in time"),
    ):
        table.write(NEW)
    over.set()
    table.close()


# --- how often, and what is said ---


def test_tries_do_not_multiply(table: DynamoDbTable, line: Between) -> None:
    """The SDK tries once, whatever happens."""
    for answer, tries in (
        (BUSY, MAX_CONFLICT_ATTEMPTS),
        (failed("InternalServerError", status=500), MAX_SILENCE_ATTEMPTS),
        (said(503, b""), MAX_SILENCE_ATTEMPTS),
    ):
        for ask in (lambda: table.get(A), lambda: table.write(NEW), lambda: table.get_many([A])):
            line.requests.clear()
            line.always = answer
            with pytest.raises(Unavailable):
                ask()
            assert len(line.requests) == tries


def test_a_throttled_read_is_asked_again(table: DynamoDbTable, line: Between) -> None:
    line.acts.extend([BUSY, BUSY, NOTHING])
    assert table.get(A) is None


def test_only_a_write_is_in_doubt(table: DynamoDbTable, line: Between) -> None:
    line.always = lambda *_: None
    for ask in (
        lambda: table.write(NEW),
        lambda: table.increment(A, "n"),
        lambda: table.put_all([{"PK": "a", "SK": "1"}]),
    ):
        with pytest.raises(InDoubt, match="whether a write has happened is not known"):
            ask()
    with pytest.raises(Unavailable) as told:
        table.get(A)
    assert "write" not in str(told.value)


@pytest.mark.parametrize("after", [BUSY, cancelled("TransactionConflict"), failed("AccessDeniedException")])
def test_what_was_in_doubt_once_stays_so_whatever_is_said_later(
    table: DynamoDbTable, line: Between, after: Any
) -> None:
    """Crowded and Conflict promise that nothing was written, which the first try may have done."""
    line.acts.append(lambda *_: None)
    line.always = after
    with pytest.raises(InDoubt):
        table.write(NEW)
    assert len({asked["ClientRequestToken"] for asked in line.requests}) == 1


def test_a_refusal_is_certain_even_after_a_lost_answer(table: DynamoDbTable, line: Between) -> None:
    line.acts.extend([lambda *_: None, cancelled("ConditionalCheckFailed")])
    with pytest.raises(Refused):
        table.write(NEW)


# --- when nobody waits ---


def in_vain(table: DynamoDbTable, times: int) -> None:
    for _ in range(times):
        with wait_budget.of_request(5), pytest.raises(Unavailable, match="in time"):
            table.get(A)


def test_after_several_in_vain_the_next_are_turned_away_and_one_tries(
    table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]
) -> None:
    line.always = silence(clock, waits)
    in_vain(table, MAX_CONSECUTIVE_FAILURES)
    line.requests.clear()
    for _ in range(20):
        with wait_budget.of_request(5) as left, pytest.raises(Unavailable, match="asked again in a moment"):
            table.get(A)
        assert left.left == 5, "nobody waits"
    assert line.requests == []
    clock.pass_by(SHEDDING_SECONDS)
    with wait_budget.of_request(5), pytest.raises(Unavailable):
        table.get(A)
    assert len(line.requests) == 1, "who tries for all tries once"
    clock.pass_by(SHEDDING_SECONDS)
    line.always = NOTHING
    for _ in range(3):
        with wait_budget.of_request(5):
            assert table.get(A) is None


def test_while_one_tries_all_others_are_turned_away(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    breaker = CircuitBreaker(clock)
    for _ in range(MAX_CONSECUTIVE_FAILURES):
        assert breaker.allows_request()
        breaker.record_timeout()
    assert not breaker.allows_request()
    clock.pass_by(SHEDDING_SECONDS)
    assert [breaker.allows_request() for _ in range(3)] == [True, False, False]
    breaker.record_no_answer()
    assert not breaker.allows_request()
    clock.pass_by(SHEDDING_SECONDS)
    assert breaker.allows_request()
    breaker.record_answer()
    assert [breaker.allows_request() for _ in range(3)] == [True, True, True]
    breaker.record_answer()
    assert [line.split(":")[0] for line in caplog.messages] == ["DynamoDB does not answer", "DynamoDB answers again."]


def test_any_answer_in_between_begins_the_count_anew(
    table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]
) -> None:
    for _ in range(3):
        line.always = silence(clock, waits)
        in_vain(table, MAX_CONSECUTIVE_FAILURES - 1)
        line.always = NOTHING
        with wait_budget.of_request(5):
            table.get(A)


@pytest.mark.few(1)
@pytest.mark.parametrize("answer", [BUSY, cancelled("TransactionConflict"), cancelled("ConditionalCheckFailed")])
def test_refusals_conflicts_and_throttles_turn_nobody_away(table: DynamoDbTable, line: Between, answer: Any) -> None:
    line.always = answer
    for _ in range(MAX_CONSECUTIVE_FAILURES + 1):
        sent = len(line.requests)
        with wait_budget.of_request(5), pytest.raises((Refused, Conflict, Crowded)):
            table.write(NEW)
        assert len(line.requests) > sent


def test_a_job_is_never_turned_away(table: DynamoDbTable, line: Between, clock: Clock, waits: list[float]) -> None:
    line.always = silence(clock, waits)
    in_vain(table, MAX_CONSECUTIVE_FAILURES)
    line.always = NOTHING
    assert table.get(A) is None
    with wait_budget.of_request(5):
        assert table.get(A) is None, "and its answer is an answer for all"


# --- threads, and what is protected ---


def test_there_are_as_many_connections_as_threads_that_may_ask_at_once() -> None:
    expect_threads(11)
    try:
        table = connect("dynamodb://us-east-1?prefix=eleven-&endpoint=http://127.0.0.1:1")
    finally:
        expect_threads(8)
    most = table._connection.client().meta.config.max_pool_connections
    assert most == 11 * (1 + EXTRA_THREADS_PER_THREAD) + wire.SPARE_CONNECTIONS
    assert table._connection._thread_pool()._max_workers == 11 * EXTRA_THREADS_PER_THREAD
    assert connect("dynamodb://us-east-1?prefix=few-&threads=3").threads == 3


@every_row(
    ("options", "is_protected"),
    [
        ("", True),
        ("endpoint=https://dynamodb.eu-central-1.amazonaws.com", True),
        ("endpoint=https://vpce-0a1-b2.dynamodb.eu-central-1.vpce.amazonaws.com", True),
        ("endpoint=https://dynamodb.eu-central-1.api.aws", True),
        ("endpoint=https://111111111111.ddb.eu-central-1.amazonaws.com:443/", True),
        ("endpoint=https://dynamodb.cn-north-1.amazonaws.com.cn", True),
        ("endpoint=http://127.0.0.1:8000", False),
        ("endpoint=http://amazonaws.com.example.org", False),
        ("endpoint=http://127.0.0.1:8000&protected=yes", True),
        ("protected=no", False),
    ],
)
def test_tables_are_protected_against_deletion_where_they_lie_on_aws(options: str, is_protected: bool) -> None:
    url = f"dynamodb://eu-central-1?prefix=protected-&{options}".rstrip("&")
    check(url)
    assert connect(url).protected is is_protected


@every_row("options", ["threads=0", "threads=many", "threads=-1", "protected=perhaps", "retries=3"])
def test_an_option_that_means_nothing_is_refused(options: str) -> None:
    with pytest.raises(BadStoreUrl):
        check(f"dynamodb://eu-central-1?{options}")
