"""Ideas that a room writes and then ranks: equal texts are merged automatically, similar ones by hosts.

The texts never change: they are stored in the parts of a round, without names. Their order is a separate value, and
every action of a host creates a new one; nothing is ever discarded, so that each action can be undone. Ideas are
identified by their index among all, which is the same for all hosts.

| `result` | what it says |
|---|---|
| `kind` | "ideas" |
| `people` | how many wrote something |
| `options` | what was put to the vote, in words; none if there was no vote |
| `ideas` | each: `text`, `by` how often it was written, `texts` what became one, `goes`, `out` |
| `left` | how many ideas are not among these, because they were too many |
| `voted` | whether there was a vote; then what a poll's ranking has, besides |
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson
from django.utils.translation import gettext_lazy as _

from foundation.acts import storage
from foundation.acts.refusals import NotNow, Refusal
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import table, unchanged
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.parallel import run_parallel
from foundation.store.splitting import fitting
from foundation.store.table import Delete, Item, Missing, Put, Write
from parts.live import changes, repository, rounds, rules
from parts.live.plays import ranked_poll
from parts.live.repository import values, values_of
from parts.live.rounds import Entry, GivenAnswer, Round, may_be_shown
from parts.live.rules import Game, Phase
from parts.questions.question import MAX_OPTION_CHARS, MAX_OPTIONS, MIN_OPTIONS, Kind, Question

MAX_IDEAS_PER_PERSON = 3
MAX_ROUND_BYTES = 2_000_000  # of all ideas in a round: a transaction holds four million
MAX_RESULT_BYTES = 150_000  # of the ideas in a result; all of them are stored beside it
MAX_IDEA_CHARS = MAX_OPTION_CHARS

NO_SUCH = _("This idea does not exist.")
MERGE_TWO = _("Choose at least two ideas to merge.")
TOO_MANY = _("At most %(most)d ideas can go to the vote. Take another one out first.")
TOO_FEW = _("Choose at least %(fewest)d ideas for the vote, or close without a vote.")
TOO_LONG = _("Too long: %(count)d characters. The limit is %(most)d.")
ALIKE = _("Two ideas in the vote read the same: “%(words)s”. Merge them first.")


class CannotSort(Refusal):
    """The requested change to the ideas is not possible; the message says why."""


# --- written ideas ---


@dataclass(frozen=True, slots=True)
class Idea:
    """An idea, written by one or more people in the same words."""

    text: str
    by: int


def valid_texts(said: Any) -> tuple[str, ...]:
    """One person's distinct ideas, cut to the limits; browsers never get here with more, other clients might."""
    written = said if isinstance(said, list | tuple) else [said]
    by_fold = {fold(text): text for text in map(rounds.one_line, written) if fold(text)}
    return tuple(text[:MAX_IDEA_CHARS].strip() for text in list(by_fold.values())[:MAX_IDEAS_PER_PERSON])


def collected(number: int, index: int, given: Iterable[GivenAnswer]) -> Round:
    """Merges equal texts, in an order that does not reveal who wrote what, or when."""
    written = [valid_texts(each.value) for each in given]
    people = sum(map(bool, written))
    alike: dict[str, list[str]] = {}
    for text in (text for texts in written for text in texts):
        alike.setdefault(fold(text), []).append(text)
    in_order = (alike[each] for each in sorted(alike, key=_hash_order))
    ideas = (Entry("", {"text": _spelling(texts), "by": len(texts)}) for texts in in_order)
    entries = tuple(fitting(ideas, MAX_ROUND_BYTES, rounds.size_of))
    return Round(number, index, people, {"people": people, "left": len(alike) - len(entries)}, entries)


def _spelling(typed: Sequence[str]) -> str:
    """The most frequent spelling, else the first alphabetically, so that the order of arrival does not matter."""
    times = Counter(typed)
    return min(times, key=lambda text: (-times[text], text))


def _hash_order(words: str) -> bytes:
    """Sort key that is arbitrary but reproducible."""
    return hashlib.sha256(words.encode()).digest()


def ideas_of_round(round_: Round) -> tuple[Idea, ...]:
    return tuple(Idea(entry.value["text"], entry.value["by"]) for entry in round_.entries)


