"""Journeys of organisers through the pages."""

from __future__ import annotations

import gzip
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts.caches import SizedCache
from foundation.pages import fragments
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Update
from tests.clock import stands_at
from tests.people import enrol
from tests.test_routes import DRAFT, MADE_UP, ROUTES

FORM = {
    "name": "Board 2027",
    "description": "Who *leads* us?",
    "electorate": "listed",
    "secret_ballot": "on",
    "results_visible": "closed",
    "method": "schulze",
    "seats": "1",
    "unranked": "below",
    "time_zone": "Europe/Berlin",
    "begins": "",
    "ends": "2199-03-01T18:00",
}


@pytest.fixture
def ada(person, signed_in):
    return signed_in("Ada")


@pytest.fixture
def board(ada):
    enrol("Hypatia")
    assert ada.post("/elections/new/all/", FORM).status_code == 302
    return repository.find("Board 2027")


def address(name, *words):
    return reverse(name, args=["Board 2027", *words])


def text_of(answer):
    return answer.content.decode()


def test_an_organiser_makes_opens_and_closes_an_election(ada, board):
    assert board.no_voting_after == "2199-03-01T17:00:00.000Z"
    page = text_of(ada.get(address("dashboard")))
    assert "at least two candidates" in page
    ada.post(address("candidates"), {"names": "1. Bo\n2. Cy\n\n3. bo"})
    assert [each.name for each in repository.candidates(board.name)] == ["Bo", "Cy"]
    ada.post(address("roll"), {"voters": "Hypatia\nnew@example.org"})
    assert "Everything is ready" in text_of(ada.get(address("dashboard")))
    ada.post(address("open_election"), {})
    assert repository.find("board 2027").stored_state == State.OPEN
    ada.post(address("extend"), {"ends": "2199-04-01T18:00"})
    assert repository.find("board 2027").no_voting_after == "2199-04-01T16:00:00.000Z"
    ada.post(address("close_election"))
    assert "closed and final" in text_of(ada.get(address("dashboard")))


def test_what_was_understood_of_a_time_is_said(ada):
    page = text_of(ada.post("/elections/new/all/", {**FORM, "ends": "2099-03-29T02:30"}, follow=True))
    assert "March 29, 2099" in page


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": " "}, "required"),
        ({"name": "x" * 201}, "at most 200"),
        ({"seats": "0"}, "greater than or equal to 1"),
        ({"seats": "3"}, "For several seats, choose an STV method"),
        ({"results_visible": "live"}, "shows its result only after it closes"),
        ({"begins": "2199-03-02T18:00"}, "must end after it begins"),
        ({"ends": "tomorrow"}, "like this"),
        ({"time_zone": "Mars/Olympus"}, "Select a valid choice"),
    ],
)
def test_what_is_wrong_with_a_new_election_is_said_and_nothing_is_lost(ada, change, sentence):
    answer = ada.post("/elections/new/all/", {**FORM, **change})
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert "Who *leads* us?" in text_of(answer)


def test_a_taken_name_is_a_sentence(ada, board):
    answer = ada.post("/elections/new/all/", {**FORM, "name": "BOARD 2027"})
    assert "There is already an election with that name" in text_of(answer)


def test_a_draft_is_there_for_those_who_run_it_only(ada, board, signed_in):
    assert signed_in("Stranger").get(address("election")).status_code == 404
    assert signed_in("Root", Role.ADMIN).get(address("election")).status_code == 200
    assert signed_in("Observer", Role.OBSERVER).get(address("election")).status_code == 404
    assert Client().get(address("election")).status_code == 302


def test_an_open_election_is_there_for_everybody_signed_in(ada, board, signed_in):
    user = people.find("Ada")
    add_candidates(user, board, [Candidate("Bo", "I *will*.", ""), Candidate("Cy")])
    add_voters(user, board, ["Hypatia"])
    lifecycle.open_(user, repository.find(board.name), editable=False)
    page = text_of(signed_in("Observer", Role.OBSERVER).get(address("election")))
    assert "<em>leads</em>" in page
    assert "<em>will</em>" in page
    assert "Dashboard" not in page


