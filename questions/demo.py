"""Question sets of the demo: one for each type of session, shared, so that whoever signs in can start one at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from accounts import repository as people

from . import repository, services
from .question import Kind, Question

MAKER = "Emmy Noether"

_trivia = partial(Question, kind=Kind.CHOICE, seconds=20)


@dataclass(frozen=True, slots=True)
class Planned:
    name: str
    description: str
    custom_instructions: str
    questions: tuple[Question, ...]


PLANNED = (
    Planned(
        "Voting systems: what do you know?",
        "Ten questions about how people have voted and counted.",
        "Some questions have more than one right answer. Wrong ones cost what right ones earn.",
        (
            _trivia(
                "In which city did people vote on pieces of broken pottery?",
                detail="Whoever had the most votes had to leave for ten years.",
                category="History",
                options=("Athens", "Rome", "Carthage", "Alexandria"),
                right=(0,),
            ),
            _trivia(
                "Which country was the first in which women could vote in national elections?",
                detail="The law was signed in September 1893.",
                category="History",
                options=("Finland", "New Zealand", "Norway", "United States"),
                right=(1,),
            ),
            _trivia(
                "Where do voters rank candidates when they elect the national parliament's lower or only house?",
                category="History",
                options=("Australia", "Canada", "Ireland", "Malta"),
                right=(0, 2, 3),
                seconds=30,
            ),
            _trivia(
                "Which city chose its head by lot and vote in turn, in ten steps?",
                detail="From 1268 to 1797 it chose its doge so.",
                category="History",
                options=("Genoa", "Venice", "Florence"),
                right=(1,),
                seconds=30,
            ),
            _trivia(
                "A candidate beats every other one in a duel of two. What are they called?",
                category="Counting",
                options=("Borda winner", "Condorcet winner", "Plurality winner", "Approval winner"),
                right=(1,),
            ),
            _trivia(
                "Borda with 4 candidates and 3 points for the first: how many has the last?",
                category="Counting",
                options=("0", "1", "3", "4"),
                right=(0,),
            ),
            _trivia(
                "What does instant-runoff voting do in each round?",
                category="Counting",
                options=(
                    "Remove whoever is first on the fewest ballots",
                    "Remove whoever is last on the most ballots",
                    "Add up points for each place",
                ),
                right=(0,),
            ),
            _trivia(
                "100 valid votes, 3 seats: what is the Droop quota?",
                detail="Votes divided by seats plus one, rounded down, plus one.",
                category="Counting",
                options=("25", "26", "33", "34"),
                right=(1,),
                seconds=40,
            ),
            _trivia(
                "Ann beats Bo, Bo beats Cy, and Cy beats Ann. What is it called?",
                category="Puzzles",
                options=("A tie", "A circle, or Condorcet paradox", "A landslide"),
                right=(1,),
            ),
            _trivia(
                "Three or more candidates, ranked ballots: which wishes cannot all be met, said Kenneth Arrow in 1951?",
                category="Puzzles",
                options=(
                    "Nobody decides alone",
                    "What everybody prefers comes first",
                    "A third candidate does not change who of two is ahead",
                    "Ballots are secret",
                ),
                right=(0, 1, 2),
                seconds=40,
            ),
        ),
    ),
    Planned(
        "Ideas for the next club meeting",
        "Everybody answers in a sentence or two, then ranks the answers of others.",
        "Say it shortly: others read it on a phone.",
        (
            Question("What should our next meeting begin with?", category="Warming up", seconds=60),
            Question("What one thing would make more people come?", category="Ideas", seconds=90),
            Question("What have we never tried and should?", category="Ideas", seconds=90),
            Question(
                "How should we welcome somebody new?",
                detail="Think of the first ten minutes.",
                category="Ideas",
                seconds=90,
            ),
        ),
    ),
    Planned(
        "How was the evening?",
        "A short survey for the end. Nobody learns who said what.",
        "",
        (
            Question("How did you like the evening?", Kind.RATING, category="Looking back", seconds=0),
            Question("Was there enough time to talk?", Kind.YES_NO, category="Looking back", seconds=0),
            Question(
                "What was best?",
                Kind.CHOICE,
                category="Looking back",
                options=("The talk", "The game", "The food", "The people"),
                seconds=0,
            ),
            Question("What should be different next time?", category="Looking ahead", seconds=0),
        ),
    ),
    Planned(
        "Where do we go this summer?",
        "A poll with ranked answers, counted as elections here are.",
        "Rank as many as you like; what you leave out comes last.",
        (
            Question(
                "Where do we go this summer?",
                Kind.RANKING,
                options=("To the sea", "To the hills", "To a city", "We stay and swim in the lake"),
                seconds=60,
                twice=True,
            ),
            Question("What should we do there?", Kind.IDEAS, seconds=90),
            Question(
                "When?",
                Kind.RANKING,
                options=("First week of July", "Last week of July", "Middle of August", "September"),
                seconds=60,
            ),
        ),
    ),
)


def load() -> int:
    """Make what is not there; answers how many sets that were."""
    maker = people.find(MAKER)
    if maker is None or repository.mine(MAKER, limit=1)[0]:
        return 0
    for planned in PLANNED:
        made = services.make(maker, planned.name, planned.description, planned.custom_instructions)
        services.add(maker, made.id, planned.questions)
        services.share(maker, made.id, on=True)
    return len(PLANNED)
