"""`plenum doctor` and the same on the system page: what is well, what to look at, what is broken."""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from ipaddress import ip_network
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core import signing
from django.core.management import call_command
from django.core.management.base import CommandError
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from accounts.rules import Role
from config import proxies
from foundation.acts import background
from foundation.acts.pause import Pause
from foundation.mail import bounces, outbox
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.formats import FORMAT
from foundation.store.log import Event, EventLog
from foundation.store.log.seal import Sealer
from foundation.store.table import Put, Update
from operations.upkeep import doctor, figures, heartbeats, system
from operations.upkeep.doctor import health, network_checks, site_checks
from operations.upkeep.doctor.health import Finding, Grade
from operations.upkeep.doctor.network_checks import FORGED, Reply, RequestSnapshot
from tests.mail.servers import MailServer
from tests.store import engines

WELL, LOOK, BROKEN = Grade.OK, Grade.WARNING, Grade.BROKEN
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
VISITOR = "203.0.113.9"


@contextmanager
def served(server) -> Iterator[int]:
    """A server at work in a thread; answers its port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# --- the address that tells what the server sees ---


def test_it_tells_who_can_sign_what_the_server_sees(client, site, settings):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1/32")]
    address = reverse("doctor", args=[network_checks.signed_token()])
    answer = client.get(address, headers={"host": "anywhere:8", "x-forwarded-for": VISITOR})
    assert answer.json() == {
        "host": "anywhere:8",
        "scheme": "http",
        "peer": "127.0.0.1",
        "is_trusted": True,
        "forwarded": VISITOR,
        "came_from": VISITOR,
    }, "whatever the host, as that is what is asked"
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("word", ["made-up", "seen:made:up", "seen"])
def test_a_stranger_finds_nothing_there(client, site, word):
    assert client.get(reverse("doctor", args=[word])).status_code == 404


def test_a_signature_is_good_for_a_minute(client, site, monkeypatch):
    address = reverse("doctor", args=[network_checks.signed_token()])
    assert client.get(address).status_code == 200
    later = time.time() + 61
    monkeypatch.setattr(time, "time", lambda: later)
    assert client.get(address).status_code == 404


def test_a_signature_for_something_else_or_of_another_site_is_none(client, site, settings):
    address = reverse("doctor", args=[network_checks.signed_token()])
    settings.SECRET_KEY = "another" * 10
    assert client.get(address).status_code == 404
    assert client.get(reverse("doctor", args=[signing.TimestampSigner().sign("seen")])).status_code == 404


def test_it_is_answered_without_https_and_to_any_host(client, site, settings):
    settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS = True, ["vote.example.org"]
    assert client.get(reverse("doctor", args=[network_checks.signed_token()])).status_code == 200
    assert client.get("/doctor/").status_code == 400, "and nothing else is"


def test_doctor_is_not_taken_for_a_proxy(client, site):
    proxies.watch.forget()
    client.get(reverse("doctor", args=[network_checks.signed_token()]), headers={"x-forwarded-for": FORGED})
    assert proxies.watch.recent_addresses() == []


# --- asking it, through a proxy as it is and as it should not be ---


class Quiet(WSGIRequestHandler):
    def log_message(self, *words) -> None:
        pass


Rewrite = Callable[[dict[str, str]], dict[str, str]]


@contextmanager
def proxy(port: int, rewrite: Rewrite) -> Iterator[int]:
    """Passes requests on with other headers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            onward = HTTPConnection("127.0.0.1", port)
            onward.request("GET", self.path, headers=rewrite(dict(self.headers)))
            found = onward.getresponse()
            body = found.read()
            onward.close()
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words) -> None:
            pass

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as found:
        yield found


@pytest.fixture
def running(site, settings) -> Iterator[int]:
    """The site itself, at the address it was told."""
    settings.HOST = "127.0.0.1"
    with served(make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)) as port:
        settings.PORT, settings.SITE_URL = port, f"http://127.0.0.1:{port}"
        yield port


def findings_through(running: int, settings, rewrite: Rewrite) -> list[Finding]:
    with proxy(running, rewrite) as port:
        settings.SITE_URL = f"http://127.0.0.1:{port}"
        inside, outside = network_checks.probe()
        return [*network_checks.check_server(inside), *network_checks.check_proxy(outside)]