def is_sorted(round_: Round, robots: int) -> bool:
    """Whether there are enough ideas to vote on, from enough people to stay anonymous."""
    return may_be_shown(round_.count, robots) and len(round_.entries) >= MIN_OPTIONS


# --- sort order ---


@dataclass(frozen=True, slots=True)
class Group:
    """Merged ideas, worded like the first of them unless a host has typed a better wording."""

    ideas: tuple[int, ...]
    words: str = ""
    out: bool = False  # left out: hidden from the room
    goes: bool = False  # to the vote, once a host has chosen by hand


@dataclass(frozen=True, slots=True)
class Order:
    """How a round's ideas are sorted. Every action creates a new version, written only if this one is still current."""

    groups: tuple[Group, ...]
    by_hand: bool = False  # whether a host has chosen what goes to the vote; until then the most frequent ideas do
    options: tuple[str, ...] = ()  # put to the vote, once settled
    settled: bool = False
    parts: int = 0  # number of parts in which the ideas are stored
    version: int = 1


def first_order(count: int, parts: int, out: Collection[int] = ()) -> Order:
    """`out` are the ideas that a host has to approve before the room sees them."""
    return Order(tuple(Group((number,), out=number in out) for number in range(count)), parts=parts)


@dataclass(frozen=True, slots=True)
class IdeaView:
    """One idea, or several merged ones, as shown on screens."""

    number: int
    text: str
    by: int  # how often it was written
    texts: tuple[str, ...]  # the merged texts, if they differ from the wording
    numbers: tuple[int, ...]
    goes: bool
    out: bool

    @property
    def is_merged(self) -> bool:
        return len(self.numbers) > 1

    @property
    def wordings(self) -> list[tuple[int, str]]:
        return list(zip(self.numbers, self.texts, strict=True))


@dataclass(frozen=True, slots=True)
class SortedIdeas:
    """The written ideas and their current order."""

    ideas: tuple[Idea, ...]
    order: Order

    def idea_views(self) -> tuple[IdeaView, ...]:
        """Most frequent first, those left out last."""
        going = set(self._going())
        found = [self._idea_view(group, group in going) for group in self.order.groups]
        return tuple(
            sorted(found, key=lambda each: (each.out, -each.by, _hash_order(fold(self.ideas[each.number].text))))
        )

    def _idea_view(self, group: Group, goes: bool) -> IdeaView:
        texts = tuple(self.ideas[number].text for number in group.ideas)
        text = group.words or texts[0]
        return IdeaView(min(group.ideas), text, self.by(group), texts, group.ideas, goes, group.out)

    def by(self, group: Group) -> int:
        return sum(self.ideas[number].by for number in group.ideas)

    def _going(self) -> list[Group]:
        there = [each for each in self.order.groups if not each.out]
        if self.order.by_hand:
            return [each for each in there if each.goes]
        there.sort(key=lambda each: (-self.by(each), _hash_order(fold(self.ideas[each.ideas[0]].text))))
        return there[:MAX_OPTIONS]

    @property
    def going(self) -> int:
        return len(self._going())

    def options(self) -> tuple[str, ...]:
        """The options of the vote, in a neutral order; raises `CannotSort` if they are too few or not distinct."""
        going = (each.text for each in self.idea_views() if each.goes)
        options = sorted(going, key=lambda each: _hash_order(fold(each)))
        if len(options) < MIN_OPTIONS:
            raise CannotSort(TOO_FEW % {"fewest": MIN_OPTIONS})
        folded = Counter(map(fold, options))
        if alike := next((each for each in options if folded[fold(each)] > 1), None):
            raise CannotSort(ALIKE % {"words": alike})
        return tuple(options)

    # --- actions: each returns the new order ---

    def merged(self, numbers: Iterable[int], words: str = "") -> Order:
        """Merges several ideas, worded as typed or like the most frequent of them."""
        wanted = {number for each in numbers for number in self._with(each).ideas}
        chosen = [each for each in self.order.groups if wanted & set(each.ideas)]
        if len(chosen) < 2:
            raise CannotSort(MERGE_TWO)
        first = max(chosen, key=lambda each: (self.by(each), not each.out))
        ideas = (*first.ideas, *(number for each in chosen if each is not first for number in each.ideas))
        one = Group(ideas, check_length(words) or first.words, first.out, any(each.goes for each in chosen))
        others = [each for each in self.order.groups if each not in chosen]
        return replace(self.order, groups=(*others, one))

    def split(self, number: int) -> Order:
        """Undoes a merge; only the first idea keeps the group's place in the vote."""
        group = self._with(number)
        pieces = [Group((each,), "", group.out, group.goes and not at) for at, each in enumerate(group.ideas)]
        return self._in_place_of(group, *pieces)

    def left_out(self, number: int, *, out: bool) -> Order:
        group = self._with(number)
        return self._in_place_of(group, replace(group, out=out, goes=group.goes and not out))

    def chosen(self, number: int, *, goes: bool) -> Order:
        """Adds an idea to the vote or removes it; those chosen automatically so far stay chosen."""
        group, going = self._with(number), set(self._going())
        if goes and group not in going and len(going) >= MAX_OPTIONS:
            raise CannotSort(TOO_MANY % {"most": MAX_OPTIONS})
        groups = (replace(each, goes=goes if each is group else each in going) for each in self.order.groups)
        return replace(self.order, groups=tuple(groups), by_hand=True)

    def worded(self, number: int, words: str) -> Order:
        """Changes the wording; an empty one restores the original."""
        group = self._with(number)
        return self._in_place_of(group, replace(group, words=check_length(words)))

    def led_by(self, number: int) -> Order:
        """Uses the wording of one of the merged ideas."""
        group = self._with(number)
        ideas = (number, *(each for each in group.ideas if each != number))
        return self._in_place_of(group, replace(group, ideas=ideas, words=""))

    def _with(self, number: int) -> Group:
        found = next((each for each in self.order.groups if number in each.ideas), None)
        if found is None:
            raise CannotSort(NO_SUCH)
        return found

    def _in_place_of(self, before: Group, *after: Group) -> Order:
        groups = (new for each in self.order.groups for new in (after if each is before else (each,)))
        return replace(self.order, groups=tuple(groups))