@pytest.mark.parametrize("path", ["dashboard", "candidates", "roll", "managers", "election_settings", "export_roll"])
def test_strangers_do_not_see_what_organisers_see(ada, board, signed_in, path):
    user = people.find("Ada")
    add_candidates(user, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(user, board, ["Hypatia"])
    lifecycle.open_(user, repository.find(board.name), editable=False)
    assert signed_in("Stranger").get(address(path)).status_code == 403


@pytest.mark.needs("skills")
def test_other_methods_are_refused_to_whoever_runs_it(ada, board):
    """In the table of routes, many of these pages are asked for only by those who may not open them at all."""
    add_candidates(people.find("Ada"), board, [Candidate("Bo")])
    for name in DRAFT.keys() - MADE_UP:
        _whom, allowed, words = ROUTES[name]
        path = reverse(name, args=[board.name if word == "draft" else word for word in words])
        method = next(each for each in ("GET", "POST", "PUT") if each not in allowed)
        assert ada.generic(method, path).status_code == 405, f"{name} {method}"


def test_managers_are_added_and_removed(ada, board, signed_in):
    helper = signed_in("Helper")
    assert helper.get(address("dashboard")).status_code == 404
    ada.post(address("managers"), {"name": "helper"})
    assert helper.get(address("dashboard")).status_code == 200
    assert helper.get(address("managers")).status_code == 403
    assert helper.post(address("candidates"), {"names": "Di"}).status_code == 302
    assert helper.post(address("open_election"), {}).status_code == 403
    ada.post(address("managers"), {"remove": "Helper"})
    assert helper.get(address("dashboard")).status_code == 404


def test_handing_over(ada, board, signed_in):
    heir = signed_in("Heir")
    assert "Nobody with that name" in text_of(ada.post(address("hand_over_election"), {"name": "nobody"}))
    ada.post(address("hand_over_election"), {"name": "heir"})
    assert heir.get(address("dashboard")).status_code == 200
    assert ada.get(address("dashboard")).status_code == 404


# --- the roll ---


def test_a_messy_list_is_previewed_and_imported_once(ada, board):
    raw = "\ufeffName;Mail\r\nHypatia;h@example.org\r\n;ada@example.org\r\nhypatia;\r\n;not an address@\r\n".encode()
    file = SimpleUploadedFile("voters.csv", raw)
    preview = text_of(ada.post(address("import_roll"), {"file": file}))
    assert list(rolls.every_voter(board.name)) == [], "a preview changes nothing"
    voters = re.search(r'name="voters" value="([^"]*)"', preview)[1]
    ada.post(address("import_roll"), {"voters": voters})
    names = [voter.name for voter in rolls.every_voter(board.name)]
    assert "ada@example.org" in names
    again = text_of(ada.post(address("import_roll"), {"file": SimpleUploadedFile("voters.csv", raw)}))
    assert 'name="voters" value=' not in again or not re.search(r'name="voters" value="([^"]+)"', again)


def test_a_file_that_is_no_list_is_a_sentence(ada, board):
    answer = ada.post(address("import_roll"), {"file": SimpleUploadedFile("x.csv", b"\x00\xff" * 9)})
    assert answer.status_code in (200, 422)
    assert ada.post(address("import_roll"), {}).status_code == 422


def test_the_roll_is_searched_paged_and_exported(ada, board):
    enrol("=cmd()")
    add_voters(people.find("Ada"), board, [f"voter.{n:03}@example.org" for n in range(120)] + ["=cmd()"])
    first = text_of(ada.get(address("roll")))
    assert 'rel="next"' in first
    assert "voter.007@" in text_of(ada.get(address("roll") + "?q=VOTER.007"))
    exported = b"".join(ada.get(address("export_roll")).streaming_content).decode()
    assert exported.count("\n") == 122
    assert "'=cmd()" in exported


def test_removing_a_voter_and_a_candidate_of_a_draft(ada, board):
    ada.post(address("roll"), {"voters": "Hypatia"})
    ada.post(address("remove_voter"), {"voter": "Hypatia"})
    assert repository.find(board.name).voter_count == 0
    assert list(rolls.every_voter(board.name)) == []
    ada.post(address("candidates"), {"names": "Bo"})
    ada.post(address("remove_candidate", "Bo"))
    assert repository.candidates(board.name) == []


def test_a_candidates_statement_is_kept_and_shown_safely(ada, board):
    ada.post(address("candidates"), {"names": "Bo"})
    ada.post(address("candidate", "Bo"), {"statement": "<script>x</script> **Yes**", "link": "https://example.org/"})
    page = text_of(ada.get(address("election")))
    assert "<strong>Yes</strong>" in page
    assert "<script>x" not in page
    assert ada.post(address("candidate", "Bo"), {"statement": "", "link": "javascript:x"}).status_code == 422


# --- lists ---


def test_lists_are_narrowed_by_tab_and_by_name(ada, board, signed_in):
    ada.post("/elections/new/all/", {**FORM, "name": "Council"})
    assert text_of(ada.get("/elections/")).count("<tr>") == 3
    assert "Council" in text_of(ada.get("/elections/?show=mine"))
    assert "Board 2027" not in text_of(signed_in("Stranger").get("/elections/?show=all"))
    for tab in ("open", "closed", "nonsense"):
        assert ada.get(f"/elections/?show={tab}").status_code == 200


def test_an_election_that_is_open_and_still_editable_is_listed_as_open(ada, board, signed_in):
    user = people.find("Ada")
    add_candidates(user, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(user, board, ["Hypatia"])
    lifecycle.open_(user, repository.find(board.name), editable=True)
    observer = signed_in("Observer", Role.OBSERVER)
    assert "Board 2027" in text_of(observer.get("/elections/?show=open"))
    assert "Board 2027" not in text_of(observer.get("/elections/?show=closed"))


def test_what_is_open_comes_first_in_the_list_of_all_however_old_it_is(ada, board, monkeypatch):
    monkeypatch.setattr("foundation.pages.paging.PAGE_ROWS", 1)
    user, newer = people.find("Ada"), drafts.create(people.find("Ada"), "Newer")
    for election in (board, newer):
        add_candidates(user, election, [Candidate("Bo"), Candidate("Cy")])
        add_voters(user, election, ["Hypatia"])
        lifecycle.open_(user, repository.find(election.name), editable=False)
    closing.close(user, repository.find("Newer"))
    first = ada.get("/elections/?show=all")
    assert re.findall("Board 2027|Newer", re.sub(r"<[^>]+>", "", text_of(first))) == ["Board 2027", "Newer"]
    assert "after=" in text_of(first)


def test_a_preview_shows_the_markdown_and_saves_nothing(ada, board):
    ada.post(address("candidates"), {"names": "Bo"})
    page = text_of(ada.post(address("candidate", "Bo"), {"statement": "I *will*", "link": "", "preview": "yes"}))
    assert "<em>will</em>" in page
    assert repository.find_candidate(board.name, "Bo").statement == ""
    page = text_of(ada.post(address("describe"), {"description": "**New**", "preview": "yes"}))
    assert "<strong>New</strong>" in page
    assert repository.description_of(board.name).description == "Who *leads* us?"


def test_tick_records_what_is_over(ada, board, monkeypatch):
    from io import StringIO

    from django.core.management import call_command

    user = people.find("Ada")
    add_candidates(user, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(user, board, ["Hypatia"])
    lifecycle.open_(user, repository.find(board.name), editable=False)
    stands_at(monkeypatch, "2199-12-01T00:00:00.000Z")
    said = StringIO()
    call_command("tick", stdout=said)
    assert said.getvalue().startswith("1 elections closed, 0 reminders sent")
    assert repository.find(board.name).stored_state == State.CLOSED


# --- what the page of an election says to everybody is kept ---


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The parts that have been made."""
    monkeypatch.setattr(fragments, "fragment_cache", SizedCache(fragments.CACHE_BYTES, fragments.fragment_cache.weigh))
    found, make = [], fragments.render_fragment

    def counted(name, *more, **extra):
        found.append(name)
        return make(name, *more, **extra)

    monkeypatch.setattr(fragments, "render_fragment", counted)
    return found


def test_who_stands_is_made_once_and_what_another_process_changes_is_seen_at_once(ada, board, elsewhere, made):
    ada.post(address("candidates"), {"names": "Bo\nCy"})
    bob, page = Client(), address("election")
    said = [text_of(ada.get(page)) for _ in range(3)]
    assert "Bo</b>" in said[0]
    assert len(made) == 1
    elsewhere.write(Update(keys.election(board.name), set={"time_zone": "Asia/Tokyo"}))
    assert "Tokyo" in text_of(ada.get(page))
    before = repository.find_candidate(board.name, "Bo")
    after, election = Candidate("Bo", "I *sing*."), repository.find(board.name)
    changed = repository.changing_candidate(board.name, before, after)
    elsewhere.write(changed, repository.touched(election, candidates=True))
    assert "<em>sing</em>" in text_of(ada.get(page))
    assert len(made) == 3
    assert "Kandidat" in text_of(ada.get(page, headers={"accept-language": "de"}))
    assert bob.get(page).status_code == 302, "and those who may not see it do not"


def test_packed_it_is_the_same_page(ada, board):
    ada.post(address("candidates"), {"names": "Bo\nCy"})
    token = re.compile(r'value="\w{64}"')
    ada.get(address("election"))  # what was to be told is told
    plain, packed = ada.get(address("election")), ada.get(address("election"), headers={"accept-encoding": "gzip"})
    assert token.sub("", gzip.decompress(packed.content).decode()) == token.sub("", text_of(plain))