def set_by_proxy(headers: dict[str, str]) -> dict[str, str]:
    return headers | {"X-Forwarded-For": VISITOR, "X-Forwarded-Proto": "http"}


def added_by_proxy(headers: dict[str, str]) -> dict[str, str]:
    return headers | {"X-Forwarded-For": f"{headers['X-Forwarded-For']}, {VISITOR}"}


def of_another_host(headers: dict[str, str]) -> dict[str, str]:
    return set_by_proxy(headers) | {"Host": "127.0.0.1:1"}


def dropped(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not name.startswith("X-")}


@pytest.mark.parametrize(
    ("rewrite", "trusted", "grades", "words"),
    [
        (set_by_proxy, True, [WELL, WELL, WELL], f"came from {VISITOR}"),
        (added_by_proxy, True, [WELL, WELL, WELL], f"came from {VISITOR}"),
        (set_by_proxy, False, [WELL, BROKEN, WELL], "TRUSTED_PROXIES=127.0.0.1"),
        (dropped, True, [WELL, BROKEN, WELL], "does not forward visitors' addresses"),
        (dict, True, [WELL, BROKEN, WELL], "passes on the address that visitors claim"),
        (of_another_host, True, [WELL, WELL, LOOK], "The site sees http://127.0.0.1:1, but SITE_URL says"),
    ],
)
def test_a_proxy_is_judged_by_what_arrives(running, settings, rewrite, trusted, grades, words):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1/32")] if trusted else []
    found = findings_through(running, settings, rewrite)
    assert [each.grade for each in found] == grades
    assert words in " ".join(f"{each.sentence} {each.todo}" for each in found)


def test_a_site_without_a_proxy_is_well(running, settings):
    settings.TRUSTED_PROXIES = []
    _inside, outside = network_checks.probe()
    assert {each.grade for each in network_checks.check_proxy(outside)} == {WELL}


def test_somebody_else_at_the_address_is_not_us(running, settings):
    found = findings_through(running, settings, set_by_proxy)
    assert found[0].grade == WELL
    answer = network_checks.fetch(f"http://127.0.0.1:{running}/healthz")
    for judge in (network_checks.check_server, network_checks.check_proxy):
        (finding,) = judge(answer)
        assert (finding.grade, "another program answers" in finding.sentence.lower()) == (BROKEN, True)


