"""What happens to a room's questions when the log is replayed: whether and how they are taken, and what is on the wall.

Who asked what is in no log at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from live.replay import of_a_game
from live.rules import Game, State
from store import keys
from store.replay import Act, Exempt, Happened, Step, like
from store.table import Update

from . import repository
from .rules import Fate


@of_a_game
def changed(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """The host's list is in no log."""
    told = repository.told_qa(repository.qa_of({**event.said, "words": ()}))
    yield [Update(keys.game_qa(game.id), set={**told, "ttl": game.ttl}, add={"changes": 1})]


@of_a_game
def moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    yield [Update(keys.game_qa(game.id), set={"on_screen": event.said["on_screen"]}, add={"changes": 1})]


@of_a_game
def texts_moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    said = event.said
    yield repository.deciding(game, said["round"], said["texts"], Fate(said["fate"]))


REPLAY: dict[str, Act] = {
    "LiveQaChanged": changed,
    "LiveQuestionShown": moderated,
    "LiveQuestionHidden": moderated,
    "LiveQuestionAnswered": moderated,
    "LiveQuestionPutUp": moderated,
    "LiveQuestionTakenDown": moderated,
    "LiveTextsModerated": texts_moderated,
}

EXEMPT = (
    Exempt(
        like(keys.game_qa("")),
        "The host's own list of words; and how many questions there are, which are no events.",
        attributes=("words", "sent"),
    ),
    Exempt(
        like(keys.moderated("", 0)),
        "Of a session that was deleted, until a worker has cleared it away.",
        within=keys.game(""),
    ),
    Exempt(like(keys.asked("", "")), "Goes two weeks after the session; what people ask is in no log."),
    Exempt(like(keys.upvoted("", "")), "Goes two weeks after the session; who wants what answered is in no log."),
    Exempt(like(keys.upvotes("", "")), "Goes two weeks after the session; who wants what answered is in no log."),
)
