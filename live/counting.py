"""From what was given to what came of it: each type of session counted at the close, always with the same outcome.

What lies in a round can be stored as it is: words, whole numbers, truth, nothing, lists and dicts. Numbers of options
and answers are their places, from 0.

| type | `result` | `entries` |
|---|---|---|
| trivia | `chosen` how often each option, `right`, `fully_right` | what each chose, points, bonus |
| call-and-answer | `answers` the best: text, words, authors, points, place; `merged` how many; `voted` | the texts |
| poll | `method`, `total`, `blank`, `winners`, `places`, `rounds`, `lots` | the rankings, sorted, nobody's |
| survey | `questions`: of each its `kind`, `count`, and how often what was said | texts: of which question, nobody's |

Of an anonymous round with fewer than three answers there is `too_few` and `count`, and nothing is kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import orjson

from questions.question import RATINGS, Kind, Question
from store.limits import check_value
from store.splitting import fitting, in_parts
from tally.ballots import BadBallot, Ballots, check
from tally.methods import count as counted
from tally.result import Result
from tally.undrawn import other_draws, places_without_lots, undrawn

from . import scores
from .rounds import Entry, Given, Round, is_told
from .scores import Answer, Vote

MAX_ANSWER_CHARS = 300  # characters of an answer
MAX_ANSWERS_IN_RESULT = 50  # answers that the result holds with their texts; all are in the entries
MAX_SURVEY_BYTES = 2_800_000  # bytes of texts in a survey: a transaction holds four million

OF_ENTRIES = tuple(each.name for each in fields(Entry))

ClockOf = Callable[[Given], tuple[int, int]]  # elapsed and allowed milliseconds, on the player's own clock


# --- trivia ---


def trivia(
    number: int, index: int, question: Question, given: Iterable[Given], clock_of: ClockOf, bonus: bool = False
) -> Round:
    entries = tuple(_trivia(question, each, clock_of if bonus else None) for each in _by_player(given))
    chosen = Counter(option for entry in entries for option in entry.said)
    result = {
        "chosen": [chosen[option] for option in range(len(question.options))],
        "right": sorted(set(question.right)),
        "fully_right": sum(set(entry.said) == set(question.right) for entry in entries),
    }
    return Round(number, index, len(entries), result, entries)


def _trivia(question: Question, given: Given, clock_of: ClockOf | None) -> Entry:
    chosen = _options(given.said, question)
    bonus = scores.speed(chosen, question.right, *clock_of(given)) if clock_of else 0
    return Entry(given.player, chosen, scores.trivia(chosen, question.right), bonus)


def _options(said: Any, question: Question) -> list[int]:
    """What was chosen of what there is, once each. One that is chosen alone may come as it is."""
    chosen = said if isinstance(said, list | tuple) else [said]
    return sorted({each for each in chosen if _is_whole(each) and 0 <= each < len(question.options)})


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _by_player(given: Iterable[Given]) -> list[Given]:
    """In an order that is always the same, however they were read; of several by one player the last."""
    last: dict[str, Given] = {}
    for each in sorted(given, key=lambda each: each.at):
        last[each.player] = each
    return [last[player] for player in sorted(last)]


# --- call and answer ---


def answers(number: int, index: int, given: Iterable[Given]) -> Round:
    """The first close: what was answered. Nobody has points yet, or will, if too few answers are left to vote on."""
    texts = {each.player: one_line(each.said) for each in _by_player(given)}
    entries = tuple(Entry(player, text) for player, text in texts.items() if text)
    sealed = Round(number, index, len(entries), {}, entries)
    return replace(sealed, result=_told(gathered(sealed), None))


def one_line(said: Any) -> str:
    """In one line, not too long, and with nothing in it that no store can hold."""
    whole = said.encode("utf-8", "replace").decode() if isinstance(said, str) else ""
    return " ".join(whole.split())[:MAX_ANSWER_CHARS].strip()


def gathered(sealed: Round) -> tuple[Answer, ...]:
    """The answers of a round as they are voted on: equal texts are one, and their numbers are their places here."""
    return scores.merged({entry.player: entry.said for entry in sealed.entries})


def votes(sealed: Round, given: Iterable[Given], unseen: frozenset[int] = frozenset()) -> Round:
    """The second close: a round of answers, and what they got. All authors of an answer get its points. What was given
    to answers that nobody sees does not count: a vote is as if they had not been there."""
    found = gathered(sealed)
    if not scores.is_voted_on(found):
        return sealed
    cast = list(_without(unseen, _votes(found, given)))
    points = scores.points_of_votes(cast, len(found))
    own = scores.own_answers(found)
    entries = tuple(replace(entry, points=points[own[entry.player]]) for entry in sealed.entries)
    return replace(sealed, result=_told(found, points), entries=entries, votes=len(cast))


def _votes(found: Sequence[Answer], given: Iterable[Given]) -> Iterator[Vote]:
    """Those that are votes. Whoever gave another was refused in words; should one be here all the same, it is none."""
    own = scores.own_answers(found)
    for each in _by_player(given):
        try:
            vote = vote_of(each.said)
            scores.check_vote(vote, own.get(each.player))
        except (scores.BadVote, LookupError, TypeError, ValueError, AttributeError):
            continue
        if all(0 <= number < len(found) for number in vote.shown):
            yield vote


def _without(unseen: frozenset[int], votes: Iterable[Vote]) -> Iterator[Vote]:
    for vote in votes:
        ranks = {number: rank for number, rank in vote.ranks.items() if number not in unseen}
        if ranks or not vote.ranks:
            yield replace(vote, ranks=ranks, shown=frozenset(vote.shown) - unseen)


def vote_of(said: Mapping[str, Any]) -> Vote:
    """A vote as it is stored: {"ranks": {"4": 1, "7": 2}, "shown": [7, 1, 4]}."""
    ranks = {int(number): rank for number, rank in said["ranks"].items()}
    return Vote(ranks, frozenset(map(int, said["shown"])))


def as_said(vote: Vote) -> dict[str, Any]:
    return {"ranks": {str(number): rank for number, rank in sorted(vote.ranks.items())}, "shown": sorted(vote.shown)}


def _told(found: Sequence[Answer], points: Sequence[int] | None) -> dict[str, Any]:
    """Best first, and where nobody voted, as they were gathered."""
    got = dict(enumerate(points or [0] * len(found)))
    places = scores.places({str(number): each for number, each in got.items()}) if points else {}
    best = sorted(got, key=lambda number: -got[number])[:MAX_ANSWERS_IN_RESULT]
    told = [_answer(found[number], got[number], places.get(str(number), 0)) for number in best]
    return {"answers": told, "merged": len(found), "voted": points is not None}


def _answer(answer: Answer, points: int, place: int) -> dict[str, Any]:
    few = list(answer.authors[:MAX_ANSWERS_IN_RESULT])
    told = {"text": answer.text, "words": answer.words, "points": points, "place": place}
    return told | {"authors": few, "by": len(answer.authors)}


# --- polls ---


def poll(number: int, index: int, question: Question, given: Iterable[Given], seed: str) -> Round:
    """A ranking by instant runoff, a choice by who has most. Ties are settled by a lot that anybody can draw again."""
    cast = [replace(each, said=ranking_of(each.said, question)) for each in _by_player(given)]
    ranked = [each for each in cast if each.said]
    if not is_told(len(ranked), sum(each.robot for each in ranked)):
        return too_few(number, index, len(cast))
    entries = signed_by_nobody(cast)
    rankings = [entry.said for entry in entries]
    told = race(question, rankings, "irv" if question.kind == Kind.RANKING else "plurality", seed)
    return Round(number, index, len(rankings), told, entries)


def race(question: Question, rankings: Sequence[str], method: str, seed: str) -> dict[str, Any]:
    """Every round of the count, and who leads whatever a lot might say."""
    names = names_of(question)
    ballots = Ballots.of(names, rankings).normal
    result = counted(ballots, method, seed=seed)
    draws = other_draws(ballots, result)
    leaders = undrawn(result, tuple(each.winners for each in draws))
    leading = replace(leaders.result, places=places_without_lots(result, draws))
    return _race(leading, result, names) | {"between": bool(leaders.between)}


def signed_by_nobody(given: Iterable[Given]) -> tuple[Entry, ...]:
    """By their receipts, which are random: so the order says nothing, and each finds their own."""
    return tuple(Entry("", each.said, receipt=each.receipt) for each in sorted(given, key=lambda each: each.receipt))


def too_few(number: int, index: int, count: int) -> Round:
    return Round(number, index, count, {"too_few": True, "count": count})


def ranking_of(said: Any, question: Question) -> str:
    """What is not a ranking of these options is a blank vote: whoever gave it was told so, or was no browser."""
    try:
        check(said, len(question.options))
    except (BadBallot, AttributeError, TypeError):
        return ""
    return str(said)


def names_of(question: Question) -> tuple[str, ...]:
    """Counting knows candidates by their names, so that two of the same name have a number."""
    return tuple(
        name if name not in question.options[:place] else f"{name} ({place + 1})"
        for place, name in enumerate(question.options)
    )


def _race(leading: Result, result: Result, names: Sequence[str]) -> dict[str, Any]:
    """The count with numbers in place of names, every round of it, as screens play it."""
    at = {name: place for place, name in enumerate(names)}
    rounds = [_lap(each, at) for each in asdict(result)["rounds"] or ()] or [_only_lap(result, at)]
    return {
        "method": result.method,
        "total": result.total,
        "blank": result.blank,
        "winners": [at[name] for name in leading.winners],
        "places": [[at[name], place] for name, place in leading.places],
        "rounds": rounds,
        "lots": [[each.round or 0, at[each.chosen], [at[name] for name in each.names]] for each in result.lots],
    }


def _lap(each: Mapping[str, Any], at: Mapping[str, int]) -> dict[str, Any]:
    """Votes are exact, in text; whoever is out has none, and what nobody gets goes to nobody."""
    return {
        "tally": [each["tally"].get(name) for name in at],
        "threshold": each["threshold"],
        "exhausted": each["exhausted"],
        "elected": [at[name] for name in each["elected"]],
        "eliminated": [at[name] for name in each["eliminated"]],
        "transfers": [[at[move["source"]], at.get(move["destination"]), move["votes"]] for move in each["transfers"]],
    }


def _only_lap(result: Result, at: Mapping[str, int]) -> dict[str, Any]:
    """A choice has one round, in which nothing but the most votes is needed."""
    lap = {"threshold": "", "exhausted": "0", "elected": [at[name] for name in result.winners]}
    return {"tally": [result.reasons["votes"][name] for name in at], **lap, "eliminated": [], "transfers": []}


# --- surveys ---


def survey(number: int, questions: Sequence[Question], given: Iterable[Given], index: int = 0) -> Round:
    """All questions of one page. What one person said to two of them is not kept together, not even by order."""
    sheets = [each for each in _by_player(given) if isinstance(each.said, Mapping)]
    if not is_told(len(sheets), sum(each.robot for each in sheets)):
        return too_few(number, index, len(sheets))
    answers = [_values(sheets, place, question) for place, question in enumerate(questions)]
    values = [_of_enough(some) for some in answers]
    told = [
        _summed(question, found, len(some)) for question, found, some in zip(questions, values, answers, strict=True)
    ]
    texts = _texts(questions, values)
    for entry in texts:
        told[entry.said["question"]]["kept"] += 1
    return Round(number, index, len(sheets), {"questions": told}, tuple(texts))


def _values(sheets: Iterable[Given], place: int, question: Question) -> list[tuple[Any, bool]]:
    """What was said to one question, where it is an answer to it, and whether a robot said it."""
    values = ((_value(question, sheet.said.get(str(place))), sheet.robot) for sheet in sheets)
    return [each for each in values if each[0] is not None]


def _of_enough(answers: Sequence[tuple[Any, bool]]) -> list[Any]:
    """The answers, or none of them if so few people gave them that somebody could be found out."""
    is_enough = is_told(len(answers), sum(robot for _value, robot in answers))
    return [value for value, _robot in answers] if is_enough else []


def _value(question: Question, said: Any) -> Any:
    if question.kind == Kind.TEXT:
        return one_line(said) or None
    if question.kind == Kind.RATING:
        return said if _is_whole(said) and said in RATINGS else None
    if question.kind == Kind.YES_NO:
        return said if isinstance(said, bool) else None
    return _options(said, question) or None


def _summed(question: Question, values: Sequence[Any], count: int) -> dict[str, Any]:
    """`count` is how many answered, also if so few that nothing is told of what."""
    told = {"kind": str(question.kind), "count": count}
    if not values:
        return told | {"too_few": True, "kept": 0}
    if question.kind == Kind.RATING:
        return told | {"values": [values.count(each) for each in RATINGS], "mean": _mean(values)}
    if question.kind == Kind.YES_NO:
        return told | {"yes": values.count(True), "no": values.count(False)}
    if question.kind == Kind.TEXT:
        return told | {"kept": 0}
    chosen = Counter(option for value in values for option in value)
    return told | {"chosen": [chosen[option] for option in range(len(question.options))]}


def _mean(values: Sequence[int]) -> str:
    """To two places, rounded half up: from whole numbers, so that it is the same everywhere."""
    hundredths = (200 * sum(values) + len(values)) // (2 * len(values))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _texts(questions: Sequence[Question], values: Sequence[Sequence[Any]]) -> list[Entry]:
    """Texts in an order that says nothing of who gave them; those beyond what one transaction holds are left out."""
    entries = (
        Entry("", {"question": place, "text": text})
        for place, question in enumerate(questions)
        if question.kind == Kind.TEXT
        for text in sorted(values[place], key=lambda text: hashlib.sha256(text.encode()).digest())
    )
    return list(fitting(entries, MAX_SURVEY_BYTES, size_of))


# --- stored ---


def as_bytes(sealed: Round) -> bytes:
    """The round as JSON with sorted keys and no spaces: what its digest is made of."""
    told = {each.name: getattr(sealed, each.name) for each in fields(Round)}
    return _bytes(told | {"entries": [_entry(each) for each in sealed.entries]})


def _entry(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in OF_ENTRIES}


def size_of(entry: Entry) -> int:
    """In bytes, as the store counts them."""
    return check_value(_entry(entry))


def digest(sealed: Round) -> str:
    """SHA-256 of these bytes."""
    return hashlib.sha256(as_bytes(sealed)).hexdigest()


def _bytes(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def as_parts(sealed: Round) -> list[dict[str, Any]]:
    """The head, and then the entries, each part so small that an item holds it."""
    head = {"number": sealed.number, "question": sealed.question, "count": sealed.count, "votes": sealed.votes}
    return [
        head | {"result": dict(sealed.result)},
        *({"entries": each} for each in in_parts(map(_entry, sealed.entries))),
    ]


def round_of(parts: Sequence[Mapping[str, Any]]) -> Round:
    """A round from its parts, in their order."""
    head, *others = parts
    entries = tuple(Entry(**each) for part in others for each in part["entries"])
    return Round(head["number"], head["question"], head["count"], head["result"], entries, head["votes"])
