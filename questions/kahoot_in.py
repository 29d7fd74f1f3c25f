"""Questions in the spreadsheet that Kahoot hands out to be filled in: a row with headings somewhere, a question a row.

An .xlsx file is a ZIP file of XML files. It is read with bounds on how many there are, on how large they say they are,
and on how much really comes out of them; the sheets are looked through until one has the headings.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.utils.translation import gettext as _

from pages.lists import MAX_BYTES, NotAList, decoded
from questions.question import MAX_OPTIONS
from store.keys import fold

from . import foreign, xml_in
from .checking import Flaw
from .foreign import NONE_RIGHT, Foreign
from .rows import MAX_ROW_CHARS, Read
from .rules import Whole
from .xml_in import Element

MARK = b"PK\x03\x04"
ENTRY = b"PK\x01\x02"  # with which every entry of the list of contents begins
MAX_ENTRIES = 500
MAX_INFLATED_BYTES = MAX_BYTES  # of all parts that are read
MAX_SHEETS = 3
MAX_ROWS = 2_000  # that are not empty, the headings and what stands above them included
SHEET = re.compile(r"xl/worksheets/sheet([0-9]{1,4})\.xml", re.IGNORECASE)
STRINGS = "xl/sharedstrings.xml"
SPOILT = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, KeyError)
USUAL_SECONDS = Foreign(0, "").seconds

HEADINGS = {
    "question": re.compile("(?:question|frage)"),
    "seconds": re.compile("(?:timelimit|zeitlimit|zeitbegrenzung)"),
    "right": re.compile("(?:correctanswer|richtigeantwort)"),
    "option": re.compile("(?:answer|antwort)([0-9]{1,2})(?![0-9])"),
}


def read(raw: bytes, whole: Whole) -> Read:
    """The questions of a file, each with its verdict for this set."""
    for rows in _sheets(raw):
        for place, row in enumerate(rows):
            if columns := _columns(row):
                filled = (each for each in rows[place + 1 :] if any(each.said(name) for name in columns.values()))
                return foreign.read((_question(each, columns) for each in filled), whole)
    sentence = _(
        "No row of this spreadsheet has the headings of Kahoot's template. A table of your own is read as CSV."
    )
    raise NotAList(sentence)


# --- out of the ZIP file ---


def _sheets(raw: bytes) -> Iterator[list[Line]]:
    try:
        parts = list(_parts(raw))
    except SPOILT:
        raise _not_a_spreadsheet() from None
    strings = _strings(parts[0])
    for part in parts[1:]:
        yield _lines(part, strings)


def _not_a_spreadsheet() -> NotAList:
    return NotAList(_("This is no spreadsheet that can be read. It has to be an .xlsx file without a password."))


def _too_large() -> NotAList:
    return NotAList(_("This spreadsheet is too large: it is full of other things than questions."))


def _parts(raw: bytes) -> Iterator[bytes]:
    """The texts of the cells, then the sheets in their order."""
    if len(raw) > MAX_BYTES:
        raise NotAList(_("A list has at most %(most)d MB.") % {"most": MAX_BYTES // 1024**2})
    if raw.count(ENTRY) > MAX_ENTRIES:
        raise _too_large()
    with ZipFile(BytesIO(raw)) as file:
        names = {each.lower(): each for each in file.namelist()}
        numbers = sorted((int(found[1]), name) for name in names if (found := SHEET.fullmatch(name)))
        left = MAX_INFLATED_BYTES
        for name in (STRINGS, *(name for _number, name in numbers[:MAX_SHEETS])):
            part = _inflated(file, names[name], left) if name in names else b""
            left -= len(part)
            yield part


def _inflated(file: ZipFile, name: str, most: int) -> bytes:
    """Neither what it says of its size is believed, nor more is taken out than may be."""
    entry = file.getinfo(name)
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadZipFile
    if entry.file_size > most:
        raise _too_large()
    with file.open(entry) as part:
        text = part.read(most + 1)
    if len(text) > most:
        raise _too_large()
    return text


# --- out of the sheets ---


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a sheet: what stands in which column."""

    number: int
    cells: Mapping[str, str]

    def said(self, column: str) -> str:
        return self.cells.get(column, "").strip()


