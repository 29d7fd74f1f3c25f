"""How a mail looks to other mail programs, and the test mail by which an owner finds out whether mails arrive."""

from __future__ import annotations

import email
from io import StringIO

import pytest
from django.core import mail as sent
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from accounts.rules import Role
from elections.invitations import mailing
from elections.repository import creation
from elections.rules import Election
from foundation.mail import outbox as mail
from foundation.mail.emails import EMAIL_TEMPLATES, compose, mail_number
from foundation.mail.sending import send_waiting
from foundation.store import keys
from foundation.store.table import Update
from tests.mail.servers import MailServer

# --- headers ---


def composed(site, kind: str, **about: str):
    site.write(Update(keys.message("Board", "1"), set={"subject": "Soon", "text": "Please vote"}))
    site.write(*creation(Election("Board", "Otto", "2026-11-15T00:00:00.000Z")))
    words = {"election_name": "Board", "voter": "ann@example.org", "invited_by": "Otto", "message": "1", "name": "Ann"}
    return compose(
        mail.Mail("1", kind, "ann@example.org", words | about, "en", mail.QUEUED, "", "", 0, "2026-11-15T00:00:00.000Z")
    )


def test_mail_programs_are_told_what_they_need_to_know(site, settings):
    settings.SITE_URL = "https://vote.example.org"
    headers = composed(site, "vote_reminder").message()
    assert mail_number(headers["Message-ID"]) == "1"
    assert headers["Message-ID"].endswith("@vote.example.org>")
    assert headers["Auto-Submitted"] == "auto-generated"
    assert headers["Precedence"] == "bulk"
    assert headers["List-Unsubscribe"].startswith("<https://vote.example.org/no-reminders/")
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers["Reply-To"] is None


def test_what_a_person_wrote_is_not_called_made_by_a_machine_and_tells_no_address_of_theirs(site, person, settings):
    person("Otto", email="otto@example.org")
    settings.MAIL_REPLY_TO = "Election office <office@example.org>"
    message = composed(site, "vote_message").message()
    assert message["Auto-Submitted"] is None
    assert message["Reply-To"] == "Election office <office@example.org>"
    assert "otto@example.org" not in message.as_string()


def test_what_somebody_waits_for_is_no_bulk_and_cannot_be_silenced(site, person):
    person("Ann")
    message = composed(site, "reset_password").message()
    assert (message["Precedence"], message["List-Unsubscribe"]) == (None, None)


def test_what_somebody_waits_for_is_in_the_urgent_lane():
    urgent = {kind for kind, template in EMAIL_TEMPLATES.items() if template.urgent}
    assert {"reset_password", "reset_link", "confirm_registration", "confirm_email", "invitation"} <= urgent
    assert not urgent & {"vote_invitation", "vote_reminder", "vote_message", "ballot_cast", "checkpoint"}


def test_one_click_of_a_mail_program_is_enough_to_get_no_more_reminders(site, person):
    """RFC 8058: a POST without cookies, from nowhere, whose body says what it is."""
    from elections import repository
    from elections.candidates import add_candidates
    from elections.drafts import services as drafts
    from elections.lifecycle import services as lifecycle
    from elections.roll.services import add_voters
    from foundation.ranking.candidates import Candidate

    otto = person("Otto")
    election = drafts.create(otto, "Board")
    add_candidates(otto, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, election, ["ann@example.org"])
    lifecycle.open_(otto, repository.find("Board"), editable=False)
    path = f"/no-reminders/{mailing.unsubscribe_token('Board', 'ann@example.org')}/"
    answer = Client(enforce_csrf_checks=True).post(path, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert site.get(keys.voter("Board", "ann@example.org"))["left_alone"]


# --- the test mail ---


def test_the_owner_gets_a_test_mail_and_the_servers_answer(serves, signed_in):
    server, owner = serves(), signed_in("Olga", Role.OWNER)
    said = owner.post("/mails/test/", follow=True).content.decode()
    assert "The mail server said: 250 2.0.0 taken as 4711" in said
    assert server.receivers == ["Olga@example.org"]
    assert "Test mail" in email.message_from_string(server.taken[0][1])["Subject"]


def test_the_owner_is_told_why_a_test_mail_was_not_taken(serves, signed_in):
    server, owner = serves(rcpt="550 5.7.1 <Olga@example.org>: relaying denied"), signed_in("Olga", Role.OWNER)
    assert "rejected the test mail: 550 5.7.1 &lt;…&gt;: relaying denied" in trial(owner)
    server.answers["greeting"] = "554 go away"
    assert "rejected the test mail: 554 go away" in trial(owner)


def trial(owner) -> str:
    return owner.post("/mails/test/", follow=True).content.decode()


def test_where_mails_are_files_a_test_mail_is_one_too(site, signed_in):
    assert "A test mail has been sent to you." in trial(signed_in("Olga", Role.OWNER))
    assert sent.outbox[-1].to == ["Olga@example.org"]


def test_test_mails_are_limited(site, signed_in, monkeypatch):
    from operations.audit import views

    monkeypatch.setattr(views, "TEST_MAIL_LIMIT", views.Limit("test mails", 1, 3600))
    owner = signed_in("Olga", Role.OWNER)
    trial(owner)
    assert "tried too often" in trial(owner)
    assert len(sent.outbox) == 1


def test_a_command_sends_a_test_mail(serves):
    server, said = serves(), StringIO()
    call_command("send_mail", test="ops@example.org", stdout=said)
    assert said.getvalue() == "The mail server accepted it: 250 2.0.0 taken as 4711\n"
    server.answers["rcpt"] = "550 no"
    with pytest.raises(CommandError, match="rejected it: 550 no"):
        call_command("send_mail", test="ops@example.org")
    with pytest.raises(CommandError, match="rejected it"):
        call_command("send_mail", test="not an address")


def test_the_command_knocks_at_a_server_that_was_out_of_reach(serves, queue):
    server = serves(greeting="421 no")
    queue("ann")
    assert send_waiting(compose) == 0
    server.answers["greeting"] = "220 here"
    said = StringIO()
    call_command("send_mail", stdout=said)
    assert said.getvalue() == "1 mails sent.\n"


# --- a mail server that only we trust ---


@pytest.mark.parametrize("trusted", [True, False])
def test_a_private_mail_ca_is_trusted_if_it_is_named(site, settings, certificate, trusted, signed_in):
    settings.MAIL_CA = str(certificate) if trusted else ""
    with MailServer(certificate=certificate) as server:
        settings.EMAIL_BACKEND, settings.EMAIL_USE_SSL = "foundation.mail.smtp.EmailBackend", True
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", server.port, 20
        said = trial(signed_in("Olga", Role.OWNER))
    assert ("taken as 4711" in said) == trusted
    assert ("self-signed certificate" in said) != trusted
