"""The owner's notices: everyone reads them, the owner alone writes them, and until then there is a standard text."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.rules import Role
from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.storage import log
from foundation.store import keys
from operations.trust import notices
from operations.trust.notices import Subject
from tests.at_once import at_once
from tests.markup import hidden


@pytest.fixture
def owner(site, signed_in):
    return signed_in("Ada", Role.OWNER)


def saved(client, subject, text, version=0, **more):
    return client.post(f"/trust/{subject}/edit/", {"text": text, "version": version, **more})


@pytest.mark.parametrize("subject", list(Subject))
@pytest.mark.parametrize("language", ["en", "de"])
def test_there_is_a_standard_text_and_every_page_leads_to_it(site, subject, language):
    visitor = Client(headers={"accept-language": language})
    page = visitor.get(f"/trust/{subject}/")
    assert page.status_code == 200
    assert page.content.decode().count("<p") > 2
    assert f'href="/trust/{subject}/"' in visitor.get("/").content.decode()


def test_the_owner_writes_it_and_everyone_reads_it(owner):
    assert owner.get("/trust/privacy/edit/").status_code == 200
    assert 'href="/trust/privacy/edit/"' in owner.get("/trust/privacy/").content.decode()
    assert saved(owner, "privacy", "We keep **nothing**.")["Location"] == "/trust/privacy/"
    page = Client().get("/trust/privacy/").content.decode()
    assert "We keep <strong>nothing</strong>." in page
    assert "Last changed:" in page
    assert "/edit/" not in page
    assert "There is no advertising" not in page
    assert "There is no advertising" not in Client().get("/trust/imprint/").content.decode()


def test_an_empty_text_brings_the_standard_text_back(owner):
    saved(owner, "privacy", "Ours")
    saved(owner, "privacy", "", 1)
    assert "There is no advertising" in Client().get("/trust/privacy/").content.decode()
    assert saved(owner, "privacy", "Ours again", 2).status_code == 302


def test_markup_is_cleaned(owner):
    saved(owner, "imprint", "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>")
    page = Client().get("/trust/imprint/").content.decode().partition("<main")[2].partition("</main>")[0]
    assert "<script" not in page
    assert "<img" not in page
    assert 'href="javascript' not in page


def test_a_preview_saves_nothing(owner):
    page = saved(owner, "privacy", "Soon *ours*", preview="yes")
    assert "Soon <em>ours</em>" in page.content.decode()
    assert notices.find(Subject.PRIVACY).text == ""


@pytest.mark.parametrize("path", ["/trust/nothing/", "/trust/Privacy/"])
def test_there_are_no_others(owner, path):
    assert owner.get(path).status_code == 404
    assert owner.get(f"{path}edit/").status_code == 404


@pytest.mark.parametrize("wrong", [{"text": "x" * 60_000}, {"version": "two"}, {"version": "-1"}, {"version": ""}])
def test_what_does_not_fit_is_refused_on_the_form(owner, wrong):
    assert owner.post("/trust/privacy/edit/", {"text": "Ours", "version": "0"} | wrong).status_code == 422
    assert notices.find(Subject.PRIVACY).version == 0


def test_nothing_that_another_window_wrote_is_overwritten_unseen(owner):
    opened = hidden(owner.get("/trust/privacy/edit/"), "version")
    saved(owner, "privacy", "First")
    page = saved(owner, "privacy", "Second", opened)
    assert page.status_code == 422
    assert "Second" in page.content.decode()
    assert notices.find(Subject.PRIVACY).text == "First"


def test_of_two_who_save_at_once_one_wins(site, person):
    ada = person("Ada", Role.OWNER)

    def save(text):
        try:
            notices.edit(ada, Subject.PRIVACY, 0, text)
        except (LostRace, Refusal):
            return False
        return True

    assert sorted(at_once(lambda: save("one"), lambda: save("two"))) == [False, True]


def test_the_log_has_what_was_written(owner):
    saved(owner, "imprint", "Us")
    saved(owner, "imprint", "Us", 1)
    written = [item for item in log().table.each(keys.events()) if item["event_type"] == "NoticeEdited"]
    assert [(item["actor"], item["event_data"]["subject"], item["event_data"]["text"]) for item in written] == [
        ("Ada", "imprint", "Us")
    ]
