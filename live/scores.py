"""Scores: points of trivia, and of best answer with its votes. Pure formulas, see docs/how-to/live-scores.md."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from store.keys import fold

FULL_POINTS, SPEED_POINTS = 1000, 500  # points for all that is right, and for being quick
GRACE_MS = 500  # milliseconds that cost nothing: nobody reads a question in less
MIN_ANSWERS = 3  # to vote on
MAX_ANSWERS_ALL_SHOWN = 12  # answers that everybody sees; of more each voter sees some
ANSWERS_PER_VOTER = 9
RANKS = range(1, 4)  # of a vote, which are as many as the answers it may name


class BadVote(Refusal):
    """A vote that names what it may not, or too much; the words say which."""


TOO_MANY = _("Rank at most three answers.")
NOT_A_RANK = _("The ranks are 1, 2 and 3.")
NOT_SHOWN = _("You can only rank the answers you were shown.")
OWN = _("You cannot vote for your own answer.")


# --- trivia ---


def trivia(chosen: Collection[int], right: Collection[int]) -> int:
    """A wrong one takes away what a right one gives, and nobody gets less than nothing."""
    rights, picked = set(right), set(chosen)
    return FULL_POINTS * max(0, len(picked & rights) - len(picked - rights)) // len(rights) if rights else 0


def speed(chosen: Collection[int], right: Collection[int], elapsed: int, allowed: int) -> int:
    """For whoever is fully right: all of it within the grace, nothing when the time and the grace are over."""
    if not right or set(chosen) != set(right) or allowed <= 0:
        return 0
    return SPEED_POINTS * max(0, allowed - max(0, elapsed - GRACE_MS)) // allowed


# --- best answer: what is voted on ---


@dataclass(frozen=True, slots=True)
class Answer:
    """What one or several people answered in the same words. Its number is its place among all."""

    text: str
    authors: tuple[str, ...]

    @property
    def words(self) -> int:
        return word_count(self.text)


def word_count(text: str) -> int:
    return len(text.split())


def merged(texts: Mapping[str, str]) -> tuple[Answer, ...]:
    """Answers by their authors, equal texts as one, in an order that says nothing about who gave which, or when."""
    alike: dict[str, list[str]] = defaultdict(list)
    for author, text in texts.items():
        alike[fold(text)].append(author)
    return tuple(
        Answer(_spelling([texts[author] for author in authors]), tuple(sorted(authors)))
        for folded, authors in sorted(alike.items(), key=lambda each: _hash_order(each[0]))
        if folded
    )


def _spelling(typed: Sequence[str]) -> str:
    """Of several the most usual one, else the first by its letters: not the one that came first."""
    times = Counter(" ".join(text.split()) for text in typed)
    return min(times, key=lambda text: (-times[text], text))


def _hash_order(*words: object) -> bytes:
    """By which things take turns that have no order of their own."""
    return hashlib.sha256("\n".join(map(str, words)).encode()).digest()


def is_voted_on(answers: Sequence[Answer]) -> bool:
    return len(answers) >= MIN_ANSWERS


# --- best answer: who is shown what ---

Showings = dict[str, tuple[int, ...]]  # for each voter the numbers of the answers, in the order to show them


def showings(voters: Iterable[str], answers: Sequence[Answer]) -> Showings:
    """All but their own; of many answers a few each, so that all are shown about as often. Luck plays no part."""
    everybody = sorted(set(voters), key=_hash_order)
    own = own_answers(answers)
    if len(answers) <= MAX_ANSWERS_ALL_SHOWN:
        return {voter: _others(voter, len(answers), own) for voter in everybody}
    dealt = _dealt(everybody, len(answers), own)
    _level(dealt, len(answers), own)
    return {voter: _shuffled(voter, numbers) for voter, numbers in dealt.items()}


def shown_late(player: str, answers: Sequence[Answer]) -> tuple[int, ...]:
    """For somebody who came when the others had been shown theirs: always the same for the same player."""
    others = _others(player, len(answers), own_answers(answers))
    return others if len(answers) <= MAX_ANSWERS_ALL_SHOWN else others[:ANSWERS_PER_VOTER]


def own_answers(answers: Sequence[Answer]) -> dict[str, int]:
    """The number of everybody's own answer."""
    return {author: number for number, answer in enumerate(answers) for author in answer.authors}


def _others(voter: str, answers: int, own: Mapping[str, int]) -> tuple[int, ...]:
    return _shuffled(voter, (number for number in range(answers) if number != own.get(voter)))


def _shuffled(voter: str, numbers: Iterable[int]) -> tuple[int, ...]:
    """Each voter has an order of their own, so that being the first helps no answer."""
    return tuple(sorted(numbers, key=lambda number: _hash_order(voter, number)))


def _dealt(voters: Iterable[str], answers: int, own: Mapping[str, int]) -> dict[str, set[int]]:
    """The least shown first. Each time round they take turns anew, so that not the same nine always meet."""
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
    """Who could not be shown their own was shown another instead: even that out, as far as it goes."""
    times = Counter(dict.fromkeys(range(answers), 0))
    times.update(number for numbers in dealt.values() for number in numbers)
    while any(_swap(dealt, times, own, seldom) for seldom in _seldom(times)):
        pass


def _seldom(times: Counter[int]) -> list[int]:
    most = max(times.values())
    return sorted((each for each in times if times[each] + 2 <= most), key=lambda each: (times[each], each))


def _swap(dealt: dict[str, set[int]], times: Counter[int], own: Mapping[str, int], seldom: int) -> bool:
    """Show the answer to somebody in place of one that was shown more often by two; whether there was one."""
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
    """How somebody ranks answers, by their numbers, and which they were shown."""

    ranks: Mapping[int, int]
    shown: Collection[int]


def check_vote(vote: Vote, own: int | None) -> None:
    """Refuse a vote that is not one, as a whole: nothing of it counts."""
    if len(vote.ranks) > len(RANKS):
        raise BadVote(TOO_MANY)
    if any(rank not in RANKS for rank in vote.ranks.values()):
        raise BadVote(NOT_A_RANK)
    if own in vote.ranks:
        raise BadVote(OWN)
    if not vote.ranks.keys() <= set(vote.shown):
        raise BadVote(NOT_SHOWN)


def halves(ranks: Mapping[int, int]) -> dict[int, int]:
    """Half points of a vote: 6, 4 and 2; equals share what their places have, and gaps do not matter."""
    points: dict[int, int] = {}
    for rank in sorted(set(ranks.values())):
        equals = [number for number, each in ranks.items() if each == rank]
        places = range(len(points), len(points) + len(equals))
        share = sum(2 * (len(RANKS) - place) for place in places) // len(equals)  # exact: 12 for three, 10 or 6 for two
        points |= dict.fromkeys(equals, share)
    return points


def points_of_votes(votes: Sequence[Vote], answers: int) -> list[int]:
    """The points of every answer. What only some were shown is put on the scale of what all were; cut once, at last."""
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
    """Everybody's place by points, best first: 1, 2, 2, 4."""
    found: dict[int, int] = {}
    ordered = sorted(totals, key=lambda each: -totals[each])
    for before, each in enumerate(ordered):
        found.setdefault(totals[each], before + 1)
    return {each: found[totals[each]] for each in ordered}
