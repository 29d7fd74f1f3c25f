"""The pages for those who look after the site, and the figures behind them."""

from __future__ import annotations

import re
import time
import uuid
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import pytest
from django.urls import reverse

from accounts import services
from accounts.models import User
from accounts.rules import Role
from accounts.sessions import SessionStore
from config import proxies
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts import background
from foundation.acts.background import TaskType
from foundation.acts.queues import ExplainedError
from foundation.acts.storage import now_text, table
from foundation.mail import outbox as mail
from foundation.ranking.candidates import Candidate
from foundation.store import keys, round_trips
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog
from foundation.store.table import DATA, LOG, Put, Table, Unavailable, Update
from operations.audit import views as admin_views
from operations.upkeep import figures, metrics, system
from operations.upkeep.doctor import health
from operations.upkeep.figures import site_sealer
from operations.upkeep.jobs import Leases
from tests.rows import every_row
from tests.store import engines
from tests.voting import cast


def trips_of(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


def figures_now(table: Table) -> dict:
    site_sealer().seal()
    return table.get(keys.FIGURES) or {}


def opened(ada, name: str):
    election = drafts.create(ada, name)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["eve@example.org"])
    return lifecycle.open_(ada, elections.find(name), editable=False)


# --- who sees them ---


def test_the_navigation_leads_there_only_who_may_go(site, signed_in):
    assert 'href="/admin/"' not in signed_in("Una", Role.USER).get("/").content.decode()
    for name, role, tabs in (("Adam", Role.ADMIN, 2), ("Aud", Role.AUDITOR, 4)):
        reader = signed_in(name, role)
        assert 'href="/admin/"' in reader.get("/").content.decode()
        shown = reader.get("/admin/").content.decode()
        assert [f'href="/admin/{tab}"' in shown for tab in ("system/", "log/", "tables/")] == [True] + [tabs > 2] * 2


def test_who_waits_for_approval_is_a_button(site, person, signed_in):
    adam = signed_in("Adam", Role.ADMIN)
    assert "?role=NO_ACCESS" not in adam.get("/admin/").content.decode()
    person("Nora", Role.NO_ACCESS)
    figures_now(site)
    assert 'href="/people/?role=NO_ACCESS">Approve 1 person<' in adam.get("/admin/").content.decode()


# --- figures ---


def test_people_are_counted_by_role(site, person):
    olga, adam, eve = person("Olga", Role.OWNER), person("Adam", Role.ADMIN), person("Eve", Role.VOTER)
    person("Una", Role.USER)
    services.change_role(olga, eve, Role.USER)
    counted = figures.by_role(figures_now(site))
    assert {role: count for role, count in counted.items() if count} == {Role.OWNER: 1, Role.ADMIN: 1, Role.USER: 2}
    services.change_role(olga, adam, Role.OWNER)
    counted = figures.by_role(figures_now(site))
    assert {role: count for role, count in counted.items() if count} == {Role.OWNER: 1, Role.AUDITOR: 1, Role.USER: 2}


def test_who_leaves_and_what_is_deleted_is_counted_no_more(site, person):
    olga, ada, eve = person("Olga", Role.OWNER), person("Ada"), person("Eve", Role.VOTER)
    services.remove(olga, eve)
    opened(ada, "Board")
    closing.close(ada, elections.find("Board"))
    lifecycle.delete(ada, elections.find("Board"))
    drafts.create(ada, "Draft")
    counted = figures_now(site)
    assert {role for role, count in figures.by_role(counted).items() if count} == {Role.OWNER, Role.USER}
    assert figures.by_state(counted) == {State.DRAFT: 1, State.OPEN: 0, State.CLOSED: 0}


@every_row(
    ("event_type", "said", "changed"),
    [
        ("UserRemoved", {"name": "Eve", "role": "VOTER"}, {"role_VOTER": -1}),
        ("UserRemoved", {"name": "Eve"}, {"role_USER": -1}),
        ("OwnershipTransferred", {"old_role": "USER"}, {"role_USER": -1, "role_AUDITOR": 1}),
        ("OwnershipTransferred", {"old_role": "AUDITOR"}, {}),
        ("ElectionDeleted", {"state": "closed"}, {"state_closed": -1}),
        ("ElectionDeleted", {"state": "editable"}, {"state_open": -1}),
        ("ElectionDeleted", {}, {"state_draft": -1}),
        ("SomethingElse", {}, {}),
    ],
)
def test_what_an_event_changes(event_type, said, changed):
    assert figures.changes({"event_type": event_type, "event_data": said}) == changed


