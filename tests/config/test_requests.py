"""What every request pays before its page begins: each thing once, and nothing for what is not there."""

from __future__ import annotations

import gzip
import logging
import re
from datetime import UTC, datetime

import orjson
import pytest
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import reset_queries
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts import authentication
from config.logs import JsonLines
from config.middleware import QuickGZip


def test_whoever_asks_is_looked_up_once(site, signed_in, monkeypatch):
    client, asked = signed_in("Ada"), []
    look = authentication.user_of_session
    monkeypatch.setattr(authentication, "user_of_session", lambda request: asked.append(request) or look(request))
    answer = client.get("/me/")
    assert len(asked) == 1
    assert answer.status_code == 200
    assert type(asked[0].user).__name__ == "User", "no detour to somebody who is known"


# --- languages ---


@pytest.mark.parametrize(
    ("chosen", "asked", "found"),
    [
        (None, "", "en"),
        (None, "de-AT,de;q=0.8", "de"),
        (None, "en-AU,en;q=0.9", "en-gb"),
        (None, "en-US,en-GB;q=0.9", "en"),
        (None, "fr, en-AU;q=0.5", "en-gb"),
        (None, "en-029", "en-gb"),
        (None, "en-PH", "en"),
        (None, "EN-au", "en-gb"),
        (None, "zen-au,de", "de"),
        (None, "fr", "en"),
        (None, "nonsense;;;", "en"),
        ("en", "en-AU", "en"),
        ("de", "en-AU", "de"),
        ("tlh", "de", "de"),
        (None, "x" * 600 + ",de", "en"),
        (None, "de," + "x" * 10_000, "de"),
    ],
)
def test_the_language_of_a_reader(site, settings, chosen, asked, found):
    browser = Client(headers={"accept-language": asked})
    if chosen:
        browser.cookies[settings.LANGUAGE_COOKIE_NAME] = chosen
    page = browser.get("/help/secrecy/")
    assert page["Content-Language"] == found
    assert f'lang="{found}"' in page.content.decode()
    assert "Accept-Language" in page["Vary"]


def test_another_language_of_the_site_is_seen_at_once(site, settings):
    for usual in ("en", "de", "en"):
        settings.LANGUAGE_CODE = usual
        assert Client().get("/help/secrecy/")["Content-Language"] == usual


# --- lines of the log ---


def line_of(**fields) -> dict:
    record = logging.makeLogRecord({"name": "plenum", "levelname": "INFO", "msg": "said", **fields})
    return orjson.loads(JsonLines().format(record).encode("utf-8", "replace"))


def test_a_line_says_what_it_is_given():
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    line = line_of(route="é", status=200, moment=moment, numbered={1: "one"}, far=2**70)
    assert (line["message"], line["route"], line["status"]) == ("said", "é", 200)
    assert line["moment"] == str(moment)
    assert line["numbered"] == {"1": "one"}
    assert line["far"] in (2**70, float(2**70))


def test_a_line_with_what_is_no_text_is_written_all_the_same():
    assert line_of(word="\ud800")["word"]


# --- limits on forms ---

FORM = "application/x-www-form-urlencoded"


def test_as_many_fields_as_the_largest_ballot_needs_are_read(site, settings):
    fields = "&".join(f"rank-{number}=1" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS))
    assert Client().generic("POST", "/sign-in/", fields, FORM).status_code == 422


@pytest.mark.parametrize("sent", ["&".join("a=1" for _ in range(1_200)), "a=" + "x" * 6 * 1024 * 1024])
def test_more_or_larger_fields_than_that_are_refused_on_a_page(site, sent):
    answer = Client().generic("POST", "/sign-in/", sent, FORM)
    assert answer.status_code == 400
    assert "We could not read that request" in answer.content.decode()


@pytest.mark.needs("polls")
def test_more_parameters_than_that_are_refused_on_a_page(site):
    answer = Client().get("/polls/?" + "&".join("a=1" for _ in range(1_200)))
    assert answer.status_code == 400
    assert "We could not read that request" in answer.content.decode()


def test_a_form_without_its_token_is_refused_and_with_a_forged_one_too(site):
    browser = Client(enforce_csrf_checks=True)
    page = browser.get("/sign-in/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    about = {"name_or_email": "nobody", "password": "wrong"}
    assert browser.post("/sign-in/", about).status_code == 403
    assert browser.post("/sign-in/", about | {"csrfmiddlewaretoken": token[::-1]}).status_code == 403
    assert browser.post("/sign-in/", about | {"csrfmiddlewaretoken": token}).status_code == 422


@pytest.mark.parametrize(
    ("came_from", "status"), [("https://testserver/", 422), ("https://evil.example/", 403), ("", 403)], ids=str
)
def test_forms_need_no_more_of_the_page_they_are_on_than_our_policy_sends(site, came_from, status):
    """Over HTTPS a form is accepted from this site only; a browser that sends no Origin says so in the Referer, and
    `strict-origin` leaves nothing of it but the origin."""
    browser, about = Client(enforce_csrf_checks=True), {"name_or_email": "nobody", "password": "wrong"}
    page = browser.get("/sign-in/", secure=True)
    assert page["Referrer-Policy"] == "strict-origin"
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())[1]
    headers = {"referer": came_from} if came_from else {}
    sent = browser.post("/sign-in/", about | {"csrfmiddlewaretoken": token}, secure=True, headers=headers)
    assert sent.status_code == status


# --- compression ---


def test_the_length_of_a_compressed_page_is_padded_at_random(site):
    """A token and what somebody typed may be on one page: its length must not tell how alike they are (BREACH)."""
    pages = [Client().get("/sign-in/", headers={"accept-encoding": "gzip"}).content for _ in range(16)]
    assert all(b"csrfmiddlewaretoken" in gzip.decompress(page) for page in pages)
    assert len({padding(page) for page in pages}) > 1


PAGE = b"<p>Boats first.</p>" * 100


def packed_by(accepts: str, page: bytes = PAGE, **headers: str) -> HttpResponse:
    request = RequestFactory().get("/", headers={"accept-encoding": accepts})
    return QuickGZip(lambda request: HttpResponse(page, headers=headers))(request)


def test_a_compressed_page_says_so_and_no_longer_promises_the_same_bytes():
    answer = packed_by("gzip, br", ETag='"one"')
    assert gzip.decompress(answer.content) == PAGE
    assert (answer["Content-Encoding"], answer["Content-Length"]) == ("gzip", str(len(answer.content)))
    assert (answer["ETag"], answer["Vary"]) == ('W/"one"', "Accept-Encoding")


def test_what_is_not_asked_for_or_done_already_is_not_compressed():
    for answer in (packed_by("br"), packed_by("gzip", **{"Content-Encoding": "br"})):
        assert answer.content == PAGE


def test_what_fits_one_packet_is_sent_as_it_is():
    answer = packed_by("gzip", PAGE[:999])
    assert answer.content == PAGE[:999]
    assert "Vary" not in answer


def padding(packed: bytes) -> int:
    """RFC 1952: a file name may follow the fixed header, up to a zero byte."""
    return packed.index(b"\0", 10) - 10 if packed[3] & 8 else 0


# --- around a request ---


def test_no_request_looks_for_databases_or_caches():
    assert not request_started.disconnect(reset_queries)
    assert not request_finished.disconnect(close_caches)
