"""Candidates pasted one per line, and exports as CSV."""

from __future__ import annotations

import csv
import io

import pytest

from foundation.pages.lists import MAX_CANDIDATES, NotAList, Verdict, as_csv, read_candidates
from tests.rows import every_row

# --- candidates ---


@every_row(
    ("text", "expected"),
    [
        ("", []),
        (" \n\r\n", []),
        ("Ada\nBo", ["Ada", "Bo"]),
        ("  Ada  Lovelace \r\n\r\n\tBo\r", ["Ada Lovelace", "Bo"]),
        ("- Ada\n- Bo", ["Ada", "Bo"]),
        ("* Ada\n* Bo\n*\n", ["Ada", "Bo"]),
        ("• Ada\n•Bo", ["Ada", "Bo"]),
        ("1. Ada\n2. Bo\n10) Cy", ["Ada", "Bo", "Cy"]),
        ("(1) Ada\n(2) Bo", ["Ada", "Bo"]),
        ("- Ada\n- Bo\nCy", ["Ada", "Bo", "Cy"]),
        ("- Ada\nBo\nCy", ["- Ada", "Bo", "Cy"]),
        ("- Ada\nBo", ["- Ada", "Bo"]),
        ("1. FC Köln\n1. FC Nürnberg", ["1. FC Köln", "1. FC Nürnberg"]),
        ("1. FC Köln\nHertha\nUnion", ["1. FC Köln", "Hertha", "Union"]),
        ("1984\n2001", ["1984", "2001"]),
        ("3.5 %\n4.5 %", ["3.5 %", "4.5 %"]),
        ("-1 °C\n-2 °C", ["-1 °C", "-2 °C"]),
        ("Ada @ home\nada@example.org", ["Ada @ home", "ada@example.org"]),
        ('Ada, Countess\nBo; "B"', ["Ada, Countess", 'Bo; "B"']),
    ],
)
def test_candidates_are_one_a_line(text, expected):
    assert [row.value for row in read_candidates(text) if row.verdict is Verdict.NEW] == expected


def test_candidates_repeated_too_long_or_unreadable_are_marked():
    rows = read_candidates("Élan\n\n" + "x" * 200 + "\n" + "x" * 201 + "\ne\u0301LAN\na\x07b\n\ud800\n")
    assert [(row.line, row.verdict) for row in rows] == [
        (1, Verdict.NEW),
        (3, Verdict.NEW),
        (4, Verdict.INVALID),
        (5, Verdict.REPEATED),
        (6, Verdict.INVALID),
        (7, Verdict.INVALID),
    ]
    assert rows[3].reason == "Already on line 1."


def test_too_many_candidates_are_refused():
    lines = [f"Candidate {n}" for n in range(MAX_CANDIDATES + 1)]
    assert len(read_candidates("\n\n".join(lines[1:]))) == MAX_CANDIDATES
    with pytest.raises(NotAList, match="at most 500 candidates"):
        read_candidates("\n".join(lines))


def test_an_essay_is_no_list_of_candidates():
    with pytest.raises(NotAList, match="Line 1 has more than 1000 characters"):
        read_candidates("x" * 1_000_000)


# --- exports ---


@every_row("start", ["=", "+", "-", "@", "\t", "\r"])
@every_row("apostrophes", ["", "'", "''"])
def test_no_text_can_be_taken_for_a_formula(start, apostrophes):
    field = f"{apostrophes}{start}1+1"
    (_header, row) = csv.reader(io.StringIO("".join(as_csv(["x", "y"], [["a", field]])), newline=""))
    assert row == ["a", f"'{field}"]


def test_numbers_stay_numbers_and_nothing_stays_empty():
    assert list(as_csv(["voter", "change"], [["Ada", -5], ["Bo", None]]))[1:] == ["Ada,-5\r\n", "Bo,\r\n"]


def test_an_export_is_quoted_by_the_rules_and_marked_as_utf_8():
    lines = list(as_csv(["voter", "note"], [['a "b", c', "two\nlines"], ["O'Neill", "'tis"]]))
    assert lines == ["\ufeffvoter,note\r\n", '"a ""b"", c","two\nlines"\r\n', "O'Neill,'tis\r\n"]


def test_an_export_is_made_row_by_row():
    def rows():
        yield ["Ada"]
        raise AssertionError("asked for more than was taken")

    lines = as_csv(["voter"], rows())
    assert [next(lines), next(lines)] == ["\ufeffvoter\r\n", "Ada\r\n"]
