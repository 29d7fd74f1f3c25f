"""What a person decides about mails that did not arrive, on the owner's page and what the worker makes of it."""

from __future__ import annotations

import time

import pytest

from accounts.rules import Role
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing as invitations
from elections.invitations.progress import failures, progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.mail import outbox as mail
from foundation.mail import undelivered
from foundation.mail.emails import compose
from foundation.mail.outages import clear_all_outages
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Delete, Put, Update
from operations.upkeep.jobs import MAILS_AGAIN, Leases, Outcome, run_job
from tests.background import queue_mailings
from tests.mail.servers import DROP, MailServer
from tests.people import make_person


@pytest.fixture
def owner(site, signed_in):
    return signed_in("Olga", Role.OWNER)


@pytest.fixture
def failed(serves, queue):
    """Two mails that were refused and one whose fate nobody knows; and the server, which takes everything by now."""
    server = serves(rcpt="550 5.7.1 not you")
    refused = queue("ann", "bob")
    send_waiting(compose)
    server.answers |= {"rcpt": "250 ok", "dot": DROP}
    (unknown,) = queue("cyd")
    send_waiting(compose)
    server.answers["dot"] = "250 ok"
    return server, refused, unknown


def states(*numbers: str) -> list[str]:
    return [mail.find(number).state for number in numbers]


def events(site) -> list[tuple[str, str]]:
    told = [(event["event_type"], event["event_data"].get("which")) for event in EventLog(site).since(0)]
    return [each for each in told if each[1]]


def send_all() -> int:
    run_job(MAILS_AGAIN, Leases(mail.table()))
    return send_waiting(compose, lambda: time.time() + 60)


def test_one_button_tries_all_failed_again_and_leaves_the_unknown_alone(site, owner, failed):
    server, refused, unknown = failed
    page = owner.get("/mails/?state=failed").content.decode()
    assert page.count("550 5.7.1 not you") == 2
    assert "Retry all failed mails" in page
    owner.post("/mails/again/")
    assert "Retrying all failed mails" in owner.get("/mails/?state=failed").content.decode()
    assert send_all() == 2
    assert states(*refused, unknown) == [mail.SENT, mail.SENT, mail.UNKNOWN]
    assert sorted(server.receivers) == ["ann@example.org", "bob@example.org", "cyd@example.org"]
    assert events(site) == [("MailsTriedAgain", "all")]
    assert run_job(MAILS_AGAIN, Leases(site)).outcome == Outcome.NOTHING


def unknown_mails(serves, queue, *names: str) -> tuple[MailServer, list[str]]:
    """Which the server had all of before the line broke; it takes everything by now."""
    server = serves(dot=DROP)
    numbers = queue(*names)
    for _ in names:
        send_waiting(compose)
        clear_all_outages()
    assert states(*numbers) == [mail.UNKNOWN] * len(names)
    server.answers["dot"] = "250 ok"
    return server, numbers


def test_all_of_unknown_fate_are_taken_as_sent_together(site, owner, serves, queue):
    server, numbers = unknown_mails(serves, queue, "ann", "bob")
    page = owner.get("/mails/?state=unknown").content.decode()
    assert "All of them (2)" in page
    assert "Treat all as sent" in page
    owner.post("/mails/unknown/", {"how": "sent", "mailing": ""})
    assert "Working on these mails" in owner.get("/mails/?state=unknown").content.decode()
    taken = len(server.receivers)
    assert send_all() == 0
    assert states(*numbers) == [mail.SENT, mail.SENT]
    assert len(server.receivers) == taken, "nobody is mailed twice"
    assert events(site) == [("MailsTakenAsSent", "unknown")]
    assert not undelivered.is_requested()


def test_the_mails_of_one_mailing_are_sent_again_and_no_others(site, owner, serves, queue):
    server, (ann, bob) = unknown_mails(serves, queue, "ann", "bob")
    site.write(Update(keys.mail(bob), set={"about": {"election_name": "Board", "event_id": "7", "hash": "0f"}}))
    page = owner.get("/mails/?state=unknown").content.decode()
    assert "The latest checkpoint of the log: Board (1)" in page
    mailing = undelivered.mailing_of(mail.find(ann))
    owner.post("/mails/unknown/", {"how": "again", "mailing": mailing})
    assert send_all() == 1
    assert states(ann, bob) == [mail.SENT, mail.UNKNOWN]
    assert server.receivers.count("ann@example.org") == 2
    assert events(site) == [("MailsTriedAgain", f"unknown {mailing}")]


def test_what_is_of_unknown_fate_again_is_not_sent_for_ever(site, owner, serves, queue):
    server, numbers = unknown_mails(serves, queue, "ann")
    owner.post("/mails/unknown/", {"how": "again", "mailing": ""})
    mark = site.get(keys.MAILS_AGAIN)
    server.answers["dot"] = DROP
    send_all()
    assert states(*numbers) == [mail.UNKNOWN]
    site.write(Put(mark))  # as if the worker had died before it was through
    assert undelivered.carry_out(lambda: True) == 0


def test_how_to_settle_has_to_be_said(site, owner, serves, queue):
    unknown_mails(serves, queue, "ann")
    page = owner.post("/mails/unknown/", {"how": "somehow"}, follow=True).content.decode()
    assert "Choose whether to resend these mails" in page
    assert not undelivered.is_requested()


