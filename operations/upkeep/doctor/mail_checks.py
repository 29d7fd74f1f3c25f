"""Checks of mail: whether the server accepts our sign-in, and what could not be sent."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress
from imaplib import IMAP4
from ipaddress import ip_address
from smtplib import SMTPAuthenticationError, SMTPException

from django.conf import settings
from django.core.mail import get_connection
from django.utils.translation import gettext as _

from foundation.mail import bounces
from foundation.mail.sending import send_test_email
from foundation.mail.smtp import MailError

from .findings import Finding, broken, ok, warn
from .health import BoundedCount


def check_server(send_to: str) -> Iterator[Finding]:
    """Connects, greets, encrypts and signs in; sends a mail only if an address is given."""
    if settings.EMAIL_BACKEND.startswith("foundation.mail.files"):
        folder = {"folder": settings.EMAIL_FILE_PATH}
        yield warn(_("Mail"), _("Mails are not sent, only saved as files in %(folder)s.") % folder, _("Set MAIL_URL."))
        return
    yield _check_connection()
    if not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or _is_here()):
        sentence = _("Mails, and the links in them, are sent to another machine unencrypted.")
        if settings.EMAIL_HOST_PASSWORD:
            sentence = _("Mails, the links in them and the mail password are sent to another machine unencrypted.")
        yield warn(_("Mail"), sentence, _("Start MAIL_URL with smtp+tls:// or smtps://."))
    if send_to:
        yield _check_sending(send_to)


def _check_connection() -> Finding:
    values = {"server": f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"}
    connection = get_connection(fail_silently=False)
    try:
        connection.open()
    except Exception as error:  # any error of a backend is a finding
        return broken(_("Mail"), *_explain(error.__cause__ or error, values))
    finally:
        with suppress(Exception):  # it may be closed already
            connection.close()
    if settings.EMAIL_HOST_USER:
        return ok(_("Mail"), _("%(server)s accepts our user name and password.") % values)
    return ok(_("Mail"), _("%(server)s answers and needs no password.") % values)


def _explain(error: BaseException, values: dict[str, str]) -> tuple[str, str]:
    values = values | {"words": error_text(error)}
    if isinstance(error, SMTPAuthenticationError):
        sentence = _("%(server)s rejected our user name and password: %(words)s")
        return sentence % values, _("Check both in MAIL_URL. Percent-encode characters such as #.")
    if isinstance(error, ssl.SSLError):
        return _("The certificate of %(server)s is not valid: %(words)s") % values, _(
            "Check its certificate and its name in MAIL_URL."
        )
    return _("The connection to %(server)s failed: %(words)s") % values, _(
        "Check the scheme, host and port in MAIL_URL, and firewalls."
    )


def error_text(error: BaseException) -> str:
    """What the server replied, or what happened to the connection."""
    if isinstance(error, SMTPException) and len(error.args) == 2 and isinstance(error.args[1], bytes):
        return f"{error.args[0]} {error.args[1].decode(errors='replace')}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _is_here() -> bool:
    try:
        return ip_address(settings.EMAIL_HOST).is_loopback
    except ValueError:
        return bool(settings.EMAIL_HOST == "localhost")


def _check_sending(address: str) -> Finding:
    try:
        send_test_email(address)
    except MailError as error:
        return broken(_("Mail"), _("The test mail was rejected: %(words)s") % {"words": error.text})
    values = {"address": address}
    return ok(_("Mail"), _("The server accepted a mail for %(address)s. Check that it arrives.") % values)


def check_mailbox(state: bounces.MailboxState) -> Iterator[Finding]:
    """Opened from here, and as the worker last found it: a systemd unit may deny the worker what this command may
    do."""
    if bounces.has_mailbox():
        try:
            bounces.check_mailbox(settings.BOUNCES_URL)
        except (IMAP4.error, OSError) as error:
            sentence = _("The bounce mailbox cannot be read: %(words)s") % {"words": bounces.failure_text(error)}
            yield broken(_("Bounces"), sentence, _check_bounces_url())
            return
    yield from check_worker_mailbox(state)


def check_worker_mailbox(state: bounces.MailboxState) -> Iterator[Finding]:
    if not bounces.has_mailbox():
        return
    about = _("Bounces")
    if state.trouble:
        sentence = _("The worker has been unable to read the bounce mailbox since %(since)s: %(words)s")
        yield broken(about, sentence % {"words": state.trouble, "since": state.since}, _check_bounces_url())
    elif state.unreadable:
        last = state.unreadable[-1]
        details = {"count": str(len(state.unreadable)), "mail": last["mail"], "reason": last["reason"]}
        sentence = _(
            "Bounces that could not be read and were set aside: %(count)s, the last one %(mail)s (%(reason)s)."
        )
        yield warn(about, sentence % details, _("Read them yourself. They do not hold up other mails."))
    else:
        yield ok(about, _("The mailbox can be read."))


def _check_bounces_url() -> str:
    return _("Check BOUNCES_URL. docs/how-to/mail.md says where the worker may write.")


def check_outbox(failed: BoundedCount, unknown: BoundedCount) -> Finding:
    if unknown.count:
        sentence = _("Mails that could not be sent: %(failed)s; perhaps sent: %(unknown)s.") % {
            "failed": failed,
            "unknown": unknown,
        }
        return warn(_("Outbox"), sentence, _("Go to /mails/ to decide what to do with those perhaps sent."))
    if failed.count:
        sentence = _("Mails that could not be sent: %(number)s.") % {"number": failed}
        return warn(_("Outbox"), sentence, _("Go to /mails/ to see what the server said."))
    return ok(_("Outbox"), _("Nothing has failed."))
