"""What players and hosts do with questions of the room: look, decide, write.

Sending and upvoting are no events: there are as many as people, and they outlive nothing. What hosts do is told in the
log by the ids of questions alone, without anybody's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from acts.refusals import NotNow
from acts.retry import retry_lost_race
from acts.storage import record, table, try_write
from live import repository as games
from live import room_questions as rules
from live import room_questions_store as repository
from live import waking
from live.room_questions import Act, Asked, Fate, Qa, mark_of, question_of
from live.rules import Game, State
from live.seats import Seat
from store import keys
from store.log import Event
from store.splitting import by_count

TRANSACTION_TEXTS = 50  # that are decided about together
EVENTS = {
    Act.SHOW: "LiveQuestionShown",
    Act.HIDE: "LiveQuestionHidden",
    Act.ANSWER: "LiveQuestionAnswered",
    Act.PUT_UP: "LiveQuestionPutUp",
    Act.TAKE_DOWN: "LiveQuestionTakenDown",
}


# --- by players ---


def send(game: Game, state: State, qa: Qa, seat: Seat, own: Sequence[Asked], text: str, at: int) -> Asked:
    """A question, checked and at most as many as somebody may send; the same text sent twice is one question.

    `own` are those that they have sent, read since the request came in. Who sends two at once has both go for the same
    place: the second looks again.
    """
    before = next((each for each in own if each.text == text), None)
    if before is not None:
        return before
    rules.check_sends(qa, state.phase, own)
    new = _new(game, qa, seat, len(own), text, at)
    if not try_write(*repository.sending(game, new)):
        return send(game, state, qa, seat, _own_now(game, seat), text, at)
    repository.counted(game)
    waking.moved(game.id)
    return new


def _new(game: Game, qa: Qa, seat: Seat, number: int, text: str, at: int) -> Asked:
    """Where nobody is to see who asks, it is not kept."""
    question, player = question_of(game.id, seat.player, number), seat.player if qa.named else ""
    return rules.sent(qa, Asked(question, text, mark_of(game.id, seat.player), at, player=player))


def _own_now(game: Game, seat: Seat) -> list[Asked]:
    items = table().get_many(repository.own_places(game.id, seat.player))
    return repository.own(game.id, seat.player, items)


def upvote(game: Game, state: State, qa: Qa, seat: Seat, asked: Asked | None, *, on: bool) -> bool:
    """Whether anything has changed: twice is once. Other people's questions, while they can be seen."""
    who = mark_of(game.id, seat.player)
    rules.check_upvotes(qa, state.phase, asked, who if asked and seat.had_it(asked.at) else "")
    assert asked is not None  # as it was checked
    writes = repository.upvoting if on else repository.taking_back
    return try_write(*writes(game, who, asked.id))


# --- by hosts ---


def set_up(game_id: str, who: str, **chosen: Any) -> Qa:
    """Turn questions on or off, and choose how they are taken; what is off is seen by nobody from that moment."""
    return retry_lost_race(lambda: _set_up(game_id, who, chosen))


def _set_up(game_id: str, who: str, chosen: dict[str, Any]) -> Qa:
    game, _state, before, _asked = _read(game_id)
    after = replace(before or Qa(), **chosen)
    if not after.is_on:
        after = replace(after, on_screen="")
    if after == (before or Qa()):
        return after  # nothing to tell
    record(Event(who, "LiveQaChanged", told(game, after)), *repository.setting_up(game, before, after))
    waking.moved(game.id)
    return after


def told(game: Game, qa: Qa) -> dict[str, Any]:
    """What the log keeps: of the host's list only how long it is."""
    return {"game_id": game.id, **repository.told_qa(qa), "words": len(qa.words)}


def moderate(game_id: str, question: str, who: str, act: Act, answer: str = "") -> Asked:
    """Of two hosts at once the second looks again, and is told what it is by then."""
    return retry_lost_race(lambda: _moderated(game_id, question, who, act, answer))


def _moderated(game_id: str, question: str, who: str, act: Act, answer: str) -> Asked:
    game, _state, qa, before = _read(game_id, question)
    if qa is None or before is None:
        raise NotNow(rules.NOT_THERE)
    rules.check_offered(qa, before, act)
    after, screen = rules.moderated(before, act, answer), rules.screen_after(qa, before, act)
    if after == before and screen == qa.on_screen:
        raise NotNow(rules.NOT_SO)
    own = [repository.still(game, before)] if after == before else repository.moderating(game, before, after)
    said = {"game_id": game.id, "asked": before.id, "on_screen": screen}
    record(Event(who, EVENTS[act], said), *own, *repository.putting_up(game, qa, screen))
    waking.moved(game.id)
    return after


def decide(game_id: str, round_: int, marks: Sequence[str], who: str, act: Act) -> None:
    """Show or hide what was written in a round: on every screen from the next look on, and in the report."""
    game, _state = games.load(game_id)
    fate = Fate.HIDDEN if act == Act.HIDE else Fate.SHOWN
    for some in by_count(marks, TRANSACTION_TEXTS):
        said = {"game_id": game_id, "round": round_, "texts": some, "fate": str(fate)}
        record(Event(who, "LiveTextsModerated", said), *repository.deciding(game, round_, some, fate))
    waking.moved(game_id)


def _read(game_id: str, question: str = "") -> tuple[Game, State, Qa | None, Asked | None]:
    """All that a decision needs, in one round trip."""
    own, place = keys.game_qa(game_id), keys.asked(game_id, question)
    found, items = games.load_with(game_id, own, *([place] if question else []))
    qa = repository.qa_of(items[own]) if own in items else None
    return *found, qa, repository.asked_of(items[place]) if place in items else None
