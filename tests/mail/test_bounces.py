"""Mails that come back: read from a mailbox, believed only of our own mails, and harming nobody."""

from __future__ import annotations

import pytest

from foundation.acts.storage import table
from foundation.mail import bounces
from foundation.mail import outbox as mail
from foundation.mail.bounces import parse_report
from foundation.mail.emails import compose, mail_number, message_id
from foundation.mail.outbox import note_text, reason_text
from foundation.mail.sending import send_waiting
from foundation.store import keys
from foundation.store.table import Unavailable
from operations.upkeep.jobs import BOUNCES, Leases, Outcome, Run, run_job
from tests.mail.servers import ImapServer


def report(named: str, action: str = "failed", status: str = "5.1.1", returned: str = "message/rfc822") -> bytes:
    """As RFC 3464 has it."""
    return f"""From: Mail Delivery System <MAILER-DAEMON@mx.example.org>
To: vote@example.org
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary="parts"
MIME-Version: 1.0

--parts
Content-Type: text/plain

I am sorry.
--parts
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
Arrival-Date: Sun, 15 Nov 2026 10:00:00 +0000

Final-Recipient: rfc822; ann@example.org
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 {status} <ann@example.org>: no
    such user

--parts
Content-Type: {returned}

Message-ID: {named}
Subject: Plenum

--parts--
""".encode()


def complaint(named: str) -> bytes:
    """As RFC 5965 has it."""
    head, _, tail = report(named).decode().partition("--parts\nContent-Type: message/delivery-status")
    said = "--parts\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n\n--parts"
    return (head.replace("delivery-status;", "feedback-report;") + said + tail.partition("--parts")[2]).encode()


@pytest.fixture
def sent(site, queue):
    """A mail that went out; answers its number."""
    (number,) = queue("ann")
    send_waiting(compose)
    return number


@pytest.fixture
def maildir(tmp_path, settings):
    for name in ("new", "cur", "tmp"):
        (tmp_path / "mail" / name).mkdir(parents=True)
    settings.BOUNCES_URL = f"maildir://{tmp_path / 'mail'}"
    return tmp_path / "mail"


# --- numbers ---


def test_a_message_id_is_at_the_sites_domain_stable_and_cannot_be_made_up(settings):
    settings.SITE_URL = "https://vote.example.org/plenum"
    named = message_id("4711")
    assert named.endswith("@vote.example.org>")
    assert named == message_id("4711")
    assert mail_number(named) == "4711"
    for forged in ("<4711@vote.example.org>", named.replace("4711", "4712"), "<4711.0@x>", "", "nonsense"):
        assert mail_number(forged) is None
    settings.SECRET_KEY = "another" * 10
    assert mail_number(named) is None


# --- reports ---


@pytest.mark.parametrize("returned", ["message/rfc822", "text/rfc822-headers"])
def test_a_hard_bounce_is_read(returned):
    found = parse_report(report(message_id("4711"), returned=returned))
    assert (found.number, found.kind) == ("4711", "bounced")
    assert found.text.startswith("5.1.1 550 5.1.1 <ann@example.org>: no")


@pytest.mark.parametrize(
    ("action", "status", "kind"),
    [("failed", "5.1.1", "bounced"), ("failed", "4.4.7", "bounced"), ("delayed", "4.4.1", "delayed")],
)
def test_what_will_not_be_tried_any_more_is_told_from_what_is_held_up(action, status, kind):
    assert parse_report(report(message_id("4711"), action, status)).kind == kind


def test_what_reports_nothing_of_ours_is_passed_over():
    assert parse_report(report(message_id("4711"), "delivered", "2.0.0")) is None
    assert parse_report(report("<4711@plenum>")) is None
    assert parse_report(b"Subject: Hello\n\nA person answers.") is None
    assert parse_report(b"\xff\xfe\x00 no mail at all") is None
    assert parse_report(complaint(message_id("4711"))).kind == "complaint"


# --- by mailbox ---


def test_a_mail_that_came_back_has_failed_with_the_words_and_without_the_address(site, sent, maildir, caplog):
    (maildir / "new" / "1").write_bytes(report(message_id(sent)))
    (maildir / "new" / "2").write_bytes(b"Subject: Hello\n\nA person answers.")
    assert run_job(BOUNCES, Leases(site)).done == 1
    found = mail.find(sent)
    assert (found.state, found.reason) == (mail.FAILED, "bounced")
    assert "5.1.1 550 5.1.1 <…>: no such user" in reason_text(found)
    assert [file.name for file in sorted((maildir / "cur").iterdir())] == ["1:2,", "2:2,"]
    assert run_job(BOUNCES, Leases(site)).done == 0
    assert [(record.reason, record.number) for record in caplog.records if record.name == "plenum.mail"] == [
        ("bounced", sent)
    ]


def test_one_that_is_held_up_or_unwanted_is_noted_and_stays_sent(site, sent, maildir):
    (maildir / "new" / "1").write_bytes(report(message_id(sent), "delayed", "4.4.1"))
    bounces.read_bounces()
    assert (mail.find(sent).state, mail.find(sent).note) == (mail.SENT, "delayed")
    (maildir / "new" / "2").write_bytes(complaint(message_id(sent)))
    bounces.read_bounces()
    assert note_text(mail.find(sent)) == "The recipient reported it as spam: abuse"


def test_a_forged_bounce_changes_nothing(site, sent, maildir):
    (maildir / "new" / "1").write_bytes(report(f"<{sent}@testserver>"))
    (maildir / "new" / "2").write_bytes(report(f"<{sent}.{'0' * 20}@testserver>"))
    assert bounces.read_bounces() == 0
    assert mail.find(sent).state == mail.SENT