def free_port() -> socket.socket:
    """Nobody listens there, and nobody else can as long as it is held."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def test_nobody_there_is_broken_inside_and_to_be_looked_at_outside(site, settings):
    with free_port() as held:
        settings.HOST, settings.PORT = held.getsockname()
        settings.SITE_URL = f"http://127.0.0.1:{settings.PORT}"
        replies = network_checks.probe()
    (inside,), (outside,) = network_checks.check_server(replies[0]), network_checks.check_proxy(replies[1])
    assert (inside.grade, outside.grade) == (BROKEN, LOOK)
    assert "Connection refused" in inside.sentence


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Reply(trouble="self-signed certificate", is_forgery=True), "is not valid: self-signed certificate"),
        (Reply(301, place="https://elsewhere.example.org/"), "redirects to https://elsewhere.example.org/"),
        (Reply(404), "Another program answers at http://127.0.0.1:8000, with status 404"),
        (Reply(200), "Another program answers at http://127.0.0.1:8000, with status 200"),
    ],
)
def test_what_else_a_proxy_can_answer(answer, words):
    (finding,) = network_checks.check_proxy(answer)
    assert finding.grade == BROKEN
    assert words in finding.sentence


def test_https_has_to_arrive_as_such(settings):
    settings.SITE_URL = "https://vote.example.org/below"
    seen = RequestSnapshot("vote.example.org", "http", "127.0.0.1", True, VISITOR, VISITOR)
    assert network_checks.check_origin(seen).grade == BROKEN
    assert "X-Forwarded-Proto" in network_checks.check_origin(seen).todo
    arrived = RequestSnapshot("vote.example.org", "https", "127.0.0.1", True, VISITOR, VISITOR)
    assert network_checks.check_origin(arrived).grade == WELL
    unnamed = RequestSnapshot("vote.example.org", "https", "10.0.0.1", False, "", "10.0.0.1")
    assert "TRUSTED_PROXIES=10.0.0.1" in network_checks.check_address(unnamed).todo, "HTTPS ends before it reaches us"


# --- settings, disks, the clock, programs ---


def test_a_site_in_production_without_a_proxy_is_to_be_looked_at(settings):
    assert site_checks.check_settings().grade == WELL
    settings.PRODUCTION, settings.TRUSTED_PROXIES = True, []
    assert site_checks.check_settings().grade == LOOK


def test_settings_of_earlier_versions_are_named(settings):
    settings.IGNORED_SETTINGS = ["LIVE_IDLE", "POLLS_A_DAY"]
    found = site_checks.check_settings()
    assert (found.grade, "LIVE_IDLE, POLLS_A_DAY" in found.sentence) == (LOOK, True)


def test_room_on_the_disk(site, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(system, "LOW_MB", 1)
    assert [each.grade for each in site_checks.check_disks()] == [WELL]
    monkeypatch.setattr(system, "LOW_MB", 10**9)
    assert [each.grade for each in site_checks.check_disks()] == [LOOK]


def test_a_folder_that_is_none_is_broken(site, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert site_checks.check_writing().grade == WELL
    assert list(tmp_path.glob("tmp*")) == [], "nothing is left behind"
    (tmp_path / "file").write_text("")
    settings.DATA_DIR = tmp_path / "file"
    finding = site_checks.check_writing()
    assert (finding.grade, "Not a directory" in finding.sentence) == (BROKEN, True)


@pytest.mark.parametrize(
    ("number", "todo"), [(errno.ENOSPC, "Free some space"), (errno.EROFS, "Mount its disk"), (errno.EACCES, "chown -R")]
)
def test_what_to_do_about_a_folder_that_cannot_be_written_depends_on_why(settings, monkeypatch, number, todo):
    def refuse(**_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(site_checks.tempfile, "TemporaryFile", refuse)
    finding = site_checks.check_writing()
    assert (finding.grade, todo in finding.todo) == (BROKEN, True)


def test_files_of_another_user_are_found_though_the_folder_can_be_written(site, settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.STORE_URL = tmp_path, f"sqlite://{tmp_path}/plenum.sqlite3"
    for name in ("plenum.sqlite3", "plenum.sqlite3-wal", "somebody's"):
        (tmp_path / name).write_text("")
    assert system.unusable() == []
    foreign = {tmp_path / "plenum.sqlite3-wal", tmp_path / "somebody's"}
    monkeypatch.setattr(system.os, "access", lambda path, mode: path not in foreign)
    assert system.unusable() == [tmp_path / "plenum.sqlite3-wal"], "what is not the site's is not asked"
    assert "plenum.sqlite3-wal." in system.write_problem(), "as /readyz says it"


def test_the_clock():
    second = timedelta(seconds=1)
    assert site_checks.check_clock(NOW, NOW - second, True).grade == WELL
    assert site_checks.check_clock(NOW, None, None).grade == WELL, "who does not say is not blamed"
    assert site_checks.check_clock(NOW, NOW, False).grade == LOOK
    back = site_checks.check_clock(NOW, NOW + 90 * second, True)
    assert (back.grade, "2026-11-15 12:01:30 UTC" in back.sentence) == (BROKEN, True)


def test_what_the_log_knows_of_the_time_is_looked_up_without_reading_it(site):
    EventLog(site, lambda: NOW).record(Event("ada", "ThingMade"))
    found = doctor.health.read_health(site)
    assert site_checks.newest_moment(found, None) == NOW
    hour = timedelta(hours=1)
    for moment in (NOW + hour, NOW):  # the clock was wrong for a while, and is right again
        EventLog(site, lambda moment=moment: moment).record(Event("ada", "ThingMade"))
    Sealer(site, clock=lambda: NOW + hour).seal()
    figures.update(site)
    EventLog(site, lambda: NOW + timedelta(seconds=1)).record(Event("ada", "ThingMade"))
    found = doctor.health.read_health(site)
    assert site_checks.newest_moment(found, None) == NOW + hour
    assert site_checks.newest_moment(found, {"when_sealed": "2026-11-16T00:00:00.000Z"}) == NOW + timedelta(hours=12)


def test_the_kernel_is_asked_of_the_clock_and_nothing_is_set():
    assert site_checks.is_clock_synchronised() in (True, False, None)


def test_other_versions_than_those_pinned_are_named(settings, tmp_path):
    assert site_checks.check_versions().grade == WELL
    (tmp_path / "requirements.txt").write_text("django==0.1 \\\n    --hash=sha256:00\nno-such-thing==2\n")
    settings.BASE_DIR = tmp_path
    finding = site_checks.check_versions()
    assert finding.grade == LOOK
    assert re.search(r"txt: django \d[\d.]+\.", finding.sentence)


# --- the store, the worker, backups ---


def test_every_kind_of_write_is_tried_and_none_happens(site):
    before = list(site.everything())
    assert site_checks.check_rights(site).grade == WELL
    assert list(site.everything()) == before


def test_a_slow_store_is_to_be_looked_at(site):
    assert health.read_health(site).seconds > 0
    assert (site_checks.check_store(0.01).grade, site_checks.check_store(1).grade) == (WELL, LOOK)


def test_background_work_that_was_set_aside_is_broken(site):
    assert site_checks.check_background_work().grade == WELL
    task_type = background.TaskType("test", "Counting")
    reason = "The store is away."
    site.write(task_type.begin("Board"), task_type.begin("Council"))
    site.write(Update(task_type.key("Council"), set={"attempts": 1, "reason": reason}))
    assert site_checks.check_background_work().grade == WELL, "it is being tried again"
    aside = {"GSI1PK": keys.TASKS_SET_ASIDE.pk, "attempts": background.MAX_ATTEMPTS, "reason": reason}
    site.write(Update(task_type.key("Board"), set=aside))
    finding = site_checks.check_background_work()
    assert (finding.grade, "1, such as" in finding.sentence, reason in finding.sentence) == (BROKEN, True, True)


def test_a_format_is_told_and_one_of_a_later_version_is_broken():
    known, newer, unsaid = (site_checks.check_format(number) for number in (FORMAT, FORMAT + 1, None))
    assert [each.grade for each in (known, newer, unsaid)] == [WELL, BROKEN, LOOK]
    assert "a later version has written it" in newer.sentence


def test_a_store_that_is_not_there_is_broken(settings, tmp_path):
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere.sqlite3"
    first, *rest = doctor._examine_store(NOW)
    assert (first.about, first.grade) == ("Store", BROKEN)
    assert [each.about for each in rest] == ["Clock"]
    assert site_checks.check_rights(connect(settings.STORE_URL)).grade == BROKEN


@pytest.fixture
def on_dynamodb(settings):
    settings.STORE_URL = f"dynamodb://{engines.REGION}?prefix={uuid.uuid4().hex}-"
    with engines.moto():
        connect(settings.STORE_URL).create()
        yield connect(settings.STORE_URL)
        connect(settings.STORE_URL).close()


@pytest.mark.deep
def test_dynamodb_says_what_protects_its_tables(on_dynamodb):
    assert site_checks.check_rights(on_dynamodb).grade == WELL
    assert [each.grade for each in site_checks.check_protection(on_dynamodb)] == [WELL]
    name = on_dynamodb.prefix + "vote_data"
    off = {"PointInTimeRecoveryEnabled": False}
    on_dynamodb._connection.client().update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=off)
    (finding,) = site_checks.check_protection(on_dynamodb)
    assert (finding.grade, finding.sentence) == (LOOK, f"{name}: point-in-time recovery is off.")


def test_the_worker():
    pause = Pause("olga", "2026-11-15T12:00:00.000Z", 30, "")
    assert site_checks.check_worker(3, None).grade == WELL
    assert site_checks.check_worker(3, pause).grade == LOOK
    assert site_checks.check_worker(heartbeats.MISSED_SECONDS + 1, None).grade == LOOK
    assert site_checks.check_worker(None, None).grade == BROKEN


def test_backups():
    assert site_checks.check_backup(None, NOW).sentence == "There has been no backup yet."
    assert site_checks.check_backup({"ended_at": "2026-11-15T03:00:00.000Z"}, NOW).grade == WELL
    old = site_checks.check_backup({"ended_at": "2026-11-10T03:00:00.000Z"}, NOW)
    assert (old.grade, old.sentence) == (LOOK, "The last one is 5 days old.")


# --- mail ---


@contextmanager
def mail_server(settings, *, greeting="220 ready", signing_in="235 welcome") -> Iterator[MailServer]:
    """A mail server that says this, and is the site's."""
    with MailServer(greeting=greeting, ehlo="250-here\r\n250 AUTH PLAIN LOGIN", auth=signing_in) as server:
        settings.EMAIL_BACKEND = "foundation.mail.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "plenum", "secret"
        settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL, settings.EMAIL_TIMEOUT = False, False, 20
        yield server


