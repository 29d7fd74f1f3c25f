"""A session with all that its screens show: what does not change is kept in mind, what does is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.table import Item

from . import counting, gathering, repository, seats
from .gathering import Gathered
from .questions import Question, Type
from .rounds import Round
from .rules import Game, Phase, State
from .seats import Seat
from .services import closing


@dataclass(frozen=True, slots=True)
class Present:
    """Who is there, as far as all processes know."""

    players: int = 0
    host_away: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]  # by the player's id
    rounds: Mapping[int, Round]  # all that are sealed
    gathered: Gathered | None = None  # what is voted on
    present: Present = Present()
    answered: int = 0  # how many have answered or voted in the phase that is open
    at: int = field(default=0, compare=False)  # when it was looked at

    @property
    def question(self) -> Question | None:
        return self.questions[self.state.question] if self.state.round else None

    @property
    def round(self) -> Round | None:
        """What came of the question at hand."""
        return self.rounds.get(self.state.round) if not self.state.is_open else None

    @property
    def counting_rounds(self) -> list[Round]:
        """What totals are made of."""
        return [each for number, each in sorted(self.rounds.items()) if self.state.counts(number)]

    @property
    def playing(self) -> list[Seat]:
        return [each for each in self.seats.values() if each.plays and not each.left]


def read(game_id: str) -> Room | None:
    """The session as the table has it now, whatever is over being closed."""
    found = repository.find(game_id)
    if found is None:
        return None
    game, state = found[0], closing.settled(*found)
    parts: dict[int, list[Item]] = {}
    for item in repository.round_items(game_id):
        parts.setdefault(int(item["SK"].split("#")[1]), []).append(item)
    voting = state.phase == Phase.VOTING and game.engagement_type == Type.CALL_AND_ANSWER
    return Room(
        game=game,
        state=state,
        questions=repository.questions(game_id),
        seats={each.player: each for each in seats.each(game_id)},
        rounds={number: counting.round_of(some) for number, some in parts.items()},
        gathered=gathering.read(game_id, state.round) if voting else None,
    )
