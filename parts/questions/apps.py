"""The part *questions*: sets of questions for live sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from foundation import parts
from foundation.acts.queues import Progress


class Questions(parts.Part):
    name = "parts.questions"
    within = "live"
    sections = {"parts.questions": "live"}

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from foundation.acts import background

        from . import repository
        from .services import pass_on

        background.register(repository.FILLING, repository.DELETING)
        ON_REMOVAL.add(pass_on)  # question sets that others use pass to the site's owner; the rest are deleted

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"question sets": lambda progress: load()}
