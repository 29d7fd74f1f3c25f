"""The attacker of secret votes in an assembly: has copies of everything and the source, and says whose each vote is.

The parts are those of the attack on secret elections (`tests/ballots/attack.py`): *clues* put votes in order, *trails*
put people in order, and a *join* proposes which vote is whose. A vote is known by its receipt, which is in the sealed
round. Of a round with n people a guess is right for one of them on average; over all rounds of an evening the
number of right guesses has a known distribution, and a join that does better than it allows is a leak.

What the attacker has of each round: the tables while it is open and all have voted, a backup made at that moment, the
tables once it is sealed; and at the end everything, files of the store and lines of the web log included. Somebody who
watches thumbs in the hall knows who voted in which order: that is joined with what is there afterwards.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import permutations
from math import comb, factorial
from typing import Any

from parts.live.rounds import PURPOSE, pseudonym
from tests.ballots.attack import SALT, Copy, Item, Order, Ranked, as_line, paired, ranked_by

# how often one join may look like a leak by accident; some thousands are tried
MAX_ACCIDENT_PROBABILITY = Fraction(1, 10**10)
WORD = re.compile(r"[\w-]+", re.ASCII)

Proposal = Mapping[str, str]  # player -> receipt


@dataclass
class Vote:
    """A round with what was copied of it. Its truth is for the judge alone."""

    number: int
    voters: Mapping[str, tuple[str, ...]]  # player -> every word that stands for them: id, name, account
    during: Copy
    backup: list[Item]
    after: Copy
    seen: list[str]  # the order in which a watcher saw people vote
    truth: Proposal = field(repr=False)

    @cached_property
    def entries(self) -> list[Item]:
        """Of the sealed round, in their order."""
        parts = [item for item in self.after.items if item["SK"].startswith(f"ROUND#{self.number:03d}#")]
        return [entry for part in parts for entry in part.get("entries", ())]

    @cached_property
    def receipts(self) -> list[str]:
        return sorted(entry["receipt"] for entry in self.entries)

    @cached_property
    def boxed(self) -> dict[str, Item]:
        """Votes as they lay while the round was open, in the table or in a backup, by their receipts."""
        found = [
            item for item in (*self.during.items, *self.backup) if item["SK"].startswith(f"VOTE#{self.number:03d}")
        ]
        return {item["receipt"]: item for item in found if item["receipt"] in self.receipts}

    def whose(self, words: Iterable[str]) -> set[str]:
        there = set(words)
        return {player for player, known_as in self.voters.items() if there & set(known_as)}

    def whichever(self, words: Iterable[str]) -> set[str]:
        """Votes that a line names, by receipt or by the name that they lay under."""
        there = set(words)
        boxed = {receipt for receipt, item in self.boxed.items() if item["player"] in there}
        return boxed | (there & set(self.receipts))


@dataclass
class Evening:
    """All rounds of an assembly, and everything at its end."""

    game_id: str
    votes: list[Vote]
    end: Copy
    secret: str | None = None  # the site's own, if the attacker has it


# --- clues and trails ---


def clues_after(vote: Vote, end: Copy) -> Iterator[tuple[str, Order]]:
    yield "the receipt itself", {receipt: receipt for receipt in vote.receipts}
    yield "place in the sealed round", {entry["receipt"]: at for at, entry in enumerate(vote.entries)}
    for name in ("said", "player", "points", "bonus"):
        yield f"{name} of the entry", {entry["receipt"]: str(entry.get(name)) for entry in vote.entries}
    yield "length of the entry", {entry["receipt"]: len(as_line(entry)) for entry in vote.entries}
    for when, copy in (("after", vote.after), ("in the end", end)):
        for paper, places in copy.places.items():
            found = {each: places[each] for each in vote.receipts if each in places}
            yield f"first place in {paper} {when}", {each: at[0] for each, at in found.items()}
            yield f"last place in {paper} {when}", {each: at[-1] for each, at in found.items()}


def clues_during(vote: Vote) -> Iterator[tuple[str, Order]]:
    for name in sorted({name for item in vote.boxed.values() for name in item}):
        yield f"{name} while it was open", {each: str(item.get(name)) for each, item in vote.boxed.items()}
    for paper, places in vote.during.places.items():
        yield f"place in {paper} while it was open", {each: places[each][0] for each in vote.receipts if each in places}


def trails(vote: Vote, end: Copy) -> Iterator[tuple[str, Order]]:
    for number in range(max(map(len, vote.voters.values()))):
        yield f"word {number} of the voter", {player: words[number] for player, words in vote.voters.items()}
        hashed = {each: hashlib.sha256(words[number].encode()).hexdigest() for each, words in vote.voters.items()}
        yield f"hash of word {number} of the voter", hashed
    for when, copy in (("during", vote.during), ("after", vote.after), ("in the end", end)):
        yield from ((f"{name} {when}", order) for name, order in _fields(vote, copy))
        for paper, places in copy.places.items():
            found = {
                player: [at for word in words for at in places.get(word, ())] for player, words in vote.voters.items()
            }
            yield f"first place in {paper} {when}", {player: min(at) for player, at in found.items() if at}
            yield f"last place in {paper} {when}", {player: max(at) for player, at in found.items() if at}


def _fields(vote: Vote, copy: Copy) -> Iterator[tuple[str, Order]]:
    """Every field of every item that is about one voter."""
    orders: dict[str, dict[str, Any]] = defaultdict(dict)
    for item, line in zip(copy.items, copy.papers["table"], strict=True):
        named = vote.whose(line.words)
        if len(named) == 1:
            for name, value in item.items():
                orders[f"{name} of {item['SK'].partition('#')[0]}"][next(iter(named))] = value
    yield from orders.items()


# --- joins ---


def in_step(evening: Evening, vote: Vote) -> Iterator[tuple[str, Proposal]]:
    people, watched = list(trails(vote, evening.end)), {player: at for at, player in enumerate(vote.seen)}
    after, during = list(clues_after(vote, evening.end)), list(clues_during(vote))
    yield from _pairs(vote, [*people, ("seen in the hall", watched)], after)
    yield from _pairs(vote, people, during)


def _pairs(
    vote: Vote, of_people: Sequence[tuple[str, Order]], of_votes: Sequence[tuple[str, Order]]
) -> Iterator[tuple[str, Proposal]]:
    people, votes = _telling(of_people, sorted(vote.voters)), _telling(of_votes, vote.receipts)
    for trail, voters in people:
        for clue, receipts in votes:
            yield f"{trail} / {clue}", paired(voters, receipts)
            yield f"{trail} / {clue}, backwards", paired(voters, receipts, backwards=True)


def _telling(orders: Sequence[tuple[str, Order]], crowd: Sequence[str]) -> list[tuple[str, Ranked]]:
    """The orders that order anything."""
    ranked = ((name, ranked_by(order, [crowd])) for name, order in orders)
    return [(name, each) for name, each in ranked if not each.tells_nothing]


def written_together(evening: Evening, vote: Vote) -> Iterator[tuple[str, Proposal]]:
    """A line that names one voter and one vote."""
    for when, copy in (("during", vote.during), ("after", vote.after), ("in the end", evening.end)):
        for paper, lines in copy.papers.items():
            found: dict[str, str] = {}
            for line in lines:
                words = set(WORD.findall(line.text))
                people, votes = vote.whose(words), vote.whichever(words)
                if len(people) == 1 and len(votes) == 1:
                    found[people.pop()] = votes.pop()
            yield f"one line of {paper} {when}", found


def computed(evening: Evening, vote: Vote) -> Iterator[tuple[str, Proposal]]:
    """A receipt or a pseudonym that is made of the voter by anything the attacker knows."""
    known = {item["player"]: receipt for receipt, item in vote.boxed.items()} | {each: each for each in vote.receipts}
    found: dict[str, str] = {}
    for made in formulas(evening, vote):
        for player, words in vote.voters.items():
            for name in filter(known.__contains__, map(made, words)):
                found[player] = known[name]
    yield "made of the voter", found


def formulas(evening: Evening, vote: Vote) -> Iterator[Callable[[str], str]]:
    """As a receipt or a name to lie under might be made, and as the source makes the latter."""
    around = ("", evening.game_id, f"{evening.game_id} {vote.number}", f"{vote.number}")
    for text in around:
        for length in (11, 12, 16, 32):
            yield lambda word, text=text, length=length: _hash(f"{text} {word}".strip())[:length]
            yield lambda word, text=text, length=length: _hash(f"{word} {text}".strip())[:length]
    for salt in salts(evening, vote):
        yield lambda word, salt=salt: hmac.digest(salt, word.encode(), "sha256").hex()[:32]
        yield lambda word, salt=salt: _keyed(b"", salt, word)
        if evening.secret is not None:
            yield lambda word, salt=salt: pseudonym(salt, word)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _keyed(secret: bytes, salt: bytes, word: str) -> str:
    key = hmac.digest(secret, PURPOSE + salt, "sha256")
    return hmac.digest(key, word.encode(), "sha256").hex()[:32]


def salts(evening: Evening, vote: Vote) -> set[bytes]:
    """Those that the attacker has: with the site's secret, only what is left afterwards or in a backup."""
    copies = [vote.after, evening.end] if evening.secret is not None else [vote.during, vote.after, evening.end]
    texts = [line.text for copy in copies for line in copy.papers["table"] if '"salt"' in line.text]
    texts += [as_line(item) for item in vote.backup if "salt" in item]
    texts += [raw.decode("latin-1") for raw in evening.end.files.values()]
    return {base64.b64decode(found) for text in texts for found in SALT.findall(text)}


