"""Scores: points of trivia, and of best answer with its votes. Pure formulas, see docs/how-to/live-sessions.md."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal
from foundation.store.keys import fold

FULL_POINTS, SPEED_POINTS = 1000, 500  # for a fully right answer, and for speed
GRACE_MS = 500  # without loss of speed points: no one reads a question faster
MIN_ANSWERS = 3  # needed for a vote
MAX_ANSWERS_ALL_SHOWN = 12  # with more, each voter sees a sample
ANSWERS_PER_VOTER = 9
RANKS = range(1, 4)  # of a vote, and so also the number of answers it may rank


class BadVote(Refusal):
    """A vote that breaks a rule; the message says which."""


TOO_MANY = _("Rank at most three answers.")
NOT_A_RANK = _("The ranks are 1, 2 and 3.")
NOT_SHOWN = _("You can only rank the answers you were shown.")
OWN = _("You cannot vote for your own answer.")


# --- trivia ---


def trivia(chosen: Collection[int], right: Collection[int]) -> int:
    """Each wrong choice cancels a right one; the score is never negative."""
    rights, picked = set(right), set(chosen)
    return FULL_POINTS * max(0, len(picked & rights) - len(picked - rights)) // len(rights) if rights else 0


def speed(chosen: Collection[int], right: Collection[int], elapsed: int, allowed: int) -> int:
    """Bonus for a fully right answer: full within the grace period, falling to zero over the time allowed."""
    if not right or set(chosen) != set(right) or allowed <= 0:
        return 0
    return SPEED_POINTS * max(0, allowed - max(0, elapsed - GRACE_MS)) // allowed


# --- best answer: what is voted on ---


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, possibly given by several people. Its number is its position among all answers."""

    text: str
    authors: tuple[str, ...]


def merged(texts: Mapping[str, str]) -> tuple[Answer, ...]:
    """Merge equal texts, in an order that reveals neither authors nor times."""
    alike: dict[str, list[str]] = defaultdict(list)
    for author, text in texts.items():
        alike[fold(text)].append(author)
    return tuple(
        Answer(_spelling([texts[author] for author in authors]), tuple(sorted(authors)))
        for folded, authors in sorted(alike.items(), key=lambda each: _hash_order(each[0]))
        if folded
    )


def _spelling(typed: Sequence[str]) -> str:
    """The most common spelling, ties broken alphabetically rather than by time."""
    times = Counter(" ".join(text.split()) for text in typed)
    return min(times, key=lambda text: (-times[text], text))


def _hash_order(*words: object) -> bytes:
    """Sort key for a deterministic but arbitrary order."""
    return hashlib.sha256("\n".join(map(str, words)).encode()).digest()


def is_voted_on(answers: Sequence[Answer]) -> bool:
    return len(answers) >= MIN_ANSWERS


# --- best answer: who is shown what ---

Showings = dict[str, tuple[int, ...]]  # by voter, answer numbers in display order


def showings(voters: Iterable[str], answers: Sequence[Answer]) -> Showings:
    """All answers but their own; if there are many, a deterministic sample that shows all about equally often."""
    everybody = sorted(set(voters), key=_hash_order)
    own = own_answers(answers)
    if len(answers) <= MAX_ANSWERS_ALL_SHOWN:
        return {voter: _others(voter, len(answers), own) for voter in everybody}
    dealt = _dealt(everybody, len(answers), own)
    _level(dealt, len(answers), own)
    return {voter: _shuffled(voter, numbers) for voter, numbers in dealt.items()}


def shown_late(player: str, answers: Sequence[Answer]) -> tuple[int, ...]:
    """Deterministic sample for a player who joins after the showings were dealt."""
    others = _others(player, len(answers), own_answers(answers))
    return others if len(answers) <= MAX_ANSWERS_ALL_SHOWN else others[:ANSWERS_PER_VOTER]


def own_answers(answers: Sequence[Answer]) -> dict[str, int]:
    """Answer number by author."""
    return {author: number for number, answer in enumerate(answers) for author in answer.authors}


def _others(voter: str, answers: int, own: Mapping[str, int]) -> tuple[int, ...]:
    return _shuffled(voter, (number for number in range(answers) if number != own.get(voter)))


def _shuffled(voter: str, numbers: Iterable[int]) -> tuple[int, ...]:
    """An order per voter, so that no answer benefits from being first."""
    return tuple(sorted(numbers, key=lambda number: _hash_order(voter, number)))


