"""Choosing between equals: first by earlier rounds, then by a lot that anyone can draw again.

A lot is drawn like this. Write five lines: the seed, the method, what is chosen ("elimination", "transfer"), the number
of the round, and the candidate's name, each line but the last ended by one newline character, in UTF-8. Take the
SHA-256 of that text for each of the equals. The one with the smallest is chosen:

    printf 'seed\\nirv\\nelimination\\n3\\nAda' | sha256sum

The order in which the candidates are listed plays no part. Knowing the seed means knowing whom it favours, so an
election has none while it is open. When it opens, a secret is made (64 hexadecimal digits) and only a commitment to it
is shown: the SHA-256 of two lines. At the close the secret is revealed, and the seed is the SHA-256 of three, of which
the last is the digest of the ballots as they were counted (foundation/tally/ballots.py), all of them without a newline
at the end:

    printf 'plenum: commitment to lots\\nsecret' | sha256sum
    printf 'plenum: seed of lots\\nsecret\\ndigest' | sha256sum

In an election with several questions, each of them but the first has a seed with one line more, its number:

    printf 'plenum: seed of lots\\nsecret\\ndigest\\n2' | sha256sum

So no one can choose the seed: before the close the secret is unknown, and it cannot be another one afterwards.

A lot elects whoever it gives a seat; the winner of a STAR runoff whom it put into that runoff or who was chosen in it;
and in rounds those of the tied whom it did not eliminate, if they win: with another draw they would not have won.
Between candidates who have all won, or lost, it decides nothing. A lot may also help someone whom it does not name, by
eliminating a rival: that is among the reasons only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from .result import Lot, Result, Tie

COMMITMENT, SEED = "plenum: commitment to lots", "plenum: seed of lots"

Number = int | Fraction
Tally = Mapping[str, Number]
Choose = Callable[[Iterable[Number]], Number]  # min or max


def commitment(secret: str) -> str:
    """What is published before a secret is revealed."""
    return _sha256(COMMITMENT, secret)


def seed_of(secret: str, digest: str, question: int = 1) -> str:
    """From which the lots are drawn when the ballots with this digest are counted."""
    return _sha256(SEED, secret, digest, *([str(question)] if question > 1 else []))


def _sha256(*lines: str) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def lot_hash(seed: str, method: str, where: str, round: int, name: str) -> str:
    """The SHA-256 that orders a name in the lot, as described at the top of this file."""
    return _sha256(seed, method, where, str(round), name)


def draw(names: Iterable[str], *, seed: str, method: str, where: str, round: int) -> Lot:
    """One of these names, by lot."""
    among = tuple(sorted(names))
    return Lot(where, among, min(among, key=lambda name: lot_hash(seed, method, where, round, name)), round)


def by_earlier_rounds(tied: Iterable[str], earlier: Sequence[Tally], choose: Choose, within: Number = 0) -> list[str]:
    """Those of the tied who remain when each earlier round, the latest first, keeps only the lowest (or highest).

    Numbers that differ by no more than `within` count as equal.
    """
    left = sorted(tied)
    for tally in reversed(earlier):
        best = choose(tally[name] for name in left)
        low, high = best - within, best + within  # once: with fractions, that takes longer than all comparisons
        left = [name for name in left if low <= tally[name] <= high]
        if len(left) == 1:
            break
    return left


class TieBreaker:
    """Settles the ties of one count, and records for the result what was settled and how."""

    def __init__(self, method: str, seed: str) -> None:
        self.method, self.seed = method, seed
        self.ties: list[Tie] = []
        self.lots: list[Lot] = []

    def settle(
        self,
        tied: Iterable[str],
        *,
        where: str,
        round: int,
        earlier: Sequence[Tally],
        choose: Choose,
        within: Number = 0,
    ) -> str:
        """The one of the tied to act on: by earlier rounds where they differ, else by lot."""
        names = tuple(sorted(tied))
        if len(names) == 1:
            return names[0]
        left = by_earlier_rounds(names, earlier, choose, within)
        if len(left) == 1:
            self.ties.append(Tie(where, names, "earlier round", round))
            return left[0]
        lot = draw(left, seed=self.seed, method=self.method, where=where, round=round)
        self.ties.append(Tie(where, names, "lot", round))
        self.lots.append(lot)
        return lot.chosen


# --- whom a lot elected ---

Unit = Literal["votes", "points"]
Tied = tuple[tuple[str, ...], str, Unit]  # with whom, and at how many votes or points


@dataclass(frozen=True, slots=True)
class ByLot:
    """Those whom a lot elected, and those with whom they were tied at so many votes or points (as exact text)."""

    names: tuple[str, ...]
    tied_with: tuple[str, ...]
    number: str
    unit: Unit
    more_names: int = 0  # where only some are kept: how many others there are
    more_tied: int = 0

    def cut(self, most: int) -> ByLot:
        """With the first few of both, to be told in a sentence."""
        return replace(
            self,
            names=self.names[:most],
            tied_with=self.tied_with[:most],
            more_names=self.more_names + len(self.names[most:]),
            more_tied=self.more_tied + len(self.tied_with[most:]),
        )


def elected_by_lot(result: Result) -> tuple[ByLot, ...]:
    """In the order of the winners. Of somebody for whom lots were drawn more than once, the last one."""
    drawn: dict[str, Tied] = {}
    for lot in result.lots:
        tied_with = tuple(name for name in lot.names if name not in result.winners)
        if tied_with:
            drawn |= {name: (tied_with, *_votes(result, lot, name)) for name in _elected(result, lot)}
    groups: dict[Tied, list[str]] = {}
    for name in result.winners:
        if name in drawn:
            groups.setdefault(drawn[name], []).append(name)
    return tuple(ByLot(tuple(names), *tie) for tie, names in groups.items())


def _elected(result: Result, lot: Lot) -> list[str]:
    if lot.where == "elimination":
        return [name for name in lot.names if name in result.winners]
    if lot.where == "election" or (lot.where in ("finalists", "runoff") and result.winners[_index(lot)] == lot.chosen):
        return [lot.chosen]
    return []


def _index(lot: Lot) -> int:
    """Of its round among the rounds; of STAR, of its seat among the winners and their rounds."""
    return (lot.round or 1) - 1


def _votes(result: Result, lot: Lot, name: str) -> tuple[str, Unit]:
    if lot.where == "elimination":
        assert result.rounds
        return result.rounds[_index(lot)].tally[name], "votes"
    if lot.where == "runoff":
        return result.reasons.get("rounds", [result.reasons])[_index(lot)]["runoff"][name], "votes"
    unit: Unit = "votes" if "votes" in result.reasons else "points"
    return result.reasons[unit][name], unit
