"""Pictures on pages: the form, with scripts and without; the address of a picture; of candidates and of people."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as ballots
from elections import repository
from elections.candidates import change_picture, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.rate_limits import Limit
from foundation.acts.storage import use_table
from foundation.photos import changing, photos
from foundation.photos.changing import PictureChange
from foundation.store import keys
from foundation.store.backup import backup, restore, transfer
from foundation.store.sqlite import SqliteTable
from parts.skills import services as skills
from parts.skills.rules import Visibility
from tests.at_once import at_once
from tests.background import finish_background
from tests.people import PASSWORD, make_person

from . import drawing
from .conftest import bytes_kept, events, photo_of
from .drawing import encoded, kept, upright

PAGE = "/election/Board/candidates/Bo/picture/"


def file(raw: bytes | None = None, name: str = "IMG_0001.jpeg") -> SimpleUploadedFile:
    """What it is called and what it says it is, nobody believes."""
    return SimpleUploadedFile(name, encoded(upright(700, 500)) if raw is None else raw, "text/html")


def sent(client: Client, page: str, alt: str = "Four colours", **more):
    return client.post(page, {"file": file(), "alt": alt, **more})


def sentences(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def browser(board, ada, signed_in) -> Client:
    return signed_in(ada)


# --- the form ---


def test_without_a_script_a_picture_is_sent_and_shown(browser, board):
    """By the real process, once."""
    page = sentences(browser.get(PAGE))
    assert 'enctype="multipart/form-data"' in page
    answer = sent(browser, PAGE)
    assert (answer.status_code, answer["Location"]) == (302, "/election/Board/candidates/")
    assert "The picture is saved." in sentences(browser.get("/election/Board/candidates/"))
    photo = photo_of("Bo")
    assert (photo.alt, photo.widths, bytes_kept()) == ("Four colours", (160, 640, 700), {photo.id})
    for page in ("/election/Board/", "/election/Board/candidates/", PAGE):
        text = sentences(browser.get(page))
        assert f"/picture/{photo.id}/" in text
        assert 'alt="Four colours"' in text
    text = sentences(browser.get("/election/Board/"))
    assert all(f"/picture/{photo.id}/{width}.jpg {width}w" in text for width in (160, 640, 700))
    assert 'width="700" height="500"' in text
    (event,) = events("CandidatePictured")
    assert event["event_data"] == {"election_name": "Board", "candidate_name": "Bo", "photo": photo.as_item()}


def test_with_a_script_the_answer_says_where_to_go_on_or_why_not(browser, here):
    asks = {"headers": {"Accept": "application/json"}}
    answer = browser.post(PAGE, {"file": file(), "alt": "Bo at sea"}, **asks)
    assert (answer.status_code, json.loads(answer.content)) == (200, {"to": "/election/Board/candidates/"})
    assert "The picture is saved." in sentences(browser.get("/election/Board/candidates/"))
    answer = browser.post(PAGE, {"file": file(drawing.SVG), "alt": "Bo"}, **asks)
    assert answer.status_code == 422
    assert "SVG files are not accepted" in json.loads(answer.content)["sentences"][0]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"no picture", "This file cannot be read as a picture."),
        (drawing.SVG, "SVG files are not accepted because they can contain programs."),
        (drawing.moving("WEBP"), "Animated pictures are not accepted."),
        (encoded(upright(900, 900))[:3000], "This picture is damaged"),
        (drawing.png(10_000, 5_000), "This picture has more than 40 million pixels"),
        (bytes(8 * 1024**2 + 1), "This file is too large. A picture can have up to 8 MB."),
        (b"", "The submitted file is empty."),
    ],
)
def test_what_is_no_picture_gets_a_sentence_and_changes_nothing(browser, here, raw, sentence):
    sent(browser, PAGE)
    before = photo_of("Bo")
    answer = browser.post(PAGE, {"file": file(raw), "alt": "Something"})
    assert answer.status_code == 422
    assert sentence in sentences(answer)
    assert (photo_of("Bo"), bytes_kept(), len(events("CandidatePictured"))) == (before, {before.id}, 1)


@pytest.mark.parametrize("alt", ["", "   ", "\u200b", "x" * 301])
def test_what_it_shows_has_to_be_said(browser, here, alt):
    assert sent(browser, PAGE, alt).status_code == 422
    assert bytes_kept() == set()


def test_a_form_without_a_file_or_without_anything_is_refused_while_there_is_none(browser):
    assert browser.post(PAGE, {"alt": "Nothing"}).status_code == 422
    assert browser.post(PAGE).status_code == 422


def test_other_words_another_picture_and_none(browser, here):
    sent(browser, PAGE)
    first = photo_of("Bo")
    assert 'value="Four colours"' in sentences(browser.get(PAGE))
    browser.post(PAGE, {"alt": "  Bo \n at sea "})
    assert (photo_of("Bo").id, photo_of("Bo").alt, bytes_kept()) == (first.id, "Bo at sea", {first.id})
    sent(browser, PAGE, "Bo on land")
    second = photo_of("Bo")
    assert bytes_kept() == {second.id} != {first.id}
    assert browser.get(first.large).status_code == 404
    browser.post(PAGE, {"alt": "", "remove": "on"})
    assert (photo_of("Bo"), bytes_kept()) == (None, set())
    assert "The picture is removed." in sentences(browser.get("/election/Board/candidates/"))
    assert browser.get(second.large).status_code == 404
    assert len(events("CandidatePictured")) == 4
    browser.post(PAGE, {"remove": "on"})
    assert len(events("CandidatePictured")) == 4


def test_words_for_one_picture_are_not_put_to_another(ada, board):
    change_picture(ada, board, "Bo", PictureChange(kept("First")))
    seen = photo_of("Bo")
    change_picture(ada, board, "Bo", PictureChange(kept("Second")))
    with pytest.raises(changing.LostRace):
        change_picture(ada, board, "Bo", PictureChange(seen=seen, alt="Words for the first"))
    assert photo_of("Bo").alt == "Second"


def test_two_tabs_at_the_same_moment_leave_one_picture_and_the_bytes_of_one(ada, board):
    change_picture(ada, board, "Bo", PictureChange(kept("Before")))
    new = [kept(f"Tab {number}") for number in range(4)]
    answers = at_once(*(lambda each=each: change_picture(ada, board, "Bo", PictureChange(each)) for each in new))
    assert answers.count(None) >= 1
    assert photo_of("Bo").alt.startswith("Tab ")
    assert bytes_kept() == {photo_of("Bo").id}
    assert len(events("CandidatePictured")) == 1 + answers.count(None)


def test_nobody_has_pictures_read_all_day(browser, here, monkeypatch):
    monkeypatch.setattr(changing, "UPLOADS", Limit("pictures", 2, 3600))
    assert [sent(browser, PAGE).status_code for _ in range(3)] == [302, 302, 422]
    assert "tried too often" in sentences(sent(browser, PAGE))
    assert browser.post(PAGE, {"alt": "Words cost nothing"}).status_code == 302


# --- who may ---


def test_only_who_runs_the_election_and_only_while_candidates_may_be_changed(browser, here, ada, board, signed_in):
    eve = signed_in("Eve")
    assert sent(eve, PAGE).status_code == 404  # a draft is there for nobody else
    assert browser.get("/election/Board/candidates/Nobody/picture/").status_code == 404
    add_voters(ada, board, ["Ada"])
    lifecycle.open_(ada, repository.find("Board"), editable=True)
    assert sent(eve, PAGE).status_code == 403
    refused = sent(browser, PAGE)
    assert refused.status_code == 422
    assert "Nobody can change or remove candidates" in sentences(refused)
    assert (photo_of("Bo"), bytes_kept()) == (None, set())


# --- the address ---


def test_the_address_of_a_picture(browser, ada, board):
    found = kept(wide=200, high=100)
    change_picture(ada, board, "Bo", PictureChange(found))
    photo, stranger = found.photo, Client()
    answer = stranger.get(photo.large)
    assert (answer.status_code, answer["Content-Type"], answer.content) == (200, "image/jpeg", found.parts[-1])
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["ETag"] == f'"{photo.digests[-1]}"'
    head = stranger.head(photo.large)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", answer["ETag"])
    again = stranger.get(photo.large, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "immutable" in again["Cache-Control"]
    assert stranger.get(photo.large, headers={"If-None-Match": '"another"'}).status_code == 200
    assert stranger.post(photo.large).status_code == 405


@pytest.mark.parametrize(
    "path", ["{id}/161.jpg", "{id}/200.webp", "{id}/200.png", "{id}/99999999999999999999.jpg", "nobody/200.jpg"]
)
def test_what_is_not_there_is_not_found(ada, board, path):
    found = kept(wide=200, high=100)
    change_picture(ada, board, "Bo", PictureChange(found))
    answer = Client().get(f"/picture/{path.format(id=found.photo.id)}")
    assert (answer.status_code, answer["Cache-Control"]) == (404, "private, no-store")


# --- candidates ---


def test_a_picture_goes_with_its_candidate_and_with_its_election(ada, board):
    for name in ("Bo", "Cy"):
        change_picture(ada, board, name, PictureChange(kept(name)))
    remove_candidates(ada, repository.find("Board"), "Bo")
    assert bytes_kept() == {photo_of("Cy").id}
    lifecycle.delete(ada, repository.find("Board"))
    finish_background("delete election")
    assert bytes_kept() == set()


def test_a_draft_that_gets_another_name_keeps_them_and_a_copy_gets_its_own(ada, board):
    change_picture(ada, board, "Bo", PictureChange(kept("Bo at sea", wide=300)))
    photo = photo_of("Bo")
    drafts.rename(ada, repository.find("Board"), "Council")
    assert (photo_of("Bo", "Council"), bytes_kept()) == (photo, {photo.id})
    copying.copy(ada, repository.find("Council"), "Next")
    copy = photo_of("Bo", "Next")
    assert (copy.alt, copy.digests, copy.widths) == (photo.alt, photo.digests, photo.widths)
    assert bytes_kept() == {photo.id, copy.id}
    lifecycle.delete(ada, repository.find("Council"))
    finish_background("delete election")
    assert bytes_kept() == {copy.id}
    assert Client().get(copy.large).status_code == 200


# --- people ---


@pytest.mark.needs("skills")
def test_ones_own_picture_is_for_those_who_may_see_the_profile(ada, here, signed_in, person):
    browser, other = signed_in(ada), signed_in("Eve")
    assert sent(browser, "/me/picture/", "Ada, laughing")["Location"] == "/me/"
    photo = people.find("Ada").photo
    assert 'alt="Ada, laughing"' in sentences(browser.get("/me/"))
    assert photo.id in sentences(other.get("/profile/Ada/"))
    skills.show_to(people.find("Ada"), Visibility.NOBODY)
    assert other.get("/profile/Ada/").status_code == 404
    event, _moved = events("PersonPictured")
    assert (event["actor"], event["event_data"]) == ("Ada", {"name": "Ada", "photo": photo.as_item()})
    waiting = signed_in("Nico", Role.NO_ACCESS)
    assert waiting.get("/me/picture/")["Location"] == "/waiting/"
    assert Client().get("/me/picture/")["Location"].startswith("/sign-in/")


def test_an_admin_removes_one_that_is_not_fit_to_be_shown(ada, signed_in, person):
    accounts.change_picture(ada, PictureChange(kept("Rude")))
    photo = people.find("Ada").photo
    admin = signed_in("Boss", Role.ADMIN)
    assert photo.id in sentences(admin.get("/people/Ada/"))
    assert signed_in("Eve").post("/people/Ada/picture/remove/").status_code == 403
    assert admin.get("/people/Ada/picture/remove/").status_code == 405
    assert admin.post("/people/Ada/picture/remove/")["Location"] == "/people/Ada/"
    assert (people.find("Ada").photo, bytes_kept()) == (None, set())
    assert events("PersonPictured")[-1]["actor"] == "Boss"
    accounts.change_picture(person("Olga", Role.OWNER), PictureChange(kept()))
    assert admin.post("/people/Olga/picture/remove/").status_code == 403
    assert people.find("Olga").photo


@pytest.mark.needs("skills")
def test_what_nobody_else_may_see_is_shown_to_no_admin_and_has_left_its_old_address(ada, signed_in):
    accounts.change_picture(ada, PictureChange(kept("Ada, laughing")))
    old = people.find("Ada").photo
    admin, auditor = signed_in("Boss", Role.ADMIN), signed_in("Audrey", Role.AUDITOR)
    assert old.id in sentences(admin.get("/people/Ada/"))
    skills.show_to(people.find("Ada"), Visibility.NOBODY)
    new = people.find("Ada").photo
    assert (new.alt, new.digests) == (old.alt, old.digests)
    assert [Client().get(each.large).status_code for each in (old, new)] == [404, 200]
    page = sentences(admin.get("/people/Ada/"))
    assert new.id not in page
    assert "Remove the picture" not in page
    user = keys.user("Ada")
    raw = {"table": "data", "pk": user.pk}
    for address, words in (
        ("/admin/tables/raw/", raw),
        ("/admin/tables/raw/item/", raw | {"sk": user.sk}),
        (f"/admin/log/{events('PersonPictured')[-1]['event_id']}/", {}),
    ):
        answer = auditor.get(address, words)
        assert answer.status_code == 200
        assert new.id not in sentences(answer)


def test_it_goes_with_whoever_leaves_and_is_among_what_they_are_told(ada, signed_in):
    found = kept("Ada, laughing", wide=300)
    accounts.change_picture(ada, PictureChange(found))
    answer = signed_in(people.find("Ada")).post("/me/data/", {"present": PASSWORD})
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:
        assert [packed.read(f"picture-{width}.jpg") for width in (160, 300)] == list(found.parts)
        assert json.loads(packed.read("account.json"))[0]["picture"]["alt"] == "Ada, laughing"
    accounts.remove_self(people.find("Ada"))
    assert bytes_kept() == set()


def test_whoever_leaves_while_another_tab_sends_a_picture_leaves_none_behind(ada):
    accounts.change_picture(ada, PictureChange(kept("Before")))
    as_read = people.find("Ada")
    accounts.change_picture(ada, PictureChange(kept("Meanwhile")))
    with pytest.raises(changing.LostRace):
        accounts.remove_self(as_read)
    accounts.remove_self(people.find("Ada"))
    with pytest.raises(changing.LostRace):
        accounts.change_picture(as_read, PictureChange(kept("Too late")))
    assert bytes_kept() == set()


# --- backups, tables ---


def test_what_comes_back_from_a_backup_or_a_transfer_is_the_same_picture(ada, board, tmp_path, site):
    found = kept(wide=300)
    change_picture(ada, board, "Bo", PictureChange(found))
    file = io.BytesIO()
    backup(site, file)
    file.seek(0)
    for number, bring in enumerate((lambda there: restore(there, file), lambda there: transfer(site, there))):
        there = SqliteTable(str(tmp_path / f"{number}.sqlite3"))
        there.create()
        bring(there)
        with use_table(there):
            assert photos.find_all(photo_of("Bo")) == list(found.parts)
        there.close()


def test_on_dynamodb_pictures_come_and_go_in_the_same_way(distant_site):
    ada, first, second = make_person("Ada"), kept("First", wide=300), kept("Second", wide=300)
    accounts.change_picture(ada, PictureChange(first))
    accounts.change_picture(ada, PictureChange(seen=people.find("Ada").photo, alt="The first"))
    assert photos.find_all(people.find("Ada").photo) == list(first.parts)
    accounts.change_picture(ada, PictureChange(second))
    assert (bytes_kept(), people.find("Ada").photo) == ({second.photo.id}, second.photo)
    accounts.change_picture(ada, PictureChange())
    assert (bytes_kept(), people.find("Ada").photo) == (set(), None)


def test_auditors_see_how_many_bytes_there_are(ada, board, signed_in):
    found = kept()
    change_picture(ada, board, "Bo", PictureChange(found))
    auditor = signed_in("Audrey", Role.AUDITOR)
    page = sentences(auditor.get("/admin/tables/raw/", {"table": "data", "pk": f"PHOTO#{found.photo.id}"}))
    assert found.parts[0].hex()[:40] not in page
    place = keys.photo(found.photo.id, found.photo.widths[0])
    item = auditor.get("/admin/tables/raw/item/", {"table": "data", "pk": place.pk, "sk": place.sk})
    assert f"{len(found.parts[0])} bytes" in sentences(item)


def test_pictures_are_read_in_memory_and_never_written_to_a_file_of_the_server(browser, here, settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "missing"  # where no file can be written
    large = encoded(upright()) + bytes(7 * 1024**2)  # what follows the picture is no part of it
    assert browser.post(PAGE, {"file": file(large), "alt": "Four colours"}).status_code == 302


# --- faces ---


def test_a_face_is_on_the_ballot_and_the_result_with_initials_for_the_others(browser, ada, board, here):
    sent(browser, PAGE, alt="Bo")
    photo = photo_of("Bo")
    add_voters(ada, repository.find("Board"), ["Ada"])
    election = lifecycle.open_(ada, repository.find("Board"), editable=False)
    ballot = sentences(browser.get("/election/Board/ballot/"))
    assert f'<img class="thumb" src="{photo.small}" width="48" height="48" alt="" loading="lazy"' in ballot
    assert '<span class="thumb" aria-hidden="true">C</span>' in ballot
    ballots.cast(ada, "Board", {"0": ["1"]}, "Ada")
    closing.close(ada, repository.find(election.name))
    result = sentences(browser.get("/election/Board/results/"))
    assert result.count(photo.small) == 2, "of the winner, and in the list of places"
    assert result.count('<span class="thumb" aria-hidden="true">C</span>') == 1
    screen = sentences(browser.get("/election/Board/results/screen/"))
    assert f'<img class="thumb" src="{photo.small}"' in screen, "beside the bar"
    assert f'<img class="thumb" src="{photo.src(640)}"' in screen, "of the winner"
    assert '<span class="thumb" aria-hidden="true">C</span>' in screen


def test_without_any_picture_there_are_no_initials(browser, ada, board):
    add_voters(ada, board, ["Ada"])
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    assert "thumb" not in sentences(browser.get("/election/Board/ballot/"))
    ballots.cast(ada, "Board", {"0": ["1"]}, "Ada")
    closing.close(ada, repository.find("Board"))
    assert "thumb" not in sentences(browser.get("/election/Board/results/"))
    assert "thumb" not in sentences(browser.get("/election/Board/results/screen/"))
