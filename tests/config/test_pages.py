"""The site's own pages and the addresses for those who watch over it."""

from __future__ import annotations

import logging

import pytest
from django.core.wsgi import get_wsgi_application
from django.http import StreamingHttpResponse
from django.test import Client, RequestFactory

from config.middleware import head_without_body
from foundation.store import keys
from foundation.store.log import Event, EventLog
from foundation.store.table import BadCursor, Conflict, InDoubt, Put, Table, Unavailable
from operations.upkeep.doctor import health
from tests.publishing import seal_publicly

PAGES = ("/", "/style/")
WATCHED = ("/healthz", "/readyz", "/metrics")


@pytest.mark.parametrize("path", ["/", "/healthz", "/nowhere/"])
def test_who_asks_by_head_gets_the_headers_alone(site, path):
    """At the door of the server itself: Django's test client would take a body away."""
    said: list[tuple[str, list[tuple[str, str]]]] = []
    environ = RequestFactory().head(path).environ
    answer = get_wsgi_application()(environ, lambda status, headers, *_: said.append((status, headers)))
    assert b"".join(answer) == b""
    answer.close()
    assert int(dict(said[0][1])["Content-Length"]) > 0


@pytest.mark.parametrize(("method", "body"), [("HEAD", b""), ("GET", b"a file")])
def test_a_file_is_begun_for_nobody_who_asks_by_head(method, body):
    answer = head_without_body(lambda request: StreamingHttpResponse([b"a ", b"file"]))(
        RequestFactory().generic(method, "/")
    )
    assert b"".join(answer.streaming_content) == body


@pytest.mark.needs("news")
def test_home_asks_twice_and_the_newest_checkpoint_has_its_own_place(client, site):
    EventLog(site).record(Event("ada", "ThingMade"))
    newest = seal_publicly(site)
    answer = client.get("/")
    assert newest["hash"][:8] not in answer.content.decode()
    assert 'href="/checkpoints/"' in answer.content.decode()
    assert newest["hash"] in client.get("/checkpoints/").content.decode()
    assert 'desc="2 trips"' in answer["Server-Timing"], "for the newest public result, and for the newest posts"
    assert 'desc="1 in a row"' in answer["Server-Timing"], "neither waits for the other"


def test_round_trips_are_not_told_in_production(client, site, settings):
    settings.PRODUCTION = True
    assert "Server-Timing" not in client.get("/")


@pytest.mark.parametrize("path", [*PAGES, *WATCHED, "/nowhere"])
def test_every_answer_carries_the_security_headers(client, site, path):
    answer = client.get(path)
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "strict-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_whoever_looks_whether_we_are_there_need_not_know_our_name(client, site, path):
    """A load balancer asks by address."""
    assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200
    assert client.get("/", headers={"Host": "10.1.2.3:8000"}).status_code == 400


def test_browsers_are_told_to_come_by_https_only(site, settings):
    settings.SECURE_HSTS_SECONDS = 60
    assert Client().get("/healthz", secure=True)["Strict-Transport-Security"] == "max-age=60"
    assert "Strict-Transport-Security" not in Client().get("/healthz")


