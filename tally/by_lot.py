"""Whom a lot elected: winners who would not have won had it chosen another of the tied.

A lot elects whoever it gives a seat; the winner of a STAR runoff whom it put into that runoff or who was chosen in it;
and in rounds those of the tied whom it did not eliminate. Between candidates who have all won, or lost, it decided
nothing. A lot may also help someone whom it does not name, by eliminating a rival: that is among the reasons only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .result import Lot, Result


@dataclass(frozen=True, slots=True)
class ByLot:
    """Those whom a lot elected, and those with whom they were tied at so many votes or points (as exact text)."""

    names: tuple[str, ...]
    tied_with: tuple[str, ...]
    number: str
    unit: str  # "votes" or "points"
    more_names: int = 0  # where only some are kept: how many others there are
    more_tied: int = 0

    def cut(self, most: int) -> ByLot:
        """With the first few of both, to be told in a sentence."""
        names, tied = self.names[:most], self.tied_with[:most]
        more = {"more_names": self.more_names + len(self.names) - len(names)}
        more |= {"more_tied": self.more_tied + len(self.tied_with) - len(tied)}
        return replace(self, names=names, tied_with=tied, **more)


def elected_by_lot(result: Result) -> tuple[ByLot, ...]:
    """In the order of the winners. Of somebody for whom lots were drawn more than once, the last one."""
    drawn: dict[str, tuple[tuple[str, ...], str, str]] = {}
    for lot in result.lots:
        tied_with = tuple(name for name in lot.names if name not in result.winners)
        if tied_with:
            drawn |= {name: (tied_with, *_votes(result, lot, name)) for name in _elected(result, lot)}
    groups: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for name in result.winners:
        if name in drawn:
            groups.setdefault(drawn[name], []).append(name)
    return tuple(ByLot(tuple(names), *tie) for tie, names in groups.items())


def _elected(result: Result, lot: Lot) -> list[str]:
    if lot.where == "elimination":
        return [name for name in lot.names if name in result.winners]
    if lot.where == "election" or (lot.where in ("finalists", "runoff") and result.winners[_seat(lot)] == lot.chosen):
        return [lot.chosen]
    return []


def _seat(lot: Lot) -> int:
    """Of a lot that STAR drew, the place of its seat among the winners; of one drawn in a round, that of the round."""
    return (lot.round or 1) - 1


def _votes(result: Result, lot: Lot, name: str) -> tuple[str, str]:
    if lot.where == "elimination":
        assert result.rounds
        return result.rounds[_seat(lot)].tally[name], "votes"
    if lot.where == "runoff":
        return result.reasons.get("rounds", [result.reasons])[_seat(lot)]["runoff"][name], "votes"
    unit = "votes" if "votes" in result.reasons else "points"
    return result.reasons[unit][name], unit
