"""What may be a second old, and what never is; and what it costs when thousands wait for a result."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from ballots import services as box
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import remove_voters
from elections.rules import State
from elections.turnout.counts import votes_of
from foundation.acts import caches
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import use_table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.table import Update
from results import services, waiting
from tests import voting
from tests.background import finish_background
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.people import enrol
from tests.store.metering import READ, MeteredTable

OWN = keys.election("Board").pk
RESULT = "/election/Board/results/"
PROCESSES = 8
PEOPLE = 10_000
HTMX = {"HX-Request": "true"}


@pytest.fixture
def clock():
    """Of what is remembered; it stands still unless a test moves it."""
    now = [0.0]
    token = caches.clock.set(lambda: now[0])
    yield now
    caches.clock.reset(token)


@pytest.fixture
def here(site, clock) -> MeteredTable:
    """One process, on a distant store."""
    return MeteredTable(site)


@pytest.fixture
def there(site) -> MeteredTable:
    """Another one."""
    return MeteredTable(site)


@contextmanager
def metered(meter: MeteredTable, into: dict[str, float]):
    """What is read inside, by the key."""
    with use_table(meter):
        meter.take_units()
        yield
        into.clear()
        for charged, units in meter.take_units().items():
            if charged.kind == READ:
                into[charged.pk] = into.get(charged.pk, 0) + units


# --- what may be a second old ---


def test_an_item_is_remembered_for_a_second_from_when_it_was_asked_for(site, here, there, clock, opened):  # noqa: F811
    at = keys.election("Board")
    with use_table(there):
        opened("Eve")

    def zone(meter) -> str:
        with use_table(meter):
            return caches.get_cached(caches.Cacheable([at]))[at]["time_zone"]

    before = zone(here)
    site.write(Update(at, set={"time_zone": "Asia/Tokyo"}))
    clock[0] = 0.999
    assert (zone(here), zone(there)) == (before, "Asia/Tokyo")
    clock[0] = 1.0
    assert zone(here) == "Asia/Tokyo"


def test_the_embedded_store_remembers_nothing(site, clock, opened):  # noqa: F811
    opened("Eve")
    at = keys.election("Board")
    caches.get_cached(caches.Cacheable([at]))
    site.write(Update(at, set={"time_zone": "Asia/Tokyo"}))
    assert caches.get_cached(caches.Cacheable([at]))[at]["time_zone"] == "Asia/Tokyo"


def test_who_looked_before_does_not_overwrite_what_was_seen_since(site, here, clock, opened, monkeypatch):  # noqa: F811
    at = keys.election("Board")
    with use_table(here):
        opened("Eve")
        slow = here.get_many

        def overtaken(wanted):
            found = slow(wanted)
            monkeypatch.setattr(here, "get_many", slow)
            site.write(Update(at, set={"time_zone": "Asia/Tokyo"}))
            clock[0] = 0.5
            caches.get_cached(caches.Cacheable([at]))
            return found

        monkeypatch.setattr(here, "get_many", overtaken)
        caches.get_cached(caches.Cacheable([at]))
        assert caches.get_cached(caches.Cacheable([at]))[at]["time_zone"] == "Asia/Tokyo"


def test_pages_of_a_voter_read_the_election_once_a_second(here, clock, opened, signed_in):  # noqa: F811
    reads: dict[str, float] = {}
    with use_table(here):
        opened("Eve", "Bob")
        eve, bob = signed_in("Eve"), signed_in("Bob")
    for client, expected in ((eve, 3), (bob, 0)):
        with metered(here, reads):
            assert client.get("/election/Board/ballot/").status_code == 200
        assert reads.get(OWN, 0) == expected, "the election, its description and its candidates"
    with metered(here, reads):
        bob.post("/election/Board/ballot/", {"rank-0": "1"})
    assert OWN not in reads
    clock[0] = 1.0
    with metered(here, reads):
        bob.get("/election/Board/ballot/")
    assert reads[OWN] == 2


def test_casts_read_the_election_once_a_second_and_one_of_its_marks_each(here, clock, opened, person):  # noqa: F811
    reads: dict[str, float] = {}
    with use_table(here):
        opened("Eve", "Bob", mail_votes=False)
        voters = [person("Eve"), person("Bob")]
    for voter, expected in zip(voters, (2, 0), strict=True):
        with metered(here, reads):
            box.cast(voter, "Board", ranks(Ada=1), voter.name, secret=voting.secret_for(voter.name))
        assert reads.get(OWN, 0) == expected, "the election and its candidates"
        assert [units for pk, units in reads.items() if pk.startswith(f"{OWN}#OPEN#")] == [1]
    clock[0] = 1.0
    with metered(here, reads):
        box.withdraw(None, "Board", "withdrawn", secret=voting.secret_for("Bob"))
    assert reads[OWN] == 1


# --- what never is ---


@pytest.fixture
def seen(here, clock, opened, person):  # noqa: F811
    """An election that this process has read a moment ago, and a voter who has not voted."""
    with use_table(here):
        opened("Eve", "Bob", secret_ballot=False)
        voting.cast(person("Bob"), "Board", ranks(Ada=1), "seen")
    return person("Eve")


def test_a_cast_meets_a_close_that_has_only_begun_elsewhere(here, there, seen):
    """All gates are still open then."""
    with use_table(there):
        closing.CLOSING.begin(repository.find("Board"), "the organiser")
    with use_table(here), pytest.raises(NotNow, match="closed"):
        voting.cast(seen, "Board", ranks(Ada=1), "form")


def test_nobody_can_read_that_it_is_being_closed_before_all_marks_are_gone(there, seen):
    left = []
    with use_table(there):
        write, there.write = there.write, lambda *writes, **more: (left.append(marks(there)), write(*writes, **more))[1]
        closing.CLOSING.begin(repository.find("Board"), "the organiser")
    assert left[-1] == 0, "in the transaction that says so"


def marks(meter: MeteredTable) -> int:
    return len(meter.table.get_many(keys.open_marks("Board")))


def test_if_a_close_fails_after_the_marks_everybody_still_votes(here, there, seen):
    with use_table(there):
        stale = replace(repository.find("Board"), version=99)
        with pytest.raises(LostRace):
            closing.CLOSING.begin(stale, "the organiser")
        assert marks(there) == 0
    with use_table(here):
        assert voting.cast(seen, "Board", ranks(Ada=1), "form").ballot
        assert votes_of(repository.find("Board")) == 2


def test_a_cast_that_would_be_refused_decides_on_what_is_there_now(site, here, seen):
    """Here a candidate was added elsewhere since this process read the election."""
    with use_table(here):
        organiser = box.people.find("the organiser")
    site.write(Update(keys.election("Board"), set={"allow_edit": True}))
    add_candidates(organiser, repository.find("Board"), [Candidate("Zoe")])
    with use_table(here):
        number = next(each.number for each in repository.candidates("Board") if each.name == "Zoe")
        assert voting.cast(seen, "Board", {str(number): ["1"]}, "form").ballot


@pytest.mark.deep
def test_a_later_election_of_the_same_name_is_another(here, there, seen, opened):  # noqa: F811
    with use_table(there):
        lifecycle.delete(box.people.find("the organiser"), repository.find("Board"))
        finish_background()
        opened("Eve", secret_ballot=True)
        assert marks(there) == keys.OPEN_MARKS
    with use_table(here):
        voting.cast(seen, "Board", ranks(Ada=1), "form")
        assert box.voter_context(seen, "Board").voted
        assert votes_of(repository.find("Board")) == 1


def test_a_cast_meets_the_close_of_another_process_at_once(here, there, clock, opened, signed_in):  # noqa: F811
    with use_table(here):
        opened("Eve")
        eve = signed_in("Eve")
        assert eve.get("/election/Board/ballot/").status_code == 200
    with use_table(there):
        organiser = box.people.find("the organiser")
        closing.close(organiser, repository.find("Board"))
    with use_table(here):
        with pytest.raises(Exception, match="closed"):
            voting.cast(box.people.find("Eve"), "Board", ranks(Ada=1), "form")
        assert votes_of(repository.find("Board")) == 0


def test_who_is_taken_off_the_roll_is_off_it_at_once(here, there, clock, opened, signed_in):  # noqa: F811
    with use_table(here):
        election = opened("Eve")
        eve = signed_in("Eve")
        assert eve.get("/election/Board/ballot/").status_code == 200
    with use_table(there):
        remove_voters(box.people.find("the organiser"), election, ["Eve"])
    with use_table(here):
        assert eve.get("/election/Board/ballot/").status_code != 200


def test_whoever_runs_it_or_comes_when_it_seems_over_is_shown_what_is(site, here, opened, person):  # noqa: F811
    with use_table(here):
        election = opened("Eve")
    at, item = keys.election("Board"), site.get(keys.election("Board"))
    eve, organiser = person("Eve"), box.people.find("the organiser")
    is_good = lambda who, found: repository.recent_read("Board", who, is_open=True).is_good({at: found})  # noqa: E731
    assert is_good(eve, item)
    assert not is_good(organiser, item), "who may just have changed it"
    over = item | {"no_voting_after": as_text(utc_now() - timedelta(seconds=1))}
    assert not is_good(eve, over), "its end may have been moved since"
    assert not is_good(eve, item | {"closing": "the organiser"})
    assert not repository.recent_read("Board", eve).is_good({}), "what is not there may have been made since"
    assert election.stored_state == State.OPEN


@pytest.mark.deep
def test_an_organiser_sees_their_own_change_on_any_process(site, here, there, clock, opened, signed_in):  # noqa: F811
    with use_table(here):
        opened("Eve", description="As it was before.")
        eve, organiser = signed_in("Eve"), signed_in(box.people.find("the organiser"))
        for client in (eve, organiser):
            assert b"As it was before." in client.get("/election/Board/").content
    site.write(repository.description_written("Board", "As it is now."))
    with use_table(here):
        assert b"As it is now." in organiser.get("/election/Board/").content
        assert b"As it is now." in eve.get("/election/Board/").content, "read anew for the organiser"
    with use_table(there):
        assert b"As it is now." in eve.get("/election/Board/").content


# --- waiting ---


@pytest.fixture
def counting(here, clock, opened, signed_in, monkeypatch):  # noqa: F811
    """Closed, and so many ballots that no page counts them; whoever waits, signed in."""
    monkeypatch.setattr(services, "MAX_BALLOTS_COUNTED_IN_REQUEST", 0)
    with use_table(here):
        opened("Eve", "Bob", results_public=True)
        enrol("Eve")
        eve, bob = signed_in("Eve"), signed_in("Bob")
        clock[0] = -1.0
        voting.cast(box.people.find("Eve"), "Board", ranks(Ada=1), "form")
        closing.close(box.people.find("the organiser"), repository.find("Board"))
        clock[0] = 0.0
        assert eve.get(RESULT).status_code == 202
    return bob


def part_of(page: bytes) -> str:
    found = re.search(r'hx-get="([^"]*)" hx-trigger="load delay:\d+s', page.decode())
    assert found
    return found[1]


@pytest.mark.needs
def test_waiting_reads_no_gates_and_the_election_once_a_second(here, clock, counting):
    reads: dict[str, float] = {}
    with metered(here, reads):
        page = counting.get(RESULT).content
    assert {pk.partition("#")[0] for pk in reads} == {"SESSIONS", "USER"}
    address = part_of(page)
    with metered(here, reads):
        assert counting.get(address, headers=HTMX).status_code == 200
        assert counting.get(address).status_code == 200
    assert reads == {}, "nobody's session, and nothing of the election"
    clock[0] = 1.0
    with metered(here, reads):
        counting.get(address)
    assert reads == {OWN: 4}


@pytest.mark.deep
def test_ten_thousand_who_wait_cost_less_than_three_hundred_reads_a_second(here, clock, counting):
    """Even if each of them asked every second, with scripts or without."""
    reads: dict[str, float] = {}
    with use_table(here):
        address = part_of(counting.get(RESULT).content)
    for headers in (HTMX, {}):
        with metered(here, reads):
            counting.get(address, headers=headers)
        each, clock[0] = sum(reads.values()), clock[0] + 1.0
        with metered(here, reads):
            counting.get(address, headers=headers)
        assert PROCESSES * sum(reads.values()) + PEOPLE * each < 300


def test_without_scripts_the_browser_waits_on_a_page_that_knows_nobody(here, clock, counting, client):
    with use_table(here):
        page = counting.get(RESULT).content.decode()
        found = re.search(r'<noscript><meta http-equiv="refresh" content="\d+; url=([^"]*)"></noscript>', page)
        assert found
        assert found[1] == part_of(page.encode())
        waiting_page = counting.get(found[1])
        assert waiting_page.status_code == 200
        assert re.search(r'<meta http-equiv="refresh" content="\d+">', waiting_page.content.decode())
        assert "Bob" not in re.findall(r"\w+", waiting_page.content.decode())
        seal_closed("Board")
        clock[0] = 1.0
        assert counting.get(found[1]).headers["Location"] == RESULT
        assert client.get(f"{found[1][:-2]}x/").status_code == 404


@pytest.mark.deep
def test_intervals_grow_and_differ(here, counting):
    with use_table(here):
        election = repository.find("Board")

    def after(minutes: float) -> list[int]:
        end = as_text(utc_now() - timedelta(minutes=minutes))
        return [waiting.seconds_until_next(replace(election, closed_at=end).ended) for _ in range(200)]

    steps = [after(minutes) for minutes in (0, 0.5, 1, 60)]
    assert set(steps[0]) <= {1, 2}
    assert [max(earlier) <= max(later) for earlier, later in pairwise(steps)] == [True] * 3
    assert all(0.75 * waiting.MAX_SECONDS <= each <= 1.25 * waiting.MAX_SECONDS + 1 for each in steps[-1])
    assert len(set(steps[-1])) > 5


def test_the_page_is_loaded_again_when_it_is_sealed_and_strangers_wait_as_well(here, clock, counting, client):
    with use_table(here):
        address = part_of(client.get("/result/Board/").content)
        assert "HX-Refresh" not in client.get(address, headers=HTMX).headers
        seal_closed("Board")
        assert "HX-Refresh" not in client.get(address, headers=HTMX).headers, "for a second"
        clock[0] = 1.0
        assert client.get(address, headers=HTMX).headers["HX-Refresh"] == "true"
        assert counting.get(RESULT).status_code == 200
        assert client.get(f"{address[:-2]}x/").status_code == 404


def test_turnout_of_a_closed_election_is_counted_once(here, counting):
    reads: dict[str, float] = {}
    with use_table(here):
        election = repository.find("Board")
    with metered(here, reads):
        assert votes_of(election) == 1
    assert reads == {}
