"""Questions from the room: how they and their settings are stored, sent, upvoted and moderated.

Sending and upvoting record no events. Moderation events name questions by id only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from foundation.acts.refusals import NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import record, table
from foundation.qa import rules as question_rules
from foundation.qa import services as questions
from foundation.qa import store
from foundation.qa.rules import Fate, Mode, author_id
from foundation.qa.store import NOT_SUMS, Board
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Equals, Missing, Update, Write
from parts.live import changes, moderation
from parts.live import repository as games
from parts.live.moderation import Decided, QaAction, QaQuestion, QaSettings, Texts
from parts.live.repository import values
from parts.live.rules import Game, State
from parts.live.seats import Seat

NUMBERS = ("changes", "sent", "decided")  # counters, only ever incremented


def board(game_id: str, ttl: int = 0) -> Board:
    """Where its questions are stored; writes need `ttl`."""
    return Board(
        game_id,
        keys.game_qa(game_id),
        partial(keys.asked, game_id),
        partial(keys.upvoted, game_id),
        partial(keys.upvotes, game_id),
        tuple(keys.all_upvotes(game_id)),
        {"ttl": ttl} if ttl else {},
    )


# --- finding ---


def read_questions(game_id: str) -> list[QaQuestion]:
    """All questions sent, in one round trip per megabyte."""
    return [question_from_item(item) for item in table().each(keys.all_asked(game_id))]


def read_decisions(game_id: str) -> Decided:
    """Moderation decisions about texts, by round."""
    found = ((int(item["SK"].split("#")[1]), item) for item in table().each(keys.all_moderated(game_id)))
    return {round_: {name: fate for name, fate in item.items() if name not in NOT_SUMS} for round_, item in found}


def read_texts(game_id: str) -> Texts:
    """Current moderation settings and decisions, uncached."""
    qa = qa_from_item(table().get(keys.game_qa(game_id)))
    return Texts(game_id, qa.texts, qa.words, read_decisions(game_id) if qa.decided else {})


# --- items and values ---


def qa_from_item(item: Mapping[str, Any] | None) -> QaSettings:
    """Settings from an item; without one the Q&A is off."""
    known = {each.name: (item or {}).get(each.name, each.default) for each in fields(QaSettings)}
    modes = {"mode": Mode(known["mode"]), "texts": Mode(known["texts"])}
    return QaSettings(**known | modes | {"words": tuple(known["words"])})


def qa_as_item(qa: QaSettings) -> dict[str, Any]:
    """Settings as stored, without the counters."""
    settings = {name: value for name, value in values(qa).items() if name not in NUMBERS}
    return settings | {"mode": str(qa.mode), "texts": str(qa.texts), "words": list(qa.words)}


question_from_item = partial(store.question_from_item, QaQuestion)


# --- writes ---


def setting_up(game: Game, before: QaSettings | None, after: QaSettings) -> list[Write]:
    """Refused if the big screen has changed since; without `before`, if settings exist already."""
    when = Missing() if before is None else Equals("on_screen", before.on_screen)
    return [Update(keys.game_qa(game.id), set={**qa_as_item(after), "ttl": game.ttl}, add={"changes": 1}, when=when)]


def putting_up(game: Game, before: QaSettings, question: str) -> list[Write]:
    """Refused if the big screen has changed since."""
    when = Equals("on_screen", before.on_screen)
    return [Update(keys.game_qa(game.id), set={"on_screen": question}, add={"changes": 1}, when=when)]


def deciding(game: Game, round_: int, marks: Iterable[str], fate: Fate) -> list[Write]:
    """Record decisions about texts of a round; the counter invalidates cached decisions."""
    own = Update(keys.moderated(game.id, round_), set={**dict.fromkeys(marks, str(fate)), "ttl": game.ttl})
    return [own, Update(keys.game_qa(game.id), set={"ttl": game.ttl}, add={"changes": 1, "decided": 1})]


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

    def new(id_: str) -> QaQuestion:
        player = seat.player if qa.named else ""  # stored only if names are shown
        asked = QaQuestion(id_, text, author_id(game.id, seat.player), at, player=player)
        return question_rules.with_initial_fate(asked, qa.mode, qa.words)

    question = questions.send(
        board(game.id, game.ttl), seat.player, own, lambda known: moderation.check_sends(qa, state.phase, known), new
    )
    if question not in own:
        changes.publish(game.id)
    return question


def upvote(game: Game, state: State, qa: QaSettings, seat: Seat, asked: QaQuestion | None, *, on: bool) -> bool:
    """Upvote a visible question of another player, or take it back; idempotent. Return whether anything changed."""
    moderation.check_takes(qa, state.phase)
    may_be_own = asked is not None and seat.had_it(asked.at)
    return questions.upvote(board(game.id, game.ttl), seat.player, asked, on=on, may_be_own=may_be_own)


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
    data = {"game_id": game.id, **qa_as_item(after), "words": len(after.words)}
    record(Event(who, "LiveQaChanged", data), *setting_up(game, before, after))
    changes.publish(game.id)
    return after


def moderate(game_id: str, question: str, who: str, act: QaAction, answer: str = "") -> QaQuestion:
    """Moderate a question; if two hosts race, the second retries with the current state."""
    return retry_lost_race(lambda: _moderated(game_id, question, who, act, answer))


def _moderated(game_id: str, question: str, who: str, act: QaAction, answer: str) -> QaQuestion:
    game, _state, qa, before = _read(game_id, question)
    if qa is None or before is None:
        raise NotNow(question_rules.NOT_THERE)
    moderation.check_offered(qa, before, act)
    after, screen = moderation.moderated(before, act, answer), moderation.screen_after(qa, before, act)
    if after == before and screen == qa.on_screen:
        raise NotNow(question_rules.ALREADY_CHANGED)
    place = board(game.id, game.ttl)
    own = [store.checking_unchanged(place, before)] if after == before else store.moderating(place, before, after)
    event_data = {"game_id": game.id, "asked": before.id, "on_screen": screen}
    record(Event(who, EVENTS[act], event_data), *own, *putting_up(game, qa, screen))
    changes.publish(game.id)
    return after


def moderate_texts(game_id: str, round_: int, marks: Sequence[str], who: str, act: QaAction) -> None:
    """Show or hide texts of a round, on every screen from its next update and in the report."""
    game, _state = games.load(game_id)
    fate = Fate.HIDDEN if act == QaAction.HIDE else Fate.SHOWN
    for some in by_count(marks, TRANSACTION_TEXTS):
        event_data = {"game_id": game_id, "round": round_, "texts": some, "fate": str(fate)}
        record(Event(who, "LiveTextsModerated", event_data), *deciding(game, round_, some, fate))
    changes.publish(game_id)


def _read(game_id: str, question: str = "") -> tuple[Game, State, QaSettings | None, QaQuestion | None]:
    """Everything a decision needs, in one round trip."""
    own, place = keys.game_qa(game_id), keys.asked(game_id, question)
    found, items = games.load_with(game_id, own, *([place] if question else []))
    qa = qa_from_item(items[own]) if own in items else None
    return *found, qa, question_from_item(items[place]) if place in items else None
