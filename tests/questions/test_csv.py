"""Questions from a file and into one: every row has its verdict, and what we write we read again."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.pages.lists import NotAList, Verdict
from parts.questions import rules
from parts.questions.formats.csv_import import read
from parts.questions.formats.exports import EXAMPLES, as_json, questions_csv
from parts.questions.formats.rows import ImportedFile
from parts.questions.question import MAX_QUESTIONS, Kind, Question, flaws, tidied
from tests.rows import every_row

from .conftest import CAPITAL, MANY
from .test_rules import EMPTY, FULL, NOW


def given_by(text: str, full=EMPTY) -> ImportedFile:
    return read(text.encode(), full)


def one(text: str) -> Question:
    (question,) = given_by(text).new
    return question


def reason(text: str) -> str:
    (row,) = given_by(text).rows
    assert row.verdict == Verdict.INVALID
    return row.reason


# --- what is understood ---

SAME = [
    "title,category\nWhat?,Plans\n",
    "\ufefftitle,category\r\nWhat?,Plans\r\n",
    "sep=;\r\nTitle;Category\r\nWhat?;Plans\r\n",
    "category\ttitle\nPlans\tWhat?\n",
    "Kategorie;Titel\nPlans;What?\n",
    '\n"title","category"\n\n"What?","Plans"\n,,\n',
    "title|category\rWhat?|Plans\r",
]


@every_row("text", SAME)
def test_however_a_file_is_written(text):
    assert one(text) == Question("What?", category="Plans")


def test_umlauts_of_old_spreadsheets_are_read():
    assert read("title\nWäre das gut?".encode("cp1252"), EMPTY).new == [Question("Wäre das gut?")]
    assert read("title\nWäre das gut?".encode("utf-16"), EMPTY).new == [Question("Wäre das gut?")]


def test_every_column_in_german_too():
    text = "Frage;Art;Details;Kategorie;Schule;Anweisung;Antwort 1;Antwort 2;Antwort 3;Richtig;Sekunden\n"
    text += "What is the capital of Peru?;Auswahl;It lies on the coast.;Towns;Geography;Pick one.;Cusco;Lima;Quito;B;20"
    assert one(text) == CAPITAL


@every_row(("typed", "kind"), [("Ja/Nein", Kind.YES_NO), ("yes-no", Kind.YES_NO), ("RATING", Kind.RATING)])
def test_kinds(typed, kind):
    assert one(f"title,kind\nWell?,{typed}").kind == kind


def test_what_is_not_said_of_the_kind_follows_from_the_options():
    assert one("title,option1,option2\nWell?,a,b").kind == Kind.CHOICE
    assert one("title,option1,option2\nWell?,,").kind == Kind.TEXT


@every_row("right", ["A C", "1,3", "a;c", "1 C", "c, a, c"])
def test_right_answers_by_letter_or_number(right):
    assert one(f'title,option1,option2,option3,right\nWell?,x,y,z,"{right}"').right == (0, 2)


def test_right_answers_are_named_by_their_column_also_between_empty_ones():
    question = one("title,option1,option2,option3,right\nWell?,x,,z,C")
    assert (question.options, question.right) == (("x", "z"), (1,))


def test_words_of_several_lines():
    assert one('title,detail\nWell?,"One\r\n\r\ntwo, ""three"""').detail == 'One\n\ntwo, "three"'


def test_columns_that_mean_nothing_are_named():
    found = given_by("title,colour,Title,points\nWell?,red,Other?,3")
    assert found.new == [Question("Well?")]
    assert found.unread == ("colour", "Title", "points")


# --- verdicts ---

WRONG = {
    "title,kind\n,text": "title: Enter a question.",
    "title,kind\nWell?,dance": "kind: “dance” is not one of",
    "title,seconds\nWell?,soon": "seconds: “soon” is not a whole number.",
    "title,seconds\nWell?,99999": "seconds: Enter 0 to 3600 seconds.",
    "title,option1,option2,right\nWell?,a,b,C": "right: There is no option “C”.",
    "title,option1,option2,right\nWell?,a,b,AB": "right: There is no option “AB”.",
    "title,option1,option2,option3\nWell?,a,,a": "option3: The same as option 1.",
    "title,kind,option1\nWell?,text,a": "option1: Only choices and rankings have options.",
    "title\nWell?,more": "It has more cells than the first line.",
    'title,detail\nWell?,"never closed': "Its quotation marks do not match",
    f"title\n{'x' * 301}": "title: At most 300 characters; these are 301.",
    f"title\n{'x' * 50_000}": "Its quotation marks do not match, or it is too long.",
}


@every_row("text", WRONG)
def test_a_wrong_row_says_what_is_wrong_with_which_column(text):
    assert reason(text).startswith(WRONG[text])


