"""Given answers and sealed rounds: who answered what, the points, the result that screens show, and how both are
stored.

Options and answers are numbered by position, from 0. An anonymous round with fewer than three answers stores only
`too_few` and `count`. While it is open it has a salt: with the site's secret it makes the pseudonyms under which
answers are stored, so that players can change their own. The transaction that seals the round destroys the salt.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import orjson
from django.conf import settings

from foundation.store.limits import check_value
from foundation.store.splitting import in_parts
from foundation.tally.ballots import BadBallot, Ballots, check
from foundation.tally.methods import count as counted
from foundation.tally.provisional import places_without_lots, provisional_result, recount_with_other_lots
from foundation.tally.result import Result
from parts.questions.question import Question

MIN_ANONYMOUS_ANSWERS = 3  # by people; below it an anonymous round shows nothing


def may_be_shown(answers: int, robots: int) -> bool:
    """Whether the answers of an anonymous round may be shown.

    Robots' answers are predictable and hide no one, so only people count. Robots alone need no protection.
    """
    people = answers - robots
    return answers >= MIN_ANONYMOUS_ANSWERS and (people == 0 or people >= MIN_ANONYMOUS_ANSWERS)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer or vote as a player gave it."""

    player: str  # or a pseudonym, in an anonymous round
    value: Any  # trivia: list of options; poll: a ranking as tally reads it; survey: {question: value}; else the text
    at: int  # when its request came in, in milliseconds since 1970
    receipt: str = ""  # random and new each time; tells whether a submission was counted
    device_hash: str = ""  # in an anonymous round, a keyed digest of the secret of the device that gave it
    robot: bool = False  # set when the round is closed


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's answer in a round, and the points for it."""

    player: str  # empty in an anonymous round
    value: Any
    points: int = 0
    bonus: int = 0  # for speed, not included in the points
    receipt: str = ""  # of an anonymous vote; random, and its place in the order

    @property
    def total(self) -> int:
        return self.points + self.bonus


@dataclass(frozen=True, slots=True)
class Round:
    """A sealed round, which never changes; the session's state says whether it counts."""

    number: int
    question: int  # its position in the session
    count: int  # of answers that count
    result: Mapping[str, Any]  # what screens show; its keys depend on the play
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    votes: int = 0  # of call-and-answer


def options_of(round_: Round, question: Question) -> tuple[str, ...]:
    """The options of a round: those of the question, or the ideas people wrote."""
    return tuple(round_.result.get("options", question.options))


# --- counting that plays share ---

MAX_ANSWER_CHARS = 300

STORED_FIELDS = ("player", "said", "points", "bonus", "receipt")  # of an entry


# --- what was given ---


def valid_options(said: Any, question: Question) -> list[int]:
    """The chosen options that exist, without duplicates; a single choice need not be a list."""
    chosen = said if isinstance(said, list | tuple) else [said]
    return sorted({each for each in chosen if is_whole(each) and 0 <= each < len(question.options)})


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def last_by_player(given: Iterable[GivenAnswer]) -> list[GivenAnswer]:
    """The latest answer of each player, in a deterministic order."""
    last: dict[str, GivenAnswer] = {}
    for each in sorted(given, key=lambda each: each.at):
        last[each.player] = each
    return [last[player] for player in sorted(last)]


def one_line(said: Any) -> str:
    """Collapse to one line, truncate, and replace characters that the store cannot hold."""
    text = said.encode("utf-8", "replace").decode() if isinstance(said, str) else ""
    return " ".join(text.split())[:MAX_ANSWER_CHARS].strip()


# --- rankings ---


def race(question: Question, rankings: Iterable[str], method: str, seed: str) -> dict[str, Any]:
    """Every round of the count, and who leads regardless of how lots are drawn. Rankings may be a counter of them."""
    names = names_of(question)
    ballots = Ballots.of(names, rankings).normal
    result = counted(ballots, method, seed=seed)
    draws = recount_with_other_lots(ballots, result)
    leaders = provisional_result(result, tuple(each.winners for each in draws))
    leading = replace(leaders.result, places=places_without_lots(result, draws))
    return _race(leading, result, names) | {"between": bool(leaders.between)}


def anonymous_entries(given: Iterable[GivenAnswer]) -> tuple[Entry, ...]:
    """Entries sorted by their random receipts, so that their order reveals nothing."""
    return tuple(Entry("", each.value, receipt=each.receipt) for each in sorted(given, key=lambda each: each.receipt))


def too_few(number: int, index: int, count: int) -> Round:
    return Round(number, index, count, {"too_few": True, "count": count})


