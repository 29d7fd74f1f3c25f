"""Lists of voters as people bring them: odd encodings, odd separators, hostile files; and exports read back in."""

from __future__ import annotations

import io
import zipfile
from itertools import product

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation
from hypothesis import example, given
from hypothesis import strategies as st

from elections.voter_lists import Details, VoterRow, compare_with_roll, details_of, read_voters
from foundation.acts.refusals import Refusal
from foundation.pages.lists import (
    MAX_BYTES,
    MAX_LINE_CHARS,
    MAX_LINES,
    MAX_ROWS,
    NotAList,
    Verdict,
    as_csv,
)
from foundation.pages.names import clean_email, clean_name
from foundation.store.keys import fold
from tests.rows import every_row


def kept(rows: list[VoterRow]) -> list[str]:
    return [row.value for row in rows if row.verdict is Verdict.NEW]


def voters(text: str | bytes) -> list[str]:
    """The new voters of a file in which every row is one."""
    rows = read_voters(text if isinstance(text, bytes) else text.encode())
    assert {row.verdict for row in rows} <= {Verdict.NEW}
    return kept(rows)


# --- what a row says ---


def test_every_row_has_its_line_and_its_verdict():
    rows = read_voters(b"voter\nAda\n\n ADA \nbo@example.org\nbo@\n'+x\n")
    assert rows == [
        VoterRow(2, "Ada", "Ada", Verdict.NEW),
        VoterRow(4, "ADA", "ADA", Verdict.REPEATED, "Already on line 2."),
        VoterRow(5, "bo@example.org", "bo@example.org", Verdict.NEW),
        VoterRow(6, "bo@", None, Verdict.INVALID, "Enter a valid email address."),
        VoterRow(7, "+x", "+x", Verdict.NEW),
    ]


def test_reasons_are_said_in_the_readers_language():
    with translation.override("de"):
        rows = read_voters(b"x\x07\n")
    assert rows[0].reason == "Ein Name enthält keine Steuerzeichen."


def test_white_space_in_a_name_is_collapsed():
    assert voters('"Ada \n  Lovelace"') == ["Ada Lovelace"]


def test_the_same_address_in_another_case_is_repeated():
    rows = read_voters(b"Ada@Example.org\nada@example.ORG\n")
    assert [row.verdict for row in rows] == [Verdict.NEW, Verdict.REPEATED]


def test_a_name_too_long_is_invalid_and_the_others_are_not():
    rows = read_voters(("x" * 201 + "\nAda\n").encode())
    assert [row.verdict for row in rows] == [Verdict.INVALID, Verdict.NEW]
    assert rows[0].reason == "A name can have at most 200 characters. This one has 201."


# --- encodings ---

GREETING = "Name;E-Mail\nJörg Groß;joerg@example.org\nZoë;\n"


@every_row(
    "raw",
    [
        GREETING.encode(),
        GREETING.encode("utf-8-sig"),
        GREETING.encode("utf-16"),
        b"\xff\xfe" + GREETING.encode("utf-16-le"),
        b"\xfe\xff" + GREETING.encode("utf-16-be"),
        GREETING.encode("utf-16-le"),
        GREETING.encode("utf-16-be"),
        GREETING.encode("cp1252"),
        GREETING.encode("latin-1"),
    ],
)
def test_the_encoding_is_recognised(raw):
    assert voters(raw) == ["joerg@example.org", "Zoë"]


@every_row(
    ("name", "encoding"),
    product(
        ["Āriņš", "Łukasz", "Борис", "李小龍", "عائشة", "🦊"],
        ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"],
    ),
)
def test_names_of_all_scripts_survive(name, encoding):
    assert voters(f"{name}\nada@example.org\n".encode(encoding)) == [name, "ada@example.org"]


def test_windows_signs_are_read_as_windows_writes_them():
    assert voters(b"Sin\x9aa O\x92Neill\n") == ["Sinša O’Neill"]