def test_who_presses_twice_is_told_so(owner, failed):
    owner.post("/mails/again/")
    assert "already being resent or settled" in owner.post("/mails/again/", follow=True).content.decode()


def test_a_worker_that_is_stopped_goes_on_where_it_was(site, owner, failed):
    _server, refused, _unknown = failed
    owner.post("/mails/again/")
    assert undelivered.carry_out(lambda: mail.QUEUED not in states(*refused)) == 1
    assert undelivered.is_requested()
    assert undelivered.carry_out(lambda: True) == 1
    assert not undelivered.is_requested()


def test_what_fails_again_meanwhile_is_not_tried_for_ever(site, owner, failed):
    server, refused, _unknown = failed
    owner.post("/mails/again/")
    server.answers["rcpt"] = "550 still not you"
    undelivered.carry_out(lambda: True)
    mark = {"asked_by": "Olga", "asked_at": mail.find(refused[0]).again_at}
    send_waiting(compose, lambda: time.time() + 60)
    place = keys.MAILS_AGAIN
    site.write(Update(place, set=mark))  # as if the worker had died before it was through
    assert undelivered.carry_out(lambda: True) == 0
    assert states(*refused) == [mail.FAILED, mail.FAILED]


@pytest.mark.parametrize("reason", ["bounced", "expired", "gone"])
def test_what_a_server_had_taken_or_has_nothing_more_to_say_is_left_out(site, owner, failed, reason):
    _server, refused, _unknown = failed
    site.write(Update(keys.mail(refused[0]), set={"reason": reason}))
    owner.post("/mails/again/")
    assert send_all() == 1
    assert states(*refused) == [mail.FAILED, mail.SENT]


def test_a_person_sends_one_of_unknown_fate_again_or_puts_it_aside(site, owner, failed):
    server, refused, unknown = failed
    assert "These may have arrived" in owner.get("/mails/?state=unknown").content.decode()
    owner.post(f"/mails/{unknown}/again/")
    owner.post(f"/mails/{refused[0]}/aside/")
    assert send_all() == 1
    assert states(*refused, unknown) == [mail.ASIDE, mail.FAILED, mail.SENT]
    assert server.receivers.count("cyd@example.org") == 2, "the one that was lost on the way back, and this one"
    assert events(site) == [("MailsTriedAgain", unknown), ("MailPutAside", refused[0])]
    assert "ann@example.org" in owner.get("/mails/?state=aside").content.decode()


def test_a_mail_that_has_moved_on_is_not_touched(site, owner, failed):
    _server, refused, _unknown = failed
    owner.post(f"/mails/{refused[0]}/again/")
    said = owner.post(f"/mails/{refused[0]}/again/", follow=True).content.decode()
    assert "The state of this mail has changed" in said
    assert states(refused[0]) == [mail.QUEUED]
    assert len(events(site)) == 1


# --- what elections count ---


@pytest.fixture
def board(site, serves):
    """An election one of whose voters could not be invited."""
    server = serves(rcpt=lambda line: "550 nobody" if "ann" in line else "250 ok")
    otto = make_person("Otto")
    election = drafts.create(otto, "Board")
    add_candidates(otto, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, election, ["ann@example.org", "bob@example.org"])
    lifecycle.open_(otto, repository.find("Board"), editable=False)
    invitations.invite(otto, repository.find("Board"))
    queue_mailings()
    send_waiting(compose)
    server.answers["rcpt"] = "250 ok"
    return server, otto


def counted() -> tuple[int, int, int]:
    found = progress(repository.find("Board")).invited
    return found.queued, found.sent, found.failed


def unreached() -> list[str]:
    return [each.voter for each in failures(repository.find("Board"), limit=9)[0]]


def test_an_election_counts_a_mail_that_is_tried_again(site, board, owner):
    assert (counted(), unreached()) == ((0, 1, 1), ["ann@example.org"])
    owner.post("/mails/again/")
    run_job(MAILS_AGAIN, Leases(site))
    assert (counted(), unreached()) == ((1, 1, 0), [])
    send_waiting(compose, lambda: time.time() + 60)
    assert counted() == (0, 2, 0)


def test_who_was_invited_again_by_the_organiser_gets_no_third_mail(site, board, owner):
    server, otto = board
    invitations.resend_invitation(otto, repository.find("Board"), "ann@example.org")
    assert (counted(), unreached()) == ((1, 1, 0), [])
    owner.post("/mails/again/")
    assert send_all() == 1
    assert server.receivers.count("ann@example.org") == 1
    assert counted() == (0, 2, 0)


def test_a_mail_of_an_election_that_is_gone_can_still_be_decided_about(site, board, owner):
    election = repository.find("Board")
    site.write(Delete(keys.mail_counts("Board", election.created_at)))
    (number,) = [each.number for each in mail.in_state(mail.FAILED, 9)[0]]
    owner.post(f"/mails/{number}/again/")
    assert states(number) == [mail.QUEUED]


def test_an_invitation_is_not_sent_after_the_election_is_over(site, board, owner):
    server, otto = board
    closing.close(otto, repository.find("Board"))
    owner.post("/mails/again/")
    assert send_all() == 0
    assert mail.in_state(mail.FAILED, 9)[0][0].reason == "expired"
    assert "ann@example.org" not in server.receivers
