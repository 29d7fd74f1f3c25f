"""Actions of the Q&A: sending, upvoting, moderating, settings.

Sending and upvoting record no events. Moderation events name questions by id only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from foundation.acts.refusals import NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import record
from foundation.qa import rules as question_rules
from foundation.qa import services as questions
from foundation.qa import store
from foundation.qa.rules import Fate, author_id
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from parts.live import changes
from parts.live import qa_rules as rules
from parts.live import qa_store as repository
from parts.live import repository as games
from parts.live.qa_rules import QaAction, QaQuestion, QaSettings
from parts.live.rules import Game, State
from parts.live.seats import Seat

TRANSACTION_TEXTS = 50  # decided in one transaction
EVENTS = {
    QaAction.SHOW: "LiveQuestionShown",
    QaAction.HIDE: "LiveQuestionHidden",
    QaAction.ANSWER: "LiveQuestionAnswered",
    QaAction.PUT_UP: "LiveQuestionPutUp",
    QaAction.TAKE_DOWN: "LiveQuestionTakenDown",
}


# --- by players ---


def send(
    game: Game, state: State, qa: QaSettings, seat: Seat, own: Sequence[QaQuestion], text: str, at: int
) -> QaQuestion:
    """Send a validated question within the player's limits; `own` are their earlier questions."""
    board = repository.board(game.id, game.ttl)

    def new(id_: str) -> QaQuestion:
        player = seat.player if qa.named else ""  # stored only if names are shown
        asked = QaQuestion(id_, text, author_id(game.id, seat.player), at, player=player)
        return question_rules.with_initial_fate(asked, qa.mode, qa.words)

    question = questions.send(board, seat.player, own, lambda known: rules.check_sends(qa, state.phase, known), new)
    if question not in own:
        changes.publish(game.id)
    return question


def upvote(game: Game, state: State, qa: QaSettings, seat: Seat, asked: QaQuestion | None, *, on: bool) -> bool:
    """Upvote a visible question of another player, or take it back; idempotent. Return whether anything changed."""
    rules.check_takes(qa, state.phase)
    may_be_own = asked is not None and seat.had_it(asked.at)
    return questions.upvote(repository.board(game.id, game.ttl), seat.player, asked, on=on, may_be_own=may_be_own)


# --- by hosts ---


def set_up(game_id: str, who: str, **chosen: Any) -> QaSettings:
    """Turn the Q&A on or off and change its settings; turning it off hides all questions at once."""
    return retry_lost_race(lambda: _set_up(game_id, who, chosen))


def _set_up(game_id: str, who: str, chosen: dict[str, Any]) -> QaSettings:
    game, _state, before, _asked = _read(game_id)
    after = replace(before or QaSettings(), **chosen)
    if not after.is_on:
        after = replace(after, on_screen="")
    if after == (before or QaSettings()):
        return after  # nothing to record
    # the log has only the length of the host's word list
    data = {"game_id": game.id, **repository.qa_as_item(after), "words": len(after.words)}
    record(Event(who, "LiveQaChanged", data), *repository.setting_up(game, before, after))
    changes.publish(game.id)
    return after


def moderate(game_id: str, question: str, who: str, act: QaAction, answer: str = "") -> QaQuestion:
    """Moderate a question; if two hosts race, the second retries with the current state."""
    return retry_lost_race(lambda: _moderated(game_id, question, who, act, answer))


def _moderated(game_id: str, question: str, who: str, act: QaAction, answer: str) -> QaQuestion:
    game, _state, qa, before = _read(game_id, question)
    if qa is None or before is None:
        raise NotNow(question_rules.NOT_THERE)
    rules.check_offered(qa, before, act)
    after, screen = rules.moderated(before, act, answer), rules.screen_after(qa, before, act)
    if after == before and screen == qa.on_screen:
        raise NotNow(question_rules.ALREADY_CHANGED)
    board = repository.board(game.id, game.ttl)
    own = [store.checking_unchanged(board, before)] if after == before else store.moderating(board, before, after)
    event_data = {"game_id": game.id, "asked": before.id, "on_screen": screen}
    record(Event(who, EVENTS[act], event_data), *own, *repository.putting_up(game, qa, screen))
    changes.publish(game.id)
    return after


def moderate_texts(game_id: str, round_: int, marks: Sequence[str], who: str, act: QaAction) -> None:
    """Show or hide texts of a round, on every screen from its next update and in the report."""
    game, _state = games.load(game_id)
    fate = Fate.HIDDEN if act == QaAction.HIDE else Fate.SHOWN
    for some in by_count(marks, TRANSACTION_TEXTS):
        event_data = {"game_id": game_id, "round": round_, "texts": some, "fate": str(fate)}
        record(Event(who, "LiveTextsModerated", event_data), *repository.deciding(game, round_, some, fate))
    changes.publish(game_id)


def _read(game_id: str, question: str = "") -> tuple[Game, State, QaSettings | None, QaQuestion | None]:
    """Everything a decision needs, in one round trip."""
    own, place = keys.game_qa(game_id), keys.asked(game_id, question)
    found, items = games.load_with(game_id, own, *([place] if question else []))
    qa = repository.qa_from_item(items[own]) if own in items else None
    return *found, qa, repository.question_from_item(items[place]) if place in items else None