def _dealt(voters: Iterable[str], answers: int, own: Mapping[str, int]) -> dict[str, set[int]]:
    """Deal the least shown first, reshuffling each time, so that the same nine do not always meet."""
    heap = [(0, _hash_order(0, number), number) for number in range(answers)]
    heapq.heapify(heap)
    dealt: dict[str, set[int]] = {}
    for voter in voters:
        taken = [heapq.heappop(heap) for _turn in range(ANSWERS_PER_VOTER + 1)]
        kept = [each for each in taken if each[2] != own.get(voter)][:ANSWERS_PER_VOTER]
        dealt[voter] = {number for _times, _turn, number in kept}
        for times, turn, number in taken:
            again = number in dealt[voter]
            heapq.heappush(
                heap, (times + 1, _hash_order(times + 1, number), number) if again else (times, turn, number)
            )
    return dealt


def _level(dealt: dict[str, set[int]], answers: int, own: Mapping[str, int]) -> None:
    """Even out the counts as far as possible, since voters skip their own answer."""
    times = Counter(dict.fromkeys(range(answers), 0))
    times.update(number for numbers in dealt.values() for number in numbers)
    while any(_swap(dealt, times, own, seldom) for seldom in _seldom(times)):
        pass


def _seldom(times: Counter[int]) -> list[int]:
    most = max(times.values())
    return sorted((each for each in times if times[each] + 2 <= most), key=lambda each: (times[each], each))


def _swap(dealt: dict[str, set[int]], times: Counter[int], own: Mapping[str, int], seldom: int) -> bool:
    """Swap in the answer for one shown at least two times more often; return whether a swap was possible."""
    for voter, numbers in dealt.items():
        often = max(numbers, key=lambda each: (times[each], each))
        if times[often] >= times[seldom] + 2 and seldom not in numbers and own.get(voter) != seldom:
            numbers.symmetric_difference_update((often, seldom))
            times.update({seldom: 1, often: -1})
            return True
    return False


# --- best answer: votes ---


@dataclass(frozen=True, slots=True)
class Vote:
    """Ranks by answer number, and the answers the voter was shown."""

    ranks: Mapping[int, int]
    shown: Collection[int]


def check_vote(vote: Vote, own: int | None) -> None:
    """Refuse an invalid vote as a whole; no part of it counts."""
    if len(vote.ranks) > len(RANKS):
        raise BadVote(TOO_MANY)
    if any(rank not in RANKS for rank in vote.ranks.values()):
        raise BadVote(NOT_A_RANK)
    if own in vote.ranks:
        raise BadVote(OWN)
    if not vote.ranks.keys() <= set(vote.shown):
        raise BadVote(NOT_SHOWN)


def halves(ranks: Mapping[int, int]) -> dict[int, int]:
    """Half points of a vote: 6, 4 and 2. Ties share the points of their places, and gaps are ignored."""
    points: dict[int, int] = {}
    for rank in sorted(set(ranks.values())):
        equals = [number for number, each in ranks.items() if each == rank]
        places = range(len(points), len(points) + len(equals))
        share = sum(2 * (len(RANKS) - place) for place in places) // len(equals)  # exact: 12 for three, 10 or 6 for two
        points |= dict.fromkeys(equals, share)
    return points


def points_of_votes(votes: Sequence[Vote], answers: int) -> list[int]:
    """Points of every answer; those shown only to some are scaled up to all votes. Rounded down once, at the end."""
    got: Counter[int] = Counter()
    shown: Counter[int] = Counter()
    for vote in votes:
        got.update(halves(vote.ranks))
        shown.update(set(vote.shown))
    if answers <= MAX_ANSWERS_ALL_SHOWN:
        return [got[number] // 2 for number in range(answers)]
    return [got[each] * len(votes) // (2 * shown[each]) if shown[each] else 0 for each in range(answers)]


# --- places ---


def places(totals: Mapping[str, int]) -> dict[str, int]:
    """Place of each player by points, best first, with ties: 1, 2, 2, 4."""
    found: dict[int, int] = {}
    ordered = sorted(totals, key=lambda each: -totals[each])
    for before, each in enumerate(ordered):
        found.setdefault(totals[each], before + 1)
    return {each: found[totals[each]] for each in ordered}
