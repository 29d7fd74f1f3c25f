"""Races of those who send mails."""

from __future__ import annotations

from django.core import mail as sent

from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting

from .overtaken import overtaken_by


def test_of_two_workers_who_look_at_a_mail_one_sends_it(site):
    site.write(outbox.queued("invitation", "new@example.org", invited_by="Ada"))
    with overtaken_by(lambda: send_waiting(compose)):
        send_waiting(compose)
    assert [mail.to for mail in sent.outbox] == [["new@example.org"]]
