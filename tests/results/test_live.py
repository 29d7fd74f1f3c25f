"""Results while they come in: always what a recount would say, from only what is new; never of a secret election."""

from __future__ import annotations

import random
import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts import repository as people
from accounts.models import User
from ballots import repository as ballots
from ballots import services as voting
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.tally.ballots import Ballots, ranking_of, text_of
from foundation.tally.count_job import CountJob
from foundation.tally.pairwise import PairwiseSummary
from results import incoming as live
from results import running_count, views
from results.pictures import pictures_of
from results.running_count import OVERLAP_DURATION, RunningCount
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

LIVE = {"secret_ballot": False, "results_visible": "live"}
PAGE = "/election/Board/live/"


class Clock:
    """Time passes between looks, as much as a test says."""

    now, step = 0.0, 10.0

    def __call__(self) -> float:
        return self.now


class Shelf(live.ElectionCountCache):
    def get(self, name: str, question: int = 1) -> live.LiveResult | None:
        self.clock.now += self.clock.step
        return super().get(name, question)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shelf(clock, monkeypatch) -> Shelf:
    new = Shelf(clock=clock)
    monkeypatch.setattr(live, "cache", new)
    return new


@pytest.fixture
def board(opened, person):  # noqa: F811
    """An election whose result comes in live, and its voters."""
    voters = [person(name) for name in ("Eve", "Flo", "Gus", "Hal")]
    opened(*(each.name for each in voters), editable=True, **LIVE)
    return voters


def cast(voter: User, name: str = "Board", **typed: int) -> None:
    voting.cast(voter, name, ranks(**typed), f"{voter.name} {random.random()}")


def withdraw(voter: User, name: str = "Board") -> None:
    voting.withdraw(voter, name, f"{voter.name} {random.random()}")


def assert_as_recounted(shelf: Shelf, name: str = "Board") -> None:
    recounted = ballots.read_ballots(elections.find(name)).normal
    result = shelf.get(name).result
    running = shelf._watched[keys.fold(name), 1].running
    assert running.summary == recounted.summary
    assert running.counts == recounted.counts
    assert (result.total, result.digest) == (recounted.total, recounted.digest)


# --- the count ---


def test_casts_changes_and_withdrawals_are_followed(site, board, shelf):
    eve, flo, gus, _hal = board
    assert_as_recounted(shelf)
    cast(eve, Ada=1, Bo=2)
    assert_as_recounted(shelf)
    cast(flo, Bo=1)
    cast(eve, Cy=1, Ada=1)
    assert_as_recounted(shelf)
    withdraw(eve)
    cast(gus, Cy=1, Bo=2, Ada=3)  # as many ballots as before, but not the same
    assert_as_recounted(shelf)
    withdraw(flo)
    cast(flo)
    assert_as_recounted(shelf)


@pytest.mark.parametrize("seed", range(4))
def test_after_any_sequence_the_running_count_is_what_a_recount_says(site, board, shelf, person, seed):
    chance, owner = random.Random(seed), people.find("the organiser")
    for step in range(40):
        voter = chance.choice(board)
        act = chance.choice(["cast"] * 5 + ["withdraw"] * 3 + ["look"] * 3 + ["candidate"])
        if act == "cast":
            numbers = [each.number for each in elections.candidates("Board")]
            chosen = chance.sample(numbers, chance.randint(0, len(numbers)))
            typed = {str(number): [str(chance.randint(1, 3))] for number in chosen}
            voting.cast(voter, "Board", typed, f"form {step}")
        elif act == "withdraw" and voting.voter_context(voter, "Board").voted:
            withdraw(voter)
        elif act == "candidate" and step % 2:
            add_candidates(owner, elections.find("Board"), [Candidate(f"{chance.choice('AZ')} {step}")])
        elif act == "look":
            assert_as_recounted(shelf)
    assert_as_recounted(shelf)


BALLOT_OF = {
    "ranked": lambda order: ">".join(map(str, order)),
    "approval": lambda order: ranking_of([order]),
    "score": lambda order: text_of({number: 5 - place for place, number in enumerate(order)}),
}
STEPS = st.lists(st.tuples(st.integers(0, 3), st.permutations(range(4)), st.integers(0, 4), st.booleans()), max_size=30)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["ranked", "approval", "score"])
@settings(max_examples=20)
@given(STEPS)
def test_what_is_told_again_or_out_of_order_makes_no_difference(kind, steps):
    """The index may tell a ballot several times, also an older one after a newer: the newest of each voter counts."""
    running, told, newest = RunningCount(kind=kind), [], {}
    running.set_candidates(tuple(Candidate(name, number=number) for number, name in enumerate("DACB")))
    for moment, (voter, order, length, looks) in enumerate(steps):
        item = {"SK": str(voter), "when_cast": f"{moment:03d}", "confirmation": str(moment)}
        item["rankings"] = BALLOT_OF[kind](order[:length])
        told.append(item)
        newest[voter] = item["rankings"]
        if looks:
            running.add(random.Random(moment).sample(told, len(told)))
            recounted = Ballots.of("DACB", newest.values()).normal
            assert (running.summary, running.counts) == (recounted.summary, recounted.counts)
            assert running.ballots.normal.summary == PairwiseSummary.of(running.names, running.counts)
            assert running.ballots.normal.values == recounted.values
            assert running.letters == sum(map(len, newest.values()))