def _strings(part: bytes) -> list[str]:
    """The texts that cells name by number; how they are pronounced is left out."""
    found: list[str] = []
    if part:
        xml_in.each(decoded(part), "sst", "si", lambda element: found.append(_text(element)))
    return found


def _lines(part: bytes, strings: list[str]) -> list[Line]:
    found: list[Line] = []

    def take(row: Element) -> None:
        number = row.attributes.get("r", "")
        at = int(number) if re.fullmatch("[0-9]{1,7}", number) else (found[-1].number if found else 0) + 1
        cells = {_column(cell, place): _cell(cell, strings) for place, cell in enumerate(row.all("c"))}
        if any(cells.values()):
            found.append(Line(at, cells))
        if len(found) > MAX_ROWS:
            raise _too_large()

    xml_in.each(decoded(part), "worksheet", "row", take)
    return found


def _column(cell: Element, place: int) -> str:
    """Its letters; a cell that does not say where it is stands where it is."""
    return re.sub("[^A-Z]", "", cell.attributes.get("r", "")[:10]) or f"#{place}"


def _cell(cell: Element, strings: list[str]) -> str:
    type_, value = cell.attributes.get("t", "n"), cell.words_of("v").strip()[:MAX_ROW_CHARS]
    if type_ == "s":
        place = int(value) if re.fullmatch("[0-9]{1,7}", value) else len(strings)
        return strings[place] if place < len(strings) else ""
    if type_ == "inlineStr":
        written = cell.first("is")
        return _text(written) if written else ""
    return _number(value) if type_ == "n" else value


def _text(element: Element) -> str:
    words = element.words("rPh", "phoneticPr")[:MAX_ROW_CHARS]
    return re.sub("_x000[9AaDd]_", " ", words)  # how spreadsheets write line ends where there may be none


def _number(value: str) -> str:
    """Whole numbers without a point, whichever way they are written."""
    if not re.fullmatch(r"-?[0-9]{1,9}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9])?", value):
        return value
    number = float(value)
    return str(int(number)) if number.is_integer() else value


# --- from cells to questions ---


def _columns(row: Line) -> dict[str, str]:
    """Which column has what; nothing, if this is not the row with the headings."""
    found: dict[str, str] = {}
    for column, heading in row.cells.items():
        word = "".join(filter(str.isalnum, fold(heading)))
        for name, pattern in HEADINGS.items():
            if match := pattern.match(word):
                found.setdefault(f"option{int(match[1])}" if name == "option" else name, column)
    return found if {"question", "option1", "option2"} <= found.keys() else {}


def _question(row: Line, columns: Mapping[str, str]) -> Foreign:
    said = {name: row.said(column) for name, column in columns.items()}
    places = [number for number in range(1, MAX_OPTIONS + 1) if said.get(f"option{number}")]
    found: list[Flaw] = []
    right = _right(said.get("right", ""), places, found)
    return Foreign(
        row.number,
        " ".join(said["question"].split()),
        options=tuple(said[f"option{number}"] for number in places),
        right=right,
        seconds=_seconds(said.get("seconds", ""), found),
        found=tuple(found),
        notes=() if right else (str(NONE_RIGHT),),
    )


def _right(typed: str, places: list[int], found: list[Flaw]) -> tuple[int, ...]:
    """Numbers of answers: “1,3”. Where a comma is a decimal point, a spreadsheet makes 1.3 of it."""
    right: list[int] = []
    for word in re.findall(r"\w+", typed[:100]):
        number = int(word) if re.fullmatch("[0-9]{1,2}", word) else 0
        if number in places:
            right.append(places.index(number))
        else:
            found.append(Flaw("right", _("There is no option “%(word)s”.") % {"word": word[:40]}))
    return tuple(right)


def _seconds(typed: str, found: list[Flaw]) -> int:
    if not typed:
        return USUAL_SECONDS
    if re.fullmatch("[0-9]{1,6}", typed):
        return int(typed)
    found.append(Flaw("seconds", _("“%(typed)s” is no whole number.") % {"typed": typed[:40]}))
    return USUAL_SECONDS