def test_a_mail_server_that_takes_us_is_well_and_gets_no_mail(settings):
    with mail_server(settings) as server:
        (finding,) = network_checks.check_mail_server("")
    assert finding.grade == WELL
    assert server.heard == ["ehlo", "auth", "quit"]


def test_a_mail_is_sent_where_one_is_asked_for(settings):
    with mail_server(settings) as server:
        taken, sent = network_checks.check_mail_server("olga@example.org")
    assert (taken.grade, sent.grade) == (WELL, WELL)
    assert server.receivers == ["olga@example.org"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"signing_in": "535 5.7.8 who are you"}, "rejected our user name and password: 535 5.7.8 who are you"),
        ({"greeting": "554 go away"}, "failed: 554 go away"),
    ],
)
def test_what_the_mail_server_says_is_passed_on(settings, said, words):
    with mail_server(settings, **said):
        (finding,) = network_checks.check_mail_server("")
    assert finding.grade == BROKEN
    assert words in finding.sentence
    assert "secret" not in finding.sentence


def test_a_mail_server_that_is_not_there_is_broken(settings):
    with free_port() as held, mail_server(settings):
        settings.EMAIL_HOST, settings.EMAIL_PORT = held.getsockname()
        (finding,) = network_checks.check_mail_server("")
    assert "Connection refused" in finding.sentence


