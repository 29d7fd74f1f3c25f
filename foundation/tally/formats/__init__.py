"""Ballot files: every format is a module that reads text into a `File` and writes one as text.

`read(source, format, name)` takes bytes, text or a stream and recognises the format by the name's ending, else by the
first lines. `write(file, format)` hands out bytes piece by piece, and refuses with a sentence what a format cannot
express.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from ..ballots import BadBallot, Ballots, check_marks
from ..majorities import ABSTAIN, NO, YES
from . import abif, blt, csv_file, cvotes, json_file, plain, preflib
from .file import BadFile, CannotWrite, File, Limits, NotRecognised, Stream, Text, excerpt, refuse_odd_names

__all__ = ["FORMATS", "WRITERS", "BadFile", "CannotWrite", "File", "Limits", "NotRecognised", "read", "write"]

MODULES = {
    "csv": csv_file,
    "json": json_file,
    "blt": blt,
    "abif": abif,
    "cvotes": cvotes,
    "preflib": preflib,
    "plain": plain,
}
READERS: Mapping[str, Callable[..., File]] = {
    format: module.read for format, module in MODULES.items()
} | dict.fromkeys(preflib.TYPES, preflib.read)
WRITERS: Mapping[str, Callable[[File], Iterator[str]]] = {
    format: module.write for format, module in MODULES.items()
} | {type: partial(preflib.write, type=type) for type in preflib.TYPES}

FORMATS = tuple(READERS)
ASKED = ("csv", "abif")  # what a ballot holds may depend on the kind of ballot that is asked for
VALUED = ("csv", "json", "abif", "preflib", "cat")  # formats for ballots with marks or values
XML = re.compile(r"\s*<(?:\?xml\b|(?:\w+:)?CastVoteRecordReport\b)")
BATCH_LINES = 1000  # lines that are handed out together


def read(
    source: bytes | str | Stream,
    format: str | None = None,
    name: str = "",
    *,
    limits: Limits | None = None,
    kind: str | None = None,
) -> File:
    """The ballots of a file, of the kind that is asked for or that the file says. They are counted as they are read:
    memory grows with different ballots only."""
    bounds = limits or Limits()
    text = Text(source, bounds)
    if XML.match(text.head):
        raise BadFile(1, "XML is not read. Cast vote records (NIST SP 1500-103) are read in JSON.")
    chosen = format or recognise(name, text.head)
    if chosen not in READERS:
        raise BadFile(None, f"The format is one of {', '.join(FORMATS)}, not {chosen}.")
    file = READERS[chosen](text, bounds, **({"kind": kind} if chosen in ASKED else {}))
    return replace(_of_kind(file, kind or file.kind or "ranked"), format=chosen)


def _of_kind(file: File, kind: str) -> File:
    """The file, if its ballots are of this kind."""
    ballots = _yes_or_no(file.ballots) if kind == "yes-no" else file.ballots
    if kind != "ranked" or file.kind not in (None, "ranked"):
        for ballot in ballots.counts:
            try:
                if ballot or kind != "yes-no":
                    check_marks(ballot, len(ballots.candidates), kind)
            except BadBallot:
                raise BadFile(None, f"These ballots are not of the kind {kind}: “{excerpt(ballot)}”.") from None
    return replace(file, ballots=ballots, kind=kind)


def _yes_or_no(ballots: Ballots) -> Ballots:
    """With the candidates of such a vote in their order, however they are capitalised."""
    usual = {name.casefold(): name for name in (YES, NO, ABSTAIN)}
    names = [usual.get(name.casefold(), "") for name in ballots.candidates]
    if "" in names or len(set(names)) < len(names):
        raise BadFile(None, f"A vote on yes or no has no other candidates than {YES}, {NO} and {ABSTAIN}.")
    return Ballots(tuple(names), ballots.counts).in_order((YES, NO, ABSTAIN))


def write(file: File, format: str) -> Iterator[bytes]:
    """The file in a format. What cannot be written is refused before anything is."""
    if format not in WRITERS:
        raise CannotWrite(f"The format is one of {', '.join(WRITERS)}, not {format}.")
    refuse_odd_names(file.ballots.candidates)
    if file.kind not in (None, "ranked") and format not in VALUED:
        raise CannotWrite(f"The format {format} holds rankings only.")
    pieces = WRITERS[format](file)
    pieces = chain([next(pieces)], pieces)
    return iter(lambda: "".join(islice(pieces, BATCH_LINES)).encode(), b"")


# --- which format a file has: by the ending of its name, else by what its first lines look like ---


ENDINGS = {
    "csv": "csv",
    "tsv": "csv",
    "json": "json",
    "blt": "blt",
    "abif": "abif",
    "cvotes": "cvotes",
    "soc": "preflib",
    "soi": "preflib",
    "toc": "preflib",
    "toi": "preflib",
    "cat": "preflib",
}
SAMPLE_LINES = 1000  # looked at

PREFLIB = re.compile(r"#\s*(?:ALTERNATIVE NAME\s+[0-9]+|DATA TYPE|NUMBER ALTERNATIVES|FILE NAME)\s*:", re.IGNORECASE)
BLT = re.compile(r"[0-9]+\s+[0-9]+(?=\s|$)[^>:]*$")
OLD_PREFLIB = re.compile(r"[0-9]+\s*,\s*\S")
COUNTED = re.compile(r"[0-9]+\s*:")
ABIF = re.compile(  # a candidate's line, or a ballot with a name in brackets or with a rating
    r"=[^=>]+:|[^\s:>]+\s*:\s*\[|[0-9]+\s*:(?:.*(?:[>=,]\s*\[|/\s*[0-9.]+\s*(?:[>=,#:]|$)))|ABIF(?:\s|$)"
)
QUOTED = re.compile(r'"(?:[^"]|"")*"')  # quoted text is a name, whatever it looks like
CVOTES = re.compile(r".*(?:\|\||\^\s*[0-9]+|\*\s*[0-9]+)\s*(?:#.*)?$|.*\|\||/EMPTY")


def recognise(name: str, head: str) -> str:
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ENDINGS.get(ending) or _by_look(head)


def _by_look(head: str) -> str:
    lines = [line.strip() for line in head.split("\n", SAMPLE_LINES)[:SAMPLE_LINES]]
    nonblank = [line[:10_000] for line in lines if line]
    if any(line.startswith("#/") for line in nonblank):
        return "cvotes"
    if any(PREFLIB.match(line) for line in nonblank):
        return "preflib"
    content = [line for line in nonblank if not line.startswith("#")]
    if not content:
        raise BadFile(None, "This file is empty.")
    return _by_content(content)


def _by_content(lines: list[str]) -> str:
    first, second = lines[0], lines[1] if len(lines) > 1 else None
    if first[0] in "{[":
        return "abif" if first.endswith("}") and second and second[0] in "{=0123456789" else "json"
    if first.isdigit() and second and OLD_PREFLIB.match(second):
        return "preflib"
    if BLT.match(first):
        return "blt"
    if not COUNTED.match(first) and (csv_file.HINT.match(first) or csv_file.is_table(first, second)):
        return "csv"
    return _by_ballots(lines)


def _by_ballots(lines: list[str]) -> str:
    """Lines of ballots in one notation or another."""
    if any(ABIF.match(QUOTED.sub('""', line)) for line in lines):
        return "abif"
    if any(COUNTED.match(line) for line in lines):
        return "plain"
    if any(CVOTES.match(line) for line in lines):
        return "cvotes"
    if any(">" in line or "=" in line for line in lines):
        return "plain"
    raise NotRecognised(None, "The format of this file was not recognised. Choose the format.")