def test_elections_are_counted_by_state(site, person):
    ada = person("Ada")
    drafts.create(ada, "Draft")
    opened(ada, "Open")
    opened(ada, "Closed")
    closing.close(ada, elections.find("Closed"))
    counted = figures.by_state(figures_now(site))
    assert counted == {State.DRAFT: 1, State.OPEN: 1, State.CLOSED: 1}


CAST = {"election_name": "Board", "changed": False}


def planted(table: Table, days: int, a_day: int) -> None:
    """Ballots of many days, as if the site were old."""
    for number in range(days):
        moment = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number)
        for _ in range(a_day):
            EventLog(table, lambda moment=moment: moment).record(Event("eve", "BallotCast", CAST))


def test_a_long_log_is_counted_in_batches_and_each_event_once(site, monkeypatch):
    monkeypatch.setattr(figures, "BATCH_EVENTS", 7)
    monkeypatch.setattr(figures, "TRANSACTION_PARTS", 3)
    planted(site, days=12, a_day=2)
    site_sealer().seal()
    assert site.get(keys.FIGURES)["last_event_id"] == 24
    assert figures.update(site) == 0


def test_of_two_that_count_the_same_events_one_does(site):
    planted(site, days=1, a_day=3)
    site_sealer().seal()
    events = list(EventLog(site).since(0))
    figures._store(site, 0, {"last_event_id": 3}, events)
    assert site.get(keys.FIGURES)["last_event_id"] == 3


def test_void_numbers_at_the_end_are_passed_over(site):
    log = EventLog(site)
    log.record(Event("eve", "BallotCast", CAST))
    log.void(site.increment(keys.EVENT_NUMBER, "last"))
    log.record(Event("eve", "BallotCast", CAST))
    site_sealer().seal()
    assert site.get(keys.FIGURES)["last_event_id"] == 3


# --- the overview ---


def test_the_overview_shows_them(site, person, signed_in):
    client = signed_in("Olga", Role.OWNER)
    ada, eve = person("Ada"), person("Eve", Role.VOTER)
    opened(ada, "Board")
    cast(eve, "Board", {"0": ["1"]}, form="a" * 32)
    assert "has yet to count" in client.get("/admin/").content.decode()
    site_sealer().seal()
    text = client.get("/admin/").content.decode()
    assert "has yet to count" not in text
    assert re.search(r"Owner</th>.*?<td class=\"number\">1</td>", text)
    assert re.search(r"Open</th>.*?<td class=\"number\">1</td>", text)
    assert "Embedded file (SQLite)" in text


def test_the_overview_costs_the_same_however_much_there_is(site, person, signed_in):
    client = signed_in("Olga", Role.OWNER)
    few = trips_of(client.get("/admin/"))
    planted(site, days=40, a_day=1)
    for number in range(30):
        site.write(mail.queued("already_registered", f"{number}@example.org", name="x"))
    site_sealer().seal()
    assert trips_of(client.get("/admin/")) == few == 9, "who is it; items; oldest unsealed; six states of mail"


def test_a_long_outbox_is_counted_up_to_a_bound_that_is_said(site, signed_in, monkeypatch):
    monkeypatch.setattr(health, "MAX_COUNTED_MAILS", 3)
    for number in range(4):
        site.write(mail.queued("already_registered", f"{number}@example.org", name="x"))
    assert str(health.count_mails(site, mail.QUEUED)[mail.QUEUED]) == "3+"
    assert "counted up to 3 each" in signed_in("Olga", Role.OWNER).get("/admin/").content.decode()


def test_numbers_in_pictures_have_points_in_every_language(site, person, signed_in):
    """A comma would break the picture."""
    client = signed_in("Olga", Role.OWNER)
    for name in ("Ada", "Bo", "Cy"):
        person(name)
    site_sealer().seal()
    text = client.get("/admin/", headers={"Accept-Language": "de"}).content.decode()
    assert 'lang="de"' in text
    widths = re.findall(r'<rect width="([^"]+)" height="10"/>', text)
    assert "33.3" in widths
    assert all(re.fullmatch(r"[\d.]+", width) for width in widths)


# --- the system page ---


