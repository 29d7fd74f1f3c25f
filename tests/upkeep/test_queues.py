"""One bad item stops no job's queue: the others have their turn, the log says where, and the job has failed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from accounts.rules import Role
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.pause import Paused
from foundation.acts.queues import process_each
from foundation.acts.storage import table
from foundation.mail import outbox as mail
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.table import Delete, Put, Unavailable, Update
from operations.upkeep import heartbeats, jobs
from operations.upkeep.heartbeats import HeartbeatSender
from operations.upkeep.jobs import Job, Leases, Outcome, run_jobs
from parts.polls import services as polls
from tests.polls.conftest import CHOSEN, NAMES

FIRST = "0000"  # what is marked so comes before everything that has a time or a name


@pytest.fixture
def ada(person):
    person("Boss", Role.OWNER)
    return person("Ada")


def a_poison_of(queue: str, **words) -> Put:
    """An item in a queue that lacks nearly all it ought to have."""
    return Put({"PK": "POISON", "SK": "METADATA", "GSI1PK": queue, "GSI1SK": FIRST, **words})


def board(ada, **settings):
    election = drafts.create(ada, "Board", **settings)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["a@example.org"])
    return lifecycle.open_(ada, repository.find("Board"), editable=False)


# Each puts a good item into a queue, and answers the bad one and how to tell that the good one had its turn.


def broken_election(**words) -> Put:
    """In the list of open ones, over, and with too little at its own place."""
    table().write(Update(keys.election("Broken"), set={"name": "Broken"}))
    fields = dict.fromkeys(("no_voting_before", "created_at", "closing")) | {"state": "open", "name": "Broken"}
    return a_poison_of(repository.list_of(repository.State.OPEN).pk, **fields | words)


def ends(ada) -> tuple[Put, Callable[[], bool]]:
    closing.CLOSING.begin(board(ada), "Ada")
    poison = broken_election(no_voting_after="2020-01-01T00:00:00.000Z")
    return poison, lambda: repository.find("Board").stored_state == repository.State.CLOSED


def reminders(ada) -> tuple[Put, Callable[[], bool]]:
    soon = as_text(utc_now() + timedelta(hours=2))
    board(ada, no_voting_after=soon, remind_before=(3,))
    table().write(Delete(keys.reminders("Board")))  # as if it had been open for long
    return broken_election(no_voting_after=soon, remind_before=[3]), lambda: bool(
        mailing.MAILING.find(mailing.subject_of("Board", mailing.TIMED))
    )


def mails(ada) -> tuple[Put, Callable[[], bool]]:
    table().write(mail.queued("checkpoint", "ada@example.org", event_id="7", hash="0f"))
    return a_poison_of(keys.mails(mail.QUEUED).pk), lambda: bool(mail.in_state(mail.SENT, 9)[0])


def lost_mails(ada) -> tuple[Put, Callable[[], bool]]:
    _poison, had_its_turn = mails(ada)
    return a_poison_of(keys.mails(mail.SENDING).pk), had_its_turn


def over_polls(ada) -> tuple[Put, Callable[[], bool]]:
    poll, _key = polls.make(ada, NAMES, 30, **CHOSEN | {"expires_at": as_text(utc_now() - timedelta(seconds=1))})
    return a_poison_of(keys.polls_ending().pk), lambda: table().get(keys.poll_result(poll.id)) is not None


def ends_without_a_name(ada) -> tuple[Put, Callable[[], bool]]:
    _poison, had_its_turn = ends(ada)
    return a_poison_of(repository.list_of(repository.State.OPEN).pk), had_its_turn


QUEUES = [
    (jobs.ENDS, ends),
    (jobs.ENDS, ends_without_a_name),
    (jobs.REMINDERS, reminders),
    (jobs.MAIL, mails),
    (jobs.MAIL, lost_mails),
    *((job, over_polls) for job in jobs.JOBS if job.name == "polls"),
]


@pytest.mark.parametrize(("job", "scene"), QUEUES, ids=[scene.__name__ for _, scene in QUEUES])
def test_a_bad_item_stops_none_of_the_others_and_is_not_passed_over_in_silence(site, ada, caplog, job, scene):
    poison, had_its_turn = scene(ada)
    site.write(poison)
    assert jobs.run_job(job, Leases(site)).outcome == Outcome.FAILED
    assert had_its_turn()
    lines = [record for record in caplog.records if record.name == "plenum.queues"]
    assert [bool(line.error and line.where) for line in lines] == [True]
    assert "example.org" not in str([line.__dict__ for line in lines])
    assert jobs.run_job(job, Leases(site)).outcome == Outcome.FAILED, "and it is tried again"


@pytest.mark.parametrize("error", [Unavailable("out of reach"), Paused("paused")])
def test_a_store_in_trouble_and_a_pause_end_the_round_for_all(site, error):
    seen = []

    def fail(name: str) -> None:
        seen.append(name)
        raise error

    ended = jobs.run_job(Job("removals", 1, lambda: process_each(["Eve", "Fay"], fail)), Leases(site))
    assert ended.outcome == (Outcome.RESTING if isinstance(error, Paused) else Outcome.FAILED)
    assert seen == ["Eve"]


# --- why it went wrong ---


def too_large(item) -> None:
    table().write(Put({"PK": "LARGE", "SK": "METADATA", "text": "x" * 410_000}))


def test_what_the_store_says_is_in_the_log_and_on_the_system_page_until_it_goes_well(site, signed_in, caplog):
    """It quotes nobody; what others say may, and only its kind is told."""
    assert run_jobs([Job("ballots", 2, lambda: process_each([1, 2], too_large))], Leases(site))
    reason = "An item may have at most 409600 bytes; this one has 410021."
    assert [record.words for record in caplog.records if record.message == "failure"][:2] == [reason] * 2
    assert caplog.records[-1].words == f"2 of what waited went wrong. {reason}"
    HeartbeatSender(site, {}).send()
    page = signed_in("Olga", Role.OWNER).get("/admin/system/").text
    assert f"The last run of the job “ballots” failed: 2 of what waited went wrong. {reason}" in page
    run_jobs([Job("ballots", 2, lambda: process_each([1], lambda item: None))], Leases(site))
    assert "ballots" not in heartbeats.failures


def test_of_an_error_that_may_quote_somebody_only_its_kind_is_told(site, caplog):
    error = ValueError("Olga <olga@example.org>")

    def quote(item) -> None:
        raise error

    run_jobs([Job("mail", 2, lambda: process_each([1], quote))], Leases(site))
    assert heartbeats.failures["mail"].reason == "1 of what waited went wrong. ValueError."
    assert "olga" not in str([vars(record) for record in caplog.records]).lower()
    heartbeats.failures.pop("mail")
