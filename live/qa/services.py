"""Actions of the Q&A: sending, upvoting, moderating, settings.

Sending and upvoting record no events. Moderation events name questions by id only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from acts.refusals import NotNow
from acts.retry import retry_lost_race
from acts.storage import record, table, try_write
from live import changes
from live import qa_rules as rules
from live import qa_store as repository
from live import repository as games
from live.qa_rules import Act, Fate, QaQuestion, QaSettings, author_id, question_id
from live.rules import Game, State
from live.seats import Seat
from store import keys
from store.log import Event
from store.splitting import by_count

TRANSACTION_TEXTS = 50  # decided in one transaction
EVENTS = {
    Act.SHOW: "LiveQuestionShown",
    Act.HIDE: "LiveQuestionHidden",
    Act.ANSWER: "LiveQuestionAnswered",
    Act.PUT_UP: "LiveQuestionPutUp",
    Act.TAKE_DOWN: "LiveQuestionTakenDown",
}


# --- by players ---


def send(
    game: Game, state: State, qa: QaSettings, seat: Seat, own: Sequence[QaQuestion], text: str, at: int
) -> QaQuestion:
    """Send a validated question within the player's limits; idempotent for the same text.

    `own` are the player's earlier questions, read after the request came in. Two sent at once compete for the same id,
    and the second retries.
    """
    before = next((each for each in own if each.text == text), None)
    if before is not None:
        return before
    rules.check_sends(qa, state.phase, own)
    question = QaQuestion(
        question_id(game.id, seat.player, len(own)),
        text,
        author_id(game.id, seat.player),
        at,
        player=seat.player if qa.named else "",  # stored only if names are shown
    )
    question = rules.with_initial_fate(qa, question)
    if not try_write(*repository.sending(game, question)):
        items = table().get_many(repository.own_keys(game.id, seat.player))
        return send(game, state, qa, seat, repository.own_questions(game.id, seat.player, items), text, at)
    repository.count_question(game)
    changes.publish(game.id)
    return question


def upvote(game: Game, state: State, qa: QaSettings, seat: Seat, asked: QaQuestion | None, *, on: bool) -> bool:
    """Upvote a visible question of another player, or take it back; idempotent. Return whether anything changed."""
    who = author_id(game.id, seat.player)
    rules.check_upvotes(qa, state.phase, asked, who if asked and seat.had_it(asked.at) else "")
    assert asked is not None  # checked above
    writes = repository.upvoting if on else repository.taking_back
    return try_write(*writes(game, who, asked.id))


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


def moderate(game_id: str, question: str, who: str, act: Act, answer: str = "") -> QaQuestion:
    """Moderate a question; if two hosts race, the second retries with the current state."""
    return retry_lost_race(lambda: _moderated(game_id, question, who, act, answer))


def _moderated(game_id: str, question: str, who: str, act: Act, answer: str) -> QaQuestion:
    game, _state, qa, before = _read(game_id, question)
    if qa is None or before is None:
        raise NotNow(rules.NOT_THERE)
    rules.check_offered(qa, before, act)
    after, screen = rules.moderated(before, act, answer), rules.screen_after(qa, before, act)
    if after == before and screen == qa.on_screen:
        raise NotNow(rules.ALREADY_CHANGED)
    own = (
        [repository.checking_unchanged(game, before)] if after == before else repository.moderating(game, before, after)
    )
    said = {"game_id": game.id, "asked": before.id, "on_screen": screen}
    record(Event(who, EVENTS[act], said), *own, *repository.putting_up(game, qa, screen))
    changes.publish(game.id)
    return after


def moderate_texts(game_id: str, round_: int, marks: Sequence[str], who: str, act: Act) -> None:
    """Show or hide texts of a round, on every screen from its next update and in the report."""
    game, _state = games.load(game_id)
    fate = Fate.HIDDEN if act == Act.HIDE else Fate.SHOWN
    for some in by_count(marks, TRANSACTION_TEXTS):
        said = {"game_id": game_id, "round": round_, "texts": some, "fate": str(fate)}
        record(Event(who, "LiveTextsModerated", said), *repository.deciding(game, round_, some, fate))
    changes.publish(game_id)


def _read(game_id: str, question: str = "") -> tuple[Game, State, QaSettings | None, QaQuestion | None]:
    """Everything a decision needs, in one round trip."""
    own, place = keys.game_qa(game_id), keys.asked(game_id, question)
    found, items = games.load_with(game_id, own, *([place] if question else []))
    qa = repository.qa_from_item(items[own]) if own in items else None
    return *found, qa, repository.question_from_item(items[place]) if place in items else None
