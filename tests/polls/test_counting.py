"""Three methods side by side: stable, with ties that are said and not drawn, and always what a recount would say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store import splitting
from foundation.tally import provisional
from foundation.tally.ballots import Ballots
from foundation.tally.formats import read
from foundation.tally.methods import count
from parts.polls import counting, repository, services
from parts.polls.counting import MethodComparison, agreement, seal
from results.pictures import OF_POLLS, pictures_of

from .conftest import by_ida, vote

NAMES = ("Ada", "Bo", "Cy")


def account(*rankings: str, names=NAMES, seed: str = "seed") -> MethodComparison:
    return MethodComparison.of(Ballots.of(names, rankings), seed)


def leaders(found: MethodComparison) -> dict[str, tuple[str, ...]]:
    return {each.method: each.leaders for each in found.counted}


# --- what it says ---


def test_all_methods_agree():
    found = account(*["0>1>2"] * 3, "1>0>2")
    assert set(leaders(found).values()) == {("Ada",)}
    assert agreement(found) == "All three methods agree: Ada."


def test_methods_that_do_not_agree_are_said_not_to():
    found = account(*["0>2>1"] * 4, *["1>2>0"] * 3, *["2>1>0"] * 2)
    assert leaders(found) == {"irv": ("Bo",), "borda": ("Cy",), "schulze": ("Cy",)}
    assert "disagree" in agreement(found)


def test_nobody_has_voted():
    assert agreement(account()) == "Nobody has voted yet."
    assert counting.results_context(account())["pictures"] == []


def test_a_tie_of_two_is_a_tie_by_every_method_and_nobodys_win():
    found = account("0>1", "1>0")
    assert set(leaders(found).values()) == {("Ada", "Bo")}
    assert agreement(found) == "All three methods give a tie: Ada, Bo."


def test_what_depends_on_lot_is_told_as_one_draw_of_several():
    found = account("0>1", "1>0").by("irv")
    shown = counting._method(found)
    assert shown["sentences"][0].startswith("These are tied: Ada, Bo.")
    assert not any(sentence in ("Ada won.", "Bo won.") for sentence in shown["sentences"])
    assert found.places == {"Ada": 1, "Bo": 1, "Cy": 3}


def test_a_tie_is_the_same_tie_every_time_and_in_every_poll():
    rankings = ["0>1>2", "1>2>0", "2>0>1"]
    seen = {leaders(account(*rankings, seed=f"poll {number}"))["irv"] for number in range(20)}
    assert seen == {NAMES}


def test_a_lot_that_changes_nothing_is_no_tie():
    found = account(*["0>1"] * 5, "1>0", "2>0", names=NAMES)
    assert leaders(found)["irv"] == ("Ada",)


def test_lots_are_not_tried_forever_where_there_are_very_many_rankings(monkeypatch):
    monkeypatch.setattr(provisional, "MAX_OTHER_LOTS_RANKINGS", 1)
    assert len(leaders(account("0>1", "1>0"))["irv"]) == 1


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["0", "1>0", "2>1=0", "0=1", "1>2>0", "2"]), max_size=12), st.randoms())
def test_the_order_of_votes_makes_no_difference(rankings, chance):
    mixed = chance.sample(rankings, len(rankings))
    assert account(*rankings).as_bytes() == account(*mixed).as_bytes()


def test_what_is_sealed_is_read_as_it_was():
    found = account("0>1=2", "1", "2>0")
    assert MethodComparison.from_bytes(found.as_bytes()) == found


@pytest.mark.deep
def test_the_largest_poll_fits_one_item():
    names = [f"{number:02d} {'ü' * 190}" for number in range(50)]
    rankings = [">".join(str((start * 7 + step * 3) % 50) for step in range(50)) for start in range(50)]
    assert len(MethodComparison.of(Ballots.of(names, rankings), "seed").as_bytes()) < 300_000


# --- as votes come in ---


def recounted(poll) -> MethodComparison:
    return MethodComparison.of(repository.read_ballots(poll), poll.seed)


def test_votes_and_changes_are_followed(made, shelf):
    poll = made()
    assert shelf.get(poll.id).result == recounted(poll)
    vote(poll, "a", "Pizza>Sushi")
    vote(poll, "b", "Sushi")
    assert shelf.get(poll.id).result == recounted(poll)
    vote(poll, "a", "Tacos")
    look = shelf.get(poll.id)
    assert look.result == recounted(poll)
    assert look.result.by("irv").result == count(repository.read_ballots(poll), "irv", seed=poll.id)
    assert look.result.total == 2


def test_a_look_reads_only_what_is_new(made, shelf, monkeypatch):
    poll = made()
    for number in range(5):
        vote(poll, f"voter {number}", "Pizza")
    shelf.get(poll.id)
    vote(poll, "another", "Sushi")
    monkeypatch.setattr(repository, "each_vote", lambda _: pytest.fail("everything was read again"))
    assert shelf.get(poll.id).result.total == 6


def test_votes_that_the_index_has_not_told_are_found_by_the_gates(made, shelf, monkeypatch):
    poll = made()
    vote(poll, "a", "Pizza")
    shelf.get(poll.id)
    vote(poll, "b", "Sushi")
    monkeypatch.setattr(repository, "votes_since", lambda *_: iter([]))
    assert shelf.get(poll.id).result.total == 2


def test_what_was_sealed_is_what_was_seen_live(made, shelf):
    poll = made()
    for number, ranking in enumerate(["Pizza>Sushi", "Sushi=Tacos", "Tacos>Pizza", "Pizza"]):
        vote(poll, f"voter {number}", ranking)
    before = shelf.get(poll.id).result
    services.close(by_ida(poll))
    after = shelf.get(poll.id)
    assert after.is_sealed
    assert after.result == before


def test_after_it_was_opened_again_everything_counts_again(made, shelf):
    poll = made()
    vote(poll, "a", "Pizza")
    services.close(by_ida(poll))
    assert shelf.get(poll.id).result.total == 1
    services.reopen(by_ida(poll), None)
    vote(poll, "b", "Sushi")
    vote(poll, "a", "Sushi")
    assert shelf.get(poll.id).result == recounted(poll)
    services.close(by_ida(poll))
    look = shelf.get(poll.id)
    assert look.result.total == 2
    assert look.result.by("borda").leaders == ("Sushi",)
    assert repository.read_counted(look.poll, look.result.digest).counts == {"1": 2}


def test_what_an_earlier_seal_has_left_is_not_in_the_files_of_the_next(made, monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 1)
    poll = made()
    vote(poll, "a", "Pizza")
    vote(poll, "b", "Sushi")
    services.close(by_ida(poll))
    seal(poll.id)
    services.reopen(by_ida(poll), None)
    vote(poll, "a", "Sushi")
    services.close(by_ida(poll))
    seal(poll.id)
    assert repository.read_counted(poll, repository.read_ballots(poll).digest).counts == {"1": 2}


def test_a_poll_that_is_gone_is_forgotten(made, shelf):
    poll = made()
    shelf.get(poll.id)
    services.delete(by_ida(poll))
    assert shelf.get(poll.id) is None


def test_the_tally_reads_our_files_as_it_would_any(made, shelf, client):
    poll = made()
    vote(poll, "a", "Pizza>Sushi=Tacos")
    vote(poll, "b", "Sushi")
    for file in ("votes.csv", "votes.json", "votes.blt", "votes.abif", "votes.cvotes", "votes.toi"):
        answer = client.get(f"/poll/{poll.id}/results/{file}")
        assert answer.status_code == 200, file
        back = read(b"".join(answer.streaming_content), name=file).ballots
        assert back.digest == repository.read_ballots(poll).digest, file
        assert "attachment" in answer["Content-Disposition"]


def test_who_listens_to_the_pictures_of_a_poll_hears_nothing_of_an_election():
    drawn = [
        str(each.drawn)
        for found in account("0>1", "0>1", "1>2", "2>1").counted
        for each in pictures_of(found.result, OF_POLLS)
    ]
    heard = re.findall(r'class="out-of-sight">([^<]*): <', "".join(drawn))
    assert {"ahead", "out"} <= set(heard)
    assert not {"elected", "eliminated"} & set(heard)
