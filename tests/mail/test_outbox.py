"""The outbox: queued with the change, sent at most once, honest about what is not known."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable
from email import message_from_bytes, policy

import pytest
from django.core import mail as sent
from django.core.mail import EmailMessage

from accounts.emails import EMAIL_TEMPLATES
from elections.repository import creation
from elections.rules import Election
from foundation.mail import outbox as mail
from foundation.mail.emails import compose, mail_number
from foundation.mail.outbox import reason_text
from foundation.mail.sending import GIVE_UP_SECONDS, LEASE_SECONDS, send_waiting
from foundation.store import keys
from foundation.store.table import Update
from tests.people import PASSWORD

TIMEOUT_SECONDS = 120  # seconds for a machine that is busy with other things


class Clock:
    """The time of day, until a test moves it on."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queued(site):
    write = mail.queued("invitation", "new@example.org", invited_by="Ada")
    site.write(write)
    return write.item["number"]


def failing(error):
    class Failing(EmailMessage):
        def send(self, fail_silently=False):
            raise error

    return lambda email: Failing("subject", "text", to=[email.to])


def test_a_mail_is_sent_once_and_marked(queued):
    assert send_waiting(compose) == 1
    assert send_waiting(compose) == 0
    assert len(sent.outbox) == 1
    assert mail.find(queued).state == mail.SENT


def test_whoever_wants_to_stop_is_asked_before_each_mail(site):
    for n in range(5):
        site.write(mail.queued("invitation", f"new{n}@example.org", invited_by="Ada"))
    assert send_waiting(compose, goes_on=lambda: len(sent.outbox) < 2) == 2
    assert len(sent.outbox) == 2
    assert len(mail.in_state(mail.QUEUED, 10)[0]) == 3
    assert send_waiting(compose) == 3


def test_a_worker_that_dies_while_sending_does_not_cause_a_second_mail(queued, clock):
    class Killed(BaseException):
        pass

    with pytest.raises(Killed):
        send_waiting(failing(Killed()), clock)
    assert mail.find(queued).state == mail.SENDING
    assert send_waiting(compose, clock) == 0
    clock.now += LEASE_SECONDS + 5
    assert send_waiting(compose, clock) == 0
    found = mail.find(queued)
    assert (found.state, reason_text(found)) == (mail.UNKNOWN, mail.REASONS["unknown"])
    assert sent.outbox == []


def test_a_refused_recipient_is_a_failure_with_the_servers_words_and_without_the_address(queued, clock):
    refused = smtplib.SMTPRecipientsRefused({"new@example.org": (550, b"no such user <New@example.org>")})
    send_waiting(failing(refused), clock)
    found = mail.find(queued)
    assert (found.state, reason_text(found)) == (mail.FAILED, "The mail server refused it: 550 no such user <…>")


def test_what_is_not_answered_is_tried_again_later_and_not_for_ever(queued, clock):
    pauses, began = [], clock.now
    while (found := mail.find(queued)).state == mail.QUEUED:
        send_waiting(failing(ConnectionRefusedError("new@example.org")), clock)
        found = mail.find(queued)
        assert send_waiting(compose, clock) == 0, "not before its time"
        pauses.append(found.not_before - clock.now)
        clock.now = max(found.not_before, clock.now) + 1
    assert (found.state, found.reason, found.detail) == (mail.FAILED, "unreachable", "<…>")
    assert [round(pause / 300) for pause in pauses[:3]] == [1, pytest.approx(3, abs=1), pytest.approx(12, abs=3)]
    assert GIVE_UP_SECONDS <= clock.now - began < GIVE_UP_SECONDS + 5 * 3600
    assert found.tries > 15


def test_a_mail_at_rest_holds_no_link_and_no_token(client, site, person):
    person("Ada", email="ada@example.org")
    client.post("/password/forgotten/", {"name_or_email": "Ada"})
    (item,) = site.each(keys.mails(mail.QUEUED))
    assert item["about"] == {"name": "Ada"}
    text = compose(mail.find(item["number"])).body
    token = text.partition("/password/reset/Ada/")[2].partition("/")[0]
    assert len(token) > 30
    assert token not in str(item)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("kind", sorted(EMAIL_TEMPLATES))