@pytest.mark.needs("webhooks")
def test_the_system_page_tells_how_things_stand(site, person, signed_in):
    client = signed_in("Olga", Role.OWNER)
    site_sealer().seal()
    person("Ada")
    with Leases(site).held("mail"):
        text = client.get("/admin/system/").content.decode()
    for words in ("Embedded file (SQLite)", "plenum.sqlite3", "Sealed up to", "1 number, ", "get_many", "Django"):
        assert words in text
    assert "not counted: the embedded store" in text.lower()
    mail_row = re.search(r"<tr><th[^>]*>mail</th>(.*?)</tr>", text)[1]
    assert re.search(r"<td class=\"number\">\d+ s</td>$", mail_row), "somebody is at it"
    assert trips_of(client.get("/admin/system/")) == 14, (
        "who is it; items; oldest unsealed; workers; checkpoint; mark of the key; four of mail; failing tasks, per lane"
    )


@pytest.fixture
def on_dynamodb(settings, monkeypatch):
    """A site on DynamoDB, which is played inside this process; costs are metered from here on."""
    settings.STORE_URL = f"dynamodb://{engines.REGION}?prefix={uuid.uuid4().hex}-"
    monkeypatch.setattr(round_trips, "_meters", [metrics.observe_cost])
    with engines.moto():
        connect(settings.STORE_URL).create()
        yield connect(settings.STORE_URL)
        connect(settings.STORE_URL).close()


def owner_sees_the_system(rf) -> str:
    request = rf.get("/admin/system/")
    request.user, request.session = User(name="Olga", role_name=Role.OWNER.name), SessionStore()
    return admin_views.system_page(request).content.decode()


@pytest.mark.deep
def test_the_system_page_tells_what_dynamodb_says_of_its_tables_and_charges(on_dynamodb, rf, settings, monkeypatch):
    before = metrics.capacity()
    on_dynamodb.write(Put({"PK": "a", "SK": "1"}))
    on_dynamodb.get(keys.PAUSE)
    spent = {kind: units - before.get(kind, 0) for kind, units in metrics.capacity().items()}
    assert spent["write"] == 1
    assert spent["read"] > 0
    round_trips.retried("conflict")
    text = owner_sees_the_system(rf)
    for name in (DATA, LOG):
        assert re.search(rf"<code>{on_dynamodb.prefix}{name}</code> ACTIVE", text)
    assert re.search(r"[\d.,]+ units read, [\d.,]+ units written<", text)
    assert re.search(r"<code>conflict</code> \d+", text)
    assert ", measured a few hours ago" in text
    assert b'plenum_store_capacity_units_total{kind="write"}' in metrics.as_text()
    assert b'plenum_store_retries_total{reason="conflict"}' in metrics.as_text()


@pytest.mark.deep
def test_tables_are_described_once_a_minute(on_dynamodb, monkeypatch):
    asked = []
    monkeypatch.setattr(round_trips, "_listeners", [lambda operation, *_: asked.append(operation)])
    now = time.monotonic()
    monkeypatch.setattr(system.time, "monotonic", lambda: now)
    assert system.tables() == system.tables()
    assert asked == ["describe"] * 2, "one for each table"
    now += 60
    assert len(system.tables()) == 2
    assert len(asked) == 4


@pytest.mark.deep
def test_what_dynamodb_does_not_tell_is_not_known(on_dynamodb, rf, monkeypatch):
    def refused(self):
        raise Unavailable("AWS does not allow us to use the table.")

    monkeypatch.setattr(type(on_dynamodb), "states", refused)
    text = owner_sees_the_system(rf)
    assert re.findall(r"<dt>(\w+)</dt><dd>not known</dd>", text) == ["Tables", "Size"]
    assert system.store_size() is None


def test_no_secret_is_on_the_system_page(site, signed_in, settings):
    settings.METRICS_TOKEN = "token-not-to-be-shown"
    settings.EMAIL_HOST_PASSWORD = "password-not-to-be-shown"
    settings.EMAIL_HOST_USER = "user-not-to-be-shown"
    text = signed_in("Olga", Role.OWNER).get("/admin/system/").content.decode()
    assert "not-to-be-shown" not in text
    assert settings.SECRET_KEY not in text


