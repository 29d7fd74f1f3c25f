"""Exports: every format says the same ballots, nobody gets anything before its time, and browsers may keep them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import zipfile
from fractions import Fraction
from itertools import pairwise

import pytest
from django.template.loader import render_to_string
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import round_trips
from foundation.store.log import seal
from foundation.tally.ballots import Ballots
from foundation.tally.formats import read
from foundation.tally.methods import count
from results import services
from results import sharing_views as exports
from results.exports import files
from results.exports.files import EXPORTS, context_of_exports, file_name, version
from tests.people import enrol
from tests.results.test_bundle import CYCLE, cast, finish, held  # noqa: F401 - a fixture

BOARD = "/election/Board/results/"
OF_RANKINGS = [file for file in EXPORTS if not EXPORTS[file].needs_rounds and file != "ballots.cat"]
FILES = [*(f"{BOARD}export/{file}" for file in OF_RANKINGS), f"{BOARD}bundle.zip"]


@pytest.fixture
def reader(signed_in) -> Client:
    """Somebody who may look, and nothing else."""
    return signed_in("a reader", Role.OBSERVER)


def body(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


# --- for whom, and when ---


@pytest.mark.deep
@pytest.mark.parametrize("secret", [True, False])
def test_nothing_leaves_before_the_close_by_any_address(person, signed_in, reader, secret):
    owner = person("the organiser")
    enrol("Eve")
    drafts.create(owner, "Board", secret_ballot=secret, electorate="everyone")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Bo")])
    for client in (reader, signed_in("a moderator", Role.ADMIN), signed_in(owner)):
        assert {client.get(address).status_code for address in FILES} <= {403, 404}  # a draft is not there for most
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    cast(person, "Board", "Eve", "0>1")
    for client in (reader, signed_in("an admin", Role.ADMIN), signed_in(owner)):
        for address in FILES:
            answer = client.get(address)
            assert answer.status_code == 403
            assert b"0&gt;1" not in body(answer)


def test_what_is_not_there_is_not_found(held, reader):  # noqa: F811
    held(CYCLE)
    for address in ("export/ballots.exe", "export/", "export/../bundle.zip", "export/rctab.json", "export/ballots.CSV"):
        assert reader.get(BOARD + address).status_code == 404
    assert reader.get("/election/Nothing/results/export/ballots.csv").status_code == 404
    assert reader.get("/election/Nothing/results/bundle.zip").status_code == 404


def test_a_bundle_waits_for_the_log_to_be_sealed(held, reader, monkeypatch):  # noqa: F811
    with monkeypatch.context() as patch:
        patch.setattr(seal.Sealer, "seal", lambda self: 0)
        held(CYCLE)
    answer = reader.get(f"{BOARD}bundle.zip")
    assert answer.status_code == 202
    assert b"The log is being sealed" in answer.content
    seal.Sealer(table()).seal()
    assert zipfile.is_zipfile(io.BytesIO(body(reader.get(f"{BOARD}bundle.zip"))))


def test_bundles_are_not_made_without_end(held, reader, monkeypatch):  # noqa: F811
    held(["0"])
    monkeypatch.setattr(exports, "BUNDLES", exports.Limit("bundle", 2, 3600))
    answers = [reader.get(f"{BOARD}bundle.zip") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 302]
    again = reader.get(f"{BOARD}bundle.zip", HTTP_IF_NONE_MATCH=answers[0]["ETag"])
    assert again.status_code == 304  # whoever has it already costs nothing


# --- what is in them ---


def test_every_format_says_the_same_ballots(held, reader):  # noqa: F811
    held([*CYCLE, "1=2", ""], candidates=("Ada", "+Bo B.", "نجيب"))
    sealed = services.find("Board").seal
    for format in ("csv", "json", "blt", "abif", "cvotes", "toi"):
        file = read(body(reader.get(f"{BOARD}export/ballots.{format}")), name=f"ballots.{format}")
        assert (file.ballots.digest, file.ballots.total) == (sealed.digest, 9), format


def test_a_format_that_cannot_say_it_says_so(held, reader):  # noqa: F811
    held(["0=1", "1"])
    answer = reader.get(f"{BOARD}export/ballots.soi", follow=True)
    assert answer.redirect_chain == [(BOARD, 302)]
    assert "Some ballots rank candidates as equals" in answer.content.decode()
    held(["0", "1"], name="Strict")
    assert b"# DATA TYPE: soi" in body(reader.get("/election/Strict/results/export/ballots.soi"))


def offered(name: str) -> set[str]:
    files = [file for _label, files in context_of_exports(services.find(name))["exports"] for file, _words in files]
    return {file.removeprefix("ballots.") for file in files if file.startswith("ballots.")}


def test_what_cannot_hold_these_ballots_is_not_offered(held, reader):  # noqa: F811
    every = {"csv", "json", "blt", "abif", "cvotes", "soi", "toi"}
    held(["0", "1>0", ""], name="Strict")
    assert offered("Strict") == every
    held(["0=1", "1"], name="Equals")
    assert offered("Equals") == every - {"soi"}
    held(["0", "1"], name="Names", candidates=('Ada "A"', "B; C"))
    assert offered("Names") == every - {"blt", "cvotes"}
    for file in ("blt", "cvotes"):
        answer = reader.get(f"/election/Names/results/export/ballots.{file}", follow=True)
        assert "has no way to write" in answer.content.decode(), "the address says why"
    assert "ballots.blt" not in reader.get("/election/Names/results/").content.decode()


def test_whether_there_are_equals_is_sealed_with_the_result_and_no_ballot_is_read_for_it(held):  # noqa: F811
    held(["0=1"])
    found = services.find("Board")
    assert found.seal.equals is True
    with round_trips.count_round_trips() as counted:
        assert "soi" not in offered_of(found)
    assert counted.count == 0


def offered_of(found) -> list[str]:
    return [file for _label, files in context_of_exports(found)["exports"] for file, _words in files]


def test_single_ballots_of_a_secret_election_name_nobody(held, reader):  # noqa: F811
    held(["0>1=2", "", "2"], candidates=("Ada", "Bo > b", "=HYPERLINK(1)"))
    rows = list(csv.reader(io.StringIO(body(reader.get(f"{BOARD}export/single-ballots.csv")).decode("utf-8-sig"))))
    assert rows[0] == ["code", "ranking"]
    assert [row[0] for row in rows[1:]] == sorted(row[0] for row in rows[1:])
    assert {row[1] for row in rows[1:]} == {'Ada > "Bo > b" = "=HYPERLINK(1)"', "", '"=HYPERLINK(1)"'}
    said = json.loads(body(reader.get(f"{BOARD}export/single-ballots.json")))
    assert {tuple(each) for each in said} == {("code", "ranking")}
    assert [["Ada"], ["Bo > b", "=HYPERLINK(1)"]] in [each["ranking"] for each in said]


def test_single_ballots_of_a_public_election_name_their_voters(held, reader):  # noqa: F811
    held(["0", "1"], voters=["-Eve", "fay@example.org"], secret_ballot=False)
    rows = list(csv.reader(io.StringIO(body(reader.get(f"{BOARD}export/single-ballots.csv")).decode("utf-8-sig"))))
    assert rows[0] == ["code", "voter", "ranking"]
    assert sorted(row[1:] for row in rows[1:]) == [["'-Eve", "Ada"], ["f…@example.org", "Bo"]]
    said = json.loads(body(reader.get(f"{BOARD}export/single-ballots.json")))
    assert {each["voter"] for each in said} == {"-Eve", "f…@example.org"}


def test_the_result_is_the_one_that_was_sealed(held, reader):  # noqa: F811
    held(CYCLE)
    content = body(reader.get(f"{BOARD}export/result.json"))
    assert hashlib.sha256(content).hexdigest() == services.find("Board").seal.report_digest


def test_the_text_says_who_won_and_why(held, reader):  # noqa: F811
    held(["0>1", "0", "1>0", "2>1>0"], method="irv")
    answer = reader.get(f"{BOARD}export/report.txt")
    text = body(answer).decode()
    assert text.startswith("Board\n=====\n")
    assert "Winner: Ada" in text
    assert "4 ballots were counted." in text
    assert "Round 1\n  Ada: 2\n" in text
    assert services.find("Board").seal.digest in text
    german = body(reader.get(f"{BOARD}export/report.txt", HTTP_ACCEPT_LANGUAGE="de"))
    assert german.startswith(b"Board\n=====\n")


def test_an_election_without_ballots_can_be_taken_away_too(held, reader):  # noqa: F811
    held([], method="irv")
    for address in [*FILES, f"{BOARD}export/rctab.json"]:
        answer = reader.get(address)
        assert answer.status_code == 200, address
        assert body(answer)
    assert json.loads(body(reader.get(f"{BOARD}export/single-ballots.json"))) == []


def test_the_page_offers_what_there_is(held, reader):  # noqa: F811
    held(["0", "1"])
    held(["0", "1"], name="Runoff", method="irv")
    for name, offered in (("Board", False), ("Runoff", True)):
        context = context_of_exports(services.find(name))
        files = [file for label, files in context["exports"] for file, words in files]
        assert ("rctab.json" in files) is offered
        part = render_to_string("results/parts/exports.html", context | {"election": elections.find(name)})
        for address in re.findall(r'href="([^"]+)"', part):
            assert reader.get(address).status_code == 200, address
        assert services.find(name).seal.digest in part


# --- what browsers may keep ---


@pytest.mark.deep
def test_what_has_not_changed_is_not_sent_again(held, reader):  # noqa: F811
    held(["0", "1"])
    for address in FILES:
        answer = reader.get(address)
        assert answer["Cache-Control"] == "private, no-cache", address
        again = reader.get(address, HTTP_IF_NONE_MATCH=answer["ETag"])
        assert (again.status_code, body(again)) == (304, b""), address
        assert reader.get(address, HTTP_IF_NONE_MATCH='"another"').status_code == 200, address


def test_an_address_with_its_version_may_be_kept_for_good(held, reader):  # noqa: F811
    held(["0", "1"])
    known = version(services.find("Board"))
    answer = reader.get(f"{BOARD}export/ballots.csv?v={known}")
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    assert reader.get(f"{BOARD}export/ballots.csv?v=old")["Cache-Control"] == "private, no-cache"
    in_words = reader.get(f"{BOARD}export/report.txt?v={known}")
    assert in_words["Cache-Control"] == "private, no-cache"  # tomorrow it may be wanted in another language
    lifecycle.delete(people.find("the organiser"), elections.find("Board"))
    held(["0", "1"], voters=["Eve", "Fay"])
    assert version(services.find("Board")) != known


def test_a_file_says_what_it_is_and_what_to_call_it(held, reader):  # noqa: F811
    held(["0"])
    kinds = {"export/ballots.csv": "text/csv; charset=utf-8", "export/result.json": "application/json"}
    kinds |= {"export/ballots.blt": "text/plain; charset=utf-8", "bundle.zip": "application/zip"}
    for file, media_type in kinds.items():
        answer = reader.get(BOARD + file)
        assert answer["Content-Type"] == media_type
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"] == f'attachment; filename="Board - {file.rpartition("/")[2]}"'


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Board", "Board - x"),
        ("../../etc/passwd", "etc_passwd - x"),
        ('a"b\\c\r\nSet-Cookie: d', "a_b_c_Set-Cookie_ d - x"),
        ("בחירות\u202e", "בחירות - x"),
        ("???", "election - x"),
        ("n" * 300, "n" * 80 + " - x"),
    ],
)
def test_a_name_of_an_election_is_made_safe_for_files(name, safe):
    assert file_name(name, "x") == safe


def test_what_has_no_name_for_files_is_called_what_it_is():
    assert file_name("???", "x", "poll") == "poll - x"


# --- RCTab ---


def test_rctab_reads_rounds_as_it_writes_them(held, reader):  # noqa: F811
    held(["0>1", "0", "1>0", "2>1>0", "2"], method="irv")
    said = json.loads(body(reader.get(f"{BOARD}export/rctab.json")))
    assert set(said) == {"config", "results"}
    assert said["config"]["contest"] == "Board"
    assert said["config"]["threshold"] == "3"
    first = said["results"][0]
    assert (first["round"], first["tally"]) == (1, {"Ada": "2", "Bo": "1", "Cy": "2"})
    assert first["tallyResults"] == [{"eliminated": "Bo", "transfers": {"Ada": "1"}}]
    assert said["results"][-1]["tallyResults"] == [{"elected": "Ada", "transfers": {}}]


@pytest.mark.parametrize("method", ["irv", "stv-scottish"])
def test_transfers_lead_from_each_tally_to_the_next(method):
    cast = {"0>1>2": 9, "0>3": 4, "1>0": 5, "2>3": 6, "3>2=1": 4, "3": 2, "4>0=1=2": 1}
    result = count(Ballots(("Ada", "Bo", "Cy", "Dee", "Eli"), cast), method, seats=2, seed="s")
    rounds = files.rctab_summary(result, contest="x", date="2026-11-15")["results"]
    assert len(rounds) > 1
    for now, later in pairwise(rounds):
        tally = {name: Fraction(votes) for name, votes in now["tally"].items()}
        for act in now["tallyResults"]:
            source = act.get("elected") or act["eliminated"]
            for to, votes in act["transfers"].items():
                tally[source] -= Fraction(votes)
                if to in tally:
                    tally[to] += Fraction(votes)
        for name, votes in later["tally"].items():
            assert abs(tally[name] - Fraction(votes)) <= Fraction(1, 1000), (name, now)


def test_votes_are_decimals_in_any_case():
    assert [files.decimal(each) for each in ("3", "2.5", "1.23456", "7/3", Fraction(1, 8))] == [
        "3",
        "2.5",
        "1.23456",
        "2.3333",
        "0.125",
    ]
    result = count(Ballots(("Ada", "Bo", "Cy"), {"0=1=2": 1, "0": 1, "1>2": 1}), "irv", seed="s")
    for each in files.rctab_summary(result, contest="x", date="2026-11-15")["results"]:
        assert all(votes.replace(".", "", 1).isdigit() for votes in each["tally"].values())
