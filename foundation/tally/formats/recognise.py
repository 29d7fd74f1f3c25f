"""Which format a file has: by the ending of its name, else by what its first lines look like."""

from __future__ import annotations

import re

from . import csv_file
from .file import BadFile, NotRecognised

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
