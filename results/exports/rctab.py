"""A result with rounds as RCTab 1.3 writes its summary, which other programs draw and archive.

RCTab is the counting program of the Ranked Choice Voting Resource Center (github.com/BrightSpots/rcv); rcvformats
(github.com/artoonie/rcvformats) has a schema of what it writes:

    {"config": {"contest", "date", "jurisdiction", "office", "threshold"},
     "results": [{"round": 1, "tally": {name: votes}, "tallyResults": [{"elected" or "eliminated": name,
                  "transfers": {name: votes, "exhausted": votes, "residual surplus": votes}}]}]}

Votes are decimals as text. Where ours differ from RCTab's:
- Fractions that are no decimals (thirds, of a ballot that ranks three as equals) are cut after four places, which is
  what RCTab counts in unless told otherwise.
- Scottish rules may transfer a surplus in a later stage than the one in which its owner was elected; then the stage of
  the transfer says `elected` of them once more, because transfers must stand where they lead to the next tally.
- Meek's method has no transfers from one to another; it shows none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from foundation.tally.result import Result, Round, exact_text

DECIMAL_PLACES = 4
NOBODY, CUT = "exhausted", "residual surplus"


def summary(result: Result, *, contest: str, date: str, jurisdiction: str = "", office: str = "") -> dict[str, Any]:
    """Of a method with rounds only; `date` is a day, as 2026-11-15."""
    rounds = result.rounds or ()
    config = {"contest": contest, "date": date, "jurisdiction": jurisdiction, "office": office}
    after = [*rounds[1:], *rounds[-1:]]
    return {
        "config": config | {"threshold": decimal(rounds[-1].threshold) if rounds else "0"},
        "results": [_round(each, later) for each, later in zip(rounds, after, strict=True)],
    }


def _round(each: Round, later: Round) -> dict[str, Any]:
    tally = {name: decimal(votes) for name, votes in each.tally.items()}
    return {"round": each.number, "tally": tally, "tallyResults": list(_acts(each, later))}


def _acts(each: Round, later: Round) -> Iterator[dict[str, Any]]:
    sources = {transfer.source for transfer in each.transfers}
    late = [name for name in sorted(sources) if name not in (*each.elected, *each.eliminated)]
    for name in (*each.elected, *late):
        yield {"elected": name, "transfers": _transfers(each, later, name)}
    for name in each.eliminated:
        yield {"eliminated": name, "transfers": _transfers(each, later, name)}


def _transfers(each: Round, later: Round, source: str) -> dict[str, str]:
    """To whom the votes of one went; what was cut off belongs to the one transfer a stage has."""
    moved = [transfer for transfer in each.transfers if transfer.source == source]
    lost = Fraction(later.residue) - Fraction(each.residue)
    went = {transfer.destination or NOBODY: decimal(transfer.votes) for transfer in moved}
    return went | ({CUT: decimal(lost)} if moved and lost > 0 else {})


def decimal(votes: str | Fraction) -> str:
    """Exact where it can be; else cut after four places."""
    text = votes if isinstance(votes, str) else exact_text(votes)
    if "/" not in text:
        return text
    whole, rest = divmod(int(Fraction(text) * 10**DECIMAL_PLACES), 10**DECIMAL_PLACES)
    return f"{whole}.{rest:0{DECIMAL_PLACES}d}"
