"""Repository of Q&A questions, upvotes and moderation decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from acts.storage import table
from acts.versions import next_version, unchanged
from live.moderation import Decided, Texts
from live.qa_rules import MAX_QUESTIONS_PER_PERSON, Fate, Mode, QaQuestion, QaSettings, question_id
from live.repository import item_at, values, values_of
from live.rules import Game
from store import keys
from store.table import Check, Equals, Exists, Item, Key, Missing, Put, Update, Write

NUMBERS = ("changes", "sent", "decided")  # counters, only ever incremented
NOT_SUMS = ("PK", "SK", "ttl")  # all other attributes of the item are questions

# --- finding ---


def read_questions(game_id: str) -> list[QaQuestion]:
    """All questions sent, in one round trip per megabyte."""
    return [question_from_item(item) for item in table().each(keys.all_asked(game_id))]


def own_keys(game_id: str, player: str) -> list[Key]:
    """Keys of all questions a player can have sent, so that they can be read in a batch."""
    return [keys.asked(game_id, question_id(game_id, player, number)) for number in range(MAX_QUESTIONS_PER_PERSON)]


def own_questions(game_id: str, player: str, items: Mapping[Key, Item]) -> list[QaQuestion]:
    """A player's questions among items already read, oldest first."""
    return [question_from_item(items[place]) for place in own_keys(game_id, player) if place in items]


def read_upvotes(game_id: str, items: Mapping[Key, Item] | None = None) -> dict[str, int]:
    """Upvotes by question; pass `items` if the counters were already read."""
    places = keys.all_upvotes(game_id)
    found = table().get_many(places) if items is None else items
    sums = Counter[str]()
    for place in places:
        sums.update(_questions_in(found.get(place)))
    return {question: number for question, number in sums.items() if number > 0}


def upvoted(item: Item | None) -> frozenset[str]:
    """Questions upvoted by a player, from their item."""
    return frozenset(_questions_in(item))


def _questions_in(item: Item | None) -> dict[str, int]:
    return {name: value for name, value in (item or {}).items() if name not in NOT_SUMS}


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


def question_from_item(item: Mapping[str, Any]) -> QaQuestion:
    return QaQuestion(**values_of(QaQuestion, item) | {"fate": Fate(item["fate"])})


def _question_item(game: Game, question: QaQuestion) -> Item:
    return item_at(keys.asked(game.id, question.id), game, values(question) | {"fate": str(question.fate)})


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


def checking_unchanged(game: Game, asked: QaQuestion) -> Check:
    return Check(keys.asked(game.id, asked.id), unchanged(asked))


def sending(game: Game, asked: QaQuestion) -> list[Write]:
    """Refused if the same person sent another question at the same time."""
    return [Put(_question_item(game, asked), when=Missing())]


def moderating(game: Game, before: QaQuestion, after: QaQuestion) -> list[Write]:
    """Refused if it was moderated since it was read."""
    return [Put(_question_item(game, next_version(before, after)), when=unchanged(before))]


def count_question(game: Game) -> None:
    """Count a new question; a separate write, so that concurrent senders do not contend."""
    table().increment(keys.game_qa(game.id), "sent", also={"ttl": game.ttl})


def upvoting(game: Game, who: str, question: str) -> list[Write]:
    """Refused in part 0 if the player has already upvoted it."""
    return [
        Update(keys.upvoted(game.id, who), set={question: 1, "ttl": game.ttl}, when=Missing(question)),
        Update(keys.upvotes(game.id, who), set={"ttl": game.ttl}, add={question: 1}),
    ]


def taking_back(game: Game, who: str, question: str) -> list[Write]:
    """Refused in part 0 if the player has not upvoted it."""
    return [
        Update(keys.upvoted(game.id, who), remove=(question,), when=Exists(question)),
        Update(keys.upvotes(game.id, who), set={"ttl": game.ttl}, add={question: -1}),
    ]
