"""The files a sealed result can be downloaded as: how each is made and named."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext_lazy

from ballots import repository as ballots
from elections import repository as elections
from elections.rolls import weight_fields, weight_of
from foundation.pages.lists import as_csv
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import TICKED, ranked_names
from foundation.tally.ballots import Ballots, ratings_of
from foundation.tally.formats import CannotWrite, File, write
from foundation.tally.formats.plain import quoted
from foundation.tally.methods import KIND_OF
from results import repository
from results.repository import Found, Sealed

from .bundle import public_voter_name
from .rctab import summary
from .text_report import as_text

VERSION = 1  # of this format: a new one invalidates browser caches
UNSAFE = re.compile(r"[^\w .\-]+")
TEXT, CSV, JSON = "text/plain; charset=utf-8", "text/csv; charset=utf-8", "application/json"

# What single ballots have on them, by the kind of ballot.
MARKS = {"ranked": "ranking", "score": "scores", "points": "points"} | dict.fromkeys(TICKED, "chosen")

Content = Iterable[bytes] | Iterable[str]


def counted_as(format: str) -> Callable[[Sealed], Content]:
    """The ballots as they were counted: how many votes each ranking got."""
    return lambda found: write(_file(found, repository.counted(found.election, found.seal.candidates)), format)


def _file(found: Sealed, ballots: Ballots) -> File:
    election = found.election
    return File(ballots, election.seats, election.full_name, election.unranked, KIND_OF[election.method])


def can_hold(found: Sealed, format: str) -> bool:
    """Whether a format can hold these ballots: its writer tries one that has everything difficult, so that the ballots
    need not be read."""
    names = found.seal.candidates
    is_ranked = KIND_OF[found.election.method] == "ranked"
    hard = "0=1" if is_ranked and found.seal.equals and len(names) > 1 else ""
    try:
        write(_file(found, Ballots(names, {hard: 1})), format)
    except CannotWrite:
        return False
    return True


def single_csv(found: Sealed, *, names_voters: bool = True) -> Iterator[str]:
    """Every ballot by itself, sorted by its code; in a public election with who cast it, and with weights if there are
    any. Marks and values have a column for each candidate, a ranking has one."""
    more = ["voter"] if names_voters and not found.election.secret_ballot else []
    more += ["weight"] if found.seal.turnout.extra else []
    is_ranked = found.election.kind == "ranked"
    candidates = sorted(elections.candidates(found.election.name, found.election.number), key=lambda each: each.number)
    names = [] if is_ranked else [each.name for each in candidates]

    def marks(ballot: dict[str, Any]) -> list[Any]:
        if is_ranked:
            return [_in_one_cell(ballot["ranking"])]
        given = ballot[MARKS[found.election.kind]]
        return [given.get(name, 0) if isinstance(given, dict) else int(name in given) for name in names]

    every = _single(found, names_voters=names_voters)
    rows = ([each["code"], *(each.get(key, 1) for key in more), *marks(each)] for each in every)
    return as_csv(["code", *more, *(["ranking"] if is_ranked else names)], rows)


def _in_one_cell(ranking: list[list[str]]) -> str:
    return " > ".join(" = ".join(map(quoted, group)) for group in ranking)


def single_json(found: Sealed, *, names_voters: bool = True) -> Iterator[str]:
    comma = "[\n"
    for each in _single(found, names_voters=names_voters):
        yield comma + json.dumps(each, ensure_ascii=False)
        comma = ",\n"
    yield "[]\n" if comma == "[\n" else "\n]\n"


def _single(found: Sealed, *, names_voters: bool) -> Iterator[dict[str, Any]]:
    election, kind = found.election, found.election.kind
    candidates = elections.candidates(election.name, election.number)
    for ballot in ballots.every_published(election.name, election.number):
        entry = {"code": ballot["confirmation"], MARKS[kind]: _marks(ballot["rankings"], candidates, kind)}
        entry |= weight_fields(weight_of(ballot))
        yield entry | (
            {"voter": public_voter_name(ballot["voter_name"])} if names_voters and "voter_name" in ballot else {}
        )


def _marks(text: str, candidates: Sequence[Candidate], kind: str) -> list[list[str]] | list[str] | dict[str, int]:
    if kind == "ranked":
        return ranked_names(text, candidates)
    names = {each.number: each.name for each in candidates}
    values = {names[number]: value for number, value in ratings_of(text).items()}
    return list(values) if kind in TICKED else values


def rctab_json(found: Sealed) -> Content:
    day = (found.election.no_voting_after or found.seal.sealed_at)[:10]
    entry = summary(found.report.result, contest=found.election.full_name, date=day)
    return [json.dumps(entry, ensure_ascii=False, indent=2) + "\n"]


@dataclass(frozen=True, slots=True)
class Export:
    """A file that can be taken away: how it is made, and what the page calls it."""

    media_type: str
    make: Callable[[Sealed], Content]
    label: str
    needs_rounds: bool = False
    in_words: bool = False  # in the reader's language, so not the same for all
    make_unnamed: Callable[[Sealed], Content] | None = None  # for strangers, where it says who voted how


EXPORTS = {
    "ballots.csv": Export(CSV, counted_as("csv"), gettext_lazy("CSV, for spreadsheets")),
    "ballots.json": Export(JSON, counted_as("json"), "JSON"),
    "ballots.blt": Export(TEXT, counted_as("blt"), "BLT"),
    "ballots.abif": Export(TEXT, counted_as("abif"), "ABIF"),
    "ballots.cvotes": Export(TEXT, counted_as("cvotes"), gettext_lazy("Condorcet vote format")),
    "ballots.soi": Export(TEXT, counted_as("soi"), gettext_lazy("PrefLib, without equals (.soi)")),
    "ballots.toi": Export(TEXT, counted_as("toi"), gettext_lazy("PrefLib, with equals (.toi)")),
    "ballots.cat": Export(TEXT, counted_as("cat"), gettext_lazy("PrefLib, by category (.cat)")),
    "single-ballots.csv": Export(
        CSV,
        single_csv,
        gettext_lazy("CSV, for spreadsheets"),
        make_unnamed=partial(single_csv, names_voters=False),
    ),
    "single-ballots.json": Export(JSON, single_json, "JSON", make_unnamed=partial(single_json, names_voters=False)),
    "result.json": Export(JSON, lambda found: [found.report.as_json()], "JSON"),
    "rctab.json": Export(JSON, rctab_json, gettext_lazy("RCTab summary"), needs_rounds=True),
    "report.txt": Export(TEXT, lambda found: [as_text(found)], gettext_lazy("Plain text"), in_words=True),
}
GROUPS = {
    gettext_lazy("Ballots, added up"): [file for file in EXPORTS if file.startswith("ballots.")],
    gettext_lazy("Ballots, one by one with their codes"): ["single-ballots.csv", "single-ballots.json"],
    gettext_lazy("Result"): ["result.json", "rctab.json", "report.txt"],
}


def has(found: Found, file: str) -> bool:
    """Whether this result has such a file: a summary of rounds needs rounds."""
    report = found.report
    return file in EXPORTS and not (EXPORTS[file].needs_rounds and report and report.result.rounds is None)


def is_offered(found: Sealed, file: str) -> bool:
    """Whether the format can represent it; the URL of one that cannot explains why."""
    kind, _dot, format = file.partition(".")
    return has(found, file) and (kind != "ballots" or can_hold(found, format))


def context_of_exports(found: Sealed) -> dict[str, Any]:
    """What the part of the results page about exports needs."""
    groups = [
        (label, [(file, EXPORTS[file].label) for file in files if is_offered(found, file)])
        for label, files in GROUPS.items()
    ]
    return {"exports": groups, "version": version(found), "as_text": as_text(found)}


def version(found: Sealed) -> str:
    """Version of the sealed result and of the format. A new election of the same name has a different one."""
    text = f"{VERSION} {found.seal.sealed_at} {found.seal.report_digest}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def file_name(name: str, file: str, nameless: str = "election") -> str:
    """A file name that any system accepts."""
    safe = UNSAFE.sub("_", name)[:80].strip(" ._") or nameless
    return f"{safe} - {file}"
