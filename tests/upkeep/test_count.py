"""`manage.py count`: a ballot file in, a result out, without a site."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation.tally.formats import read
from foundation.tally.methods import KINDS
from tests.rows import every_row

MANAGE = Path(__file__).parents[2] / "manage.py"
TENNESSEE = """42: Memphis > Nashville > Chattanooga > Knoxville
26: Nashville > Chattanooga > Knoxville > Memphis
15: Chattanooga > Knoxville > Nashville > Memphis
17: Knoxville > Chattanooga > Nashville > Memphis
"""
TWO_SEATS = '3 2\n4 1 2 0\n2 3 0\n0\n"Castor"\n"Pollux"\n"Helen"\n"Twins"\n'


@pytest.fixture
def counted(tmp_path):
    """Count a text, in a file of this name."""

    def count(text: str, *arguments: str, name: str = "ballots.txt") -> str:
        path = tmp_path / name
        path.write_text(text)
        output = StringIO()
        call_command("count", str(path), *arguments, stdout=output)
        return output.getvalue()

    return count


def test_a_result_for_people(counted):
    lines = counted(TENNESSEE).splitlines()
    assert lines[0] == "Ballots: 100, 0 of them blank; different rankings: 4."
    assert "Method: schulze" in lines
    assert "Winner: Nashville" in lines
    assert "    1  Nashville" in lines
    assert "1  Memphis          42  42  42" in lines
    assert "4  Knoxville    58  32  17" in lines


def test_a_result_for_programs_in_the_order_of_the_file(counted):
    said = json.loads(counted(TENNESSEE, "--json"))
    assert said["method"] == "schulze"
    assert said["candidates"] == ["Memphis", "Nashville", "Chattanooga", "Knoxville"]
    assert said["pairwise"] == [[0, 42, 42, 42], [58, 0, 68, 68], [58, 32, 0, 83], [58, 32, 17, 0]]
    assert said["winners"] == ["Nashville"]
    assert said["places"] == [["Nashville", 1], ["Chattanooga", 2], ["Knoxville", 3], ["Memphis", 4]]
    assert (said["total"], said["blank"], said["ties"], said["lots"]) == (100, 0, [], [])
    assert said["digest"] == read(TENNESSEE).ballots.digest
    assert said["reasons"]["paths"][1][0] == ["Nashville", "Memphis"]
    assert said["reasons"]["strongest"][1][0] == [58, 42]


def test_rounds_for_programs(counted):
    said = json.loads(counted(TENNESSEE, "--json", "--method=irv"))
    assert (said["winners"], said["pairwise"]) == (["Knoxville"], None)
    first, *_others = said["rounds"]
    assert first["tally"] == {"Memphis": "42", "Nashville": "26", "Chattanooga": "15", "Knoxville": "17"}
    assert first["eliminated"] == ["Chattanooga"]
    assert {"threshold", "exhausted", "elected"} <= first.keys()


def test_rounds_for_people(counted):
    lines = counted(TENNESSEE, "--method=irv").splitlines()
    assert "  eliminated: Chattanooga" in lines
    assert "  Memphis      42" in lines


def test_all_methods_for_programs_and_for_people(counted):
    said = json.loads(counted(TENNESSEE, "--json", "--method=all"))
    assert list(said) == list(KINDS["ranked"])
    assert [said[method]["method"] for method in KINDS["ranked"]] == list(KINDS["ranked"])
    assert said["plurality"]["winners"] == ["Memphis"]
    lines = counted(TENNESSEE, "--method=all").splitlines()
    assert "plurality     Memphis" in lines
    assert "ranked-pairs  Nashville" in lines


def test_several_seats_are_filled_by_the_single_transferable_vote(counted):
    said = json.loads(counted(TWO_SEATS, "--json", name="twins.blt"))
    assert (said["method"], said["seats"], said["title"], len(said["winners"])) == ("stv-scottish", 2, "Twins", 2)
    assert json.loads(counted(TWO_SEATS, "--json", "--seats=1"))["method"] == "schulze"
    assert json.loads(counted(TWO_SEATS, "--json", "--method=stv-meek"))["method"] == "stv-meek"


def test_all_methods_with_several_seats_say_how_many(counted):
    lines = counted(TWO_SEATS, "--method=all").splitlines()
    assert any(line.startswith("Candidates: 3. Seats: 2.") for line in lines)
    assert [line.split()[1] for line in lines if line.startswith("Method: ")] == ["stv-scottish", "stv-meek"]


def test_what_the_unranked_are_is_asked_for_or_said_by_the_file_or_below(counted):
    text = "#/Candidates: A;B;C\n#/Implicit Ranking: false\nA > B\n"
    assert json.loads(counted(text, "--json"))["pairwise"] == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert json.loads(counted(text, "--json", "--unranked=below"))["pairwise"] == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert json.loads(counted("1: A > B\n0: C", "--json"))["unranked"] == "below"
    assert "A ballot has no opinion of candidates it does not rank." in counted(text)


def test_ties_and_lots_are_told(counted):
    text = "1: A > B > C\n1: B > C > A\n1: C > A > B\n"
    assert "Tie (places): A, B, C; left as a tie." in counted(text).splitlines()
    output = counted(text, "--method=irv", "--seed=dice 4 2 6")
    assert "Lot (elimination, round 1): A, B, C; drawn: " in output
    assert "seed: 'dice 4 2 6'." in output
    assert output == counted(text, "--method=irv", "--seed=dice 4 2 6")
    assert json.loads(counted(text, "--method=irv", "--seed=dice 4 2 6", "--json"))["lots"]
    assert re.search(r"^By lot: [AB], tied with [AB] \(votes: 1\)$", counted("1: A\n1: B\n", "--method=irv"), re.M)


def test_the_format_may_be_named(counted):
    assert json.loads(counted("A,B\n1,2\n", "--format=csv", "--json"))["format"] == "csv"


def test_who_has_withdrawn_is_told(counted):
    text = '2 1\n-2\n1 1 2 0\n0\n"A"\n"B"\n"T"\n'
    assert "Withdrawn: B." in counted(text).splitlines()


def test_many_candidates_get_no_table_of_pairs(counted):
    assert "above that of the column" not in counted("1: " + " > ".join(f"n{number}" for number in range(13)))


def test_a_note_goes_to_standard_error(tmp_path):
    path = tmp_path / "x.soi"
    path.write_text("# NUMBER VOTERS: 5\n# ALTERNATIVE NAME 1: A\n4: 1\n")
    output, notes = StringIO(), StringIO()
    call_command("count", str(path), "--json", stdout=output, stderr=notes)
    assert "The header says 5 voters, but the file has 4 ballots." in notes.getvalue()
    assert json.loads(output.getvalue())["total"] == 4


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(TENNESSEE.encode())))
    output = StringIO()
    call_command("count", "-", "--json", stdout=output)
    assert json.loads(output.getvalue())["winners"] == ["Nashville"]


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("1: A\n1: A > > B", [], "ballots.txt: Line 2: A name is missing in “A > > B”."),
        ("", [], "ballots.txt: This file is empty."),
        ("1: A", ["--seats=0"], "The number of seats must be a whole number from 1 to 10000."),
        ("1: A", ["--method=dice"], "invalid choice: 'dice'"),
        ("1: A", ["--unranked=above"], "invalid choice: 'above'"),
        (
            "1: A",
            ["--method=copeland", "--seats=2"],
            "copeland elects one: count with --seats 1. For 2 seats there are stv-scottish and stv-meek.",
        ),
        ("1: Yes", ["--kind=yes-no", "--seats=2"], "majority elects one: count with --seats 1."),
        (TWO_SEATS, ["--method=irv", "--format=blt"], "irv elects one: count with --seats 1."),
        ("1: A", ["--seats=two"], "invalid int value: 'two'"),
    ],
)
def test_bad_input_is_a_sentence(counted, text, arguments, words):
    with pytest.raises(CommandError) as refusal:
        counted(text, *arguments)
    assert words in str(refusal.value)


@pytest.mark.parametrize("name", ["nowhere.csv", ".", "a\0b"])
def test_a_file_that_cannot_be_opened_is_a_sentence(name):
    with pytest.raises(CommandError, match="cannot be opened: "):
        call_command("count", name)


def manage(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """As from a shell, in a folder without a site."""
    environment = os.environ | {"DATA_DIR": str(folder / "site")}
    command = [sys.executable, str(MANAGE), "count", *arguments]
    return subprocess.run(command, input=given, capture_output=True, cwd=folder, env=environment, check=False)


@pytest.mark.deep
def test_no_site_and_no_store_are_needed(tmp_path):
    done = manage(tmp_path, "-", "--json", given=TENNESSEE.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["winners"] == ["Nashville"]
    assert not list(tmp_path.rglob("*.sqlite3"))


@pytest.mark.deep
def test_a_bad_file_ends_with_status_one_and_no_traceback(tmp_path):
    done = manage(tmp_path, "-", given=b"\xff\xfe\x00\x00\x01")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().count("\n") == 1
    assert "Traceback" not in done.stderr.decode()


@every_row(
    ("text", "arguments", "words"),
    [
        ("5: Ada/5, Bo/3\n3: Bo/5\n1:\n", [], "Runoff: votes that score Bo higher: 3; Ada higher: 5"),
        ("5: Ada/5, Bo/3\n3: Bo/5\n", ["--method", "score"], "Points for Bo: 30."),
        ("5: Ada = Bo\n3: Bo\n", ["--method", "approval"], "Votes that approve of Bo: 8 of 8."),
        ("count of choose ballots,Ada,Bo\n5,1,\n3,,1\n", ["--seats", "2"], "Elected: Ada, Bo."),
        ("61: Yes\n20: No\n", ["--kind", "yes-no", "--majority", "2/3 cast"], "Carried: 61 yes, 20 no, 0 abstentions"),
        ("61: Yes\n", ["--kind", "yes-no", "--majority", "1/2 entitled", "--entitled", "200"], "101 needed."),
    ],
)
def test_marks_and_values_are_counted_and_explained(tmp_path, text, arguments, words):
    path, output = tmp_path / "ballots", StringIO()
    path.write_text(text)
    call_command("count", str(path), *arguments, stdout=output)
    assert words in output.getvalue()
    assert "rank" not in output.getvalue().replace("How many ballots rank", "")


@every_row(
    ("text", "arguments", "words"),
    [
        ("5: Ada > Bo\n", ["--kind", "approval"], "not of the kind approval"),
        (
            "5: Ada\n",
            ["--kind", "approval", "--method", "schulze"],
            "schulze does not count ballots of the kind approval",
        ),
        *(
            ("5: Yes\n", ["--kind", "yes-no", f"--majority={majority}"], "A majority is a share from 1/2 to 1/1")
            for majority in ("lots", "2/3", "1/0 cast", "0/1 cast", "2/1 cast", "-1/2 cast", "1/1000000 cast")
        ),
    ],
)
def test_what_cannot_be_counted_as_asked_is_refused(tmp_path, text, arguments, words):
    path = tmp_path / "ballots"
    path.write_text(text)
    with pytest.raises(CommandError, match=words):
        call_command("count", str(path), *arguments)