def test_only_what_is_new_is_read(site, board, shelf, monkeypatch):
    eve, flo, *_others = board
    cast(eve, Ada=1)
    shelf.get("Board")
    monkeypatch.setattr(RunningCount, "replace", lambda *_: pytest.fail("everything was read again"))
    cast(flo, Bo=1)
    cast(eve, Bo=1)
    assert shelf.get("Board").result.winners == ("Bo",)


def test_after_a_long_look_there_is_a_long_rest(site, board, shelf, clock, monkeypatch):
    counted = live.bounded_counting.run_job

    def slowly(*arguments, **chosen):
        clock.now += 5
        return counted(*arguments, **chosen)

    monkeypatch.setattr(live.bounded_counting, "run_job", slowly)
    cast(board[0], Ada=1)
    shelf.get("Board")
    cast(board[1], Ada=1)
    assert [shelf.get("Board").result.total for _ in range(5)] == [1, 1, 1, 1, 2], "45 seconds, 10 at a time"


def test_nothing_new_is_not_counted_again(site, board, shelf, monkeypatch):
    cast(board[0], Ada=1)
    before = shelf.get("Board")
    monkeypatch.setattr(live.bounded_counting, "run_job", lambda *_, **__: pytest.fail("it was counted again"))
    assert shelf.get("Board").result is before.result


def test_a_ballot_that_the_index_tells_late_is_not_missed(site, board, shelf, monkeypatch):
    eve, flo, *_others = board
    late = utc_now() - timedelta(seconds=30)
    cast(eve, Ada=1)
    shelf.get("Board")
    monkeypatch.setattr(voting, "utc_now", lambda: late)
    cast(flo, Ada=1, Bo=1)
    monkeypatch.setattr(RunningCount, "replace", lambda *_: pytest.fail("everything was read again"))
    assert shelf.get("Board").result.total == 2


def test_a_ballot_behind_a_clock_that_is_far_too_slow_is_found_by_reading_everything(site, board, shelf, monkeypatch):
    eve, flo, *_others = board
    cast(eve, Ada=1)
    shelf.get("Board")
    monkeypatch.setattr(voting, "utc_now", lambda: utc_now() - 10 * OVERLAP_DURATION)
    cast(flo, Bo=1)
    assert_as_recounted(shelf)


def test_many_withdrawals_do_not_make_us_read_everything_all_the_time(site, board, shelf, clock, monkeypatch):
    eve, flo, gus, _hal = board
    for voter in (eve, flo, gus):
        cast(voter, Ada=1)
    monkeypatch.setattr(running_count, "REREAD_BALLOTS_PER_SECOND", 0.01)
    shelf.get("Board")
    withdraw(eve)
    assert shelf.get("Board").result.total == 3, "it has just been read"
    clock.now += 1000
    assert shelf.get("Board").result.total == 2


def test_an_election_of_the_same_name_is_another(site, board, shelf, monkeypatch):
    monkeypatch.setattr(running_count, "REREAD_BALLOTS_PER_SECOND", 0.001)
    cast(board[0], Ada=1)
    assert shelf.get("Board").result.total == 1
    owner = people.find("the organiser")
    lifecycle.delete(owner, elections.find("Board"))
    drafts.create(owner, "Board", **LIVE)
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, elections.find("Board"), ["Eve"])
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    assert_as_recounted(shelf)


def test_one_that_is_gone_is_forgotten(site, board, shelf):
    shelf.get("Board")
    lifecycle.delete(people.find("the organiser"), elections.find("Board"))
    assert shelf.get("Board") is None
    assert shelf.weight == 0


def test_elections_nobody_watches_make_room(site, board, opened, monkeypatch, clock):  # noqa: F811
    shelf = Shelf(most=45_000, clock=clock)
    for name in ("Second", "Third"):
        opened("Eve", name=name, **LIVE)
    cast(board[0], Ada=1)
    for name in ("Board", "Second", "Third", "Board"):
        assert_as_recounted(shelf, name)
    assert list(shelf._watched) == [("third", 1), ("board", 1)]
    assert shelf.weight <= 45_000