def test_a_certificate_that_proves_nothing_is_said():
    sentence, todo = network_checks._explain(
        ssl.SSLCertVerificationError(1, "certificate verify failed"), {"server": "mail:465"}
    )
    assert sentence == "The certificate of mail:465 is not valid: certificate verify failed"
    assert "certificate" in todo


def test_a_password_in_the_open_is_to_be_looked_at(settings):
    with mail_server(settings):
        settings.EMAIL_HOST = "localhost.localdomain"  # whether or not it is known: it is not ours by its name
        assert "the mail password" in list(network_checks.check_mail_server(""))[-1].sentence
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        found = list(network_checks.check_mail_server(""))[-1]
        assert (found.grade, found.sentence) == (
            LOOK,
            "Mails, and the links in them, are sent to another machine unencrypted.",
        )
        settings.EMAIL_HOST = "localhost"
        assert len(list(network_checks.check_mail_server(""))) == 1, "Nobody is in between."


def test_mails_as_files_are_to_be_looked_at(settings, tmp_path):
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "foundation.mail.files.EmailBackend", str(tmp_path)
    (finding,) = network_checks.check_mail_server("olga@example.org")
    assert (finding.grade, str(tmp_path) in finding.sentence) == (LOOK, True)


def test_mails_that_failed_or_of_unknown_fate_are_to_be_looked_at(site):
    assert network_checks.check_outbox(*undelivered(site)).grade == WELL
    queued = outbox.queued("already_registered", "eve@example.org", name="x")
    site.write(queued)
    site.write(Update(queued.key, set={"state": outbox.FAILED, "GSI1PK": keys.mails(outbox.FAILED).pk}))
    assert "could not be sent: 1." in network_checks.check_outbox(*undelivered(site)).sentence
    site.write(Update(queued.key, set={"state": outbox.UNKNOWN, "GSI1PK": keys.mails(outbox.UNKNOWN).pk}))
    finding = network_checks.check_outbox(*undelivered(site))
    assert (finding.grade, "perhaps sent: 1." in finding.sentence) == (LOOK, True)


