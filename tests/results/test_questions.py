"""Several questions in one election: each is counted, sealed and published by itself, and nothing joins them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from contextlib import suppress
from urllib.parse import quote

import pytest

from accounts import repository as people
from ballots import repository as ballots
from ballots import sealing
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.lifecycle import closing
from elections.repository import Brief
from foundation.acts.storage import table, use_table
from foundation.pages.paths import path_of
from foundation.store import keys, splitting
from foundation.tally import lots
from operations.upkeep.figures import site_sealer
from operations.upkeep.replay import check
from results import proof, repository, wording
from results import services as results
from results.exports import bundle
from tests.ballots.test_emptying import Killed, Mortal
from tests.elections.test_questions import NAME, three_questions
from tests.people import sign_in
from tests.publishing import seal_publicly
from tests.voting import cast

SAID = {
    "Ada": {"0": ["1"], "2": ["2"], "2:1": ["1"], "3:0": ["1"]},
    "Bob": {"2": ["1"], "2:0": ["1"]},
    "Cy": {"2:0": ["1"]},
    "Dan": {"1": ["1"], "3:0": ["1"]},
}
CAST = {1: ["", "0>2", "1", "2"], 2: ["", "0", "0", "1"], 3: ["", "0", "0"]}  # in the chair's race Cy said nothing


def held(*, secret: bool = True, answers=SAID, **settings) -> None:
    """Three questions, answered and closed."""
    three_questions(secret=secret, **settings)
    for name, said in answers.items():
        cast(people.find(name), NAME, said, f"ballot of {name}")
    closing.close(people.find("Olga"), elections.find(NAME))


def questions():
    return elections.find(NAME).questions


def published(number: int):
    return list(ballots.every_published(NAME, number))


def in_the_box() -> int:
    return sum(len(list(ballots.every_ballot(each))) for each in questions())


@pytest.mark.parametrize("secret", [True, False])
def test_each_question_has_a_result_of_its_own(each_site, secret):
    held(secret=secret)
    seal_closed()
    assert {each.number: sorted(one["rankings"] for one in published(each.number)) for each in questions()} == CAST
    assert in_the_box() == (0 if secret else 11)
    assert list(each_site.each(keys.SEALING)) == []
    found = {each.number: results.find(NAME, each.number) for each in questions()}
    assert {number: (each.seal.ballots, each.report.result.blank) for number, each in found.items()} == {
        1: (4, 1),
        2: (4, 1),
        3: (3, 1),
    }
    assert found[2].report.result.vote == (2, 1, 1, 2)
    assert {number: each.brief for number, each in repository.find_seals(elections.find(NAME)).items()} == {
        1: Brief(("Xi", "Zoe"), 2),
        2: Brief(("Yes",), 1, vote=(2, 1, 1, 2)),
        3: Brief(("Kim",), 1),
    }
    assert proof.check_sealed(elections.find(NAME)) is None
    site_sealer().seal()
    assert check(each_site).first == ()


def test_one_secret_of_the_lots_gives_each_question_a_seed_of_its_own(site):
    held()
    seal_closed()
    seals = repository.find_seals(elections.find(NAME))
    (secret,) = {each.lots_secret for each in seals.values()}
    assert lots.commitment(secret) == elections.find(NAME).lots_commitment
    assert {number: each.seed for number, each in seals.items()} == {
        number: lots.seed_of(secret, each.digest, number) for number, each in seals.items()
    }
    assert len({each.seed for each in seals.values()}) == 3
    assert site.get(keys.lots(NAME)) is None


def test_nothing_joins_what_was_published_of_one_voter(site):
    everything_else = {"Ada": SAID["Ada"] | {"2:1": [""]}}
    held(answers=everything_else | {name: said for name, said in SAID.items() if name != "Ada"})
    seal_closed()
    codes = [{each["confirmation"] for each in published(number)} for number in (1, 2, 3)]
    assert sum(map(len, codes)) == len(set.union(*codes)) == 11
    items = [each for each in site.each(keys.all_of_election(NAME)) if each["SK"].partition("#")[0] != "VOTER"]
    for one in codes[0]:
        holding = [each["SK"] for each in items if one in str(each)]
        assert holding == ["PUBLISHED#0000"]


@pytest.mark.parametrize("secret", [True, False])
def test_whoever_is_killed_at_any_write_is_succeeded(site, secret, monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 60)
    monkeypatch.setattr(splitting, "TRANSACTION_WRITES", 2)
    held(secret=secret)
    deaths = 0
    while list(site.each(keys.SEALING)):
        with use_table(Mortal(site, 1)), suppress(Killed):
            deque(sealing._steps(NAME), maxlen=0)
        deaths += 1
    assert deaths > (20 if secret else 10)
    assert {each.number: sorted(one["rankings"] for one in published(each.number)) for each in questions()} == CAST
    assert in_the_box() == (0 if secret else 11)
    assert list(site.each(keys.SEALING)) == []
    assert proof.check_sealed(elections.find(NAME)) is None
    events = [each["event_data"] for each in site.each(keys.events()) if each["event_type"] == "ResultSealed"]
    assert [each.get("question", 1) for each in events] == [3, 2, 1]


# --- pages ---


PAGES = ("results", "result_screen", "recount", "follow", "head_to_head", "what_if")


def read(client, page: str, *address) -> str:
    answer = client.get(path_of(page, *address))
    assert answer.status_code == 200, (page, address, answer.status_code)
    return answer.content.decode()


@pytest.fixture
def sealed(site):
    held(results_public=True)
    seal_closed()
    return elections.find(NAME)


def test_the_overview_says_what_each_question_came_to_and_leads_to_its_page(sealed, client):
    for reader, page in ((sign_in("Ada"), "results"), (client, "shared")):
        overview = read(reader, page, NAME)
        assert "4 people voted." in overview
        for each, line in zip(sealed.questions, ("A tie: Xi, Zoe", "Carried: 2 yes, 1 no", "Winner: Kim"), strict=True):
            assert each.title in overview
            assert line in overview
            address = path_of(page, *each.result_address)
            assert f'href="{address}"' in overview
            assert each.title in reader.get(address).content.decode()
        assert path_of("bundle", NAME) in overview


def test_each_question_has_all_pages_of_a_result(sealed, client):
    ada = sign_in("Ada")
    for each, names in zip(sealed.questions, (("Xi", "Zoe"), ("Yes",), ("Kim",)), strict=True):
        for page in PAGES:
            if each.kind != "ranked" and page in ("head_to_head", "what_if"):
                assert ada.get(path_of(page, *each.address)).status_code == 404
                continue
            content = read(ada, page, *each.result_address)
            assert each.title in content
            if page == "results":
                assert all(name in content for name in names)
                assert "Skipped or blank" in content
        stamp = repository.find_seals(sealed)[each.number].stamp
        counted = ada.get(path_of("recount_ballots", *each.address, stamp)).json()
        assert sum(count for _ranking, count in counted["rankings"]) == len(published(each.number))
        found = ada.get(path_of("follow_ballots", *each.address, stamp)).json()["ballots"]
        assert sorted(ranking for _code, ranking in found) == CAST[each.number]
        for file in ("ballots.csv", "single-ballots.json", "report.txt", "result.json"):
            answer = ada.get(path_of("export", *each.address, file))
            assert b"".join(answer.streaming_content), file
    assert ada.get(path_of("results", NAME, 4)).status_code == 404
    assert client.get(path_of("shared", NAME, 9)).status_code == 404


def test_the_page_of_any_question_knows_where_the_ballots_of_the_others_are(sealed):
    seals = repository.find_seals(sealed)
    page = read(sign_in("Ada"), "follow", NAME, 2)
    for number in (1, 3):
        assert path_of("follow_ballots", *sealed.at(number).address, seals[number].stamp) in page
    assert path_of("follow", NAME, 1) in page


# --- the bundle ---


def verified(folder, *, names_voters: bool = True, spoil=None) -> tuple[int, list[str]]:
    """What a bare Python says of the unpacked bundle."""
    with bundle.bundle(results.find(NAME), names_voters=names_voters) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    if spoil:
        spoil(folder)
    run = subprocess.run([sys.executable, "-I", "verify.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.returncode, run.stdout.splitlines()


@pytest.mark.parametrize("secret", [True, False])
@pytest.mark.parametrize("names_voters", [True, False])
def test_one_program_verifies_all_questions(site, tmp_path, secret, names_voters):
    held(secret=secret)
    seal_closed()
    seal_publicly(site)
    status, said = verified(tmp_path, names_voters=names_voters)
    assert (status, said[-1]) == (0, "YES everything in this bundle agrees.")
    assert [line for line in said if "question " in line] == [
        f"ok  question {each.number}, “{each.title}”:" for each in questions()
    ]
    assert sum("counted again by the rules" in line for line in said) == 3
    assert [len(json.loads((tmp_path / name / "ballots.json").read_bytes())) for name in ("", "question-2")] == [4, 4]


@pytest.mark.parametrize(
    ("file", "before", "after", "complaint"),
    [
        ("question-2/ballots.json", b'"0"', b'"1"', "Ballot"),
        ("question-3/rules.json", b"Speaker", b"Chair", "title"),
        ("question-3/rules.json", b'"question": 3', b'"question": 2', "question"),
        ("question-3/roll.json", b"Ada", b"Eve", "ada"),
        ("question-2/result.json", b"Yes", b"No", "result.json"),
    ],
)
def test_what_was_changed_in_any_question_is_named(site, tmp_path, file, before, after, complaint):
    held()
    seal_closed()
    seal_publicly(site)

    def spoil(folder):
        content = (folder / file).read_bytes()
        assert before in content
        (folder / file).write_bytes(content.replace(before, after, 1))

    status, said = verified(tmp_path, spoil=spoil)
    assert status == 1
    assert said[-1].startswith("NO")
    assert complaint in said[-1]


def test_a_question_that_is_left_out_is_missed(site, tmp_path):
    held()
    seal_closed()
    seal_publicly(site)
    assert verified(tmp_path, spoil=lambda folder: shutil.rmtree(folder / "question-2"))[1][-1] == (
        "NO  question-2/rules.json is missing."
    )


# --- elsewhere ---


def test_lists_and_cards_say_how_many_questions_were_decided(sealed, client):
    for shown in (repository.newest_shared(), elections.listed_of(table().get(keys.listed_election(NAME)))):
        assert wording.outcome_line(shown) == "2 of 3 questions decided"
    card = client.get("/").content.decode()
    assert "2 of 3 questions decided" in card
    assert "4 people voted." in card


def test_the_api_has_one_result_with_its_questions(sealed, client):
    found = client.get(f"/api/v1/results/{quote(NAME)}").json()
    answers = {each["number"]: (each["title"], each["outcome"]["answer"]) for each in found["questions"]}
    assert answers == {
        1: ("The chair", "A tie: Xi, Zoe"),
        2: ("The budget", "Carried: 2 yes, 1 no, 1 abstention; 2 needed."),
        3: ("Speaker", "Winner: Kim"),
    }
    (listed,) = client.get("/api/v1/results").json()["items"]
    assert (listed["name"], listed["questions"], listed["decided"], listed["winners"]) == (NAME, 3, 2, [])
