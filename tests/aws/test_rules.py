"""What AWS does and local engines do not, one rule at a time."""

from __future__ import annotations

from functools import partial

import pytest

from store import round_trips
from store.dynamodb import DynamoDbTable
from store.table import Check, Conflict, Delete, Equals, Key, Missing, Put, Refused, Span, Unavailable, Update

from .engine import using
from .ledger import READ, WRITE, Partition
from .memory import MemoryEngine
from .rules import NEW_TABLE, Latency, Limits, Rules
from .virtual import VirtualThreading, VirtualTime

DATA = "vote_data"


class Site:
    """A table under the rules, in a time of its own."""

    def __init__(self, **limits: float | None):
        self.time = VirtualTime()
        self.memory = MemoryEngine(self.time)
        steady = Latency(spread=0.0)
        self.rules = Rules(self.memory, latency=steady, limits=Limits(**limits), clock=self.time, sleep=self.time.sleep)
        table = DynamoDbTable(region="here", endpoint="http://nowhere", sleep=self.time.sleep, ticking=self.time)
        self.table = using(table, self.rules)
        self.table.create()

    def told(self, *acts):
        """What comes of acts that begin at the same moment, in words."""
        return self.time.run(*(partial(outcome, each) for each in acts))


def outcome(act):
    try:
        act()
    except (Refused, Conflict, Unavailable) as error:
        return type(error).__name__
    return "done"


def put(sk, **more):
    return Put({"PK": "p", "SK": sk, **more})


def add(sk):
    return Update(Key("p", sk), add={"n": 1})


@pytest.fixture(autouse=True)
def never_again(monkeypatch):
    """Whoever is refused is told, for once."""
    monkeypatch.setattr("store.dynamodb.connection.MAX_CONFLICT_ATTEMPTS", 1)


# --- conflicts ---


def test_of_two_transactions_that_meet_one_is_cancelled():
    site = Site()
    write = site.table.write
    assert site.told(lambda: write(add("a"), add("b")), lambda: write(add("b"), add("c"))) == ["done", "Conflict"]
    assert site.told(lambda: write(add("a"), add("b")), lambda: write(add("c"), add("d"))) == ["done", "done"]
    assert site.table.get(Key("p", "b"))["n"] == 2
    assert site.rules.counts.refused["transactions in conflict"] == 1


def test_what_a_transaction_only_checks_is_held_too():
    site = Site()
    check = Check(Key("p", "b"), Missing())
    answers = site.told(lambda: site.table.write(add("a"), check), lambda: site.table.write(add("c"), check))
    assert answers == ["done", "Conflict"], "AWS does not let two look at the same item"


def test_the_reasons_stand_in_the_order_of_the_parts():
    site, seen = Site(), []

    def second():
        try:
            parts = [site.table._part(each) for each in (add("x"), add("b"), add("y"))]
            site.rules.transact_write_items(TransactItems=parts, ClientRequestToken="t")
        except Exception as error:
            seen.append([reason["Code"] for reason in error.response["CancellationReasons"]])

    site.time.run(lambda: site.table.write(add("a"), add("b")), second)
    assert seen == [["None", "TransactionConflict", "None"]]


def test_a_single_write_that_meets_a_transaction_is_refused_and_a_read_passes():
    site = Site()
    site.table.write(put("a", n=0))
    hold = lambda: site.table.write(add("a"), add("b"))  # noqa: E731

    def later(act):
        return lambda: (site.time.sleep(0.002), act())

    acts = [lambda: site.table.write(put("a")), lambda: site.table.write(add("a"))]
    assert site.told(hold, *map(later, acts)) == ["done", "Conflict", "Conflict"]
    assert site.told(hold, later(lambda: site.table.page(Span("p")))) == ["done", "done"]


def test_after_a_transaction_its_items_are_free_again_whether_it_happened_or_not():
    site = Site()
    refused = lambda: site.table.write(add("a"), Check(Key("p", "b"), Equals("n", 7)))  # noqa: E731
    assert site.told(refused) == ["Refused"]
    assert site.told(lambda: site.table.write(add("a"))) == ["done"]


# --- units ---