# --- line ends, separators, quotes, headers ---


@every_row("end", ["\n", "\r\n", "\r"])
@every_row("separator", [",", ";", "\t"])
@every_row("header", [True, False])
def test_every_separator_and_line_end_is_read(separator, end, header):
    lines = ["ada@example.org", "Bo B.", "cy@example.org", ""]
    lines = [separator.join((line, "Room 5")) if line else "" for line in lines]
    lines = [separator.join(("Voter", "Room")), *lines] if header else lines
    assert voters(end.join(lines)) == ["ada@example.org", "Bo B.", "cy@example.org"]


@every_row(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n \n", []),
        (",,\n;;\n", []),
        ("name\n", []),
        ("Ada", ["Ada"]),
        ("Ada\n\n\nBo\n\n", ["Ada", "Bo"]),
        ("ada,,\nbo,,\n", ["ada", "bo"]),
        (",,\nname,,\nada,,\n", ["ada"]),
        ("  Ada  ;  x\n  Bo ; y", ["Ada", "Bo"]),
        ("Lovelace, Ada;x\nByron, Lord;y\n", ["Lovelace, Ada", "Byron, Lord"]),
        ("Ada\nSammy Davis, Jr.\nBo\n", ["Ada", "Sammy Davis, Jr.", "Bo"]),
        ("name\nLovelace, Ada\nByron, Lord\n", ["Lovelace, Ada", "Byron, Lord"]),
        ('"Lovelace, Ada",x\n"Byron, ""Lord""",y\n', ["Lovelace, Ada", 'Byron, "Lord"']),
        ('room, name\n5, "Lovelace, Ada"\n', ["Lovelace, Ada"]),
        ('"Bud" Spencer\nO"Neill\n', ["Bud Spencer", 'O"Neill']),
        ('name,note\nAda,"two\nlines, and ""quotes"""\nBo,\n', ["Ada", "Bo"]),
        ("sep=;\r\nName;x\r\nAda;1\r\n", ["Ada"]),
        ("sep=|\nAda|1\nBo|2\n", ["Ada", "Bo"]),
        ("Ada Lovelace,ada@example.org\nBo,bo@example.org\n", ["ada@example.org", "bo@example.org"]),
        ("nr;name\n1;Ada\n2;Bo\n", ["Ada", "Bo"]),
        ("name,email\nAda L.,ada@example.org\nBo,\n", ["ada@example.org", "Bo"]),
        ("name,address\nAda,5 Main Street\nBo,bo@example.org\n", ["Ada", "bo@example.org"]),
        ("Name, Vorname;E-Mail\nLovelace, Ada;ada@example.org\n", ["ada@example.org"]),
        ("ada,voter\nbo,voter\ncy,voter\n", ["ada", "bo", "cy"]),
        ("ada@example.org,User\nbo@example.org,Admin\n", ["ada@example.org", "bo@example.org"]),
        ("voter\nName\nAda\n", ["Name", "Ada"]),
        ("#1/100%\n<b>\n", ["#1/100%", "<b>"]),
    ],
)
def test_files_are_read_as_they_are_meant(text, expected):
    assert voters(text) == expected


HEADINGS = """name,NAME,User,user name,user_name,Username:,Voter,email,E-Mail,e-mail address,Mail,Address,Benutzername,
Benutzer,Wähler,Wähler/in,WÄHLERIN,E-Mail-Adresse,Mailadresse,Adresse,Wa\u0308hler,"Name\""""


@every_row("heading", HEADINGS.replace("\n", "").split(","))
def test_headings_in_english_and_german_are_known(heading):
    assert voters(f"Group;{heading};Room\nx;ada@example.org;5\n") == ["ada@example.org"]
    assert voters(f"{heading}\nada@example.org\n") == ["ada@example.org"]


def test_what_stands_under_email_must_be_an_address():
    (row,) = read_voters(b"name,email\nAda,ada.example.org\n")
    assert (row.typed, row.verdict) == ("ada.example.org", Verdict.INVALID)


