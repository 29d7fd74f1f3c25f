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
    """Make those that are missing or not shared yet; returns how many."""
    maker = people.find(MAKER)
    if maker is None:
        return 0
    made = {each.name: each for each in repository.each_owned_by(MAKER)}
    missing = [each for each in PLANNED if each.name not in made or not made[each.name].shared]
    for planned in missing:
        found = made.get(planned.name) or services.make(
            maker, planned.name, planned.description, planned.custom_instructions
        )
        if not found.total_questions:
            services.add(maker, found.id, planned.questions)
        services.share(maker, found.id, on=True)
    return len(missing)