def test_a_setting_that_is_not_named_is_not_shown(settings):
    settings.SOMETHING_NEW = "a secret"
    assert "SOMETHING_NEW" not in system.settings_in_force()
    assert not [
        name
        for name in system.SHOWN_SETTINGS
        if re.search("SECRET|TOKEN|PASSWORD$|KEY|URL$", name) and name != "SITE_URL"
    ]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///data/plenum.sqlite3", "sqlite:///data/plenum.sqlite3"),
        ("dynamodb://eu-central-1?prefix=plenum-", "dynamodb://eu-central-1?prefix=plenum-"),
        (
            "dynamodb://user:secret@eu-central-1?prefix=p-&endpoint=http://key:secret@127.0.0.1:8001/secret&token=secret",
            "dynamodb://eu-central-1?prefix=p-&endpoint=http://127.0.0.1:8001",
        ),
    ],
)
def test_the_address_of_the_store_is_shown_without_secrets(settings, url, shown):
    settings.STORE_URL = url
    assert system.store_address() == shown


def test_percentiles_are_of_the_newest_round_trips(monkeypatch):
    monkeypatch.setattr(metrics, "_newest", {})
    for number in range(metrics.MAX_ROUND_TRIPS + 500):
        metrics.observe_trip("test", "ok", number / 1000)
    (latency,) = metrics.latencies()
    assert latency.count == metrics.MAX_ROUND_TRIPS
    assert (latency.half, latency.most, latency.nearly_all) == (0.999, 1.449, 1.489)
    assert latency.longest == 1.499


# --- for a monitor ---


def test_metrics_tell_of_log_outbox_pause_and_jobs(client, site, person):
    person("Ada")
    site.write(mail.queued("already_registered", "eve@example.org", name="x"))
    metrics.observe_job("log", "done", True)
    text = client.get("/metrics").content.decode()
    for line in (
        "plenum_store_up 1.0",
        "plenum_paused 0.0",
        'plenum_outbox_mails{state="queued"} 1.0',
        'plenum_outbox_mails{state="failed"} 0.0',
        'plenum_outbox_mails{state="unknown"} 0.0',
        'plenum_mail_server_failures{lane="urgent"} 0.0',
        'plenum_worker_age_seconds{name="log"} ',
    ):
        assert line in text
    site_sealer().seal()
    text = client.get("/metrics").content.decode()
    assert "plenum_log_lag_seconds 0.0" in text
    for name in ("# TYPE plenum_request_seconds histogram", "# TYPE plenum_store_trip_seconds histogram"):
        assert text.count(name) == 1


def test_metrics_say_how_long_the_oldest_event_has_waited(site):
    long_ago = datetime.now(UTC) - timedelta(seconds=90)
    EventLog(site, lambda: long_ago).record(Event("ada", "ThingMade"))
    EventLog(site).record(Event("ada", "ThingMade"))
    assert 90 <= health.read_health(site).lag(datetime.now(UTC)) < 200


def test_metrics_answer_when_the_store_does_not(client, settings, tmp_path):
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere.sqlite3"
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert b"plenum_store_up 0.0" in answer.content


def test_metrics_cost_the_same_however_much_there_is(client, site):
    with round_trips.count_round_trips() as few:
        list(health.as_metrics(site))
    planted(site, days=3, a_day=20)
    with round_trips.count_round_trips() as many:
        list(health.as_metrics(site))
    assert few.count == many.count == 8


def test_the_navigation_says_where_one_is_and_nothing_on_a_page_that_is_not_there(site, signed_in):
    owner = signed_in("Olga", Role.OWNER)
    here = 'href="/admin/" aria-current="page">Admin'
    assert here in owner.get("/admin/log/").content.decode()
    assert here not in owner.get("/nowhere").content.decode()


# --- proxies that nobody told the site of ---


@pytest.fixture
def watch():
    proxies.watch.forget()
    yield proxies.watch
    proxies.watch.forget()


