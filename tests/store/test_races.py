"""Many at once: what must hold when threads and processes write to one table at the same time."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path

import pytest

from foundation.store.connect import connect
from foundation.store.table import LOG, Check, Equals, Key, Missing, Put, Refused, Span, Unavailable, Update

from .conftest import Embedded
from .racer import created, insist
from .walks import walk

pytestmark = pytest.mark.concurrent
ROOT = Path(__file__).parents[2]


@pytest.fixture
def url(adapter, tmp_path):
    """A STORE_URL of created tables that nobody else has."""
    url = f"sqlite://{tmp_path}/races.sqlite3" if isinstance(adapter, Embedded) else adapter.engine.url()
    table = connect(url)
    table.create()
    yield url
    table.close()


def at_once(count, act):
    """What each of so many threads got, all let go at the same moment."""
    start = threading.Barrier(count)

    def wait_and_act(number):
        start.wait()
        return act(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(wait_and_act, range(count)))


@pytest.mark.seconds(3)
def test_of_eight_threads_at_once_one_creates(table, pk):
    for n in range(30):
        key = Key(pk, f"round {n}")
        winners = [who for who, won in enumerate(at_once(8, lambda who, key=key: created(table, key, who))) if won]
        assert len(winners) == 1
        assert table.get(key)["who"] == winners[0]


@pytest.mark.deep
def test_of_four_processes_at_once_one_creates(url):
    command = [sys.executable, "-m", "tests.store.racer", url, "4"]
    won = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=240).stdout)
    assert sorted(chain(*won)) == list(range(20)), "each of the twenty races has one winner"
    stored = {int(item["SK"]): item["who"] for item in walk(connect(url), Span("race"))}
    assert stored == {n: who for who, races in enumerate(won) for n in races}


@pytest.fixture
def each(adapter):
    """How much each of eight does. What an engine that is served adds up, it adds up by itself: there the adapter says
    the same in one request, however many there are."""
    return 125 if isinstance(adapter, Embedded) else 30


def test_many_additions_at_once_lose_none(table, pk, each):
    key = Key(pk, "counter")

    def add(_):
        for _ in range(each):
            insist(lambda: table.write(Update(key, add={"n": 1})))

    at_once(8, add)
    assert table.get(key)["n"] == 8 * each


def test_many_increments_at_once_answer_each_number_once(table, pk, each):
    key = Key(pk, "counter")
    answers = at_once(8, lambda _: [insist(lambda: table.increment(key, "n")) for _ in range(each)])
    assert all(mine == sorted(mine) for mine in answers)
    assert sorted(chain(*answers)) == list(range(1, 8 * each + 1))


@pytest.mark.few(1)
def test_transfers_at_once_keep_the_sum_and_no_account_goes_below_zero(table, pk):
    accounts = [Key(pk, f"account {n}") for n in range(10)]
    for key in accounts:
        table.write(Put({"PK": key.pk, "SK": key.sk, "money": 20}))
    over = threading.Event()

    def transfer(number):
        chance = random.Random(number)
        for _ in range(40):
            giver, taker = chance.sample(accounts, 2)
            balance = table.get(giver)["money"]
            amount = chance.randint(1, 15)
            if amount <= balance:
                gives = Update(giver, add={"money": -amount}, when=Equals("money", balance))
                takes = Update(taker, add={"money": amount})
                with suppress(Refused):  # somebody else changed the balance: the transfer does not happen
                    insist(partial(table.write, gives, takes))

    def watch():
        sums = []
        while not over.is_set() or not sums:
            sums.append(sum(item["money"] for item in table.page(Span(pk)).items))
        return sums

    with ThreadPoolExecutor(1) as watchers:
        watched = watchers.submit(watch)
        at_once(6, transfer)
        over.set()
    balances = [item["money"] for item in walk(table, Span(pk))]
    assert sum(balances) == 200
    assert min(balances) >= 0
    assert len(set(balances)) > 1
    assert set(watched.result()) == {200}


def test_a_page_never_shows_half_a_transaction(table, pk):
    """So it is in the embedded file and on the engines at hand. AWS promises it of single items only: rely on those."""
    left, right = Key(pk, "left"), Key(pk, "right")
    over = threading.Event()

    def write(number):
        for n in range(60):
            mark = f"{number}-{n}"
            writes = [Put({"PK": key.pk, "SK": key.sk, "mark": mark}) for key in (left, right)]
            insist(partial(table.write, *writes))
        over.set()

    def read(_):
        seen = set()
        while not over.is_set():
            seen.add(tuple(item["mark"] for item in table.page(Span(pk)).items))
        return seen

    table.write(*(Put({"PK": key.pk, "SK": key.sk, "mark": "0"}) for key in (left, right)))
    seen = set().union(*filter(None, at_once(4, lambda who: read(who) if who else write(who))))
    assert seen
    assert all(len(marks) == 2 and marks[0] == marks[1] for marks in seen)


def test_no_ballot_counts_after_the_close_and_none_before_it_is_lost(table, pk):
    gates = [Key(pk, f"gate {n}") for n in range(4)]
    table.write(*(Put({"PK": gate.pk, "SK": gate.sk, "open": True}) for gate in gates))
    acknowledged = []
    begun = threading.Event()

    def vote(number):
        chance = random.Random(number)
        for n in range(500):
            gate = Check(chance.choice(gates), Equals("open", True))
            ballot = Put({"PK": f"{pk}-ballots", "SK": f"{number}-{n}"}, when=Missing())
            event = Put({"PK": pk, "SK": f"{number}-{n}"}, table=LOG)
            try:
                insist(partial(table.write, gate, ballot, event))
            except Refused as refused:
                return refused.parts
            acknowledged.append(f"{number}-{n}")
            if len(acknowledged) > 20:
                begun.set()
        raise AssertionError("the close never came")

    def close():
        begun.wait(timeout=240)
        flips = [Update(gate, set={"open": False}, when=Equals("open", True)) for gate in gates]
        insist(lambda: table.write(*flips))
        return [item["SK"] for item in walk(table, Span(f"{pk}-ballots"))]

    with ThreadPoolExecutor(1) as closers:
        closing = closers.submit(close)
        refusals = at_once(6, vote)
    at_the_close = closing.result()
    assert set(refusals) == {(0,)}, "it was the gate that refused, not the ballot"
    assert len(at_the_close) > 20
    assert sorted(acknowledged) == sorted(at_the_close), "what was there when the close returned is all there is"
    assert sorted(item["SK"] for item in walk(table, Span(f"{pk}-ballots"))) == sorted(at_the_close)
    assert sorted(item["SK"] for item in walk(table, Span(pk, table=LOG))) == sorted(at_the_close)


def test_the_same_token_from_many_threads_writes_once(table, pk, token):
    def send(_):
        try:
            insist(lambda: table.write(Update(Key(pk, "n"), add={"n": 1}), token=token))
        except Unavailable:
            return False
        return True

    assert any(at_once(8, send))
    assert table.get(Key(pk, "n"))["n"] == 1


def test_a_reader_is_never_refused_while_others_write(table, pk):
    over = threading.Event()

    def write(_):
        for n in range(50):
            insist(partial(table.write, Put({"PK": pk, "SK": f"{n:03d}"}), Update(Key(pk, "count"), add={"n": 1})))
        over.set()

    def read(_):
        lengths = []
        while not over.is_set():
            lengths.append(sum(item["SK"] != "count" for item in table.page(Span(pk)).items))
        return lengths

    for lengths in at_once(3, lambda who: read(who) if who else write(who))[1:]:
        assert lengths == sorted(lengths), "a later page never shows less"