def undelivered(site) -> list[health.BoundedCount]:
    return [*health.count_mails(site, outbox.FAILED, outbox.UNKNOWN).values()]


def test_the_mailbox_of_bounces_is_tried(site, settings, tmp_path):
    state = bounces.mailbox_state(None)
    assert list(network_checks.check_mailbox(state)) == [], "nobody wants it read"
    settings.BOUNCES_URL = f"maildir://{tmp_path}"
    assert [each.grade for each in network_checks.check_mailbox(state)] == [BROKEN]
    for name in ("new", "cur"):
        (tmp_path / name).mkdir()
    assert [each.grade for each in network_checks.check_mailbox(state)] == [WELL]
    refused = bounces.mailbox_state({"trouble": "Read-only file system", "since": "2026-11-15T12:00:00.000Z"})
    (finding,) = network_checks.check_mailbox(refused)
    assert (finding.grade, "Read-only file system" in finding.sentence) == (BROKEN, True), "as the worker has met it"
    aside = bounces.mailbox_state({"unreadable": [{"mail": "17", "reason": "RecursionError"}]})
    (finding,) = network_checks.check_mailbox(aside)
    assert (finding.grade, "17 (RecursionError)" in finding.sentence) == (LOOK, True)


def test_a_mailbox_that_nobody_answers_at_is_broken(site, settings):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        settings.BOUNCES_URL = f"imap://a:b@127.0.0.1:{gone.getsockname()[1]}/"
    (finding,) = network_checks.check_mailbox(bounces.mailbox_state(None))
    assert (finding.grade, "Connection refused" in finding.sentence) == (BROKEN, True)


# --- all of it ---


def test_the_command_says_each_thing_in_a_line_and_ends_with_what_is_broken(running, settings, tmp_path):
    settings.DATA_DIR, settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = (
        tmp_path,
        "foundation.mail.files.EmailBackend",
        "/x",
    )
    said = StringIO()
    with pytest.raises(CommandError, match=r"Broken: 1\. Needs attention: [2-9]\."):
        call_command("doctor", stdout=said)
    lines = said.getvalue().splitlines()
    found = {re.split(r"  +|: ", line)[1] for line in lines if not line.startswith(" ")}
    assert found == {
        *(
            "Settings",
            "Server",
            "Visitors' addresses",
            "Host and scheme",
            "Store",
            "Rights",
            "Worker",
            "Backup",
            "Background work",
        ),
        *("Secret key", "Format", "Outbox", "Clock", "Disk", "Writing", "Mail", "Versions"),
    }
    assert [line for line in lines if line.startswith("Broken")] == [
        "Broken           Worker: None has been running for ten minutes. Mails, closing and counting wait."
    ]
    assert all(line.startswith(("OK", "Needs attention", "Broken", "   ")) for line in lines)


def test_what_is_well_ends_well(running, settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = (
        tmp_path,
        "foundation.mail.files.EmailBackend",
        "/x",
    )
    with heartbeats.HeartbeatSender(connect(settings.STORE_URL), {}).sending():
        monkeypatch.setattr(doctor.health, "last_seen", lambda found: 1.0)
        call_command("doctor", stdout=StringIO())


def test_the_system_page_says_it_with_the_worst_first(site, signed_in):
    place = keys.LAST_BACKUP
    site.write(Put({"PK": place.pk, "SK": place.sk, "ended_at": "2020-01-01T00:00:00.000Z"}))
    text = signed_in("Olga", Role.OWNER).get("/admin/system/").content.decode()
    section = text.partition('<h2 id="doctor">')[2].partition("</section>")[0]
    grades = re.findall(r'<span class="badge( \w+)?">([^<]+)</span>', section)
    order = [["Broken", "Needs attention", "OK"].index(label) for _, label in grades]
    assert order == sorted(order)
    assert order[0] == 0, "no worker is there"
    assert re.search(r"The last one is \d+ days old\.", section)
    for about in ("Settings", "Store", "Disk", "Worker", "Clock", "Backup", "Outbox", "Versions", "Host and scheme"):
        assert f'<th scope="row">{about}</th>' in section
    assert text.index('id="doctor"') < text.index('id="store"')
