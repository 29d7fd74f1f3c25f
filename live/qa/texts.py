"""What people write in a session's rounds, as everybody may see it.

Hosts choose how it is taken: at once, at once unless a word of their list is in it, or only once they have looked at
it. What they decide is about words and not about people, so that in an anonymous round nobody learns who wrote what:
equal texts of a round have one mark, and share what was decided. A sealed round never changes, so that what was hidden
is left out of what is shown of it; and an answer that nobody sees has no points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from live import scores
from live.rounds import Entry, Round
from live.scores import Answer
from questions.question import Kind
from store.keys import fold
from tally.ballots import groups_of

from .marks import text_mark
from .rules import Fate, Mode, waits

Decided = Mapping[int, Mapping[str, str]]  # by round, the fates of texts by their marks


@dataclass(frozen=True, slots=True)
class Texts:
    """How what is written in a session is taken, and what its hosts have decided."""

    game_id: str = ""
    mode: Mode = Mode.OPEN
    words: tuple[str, ...] = ()
    decided: Decided = field(default_factory=dict)

    @property
    def are_all_seen(self) -> bool:
        return self.mode == Mode.OPEN and not self.decided

    def mark(self, round_: int, text: str, place: int = 0) -> str:
        """`place` is that of the question, where a round has several."""
        return text_mark(self.game_id, round_, place, fold(text))

    def fate(self, round_: int, text: str, place: int = 0) -> Fate:
        decided = self.decided.get(round_)
        found = decided.get(self.mark(round_, text, place)) if decided else None
        if found:
            return Fate(found)
        return Fate.WAITING if waits(self.mode, self.words, text) else Fate.SHOWN

    def is_seen(self, round_: int, text: str, place: int = 0) -> bool:
        return self.fate(round_, text, place) == Fate.SHOWN

    def is_hidden(self, round_: int, text: str) -> bool:
        """Whether a host has hidden it: of ideas on a ballot, which were looked at when they were put in order."""
        return self.fate(round_, text) == Fate.HIDDEN


# --- answers that the room votes on ---


def unseen_answers(texts: Texts, round_: int, answers: Sequence[Answer], removed: Collection[str]) -> frozenset[int]:
    """The numbers of those that nobody sees: hidden, waiting, or only of people who were removed."""
    if texts.are_all_seen and not removed:
        return frozenset()
    return frozenset(
        number
        for number, answer in enumerate(answers)
        if not texts.is_seen(round_, answer.text) or all(author in removed for author in answer.authors)
    )


def waiting(texts: Texts, round_: int, some: Sequence[str]) -> list[int]:
    """The places of those texts that wait for the host."""
    return [place for place, text in enumerate(some) if texts.fate(round_, text) == Fate.WAITING]


# --- ideas that the room votes on ---


def hidden_options(texts: Texts, round_: int, options: Sequence[str]) -> frozenset[int]:
    if not texts.decided.get(round_):
        return frozenset()
    return frozenset(place for place, text in enumerate(options) if texts.is_hidden(round_, text))


def covered(options: Sequence[str], hidden: Collection[int]) -> tuple[str, ...]:
    """What stands on a ballot: the places stay, as votes name them."""
    return tuple(_("(hidden by the host)") if place in hidden else text for place, text in enumerate(options))


def without(ranking: Any, hidden: Collection[int]) -> Any:
    """The same ranking as if these had not been there."""
    if not hidden or not isinstance(ranking, str):
        return ranking
    try:
        groups = [[each for each in group if each not in hidden] for group in groups_of(ranking)]
    except ValueError:
        return ranking  # what is not a ranking counts as a blank vote
    return ">".join("=".join(map(str, group)) for group in groups if group)


# --- rounds that are sealed ---


def seen_round(texts: Texts, round_: Round, removed: Collection[str] = ()) -> Round:
    """A sealed round as everybody may see it; the very same if there is nothing to leave out of it. `hidden` in its
    result says how many texts are."""
    if texts.are_all_seen and not removed:
        return round_
    if "answers" in round_.result:
        return _seen_answers(texts, round_, removed)
    if "questions" in round_.result:
        return _seen_survey(texts, round_)
    return _seen_ideas(texts, round_) if round_.result.get("kind") == Kind.IDEAS else round_


def _seen_answers(texts: Texts, round_: Round, removed: Collection[str]) -> Round:
    """Whoever wrote what nobody sees has no points for it, and the others move up."""
    number, result = round_.number, round_.result
    shown = [_of_others(each, removed) for each in result["answers"] if texts.is_seen(number, each["text"])]
    shown = [each for each in shown if each["by"]]
    entries = tuple(
        replace(entry, said="", points=0, bonus=0)
        if entry.player in removed or not texts.is_seen(number, entry.said)
        else entry
        for entry in round_.entries
    )
    gone = len(result["answers"]) - len(shown)
    if entries == round_.entries and not gone:
        return round_
    if result["voted"]:
        places = scores.places({str(at): each["points"] for at, each in enumerate(shown)})
        shown = [each | {"place": places[str(at)]} for at, each in enumerate(shown)]
    told = {"answers": shown, "merged": result["merged"] - gone, "hidden": gone}
    return replace(round_, result={**result, **told}, entries=entries)


def _of_others(told: Mapping[str, Any], removed: Collection[str]) -> dict[str, Any]:
    authors = [each for each in told["authors"] if each not in removed]
    return {**told, "authors": authors, "by": told["by"] - len(told["authors"]) + len(authors)}


def _seen_survey(texts: Texts, round_: Round) -> Round:
    seen = tuple(each for each in round_.entries if texts.is_seen(round_.number, each.said["text"], _place(each)))
    if len(seen) == len(round_.entries):
        return round_
    told = [dict(each) for each in round_.result["questions"]]
    for entry in set_apart(round_.entries, seen):
        told[_place(entry)]["kept"] -= 1
        told[_place(entry)]["hidden"] = told[_place(entry)].get("hidden", 0) + 1
    gone = len(round_.entries) - len(seen)
    return replace(round_, result={**round_.result, "questions": told, "hidden": gone}, entries=seen)


def set_apart(entries: Sequence[Entry], kept: Sequence[Entry]) -> Iterator[Entry]:
    """Those that are not kept."""
    left = {id(each) for each in kept}
    return (each for each in entries if id(each) not in left)


def _place(entry: Entry) -> int:
    return int(entry.said["question"])


def _seen_ideas(texts: Texts, round_: Round) -> Round:
    number, result = round_.number, round_.result
    hidden = hidden_options(texts, number, result["options"])
    ideas = [
        {**each, "texts": [text for text in each["texts"] if not texts.is_hidden(number, text)]}
        for each in result["ideas"]
        if not texts.is_hidden(number, each["text"])
    ]
    if not hidden and ideas == list(result["ideas"]):
        return round_
    told = {"options": list(covered(result["options"], hidden)), "ideas": ideas}
    gone = max(len(hidden), len(result["ideas"]) - len(ideas), 1)
    return replace(round_, result={**result, **told, "hidden": gone})


# --- what hosts look at ---


@dataclass(frozen=True, slots=True)
class Written:
    """A text that hosts decide about, in their list."""

    round: int
    mark: str
    text: str
    fate: Fate
    is_of_removed: bool = False
    held: bool = False  # back, by a word of the list

    @property
    def id(self) -> str:
        return f"t{self.round}-{self.mark}"


def written_in(texts: Texts, round_: Round, removed: Collection[str] = ()) -> list[Written]:
    """All texts of a sealed round, each once."""
    result, number = round_.result, round_.number
    if "answers" in result:
        by_fold = {fold(each.said): each.said for each in round_.entries}
        authors: dict[str, list[str]] = {}
        for each in round_.entries:
            authors.setdefault(fold(each.said), []).append(each.player)
        gone = {folded for folded, who in authors.items() if all(each in removed for each in who)}
        return [_written(texts, number, text, is_of_removed=folded in gone) for folded, text in by_fold.items() if text]
    if "questions" in result:
        found = {(_place(each), fold(each.said["text"])): each.said["text"] for each in round_.entries}
        return [_written(texts, number, text, place) for (place, _folded), text in found.items()]
    return options_written(texts, number, result["options"]) if result.get("kind") == Kind.IDEAS else []


def answers_written(texts: Texts, gathered: Round, removed: Collection[str]) -> list[Written]:
    """The same of answers that are being voted on."""
    return written_in(texts, replace(gathered, result={"answers": ()}), removed)


def options_written(texts: Texts, round_: int, options: Sequence[str]) -> list[Written]:
    """Ideas on a ballot, which were looked at when they were put in order: none of them waits."""
    return [_written(replace(texts, mode=Mode.OPEN), round_, text) for text in options]


def _written(texts: Texts, round_: int, text: str, place: int = 0, *, is_of_removed: bool = False) -> Written:
    fate, mark = texts.fate(round_, text, place), texts.mark(round_, text, place)
    held = fate == Fate.WAITING and texts.mode == Mode.WORDS
    return Written(round_, mark, text, fate, is_of_removed, held)
