"""A replaced SECRET_KEY while a secret election is open: who looks after the site hears of it before the voters do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.rules import Role
from ballots import services as voting
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from mail import outbox
from ranking.candidates import Candidate
from store import keys
from store.log import as_text, utc_now
from store.table import Update
from upkeep import secret_key
from upkeep.doctor import store_checks
from upkeep.doctor.findings import Grade

OTHER = "another key of the same length, which nobody has seen"


@pytest.fixture
def secret_election(site, person):
    """An open one, on a site that has started with its key."""
    secret_key.record_at_start(site)
    organiser = person("Otto", Role.USER)
    election = drafts.create(organiser, "Board", electorate="everyone", secret_ballot=True)
    add_candidates(organiser, election, [Candidate("Ada"), Candidate("Bo")])
    lifecycle.open_(organiser, elections.find("Board"), editable=False)
    return organiser


def complaints(caplog) -> list[str]:
    return [record.levelname for record in caplog.records if record.name == "plenum.secret_key"]


def test_it_is_told_by_readyz_by_doctor_and_in_the_log(site, client, settings, secret_election, caplog):
    secret_key.record_at_start(site)
    assert client.get("/readyz").content == b"ok\n"
    assert store_checks.check_secret_key(site).grade == Grade.OK
    right, settings.SECRET_KEY = settings.SECRET_KEY, OTHER
    secret_key.record_at_start(site)
    answer = client.get("/readyz")
    assert (answer.status_code, b"SECRET_KEY was replaced" in answer.content) == (503, True)
    assert client.get("/readyz?store").status_code == 200, "pages are there, and all other elections"
    assert store_checks.check_secret_key(site).grade == Grade.BROKEN
    assert complaints(caplog) == ["ERROR"]
    settings.SECRET_KEY = right
    secret_key.record_at_start(site)
    assert client.get("/readyz").content == b"ok\n"


def test_a_site_that_never_kept_a_fingerprint_notices_it_too(site, client, settings, secret_election):
    site.write(Update(keys.SECRET_KEY, set={"fingerprint": secret_key.UNKNOWN}))
    assert client.get("/readyz").status_code == 200, "the election itself fits"
    settings.SECRET_KEY = OTHER
    assert client.get("/readyz").status_code == 503


def test_a_key_replaced_while_no_secret_election_is_open_is_remembered(site, client, settings, secret_election, caplog):
    closing.close(secret_election, elections.find("Board"))
    voting.seal_closed()
    settings.SECRET_KEY = OTHER
    secret_key.record_at_start(site)
    assert complaints(caplog) == ["WARNING"]
    secret_key.record_at_start(site)
    assert complaints(caplog) == ["WARNING"], "once"
    assert client.get("/readyz").status_code == 200


def test_readyz_notes_what_keeps_nobody_from_voting(site, client, settings, tmp_path):
    settings.BOUNCES_URL = f"maildir://{tmp_path}"
    site.write(Update(keys.BOUNCES_READ, set={"trouble": "no such mailbox"}))
    site.write(Update(keys.FIGURES, set={"latest": as_text(utc_now() + timedelta(hours=1))}))
    queued = outbox.queued("already_registered", "eve@example.org", name="x")
    site.write(queued)
    site.write(Update(queued.key, set={"state": outbox.UNKNOWN, "GSI1PK": keys.mails(outbox.UNKNOWN).pk}))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content.decode().splitlines()) == (
        200,
        [
            "ok",
            "The bounce mailbox cannot be read.",
            "Some mails may or may not have been sent.",
            "The log contains events from the future: the clock is or was wrong.",
        ],
    )
    assert client.get("/readyz?store").content == b"ok\n"
