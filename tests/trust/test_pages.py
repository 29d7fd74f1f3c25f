"""The page about trust: every row of the table has evidence that exists, and everything else on it leads somewhere."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from django.conf import settings as django_settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client
from django.urls import resolve

from foundation.acts.storage import log, table
from foundation.pages import served_files
from foundation.store import keys
from operations.trust import serving
from operations.trust.requirements import STANDARDS, Status
from tests.at_once import at_once

ROWS = [(standard.name, row) for standard in STANDARDS for row in standard.rows]
NOW = datetime(2026, 11, 15, 20, tzinfo=UTC)


def test_every_piece_of_evidence_is_there():
    for name, row in ROWS:
        for source in row.sources:
            if source.startswith("/"):
                assert resolve(source), (name, row.reference)
            else:
                assert (django_settings.BASE_DIR / source).is_file(), (name, row.reference, source)


def test_what_is_met_has_evidence_and_what_is_not_says_what_is_missing():
    bare = [(name, row.reference) for name, row in ROWS if row.status == Status.MET and not row.evidence]
    silent = [
        (name, row.reference) for name, row in ROWS if row.status in (Status.PARTLY, Status.NOT_MET) and not row.note
    ]
    assert (bare, silent) == ([], [])


def test_rows_are_short_and_named_once():
    for standard in STANDARDS:
        references = [row.reference for row in standard.rows]
        assert len(set(references)) == len(references)
        assert [row.reference for row in standard.rows if len(str(row.text)) > 70] == []
    assert len(ROWS) > 100


def test_the_page_shows_all_rows_or_those_of_one_status(site):
    page = Client().get("/trust/").content.decode()
    assert page.count('<th scope="row">') == len(ROWS)
    for status in Status:
        few = Client().get("/trust/", {"show": status}).content.decode()
        assert few.count('<th scope="row">') == sum(row.status == status for _name, row in ROWS)
    assert Client().get("/trust/", {"show": "<b>"}).content.decode().count('<th scope="row">') == len(ROWS)


def test_every_link_on_the_page_leads_somewhere(site):
    page = Client().get("/trust/").content.decode()
    places = set(re.findall(r'<a[^>]* href="(/[^"#]*)', page))
    assert {place for place in places if Client().get(place).status_code not in (200, 302)} == set()
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert {anchor for anchor in anchors if f'id="{anchor}"' not in page} == set()


# --- the code that is served ---


@pytest.mark.deep
def test_the_list_has_every_script_and_stylesheet_as_it_is_served(site, static_files):
    answer = Client().get("/trust/code.json")
    listed = json.loads(answer.content)
    assert {name.rpartition(".")[2] for name in listed} == {"js", "css"}
    for name in ("js/rank.js", "css/base.css", "django_htmx/htmx-2.min.js"):
        served = Client().get(staticfiles_storage.url(name))
        assert listed[staticfiles_storage.stored_name(name)] == served_files.digest_of(b"".join(served))
    assert sha256(answer.content).hexdigest() == served_files.edition()
    assert served_files.edition() in Client().get("/trust/").content.decode()


def test_files_that_are_being_edited_have_no_digests(site, static_files, settings):
    settings.DEBUG = True
    assert served_files.digests() == {}
    assert "integrity" not in served_files.script("js/rank.js")


def test_a_release_is_recorded_once_however_many_servers_start(site, static_files):
    assert sorted(at_once(*[serving.record_code] * 4)) == [False, False, False, True]
    assert not serving.record_code()
    (event,) = [item for item in log().table.each(keys.events()) if item["event_type"] == "CodeServed"]
    names = [line.split(" ") for line in event["event_data"]["files"]]
    assert dict(names) == served_files.digests()
    since = table().get(keys.SERVED_CODE)["since"]
    assert f'<time datetime="{since}">' in Client().get("/trust/").content.decode()


def test_other_files_are_recorded_again_and_the_earlier_ones_too(site, static_files, monkeypatch):
    serving.record_code()
    other = {"js/other.1a.js": "sha384-x"}
    monkeypatch.setattr(served_files, "digests", lambda: other)
    assert serving.record_code()
    assert table().get(keys.SERVED_CODE)["files"] == ["js/other.1a.js sha384-x"]
    monkeypatch.undo()
    assert serving.record_code()


def test_without_digests_nothing_is_recorded(site):
    assert not serving.record_code()
    assert table().get(keys.SERVED_CODE) is None


# --- how to report a vulnerability ---


def fields(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.splitlines())


def test_programs_find_the_contact_and_that_it_is_still_good(site, settings):
    settings.SECURITY_CONTACT = "Our team <security@example.org>"
    answer = Client().get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    found = fields(answer.content.decode())
    assert found["Contact"] == "mailto:security@example.org"
    assert found["Preferred-Languages"] == "en, de"
    assert found["Canonical"] == f"{settings.SITE_URL}/.well-known/security.txt"
    assert found["Policy"] == f"{settings.SITE_URL}/trust/#report"


def test_it_expires_later_but_within_a_year():
    for day in range(0, 400, 50):
        now = NOW + timedelta(days=day, minutes=37)
        expires = datetime.fromisoformat(fields(serving.security_txt(now))["Expires"])
        assert timedelta(days=30) < expires - now < timedelta(days=365)


@pytest.mark.parametrize(
    ("chosen", "reply_to", "contact"),
    [
        ("https://example.org/security", "", "https://example.org/security"),
        ("", "Help <help@example.org>", "mailto:help@example.org"),
        ("", "", "/trust/imprint/"),
    ],
)
def test_the_contact_is_what_was_chosen_or_the_next_best(site, settings, chosen, reply_to, contact):
    settings.SECURITY_CONTACT, settings.MAIL_REPLY_TO = chosen, reply_to
    assert serving.contact().removeprefix(settings.SITE_URL) == contact
    assert f'href="{serving.contact()}"' in Client().get("/trust/").content.decode()
