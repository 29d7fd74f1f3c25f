"""The pause: nothing is changed, everything can be read, the owner gets in, and every process knows it in time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from accounts import repository as people
from accounts import services
from accounts.rules import Role
from ballots.services import cast
from config.settings import BASE_DIR
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_ended_elections
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts import pause as pausing
from foundation.acts.caches import SiteCache
from foundation.acts.pause import Paused, cache, guarded, pause, read_pause, resume
from foundation.acts.refusals import NotNow, Refusal
from foundation.mail import outbox as mail
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import EventLog
from foundation.store.table import Key, Put, Span
from operations.upkeep import jobs
from operations.upkeep.figures import site_sealer
from operations.upkeep.jobs import JOBS, LOG, URGENT_MAIL, Job, Leases, Outcome, raise_failures, run_job, run_jobs
from tests.clock import stands_at
from tests.people import PASSWORD, enrol

WRITTEN = Span("WRITTEN")


@pytest.fixture(autouse=True)
def waited(monkeypatch) -> list[str]:
    """Nobody waits for other processes here; answers when somebody would have."""
    moments = []
    monkeypatch.setattr(pausing, "wait_until_known", lambda: moments.append("waited"))
    cache.forget()
    return moments


@pytest.fixture
def owner(person):
    return person("Olga", Role.OWNER)


@pytest.fixture
def board(person):
    """An election that Eve may vote in, run by Ada."""
    ada = person("Ada")
    election = drafts.create(ada, "Board")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    enrol("Eve")
    add_voters(ada, election, ["Eve"])
    return lifecycle.open_(ada, elections.find("Board"), editable=False)


def events(table) -> list[str]:
    return [event["event_type"] for event in EventLog(table).since(0)]


def everything_but_sessions(table) -> list:
    passing = ("SESSIONS#", "THROTTLE#")
    return [item for _name, item in table.everything() if not item["PK"].startswith(passing)]


# --- pages ---

CHANGES = {
    "/register/": {"name": "New", "email": "new@example.org", "password": PASSWORD},
    "/password/forgotten/": {"name_or_email": "Ada"},
    "/me/": {"display_name": "Changed", "about": ""},
    "/elections/new/": {"name": "Another"},
    "/election/Board/close/": {},
    "/election/Board/ballot/cast/": {"rank-0": "1", "token": "a" * 32},
    "/people/Eve/role/": {"role": "USER"},
}


@pytest.mark.parametrize("path", CHANGES)
def test_what_would_change_something_is_refused_with_a_page_that_says_so(site, board, person, signed_in, path):
    eve = person("Eve", Role.VOTER)
    client = signed_in("Olga", Role.OWNER)
    if path.endswith("cast/"):
        client = signed_in(eve)
    pause("Olga", 30, "We move to a larger machine.")
    before = everything_but_sessions(site)
    answer = client.post(path, CHANGES[path])
    text = answer.content.decode()
    assert answer.status_code == 503
    assert 1500 <= int(answer["Retry-After"]) <= 1800
    assert "The site is paused" in text
    assert "what you typed is still there" in text
    assert "We move to a larger machine." in text
    assert everything_but_sessions(site) == before
    resume("Olga")
    assert client.post(path, CHANGES[path]).status_code != 503


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_ways_to_change_something_are_refused_too(site, signed_in, method):
    client = signed_in("Olga", Role.OWNER)
    pause("Olga", 30)
    assert getattr(client, method)("/me/").status_code == 503


def test_whoever_may_not_do_it_anyway_hears_that_first(site, owner, signed_in):
    client = signed_in("Eve", Role.VOTER)
    pause("Olga", 30)
    assert client.post("/elections/new/", {"name": "Mine"}).status_code == 403
    assert Client().post("/me/").status_code == 302


def test_reading_goes_on_under_a_banner_on_every_page(site, board, signed_in):
    client = signed_in("Olga", Role.OWNER)
    pages = ("/", "/elections/", "/election/Board/", "/people/", "/me/", "/admin/", "/sandbox/")
    for path in pages:
        assert "The site is paused" not in client.get(path).content.decode(), path
    pause("Olga", 30, "Back <soon>.")
    for path in pages:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "The site is paused" in answer.content.decode(), path
        assert "Back &lt;soon&gt;." in answer.content.decode(), path
    assert "The site is paused" in Client().get("/nowhere").content.decode()
    assert Client().get("/readyz").status_code == 200


def test_everybody_can_still_sign_in_and_out(site, owner, signed_in):
    pause("Olga", 30)
    client = signed_in(owner)
    assert client.get("/me/").status_code == 200
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/me/").status_code == 302
    assert client.post("/language/", {"language": "de", "next": "/"}).status_code == 302


def test_an_owner_pauses_and_resumes_on_the_page(site, signed_in):
    client = signed_in("Olga", Role.OWNER)
    assert client.get("/admin/pause/").status_code == 200
    answer = client.post("/admin/pause/", {"minutes": "15", "sentence": "  New disks.  "}, follow=True)
    assert answer.redirect_chain == [("/admin/system/", 302)]
    assert "Resume the site" in answer.content.decode()
    assert "New disks." in answer.content.decode()
    again = client.post("/admin/pause/", {"minutes": "15"})
    assert again.status_code == 422
    assert "already paused" in again.content.decode()
    answer = client.post("/admin/resume/", follow=True)
    assert "The site is running again." in answer.content.decode()
    assert "Pause the site" in answer.content.decode()
    assert "not paused" in client.post("/admin/resume/", follow=True).content.decode()
    assert events(site)[-2:] == ["SitePaused", "SiteResumed"]


@pytest.mark.parametrize("typed", [{}, {"minutes": "0"}, {"minutes": "soon"}, {"minutes": "999999"}])
def test_a_pause_without_a_sensible_time_is_refused_and_keeps_what_was_typed(site, signed_in, typed):
    client = signed_in("Olga", Role.OWNER)
    answer = client.post("/admin/pause/", {**typed, "sentence": "kept words"})
    assert answer.status_code == 422
    assert "kept words" in answer.content.decode()
    assert cache.current() is None


def test_only_the_owner_sees_the_buttons(site, person, signed_in):
    person("Olga", Role.OWNER)
    assert "Pause the site" not in signed_in("Adam", Role.ADMIN).get("/admin/system/").content.decode()


def test_an_owner_who_has_just_handed_over_pauses_nothing(site, owner, person):
    heir = person("Hal", Role.ADMIN)
    services.change_role(owner, heir, Role.OWNER)
    with pytest.raises(Refusal):
        pause("Olga", 5, "", services.role_unchanged(owner))
    assert cache.current() is None


def test_a_form_sent_by_a_script_is_answered_with_a_message_alone(site, signed_in):
    client = signed_in("Olga", Role.OWNER)
    pause("Olga", 30)
    answer = client.post("/me/", {"display_name": "x"}, headers={"HX-Request": "true"})
    text = answer.content.decode()
    assert answer.status_code == 503
    assert 'class="message warning"' in text
    assert "What you typed is still here" in text
    assert "<html" not in text


def test_a_page_that_would_change_something_by_being_looked_at_waits(site, board, person, signed_in):
    """A closed election of few ballots is sealed by who opens its result first."""
    client = signed_in(person("Eve", Role.VOTER))
    cast(people.find("Eve"), "Board", {"0": ["1"]}, form="b" * 32)
    closing.close(people.find("Ada"), elections.find("Board"))
    pause("Ada", 30)
    before = events(site)
    client.raise_request_exception = False
    answer = client.get("/election/Board/results/")
    assert answer.status_code == 503
    assert "This page is not available while the site is paused" in answer.content.decode()
    assert events(site) == before
    resume("Ada")
    assert client.get("/election/Board/results/").status_code == 200
    assert events(site)[-1] == "ResultSealed"


# --- what is recorded ---


def test_the_log_says_who_paused_it_and_how_it_was_announced(site, owner):
    pause("Olga", 5, "Soon.")
    event = list(EventLog(site).since(0))[-1]
    item = site.get(keys.PAUSE)
    assert (event["actor"], event["event_type"]) == ("Olga", "SitePaused")
    assert event["event_data"] == {"since": item["since"], "minutes": 5, "sentence": "Soon."}
    resume("Olga")
    assert site.get(keys.PAUSE) is None
    assert events(site)[-1] == "SiteResumed"


def test_twice_is_refused_and_not_recorded(site, owner):
    with pytest.raises(NotNow):
        resume("Olga")
    pause("Olga", 5)
    with pytest.raises(NotNow):
        pause("Olga", 10)
    assert events(site).count("SitePaused") == 1
    assert "SiteResumed" not in events(site)


def test_the_commands_pause_and_resume(site):
    said = StringIO()
    call_command("pause", minutes=5, sentence="From the shell.", stdout=said)
    assert cache.current().sentence == "From the shell."
    with pytest.raises(CommandError, match="already paused"):
        call_command("pause", minutes=5)
    call_command("resume", stdout=said)
    assert said.getvalue() == "The site is paused.\nThe site is running again.\n"
    with pytest.raises(CommandError, match="not paused"):
        call_command("resume")
    with pytest.raises(CommandError, match="at least a minute"):
        call_command("pause", minutes=0)


# --- other processes ---


def cached(ticking=time.monotonic) -> SiteCache:
    return SiteCache(read_pause, None, pausing.FRESH_SECONDS, ticking)


class Ticks:
    def __init__(self):
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_another_process_knows_it_within_a_second(site):
    ticks = Ticks()
    elsewhere = cached(ticks)
    assert elsewhere.current() is None
    pause("Olga", 5)
    ticks.now += pausing.FRESH_SECONDS - 0.01
    assert elsewhere.current() is None, "it relies on what it saw"
    ticks.now += 0.01
    assert elsewhere.current() is not None
    resume("Olga")
    ticks.now += pausing.FRESH_SECONDS
    assert elsewhere.current() is None


def test_pausing_is_answered_only_when_every_process_must_have_looked_again(site, waited, monkeypatch):
    pause("Olga", 5)
    assert waited == ["waited"]
    resume("Olga")
    monkeypatch.undo()
    monkeypatch.setattr(cache, "seconds", 0.2)
    start = time.monotonic()
    pausing.wait_until_known()
    assert time.monotonic() - start >= 0.2


def test_a_request_at_work_when_the_pause_came_is_stopped_at_its_next_write(site, monkeypatch):
    """Its first write may happen; one more than a second later may not."""
    ticks = Ticks()
    monkeypatch.setattr(pausing, "cache", elsewhere := cached(ticks))
    elsewhere.current()
    pause("Olga", 5)
    elsewhere._seen = (site_url(), ticks.now, None)  # as it would be in a process that has just looked before the pause
    with guarded():
        site.write(Put({"PK": "A", "SK": "A"}))
        ticks.now += pausing.FRESH_SECONDS
        with pytest.raises(Paused):
            site.write(Put({"PK": "A", "SK": "B"}))
        with pytest.raises(Paused):
            site.increment(keys.EVENT_NUMBER, "last")
        assert site.get(Key("A", "A")) is not None, "reading goes on"
    site.write(Put({"PK": "A", "SK": "C"}))


def site_url() -> str:
    from django.conf import settings

    return settings.STORE_URL


def test_a_store_that_cannot_say_whether_it_is_paused_is_not_written_to(site, signed_in, settings, tmp_path):
    client = signed_in("Olga", Role.OWNER)
    client.raise_request_exception = False
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere.sqlite3"
    cache.forget()
    assert cache.last_known() is None
    assert client.post("/me/", {"display_name": "x"}).status_code == 503


# --- the worker ---


def test_the_worker_rests_but_for_sealing_the_log(site, board, person, outbox):
    person("Eve", Role.VOTER)
    site.write(mail.queued("already_registered", "eve@example.org", name="Eve"))
    pause("Ada", 5)
    runs = run_jobs(JOBS, Leases(site))
    assert runs[LOG.name].outcome == Outcome.DONE
    assert {name for name, ended in runs.items() if ended.outcome == Outcome.DONE} == {LOG.name}
    assert runs[URGENT_MAIL.name].outcome == Outcome.RESTING
    assert {ended.outcome for ended in runs.values()} == {Outcome.DONE, Outcome.NOTHING, Outcome.RESTING}
    assert mail.in_state(mail.QUEUED, 10)[0] != []
    assert EventLog(site).newest_checkpoint()["event_id"] == len(events(site)), "the pause itself is sealed"
    resume("Ada")
    run_jobs(JOBS, Leases(site))
    assert mail.in_state(mail.QUEUED, 10)[0] == []


def test_no_election_is_closed_while_the_site_is_paused(site, board, monkeypatch):
    pause("Ada", 5)
    stands_at(monkeypatch, "2999-01-01T00:00:00.000Z")
    assert run_job(Job("ends", 5, close_ended_elections), Leases(site)).outcome == Outcome.RESTING
    assert elections.find("Board").stored_state == State.OPEN


def test_a_job_at_work_is_stopped_at_its_next_write(site):
    def work() -> int:
        site.write(Put({"PK": "A", "SK": "before"}))
        pause("Olga", 5)
        site.write(Put({"PK": "A", "SK": "after"}))
        return 2

    with guarded(False):
        ended = run_job(Job("mailings", 2, work), Leases(site))
    assert ended.outcome == Outcome.RESTING
    assert site.get(Key("A", "before")) is not None
    assert site.get(Key("A", "after")) is None
    assert site.get(keys.lease("mailings")) is None, "the lease is given back"


def test_a_mail_that_is_being_sent_is_finished(site, monkeypatch):
    """Stopped after sending it and before noting so, it would count as failed although it went out."""
    site.write(mail.queued("already_registered", "eve@example.org", name="Eve"))

    class FakeEmail:
        def send(self) -> None:
            pause("Olga", 5)

    ended = run_job(Job("mail", 2, lambda: send_waiting(lambda each: FakeEmail())), Leases(site))
    assert (ended.outcome, ended.done) == (Outcome.DONE, 1)
    assert len(mail.in_state(mail.SENT, 10)[0]) == 1


def test_a_pause_stops_the_worker_between_two_mails(site, monkeypatch):
    for name in ("eve", "fay", "gil"):
        site.write(mail.queued("already_registered", f"{name}@example.org", name=name))

    class FakeEmail:
        def send(self) -> None:
            pause("Olga", 5)

    monkeypatch.setattr(jobs, "compose", lambda each: FakeEmail())
    ended = run_job(URGENT_MAIL, Leases(site))
    assert (ended.outcome, ended.done) == (Outcome.DONE, 1)
    assert [len(mail.in_state(state, 10)[0]) for state in mail.STATES] == [2, 0, 1, 0, 0, 0], (
        "what is left waits untouched"
    )
    assert run_job(URGENT_MAIL, Leases(site)).outcome == Outcome.RESTING


def test_a_command_does_not_fail_because_the_site_is_paused(site):
    site.write(mail.queued("already_registered", "eve@example.org", name="Eve"))
    pause("Olga", 5)
    runs = run_jobs([URGENT_MAIL], Leases(site))
    assert runs[URGENT_MAIL.name].outcome == Outcome.RESTING
    raise_failures(runs)


def test_a_paused_site_can_be_sealed_and_the_seal_fits(site, owner):
    from foundation.store.log.seal import verify

    pause("Olga", 5)
    site_sealer().seal()
    assert verify(connect(site_url())).flaw is None


WRITER = """
import sys, django
django.setup()
from foundation.acts.pause import Paused, guarded
from django.conf import settings
from foundation.store.connect import connect
from foundation.store.table import Put
table, number = connect(settings.STORE_URL), 0
while True:
    number += 1
    try:
        with guarded():
            table.write(Put({"PK": "WRITTEN", "SK": f"{number:09d}"}))
    except Paused:
        print("paused", flush=True)
        break
    if number == 1:
        print("writing", flush=True)
"""


@pytest.mark.deep
def test_once_it_is_said_to_be_paused_no_other_process_writes(site, monkeypatch):
    monkeypatch.undo()
    variables = {**os.environ, "STORE_URL": site_url(), "DJANGO_SETTINGS_MODULE": "config.settings"}
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER], env=variables, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout.readline() == "writing\n"
        pause("Olga", 5)
        written = site.count(WRITTEN)
        assert writer.stdout.readline() == "paused\n"
        on_its_way = site.count(WRITTEN) - written
        assert written > 1
        assert on_its_way <= 1, "it sends no other, whatever had left already"
    finally:
        writer.kill()
        writer.wait(timeout=10)
        writer.stdout.close()