@pytest.mark.deep
def test_static_files_are_compressed_and_cached_for_good(client, site, static_files):
    from django.contrib.staticfiles.storage import staticfiles_storage

    answer = client.get(staticfiles_storage.url("img/mark.svg"), headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert "immutable" in answer["Cache-Control"]
    answer = client.get(staticfiles_storage.url("js/page.js"), headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"


def test_ready_says_so_in_a_sentence_when_the_store_is_gone(client, settings, tmp_path):
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere.sqlite3"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.content.decode() == "The store does not answer.\n"
    assert client.get("/healthz").status_code == 200


def test_ready_names_a_data_folder_that_nothing_can_be_found_out_about(client, site, settings, tmp_path):
    settings.DATA_DIR = tmp_path / ("x" * 300) / "data"  # even asking whether it is there fails
    answer = client.get("/readyz")
    assert (answer.status_code, answer["Content-Type"]) == (503, "text/plain")
    assert answer.content.decode() == f"The site's user cannot read and write {settings.DATA_DIR}.\n"


def test_ready_says_in_text_what_nobody_foresaw(client, site, monkeypatch, caplog):
    def fails(*_words):
        raise KeyError("anything")

    monkeypatch.setattr(health, "warnings", fails)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content.decode()) == (503, "This could not be found out: KeyError.\n")
    assert [each.error for each in caplog.records if each.getMessage() == "failure"] == ["KeyError"]


@pytest.mark.parametrize(
    ("token", "brought", "status"),
    [
        ("", None, 404),
        ("", "Bearer ", 404),
        ("secret", None, 404),
        ("secret", "Bearer wrong", 404),
        ("secret", "Bearer secret", 200),
    ],
)
def test_metrics_in_production_are_only_for_who_brings_the_token(client, site, settings, token, brought, status):
    settings.PRODUCTION, settings.METRICS_TOKEN = True, token
    headers = {"Authorization": brought} if brought else {}
    assert client.get("/metrics", headers=headers).status_code == status


def test_metrics_count_requests_and_round_trips(client, site):
    client.get("/readyz")
    text = client.get("/metrics").content.decode()
    assert 'plenum_requests_total{route="readyz",status="2xx"}' in text
    assert 'plenum_request_seconds_count{section="readyz"}' in text
    assert 'plenum_store_trip_seconds_count{operation="get_many",outcome="ok"}' in text


def test_a_made_up_method_does_not_make_a_series(client, site):
    client.generic("MADEUP", "/")
    assert "MADEUP" not in client.get("/metrics").content.decode()


# --- errors ---


@pytest.fixture
def fail(monkeypatch, client, site):
    """A site whose home page meets the given exception."""

    def fail(exception):
        def raise_it(*args, **kwargs):
            raise exception

        monkeypatch.setattr("results.front_page.home.newest_shared", raise_it)
        client.raise_request_exception = False
        return client.get("/")

    return fail


@pytest.mark.parametrize(
    ("exception", "status", "words"),
    [
        (Unavailable("The store is out."), 503, "Not available right now"),
        (InDoubt("Nobody answered."), 503, "it will count only once"),
        (Conflict("Others were faster."), 409, "Someone else was faster"),
        (BadCursor("No."), 400, "We could not read that request"),
        (RuntimeError("boom"), 500, "That was our mistake"),
    ],
)
def test_what_went_wrong_is_a_page_in_our_look(fail, exception, status, words):
    answer = fail(exception)
    text = answer.content.decode()
    assert answer.status_code == status
    assert words in text
    assert "</footer>" in text
    assert answer["X-Request-ID"] in text, "the person can quote the request"
    assert str(exception) not in text


def test_out_of_service_says_when_to_try_again(fail):
    assert fail(Unavailable("out"))["Retry-After"] == "5"


def test_when_even_the_error_page_breaks_a_sentence_is_left(client, site, monkeypatch, fail):
    def broken(*args, **kwargs):
        raise RuntimeError("templates are gone")

    monkeypatch.setattr("config.errors.render", broken)
    answer = fail(RuntimeError("boom"))
    assert answer.status_code == 500
    assert "our mistake" in answer.content.decode()


def test_a_store_that_fails_while_asking_who_this_is_gets_its_page_too(site, signed_in, monkeypatch):
    def out(*arguments, **options):
        raise Unavailable("out")

    client = signed_in("Ada")
    monkeypatch.setattr("foundation.store.sqlite.SqliteTable.get_many", out)
    client.raise_request_exception = False
    answer = client.get("/me/")
    assert answer.status_code == 503
    assert "Not available right now" in answer.content.decode()


def test_a_page_that_is_not_there(client, site):
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert "Nothing here" in answer.content.decode()


def test_a_form_from_elsewhere_is_refused_with_a_sentence(site):
    from django.test import Client

    answer = Client(enforce_csrf_checks=True).post("/language/", {"language": "de"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


def test_an_unknown_host_is_refused(client, site):
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()


# --- the log ---


def test_a_request_leaves_one_line_without_personal_data(client, site, caplog):
    caplog.set_level(logging.INFO)
    answer = client.get(
        "/nowhere/olga@example.org?name=olga", headers={"User-Agent": "olga's phone"}, REMOTE_ADDR="10.1.2.3"
    )
    (record,) = [record for record in caplog.records if record.name == "plenum.request"]
    assert record.request_id == answer["X-Request-ID"]
    assert (record.method, record.status, record.route) == ("GET", 404, "(no route)")
    from config.logs import JsonLines

    for each in caplog.records:
        line = JsonLines().format(each)
        assert "olga" not in line
        assert "10.1.2.3" not in line


def test_what_broke_is_recorded_without_its_words(fail, caplog):
    fail(RuntimeError("ada@example.org did it"))
    (record,) = [record for record in caplog.records if record.message == "failure"]
    assert record.error == "RuntimeError"
    assert "newest_shared" in record.where or "home" in record.where
    from config.logs import JsonLines

    assert "ada@example.org" not in "".join(JsonLines().format(each) for each in caplog.records)


# --- languages ---


def test_the_language_follows_the_browser_and_the_choice(client, site):
    assert 'lang="en"' in client.get("/").content.decode()
    assert 'lang="de"' in client.get("/", headers={"Accept-Language": "de"}).content.decode()
    client.post("/language/", {"language": "de", "next": "/"})
    assert 'lang="de"' in client.get("/").content.decode()


def test_the_language_form_leads_nowhere_else(client, site):
    answer = client.post("/language/", {"language": "de", "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_the_port_is_the_only_way_to_the_store(site):
    assert isinstance(site, Table)
    from django.db import connection

    with pytest.raises(Exception, match="DATABASES"):
        connection.cursor()


def test_a_store_that_is_being_restored_is_not_ready(client, site):
    place = keys.RESTORING
    site.write(Put({"PK": place.pk, "SK": place.sk, "sha256": None, "items": 0}))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content) == (503, b"A backup is being restored into the store.\n")
