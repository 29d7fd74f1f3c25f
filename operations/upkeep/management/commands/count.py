"""Count a ballot file from any source. Needs neither a site nor a store."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError

from foundation.tally.explain import explain
from foundation.tally.formats import FORMATS, BadFile, File, read
from foundation.tally.formats.file import MAX_SEATS
from foundation.tally.lots import elected_by_lot
from foundation.tally.majorities import parse_majority
from foundation.tally.methods import KIND_OF, KINDS, METHODS, SEVERAL_SEATS, count
from foundation.tally.result import Result
from operations.upkeep import input_files

T = TypeVar("T")

MAX_TABLE_CANDIDATES = 12  # candidates; a wider table of pairs is for --json
TABLE_NAME_CHARS = 30  # characters, in a table
RULES = {
    "below": "Candidates a ballot does not rank are below all that it ranks.",
    "no-opinion": "A ballot has no opinion of candidates it does not rank.",
}


class Command(BaseCommand):
    help = "Counts a ballot file: CSV, JSON, BLT, ABIF, Condorcet votes, PrefLib, or lines such as 5: A > B = C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the ballot file, or - for standard input")
        parser.add_argument("--kind", choices=KINDS, help="the kind of ballot, if the file does not say: ranked")
        parser.add_argument(
            "--method", choices=[*METHODS, "all"], help="of rankings schulze, or stv-scottish for several seats"
        )
        parser.add_argument("--majority", default="", help="that yes needs, such as '2/3 cast', present or entitled")
        parser.add_argument("--entitled", type=int, default=0, help="how many may vote, for a majority of them")
        parser.add_argument("--seats", type=int, help="how many are elected; by default what the file says, or one")
        parser.add_argument(
            "--unranked", choices=RULES, help="what unranked candidates mean; by default what the file says"
        )
        parser.add_argument("--seed", default="", help="the published seed for drawing lots")
        parser.add_argument(
            "--format", choices=FORMATS, help="the file's format, if its name and content do not show it"
        )
        parser.add_argument("--json", action="store_true", help="the full result, for programs")

    def handle(self, file: str, method: str | None, seats: int | None, **options: Any) -> None:
        ballots = _opened(file, options["format"], options["kind"] or KIND_OF.get(method or ""))
        if seats is not None and not 1 <= seats <= MAX_SEATS:
            raise CommandError(f"The number of seats must be a whole number from 1 to {MAX_SEATS}.")
        wanted, kind = seats or ballots.seats or 1, ballots.kind or "ranked"
        chosen = method or ("stv-scottish" if wanted > 1 and kind == "ranked" else KINDS[kind][0])
        if chosen not in (*KINDS[kind], "all"):
            raise CommandError(f"{chosen} does not count ballots of the kind {kind}: {', '.join(KINDS[kind])} can.")
        try:
            majority = str(parse_majority(options["majority"])) if options["majority"] else ""
        except ValueError:
            raise CommandError("A majority is a share from 1/2 to 1/1 and what it is of, such as “2/3 cast”.") from None
        rules = {"seed": options["seed"], "entitled": options["entitled"], "majority": majority}
        rules |= {"seats": wanted, "unranked": options["unranked"] or ballots.unranked or "below"}
        methods = _methods(kind, chosen, wanted)
        results = [count(ballots.ballots, each, **rules) for each in methods]
        for note in ballots.notes:
            self.stderr.write(note)
        if options["json"]:
            data = {result.method: _result_data(ballots, result) for result in results}
            shown = data if chosen == "all" else next(iter(data.values()))
            self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(_as_text(ballots, results, wanted)))


def _opened(name: str, format: str | None, kind: str | None) -> File:
    label = "Standard input" if name == "-" else name
    try:
        if name == "-":
            return read(sys.stdin.buffer, format, kind=kind)
        with input_files.reader(name) as stream:
            return read(stream, format, name, kind=kind)
    except BadFile as refusal:
        raise CommandError(f"{label}: {refusal}") from refusal
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have this name"
        raise CommandError(f"{label} cannot be opened: {reason}.") from error


def _methods(kind: str, chosen: str, seats: int) -> list[str]:
    """All methods are those that can fill as many seats."""
    methods = [each for each in (KINDS[kind] if chosen == "all" else [chosen]) if seats == 1 or each in SEVERAL_SEATS]
    if not methods:
        others = [each for each in KINDS[kind] if each in SEVERAL_SEATS]
        instead = f" For {seats} seats there are {' and '.join(others)}." if others else ""
        raise CommandError(f"{chosen} elects one: count with --seats 1.{instead}")
    return methods


# --- for programs ---


def _result_data(file: File, result: Result) -> dict[str, Any]:
    """The result with its candidates, and all matrices of them, in the order of the file."""
    data = asdict(result) | {"title": file.title, "format": file.format, "withdrawn": file.withdrawn}
    data |= {"candidates": file.ballots.candidates, "pairwise": _pairwise(file, result)}
    reasons: dict[str, Any] = dict(result.reasons)
    if "strongest" in reasons:
        reasons["strongest"] = _in_order(file, result, reasons["strongest"])
    if "paths" in reasons:  # numbers of candidates in another order than the file's: names are clearer
        names = [[[result.candidates[each] for each in path] for path in row] for row in reasons["paths"]]
        reasons["paths"] = _in_order(file, result, names)
    return data | {"reasons": reasons}


def _pairwise(file: File, result: Result) -> list[list[int]] | None:
    return None if result.pairwise is None else _in_order(file, result, result.pairwise)


def _in_order(file: File, result: Result, matrix: Sequence[Sequence[T]]) -> list[list[T]]:
    numbers = {name: number for number, name in enumerate(result.candidates)}
    places = [numbers[name] for name in file.ballots.candidates]
    return [[matrix[row][column] for column in places] for row in places]


# --- for people ---


def _as_text(file: File, results: list[Result], seats: int) -> Iterator[str]:
    yield from _about(file, results[0], seats)
    if len(results) > 1:
        yield from ("", *_table([["Method", "Winners"], *([each.method, _names(each.winners)] for each in results)]))
    for result in results:
        yield from ("", *_account(file, result))


def _about(file: File, result: Result, seats: int) -> Iterator[str]:
    if file.title:
        yield file.title
    different = sum(1 for ballot in file.ballots.counts if ballot)
    is_ranked = file.kind in (None, "ranked")
    what = "rankings" if is_ranked else "ballots"
    yield f"Ballots: {result.total}, {result.blank} of them blank; different {what}: {different}."
    rule = RULES[result.unranked] if is_ranked else f"Kind of ballot: {file.kind}."
    yield f"Candidates: {len(result.candidates)}. Seats: {seats}. {rule}"
    if file.withdrawn:
        yield f"Withdrawn: {_names(file.withdrawn)}."
    yield f"Digest of the ballots: {result.digest}"


def _account(file: File, result: Result) -> Iterator[str]:
    yield f"Method: {result.method}"
    yield f"{'Winner' if len(result.winners) == 1 else 'Winners'}: {_names(result.winners) or 'nobody'}"
    for lot in elected_by_lot(result):
        yield f"By lot: {_names(lot.names)}, tied with {_names(lot.tied_with)} ({lot.unit}: {lot.number})"
    yield from ("", *_table([["Place", "Candidate"], *([str(place), name] for name, place in result.places)]))
    if file.kind not in (None, "ranked"):
        yield from ("", *map(str, explain(result)))
    if result.pairwise and len(result.candidates) <= MAX_TABLE_CANDIDATES:
        yield from ("", "How many ballots rank the candidate in the row above the one in the column:")
        yield from _table(_pairs(file, result))
    if result.rounds:
        yield ""
    for each in result.rounds or ():
        yield f"Round {each.number} (needed: {each.threshold}; exhausted: {each.exhausted})"
        yield from (f"  {line}" for line in _table([[name, votes] for name, votes in each.tally.items()]))
        for word, names in (("elected", each.elected), ("eliminated", each.eliminated)):
            if names:
                yield f"  {word}: {_names(names)}"
    for tie in result.ties:
        how = "left as a tie" if tie.settled == "left" else f"settled by {tie.settled}"
        yield f"Tie ({_where(tie.where, tie.round)}): {_names(tie.names)}; {how}."
    for drawn in result.lots:
        where = _where(drawn.where, drawn.round)
        yield f"Lot ({where}): {_names(drawn.names)}; drawn: {drawn.chosen}; seed: {result.seed!r}."


def _pairs(file: File, result: Result) -> list[list[str]]:
    names, matrix = file.ballots.candidates, _pairwise(file, result) or []
    rows = [
        [str(row), name, *("" if row == column else str(each) for column, each in enumerate(line, 1))]
        for row, (name, line) in enumerate(zip(names, matrix, strict=True), 1)
    ]
    return [["", "", *(str(column) for column in range(1, len(names) + 1))], *rows]


def _where(where: str, round: int | None) -> str:
    return where if round is None else f"{where}, round {round}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Aligned columns: numbers to the right, text to the left."""
    short = [
        [cell if len(cell) <= TABLE_NAME_CHARS else f"{cell[: TABLE_NAME_CHARS - 1]}…" for cell in row] for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)]
    for row in short:
        cells = (
            cell.rjust(width) if cell[:1].isdigit() or not cell else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()