def test_one_bad_row_refuses_no_other():
    text = 'title,detail\nFirst?,\n,none\nThird?,"open\nFourth?,"quoted, well"\nFifth?,\n'
    found = given_by(text)
    assert [(row.line, row.verdict) for row in found.rows] == [
        (2, Verdict.NEW),
        (3, Verdict.INVALID),
        (4, Verdict.INVALID),
        (5, Verdict.NEW),
        (6, Verdict.NEW),
    ]
    assert found.new[1].detail == "quoted, well"


def test_what_comes_twice_or_is_there_already_is_named():
    text = "".join(questions_csv([CAPITAL, Question("New?"), Question("NEW?", category="Other")]))
    found = given_by(text, FULL)
    assert [row.verdict for row in found.rows] == [Verdict.THERE, Verdict.NEW, Verdict.REPEATED]
    assert "question 1." in found.rows[0].reason
    assert "line 3" in found.rows[2].reason


def test_what_has_no_room_is_told_row_by_row():
    nearly = rules.added(EMPTY, [Question(f"Number {number}") for number in range(MAX_QUESTIONS - 1)], NOW)
    found = given_by("title\nOne more?\nAnother?", nearly)
    assert [row.verdict for row in found.rows] == [Verdict.NEW, Verdict.INVALID]
    assert "at most 200 questions" in found.rows[1].reason


@every_row(
    ("raw", "words"),
    [
        (b"", "must name the columns"),
        (b"What?\nWhere?\n", "must name the columns"),
        (b"title" + b"," * 50_000 + b"\nWhat?\n", "must name the columns"),
        (b"PK\x03\x04\x00\x00zip", "not plain text"),
        (b"title\n" + b"x\n" * 201, "at most 200 questions"),
        (b"title\n" + b"\n" * 50_001, "at most 50000 lines"),
        (b"t" * (5 * 1024 * 1024 + 1), "at most 5 MB"),
    ],
)
def test_what_is_no_such_table_is_refused_whole(raw, words):
    with pytest.raises(NotAList, match=words):
        read(raw, EMPTY)


# --- there and back ---


def test_what_we_write_we_read_again():
    nasty = Question("=1+1", Kind.CHOICE, "'@SUM(A1)\n-2\nend", "+x", "'=y", "@z", ("-1", "'a", "=b;c,d"), (0, 2), 0)
    questions = [*MANY, nasty]
    text = "".join(questions_csv(questions))
    assert given_by(text).new == questions
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@"))], "no spreadsheet takes it for a formula"


def test_the_template_is_right():
    assert given_by("".join(questions_csv(EXAMPLES))).new == list(EXAMPLES)


def test_the_same_file_again_brings_nothing():
    assert given_by("".join(questions_csv(FULL.questions)), FULL).new == []


def test_json_has_everything():
    told = json.loads(json.dumps(as_json(FULL)))
    assert [(each["name"], each["question_count"]) for each in told["categories"]] == [
        ("Towns", 1),
        ("Plans", 2),
        ("", 1),
    ]
    assert told["categories"][0]["questions"][0] | {"created_at": ""} == {
        "question_id": "01-0001",
        "title": CAPITAL.title,
        "kind": "choice",
        "detail": "It lies on the coast.",
        "category": "Towns",
        "category_id": 1,
        "school": "Geography",
        "order_in_category": 1,
        "custom_instruction": "Pick one.",
        "options": ["Cusco", "Lima", "Quito"],
        "right": [2],
        "seconds": 20,
        "twice": False,
        "created_at": "",
    }


WORDS = st.text(max_size=12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=6), max_size=8), st.sampled_from(",;\t|"))
def test_any_table_gets_as_many_verdicts_as_it_has_rows(rows, separator):
    text = io.StringIO(newline="")
    write = csv.writer(text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow
    write(["title", "kind", "detail", "option1", "option2", "right"])
    for cells in rows:
        write(cells)
    filled = [cells for cells in rows if any(cell.strip() for cell in cells)]
    if "\0" not in text.getvalue():
        assert len(given_by(text.getvalue()).rows) == len(filled)


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(raw):
    for each in (raw, b"title,right,option1\n" + raw):
        try:
            found = read(each, EMPTY)
        except NotAList:
            continue
        assert all(row.question is None or not list(flaws(row.question)) for row in found.rows)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.builds(Question, title=WORDS, detail=WORDS, category=WORDS, school=WORDS), max_size=5))
def test_any_question_comes_back(typed):
    tidy = {rules.comparison_key(each): each for each in map(tidied, typed) if not list(flaws(each))}
    questions = list(tidy.values())
    assert given_by("".join(questions_csv(questions))).new == questions