def test_a_partition_takes_so_many_units_a_second_and_another_is_not_in_its_way():
    site = Site(write_units=10.0, burst=1.0)
    done = [outcome(lambda n=n: site.table.write(put(f"{n}"), add("same"))) for n in range(4)]
    assert done == ["done", "done", "done", "Crowded"], "each takes four, and one may owe"
    assert outcome(lambda: site.table.write(Put({"PK": "other", "SK": "a"}))) == "done"
    site.time.sleep(1)
    assert outcome(lambda: site.table.write(put("more"))) == "done"


def test_a_hot_partition_of_the_index_refuses_the_write_to_the_table():
    site = Site(write_units=3.0, burst=1.0)
    items = [Put({"PK": f"p{n}", "SK": "a", "GSI1PK": "shelf", "GSI1SK": f"{n}"}) for n in range(5)]
    assert [outcome(lambda each=each: site.table.write(each)) for each in items][4:] == ["Crowded"]
    assert site.memory.look(DATA, "p4", "a") is None


def test_reads_have_a_limit_too_and_a_batch_leaves_over_what_is_too_hot(monkeypatch):
    site = Site(read_units=2.0, burst=1.0)
    site.table.write(put("a", text="x" * 9000))
    assert [outcome(lambda: site.table.get(Key("p", "a"))) for _ in range(2)] == ["done", "Crowded"]
    site.table.write(Put({"PK": "cold", "SK": "a"}))
    keys = [{"PK": {"S": pk}, "SK": {"S": "a"}} for pk in ("p", "cold")]
    answer = site.rules.batch_get_item(RequestItems={DATA: {"Keys": keys, "ConsistentRead": True}})
    assert [item["PK"]["S"] for item in answer["Responses"][DATA]] == ["cold"]
    assert answer["UnprocessedKeys"][DATA]["Keys"] == keys[:1]
    monkeypatch.undo()
    assert len(site.table.get_many([Key("p", "a"), Key("cold", "a")])) == 2, "the adapter asks for the rest again"


def test_of_a_batch_of_puts_the_rest_is_left_over(monkeypatch):
    monkeypatch.undo()
    site = Site(write_units=2.0, burst=1.0)
    puts = [{"PutRequest": {"Item": {"PK": {"S": "p"}, "SK": {"S": f"{n}"}}}} for n in range(4)]
    answer = site.rules.batch_write_item(RequestItems={DATA: puts})
    assert answer["UnprocessedItems"][DATA] == puts[2:]
    assert site.told(lambda: site.table.put_all([{"PK": "p", "SK": f"{n}"} for n in range(4)])) == ["done"]
    assert site.memory.look(DATA, "p", "3")


def test_what_is_charged():
    site = Site()
    kilobytes = put("a", text="x" * 1500)
    costs = {
        "a plain put": (lambda: site.table.write(kilobytes), 2),
        "two in a transaction": (lambda: site.table.write(add("b"), kilobytes), 2 * (1 + 2)),
        "a check of what is not there": (lambda: site.table.write(add("b"), Check(Key("p", "no"), Missing())), 2 + 2),
        "a refusal": (lambda: outcome(lambda: site.table.write(add("c"), Check(Key("p", "b"), Missing()))), 1 + 1),
        "a number": (lambda: site.table.increment(Key("p", "b"), "n"), 1),
        "a small item in place of a large one": (lambda: site.table.write(put("a")), 2),
        "a delete": (lambda: site.table.write(Delete(Key("p", "no"))), 1),
    }
    found = {}
    for what, (act, _) in costs.items():
        before = site.rules.ledger.total(WRITE)
        site.time.run(act)
        found[what] = site.rules.ledger.total(WRITE) - before
    assert found == {what: units for what, (_, units) in costs.items()}


def test_what_reads_are_charged():
    site = Site(lag=0.01)
    for n in range(4):
        site.table.write(put(f"{n}", text="x" * 3000, GSI1PK="shelf", GSI1SK=f"{n}"))
    site.time.sleep(1)
    reads = {
        "one": (lambda: site.table.get(Key("p", "1")), 1),
        "one that is not there": (lambda: site.table.get(Key("p", "no")), 1),
        "a page, counted as a whole": (lambda: site.table.page(Span("p")), 3),
        "a count costs as much": (lambda: site.table.count(Span("p")), 3),
        "the index, half of it": (lambda: site.table.page(Span("shelf", index=True)), 1.5),
        "each of a batch by itself": (lambda: site.table.get_many([Key("p", "1"), Key("p", "2")]), 2),
    }
    found = {}
    for what, (act, _) in reads.items():
        before = site.rules.ledger.total(READ)
        act()
        found[what] = site.rules.ledger.total(READ) - before
    assert found == {what: units for what, (_, units) in reads.items()}


