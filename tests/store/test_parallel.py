"""Questions asked at once, and spans read as if they were one."""

from __future__ import annotations

import threading

import pytest

from foundation.store import round_trips, sharded_reads, wait_budget
from foundation.store.parallel import run_parallel
from foundation.store.table import Put, Span, Table, Unavailable

pytestmark = pytest.mark.concurrent  # the model of the fuzz has no spans to join


def fill(table: Table, pk: str, shards: int, count: int) -> list[Span]:
    for number in range(count):
        table.write(Put({"PK": f"{pk}#{number % shards:02d}", "SK": f"N#{number:03d}", "number": number}))
    return [Span(f"{pk}#{each:02d}", prefix="N#") for each in range(shards)]


def numbers(items: list[dict[str, int]]) -> list[int]:
    return [item["number"] for item in items]


def test_what_is_asked_at_once_is_answered_in_its_order(table: Table, pk: str) -> None:
    parts = fill(table, pk, 4, 20)
    answers = run_parallel(table, *(lambda span=span: table.count(span) for span in parts))
    assert answers == (5, 5, 5, 5)


def test_all_of_it_counts_but_only_the_longest_row_was_waited_for(table: Table, pk: str) -> None:
    parts = fill(table, pk, 3, 9)

    def long() -> int:
        return sum(table.count(parts[0]) for _ in range(3))

    with round_trips.count_round_trips() as asked:
        run_parallel(table, long, lambda: table.count(parts[1]), lambda: table.count(parts[2]))
        table.count(parts[0])
    assert (asked.count, asked.in_a_row) == (6, 4)


def test_one_that_fails_fails_all_and_none_is_left_running(table: Table, pk: str) -> None:
    done = threading.Event()

    def fails() -> int:
        raise Unavailable("gone")

    with pytest.raises(Unavailable):
        run_parallel(table, done.set, fails)
    assert done.is_set()


def test_questions_within_questions_do_not_wait_for_each_other(table: Table, pk: str) -> None:
    parts = fill(table, pk, 2, 4)

    def deep(depth: int) -> int:
        if not depth:
            return table.count(parts[0])
        return sum(run_parallel(table, *(lambda: deep(depth - 1) for _ in range(4))))

    assert deep(3) == 2 * 4**3


@pytest.mark.parametrize("backwards", [False, True])
def test_spans_are_read_as_one(table: Table, pk: str, backwards: bool) -> None:
    parts = fill(table, pk, 3, 25)
    expected = sorted(range(25), reverse=backwards)
    assert numbers(list(sharded_reads.each(table, parts, backwards=backwards))) == expected
    found, cursor = [], None
    while True:
        page = sharded_reads.page(table, parts, limit=4, cursor=cursor, backwards=backwards)
        assert len(page.items) == 4 or page.cursor is None
        found += numbers(page.items)
        if (cursor := page.cursor) is None:
            break
    assert found == expected
    assert sharded_reads.count(table, parts) == 25
    assert sorted(number for (number,) in sharded_reads.values(table, parts, "number")) == list(range(25))


# --- values side by side ---


class Distant:
    """A table whose spans are worth reading at the same time, of numbers; some cannot be read to their end."""

    is_distant = True

    def __init__(self, rows: int, broken: str = ""):
        self.rows, self.broken, self.given = rows, broken, 0

    def values(self, span: Span, *names: str):
        for number in range(self.rows):
            if span.pk == self.broken and number == self.rows // 2:
                raise Unavailable("gone")
            self.given += 1
            yield (f"{span.pk} {number}",)


PARTS = [Span(f"PK#{number:02d}") for number in range(20)]


def test_all_of_it_comes_from_several_spans_at_once() -> None:
    table = Distant(1_700)
    found = [text for (text,) in sharded_reads.values(table, PARTS, "text")]
    assert len(found) == len(set(found)) == 34_000
    assert not readers()


def test_whoever_stops_early_leaves_nobody_reading_and_has_read_little() -> None:
    table = Distant(100_000)
    found = sharded_reads.values(table, PARTS, "text")
    for _ in range(10):
        next(found)
    found.close()
    assert not readers()
    batches = sharded_reads.READER_THREADS * (sharded_reads.MAX_BATCHES_AHEAD + 3)
    assert table.given <= batches * sharded_reads.BATCH_ROWS


def test_one_that_breaks_breaks_the_reading_and_nobody_reads_on() -> None:
    with pytest.raises(Unavailable):
        list(sharded_reads.values(Distant(5_000, broken="PK#07"), PARTS, "text"))
    assert not readers()


def readers() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith(sharded_reads.READER)]


def test_who_waits_for_several_at_once_loses_the_patience_of_the_longest(table: Table) -> None:
    """One after the other, of all of them."""
    all_here = threading.Barrier(3 if table.is_distant else 1)

    def waiting(seconds: float) -> None:
        all_here.wait(timeout=30)
        wait_budget.spend(seconds)

    with wait_budget.of_request(10) as left:
        run_parallel(table, lambda: waiting(1), lambda: waiting(3), lambda: waiting(2))
        assert left.left == (7 if table.is_distant else 4)


def test_that_it_was_in_vain_is_known_once_for_the_whole_request() -> None:
    with wait_budget.of_request(10) as whole, wait_budget.parallel_branch([]):
        wait_budget.current().was_unanswered = True
    assert whole.was_unanswered
