"""Question sets to test with."""

from __future__ import annotations

import pytest

from parts.questions import services
from parts.questions.question import Kind, Question

CAPITAL = Question(
    "What is the capital of Peru?",
    Kind.CHOICE,
    "It lies on the coast.",
    "Towns",
    "Geography",
    "Pick one.",
    ("Cusco", "Lima", "Quito"),
    (1,),
    20,
)
MEET = Question("Where shall we meet?", Kind.RANKING, category="Plans", options=("Library", "Park"), seconds=0)
IDEA = Question("What is your idea?", category="Plans")
RATE = Question("How was it?", Kind.RATING)
MANY = (CAPITAL, MEET, IDEA, RATE)


def numbered(count: int, **words) -> list[Question]:
    return [Question(f"Question {number}", category=f"Category {number % 3}", **words) for number in range(count)]


@pytest.fixture
def ida(person):
    return person("Ida")


@pytest.fixture
def made(site, ida):
    """A set of Ida's with a question of most kinds; answers its id."""
    set_ = services.make(ida, "Evening", "For *all*.", "Be quick.")
    services.add(ida, set_.id, MANY)
    return set_.id
