"""What came of a session, for those who hosted it: every question with its answers, results and places.

Rounds are read one after another and told at once, so that files of a full hall take no more memory than one round. A
page shows as much as people read; files have everything. Of anonymous sessions nothing names a player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import orjson

from acts.site import table
from assembly.words import headline, said_words
from pages.lists import as_csv
from pages.sorting import as_people_sort
from questions.question import RATINGS, Kind, Question, Type
from store import keys
from tally.ballots import groups_of

from . import counting, pictures, repository, seats, standings
from .moderation import Texts, seen_round
from .onward import services as onward
from .plays.before_after import First
from .qa import telling as by_the_room
from .qa.repository import texts as texts_of
from .qa.telling import Told as Asked
from .rounds import Entry, Round, options_of
from .rules import Game, Phase, State
from .seats import Seat
from .standings import Board

FORMAT = 1
MAX_ROUNDS_SHOWN = 100  # rounds on a page
MAX_PLAYERS_SHOWN = 200  # lines of players on a page
MAX_QUESTIONS_SHOWN = 200  # questions of the room on a page
NOTHING_WRITTEN = Texts()
MAX_ANSWERS_SHOWN = 50  # of one round, that a page lists one by one
ASKED = ("round", "question", "title", "counts")
COLUMNS = (*ASKED, "row", "player", "answer", "right", "number", "points", "bonus", "place")


@dataclass(frozen=True, slots=True)
class Report:
    """A session, and what does not grow with its rounds."""

    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]
    asked: tuple[Asked, ...] = ()  # by the room
    texts: Texts = NOTHING_WRITTEN

    @property
    def type(self) -> Type:
        return self.game.engagement_type

    def rounds(self) -> Iterator[Round]:
        """All that may be known, without what was hidden in them."""
        return map(self.seen, self.sealed())

    def seen(self, sealed: Round) -> Round:
        return seen_round(self.texts, sealed, {each.player for each in self.seats.values() if each.removed})

    def sealed(self) -> Iterator[Round]:
        """All that are sealed and may be known, voided ones included: one at a time, in their order."""
        items = table().each(keys.round_parts(self.game.id))
        for _number, parts in groupby(items, key=lambda item: item["SK"].split("#")[1]):
            sealed = counting.round_of(list(parts))
            if not self.is_hidden(sealed.number):
                yield sealed

    def is_hidden(self, round_: int) -> bool:
        """Until it is revealed, nobody sees it, its host no more than others."""
        return self.state.phase == Phase.RESULTS and round_ == self.state.round and not self.state.revealed

    def name_of(self, player: str) -> str:
        return self.seats[player].name if player in self.seats else ""


def of(game: Game, state: State) -> Report:
    """Who took part in an anonymous session is nobody's business, so their names are not even read."""
    seated = () if game.is_anonymous else seats.each(game.id)
    named = {each.player: each for each in seated}
    asked = by_the_room.of(game, None if game.is_anonymous else named)
    return Report(game, state, repository.questions(game.id), named, asked, texts_of(game.id))


# --- on a page ---


@dataclass(frozen=True, slots=True)
class Told:
    """A round on a page: one of a survey has no question of its own."""

    round: Round
    question: Question | None
    counts: bool
    picture: str
    answers: tuple[tuple[str, str, Entry], ...] = ()  # whose, in words, and what they got; where they are few enough
    is_long: bool = False  # so that only the files have every answer with its name
    goes_on: bool = False  # whether a poll or an election can be made of it


@dataclass(frozen=True, slots=True)
class Shown:
    rounds: list[Told]
    more: int  # rounds that only the files have
    never: int  # rounds that were asked and dropped before they were closed
    board: Board | None

    @property
    def places(self) -> tuple[standings.Line, ...]:
        return self.board.lines[:MAX_PLAYERS_SHOWN] if self.board else ()

    @property
    def others(self) -> int:
        return max(0, len(self.board.lines) - MAX_PLAYERS_SHOWN) if self.board else 0


