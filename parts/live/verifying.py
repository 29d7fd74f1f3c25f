"""Verifies stored sealed rounds against the digests in the log."""

from __future__ import annotations

from collections.abc import Iterator

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log.search import Query, search
from foundation.store.table import Item

from . import repository, rounds
from .rules import Phase, State

SEALED = "LiveRoundSealed"
CLOSED_FROM = (Phase.VOTING, Phase.QUESTION, Phase.SHOWN)  # phases from which a round can be sealed


def check_rounds() -> tuple[int, list[str]]:
    """Number of rounds checked, and a sentence for each that does not match its seal."""
    seen, flaws = 0, []
    for event in _sealed():
        said = event["event_data"]
        found = repository.find(said["game_id"])
        places = [keys.round_heard(said["game_id"], said["round"], phase) for phase in CLOSED_FROM]
        there = table().get_many(places)
        heard = next((there[place] for place in places if place in there), None)
        parts = repository.round_items(said["game_id"], said["round"])
        if found is not None and (heard or parts):
            seen += 1
            flaws += [flaw] if (flaw := _flaw(found[1], said, heard, parts)) else []
    return seen, flaws


def _sealed() -> Iterator[Item]:
    """Sealing events of rounds that may still be stored, newest first."""
    since = repository.oldest_kept()
    if since is None:
        return
    wanted, before = Query(event_type=SEALED, since=since), None
    while True:
        found = search(table(), wanted, before=before)
        yield from found.events
        if (before := found.before) is None:
            return


def _flaw(state: State, said: Item, heard: Item | None, parts: list[Item]) -> str | None:
    where = f"Round {said['round']} of the live session {said['game_id']}"
    if heard is None or not parts:
        return f"{where}: {'the round' if heard else 'the list of receipts'} that was sealed is gone."
    round_ = rounds.round_from_parts(parts)
    asked = state.questions_in(round_.number, repository.read_questions(said["game_id"]))
    there = rounds.digests(round_, asked, heard["receipts"])
    wrong = [words for name, words in WRONG.items() if there[name] != said.get(name, there[name])]
    return f"{where}: {wrong[0]}" if wrong else None


WRONG = {
    "digest": "its result or what was given in it is not what was sealed.",
    "heard": "the receipts of what counts are not those that were sealed.",
    "asked": "what was asked is not what was sealed.",
}
