"""What must hold of every count, whatever the ballots: tried on many small elections."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cache
from itertools import combinations
from itertools import pairwise as steps

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foundation.tally import methods
from foundation.tally.ballots import Ballots, groups_of, ranking_of
from foundation.tally.condorcet import condorcet_winner
from foundation.tally.pairwise import PairwiseSummary
from tests.rows import every_row

NAMES = ("Ada", "bo", "Čeněk", "דנה", "Eve 🦊")
PAIRWISE = ("schulze", "ranked-pairs", "copeland", "minimax")
OURS = (*PAIRWISE, "borda", "plurality")
RULES = st.sampled_from(("below", "no-opinion"))

few = settings(max_examples=20, deadline=None)  # by each of many methods
some = settings(max_examples=30, deadline=None)
many = settings(max_examples=160, deadline=None)  # some of which say nothing of some methods


@cache
def orders(candidates: int, tied: bool) -> tuple[str, ...]:
    """Every ranking of some, from the shortest; with candidates that share a place, or without."""
    found = [()]
    for ranked in found:
        left = [each for each in range(candidates) if all(each not in group for group in ranked)]
        widths = range(1, len(left) + 1) if tied else range(1, min(1, len(left)) + 1)
        found += [(*ranked, group) for width in widths for group in combinations(left, width)]
    return tuple(map(ranking_of, found))


def rankings(candidates: int, complete: bool = False) -> st.SearchStrategy[str]:
    """Half of them without candidates that share a place, as most ballots are. Drawn as a whole: to draw one candidate
    after the other took longer than all counts."""
    both = [
        [each for each in orders(candidates, tied) if not complete or is_complete(each, candidates)]
        for tied in (False, True)
    ]
    return st.one_of(*map(st.sampled_from, both))


def is_complete(ranking: str, candidates: int) -> bool:
    return sum(map(len, groups_of(ranking))) == candidates


@st.composite
def elections(draw, least: int = 1, most: int = 5, complete: bool = False) -> Ballots:
    size = draw(st.integers(least, most))
    lines = st.tuples(rankings(size, complete), st.integers(1, 4))
    counts: Counter[str] = Counter()
    for ranking, count in draw(st.lists(lines, max_size=8)):
        counts[ranking] += count
    return Ballots(NAMES[:size], counts)


def places(result) -> dict[str, int]:
    return dict(result.places)


# --- of every method ---


@pytest.mark.seconds(3)
@few
@given(elections(), st.data(), RULES)
@every_row("method", methods.KINDS["ranked"])
def test_any_order_of_ballots_and_candidates_gives_the_same_bytes(method, cast, data, unranked):
    order = data.draw(st.permutations(cast.candidates))
    shuffled = Ballots(cast.candidates, dict(data.draw(st.permutations(list(cast.counts.items())))))
    one = methods.count(cast, method, unranked=unranked, seed="s").as_json()
    assert methods.count(shuffled.in_order(order), method, unranked=unranked, seed="s").as_json() == one


@pytest.mark.deep
@some
@given(elections(), st.data())
@every_row("method", methods.KINDS["ranked"])
def test_names_do_not_decide(method, cast, data):
    renamed = Ballots(tuple(data.draw(st.permutations(cast.candidates))), cast.counts)
    new = dict(zip(cast.candidates, renamed.candidates, strict=True))
    one, other = methods.count(cast, method), methods.count(renamed, method)
    if not one.lots and not other.lots:
        assert {new[name]: place for name, place in one.places} == places(other)


@pytest.mark.deep
@few
@given(elections())
@every_row("method", methods.KINDS["ranked"])
def test_ballots_one_by_one_count_as_ballots_in_bundles(method, cast):
    one_by_one = Ballots.of(cast.candidates, list(Counter(cast.counts).elements()))
    assert methods.count(one_by_one, method).as_json() == methods.count(cast, method).as_json()


@few
@given(elections())
@every_row("method", methods.KINDS["ranked"])
def test_everybody_has_a_place_and_winners_have_the_first(method, cast):
    result = methods.count(cast, method)
    assert sorted(places(result)) == sorted(cast.candidates)
    first = {name for name, place in result.places if place == 1}
    # Without a vote STV elects nobody, though all share the first place.
    assert set(result.winners) == first if method in OURS else set(result.winners) <= first


@pytest.mark.deep
@few
@given(elections(), st.integers(1, 5), st.integers(2, 4))
@every_row("method", OURS)
def test_blank_ballots_and_equal_multiples_change_no_place(method, cast, blank, times):
    more = Ballots(
        cast.candidates, Counter({ranking: n * times for ranking, n in cast.counts.items()}) + Counter({"": blank})
    )
    assert methods.count(more, method).places == methods.count(cast, method).places


@pytest.mark.deep
@few
@given(elections(least=2), st.data())
@every_row("method", [*PAIRWISE, "irv", "plurality"])
def test_whom_a_majority_ranks_first_wins(method, cast, data):
    favourite = data.draw(st.integers(0, len(cast.candidates) - 1))
    others = [number for number in range(len(cast.candidates)) if number != favourite]
    first = ranking_of([[favourite], others])
    more = Ballots(cast.candidates, Counter(cast.counts) + Counter({first: cast.total + 1}))
    assert methods.count(more, method).winners == (cast.candidates[favourite],)


# --- of pairwise methods ---


@pytest.mark.deep
@some
@given(elections(least=2), RULES)
def test_who_beats_everybody_wins(cast, unranked):
    first = condorcet_winner(cast.candidates, cast.summary.pairwise(unranked))
    for method in PAIRWISE:
        result = methods.count(cast, method, unranked=unranked)
        assert first is None or result.winners == (first,)


@pytest.mark.deep
@some
@given(elections(least=2, most=4), RULES, st.data())
@every_row("method", ["schulze", "ranked-pairs"])
def test_a_clone_changes_nothing_for_the_others(method, cast, unranked, data):
    """The last candidate gets a twin beside it on every ballot, above, below or equal."""
    old, twin = len(cast.candidates) - 1, len(cast.candidates)
    counts: Counter[str] = Counter()
    for ranking, count in cast.counts.items():
        groups = [list(group) for group in groups_of(ranking)]
        at = next((place for place, group in enumerate(groups) if old in group), None)
        if at is not None:
            alone = len(groups[at]) == 1
            way = data.draw(st.sampled_from(("equal", "above", "below") if alone else ("equal",)))
            if way == "equal":
                groups[at].append(twin)
            else:
                groups.insert(at + (way == "below"), [twin])
        counts[ranking_of(groups)] += count
    before = set(methods.count(cast, method, unranked=unranked).winners)
    after = set(methods.count(Ballots((*cast.candidates, "twin"), counts), method, unranked=unranked).winners)
    clones = {cast.candidates[old], "twin"}
    assert before - clones == after - clones
    assert bool(before & clones) == bool(after & clones)


@pytest.mark.deep
@some
@given(elections(least=2), st.data())
def test_raising_a_schulze_winner_on_a_ballot_does_no_harm(cast, data):
    assume(cast.counts)
    winner = data.draw(st.sampled_from(methods.count(cast, "schulze").winners))
    number = cast.candidates.index(winner)
    ranking = data.draw(st.sampled_from(sorted(cast.counts)))
    raised = Counter(cast.counts)
    raised.subtract([ranking])
    raised[lift(ranking, number)] += 1
    assert winner in methods.count(Ballots(cast.candidates, raised), "schulze").winners


def lift(ranking: str, number: int) -> str:
    """The candidate one step up: out of a tie, into the group above, or from unranked to the last place."""
    groups = [[each for each in group if each != number] for group in groups_of(ranking)]
    at = next((place for place, group in enumerate(groups_of(ranking)) if number in group), len(groups))
    if at == len(groups) or groups[at]:
        groups.insert(at, [number])
    elif at:
        groups[at - 1].append(number)
    else:
        groups[0].append(number)
    return ranking_of(groups)


@pytest.mark.deep
@many
@given(elections(least=2, complete=True))
@every_row("method", ["schulze", "ranked-pairs", "copeland", "borda"])
def test_the_only_winner_does_not_win_when_every_ballot_is_turned_round(method, cast):
    winners = methods.count(cast, method).winners
    turned = {ranking_of(reversed(groups_of(ranking))): count for ranking, count in cast.counts.items()}
    if len(winners) == 1:
        assert methods.count(Ballots(cast.candidates, turned), method).winners != winners


# --- of contests locked and paths kept ---


@pytest.mark.deep
@some
@given(elections(least=2), RULES)
def test_a_path_is_as_strong_as_it_says(cast, unranked):
    result = methods.count(cast, "schulze", unranked=unranked)
    for i, row in enumerate(result.reasons["paths"]):
        for j, path in enumerate(row):
            links = [[result.pairwise[a][b], result.pairwise[b][a]] for a, b in steps(path)]
            assert all(ayes > noes for ayes, noes in links)
            assert not path or (path[0], path[-1]) == (i, j)
            said = result.reasons["strongest"][i][j]
            assert said == (min(links, key=lambda each: (each[0], -each[1])) if links else [0, 0])


@some
@given(elections(least=2), RULES)
def test_every_contest_is_locked_or_skipped_for_a_cycle(cast, unranked):
    result = methods.count(cast, "ranked-pairs", unranked=unranked)
    locked, skipped = result.reasons["locked"], result.reasons["skipped"]
    won = sum(
        result.pairwise[i][j] > row[i] for i in range(len(result.candidates)) for j, row in enumerate(result.pairwise)
    )
    assert len(locked) + len(skipped) == won
    ranks = {(each["winner"], each["loser"]): each["rank"] for each in (*locked, *skipped)}
    sure = {(each["winner"], each["loser"]) for each in locked}
    for each in skipped:
        around = list(steps(each["cycle"]))
        assert around[0] == (each["winner"], each["loser"])
        assert each["cycle"][0] == each["cycle"][-1]
        assert all(link in sure or ranks[link] == each["rank"] for link in around)
        assert max(ranks[link] for link in around) == each["rank"]
    assert all(places(result)[winner] < places(result)[loser] for winner, loser in sure)


# --- of the pass over the ballots ---


@pytest.mark.deep
@some
@given(elections(), RULES)
def test_the_pass_agrees_with_looking_at_every_pair_of_every_ballot(cast, unranked):
    size = len(cast.candidates)
    expected = [[0] * size for _ in range(size)]
    for ranking, count in cast.counts.items():
        rank = {number: place for place, group in enumerate(groups_of(ranking)) for number in group}
        last = size if unranked == "below" else None
        for i in range(size):
            for j in range(size):
                one, other = rank.get(i, last), rank.get(j, last)
                if one is not None and other is not None and one < other:
                    expected[i][j] += count
    assert [list(row) for row in cast.summary.pairwise(unranked)] == expected


@pytest.mark.deep
@some
@given(elections(), st.data())
def test_one_ballot_at_a_time_gives_what_a_recount_gives(cast, data):
    def one(ranking: str) -> PairwiseSummary:
        return PairwiseSummary.of(cast.candidates, {ranking: 1})

    running = PairwiseSummary.of(cast.candidates, {})
    kept: Counter[str] = Counter()
    for ranking in Counter(cast.counts).elements():
        running, kept = running + one(ranking), kept + Counter([ranking])
        if data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(sorted(kept)))
            running, kept = running - one(gone), kept - Counter([gone])
    assert running == Ballots(cast.candidates, kept).summary


@some
@given(elections())
def test_the_digest_is_of_what_it_says(cast):
    """Results carry it for good: whoever has the ballots can work it out again, in any language."""
    listed = [list(cast.normal.candidates), [[ranking, count] for ranking, count in cast.normal.counts.items()]]
    text = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    assert cast.digest == hashlib.sha256(text.encode()).hexdigest()


def test_the_digest_stays_what_it_was():
    cast = Ballots(("b", "Čeněk", "a"), {"2>0": 12, "": 3, "0=1>2": 1, "1": 12, "0": 0})
    assert cast.digest == "5e6497b39b03d4b7c3e95eaa387cde22a58280f1588eb44c8e48192d368efb8d"
    assert Ballots((), {}).digest == hashlib.sha256(b"[[],[]]").hexdigest()
