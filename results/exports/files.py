"""The files a sealed result can be downloaded as: how each is made and named."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial
from textwrap import fill
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ballots import repository as ballots
from elections import repository as elections
from elections.rolls import weight_fields, weight_of
from elections.rules import Election
from foundation.pages import times
from foundation.pages.lists import as_csv
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import TICKED, ranked_names
from foundation.tally.ballots import Ballots, ratings_of
from foundation.tally.formats import CannotWrite, File, write
from foundation.tally.formats.plain import quoted
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result, Round, exact_text
from results import repository, wording
from results.margin import margin_of
from results.pictures import pictures_of
from results.pictures.drawing import number
from results.repository import Found, Report, Seal, Sealed
from results.wording import outcome_of, parts_of

from .bundle import public_voter_name

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
            return [" > ".join(" = ".join(map(quoted, group)) for group in ballot["ranking"])]
        given = ballot[MARKS[found.election.kind]]
        return [given.get(name, 0) if isinstance(given, dict) else int(name in given) for name in names]

    every = _single(found, names_voters=names_voters)
    rows = ([each["code"], *(each.get(key, 1) for key in more), *marks(each)] for each in every)
    return as_csv(["code", *more, *(["ranking"] if is_ranked else names)], rows)


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
    entry = rctab_summary(found.report.result, contest=found.election.full_name, date=day)
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


DECIMAL_PLACES = 4
NOBODY, CUT = "exhausted", "residual surplus"


def rctab_summary(
    result: Result, *, contest: str, date: str, jurisdiction: str = "", office: str = ""
) -> dict[str, Any]:
    """A result with rounds as RCTab 1.3 writes its summary, which other programs draw and archive.

    RCTab is the counting program of the Ranked Choice Voting Resource Center (github.com/BrightSpots/rcv); rcvformats
    (github.com/artoonie/rcvformats) has a schema of what it writes:

        {"config": {"contest", "date", "jurisdiction", "office", "threshold"},
         "results": [{"round": 1, "tally": {name: votes}, "tallyResults": [{"elected" or "eliminated": name,
                      "transfers": {name: votes, "exhausted": votes, "residual surplus": votes}}]}]}

    Votes are decimals as text. Where ours differ from RCTab's:
    - Fractions that are no decimals (thirds, of a ballot that ranks three as equals) are cut after four places,
      which is what RCTab counts in unless told otherwise.
    - Scottish rules may transfer a surplus in a later stage than the one in which its owner was elected; then the stage
      of the transfer says `elected` of them once more, because transfers must stand where they lead to the next
      tally.
    - Meek's method has no transfers from one to another; it shows none.

    Of a method with rounds only; `date` is a day, as 2026-11-15.
    """
    rounds = result.rounds or ()
    config = {"contest": contest, "date": date, "jurisdiction": jurisdiction, "office": office}
    after = [*rounds[1:], *rounds[-1:]]
    return {
        "config": config | {"threshold": decimal(rounds[-1].threshold) if rounds else "0"},
        "results": [
            {
                "round": each.number,
                "tally": {name: decimal(votes) for name, votes in each.tally.items()},
                "tallyResults": list(_acts(each, later)),
            }
            for each, later in zip(rounds, after, strict=True)
        ],
    }


def _acts(each: Round, later: Round) -> Iterator[dict[str, Any]]:
    sources = {transfer.source for transfer in each.transfers}
    late = [name for name in sorted(sources) if name not in (*each.elected, *each.eliminated)]
    for name in (*each.elected, *late):
        yield {"elected": name, "transfers": _transfers(each, later, name)}
    for name in each.eliminated:
        yield {"eliminated": name, "transfers": _transfers(each, later, name)}


def _transfers(each: Round, later: Round, source: str) -> dict[str, str]:
    """To whom the votes of one went; what was cut off belongs to the one transfer a stage has."""
    moved = [transfer for transfer in each.transfers if transfer.source == source]
    lost = Fraction(later.residue) - Fraction(each.residue)
    went = {transfer.destination or NOBODY: decimal(transfer.votes) for transfer in moved}
    return went | ({CUT: decimal(lost)} if moved and lost > 0 else {})


def decimal(votes: str | Fraction) -> str:
    """Exact where it can be; else cut after four places."""
    text = votes if isinstance(votes, str) else exact_text(votes)
    if "/" not in text:
        return text
    whole, rest = divmod(int(Fraction(text) * 10**DECIMAL_PLACES), 10**DECIMAL_PLACES)
    return f"{whole}.{rest:0{DECIMAL_PLACES}d}"


LINE_CHARS = 78


def as_text(found: Sealed) -> str:
    report, seal, shown = found.report, found.seal, parts_of(found.report.result)
    places = [_("Final ranking"), *(f"{place:>3}  {name}" for name, place in report.result.places)]
    margin, close = margin_of(report.result), wording.how_close(report)
    how_close = [*([f"{margin.title}: {margin.sentence}"] if margin else []), *([close] if close else [])]
    parts = [
        [found.election.full_name, "=" * min(len(found.election.full_name), 72)],
        _outcome(found),
        _ended(found),
        _groups(seal),
        _convened(found.election),
        [
            _("Method: %(method)s") % {"method": wording.method_label(report.result.method)},
            str(wording.RULES[report.result.method]),
        ],
        [_("Why"), *map(wording.translate, report.sentences)],
        [_("How close was it?"), *how_close] if how_close else [],
        *([_methods(report), places] if shown.comparisons else _votes(report.result)),
        [line for each in report.result.rounds or () for line in _round_lines(each)],
        _sealed(seal, found.election),
        _lots(found),
    ]
    return "\n\n".join("\n".join(map(_wrapped, part)) for part in parts if part) + "\n"


def _wrapped(line: str) -> str:
    """On lines that a mail or a page can hold; what hangs below the first is set in as far as the line itself."""
    margin = " " * (len(line) - len(line.lstrip()))
    return fill(line, LINE_CHARS, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


def _outcome(found: Sealed) -> list[str]:
    result, cast, voters = found.report.result, found.seal.ballots, found.election.entitled
    counted = ngettext("%(count)d ballot was counted.", "%(count)d ballots were counted.", cast) % {"count": cast}
    votes = _("Together they have %(votes)d votes.") % {"votes": result.total}
    of = ngettext("%(count)d person could vote.", "%(count)d people could vote.", voters) % {"count": voters}
    blank = _("Blank: %(count)d.") % {"count": result.blank}
    numbers = [counted, *([votes] if result.total != cast else []), blank, of]
    return [outcome_of(result).line, " ".join(numbers)]


def _votes(result: Result) -> list[list[str]]:
    """The numbers of each chart."""
    tables = [(picture.title, picture.table) for picture in pictures_of(result) if picture.table]
    return [[title, *(f"  {' · '.join(row)}" for row in (table.head, *table.rows))] for title, table in tables]


def _groups(seal: Seal) -> list[str]:
    """The turnout of voter groups."""
    line = _("%(group)s: %(voted)d of %(voters)d voted, %(percent)d%%")
    rows = [
        line % {"group": each.name, "voted": each.voted, "voters": each.voters, "percent": each.percent}
        for each in seal.groups
    ]
    return [_("Turnout by voter group"), *(f"- {row}" for row in rows)] if rows else []


def _ended(found: Sealed) -> list[str]:
    """When voting really ended."""
    closed = found.election
    lines = [_("Voting ended: %(when)s") % {"when": _moment(closed.ended, closed)}] if closed.ended else []
    if closed.closed_early and closed.ends:
        lines.append(_("It was closed before its planned end, %(when)s.") % {"when": _moment(closed.ends, closed)})
    return lines


def _moment(moment: datetime, election: Election) -> str:
    return times.moment_with_zone(moment, election.time_zone)


def _convened(election: Election) -> list[str]:
    """Which assembly called for it, and whether it could."""
    if (convened := election.convened) is None:
        return []
    sentence = _("Convened by the assembly “%(assembly)s” on %(when)s: %(summary)s.")
    when = times.moment_text(convened.moment.astimezone(times.zone(election.time_zone)))
    return [sentence % {"assembly": convened.assembly, "when": when, "summary": convened.summary}]


def _methods(report: Report) -> list[str]:
    others = [
        f"- {wording.method_label(each.method)}: {wording.join_names(each.winners)}"
        for each in wording.comparable(report)
    ]
    return [_("All methods"), wording.comparison_sentence(report), *others]


def _round_lines(each: Round) -> list[str]:
    votes = [f"  {name}: {number(votes)}" for name, votes in each.tally.items()]
    rest = _("Exhausted: %(exhausted)s. Needed: %(threshold)s.") % {
        "exhausted": number(each.exhausted),
        "threshold": number(each.threshold),
    }
    acts = [_("Elected: %(names)s") % {"names": wording.join_names(each.elected)}] if each.elected else []
    acts += [_("Eliminated: %(names)s") % {"names": wording.join_names(each.eliminated)}] if each.eliminated else []
    return [_("Round %(number)d") % {"number": each.number}, *votes, *(f"  {line}" for line in [rest, *acts])]


def _sealed(seal: Seal, election: Election) -> list[str]:
    return [
        _("Counted and sealed: %(when)s") % {"when": _moment(datetime.fromisoformat(seal.sealed_at), election)},
        _("Digest of the ballots: %(digest)s") % {"digest": seal.digest},
        _("Digest of the result: %(digest)s") % {"digest": seal.report_digest},
    ]


def _lots(found: Sealed) -> list[str]:
    """From what the lots were drawn, where any were; the result's page and the bundle say how to repeat it."""
    seal, report = found.seal, found.report
    if not (seal.seed and report.result.lots):
        return []
    return [
        _("Commitment for drawing lots, published when voting opened: %(text)s")
        % {"text": found.election.lots_commitment},
        _("Secret, published after the close: %(text)s") % {"text": seal.lots_secret},
        _("Seed, derived from the secret and the ballots: %(text)s") % {"text": seal.seed},
    ]