JOINS = (in_step, written_together, computed)


# --- how good they are ---


@dataclass(frozen=True)
class Leak:
    join: str
    found: int
    of: int

    @property
    def share(self) -> float:
        return self.found / self.of


def leaks(evening: Evening, *kinds: Callable[[Evening, Vote], Iterator[tuple[str, Proposal]]]) -> list[Leak]:
    """Every join that is right more often than chance allows over the whole evening, the worst first."""
    hits: Counter[str] = Counter()
    for vote in evening.votes:
        for name, proposal in (join for kind in kinds or JOINS for join in kind(evening, vote)):
            hits[name] += sum(vote.truth[player] == receipt for player, receipt in proposal.items())
    of = sum(len(vote.truth) for vote in evening.votes)
    bound = by_chance(tuple(len(vote.truth) for vote in evening.votes))
    return sorted(
        (Leak(name, found, of) for name, found in hits.items() if found >= bound), key=lambda leak: -leak.found
    )


@cache
def by_chance(sizes: tuple[int, ...]) -> int:
    """So many right guesses over rounds of these sizes happen by chance less often than `MAX_ACCIDENT_PROBABILITY`."""
    total = {0: Fraction(1)}
    for size in sizes:
        once = fixed_points(size)
        after: dict[int, Fraction] = defaultdict(Fraction)
        for before, chance in total.items():
            for more, again in once.items():
                after[before + more] += chance * again
        total = after
    left, number = Fraction(0), sum(sizes)
    while left + total.get(number, 0) < MAX_ACCIDENT_PROBABILITY:
        left += total.get(number, 0)
        number -= 1
    return number + 1


@cache
def fixed_points(size: int) -> dict[int, Fraction]:
    """How likely it is that so many of a random pairing are right; beyond a few the rest is as good as nothing."""
    if size <= 5:
        hits = Counter(sum(at == each for at, each in enumerate(order)) for order in permutations(range(size)))
        return {number: Fraction(times, factorial(size)) for number, times in hits.items()}
    return {
        number: Fraction(comb(size, number) * _deranged(size - number), factorial(size)) for number in range(size + 1)
    }


def _deranged(size: int) -> int:
    return round(Fraction(factorial(size)) * sum(Fraction((-1) ** each, factorial(each)) for each in range(size + 1)))