def test_a_bounce_changes_no_account_and_the_next_mail_goes_out(site, queue, sent, maildir, person):
    person("Ann", email="ann@example.org")
    before = site.get(keys.user("Ann"))
    (maildir / "new" / "1").write_bytes(report(message_id(sent)))
    bounces.read_bounces()
    assert site.get(keys.user("Ann")) == before
    queue("ann")
    assert send_waiting(compose) == 1


def test_by_imap_a_mailbox_is_only_looked_at_and_each_mail_once(site, sent, settings):
    with ImapServer({3: b"Subject: Hello\n\nA person answers.", 4: report(message_id(sent))}) as server:
        settings.BOUNCES_URL = f"imap://vote%40example.org:pass%20word@127.0.0.1:{server.port}/INBOX"
        assert bounces.read_bounces() == 1
        assert mail.find(sent).state == mail.FAILED
        fetched = [asked for asked in server.heard if "FETCH" in asked.upper()]
        assert len(fetched) == 2
        assert all("PEEK" in asked for asked in fetched)
        assert bounces.read_bounces() == 0
        assert [asked for asked in server.heard if "FETCH" in asked.upper()] == fetched
        assert {"EXAMINE", "SELECT"} & {asked.split()[0].upper() for asked in server.heard} == {"EXAMINE"}
        assert any(asked.startswith('LOGIN vote@example.org "pass word"') for asked in server.heard)


def test_a_mailbox_out_of_reach_is_a_failure_that_says_why(site, settings, tmp_path, caplog):
    settings.BOUNCES_URL = f"maildir://{tmp_path}/nothing"
    assert run_job(BOUNCES, Leases(site)).outcome == Outcome.FAILED
    (line,) = [record for record in caplog.records if record.name == "plenum.mail"]
    assert line.words == "No such file or directory"
    settings.BOUNCES_URL = ""
    assert run_job(BOUNCES, Leases(site)).outcome == Outcome.NOTHING


@pytest.mark.parametrize("trusted", [True, False])
def test_a_mailbox_is_read_over_tls_if_its_certificate_is_trusted(site, sent, settings, certificate, trusted):
    settings.MAIL_CA = str(certificate) if trusted else ""
    with ImapServer({4: report(message_id(sent))}, certificate) as server:
        settings.BOUNCES_URL = f"imaps://vote:password@127.0.0.1:{server.port}/INBOX"
        assert run_job(BOUNCES, Leases(site)).outcome == (Outcome.DONE if trusted else Outcome.FAILED)
    assert mail.find(sent).state == (mail.FAILED if trusted else mail.SENT)
    assert any(asked.startswith("LOGIN") for asked in server.heard) == trusted


# --- one bad mail ---

NESTED_MULTIPARTS = 1200  # multiparts within each other: more than Python's parser can follow


def nested() -> bytes:
    heads = (
        f"Content-Type: multipart/report; boundary=b{number}\n\n--b{number}\n" for number in range(NESTED_MULTIPARTS)
    )
    return "".join(heads).encode()


def set_aside() -> list[tuple[str, str]]:
    found = bounces.mailbox_state(table().get(keys.BOUNCES_READ)).unreadable
    return [(each["mail"], each["reason"]) for each in found]


@pytest.mark.deep
def test_a_mail_that_cannot_be_understood_holds_up_no_other_in_a_maildir(site, sent, maildir, caplog):
    (maildir / "new" / "1").write_bytes(nested())
    (maildir / "new" / "2").symlink_to("/proc/self/mem")  # opens, and cannot be read
    (maildir / "new" / "3").write_bytes(report(message_id(sent)))
    (maildir / "new" / "folder").mkdir()
    assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 1)
    assert sorted(file.name for file in (maildir / "cur").iterdir()) == ["1:2,F", "2:2,F", "3:2,"]
    assert set_aside() == [("1", "RecursionError"), ("2", "Input/output error")]
    lines = [record for record in caplog.records if record.message == "bounce set aside"]
    assert [(line.mail, line.error) for line in lines] == set_aside()
    assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 0), "and it is not met again"
    assert len(set_aside()) == 2


@pytest.mark.deep
def test_a_mail_that_cannot_be_understood_holds_up_no_other_by_imap(site, sent, settings):
    with ImapServer({3: nested(), 4: report(message_id(sent))}) as server:
        settings.BOUNCES_URL = f"imap://vote:password@127.0.0.1:{server.port}/INBOX"
        assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 1)
        assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 0)
    assert set_aside() == [("3", "RecursionError")]


def test_a_store_in_trouble_is_no_mails_fault(site, sent, maildir, monkeypatch):
    (maildir / "new" / "1").write_bytes(report(message_id(sent)))

    def unavailable(*_, **__):
        raise Unavailable("The store does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr("foundation.mail.bounces.record_report", unavailable)
        assert run_job(BOUNCES, Leases(site)).outcome == Outcome.FAILED
    assert (maildir / "new" / "1").exists()
    assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 1)


def test_a_maildir_where_nothing_can_be_moved_is_out_of_reach_until_it_can(site, maildir, settings):
    (maildir / "cur").rmdir()
    assert run_job(BOUNCES, Leases(site)).outcome == Outcome.FAILED
    assert bounces.mailbox_state(site.get(keys.BOUNCES_READ)).trouble == "No such file or directory"
    (maildir / "cur").mkdir()
    assert run_job(BOUNCES, Leases(site)).outcome == Outcome.DONE
    assert bounces.mailbox_state(site.get(keys.BOUNCES_READ)).trouble == ""