@pytest.mark.parametrize(
    ("peer", "header", "noticed"),
    [
        ("127.0.0.1", "HTTP_X_FORWARDED_FOR", True),
        ("10.0.0.9", "HTTP_X_FORWARDED_FOR", True),
        ("::ffff:10.0.0.9", "HTTP_X_FORWARDED_PROTO", True),
        ("fd00::9", "HTTP_X_FORWARDED_FOR", True),
        ("10.1.0.1", "HTTP_X_FORWARDED_FOR", False),  # the one that is known
        ("203.0.114.7", "HTTP_X_FORWARDED_FOR", False),  # somebody out there, who may make up what they like
        ("10.0.0.9", "HTTP_ACCEPT", False),
        ("", "HTTP_X_FORWARDED_FOR", False),
    ],
)
def test_a_proxy_nobody_told_of_is_noticed(rf, watch, settings, peer, header, noticed):
    settings.TRUSTED_PROXIES = [ip_network("10.1.0.1")]
    watch.notice(rf.get("/", REMOTE_ADDR=peer, **{header: "198.51.100.1"}))
    assert bool(watch.recent_addresses()) == noticed


def test_it_is_said_once_in_the_log_and_without_an_address(rf, watch, caplog):
    for peer in ("10.0.0.9", "10.0.0.9", "10.0.0.8"):
        watch.notice(rf.get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR="198.51.100.1"))
    (line,) = (record.getMessage() for record in caplog.records if record.name == "plenum.proxies")
    assert "TRUSTED_PROXIES" in line
    assert "10.0." not in line


def test_no_more_are_remembered_than_a_page_can_show(rf, watch):
    for number in range(50):
        watch.notice(rf.get("/", REMOTE_ADDR=f"10.0.0.{number}", HTTP_X_FORWARDED_FOR="198.51.100.1"))
    assert len(watch.recent_addresses()) == proxies.MAX_REMEMBERED_PROXIES


@pytest.mark.parametrize("path", ["/admin/", "/admin/system/", "/admin/log/", "/admin/tables/"])
def test_it_is_said_on_every_page_about_the_site_and_to_nobody_else(site, signed_in, watch, path):
    owner = signed_in("Owner", Role.OWNER)
    assert "TRUSTED_PROXIES</code> and restart" not in owner.get(path).content.decode()
    said = owner.get(path, HTTP_X_FORWARDED_FOR="198.51.100.1", REMOTE_ADDR="10.0.0.9").content.decode()
    assert "a proxy the site does not know" in said
    assert "10.0.0.9" in said
    assert "a proxy the site does not know" not in owner.get("/").content.decode()


def test_production_that_names_no_proxy_says_so_when_it_starts(settings):
    settings.PRODUCTION, settings.TRUSTED_PROXIES = True, []
    assert "TRUSTED_PROXIES is not set" in proxies.missing_proxies()
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    assert proxies.missing_proxies() == ""
    settings.PRODUCTION, settings.TRUSTED_PROXIES = False, []
    assert proxies.missing_proxies() == ""


# --- background work that keeps failing ---


@pytest.fixture
def broken(site, monkeypatch):
    """A task that fails whenever it is tried, and was set aside."""
    broken = TaskType("break", "Breaking <b>something</b>")

    @broken.step
    def fail(task):
        raise ExplainedError("The disk is full.")

    monkeypatch.setitem(background.TYPES, broken.name, broken)
    table().write(broken.begin("<i>Board</i>", due=now_text()))
    table().write(Update(broken.key("<i>Board</i>"), set={"attempts": background.MAX_ATTEMPTS - 1}))
    background.resume_due()
    assert broken.find("<i>Board</i>").is_set_aside
    return broken


def test_what_was_set_aside_is_shown_with_its_reason_and_can_be_retried(broken, person, signed_in):
    page = signed_in(person("Boss", Role.OWNER))
    shown = page.get(reverse("system")).content.decode()
    assert "It failed repeatedly and was set aside. Last error: The disk is full." in shown
    assert "&lt;i&gt;Board&lt;/i&gt;" in shown
    assert "<i>Board" not in shown
    answer = page.post(reverse("retry_task"), {"type": broken.name, "subject": "<i>Board</i>"}, follow=True)
    assert "The worker is retrying it now." in answer.content.decode()
    assert not broken.find("<i>Board</i>").is_set_aside
    background.resume_due()
    assert "It failed and will be retried" in page.get(reverse("system")).content.decode()


def test_what_is_finished_by_then_cannot_be_retried(broken, person, signed_in):
    broken.step(lambda task: background.finished())
    broken.advance("<i>Board</i>")
    page = signed_in(person("Boss", Role.OWNER))
    for posted in ({"type": broken.name, "subject": "<i>Board</i>"}, {"type": "?"}, {}):
        answer = page.post(reverse("retry_task"), posted, follow=True)
        assert "Nothing to retry" in answer.content.decode()
