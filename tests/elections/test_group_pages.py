"""Pages of groups, and of lists that are brought along: numbers first, problems first, and what was skipped is said."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.rules import Role
from elections import repository, rolls, voter_lists
from elections.drafts import services as drafts
from elections.groups import repository as groups
from elections.groups import services as keeping
from elections.roll.list_summary import NOTHING_SKIPPED, Skipped
from elections.roll.services import add_voters
from foundation.store import keys
from tests.people import enrol

LIST = "Hypatia\nhypatia\nNobody Here\na@example.org\nnot an@address@\nb@example.org\n"


@pytest.fixture
def page(signed_in, ada) -> Client:
    return signed_in(ada)


@pytest.fixture
def board(ada):
    return drafts.create(ada, "Board")


def text_of(answer) -> str:
    return answer.content.decode()


def at(name: str, *words: str) -> str:
    return reverse(name, args=words)


def hidden(text: str) -> dict[str, str]:
    """What a preview sends back."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text)
    return {name: value.replace("&#34;", '"') for name, value in found if name != "csrfmiddlewaretoken"}


def a_file(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("voters.csv", text.encode())


# --- lists for a roll ---


def test_problems_come_first_with_their_line_and_what_was_skipped_is_said_after_it(page, ada, board):
    enrol("Hypatia", "Zoe")
    add_voters(ada, board, ["a@example.org"])
    preview = text_of(page.post(at("import_roll", "Board"), {"file": a_file(LIST)}))
    assert "2 new · 1 already on the roll · 1 duplicate · 2 cannot be used" in preview
    order = [preview.index(each) for each in ("Nobody Here", "not an@address@", "Add 2 voters", "<details>")]
    assert order == sorted(order), "problems, then the button, then what need not be added"
    assert re.search(r">3</td><th [^>]*><bdi>Nobody Here</bdi></th><td [^>]*>Nobody here has this name", preview)
    assert preview.index("<details>") < preview.index("b@example.org</bdi>"), "and at last who is new"
    done = text_of(page.post(at("import_roll", "Board"), hidden(preview), follow=True))
    sentence = "2 voters added. 1 was already on the roll, 1 duplicate skipped, 2 lines could not be used (lines 3, 5)."
    assert sentence in done
    assert sentence in text_of(page.get(at("import_roll", "Board"))), "also later, and if a worker has finished it"
    nothing = text_of(page.post(at("import_roll", "Board"), {"file": a_file("a@example.org\n?\n")}))
    assert "0 new · 1 already on the roll · 1 cannot be used" in nothing
    assert "Nobody to add" in nothing
    assert "Add 0" not in nothing


def test_what_somebody_writes_into_the_hidden_field_says_nothing(site, page, board):
    for forged in ("<b>", "9" * 99, "1 2", "1 2 3 " + "4 " * 50, "١ ٢ ٣"):
        page.post(at("import_roll", "Board"), {"voters": f"voter\nx{len(forged)}@example.org", "skipped": forged})
    assert {item["skipped"] for item in site.each(keys.voter_imports("Board"))} == {""}
    assert Skipped.from_text(Skipped(1, 2, 3, (4, 5)).as_text()) == Skipped(1, 2, 3, (4, 5))
    assert Skipped.from_text("") == NOTHING_SKIPPED


def test_pasted_voters_and_candidates_say_what_was_skipped(page, ada, board):
    enrol("Hypatia")
    add_voters(ada, board, ["a@example.org"])
    pasted = {"voters": "Hypatia\na@example.org\nhypatia\nb@example.org"}
    said = text_of(page.post(at("roll", "Board"), pasted, follow=True))
    assert "2 voters added. 1 was already on the roll, 1 duplicate skipped." in said
    again = text_of(page.post(at("roll", "Board"), {"voters": "b@example.org"}, follow=True))
    assert "No voters added. 1 was already on the roll." in again
    page.post(at("candidates", "Board"), {"names": "Bo\nCy"})
    said = text_of(page.post(at("candidates", "Board"), {"names": "Cy\nDi\ndi\nEd"}, follow=True))
    assert "2 candidates added. 1 was already a candidate, 1 duplicate skipped." in said


# --- groups ---


@pytest.fixture
def club(ada):
    enrol("Cy #1 😀", "مريم")
    group = keeping.make(ada, 'Club "A" #1')
    keeping.add(ada, group.id, ["Cy #1 😀", "مريم", "a@example.org"])
    return groups.find(group.id)


def test_a_group_is_made_from_a_list_and_looked_at(page, ada):
    assert "No groups yet" in text_of(page.get("/groups/"))
    place = page.post("/groups/new/", {"name": "Club"})["Location"]
    (group,) = groups.every_group_of("Ada")
    assert place == at("add_members", group.id)
    assert "Either choose a file or paste a list" in text_of(page.post(place, {}))
    preview = text_of(page.post(place, {"text": "Ada\nNobody\na@example.org\n"}))
    assert "2 new · 1 cannot be used" in preview
    assert "Nobody in the group" in text_of(page.get(at("group", group.id))), "a preview changes nothing"
    said = text_of(page.post(place, hidden(preview), follow=True))
    assert "2 members added. 1 line could not be used (line 2)." in said
    again = text_of(page.post(place, {"file": a_file("a@example.org\nb@example.org")}))
    assert "1 new · 1 already in the group" in again
    assert page.post(place, {"file": a_file("\0")}).status_code == 422
    assert page.post(place, {"voters": ""}, follow=True).redirect_chain[0][0] == place
    assert page.post("/groups/new/", {"name": "CLUB"}).status_code == 422
    assert page.post("/groups/new/", {"name": " "}).status_code == 422
    assert "Club" in text_of(page.get("/groups/"))


def test_its_members_are_found_exported_and_removed_and_it_is_renamed_and_deleted(page, club):
    place = at("group", club.id)
    shown = text_of(page.get(place))
    assert "Club &#34;A&#34; #1" in shown
    assert "مريم" in shown
    assert "Cy #1" not in text_of(page.get(place, {"q": "a@"}))
    assert "Nobody found" in text_of(page.get(place, {"q": "zz"}))
    answer = page.get(at("group_csv", club.id))
    exported = b"".join(answer.streaming_content)
    assert {row.value for row in voter_lists.read_voters(exported)} == {"Cy #1 😀", "مريم", "a@example.org"}
    assert "filename" in answer["Content-Disposition"]
    for _twice in range(2):
        page.post(at("remove_member", club.id), {"member": "CY #1 😀"})
    assert groups.find(club.id).members == 2
    assert page.post(at("rename_group", club.id), {"name": ""}).status_code == 422
    page.post(at("rename_group", club.id), {"name": "Choir"})
    assert "2 members. Rolls it was added to do not change." in text_of(page.get(at("delete_group", club.id)))
    for _twice in range(2):
        assert page.post(at("delete_group", club.id)).status_code in (302, 404)
    assert page.get(place).status_code == 404


def test_a_group_is_nobody_elses_whatever_their_role(signed_in, client, club, board):
    pages = ("group", "add_members", "rename_group", "delete_group", "group_csv")
    for who in (signed_in("Bo"), signed_in("Mod", Role.ADMIN), signed_in("Olga", Role.OWNER)):
        assert {who.get(at(each, club.id)).status_code for each in pages} == {404}
        assert who.post(at("remove_member", club.id), {"member": "a@example.org"}).status_code == 404
        assert "Club" not in text_of(who.get("/groups/"))
    assert client.get(at("group", club.id)).status_code == 302
    voter = signed_in("Vik", Role.VOTER)
    assert voter.get("/groups/").status_code == 403
    assert groups.find(club.id).members == 3


def test_a_roll_is_kept_and_a_group_is_added_with_its_numbers_first(page, ada, club, board, signed_in):
    add_voters(ada, board, ["a@example.org"])
    shown = text_of(page.get(at("roll", "Board")))
    assert "Later changes to the group do not change the roll." in shown
    token = re.search(r'name="token" value="([^"]+)"', shown)[1]
    kept = {page.post(at("keep_roll", "Board"), {"token": token})["Location"] for _twice in range(2)}
    assert len(kept) == 1, "a double click makes one group"
    place = at("add_group", "Board")
    assert page.post(place, {"group": "another"}).status_code == 422
    looked = text_of(page.post(place, {"group": club.id}))
    assert "2 new · 1 already on the roll" in looked
    assert repository.find("Board").voter_count == 1
    done = text_of(page.post(place, hidden(looked), follow=True))
    assert "2 voters added. 1 was already on the roll." in done
    assert repository.find("Board").group == club.id
    assert "Board" in text_of(page.get(at("group", club.id))), "where it was used"
    everybody = text_of(page.post(place, {"group": club.id}))
    assert "Nobody to add" in everybody or "0 new · 3 already on the roll" in everybody
    bo = signed_in("Bo")
    assert bo.post(place, {"group": club.id, "sure": "yes"}).status_code == 404
    keeping.delete(ada, club.id)
    assert page.post(place, {"group": club.id, "sure": "yes"}).status_code == 422


def test_a_saved_group_becomes_a_voter_group_by_ticking_the_box(page, ada, club, board):
    add_voters(ada, board, ["a@example.org"])
    looked = text_of(page.post(at("add_group", "Board"), {"group": club.id, "as_group": "on"}))
    assert "2 new · 1 to be changed" in looked
    page.post(at("add_group", "Board"), hidden(looked))
    assert [voter.groups for voter in rolls.every_voter("Board")] == [(club.name,)] * 3