def test_the_index_is_charged_for_what_changes_in_it():
    site = Site()
    shelf = Partition(DATA, "shelf", index=True)
    changes = [
        (put("a", GSI1PK="shelf", GSI1SK="1"), 1),
        (Update(Key("p", "a"), set={"text": "new"}), 1),
        (Update(Key("p", "a"), set={"GSI1SK": "2"}), 2),
        (Update(Key("p", "a"), set={"GSI1SK": "2"}), 0),
        (Update(Key("p", "a"), remove=("GSI1PK",), set={"n": 1}), 1),
        (Update(Key("p", "a"), set={"text": "newer"}), 0),
    ]
    for write, units in changes:
        before = site.rules.ledger.total(WRITE, shelf)
        site.table.write(write)
        assert site.rules.ledger.total(WRITE, shelf) - before == units


def test_what_was_charged_is_told_to_the_adapter_and_the_hottest_key_is_named():
    site, told_of = Site(), []
    round_trips.on_cost(lambda what, kind, amount: told_of.append((what, kind, amount)))
    try:
        site.table.write(add("a"), add("b"))
    finally:
        round_trips._meters.pop()
    assert (round_trips.CAPACITY, "write", 4.0) in told_of
    (hottest,) = site.rules.ledger.hottest(WRITE)
    assert (str(hottest.partition), hottest.units) == ("vote_data p", 4)
    assert site.rules.ledger.taken() == {(WRITE, Partition(DATA, "p")): 4}
    assert site.rules.ledger.taken() == {}


# --- the index ---


def test_the_index_shows_what_there_was_a_moment_ago():
    site = Site(lag=0.1)
    for n in range(20):
        site.table.write(put(f"{n:02}", GSI1PK="shelf", GSI1SK=f"{n:02}"))
    shelf = Span("shelf", index=True)
    seen = site.table.count(shelf)
    assert seen < 20
    assert [item["SK"] for item in site.table.page(shelf).items] == [f"{n:02}" for n in range(seen)]
    site.time.sleep(1)
    assert site.table.count(shelf) == 20
    site.table.write(Delete(Key("p", "00")))
    site.time.sleep(1)
    assert site.table.page(shelf, limit=1).items[0]["SK"] == "01"


# --- time ---


def test_locks_and_conditions_wait_in_that_time_too():
    time = VirtualTime()
    threading = VirtualThreading(time)
    lock, said, order = threading.Lock(), threading.Condition(), []

    def hold(name):
        with lock:
            time.sleep(1)
            order.append((name, time.now))

    def wait():
        with said:
            return said.wait(timeout=5)

    def say():
        time.sleep(4)
        with said:
            said.notify()

    assert time.run(lambda: hold("first"), lambda: hold("second"), wait, wait, say) == [None, None, True, False, None]
    assert order == [("first", 1.0), ("second", 2.0)]
    assert time.now == 5.0
    assert threading.current_thread()


def test_who_asks_several_at_once_waits_for_the_longest():
    site = Site()
    site.table.run_parallel = site.time.run_parallel
    before = site.time.now
    site.time.run(lambda: site.table.run_parallel([lambda: site.table.get(Key("p", "a"))] * 5))
    assert site.time.now - before == pytest.approx(0.004)


# --- partitions and tables ---


def four_large_puts(site):
    puts = [Put({"PK": f"p{number}", "SK": "a", "text": "x" * 6000}) for number in range(4)]
    return sorted(site.told(*(partial(site.table.write, each) for each in puts)))


@pytest.mark.parametrize(("partitions", "done"), [(None, 4), (1, 2)])
def test_keys_that_share_a_partition_share_its_units(partitions, done):
    """Keys that are cold by themselves are throttled where they lie together."""
    site = Site(write_units=10, burst=1.0, partitions=partitions)
    assert four_large_puts(site) == ["Crowded"] * (4 - done) + ["done"] * done


def test_a_table_takes_so_much_however_its_keys_lie():
    assert four_large_puts(Site(burst=1.0, table_write_units=10)) == ["Crowded", "Crowded", "done", "done"]
    assert (NEW_TABLE.partitions, NEW_TABLE.table_write_units, NEW_TABLE.table_read_units) == (4, 4000, 12_000)
