"""Deleting an election: what ties ballots to voters goes at once, the rest by the worker, whoever dies on the way."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from accounts.rules import Role
from ballots import services as ballots
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing as ending
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_ended_elections
from elections.roll.services import add_voters
from foundation.acts import background
from foundation.acts.refusals import LostRace, NameTaken
from foundation.acts.storage import log, table, use_table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Conflict
from operations.upkeep import jobs, replay
from operations.upkeep.jobs import Leases
from tests.background import finish_background
from tests.chaos import Chaos

DELETION_WRITES = 3  # writes: it says so, its gates are shut, it goes
VOTERS = [f"voter.{number:03}@example.org" for number in range(200)]


class Killed(BaseException):
    pass


@pytest.fixture
def ada(person):
    return person("Ada", Role.OWNER)


@pytest.fixture
def board(ada):
    """Open and secret, with a ballot in it."""
    return scene(ada)


def scene(ada):
    election = drafts.create(ada, "Board")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, repository.find("Board"), ["Ada", *VOTERS])
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    ballots.cast(ada, "Board", {"0": ["1"]}, "form")
    return repository.find("Board")


def left() -> list[str]:
    return [item["SK"] for item in table().each(keys.all_of_election("Board"))]


def killed_after(monkeypatch, writes: int) -> list[int]:
    """Whoever has written so often is killed before the next; answers how often that was by now."""
    write, calls = SqliteTable.write, []

    def counted(self: Any, *parts: Any, token: str | None = None) -> None:
        if len(calls) == writes:
            raise Killed
        calls.append(1)
        write(self, *parts, token=token)

    monkeypatch.setattr(SqliteTable, "write", counted)
    return calls


def refuse(*arguments: Any) -> None:
    raise Conflict("Too many at once.")


def test_one_that_is_just_being_closed_is_deleted_although_we_do_not_get_through(site, ada, board, monkeypatch):
    ending.CLOSING.begin(board, "Ada")
    with monkeypatch.context() as crowded:
        crowded.setattr(lifecycle.CLOSING.__class__, "shut_gates", refuse)
        lifecycle.delete(ada, repository.find("Board"))
    close_ended_elections()
    finish_background("delete election")
    assert repository.find("Board") is None
    assert left() == []


def test_one_that_was_deleted_meanwhile_is_not_deleted_again(site, ada, board):
    closing = ending.CLOSING.begin(board, "Ada")
    lifecycle.delete(ada, closing)
    with pytest.raises(LostRace):
        lifecycle.delete(ada, closing)
    assert [event["event_type"] for event in log().since(0)].count("ElectionDeleted") == 1


def test_what_was_asked_for_twice_is_deleted_once(site, ada, board, monkeypatch):
    closing = ending.CLOSING.begin(board, "Ada")
    with monkeypatch.context() as crowded:
        crowded.setattr(lifecycle.CLOSING.__class__, "shut_gates", refuse)
        lifecycle.delete(ada, closing)
        lifecycle.delete(ada, closing)
    assert finish_background("delete election") == 1
    assert [event["event_type"] for event in log().since(0)].count("ElectionDeleted") == 1


def test_the_ballot_box_is_shut_before_it_is_deleted(site, ada, board, monkeypatch):
    with monkeypatch.context() as killed, suppress(Killed):
        killed_after(killed, DELETION_WRITES - 1)
        lifecycle.delete(ada, board)
    assert repository.find("Board").closing == "Ada"
    assert {gate["open"] for gate in site.get_many(repository.gates_of("Board").keys("Board")).values()} == {False}
    assert finish_background("delete election") == 1
    assert repository.find("Board") is None
    assert [event["actor"] for event in log().since(0) if event["event_type"] == "ElectionDeleted"] == ["Ada"]


def test_what_is_being_deleted_gives_its_name_to_nobody_yet(site, ada, board, monkeypatch):
    with monkeypatch.context() as killed, suppress(Killed):
        killed_after(killed, 1)
        lifecycle.delete(ada, board)
    with monkeypatch.context() as crowded:
        crowded.setattr(lifecycle.CLOSING.__class__, "shut_gates", refuse)
        with pytest.raises(NameTaken):
            drafts.create(ada, "Board")
    assert drafts.create(ada, "Board").name == "Board", "whoever wants the name finishes the deletion"
    assert repository.candidates("Board") == []


def test_the_request_writes_little_and_the_worker_clears_away_the_rest(site, ada, board, monkeypatch, signed_in):
    monkeypatch.setattr(SqliteTable, "purge_journal", lambda table: pytest.fail("not while others wait"))
    page = signed_in(ada)
    finish_background("tell webhooks")
    with monkeypatch.context() as counted:
        calls = killed_after(counted, DELETION_WRITES)
        lifecycle.delete(ada, board)
    assert (len(calls), asked_to_forget(site)) == (DELETION_WRITES, 1)
    assert page.get("/election/Board/").status_code == 404
    run = jobs.run_job(jobs.BACKGROUND, Leases(site))
    assert (run.outcome, run.done) == (jobs.Outcome.DONE, 1)
    assert left() == []
    assert asked_to_forget(site) == 2, "what went after the salt is not to be found in the store's files either"
    assert jobs.run_job(jobs.BACKGROUND, Leases(site)).outcome == jobs.Outcome.NOTHING
    assert replay.check(site, replay.quietly).first == ()


def asked_to_forget(site) -> int:
    return (site.get(keys.FORGETTING) or {}).get("asked", 0)


def test_a_draft_leaves_nothing_that_has_to_be_forgotten(site, ada):
    lifecycle.delete(ada, drafts.create(ada, "Board"))
    assert finish_background("delete election") == 1
    assert left() == []
    assert asked_to_forget(site) == 0


# --- the name ---


def test_while_it_is_being_cleared_away_its_name_is_not_given(site, ada, board, monkeypatch):
    monkeypatch.setattr(background, "REQUEST_BATCHES", 1)
    other = drafts.create(ada, "Other")
    lifecycle.delete(ada, board)
    with pytest.raises(NameTaken, match="still being cleaned up"):
        drafts.create(ada, "board")
    with pytest.raises(NameTaken, match="still being cleaned up"):
        drafts.rename(ada, other, "board")
    assert finish_background("delete election") == 1
    drafts.create(ada, "board")
    assert left() == ["MANAGER#ada", "METADATA"]


class Oldest(Random):
    """Chance that shows the index as old as it may be."""

    def randint(self, a: int, b: int) -> int:
        return b


def test_a_mark_that_the_index_still_shows_takes_nothing_from_the_next_election(site, ada, board):
    lifecycle.delete(ada, board)
    with use_table(Chaos(site, Oldest(), lag=1000)):
        finish_background("delete election")
        drafts.create(ada, "Board")
        add_candidates(ada, repository.find("Board"), [Candidate("Di")])
        assert list(table().each(keys.TASKS))
        finish_background("delete election")
    assert [each.name for each in repository.candidates("Board")] == ["Di"]
