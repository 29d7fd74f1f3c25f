"""What other apps show beside an election, on its own pages: each a part of the page, with what it needs.

Elections know nothing of the apps above them; who shows something here is arranged in config/steps.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from acts.steps import Steps
from elections.rules import Election


@dataclass(frozen=True, slots=True)
class Beside:
    template: str
    said: Mapping[str, Any]


BESIDE = Steps[[User, Election], Beside | None]("when somebody looks at an election")


def beside(user: User, election: Election) -> list[Beside]:
    return [part for part in BESIDE.taken(user, election) if part is not None]