def check_length(words: str) -> str:
    if len(words) > MAX_IDEA_CHARS:
        raise CannotSort(TOO_LONG % {"most": MAX_IDEA_CHARS, "count": len(words)})
    return words


# --- storage ---


def as_item(order: Order) -> dict[str, Any]:
    """A group of one unchanged idea is stored as its number alone, so that a full hall's ideas fit one item."""
    return values(order) | {"groups": [_packed(each) for each in order.groups], "options": list(order.options)}


def _packed(group: Group) -> Any:
    if group == Group(group.ideas[:1]):
        return group.ideas[0]
    return values(group) | {"ideas": list(group.ideas)}


def order_of(item: Mapping[str, Any]) -> Order:
    converted = {"groups": tuple(map(_unpacked, item["groups"])), "options": tuple(item["options"])}
    return Order(**values_of(Order, item) | converted)


def _unpacked(packed: Any) -> Group:
    if not isinstance(packed, Mapping):
        return Group((int(packed),))
    return Group(**{**packed, "ideas": tuple(packed["ideas"])})


# --- results ---


def unvoted(written: Round, robots: int, sorted_: SortedIdeas | None = None, out: Collection[int] = ()) -> Round:
    """The result without a vote, because there were too few ideas or the host closed the round."""
    if not may_be_shown(written.count, robots):
        return rounds.too_few(written.number, written.question, written.count)
    found = sorted_ or SortedIdeas(ideas_of_round(written), first_order(len(written.entries), 0, out))
    return replace(written, result=_result(written, found, ()), entries=())


def voted(written: Round, sorted_: SortedIdeas, question: Question, given: Iterable[GivenAnswer], seed: str) -> Round:
    """The result of the vote, counted like a ranked poll."""
    ranking = as_ranking(question, sorted_.order.options)
    round_ = ranked_poll.count(written.number, written.question, ranking, given, seed)
    return replace(round_, result={**_result(written, sorted_, sorted_.order.options), **round_.result})


