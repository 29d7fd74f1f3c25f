"""Counting that plays share: from given answers to a result, and a sealed round as bytes and items.

Options and answers are numbered by position, from 0. An anonymous round with fewer than three answers stores only
`too_few` and `count`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import orjson

from questions.question import Question
from store.limits import check_value
from store.splitting import in_parts
from tally.ballots import BadBallot, Ballots, check
from tally.methods import count as counted
from tally.provisional import places_without_lots, provisional_result, recount_with_other_lots
from tally.result import Result

from .rounds import Entry, GivenAnswer, Round

MAX_ANSWER_CHARS = 300  # characters of an answer

ENTRY_FIELDS = tuple(each.name for each in fields(Entry))


# --- what was given ---


def valid_options(said: Any, question: Question) -> list[int]:
    """What was chosen of what there is, once each. One that is chosen alone may come as it is."""
    chosen = said if isinstance(said, list | tuple) else [said]
    return sorted({each for each in chosen if is_whole(each) and 0 <= each < len(question.options)})


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def last_by_player(given: Iterable[GivenAnswer]) -> list[GivenAnswer]:
    """In an order that is always the same, however they were read; of several by one player the last."""
    last: dict[str, GivenAnswer] = {}
    for each in sorted(given, key=lambda each: each.at):
        last[each.player] = each
    return [last[player] for player in sorted(last)]


def one_line(said: Any) -> str:
    """In one line, not too long, and with nothing in it that no store can hold."""
    whole = said.encode("utf-8", "replace").decode() if isinstance(said, str) else ""
    return " ".join(whole.split())[:MAX_ANSWER_CHARS].strip()


# --- rankings ---


def race(question: Question, rankings: Sequence[str], method: str, seed: str) -> dict[str, Any]:
    """Every round of the count, and who leads whatever a lot might say."""
    names = names_of(question)
    ballots = Ballots.of(names, rankings).normal
    result = counted(ballots, method, seed=seed)
    draws = recount_with_other_lots(ballots, result)
    leaders = provisional_result(result, tuple(each.winners for each in draws))
    leading = replace(leaders.result, places=places_without_lots(result, draws))
    return _race(leading, result, names) | {"between": bool(leaders.between)}


def anonymous_entries(given: Iterable[GivenAnswer]) -> tuple[Entry, ...]:
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


# --- stored ---


def round_as_bytes(sealed: Round) -> bytes:
    """The round as JSON with sorted keys and no spaces: what its digest is made of."""
    told = {each.name: getattr(sealed, each.name) for each in fields(Round)}
    return _as_json(told | {"entries": [_entry(each) for each in sealed.entries]})


def _entry(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in ENTRY_FIELDS}


def size_of(entry: Entry) -> int:
    """In bytes, as the store counts them."""
    return check_value(_entry(entry))


def round_digest(sealed: Round) -> str:
    """SHA-256 of these bytes."""
    return hashlib.sha256(round_as_bytes(sealed)).hexdigest()


def _as_json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def round_as_parts(sealed: Round) -> list[dict[str, Any]]:
    """The head, and then the entries, each part so small that an item holds it."""
    head = {"number": sealed.number, "question": sealed.question, "count": sealed.count, "votes": sealed.votes}
    return [
        head | {"result": dict(sealed.result)},
        *({"entries": each} for each in in_parts(map(_entry, sealed.entries))),
    ]


def round_from_parts(parts: Sequence[Mapping[str, Any]]) -> Round:
    """A round from its parts, in their order."""
    head, *others = parts
    entries = tuple(Entry(**each) for part in others for each in part["entries"])
    return Round(head["number"], head["question"], head["count"], head["result"], entries, head["votes"])
