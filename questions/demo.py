"""The demo's question sets: one for each type of session, shared, loaded from CSV files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from accounts import repository as people

from . import repository, services
from .formats import csv_import
from .question import Question
from .rules import FullSet, QuestionSet

MAKER = "Emmy Noether"
FOLDER = Path(__file__).parent / "demo_sets"


@dataclass(frozen=True, slots=True)
class Planned:
    file: str
    name: str
    description: str
    custom_instructions: str

    @property
    def questions(self) -> list[Question]:
        return csv_import.read(
            (FOLDER / self.file).read_bytes(), FullSet(QuestionSet("", self.name, "", MAKER, ""))
        ).new


PLANNED = (
    Planned(
        "voting_systems.csv",
        "Voting systems: what do you know?",
        "Ten questions about how people have voted and counted.",
        "Some questions have more than one right answer. Wrong ones cost what right ones earn.",
    ),
    Planned(
        "next_meeting.csv",
        "Ideas for the next club meeting",
        "Everybody answers in a sentence or two, then ranks the answers of others.",
        "Say it shortly: others read it on a phone.",
    ),
    Planned(
        "evening.csv",
        "How was the evening?",
        "A short survey for the end. Nobody learns who said what.",
        "",
    ),
    Planned(
        "summer.csv",
        "Where do we go this summer?",
        "A poll with ranked answers, counted as elections here are.",
        "Rank as many as you like; what you leave out comes last.",
    ),
)


def load() -> int:
    """Returns how many were made."""
    maker = people.find(MAKER)
    if maker is None or repository.owned_by(MAKER, limit=1)[0]:
        return 0
    for planned in PLANNED:
        made = services.make(maker, planned.name, planned.description, planned.custom_instructions)
        services.add(maker, made.id, planned.questions)
        services.share(maker, made.id, on=True)
    return len(PLANNED)
