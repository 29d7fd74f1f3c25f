"""Lists of voters: what an imported or pasted list says of each, and a list to export that can be imported again."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from itertools import dropwhile, islice
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.crypto import salted_hmac
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from foundation.pages.lists import (
    HINT,
    MAX_LINE_CHARS,
    MAX_ROWS,
    NotAList,
    Row,
    Verdict,
    as_csv,
    decode,
    numbered_lines,
    too_many_rows,
    unescape_formula,
    without_repeats,
)
from foundation.pages.names import clean_email, clean_name, clean_title
from foundation.store.keys import fold

MAX_NUMBER_CHARS = 40  # of a member number
MAX_POSTAL_LINES, MAX_POSTAL_CHARS = 6, 80  # of an address for letters, and of each line
MAX_GROUP_CHARS = 60  # of the name of a voter group
MAX_WEIGHT = 1_000_000  # times that a vote counts


@dataclass(frozen=True, slots=True)
class VoterRow(Row):
    """One row of a list of voters, with what the list says of them, if anything."""

    display_name: str = ""  # of the person whose address or member number the row has
    groups: tuple[str, ...] | None = None  # all voter groups they are in
    weight: int | None = None  # how many times their vote counts
    postal: tuple[str, ...] = ()  # the lines of the address of somebody with a member number
    language: str = ""  # of their letter
    birth: str = ""  # their date of birth


@dataclass(frozen=True, slots=True)
class Details:
    """What a list says of a voter besides who they are."""

    display_name: str = ""
    groups: tuple[str, ...] | None = None  # voter groups they are in
    adds: bool = False  # whether they stay in those they are in already
    weight: int | None = None  # how many times their vote counts
    postal: tuple[str, ...] = ()  # lines of the address for letters
    language: str = ""  # of letters
    check: str = ""  # a keyed hash of the date of birth, which is not stored

    def also_in(self, groups: tuple[str, ...]) -> Details:
        return replace(self, groups=(*(self.groups or ()), *groups), adds=self.adds or self.groups is None)


def read_voters(raw: bytes) -> list[VoterRow]:
    """The voters of a CSV file, each a user name, an email address or a member number."""
    rows: list[VoterRow] = []
    for record in _voters(decode(raw)):
        if len(rows) == MAX_ROWS:
            raise too_many_rows()
        rows.append(_row(record))
    return list(without_repeats(rows))


def _row(record: Record) -> VoterRow:
    row, typed = VoterRow(record.line, record.typed, None, Verdict.INVALID), record.typed
    # in our own lists, member numbers end with an @ and have a name; elsewhere that is half of an address
    is_listed = record.column is Column.VOTER and typed.endswith("@") and record.display_name
    try:
        if record.column is Column.NUMBER or is_listed:
            value = clean_number(typed)
        else:
            value = clean_email(typed) if record.column is Column.EMAIL or "@" in typed else clean_name(typed)
        row = replace(row, display_name=record.display_name if "@" in value else "")
        groups = None if record.groups is None else clean_groups(record.groups)
        weight = None if record.weight is None else clean_weight(record.weight)
        row = replace(row, value=value, verdict=Verdict.NEW, groups=groups, weight=weight)
        if not value.endswith("@"):
            return row
        if not row.display_name:  # nobody could be told who it is
            raise ValidationError(_("People listed by member number need a name, in a column such as “Name”."))
        postal, language = clean_postal(record.postal), clean_language(record.language)
        return replace(row, postal=postal, language=language, birth=clean_birth(record.birth))
    except ValidationError as error:
        return replace(row, value=None, verdict=Verdict.INVALID, reason=error.messages[0])


def clean_number(typed: str) -> str:
    """A member number as on the roll, where it is followed by @: it can be neither a user name nor an address."""
    number = clean_title(typed.strip().removesuffix("@"))
    if "@" in number or len(number) > MAX_NUMBER_CHARS:
        sentence = _("A member number has no @, and at most %(most)d characters.")
        raise ValidationError(sentence % {"most": MAX_NUMBER_CHARS})
    return f"{number}@"


def clean_postal(typed: str) -> tuple[str, ...]:
    """The lines of an address."""
    lines = tuple(clean_title(line) for line in typed.splitlines() if line.strip())
    if len(lines) > MAX_POSTAL_LINES or any(len(line) > MAX_POSTAL_CHARS for line in lines):
        sentence = _("A postal address has at most %(lines)d lines of %(chars)d characters, below the name.")
        raise ValidationError(sentence % {"lines": MAX_POSTAL_LINES, "chars": MAX_POSTAL_CHARS})
    return lines


def clean_language(typed: str) -> str:
    """Of a letter: a language of this site, by its code or its name; empty for that of the site."""
    for code, name in settings.LANGUAGES if typed.strip() else ():
        if fold(typed.strip()) in map(fold, (code, str(name), _(str(name)))):
            return code
    if typed.strip():
        raise ValidationError(_("This site has no texts in that language."))
    return ""


def clean_birth(typed: str) -> str:
    """A date of birth, as 1815-12-10. Days come before months, as everywhere but in America."""
    if not typed.strip():
        return ""
    try:
        found = BIRTH.fullmatch(typed.strip())
        parts = found.groups() if found else ()
        year, month, day = parts[:3] if found and found[1] else parts[:2:-1]
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        raise ValidationError(_("Write a date of birth as 1990-12-31 or 31.12.1990.")) from None


def check_mark(voter: str, birth: str) -> str:
    """All that is stored of a date of birth: without the key of the site it cannot be guessed."""
    return salted_hmac("letters.birth", f"{fold(voter)}\n{birth}", algorithm="sha256").hexdigest()[:32]


def clean_groups(typed: str) -> tuple[str, ...]:
    """The names of voter groups, separated by semicolons or bars."""
    names = [clean_title(each) for each in re.split(r"[;|]", typed) if each.strip()]
    if any(len(name) > MAX_GROUP_CHARS for name in names):
        sentence = _("The name of a voter group has at most %(most)d characters.")
        raise ValidationError(sentence % {"most": MAX_GROUP_CHARS})
    return tuple({fold(name): name for name in names}.values())


def clean_weight(typed: str) -> int:
    """How many times a vote counts: once, if nothing is said."""
    number = int(typed) if re.fullmatch(r"[0-9]{1,9}", typed) else 0 if typed else 1
    if not 1 <= number <= MAX_WEIGHT:
        sentence = _("A weight is a whole number from 1 to %(most)s.")
        raise ValidationError(sentence % {"most": number_format(MAX_WEIGHT, force_grouping=True)})
    return number


def group_named(name: str) -> str:
    """The name of a voter group after something else."""
    return re.sub(r"\s*[;|]\s*", ", ", name)[:MAX_GROUP_CHARS].strip()


def as_groups(groups: Iterable[str]) -> str:
    """As `clean_groups` reads them."""
    return "; ".join(groups)


def details_of(rows: Iterable[VoterRow]) -> dict[str, Details]:
    """By the name or address that is stored."""
    found = {}
    for row in rows:
        if row.value and (row.display_name or row.groups is not None or row.weight is not None):
            check = check_mark(row.value, row.birth) if row.birth else ""
            letter = row.postal, row.language, check
            found[row.value] = Details(row.display_name, row.groups, False, row.weight, *letter)
    return found


def compare_with_roll(
    rows: Iterable[VoterRow], already: Collection[str], people: Collection[str], reason: str = ""
) -> list[VoterRow]:
    """The rows again, compared with the folded names on the roll, or wherever else the reason says, and the folded
    names of existing accounts.
    """
    there = {"verdict": Verdict.THERE, "reason": reason or _("Already on the roll.")}
    reason = _("Nobody here has this name. Use their email address instead.")
    unknown = {"verdict": Verdict.INVALID, "reason": reason}
    on_roll, accounts, compared = set(already), set(people), []
    for row in rows:
        name, change = fold(row.value or ""), dict[str, Any]()
        if name and name in on_roll:
            change = there
        elif row.verdict == Verdict.NEW and name and "@" not in name and name not in accounts:
            change = unknown
        compared.append(replace(row, **change))
    return compared


def refuse_names(rows: Iterable[VoterRow], reason: str) -> list[VoterRow]:
    """The rows again, with those by name refused, whether or not they are on the roll."""
    return [
        replace(row, verdict=Verdict.INVALID, reason=reason) if row.value and "@" not in row.value else row
        for row in rows
    ]


# --- from lines to cells ---

SEPARATORS = "\t;,"  # in this order: a comma may well be part of a name
NO_SEPARATOR = "\x1f"
SAMPLE_LINES = 100  # lines examined before the separator is chosen


def _layout(sample: list[str], separators: str) -> tuple[str, bool]:
    """The separator, and whether the first line is a header."""
    best = max(separators, key=lambda each: (_headings(sample, each), _splits(sample[:1], each)))
    if _headings(sample, best):
        return best if _splits(sample[:1], best) else NO_SEPARATOR, True
    best = max(separators, key=lambda each: _splits(sample, each))
    return best if _splits(sample, best) * 2 >= len(sample) else NO_SEPARATOR, False


def _headings(sample: list[str], separator: str) -> int:
    """How many headings the first line has; none if it contains an address. What most other lines repeat in the same
    column is not a heading but, say, a role."""
    first, *others = [_cells(line, separator) for line in sample] or [[]]
    if any("@" in cell for cell in first):
        return 0
    found = 0
    for place, cell in enumerate(first):
        if _column(cell):
            again = sum(fold(own) == fold(cell) for cells in others for own in cells[place : place + 1])
            found += again * 2 <= len(others)
    return found


def _splits(sample: list[str], separator: str) -> int:
    """How many of the lines it splits."""
    return sum(len(_cells(line, separator)) > 1 for line in sample)


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, skipinitialspace=True))


def _is_blank(text: str) -> bool:
    return not text.strip().strip(SEPARATORS + '|" ')


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each non-empty record, with the line it starts on. A quoted cell may span several lines."""
    begin, length = 1, 0

    def lines() -> Iterator[str]:
        nonlocal length
        for _number, line in numbered_lines(text):
            length += len(line)
            if length > MAX_LINE_CHARS + 1:
                break
            yield line
        if length:  # more was requested within a record: inside quotation marks
            raise NotAList(_("Line %(line)d has an unclosed quotation mark.") % {"line": begin})

    reader = csv.reader(lines(), delimiter=separator, skipinitialspace=True)
    for cells in reader:
        if any(map(str.strip, cells)):
            yield begin, cells
        begin, length = reader.line_num + 1, 0


