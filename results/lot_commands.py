"""Shell commands with which anyone can draw the lots of a sealed result again (tally/lots.py)."""

from __future__ import annotations

from shlex import quote
from typing import Any

from tally.lots import COMMITMENT, SEED
from tally.result import Lot

from .repository import Found

MAX_NAMES_PER_LOT = 12  # of the first lot; the recount and the bundle have all of them


def context_of_lots(found: Found) -> dict[str, Any]:
    """Empty for an election whose secret was lost."""
    seal, report = found.seal, found.report
    if seal is None or report is None or not seal.seed:
        return {}
    drawn = [_drawing(seal.seed, report.result.method, lot) for lot in report.result.lots[:1]]
    return {
        "commitment_command": _sha256(COMMITMENT, seal.lots_secret),
        "seed_command": _sha256(SEED, seal.lots_secret, seal.digest),
        "lot_commands": [command for commands in drawn for command in commands],
    }


def _drawing(seed: str, method: str, lot: Lot) -> list[str]:
    return [_sha256(seed, method, lot.where, str(lot.round), name) for name in lot.names[:MAX_NAMES_PER_LOT]]


def _sha256(*lines: str) -> str:
    """Quoted: whatever a candidate is called, a shell only takes it for a name."""
    pattern = "\\n".join(["%s"] * len(lines))
    return f"printf '{pattern}' {' '.join(map(quote, lines))} | sha256sum"
