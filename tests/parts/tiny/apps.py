"""The part *tiny*: bells."""

from __future__ import annotations

from collections.abc import Iterable

from foundation import parts
from foundation.acts.jobs import Job


class Tiny(parts.Part):
    name = "tests.parts.tiny"
    sections = {"tests.parts.tiny": "bells"}
    places = {"nav": "tiny/nav.html"}

    def jobs(self) -> Iterable[Job]:
        from .services import silence

        return [Job("silence", 60, silence)]