def ranking_of(said: Any, question: Question) -> str:
    """An invalid ranking is a blank vote; a browser's form would already have been refused."""
    try:
        check(said, len(question.options))
    except (BadBallot, AttributeError, TypeError):
        return ""
    return str(said)


def names_of(question: Question) -> tuple[str, ...]:
    """Unique option names: counting identifies candidates by name, so duplicates get a number."""
    return tuple(
        name if name not in question.options[:place] else f"{name} ({place + 1})"
        for place, name in enumerate(question.options)
    )


def _race(leading: Result, result: Result, names: Sequence[str]) -> dict[str, Any]:
    """All rounds of the count, with positions instead of names, for the animation on screens."""
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
    """Votes are exact, as text; `None` for an eliminated option, and as the target of exhausted votes."""
    return {
        "tally": [each["tally"].get(name) for name in at],
        "threshold": each["threshold"],
        "exhausted": each["exhausted"],
        "elected": [at[name] for name in each["elected"]],
        "eliminated": [at[name] for name in each["eliminated"]],
        "transfers": [[at[move["source"]], at.get(move["destination"]), move["votes"]] for move in each["transfers"]],
    }


def _only_lap(result: Result, at: Mapping[str, int]) -> dict[str, Any]:
    """The single round of a plurality count, which has no threshold."""
    lap = {"threshold": "", "exhausted": "0", "elected": [at[name] for name in result.winners]}
    return {"tally": [result.reasons["votes"][name] for name in at], **lap, "eliminated": [], "transfers": []}


# --- stored ---


def round_as_bytes(sealed: Round) -> bytes:
    """The round as JSON with sorted keys and no spaces."""
    values = {each.name: getattr(sealed, each.name) for each in fields(Round)}
    return _as_json(values | {"entries": [_entry(each) for each in sealed.entries]})


def _entry(entry: Entry) -> dict[str, Any]:
    values = (entry.player, entry.value, entry.points, entry.bonus, entry.receipt)
    return dict(zip(STORED_FIELDS, values, strict=True))


def size_of(entry: Entry) -> int:
    """Size in bytes, as the store counts it."""
    return check_value(_entry(entry))


def questions_as_bytes(questions: Sequence[Question]) -> bytes:
    return _as_json([each.as_item() for each in questions])


def receipts_as_bytes(receipts: Sequence[str]) -> bytes:
    return _as_json(list(receipts))


def _as_json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def round_digest(sealed: Round) -> str:
    return hashlib.sha256(round_as_bytes(sealed)).hexdigest()


def digests(sealed: Round, questions: Sequence[Question], receipts: Sequence[str]) -> dict[str, str]:
    """SHA-256 of the round, of its questions, and of the sorted receipts of all answers or votes that count.

    They are in the log, and make any later change or omission detectable without revealing content.
    """
    return {
        "digest": round_digest(sealed),
        "heard": hashlib.sha256(receipts_as_bytes(receipts)).hexdigest(),
        "asked": hashlib.sha256(questions_as_bytes(questions)).hexdigest(),
    }


def round_as_parts(sealed: Round) -> list[dict[str, Any]]:
    """The head, then the entries in parts that each fit into an item."""
    head = {"number": sealed.number, "question": sealed.question, "count": sealed.count, "votes": sealed.votes}
    return [
        head | {"result": dict(sealed.result)},
        *({"entries": each} for each in in_parts(map(_entry, sealed.entries))),
    ]


def round_from_parts(parts: Sequence[Mapping[str, Any]]) -> Round:
    """Inverse of `round_as_parts`."""
    head, *others = parts
    entries = tuple(Entry(*map(each.get, STORED_FIELDS)) for part in others for each in part["entries"])
    return Round(head["number"], head["question"], head["count"], head["result"], entries, head["votes"])


# --- pseudonyms ---

PURPOSE = b"plenum: pseudonyms of players"
HOLDERS = b"plenum: devices that hold a vote"


def new_salt() -> bytes:
    return secrets.token_bytes(32)


def pseudonym(salt: bytes | None, player: str) -> str:
    """The player's pseudonym; their id if the round has no salt."""
    return player if salt is None else _keyed(PURPOSE, salt, player)


def device_hash(salt: bytes | None, secret: str) -> str:
    """Identifies the device that gave an answer; `secret` is the digest that the seat stores.

    An unkeyed digest would link the answer to its seat, so it is keyed like the pseudonym.
    """
    return "" if salt is None else _keyed(HOLDERS, salt, secret)


def _keyed(purpose: bytes, salt: bytes, word: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), purpose + salt, "sha256")
    return hmac.digest(key, word.encode(), "sha256").hex()[:32]
