"""When people voted is counted from the log: exactly, once, whoever follows it, and gates stay small."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from accounts import repository as people
from ballots.sealing import seal_closed
from elections import repository
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.rules import Election
from elections.turnout.counts import TurnoutEvent, bucket, final_turnout, starting, turnout, with_event
from foundation.store import keys
from foundation.store.limits import check_item
from foundation.store.log import as_text
from foundation.store.log.seal import Sealer
from foundation.store.table import Delete, Item, Table
from operations.upkeep import figures
from operations.upkeep.figures import site_sealer
from results import repository as results
from tests import voting
from tests.background import finish_background
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ELECTION = Election("Board", "Ada", "2026-01-01T00:00:00.000Z", no_voting_after=as_text(NOON + timedelta(days=3)))
NAMES = ("Eve", "Bob", "Kim")


def times(site: Table, name: str = "Board") -> Item:
    item = site.get(keys.turnout(name)) or {}
    return {name: value for name, value in item.items() if name[0] in "hd" and name[1:].isdigit()}


def gates(site: Table, name: str = "Board") -> list[Item]:
    return list(site.get_many(repository.gates_of(name).keys(name)).values())


@pytest.fixture
def cast(person) -> Callable[..., None]:
    def cast(*names: str, form: str = "", board: str = "Board") -> None:
        for name in names:
            voter = people.find(name) or person(name)
            voting.cast(voter, board, ranks(Ada=1), f"{form} of {name} in {board}")

    return cast


# --- what an event changes ---


def told(number: int, kind: str, when: datetime = NOON, **said: object) -> TurnoutEvent:
    return TurnoutEvent(number, kind, as_text(when), {"election_name": "Board", **said})


BEGUN = starting(ELECTION, 5).item
HOUR, DAY = f"h{int(NOON.timestamp()) // 3600}", f"d{int(NOON.timestamp()) // 86400}"


def test_casts_and_withdrawals_count_in_their_hour_and_changes_do_not():
    item = with_event(BEGUN, told(6, "BallotCast", changed=False))
    assert (item[HOUR], item["counted"]) == (1, 6)
    assert with_event(item, told(7, "BallotCast", changed=True)) == item
    assert with_event(item, told(8, "BallotWithdrawn"))[HOUR] == 0


def test_no_event_counts_twice_nor_one_from_before_the_opening_nor_after_the_close():
    for number in (4, 5):
        assert with_event(BEGUN, told(number, "BallotCast", changed=False)) == BEGUN
    closed = with_event(BEGUN, told(9, "ElectionClosed"))
    assert with_event(closed, told(10, "BallotCast", changed=False)) == closed


def test_it_counts_by_the_day_until_the_end_is_near_wherever_the_end_has_moved():
    far = with_event(BEGUN, told(6, "ElectionUpdated", no_voting_after=as_text(NOON + timedelta(days=60))))
    assert DAY in with_event(far, told(7, "BallotCast", changed=False))
    assert with_event(far, told(7, "ElectionUpdated", allow_edit=False)) == far
    never = with_event(far, told(7, "ElectionUpdated", no_voting_after=None))
    assert DAY in with_event(never, told(8, "BallotCast", changed=False))
    assert bucket(NOON + timedelta(days=30), NOON) == HOUR


# --- following ---


def test_a_gate_only_counts_how_many_and_a_follower_tells_when(site, opened, cast):  # noqa: F811
    opened(*NAMES)
    cast(*NAMES)
    counts = {"open", "as_of", "voted", "paper", "withdrawn"}
    assert all(set(gate) <= {"PK", "SK", "entity_type", *counts} for gate in gates(site))
    assert (turnout("Board").voted, turnout("Board").steps) == (3, ())
    site_sealer().seal()
    voting.withdraw(people.find("Kim"), "Board", "away")
    assert [count for _moment, count in turnout("Board").steps] == [3]
    assert final_turnout(repository.find("Board")).steps[-1][1] == turnout("Board").voted == 2
    site_sealer().seal()
    assert sum(times(site).values()) == 2


def test_many_elections_are_followed_a_few_at_a_time(site, opened, cast, monkeypatch):  # noqa: F811
    monkeypatch.setattr(figures, "TRANSACTION_PARTS", 3)
    for number in range(4):
        opened(*NAMES, name=f"Board {number}")
        cast(*NAMES, board=f"Board {number}")
    site_sealer().seal()
    assert [sum(times(site, f"Board {number}").values()) for number in range(4)] == [3] * 4


def test_a_deleted_election_does_not_rise_again_nor_count_in_the_next_of_its_name(site, opened, cast):  # noqa: F811
    owner = opened(*NAMES)
    cast(*NAMES)
    lifecycle.delete(people.find(owner.owner_name), repository.find("Board"))
    finish_background("delete election")
    site_sealer().seal()
    assert site.get(keys.turnout("Board")) is None
    site.write(Delete(keys.FIGURES))
    opened("Eve")
    cast("Eve", form="second")
    site_sealer().seal()
    assert sum(times(site).values()) == 1


def test_whoever_follows_looks_again_if_an_election_goes_meanwhile(site, opened, cast):  # noqa: F811
    opened(*NAMES)
    cast(*NAMES)
    Sealer(site).seal()
    going = Going(site)
    assert figures.update(going) > 0
    assert going.gone
    assert site.get(keys.turnout("Board")) is None
    assert site.get(keys.FIGURES)["last_event_id"] == site.get(keys.SYNC)["last_event_id"]


class Going:
    """A table on which the election goes just before the first batch is written."""

    def __init__(self, site: Table):
        self.site, self.gone = site, False

    def __getattr__(self, name: str) -> object:
        return getattr(self.site, name)

    def write(self, *writes: object, **options: object) -> None:
        if not self.gone:
            self.gone = True
            self.site.write(Delete(keys.turnout("Board")))
        self.site.write(*writes, **options)


# --- sealing ---


@pytest.mark.parametrize("followed", ["never", "halfway", "wholly"])
def test_a_seal_knows_every_vote_however_far_the_log_was_followed(site, opened, cast, followed):  # noqa: F811
    opened(*NAMES)
    cast("Eve")
    if followed != "never":
        site_sealer().seal()
    cast("Bob", "Kim")
    closing.close(people.find("the organiser"), repository.find("Board"))
    if followed == "wholly":
        site_sealer().seal()
    seal_closed()
    *_, (_moment, count) = results.find("Board").seal.turnout.steps  # an hour may have ended meanwhile
    assert count == 3


# --- how large it becomes ---


def test_a_month_of_hours_fits_an_item_that_votes_do_not_touch(site, opened):  # noqa: F811
    opened("Eve", no_voting_after=as_text(datetime.now(UTC) + timedelta(days=30)))
    item, start = site.get(keys.turnout("Board")), datetime.now(UTC)
    for hour in range(30 * 24):
        item = with_event(item, told(1000 + hour, "BallotCast", start + timedelta(hours=hour), changed=False))
    assert 5_000 < check_item(item) < 10_000
