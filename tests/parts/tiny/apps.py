"""The part *tiny*: bells."""

from __future__ import annotations

from collections.abc import Iterable

from foundation import parts
from foundation.acts.background import Job


class Tiny(parts.Part):
    name = "tests.parts.tiny"
    title = "Bells"
    about = "People ring a bell, and everybody sees how often."
    once_off = "Nobody can ring any more. How often it was rung is kept."
    sections = {"tests.parts.tiny": "bells"}
    places = ("nav",)

    def jobs(self) -> Iterable[Job]:
        from .services import silence

        return [Job("silence", 60, silence)]
