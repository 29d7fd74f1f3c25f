"""Repository of the Q&A of a session: its settings, questions and moderation decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from foundation.acts.storage import table
from foundation.qa import store as questions
from foundation.qa.rules import Fate, Mode
from foundation.qa.store import NOT_SUMS, Board
from foundation.store import keys
from foundation.store.table import Equals, Missing, Update, Write
from parts.live.moderation import Decided, Texts
from parts.live.qa_rules import QaQuestion, QaSettings
from parts.live.repository import values
from parts.live.rules import Game

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


question_from_item = partial(questions.question_from_item, QaQuestion)


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
