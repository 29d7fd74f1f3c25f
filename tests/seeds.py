"""Where tests draw at random: in `make test` the same each time, in `make test-deep` something new."""

from __future__ import annotations

import os
from random import SystemRandom

USUAL = 1


def seed() -> int:
    """Printed, so that a test that fails says what it drew; with SEED it draws that again."""
    chosen = SystemRandom().randrange(10**9) if "OTHER_SEEDS" in os.environ else USUAL
    chosen = int(os.environ.get("SEED") or chosen)
    print(f"SEED={chosen}")
    return chosen
