"""Sealing in a stream: the same parts as if all were sorted at once, taken up where it was cut off, by turns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest

from accounts import repository as people
from ballots import external_sort, repository, sealing
from ballots.external_sort import Sorter
from ballots.rules import PublishedBallot
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls, sharding
from elections.lifecycle import closing
from foundation.acts import background
from foundation.acts.background import Batch, Task
from foundation.acts.storage import use_table
from foundation.store import keys, splitting
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Crowded, Delete, Exists, Put, Update, Write
from operations.upkeep.jobs import WITHOUT_TASK, Leases, Outcome, run_job
from results import proof
from results import services as results
from tests.people import sign_in

from .test_emptying import Killed, Mortal

BALLOTS = 40
NAMES = ("Zoë {}", "🦜 {}", "فاطمة {}", 'O\'Hara "the" {}')


@pytest.fixture
def filled(site, opened, monkeypatch):
    """A closed election with so many ballots, written straight into the box; parts, runs and batches are small."""
    monkeypatch.setattr(splitting, "PART_BYTES", 400)
    monkeypatch.setattr(external_sort, "MAX_LINES_IN_MEMORY", 6)
    monkeypatch.setattr(external_sort, "BLOCK_LINES", 2)
    monkeypatch.setattr(sealing, "STEP_LINES", 5)
    monkeypatch.setattr(sealing, "_under_way", {})

    def fill(name: str = "Board", ballots: int = BALLOTS, code=lambda number: number, **settings):
        election = opened(name=name, electorate="everyone", **settings)
        for number in range(ballots):
            entry = rolls.new_voter(election, NAMES[number % 4].format(number)).item | {"voted": True}
            site.write(Put(ballot_in(election, number, code(number))), Put(entry))
        site.write(Update(sharding.gates_of(election).keys(name)[0], add={"voted": ballots}))
        return closing.close(people.find("the organiser"), elections.find(name))

    return fill


def ballot_in(election, number: int, code: int) -> dict:
    voter = NAMES[number % 4].format(number)
    place = keys.ballot(election.name, f"{number * 7919 % 104_729:08x}" if election.secret_ballot else voter)
    named = {} if election.secret_ballot else {"voter_name": voter, "when_cast": "2026-01-01T00:00:00.000Z"}
    said = {"rankings": ("0>1", "2", "", "1=2>0")[code % 4], "confirmation": f"{code * 31 % 9973:04}-ABCD"}
    return {"PK": place.pk, "SK": place.sk, **said, **named}


def as_before(name: str) -> list[list[PublishedBallot]]:
    """The parts as they are if all ballots are lines of text, sorted in memory."""
    return [
        [PublishedBallot(*line.split("\t")) for line in part]
        for part in one_by_one(sorted("\t".join(ballot) for ballot in repository.ballot_rows(name)))
    ]


def one_by_one(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    size = 0
    for line in lines:
        more = len(line.encode()) + sealing.BALLOT_BYTES
        if parts[-1] and size + more > splitting.PART_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += more
    return parts


@pytest.mark.parametrize("at_a_time", [1, 2, 7, 1000])
def test_parts_are_cut_where_they_would_be_one_by_one(monkeypatch, at_a_time):
    """Whatever the lengths of ballots, a part may end, or become large enough, with a handful of them or within one."""
    monkeypatch.setattr(sealing, "STEP_LINES", at_a_time)
    chance = random.Random(at_a_time)
    for limit in (0, 61, 200, 10_000):
        monkeypatch.setattr(splitting, "PART_BYTES", limit)
        for count in (0, 1, 2, 13, 40):
            lines = [chance.choice("aé🦜") * chance.choice((0, 1, 80, 140)) for _ in range(count)]
            assert list(sealing.split_into_parts(iter(lines))) == one_by_one(lines)


def published(site, name: str) -> list[list[PublishedBallot]]:
    return [[PublishedBallot.of(ballot) for ballot in part["ballots"]] for part in site.each(keys.all_published(name))]


def told(site, name: str) -> list[tuple[int, int, int]]:
    events = (each["event_data"] for each in site.each(keys.events()) if each["event_type"] == "BallotsSealed")
    return [(each["part"], each["parts"], len(each["ballots"])) for each in events if each["election_name"] == name]


@pytest.mark.parametrize("secret", [True, False])
def test_parts_are_the_same_as_if_all_were_in_memory(site, filled, secret):
    filled(secret_ballot=secret)
    expected = as_before("Board")
    assert len(expected) > 5
    seal_closed()
    assert published(site, "Board") == expected
    numbers = [(number, len(expected), len(part)) for number, part in enumerate(expected, 1)]
    assert told(site, "Board") == (numbers if secret else [])
    assert not secret or proof.check_sealed(elections.find("Board")) is None


@pytest.mark.deep
@pytest.mark.parametrize("code", [lambda number: number, lambda number: number // 13], ids=["different", "many alike"])
def test_whoever_takes_it_up_publishes_what_is_left_and_sorts_no_more_than_that(site, filled, monkeypatch, code):
    sorted_again: list[int] = []
    add = Sorter.add
    monkeypatch.setattr(Sorter, "add", lambda self, rows: (sorted_again.append(len(rows)), add(self, rows))[1])
    filled("whole", code=code)
    expected = as_before("whole")
    for after in range(len(expected) + 1):
        name = f"killed after {after}"
        filled(name, code=code)
        with use_table(Mortal(site, after)), suppress(Killed):
            seal_closed(name)
        assert published(site, name) == expected[:after]
        sorted_again.clear()
        seal_closed(name)
        assert published(site, name) == expected
        left = [ballot for part in expected[after:] for ballot in part]
        alike = sum(ballot == expected[after - 1][-1] for part in expected[:after] for ballot in part) if after else 0
        assert sum(sorted_again) == len(left) + alike
        assert told(site, name) == [(n, len(expected), len(part)) for n, part in enumerate(expected, 1)]
        assert results.find(name).seal.ballots == BALLOTS


def test_a_mark_of_an_earlier_version_is_taken_up(site, filled):
    filled()
    expected = as_before("Board")
    with use_table(Mortal(site, 3)), pytest.raises(Killed):
        seal_closed("Board")
    mark = site.get(keys.sealing("Board"))
    site.write(Update(keys.sealing("Board"), remove=("of", "sealed", "ballots"), when=Exists()))
    assert set(mark) - set(site.get(keys.sealing("Board"))) == {"of", "sealed", "ballots"}
    site.write(Delete(elections.SEALING.key("Board")))
    assert seal_closed() == 0
    assert run_job(WITHOUT_TASK, Leases(site)).done == 1
    assert run_job(WITHOUT_TASK, Leases(site)).done == 0, "it has its task"
    assert seal_closed() == 1
    assert run_job(WITHOUT_TASK, Leases(site)).outcome == Outcome.NOTHING
    assert published(site, "Board") == expected
    assert site.get(keys.sealing("Board")) is None


def test_an_election_in_which_nobody_voted_has_one_part_with_nothing_in_it(site, filled):
    filled(ballots=0)
    with use_table(Mortal(site, 1)), pytest.raises(Killed):
        seal_closed()
    assert told(site, "Board") == [(1, 1, 0)]
    seal_closed()
    assert told(site, "Board") == [(1, 1, 0)]
    assert results.find("Board").seal.ballots == 0


def test_a_small_election_is_sealed_while_a_large_one_is_under_way(site, filled, monkeypatch):
    filled("A large one", 3 * BALLOTS)
    filled("small", 2)
    monkeypatch.setattr(background, "TURN_BATCHES", 20)
    background.resume_due(lane=keys.SEALING_TASKS)
    background.resume_due(lane=keys.SEALING_TASKS)
    assert results.repository.is_sealed("small")
    assert not results.repository.is_sealed("A large one")
    while background.resume_due(lane=keys.SEALING_TASKS):
        pass
    assert results.repository.is_sealed("A large one")
    assert list(site.each(keys.SEALING_TASKS)) == []


@pytest.mark.parametrize("is_distant", [True, False])
def test_a_distant_store_is_written_at_a_pace_and_the_embedded_one_without(site, filled, monkeypatch, is_distant):
    class Distant(Mortal):
        pass

    waited: list[float] = []
    do = elections.SEALING.do

    def noted(task: Task) -> Batch:
        waited.append((batch := do(task)).wait_seconds)
        return batch

    Distant.is_distant = is_distant
    monkeypatch.setattr(elections.SEALING, "do", noted)
    monkeypatch.setattr(sealing, "UNITS_PER_SECOND", 0.1)
    filled()
    size = sum(len("\t".join(ballot).encode()) + sealing.BALLOT_BYTES for ballot in repository.ballot_rows("Board"))
    with use_table(Distant(site, 1000)):
        while elections.SEALING.find("Board"):
            seal_closed()
    units = 2 * size / 1024 + BALLOTS + 1  # with the check
    assert sum(waited) == (pytest.approx(units / sealing.UNITS_PER_SECOND) if is_distant else 0)


def test_large_elections_share_the_pace_of_a_distant_store(site, filled, monkeypatch):
    class Distant(Mortal):
        is_distant = True

    monkeypatch.setattr(sealing, "UNITS_PER_SECOND", 0.1)
    filled()
    filled("Council")
    with use_table(Distant(site, 1000)):
        alone, shared = (next(filter(None, _waits(name))) for name in ("Board", "Council"))
    assert shared == pytest.approx(2 * alone)


def _waits(name: str) -> Iterator[float]:
    task = elections.SEALING.find(name)
    while True:
        yield elections.SEALING.do(task).wait_seconds


def test_in_a_crowd_a_part_is_published_a_little_later(site, filled):
    class Busy(Mortal):
        """Every third write finds a crowd."""

        is_distant = False

        def write(self, *writes: Write, token: str | None = None) -> None:
            self.left += 1
            if self.left % 3 == 0:
                raise Crowded("too many at once")
            self._table.write(*writes, token=token)

    filled()
    expected = as_before("Board")
    with use_table(Busy(site, 0)), suppress(Crowded):  # what seals the result says so, and comes again
        seal_closed()
    assert published(site, "Board") == expected


def test_ballots_of_an_election_that_is_gone_are_not_published_in_another_of_its_name(site, filled):
    election = filled()
    work = sealing._seal(election)
    while not published(site, "Board"):
        next(work)
    mark = site.get(keys.sealing("Board"))
    site.write(Put({**mark, "GSI1SK": keys.by_date("2030-01-01T00:00:00.000Z", "Board")}))
    before = published(site, "Board")
    assert list(work) == []
    assert published(site, "Board") == before


def test_only_what_was_compared_leaves_the_box(site, filled):
    election = filled()
    seal_closed("Board")
    work = sealing.empty(election)
    for _ in range(-(-BALLOTS // external_sort.STEP_LINES)):
        next(work)
    late = ballot_in(election, 500, 500)
    site.write(Put(late))
    assert list(work)
    assert [item["confirmation"] for item in site.each(*keys.ballots("Board"))] == [late["confirmation"]]


def test_the_box_is_read_twice_and_no_more(site, filled, monkeypatch):
    filled()
    (span,) = keys.ballots("Board")
    looks: list[str] = []

    def watched(ask):
        def asked(self, about, *words, **more):
            looks.extend([ask.__name__] * (about == span))
            return ask(self, about, *words, **more)

        return asked

    for name in ("values", "each", "page", "count"):
        monkeypatch.setattr(SqliteTable, name, watched(getattr(SqliteTable, name)))
    seal_closed()
    assert looks == ["values", "values"]  # to publish and count, and to see that all is published before it goes


def test_pages_say_how_far_it_is(site, filled, person, monkeypatch):
    monkeypatch.setattr(results, "MAX_BALLOTS_COUNTED_IN_REQUEST", 0)
    filled()
    expected = as_before("Board")
    organiser = sign_in(people.find("the organiser"))
    assert b"Sealing:" not in organiser.get("/election/Board/results/").content
    with use_table(Mortal(site, 2)), pytest.raises(Killed):
        seal_closed("Board")
    done = sum(map(len, expected[:2]))
    sentence = f"Sealing: part 2 of {len(expected)} is done, {done} of {BALLOTS} ballots."
    page = organiser.get("/election/Board/results/")
    assert page.status_code == 202
    assert sentence in page.content.decode()
    assert f'value="{done}" max="{BALLOTS}"' in page.content.decode()
    assert 'http-equiv="refresh"' in page.content.decode()
    assert sentence in organiser.get("/election/Board/dashboard/").content.decode()
    seal_closed()
    assert b"Sealing:" not in organiser.get("/election/Board/dashboard/").content