def test_a_row_without_voter_is_invalid():
    rows = read_voters(b"name,room\n,5\nAda\n")
    assert [(row.line, row.verdict) for row in rows] == [(2, Verdict.INVALID), (3, Verdict.NEW)]
    assert rows[0].reason == "A name needs at least one visible character."


def test_line_numbers_count_blank_lines_and_lines_inside_quotes():
    rows = read_voters(b'sep=,\r\nname,note\r\n\r\nAda,"a\r\nb"\r\nBo,\r\n')
    assert [(row.line, row.value) for row in rows] == [(4, "Ada"), (6, "Bo")]


# --- what is refused whole ---

ROW = b"%d@example.org\n"


def spreadsheet() -> bytes:
    """What spreadsheets save by themselves: a ZIP file."""
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook>" * 100)
    return file.getvalue()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"a" * (MAX_BYTES + 1), "A list can be at most 5 MB."),
        (b'"' * 10_000_000, "A list can be at most 5 MB."),
        (b'"' * MAX_BYTES, "Line 1 has more than 1000 characters."),
        (b"," * MAX_BYTES, "Line 1 has more than 1000 characters."),
        (b"Ada\n" + b"x" * (MAX_LINE_CHARS + 1), "Line 2 has more than 1000 characters."),
        (b'Ada\n"Bo\nCy\nDi\n', "Line 2 has an unclosed quotation mark."),
        (b'"Ada\n' + b"Bo\n" * 1_000_000, "Line 1 has an unclosed quotation mark."),
        (
            b"".join(ROW % n for n in range(MAX_ROWS + 1)),
            "A list can have at most 50000 rows. Split it into several lists.",
        ),
        (b"\n" * MAX_BYTES, "A list can have at most 50000 rows. Split it into several lists."),
        (b'"\n' * (MAX_BYTES // 2), "A list can have at most 50000 rows. Split it into several lists."),
        (b"\0" * MAX_BYTES, "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (b"Ada\0\n" + b"Bo\n" * 99, "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (spreadsheet(), "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (b"\x81\x8d\x90", "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (b"\xef\xbb\xbf\xff", "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (b"\xff\xfeA\0\n", "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
        (b"\xff\xfe\x00\xd8A\0", "This file is not plain text. If it is a spreadsheet, save it as CSV first."),
    ],
    ids=range(17),
)
def test_what_is_no_list_is_refused_with_a_sentence(raw, sentence):
    with pytest.raises(NotAList) as refused:
        read_voters(raw)
    assert str(refused.value) == sentence
    assert isinstance(refused.value, Refusal)


@pytest.mark.deep
def test_as_much_as_is_allowed_is_read():
    rows = read_voters(b"name\n" + b"".join(ROW % n for n in range(MAX_ROWS)))
    assert len(kept(rows)) == MAX_ROWS
    assert len(read_voters(b"x" * MAX_LINE_CHARS + b"\n")) == 1
    assert voters(b"\n" * (MAX_LINES - 1) + b"Ada\n") == ["Ada"]


@pytest.mark.deep
@given(st.binary(max_size=200) | st.text("a@\",;\t\n\r\0'= ", max_size=60).map(str.encode))
@example(b"\xff\xfe")
@example(b"\xef\xbb\xbf")
@example(b'"')
@example(b"sep=;\n")
def test_any_bytes_are_read_or_refused(raw):
    try:
        rows = read_voters(raw)
    except NotAList:
        return
    lines = [row.line for row in rows]
    assert lines == sorted(set(lines))
    for row in rows:
        assert (row.value is None) == (row.verdict is Verdict.INVALID)
        assert bool(row.reason) == (row.verdict is not Verdict.NEW)


# --- against the roll ---


def test_who_is_on_the_roll_already_is_there():
    rows = read_voters(b"ADA\nBo@example.org\nCy\nada\n@\n")
    again = compare_with_roll(rows, {"ada", "bo@example.org"}, {"cy"})
    assert [row.verdict for row in again] == ["there", "there", "new", "there", "invalid"]
    assert again[0].reason == "Already on the roll."
    assert rows[0].verdict is Verdict.NEW


def test_the_same_file_twice_brings_nothing_new():
    rows = read_voters(GREETING.encode())
    assert kept(compare_with_roll(rows, set(map(fold, kept(rows))), ())) == []


def test_a_name_nobody_here_has_is_not_usable_and_an_address_is():
    rows = compare_with_roll(read_voters(b"Ada\nGhost Person\nghost@example.org\nghost person\n"), (), {"ada"})
    assert [row.verdict for row in rows] == ["new", "invalid", "new", "repeated"]
    assert rows[1].reason == "Nobody here has this name. Use their email address instead."


# --- exports that are imported again ---


def cleaned(typed: str) -> str | None:
    try:
        return clean_name(typed)
    except ValidationError:
        return None


LETTERS = st.one_of(st.sampled_from("=+-@'\"\t,;| \r\naAß1.voter"), st.characters(exclude_categories=["Cs"]))
NAMES = st.text(LETTERS, min_size=1, max_size=20).map(cleaned).filter(bool)
EMAILS = st.from_regex(r"[a-z=+'-][a-z0-9]{0,5}@[a-z]{1,5}\.org", fullmatch=True).map(clean_email)
ROLL = st.lists(NAMES | EMAILS, max_size=20, unique_by=fold)


@pytest.mark.deep
@given(ROLL, st.sampled_from(["voter", "Voter", "Wähler", "name"]))
@example(["voter", "Ada"], "voter")
@example(["'=1+1", "''-x", "-"], "voter")
@example(['"', ";", ",", "|", "sep=;"], "voter")
def test_an_export_is_read_back_to_the_same_voters(roll, heading):
    alone = "".join(as_csv([heading], ([voter] for voter in roll))).encode()
    beside = "".join(as_csv(["no", heading, "voted"], ([n, voter, "=yes;no"] for n, voter in enumerate(roll)))).encode()
    assert kept(read_voters(alone)) == kept(read_voters(beside)) == roll


# --- names beside addresses ---

NAMED = {
    "whole": "Name;E-Mail\nAnna Weber;anna@example.org\n",
    "first and last": "email,First name,Last name\nanna@example.org,Anna,Weber\n",
    "German": "Vorname;Name;E-Mail\nAnna;Weber;anna@example.org\n",
    "all three": "Nachname;Vorname;Name;Mail\nWeber;Anna;Weber, Anna;anna@example.org\n",
    "whole beside first": "First name,Name,email\nAnna,Anna  Weber,anna@example.org\n",
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_a_name_beside_an_address_is_kept(text):
    (row,) = read_voters(text.encode())
    assert (row.value, row.display_name) == ("anna@example.org", "Anna Weber")
    assert details_of([row]) == {"anna@example.org": Details("Anna Weber")}


UNNAMED = {
    "no header": "anna@example.org;Anna Weber\n",
    "a family name alone": "Nachname;Mail\nWeber;anna@example.org\n",
    "an address": "name,email\nanna@home.example,anna@example.org\n",
    "too long": f"name,email\n{'x' * 201},anna@example.org\n",
    "nothing": "name,email\n,anna@example.org\n",
    "a direction": "name,email\n\u202eanna,anna@example.org\n",
}


@pytest.mark.parametrize("text", UNNAMED.values(), ids=UNNAMED)
def test_what_is_no_name_to_greet_somebody_by_is_left_out_and_the_row_is_good(text):
    (row,) = read_voters(text.encode())
    assert (row.value, row.verdict, row.display_name) == ("anna@example.org", Verdict.NEW, "")


def test_a_user_name_is_not_a_name_beside_an_address():
    assert details_of(read_voters(b"user,name\nada,Ada Lovelace\n")) == {}