def shown(report: Report) -> Shown:
    told: list[Told] = []
    sealed, sums = 0, Sums()
    for each in report.rounds():
        sealed += 1
        sums.add(report, each)
        if len(told) < MAX_ROUNDS_SHOWN:
            told.append(_told(report, each))
    open_ = int(report.state.is_under_way or report.is_hidden(report.state.round))
    board = sums.board(report) if report.type.is_scored else None
    return Shown(told, sealed - len(told), len(report.state.played) - sealed - open_, board)


def _told(report: Report, round_: Round) -> Told:
    question = None if report.type == Type.SURVEY else report.questions[round_.question]
    drawn = pictures.picture(report.type, round_, report.questions, report.seats)
    is_long = report.type.is_scored and len(round_.entries) > MAX_ANSWERS_SHOWN
    head, answers = replace(round_, entries=()), tuple(_answered(report, round_))
    goes_on = onward.is_offered(report.game, report.state, question, head)
    return Told(head, question, report.state.counts(round_.number), drawn, answers, is_long, goes_on)


def _answered(report: Report, round_: Round) -> Iterator[tuple[str, str, Entry]]:
    """The best first. Of an anonymous round, and of a few texts, the picture says everything."""
    few = report.type == Type.CALL_AND_ANSWER and round_.result["merged"] <= pictures.FIRST_ANSWERS_SHOWN
    if report.type.is_scored and not few and len(round_.entries) <= MAX_ANSWERS_SHOWN:
        options = report.questions[round_.question].options
        for entry in sorted(
            round_.entries, key=lambda entry: (-entry.total, as_people_sort(report.name_of(entry.player)))
        ):
            yield report.name_of(entry.player), in_words(entry.said, options), entry


def in_words(said: Any, options: tuple[str, ...]) -> str:
    """What somebody chose or wrote."""
    return said if isinstance(said, str) else " | ".join(options[place] for place in said)


class Sums:
    """Totals over the rounds that count, without keeping the rounds."""

    def __init__(self) -> None:
        self.points: Counter[str] = Counter()
        self.bonus: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()

    def add(self, report: Report, round_: Round) -> None:
        if report.type.is_scored and report.state.counts(round_.number):
            for entry in round_.entries:
                self.points[entry.player] += entry.points
                self.bonus[entry.player] += entry.bonus
                self.answered[entry.player] += 1

    def board(self, report: Report) -> Board:
        """As of one round in which everybody got all that they got."""
        entries = tuple(Entry(each, None, self.points[each], self.bonus[each]) for each in sorted(self.points))
        return standings.board([Round(1, 0, len(entries), {}, entries)], report.seats.values())


# --- as CSV ---


def csv(report: Report) -> Iterator[str]:
    """One row for each answer and each line of a result; what a row is, says its column of that name."""
    return as_csv(COLUMNS, _rows(report))


def _rows(report: Report) -> Iterator[list[object]]:
    sums = Sums()
    for each in report.rounds():
        sums.add(report, each)
        for question, told in _of_round(report, each):
            place = {"round": each.number, "question": question + 1, "title": report.questions[question].title}
            yield _row(place | {"counts": "yes" if report.state.counts(each.number) else "no"} | told)
    for line in sums.board(report).lines if report.type.is_scored else ():
        yield _row({"row": "total", "player": line.name, "points": line.total, "place": line.place})
    yield from (_row(each.as_row()) for each in report.asked)


def _row(told: Mapping[str, object]) -> list[object]:
    return [told.get(column, "") for column in COLUMNS]


Line = tuple[int, dict[str, object]]  # of which question, and what its row says


def _of_round(report: Report, round_: Round) -> Iterator[Line]:
    if round_.result.get("kind") == Kind.IDEAS:
        yield from ((round_.question, line) for line in _ideas(report, round_))
    elif round_.result.get("too_few"):
        yield round_.question, {"row": "too few", "number": round_.count}
    elif report.type == Type.SURVEY:
        yield from _survey(report, round_)
    else:
        of = OF_TYPES[report.type]
        yield from ((round_.question, line) for line in of(report, round_))


