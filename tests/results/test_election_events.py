"""The trail of an election in the log: all of its events and no other, however much else happened on the site."""

from __future__ import annotations

import pytest

from accounts import repository as people
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from foundation.store import keys, limits, round_trips
from foundation.store.log import EventLog, as_text, utc_now
from foundation.store.log.seal import Sealer
from foundation.store.table import LOG, Item, Put
from results import services
from results.exports import bundle, election_events
from results.exports.election_events import EventFilter, events_of
from tests.clock import at_its_own_moment, stands_at
from tests.people import enrol
from tests.results.test_bundle import CYCLE, cast, finish, held  # noqa: F401 - a fixture


def elsewhere(site, count: int) -> None:
    """So much happens on the site that has nothing to do with the election."""
    last = site.increment(keys.EVENT_NUMBER, "last", count)
    when = as_text(utc_now())
    events = []
    for number in range(last - count + 1, last + 1):
        place = keys.event(number, when)
        said = {"election_name": f"Another {number % 7}", "voter_name": f"voter {number}"}
        events.append(
            {"PK": place.pk, "SK": place.sk, "event_id": number, "actor": f"voter {number}", "when_occurred": when}
            | {"event_type": "BallotCast", "event_data": said}
        )
    for start in range(0, count, limits.MAX_TRANSACTION_ITEMS):
        site.write(*(Put(event, table=LOG) for event in events[start : start + limits.MAX_TRANSACTION_ITEMS]))


def seal(site) -> None:
    Sealer(site).seal()


def read_straight(site, election: Election) -> list[Item]:
    """The same from the log itself, all of it."""
    follower = EventFilter(election)
    return [event for event in EventLog(site).since(0) if follower.matches(event)]


def assert_found(site, name: str = "Board") -> list[Item]:
    election = elections.find(name)
    found = list(events_of(election))
    assert found == read_straight(site, election)
    return found


@pytest.fixture
def busy(site, person):
    """An election with two candidates and three voters, held while others have thousands of ballots."""
    owner = person("the organiser")
    elsewhere(site, 700)
    drafts.create(owner, "Draft", secret_ballot=False)
    elsewhere(site, 1500)
    drafts.rename(owner, elections.find("Draft"), "Board")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Bo")])
    enrol("Eve", "Fay", "Gil")
    add_voters(owner, elections.find("Board"), ["Eve", "Fay", "Gil"])
    seal(site)
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    for voter in ("Eve", "Fay", "Gil"):
        elsewhere(site, 1200)
        cast(person, "Board", voter, "0>1")
    elsewhere(site, 500)


@pytest.mark.seconds(4)
def test_it_is_all_that_the_log_says_of_an_election(site, busy):
    kinds = [event["event_type"] for event in assert_found(site)]
    assert kinds[:2] == ["ElectionCreated", "ElectionRenamed"]
    assert kinds.count("BallotCast") == 3
    finish("Board")
    elsewhere(site, 10)
    assert assert_found(site)[-1]["event_type"] == "ResultSealed"


@pytest.mark.deep
def test_what_is_not_sealed_yet_belongs_to_it(site, busy):
    closing.close(people.find("the organiser"), elections.find("Board"))
    services.find("Board")
    sealed = EventLog(site).newest_checkpoint()["event_id"]
    found = assert_found(site)
    assert found[0]["event_id"] < sealed < found[-1]["event_id"]
    assert found[-1]["event_type"] == "ResultSealed"


def test_a_name_changed_since_the_last_seal_leads_back_as_well(site, person):
    owner = person("the organiser")
    drafts.create(owner, "First")
    drafts.rename(owner, elections.find("First"), "Second")
    seal(site)
    drafts.rename(owner, elections.find("Second"), "Third")
    drafts.rename(owner, elections.find("Third"), "THIRD")
    assert [event["event_type"] for event in assert_found(site, "Third")] == [
        "ElectionCreated",
        *["ElectionRenamed"] * 3,
    ]


def test_others_that_were_made_at_the_same_moment_are_not_mistaken_for_it(site, person, monkeypatch):
    """As are the questions of one ballot."""
    owner = person("the organiser")
    stands_at(monkeypatch, as_text(utc_now()))
    for name in ("One", "Two"):
        drafts.create(owner, name)
    drafts.rename(owner, elections.find("Two"), "Second")
    seal(site)
    assert [event["event_data"]["election_name"] for event in assert_found(site, "One")] == ["One"]
    assert [event["event_data"]["election_name"] for event in assert_found(site, "Second")] == ["Two", "Two"]


def test_names_that_were_swapped_lead_to_an_end(site, person):
    owner = person("the organiser")
    for name in ("One", "Two"):
        at_its_own_moment(lambda name=name: drafts.create(owner, name))
    for old, new in (("One", "Spare"), ("Two", "One"), ("Spare", "Two")):
        drafts.rename(owner, elections.find(old), new)
    seal(site)
    first, second = assert_found(site, "One"), assert_found(site, "Two")
    assert [len(first), len(second)] == [2, 3]
    assert not {event["event_id"] for event in first} & {event["event_id"] for event in second}


@pytest.mark.parametrize("dense", [0, 1, 10**6])
def test_it_is_the_same_whether_events_are_read_one_by_one_or_in_a_row(site, held, monkeypatch, dense):  # noqa: F811
    monkeypatch.setattr(election_events, "DENSE_EVENTS_PER_HIT", dense)
    monkeypatch.setattr(election_events, "BATCH_BLOCKS", 1)
    monkeypatch.setattr(election_events, "BATCH_KEYS", 3)
    elsewhere(site, 995)
    held(CYCLE)
    assert len(assert_found(site)) > len(CYCLE)


def test_a_log_without_any_seal_is_read_as_it_is(site, person):
    drafts.create(person("the organiser"), "Board")
    assert len(assert_found(site)) == 1


@pytest.mark.deep
def test_a_bundle_passes_over_checkpoints_without_its_events(site, busy, monkeypatch):
    finish("Board")
    found, read = services.find("Board"), []
    each = type(site).each

    def counted(self, span, **options):
        for item in each(self, span, **options):
            read.append(item["SK"]) if span.pk == keys.events().pk else None
            yield item

    monkeypatch.setattr(type(site), "each", counted)
    with round_trips.count_round_trips() as asked:
        extract = bundle.extract_log(found.election, found.seal)
    checkpoints = extract.checkpoints.readlines()
    assert len(checkpoints) < len(list(site.each(keys.checkpoints())))
    assert len(extract.events.readlines()) == 10
    assert len(read) <= 1000 * len(checkpoints)
    assert asked.count <= 20 + 3 * len(checkpoints)
