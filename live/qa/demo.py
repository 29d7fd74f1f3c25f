"""Demo questions for the Q&A: one waiting, one shown, one answered."""

from __future__ import annotations

from live import clock
from live import qa_store as repository
from live.qa_rules import Act, Fate, QaSettings
from live.rules import Game, State
from live.seats import Seat

from . import services

ASKED = (
    ("Can we see how close it was?", (Act.SHOW,)),
    ("Is there coffee afterwards?", (Act.ANSWER,)),
    ("Who counts the votes when the network fails?", ()),  # the last of an interrupted attempt that is missing
)
ANSWER = "Yes, and cake."


def load(game: Game, names: tuple[str, ...]) -> None:
    """Send the demo questions under these names, unless all are there; the later names upvote the visible ones."""
    if len(repository.read_questions(game.id)) == len(ASKED):
        return
    qa = services.set_up(game.id, game.created_by, is_on=True)
    people = [Seat(f"asks{number:06d}", name, game.created_at) for number, name in enumerate(names)]
    for number, (text, acts) in enumerate(ASKED):
        _ask(game, qa, people[number:], text, acts)


def _ask(game: Game, qa: QaSettings, people: list[Seat], text: str, acts: tuple[Act, ...]) -> None:
    author, *others = people
    asked = services.send(game, State(), qa, author, (), text, clock.now())
    for act in acts if asked.fate == Fate.WAITING else ():
        asked = services.moderate(game.id, asked.id, game.created_by, act, ANSWER if act == Act.ANSWER else "")
    for seat in others if asked.is_seen else ():
        services.upvote(game, State(), qa, seat, asked, on=True)