def _resolution(report: Report, round_: Round) -> Iterator[dict[str, object]]:
    """What was decided and by how many; who was there; and how each voted, of a secret vote without a name."""
    question, result = report.questions[round_.question], round_.result
    if "outcome" not in result:
        yield from _poll(report, round_)
        return
    options = options_of(round_, question)
    yield {"row": "outcome", "answer": headline(question, round_), "number": round_.count}
    yield from _numbers(result, options)
    for player in result["present"]:
        yield {"row": "present", "player": report.name_of(player) or player}
    for entry in round_.entries:
        row = {"row": "ballot"} if result["secret"] else {"row": "vote", "player": report.name_of(entry.player)}
        yield {**row, "answer": said_words(entry.said, question, options)}


def _numbers(result: Mapping[str, Any], options: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """Abstentions are told apart, and what was needed of how many beside it."""
    places = dict(result.get("places", ()))
    first = result["rounds"][0]["tally"] if result.get("rounds") else result.get("chosen", ())
    for place, label in enumerate(options if places or first else ()):
        number = {"number": first[place] or 0} if first else {}
        yield {"row": "option", "answer": label, **number, "place": places.get(place, "")}
    for name in ("yes", "no", "abstain", "needed", "of", "present_count", "entitled"):
        if name in result:
            yield {"row": "number", "answer": name, "number": result[name]}


def _trivia(report: Report, round_: Round) -> Iterator[dict[str, object]]:
    options, right = report.questions[round_.question].options, round_.result["right"]
    for place, label in enumerate(options):
        is_right = "yes" if place in right else "no"
        yield {"row": "option", "answer": label, "right": is_right, "number": round_.result["chosen"][place]}
    for entry in round_.entries:
        yield _got(report, entry, in_words(entry.said, options)) | {
            "right": "yes" if set(entry.said) == set(right) else "no"
        }


def _answers(report: Report, round_: Round) -> Iterator[dict[str, object]]:
    for entry in round_.entries:
        yield _got(report, entry, entry.said) | ({} if entry.said else {"row": "answer hidden"})


def _got(report: Report, entry: Entry, answer: str) -> dict[str, object]:
    got = {"points": entry.points, "bonus": entry.bonus}
    return {"row": "answer", "player": report.name_of(entry.player), "answer": answer, **got}


def _poll(report: Report, round_: Round) -> Iterator[dict[str, object]]:
    options, result = options_of(round_, report.questions[round_.question]), round_.result
    first = result["rounds"][0]["tally"]
    for option, place in result["places"]:
        yield {"row": "option", "answer": options[option], "number": first[option] or 0, "place": place}
    for entry in round_.entries:
        yield {"row": "ballot", "answer": ranked(entry.said, options)}
    for one, other, number in result.get("moved", {}).get("flows", ()):
        yield {"row": "moved", "answer": f"{_first(one, options)} > {_first(other, options)}", "number": number}


def _first(first: First, options: tuple[str, ...]) -> str:
    """What somebody liked best, in the words of the data where it was not one option."""
    return first if isinstance(first, str) else options[first]


def _ideas(report: Report, round_: Round) -> Iterator[dict[str, object]]:
    """How they were ranked, if they were, and then what was written: what became one below its words."""
    if round_.result.get("too_few"):
        yield {"row": "too few", "number": round_.count}
    if round_.result.get("rounds"):
        yield from _poll(report, round_)
    for idea in round_.result["ideas"]:
        yield {"row": "idea left out" if idea["out"] else "idea", "answer": idea["text"], "number": idea["by"]}
        yield from ({"row": "written", "answer": text} for text in idea["texts"])


def ranked(ranking: str, options: tuple[str, ...]) -> str:
    """In words: “Sea > Hills = Town”."""
    return " > ".join(" = ".join(options[each] for each in group) for group in groups_of(ranking))


OF_TYPES: dict[Type, Callable[[Report, Round], Iterator[dict[str, object]]]] = {
    Type.TRIVIA: _trivia,
    Type.POLL: _poll,
    Type.CALL_AND_ANSWER: _answers,
    Type.ASSEMBLY: _resolution,
}


def _survey(report: Report, round_: Round) -> Iterator[Line]:
    for place, told in enumerate(round_.result["questions"]):
        for answer, number in _counted(report.questions[place], told):
            yield place, {"row": "option", "answer": answer, "number": number}
        if "mean" in told:
            yield place, {"row": "mean", "number": told["mean"]}
        if told.get("too_few"):
            yield place, {"row": "too few", "number": told["count"]}
    for entry in round_.entries:
        yield entry.said["question"], {"row": "text", "answer": entry.said["text"]}


def _counted(question: Question, told: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    if told.get("too_few") or question.kind == Kind.TEXT:
        return ()
    if question.kind == Kind.RATING:
        return zip(map(str, RATINGS), told["values"], strict=True)
    if question.kind == Kind.YES_NO:
        return ("yes", told["yes"]), ("no", told["no"])
    return zip(question.options, told["chosen"], strict=True)


# --- as JSON ---

OF_SESSIONS = ("id", "title", "engagement_type", "created_at", "created_by", "ended_at", "question_set_id")


def as_json(report: Report) -> Iterator[bytes]:
    """Everything that is kept, as docs/live.md says; made as it is sent."""
    told = {"format": FORMAT, "session": _session(report), "questions": [each.as_item() for each in report.questions]}
    yield _text(told)[:-1] + b', "rounds": ['
    sums, comma = Sums(), b""
    for sealed in report.sealed():
        each = report.seen(sealed)
        sums.add(report, each)
        yield comma + b"\n" + _text(_round(report, each) | {"digest": counting.digest(sealed)})
        comma = b","
    players = list(_named(report) if report.game.is_assembly else _players(report, sums))
    asked = [each.as_item() for each in report.asked]
    yield b"\n]" + (b', "players": ' + _text(players) if not report.game.is_anonymous else b"")
    yield (b', "asked": ' + _text(asked) if asked else b"") + b"}\n"


def _session(report: Report) -> dict[str, Any]:
    told = repository.told_game(report.game)
    of_assembly = {"entitled": report.game.entitled, "quorum": report.game.quorum} if report.game.is_assembly else {}
    kept = {"set_version": told["set_version"], "speed_bonus": told["speed_bonus"], "kept_until": report.game.gone_at}
    return {name: told[name] for name in OF_SESSIONS} | kept | of_assembly


def _round(report: Report, round_: Round) -> dict[str, Any]:
    return {
        "round": round_.number,
        "question": round_.question,
        "counts": report.state.counts(round_.number),
        "count": round_.count,
        "votes": round_.votes,
        "result": dict(round_.result),
        "entries": [_entry(report, each) for each in round_.entries],
    }


def _entry(report: Report, entry: Entry) -> dict[str, Any]:
    if report.game.is_anonymous:
        return {"said": entry.said}
    if report.game.is_assembly:
        return {"player": entry.player, "said": entry.said} if entry.player else {"said": entry.said}
    return {"player": entry.player, "said": entry.said, "points": entry.points, "bonus": entry.bonus}


def _named(report: Report) -> Iterator[dict[str, Any]]:
    """Who was there at any time: the rounds name them by their ids."""
    there = (each for each in report.seats.values() if each.plays)
    yield from ({"player": each.player, "name": each.name} for each in sorted(there, key=lambda each: each.player))


def _players(report: Report, sums: Sums) -> Iterator[dict[str, Any]]:
    for line in sums.board(report).lines:
        told = {"player": line.player, "name": line.name, "place": line.place, "total": line.total}
        yield told | {"bonus": sums.bonus[line.player], "answered": sums.answered[line.player]}


def _text(value: Any) -> bytes:
    return orjson.dumps(value)