def test_one_with_very_many_ballots_is_shown_at_the_end(site, board, shelf, signed_in, monkeypatch):
    monkeypatch.setattr(live, "MAX_BALLOTS", 1)
    cast(board[0], Ada=1)
    cast(board[1], Ada=1)
    look = shelf.get("Board")
    assert (look.result, look.too_many) == (None, True)
    assert "takes too long to show a running result" in signed_in("Ida").get(PAGE).content.decode()


# --- what is never shown ---


@pytest.mark.parametrize("chosen", [{}, {"secret_ballot": False}, {"secret_ballot": True, "results_visible": "live"}])
def test_what_is_not_live_is_not_counted(site, opened, person, shelf, signed_in, chosen):  # noqa: F811
    opened("Eve", **chosen)
    cast(person("Eve"), Ada=1)
    assert shelf.get("Board").result is None
    client = signed_in("Ida")
    for address in (PAGE, f"{PAGE}now/", "/election/Board/results/"):
        answer = client.get(address)
        assert answer.status_code == 403
        assert not re.search(r"\bAda\b", answer.content.decode())
    assert not any("GSI1PK" in item for item in site.each(*keys.ballots("Board")))


def test_a_secret_ballot_is_in_no_list_by_time(site, opened, person):  # noqa: F811
    opened("Eve", secret_ballot=True, results_visible="live")  # which no form allows
    cast(person("Eve"), Ada=1)
    assert list(site.each(*keys.ballots_by_time("Board"))) == []


def test_before_its_beginning_there_is_nothing_to_watch(site, opened, person, shelf):  # noqa: F811
    opened("Eve", no_voting_before=as_text(utc_now() + timedelta(hours=1)), **LIVE)
    assert shelf.get("Board").result is None


# --- the pages ---


def test_the_page_shows_who_leads_and_keeps_itself_up_to_date(site, board, shelf, signed_in):
    cast(board[0], Ada=1, Bo=2)
    client = signed_in("Ida")
    page = client.get(PAGE).content.decode()
    assert "Leading at the moment" in page
    address = re.search(r'hx-get="([^"]+)" hx-trigger="every 5s"', page)[1]
    assert '<noscript><meta http-equiv="refresh"' in page
    assert client.get(address).status_code == 204, "nothing is new"
    cast(board[1], Bo=1)
    cast(board[2], Bo=1)
    part = client.get(address).content.decode()
    assert re.search(r'class="winners.*?Bo', part)
    assert "<html" not in part


def test_the_count_is_put_together_once_for_all_who_look(site, board, shelf, signed_in, monkeypatch):
    drawn = []
    monkeypatch.setattr(views, "pictures_of", lambda result: drawn.append(result) or pictures_of(result))
    cast(board[0], Ada=1)
    one, other = signed_in("Ida"), signed_in("Jon")
    before = one.get(PAGE).content
    part = other.get(f"{PAGE}now/")
    assert part.content in before
    assert len(drawn) == 1
    cast(board[1], Bo=1)
    assert b"Tied at the moment" in one.get(PAGE).content
    assert b"Tied at the moment" in other.get(f"{PAGE}now/").content
    assert len(drawn) == 2


def test_somebody_may_pause_it(site, board, shelf, signed_in):
    page = signed_in("Ida").get(f"{PAGE}?pause").content.decode()
    assert "every 5s" not in page
    assert "http-equiv" not in page
    assert "Paused" in page


def test_the_results_page_leads_to_it_while_it_is_open_and_back_at_the_end(site, board, shelf, signed_in):
    cast(board[0], Ada=1)
    client = signed_in("Ida")
    assert client.get("/election/Board/results/")["Location"] == PAGE
    closing.close(people.find("the organiser"), elections.find("Board"))
    assert client.get(PAGE)["Location"] == "/election/Board/results/"
    assert client.get(f"{PAGE}now/")["HX-Redirect"] == "/election/Board/results/"
    assert client.get("/election/Board/results/").status_code == 200


def test_a_count_that_takes_too_long_is_shown_at_the_end(site, board, shelf, monkeypatch):
    cast(board[0], Ada=1)
    monkeypatch.setattr(live.bounded_counting, "MAX_STEPS", 1)
    look = shelf.get("Board")
    assert (look.result, look.too_many) == (None, True)


def test_a_running_count_is_billed_for_what_is_left_to_do(site, board, shelf):
    cast(board[0], Ada=1)
    shelf.get("Board")
    ballots = shelf._watched["board", 1].running.ballots
    size = CountJob(ballots, "schulze", in_full=False).size
    assert (size.candidates, size.marks) == (len(ballots.candidates), 0), "every two candidates are compared already"
    assert CountJob(ballots, "irv", in_full=False).size.marks == 1
