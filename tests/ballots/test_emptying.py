"""Once secret ballots are published they leave the box; not before, and whoever is killed on the way is succeeded."""

from __future__ import annotations

import pytest

from accounts import repository as people
from ballots import repository, services
from ballots.rules import Ballot
from ballots.sealing import CannotSeal, seal_closed
from elections import repository as elections
from elections.lifecycle import closing
from foundation.store import keys, purging, splitting
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Delete, Key, Put, Unavailable, Write
from results import proof
from results import services as results

from .conftest import ranks

VOTERS = 7


class Killed(BaseException):
    """As if the process were gone."""


class Mortal:
    """A table that does so many writes, and then no more."""

    def __init__(self, table: SqliteTable, writes: int):
        self._table, self.left = table, writes

    def __getattr__(self, name: str):
        return getattr(self._table, name)

    def write(self, *writes: Write, token: str | None = None) -> None:
        if not self.left:
            raise Killed
        self.left -= 1
        self._table.write(*writes, token=token)


@pytest.fixture
def closed(site, person, opened, monkeypatch):
    """A closed election, of which so many voted, that takes several transactions in every step."""
    monkeypatch.setattr(splitting, "PART_BYTES", 100)
    monkeypatch.setattr(splitting, "TRANSACTION_WRITES", 2)

    def close(name: str = "Board", **settings):
        names = [f"voter {number}" for number in range(VOTERS)]
        opened(*names, name=name, **settings)
        for number, each in enumerate(names):
            services.cast(people.find(each) or person(each), name, ranks(Bo=1, Cy=1 + number % 2), f"{name} {each}")
        closing.close(people.find("the organiser"), elections.find(name))

    return close


def box(name: str = "Board") -> list[Ballot]:
    return list(repository.every_ballot(name))


def published(name: str = "Board") -> int:
    return sum(1 for _ in repository.every_published(name))


def test_a_page_seals_a_small_election_and_leaves_box_and_files_to_the_worker(site, closed, monkeypatch):
    closed()
    monkeypatch.setattr(SqliteTable, "purge_journal", lambda self: pytest.fail("a page waits for the journal"))
    assert results.find("Board").report is not None
    assert len(box()) == published() == VOTERS
    seal_closed()
    assert box() == []
    assert published() == VOTERS
    assert site.get(keys.sealing("Board")) is None
    assert site.get(keys.FORGETTING) is not None
    assert proof.check_sealed(elections.find("Board")) is None


def test_public_ballots_stay_in_the_box(site, closed):
    closed(secret_ballot=False)
    seal_closed()
    assert len(box()) == VOTERS
    assert site.get(keys.sealing("Board")) is None
    assert site.get(keys.FORGETTING) is None


@pytest.mark.parametrize("how", ["edited", "gone", "planted"])
def test_nothing_goes_that_is_not_published_as_it_was_cast(site, closed, caplog, how):
    closed()
    results.find("Board")
    part = site.get(keys.published("Board", 0))
    ballots = {
        "edited": [{**part["ballots"][0], "rankings": "0"}, *part["ballots"][1:]],
        "gone": part["ballots"][1:],
        "planted": [{"confirmation": "0000-0000-0000-0000", "rankings": "0"}, *part["ballots"]],
    }
    site.write(Put({**part, "ballots": ballots[how]}))
    with pytest.raises(CannotSeal):
        seal_closed()
    assert len(box()) == VOTERS
    (words,) = (record.words for record in caplog.records if record.msg == "not sealed")
    assert "The box is left as it is." in words
    site.write(Put(part))
    seal_closed()
    assert box() == []


def test_what_is_left_after_a_kill_goes_only_if_it_is_published(site, closed):
    closed()
    results.find("Board")
    mark = site.get(keys.sealing("Board"))
    site.write(Put({**mark, "removing": True}))
    gone, edited, *_ = site.each(*keys.ballots("Board"))
    site.write(Delete(Key(gone["PK"], gone["SK"])), Put({**edited, "rankings": "0"}))
    with pytest.raises(CannotSeal):
        seal_closed()
    assert len(box()) == VOTERS - 1
    site.write(Put(edited))
    seal_closed()
    assert box() == []


# --- forgetting ---


def test_closing_and_emptying_ask_for_forgetting_which_is_done_however_busy_the_store_is(site, closed):
    closed()
    assert purging.is_due(site)
    assert purging.purge_journal(site) == 1
    assert not purging.is_due(site)
    assert purging.has_remnants(site)
    assert purging.rewrite_file(site)
    assert site.get(keys.FORGETTING) is None


def test_what_is_deleted_while_the_journal_is_emptied_is_forgotten_the_next_time(site, monkeypatch):
    site.write(purging.purge_mark())
    empty = SqliteTable.purge_journal

    def meanwhile(self):
        empty(self)
        self.write(purging.purge_mark())

    monkeypatch.setattr(SqliteTable, "purge_journal", meanwhile)
    assert purging.purge_journal(site) == 1
    assert purging.is_due(site)
    monkeypatch.undo()
    assert purging.purge_journal(site) == 1
    assert not purging.is_due(site)


def test_forgetting_that_failed_is_tried_again(site, monkeypatch):
    def too_busy(self):
        raise Unavailable("too busy")

    site.write(purging.purge_mark())
    monkeypatch.setattr(SqliteTable, "purge_journal", too_busy)
    with pytest.raises(Unavailable):
        purging.purge_journal(site)
    assert purging.is_due(site)