# --- from cells to voters ---


class Column(Enum):
    """What a column holds, the most reliable first."""

    VOTER = "voter"
    EMAIL = "email"
    ADDRESS = "address"  # of a mailbox or of a house
    USER = "user"
    NUMBER = "number"  # of a member
    NAME = "name"  # of a user or of a person


HEADERS = {
    Column.VOTER: "voter voters elector electors wähler wählerin wählerinnen stimmberechtigte wahlberechtigte",
    Column.EMAIL: "email emails mail mails emailaddress emailaddresses mailaddress emailadresse emailadressen "
    "mailadresse mailadressen",
    Column.ADDRESS: "address addresses adresse adressen anschrift",
    Column.USER: "user users username usernames userid login nutzer nutzername benutzer benutzername anmeldename",
    Column.NUMBER: "number membernumber memberno memberid membershipnumber membershipno mitgliedsnummer mitgliedsnr "
    "mitgliedernummer mitgliednr",
    Column.NAME: "name names fullname namen",
}
POSTAL_HEADINGS = {
    "line": f"{HEADERS[Column.ADDRESS]} addressline postaladdress postanschrift postadresse street streetaddress "
    "straße strasse straßehausnummer strassehausnummer zusatz adresszusatz addition county state region country land",
    "before the place": "postcode postalcode zip zipcode plz postleitzahl",
    "place": "city town place ort stadt wohnort",
}
POSTAL_BY_HEADING = {fold(word): kind for kind, words in POSTAL_HEADINGS.items() for word in words.split()}
LANGUAGE_HEADINGS = frozenset(map(fold, ["language", "lang", "sprache"]))
BIRTH_HEADINGS = frozenset(map(fold, ["dateofbirth", "birthdate", "birthday", "dob", "geburtsdatum", "geburtstag"]))
BIRTH = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})|([0-9]{1,2})[./]\s*([0-9]{1,2})[./]\s*([0-9]{4})", re.ASCII)
COLUMN_BY_HEADING = {fold(word): column for column, words in HEADERS.items() for word in words.split()}
PARTS_OF_NAMES = {
    "first": "firstname firstnames forename forenames givenname givennames vorname vornamen rufname",
    "last": "lastname lastnames surname surnames familyname nachname nachnamen familienname zuname",
    "whole": f"{HEADERS[Column.NAME]} displayname anzeigename",
}
GROUP_HEADINGS = frozenset(
    map(fold, ["group", "groups", "votergroup", "votergroups", "gruppe", "gruppen", "wählergruppe", "wählergruppen"])
)
WEIGHT_HEADINGS = frozenset(map(fold, ["weight", "weights", "votes", "gewicht", "gewichte", "stimmgewicht", "stimmen"]))
PART_BY_HEADING = {fold(word): part for part, words in PARTS_OF_NAMES.items() for word in words.split()}