def with_ideas(round_: Round, written: Round, sorted_: SortedIdeas) -> Round:
    """Adds the ideas to a round that was counted elsewhere."""
    return replace(round_, result={**round_.result, **_result(written, sorted_, sorted_.order.options)})


def as_ranking(question: Question, options: Sequence[str]) -> Question:
    return replace(question, kind=Kind.RANKING, options=tuple(options))


def _result(written: Round, sorted_: SortedIdeas, options: Sequence[str]) -> dict[str, Any]:
    ideas = list(fitting(_ideas_by_relevance(sorted_.idea_views()), MAX_RESULT_BYTES))
    return {
        "kind": str(Kind.IDEAS),
        "people": written.count,
        "voted": bool(options),
        "options": list(options),
        "ideas": ideas,
        "left": written.result["left"] + len(sorted_.order.groups) - len(ideas),
    }


def digest(options: Sequence[str]) -> str:
    """SHA-256 of the options as JSON without spaces."""
    return hashlib.sha256(orjson.dumps(list(options))).hexdigest()


def _ideas_by_relevance(views: Iterable[IdeaView]) -> Iterator[dict[str, Any]]:
    """Ideas that were voted on come first, because there may not be room for all."""
    for each in sorted(views, key=lambda each: (each.out, not each.goes)):
        texts = list(each.texts) if each.is_merged or each.text != each.texts[0] else []
        yield {"text": each.text, "by": each.by, "texts": texts, "goes": each.goes, "out": each.out}


# --- stored ---


def parts(written: Round, robots: int) -> list[dict[str, Any]]:
    """The written ideas as parts that never change."""
    head, *others = rounds.round_as_parts(written)
    return [head | {"robots": robots}, *others]


def creation(
    game: Game, round_: int, some: Sequence[dict[str, Any]], count: int, out: Collection[int] = ()
) -> list[Write]:
    """Stores the ideas, each in a group of its own; those in `out` await approval."""
    order = first_order(count, len(some), out)
    return [*repository.gathering(game, round_, some), Put(_item(game, round_, order), when=Missing())]


def change(game: Game, round_: int, before: Order, after: Order) -> list[Write]:
    """Fails if another host has changed the order since it was read."""
    return [storage.change(before, after, partial(_item, game, round_))]


def dropping(game: Game, round_: int, order: Order) -> list[Write]:
    """A voided round leaves nothing behind."""
    written = [Delete(keys.gathered_part(game.id, round_, number)) for number in range(order.parts)]
    return [*written, Delete(keys.sorted_ideas(game.id, round_), when=unchanged(order))]


def _item(game: Game, round_: int, order: Order) -> Item:
    return repository.item_at(keys.sorted_ideas(game.id, round_), game, as_item(order))


def find_order(game_id: str, round_: int) -> Order | None:
    item = table().get(keys.sorted_ideas(game_id, round_))
    return order_of(item) if item else None


def read_written(game_id: str, round_: int) -> Round | None:
    parts_ = repository.gathered_items(game_id, round_)
    return rounds.round_from_parts(parts_) if parts_ else None


def count_robots(game_id: str, round_: int) -> int:
    """How many of the authors are robots."""
    item = table().get(keys.gathered_part(game_id, round_, 0))
    return int(item["robots"]) if item else 0


def read(game_id: str, round_: int) -> tuple[Round, SortedIdeas] | None:
    order, found = run_parallel(table(), lambda: find_order(game_id, round_), lambda: read_written(game_id, round_))
    if order is None or found is None:
        return None
    return found, SortedIdeas(ideas_of_round(found), order)


# --- sorting: several hosts may act at once without losing an action ---

Sorting = Callable[[SortedIdeas], Order]


def sort(game_id: str, round_: int, act: Sorting) -> None:
    retry_lost_race(lambda: _sort(game_id, round_, act))
    changes.publish(game_id)


def _sort(game_id: str, round_: int, act: Sorting) -> None:
    game, state = repository.load(game_id)
    sorted_ = read(game_id, round_) if (state.phase, state.round) == (Phase.SORTING, round_) else None
    if sorted_ is None or sorted_[1].order.settled:
        raise NotNow(rules.NOT_NOW)
    before = sorted_[1].order
    after = act(sorted_[1])
    if after != before:
        table().write(*change(game, round_, before, after))