def test_every_mail_has_text_and_html_in_every_language(site, person, kind, language):
    person("Ada", email="ada@example.org")
    about = {"name": "Ada", "number": "1", "email": "new@example.org", "invited_by": "Bo <b>", "factor": "totp"}
    about |= {"election_name": "Board <b>", "voter": "Ada", "message": "1", "event_id": "7", "hash": "0f"}
    about |= {"asked_by": "Bo <b>", "organiser": "Bo <b>", "entered_by": "Bo <b>"}
    about |= {"label": "Script <b>", "provider": "University <b>", "browser": "0f", "next": "/me/"}
    site.write(*creation(Election("Board <b>", "Bo <b>", "2026-11-15T00:00:00.000Z")))
    site.write(Update(keys.message("Board <b>", "1"), set={"subject": "Soon <b>", "text": "Please *vote* <b>"}))
    email = mail.Mail("1", kind, "ada@example.org", about, language, mail.QUEUED, "", "", 0, "2026-11-15T00:00:00.000Z")
    message = compose(email)
    ((html, kind_of_html),) = message.alternatives
    assert kind_of_html == "text/html"
    assert "<b>" not in html.replace("<body>", "")
    assert f'lang="{language}"' in html
    assert mail_number(message.extra_headers["Message-ID"]) == "1"


def test_a_long_subject_in_any_script_arrives_as_it_was_written(site, settings):
    settings.SITE_NAME = "Straße und “Größe” " * 8 + "東京 🗳️"
    email = mail.Mail("1", "trial", "ada@example.org", {}, "de", mail.QUEUED, "", "", 0, "2026-11-15T00:00:00.000Z")
    message = compose(email)
    wire = message.message().as_bytes()
    assert all(len(line) <= 998 for line in wire.splitlines())
    read = message_from_bytes(wire, policy=policy.default)
    assert read["Subject"].strip() == message.subject
    assert mail_number(read["Message-ID"]) == "1"
    assert [part.get_content().splitlines() for part in read.iter_parts()] == [
        text.splitlines() for text in (message.body, message.alternatives[0].content)
    ]


def until(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def test_the_owner_reads_mails_where_they_go_nowhere_and_nobody_does_in_production(site, person, signed_in, settings):
    from accounts.rules import Role

    owner = signed_in("owner", Role.OWNER)
    owner.post("/invitations/new/", {"email": "new@example.org", "role": "VOTER"})
    (item,) = site.each(keys.mails(mail.QUEUED))
    assert "new@example.org" in owner.get("/mails/").content.decode()
    assert "/invited/" in owner.get(f"/mails/{item['number']}/").content.decode()
    settings.PRODUCTION = True
    assert owner.get(f"/mails/{item['number']}/").status_code == 404
    assert owner.get("/mails/?state=nonsense").status_code == 200
    assert PASSWORD not in str(list(site.each(keys.mails(mail.QUEUED))))


def test_mails_that_wait_are_spread_over_the_index_of_a_distant_store(site, monkeypatch):
    """A thousand votes a second bring a thousand mails. What was queued before is found and sent, too."""
    old, new = [f"old{number}@example.org" for number in range(3)], [f"new{number}@example.org" for number in range(20)]
    site.write(*(mail.queued("invitation", to, invited_by="Ada") for to in old))
    monkeypatch.setattr(type(site), "is_distant", True)
    site.write(*(mail.queued("invitation", to, invited_by="Ada") for to in new))
    lists = {item["GSI1PK"] for _name, item in site.everything() if item.get("state") == mail.QUEUED}
    assert lists <= {"MAIL#queued", *(f"MAIL#queued#{each:02d}" for each in range(mail.QUEUE_SHARDS))}
    assert "MAIL#queued" in lists
    assert len(lists) > 2, "by chance"
    found, cursor = mail.in_state(mail.QUEUED, 4)
    while cursor is not None:
        some, cursor = mail.in_state(mail.QUEUED, 4, cursor)
        found += some
    assert sorted(each.to for each in found) == sorted([*old, *new])
    assert [each.queued_at for each in found] == sorted(each.queued_at for each in found), "in the order of their turns"
    assert send_waiting(compose) == 23


def test_a_mail_of_a_part_that_the_site_has_left_out_is_listed_by_its_kind():
    found = mail.Mail(
        "1", "chess_move", "ada@example.org", {}, "en", mail.QUEUED, "", "", 0, "2026-11-15T00:00:00.000Z"
    )
    assert mail.mail_title(found) == "chess_move"