def _heading(cell: str) -> str:
    """“E-Mail:” is email."""
    return "".join(filter(str.isalpha, fold(cell)))


def _column(cell: str) -> Column | None:
    """What a cell of the first line says its column holds, if it is a heading."""
    return COLUMN_BY_HEADING.get(_heading(cell))


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one voter, as typed."""

    line: int
    column: Column | None  # what the header says about the cell that identifies the voter
    typed: str  # that cell
    display_name: str = ""
    groups: str | None = None  # if there is a column of them
    weight: str | None = None
    postal: str = ""
    language: str = ""
    birth: str = ""


def _voters(text: str) -> Iterator[Record]:
    hint = HINT.match(text)
    text = text[hint.end() :] if hint else text  # the rest of that line is blank and still counts
    sample = list(islice((line for _number, line in numbered_lines(text) if not _is_blank(line)), SAMPLE_LINES))
    separator, has_header = _layout(sample, hint[1] if hint else SEPARATORS)
    records = dropwhile(lambda record: _is_blank("".join(record[1])), _records(text, separator))
    if has_header:
        header = next(records)[1]
        columns = [(place, column) for place, cell in enumerate(header) if (column := _column(cell))]
        columns.sort(key=lambda each: list(Column).index(each[1]))
        parts = [PART_BY_HEADING.get(_heading(cell)) for cell in header]
        of_groups, of_weight, of_language, of_birth = (
            [place for place, cell in enumerate(header) if _heading(cell) in headings]
            for headings in (GROUP_HEADINGS, WEIGHT_HEADINGS, LANGUAGE_HEADINGS, BIRTH_HEADINGS)
        )
        kinds = [POSTAL_BY_HEADING.get(_heading(cell)) for cell in header]
        of_postal = [(place, kind) for place, kind in enumerate(kinds) if kind]
        for line, cells in records:
            yield Record(
                line,
                *_by_header(cells, columns),
                display_name=_display_name(cells, parts),
                groups=_joined(cells, of_groups),
                weight=_joined(cells, of_weight[:1]),
                postal=_postal(cells, of_postal),
                language=_joined(cells, of_language[:1]) or "",
                birth=_joined(cells, of_birth[:1]) or "",
            )
        return
    for line, cells in records:  # the email address if any, as the name beside it may not be a user's; else the first
        filled = [unescape_formula(cell) for cell in cells if not _is_blank(cell)]
        if typed := next((cell for cell in filled if "@" in cell), filled[0] if filled else ""):
            yield Record(line, None, typed)


def _postal(cells: list[str], columns: list[tuple[int, str]]) -> str:
    """The lines of an address from its columns; a postcode shares a line with the place after it."""
    filled = [(unescape_formula(cells[place]), kind) for place, kind in columns if place < len(cells)]
    text = "".join(f"{cell}{' ' if kind == 'before the place' else chr(10)}" for cell, kind in filled if cell)
    return text.strip()


def _by_header(cells: list[str], columns: list[tuple[int, Column]]) -> tuple[Column | None, str]:
    for place, column in columns:
        typed = unescape_formula(cells[place]) if place < len(cells) else ""
        if "@" in typed if column is Column.ADDRESS else typed:
            return column, typed
    return None, ""


def _display_name(cells: list[str], parts: list[str | None]) -> str:
    """The person's name, empty if there is none to use. “Name” beside “Vorname” is the family name."""
    found = {part: unescape_formula(cell) for part, cell in zip(parts, cells, strict=False) if part}
    first, last, whole = (found.get(part, "") for part in PARTS_OF_NAMES)
    if first and not f"{fold(whole)} ".startswith(f"{fold(first)} "):
        whole = f"{first} {last or whole}"
    try:
        return clean_name(whole)  # a family name alone is no way to address anybody
    except ValidationError:
        return ""


def _joined(cells: list[str], places: list[int]) -> str | None:
    """What is in these columns, if there are any."""
    return ";".join(unescape_formula(cells[place]) for place in places if place < len(cells)) if places else None


def voters_as_csv(voters: Iterable[VoterRow]) -> str:
    """A list as `read_voters` reads it, with the columns that it has something in."""
    every = list(voters)
    columns: dict[str, Callable[[VoterRow], object]] = {
        "voter": lambda row: row.value,
        "name": lambda row: row.display_name,
    }
    if any(row.groups is not None for row in every):
        columns["groups"] = lambda row: as_groups(row.groups or ())
    if any(row.weight is not None for row in every):
        columns["weight"] = lambda row: row.weight or ""
    for heading, cell in LETTER_COLUMNS.items():
        if any(map(cell, every)):
            columns[heading] = cell
    return "".join(as_csv(columns, ([cell(row) for cell in columns.values()] for row in every)))


LETTER_COLUMNS: dict[str, Callable[[VoterRow], object]] = {
    "postal address": lambda row: "\n".join(row.postal),
    "language": lambda row: row.language,
    "date of birth": lambda row: row.birth,
}
