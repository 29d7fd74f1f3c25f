"""Checks of what the site is connected with: the server as the machine itself and the proxy reach it, and mail."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from imaplib import IMAP4
from ipaddress import ip_address
from smtplib import SMTPAuthenticationError, SMTPException
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.mail import bounces
from foundation.mail.sending import send_test_email
from foundation.mail.smtp import MailError
from foundation.pages.client_address import client_network, is_trusted, parse

from .health import BoundedCount, Finding, broken, ok, warn

SECONDS_PER_MINUTE = 60
TIMEOUT_SECONDS = 5
MAX_REPLY_BYTES = 10_000  # of a reply
FORGED = "192.0.2.77"  # in a network reserved for examples: no visitor has it
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - listening address, and the address to connect to
SALT = "upkeep.doctor"


# --- what the server sees ---


@dataclass(frozen=True, slots=True)
class RequestSnapshot:
    host: str
    scheme: str
    peer: str  # who connected to us: the proxy, if there is one
    is_trusted: bool
    forwarded: str  # for whom the peer claims to forward
    came_from: str

    @classmethod
    def of(cls, request: HttpRequest) -> RequestSnapshot:
        peer = parse(str(request.META.get("REMOTE_ADDR", "")))
        return cls(
            host=str(request.META.get("HTTP_HOST", "")),
            scheme=request.scheme,
            peer=str(peer or ""),
            is_trusted=is_trusted(peer),
            forwarded=request.headers.get("X-Forwarded-For", "").strip(),
            came_from=client_network(request),
        )

    @property
    def is_proxied(self) -> bool:
        """The server itself does not speak TLS."""
        return self.scheme == "https" or self.forwarded not in ("", FORGED)


def signed_token() -> str:
    """A token for the address where the server reports what it sees."""
    return TimestampSigner(salt=SALT).sign("seen")


def is_doctor(signed_token: str) -> bool:
    """Whether the token was signed with SECRET_KEY within the last minute."""
    try:
        return bool(TimestampSigner(salt=SALT).unsign(signed_token, max_age=SECONDS_PER_MINUTE))
    except BadSignature:
        return False


# --- requests ---


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply, or in `trouble` why there was none."""

    status: int = 0
    seen: RequestSnapshot | None = None
    place: str = ""  # redirect target
    is_ours: bool = False  # whether it was sent from a trusted address
    trouble: str = ""
    is_forgery: bool = False  # whether the server could not prove its identity


def probe() -> tuple[Reply, Reply]:
    """The replies of the machine itself, and on the way visitors take, with a forged client address."""
    site = urlsplit(settings.SITE_URL)
    host = EVERYWHERE.get(settings.HOST, settings.HOST)
    inside = f"http://[{host}]:{settings.PORT}" if ":" in host else f"http://{host}:{settings.PORT}"
    forged = {"X-Forwarded-For": FORGED, "X-Forwarded-Proto": "http"}
    path = reverse("doctor", args=[signed_token()])
    return fetch(inside + path, {"Host": site.netloc}), fetch(f"{site.scheme}://{site.netloc}{path}", forged)


def fetch(url: str, headers: dict[str, str] | None = None) -> Reply:
    """One GET that follows no redirects."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", parts.path or "/", headers=headers or {})
        ours = is_trusted(parse(connection.sock.getsockname()[0]))
        found = connection.getresponse()
        body = found.read(MAX_REPLY_BYTES)
        try:
            seen = RequestSnapshot(**json.loads(body)) if found.status == 200 else None
        except (ValueError, TypeError):
            seen = None
        return Reply(found.status, seen, found.headers.get("Location", ""), is_ours=ours)
    except ssl.SSLCertVerificationError as error:
        return Reply(trouble=error.verify_message, is_forgery=True)
    except (OSError, HTTPException) as error:
        return Reply(trouble=str(getattr(error, "strerror", None) or error or type(error).__name__))
    finally:
        connection.close()


# --- checks ---


def check_server(answer: Reply) -> Iterator[Finding]:
    values = {"place": f"{settings.HOST}:{settings.PORT}", "words": answer.trouble, "status": answer.status}
    if answer.trouble:
        sentence = _("No server answers at %(place)s: %(words)s.") % values
        yield broken(_("Server"), sentence, _("Find out why: systemctl status plenum, or the container's log."))
    elif answer.seen is None:
        sentence = _("Another program answers at %(place)s, with status %(status)d.") % values
        yield broken(_("Server"), sentence, _("Check the port. It may also be a site with another SECRET_KEY."))
    else:
        yield ok(_("Server"), _("It answers at %(place)s.") % values)


def check_proxy(answer: Reply) -> Iterator[Finding]:
    values = {"url": settings.SITE_URL, "words": answer.trouble, "status": answer.status, "place": answer.place}
    about = _("Proxy")
    if answer.is_forgery:
        yield broken(
            about,
            _("The certificate of %(url)s is not valid: %(words)s.") % values,
            _("Check the proxy's certificate."),
        )
    elif answer.trouble:
        sentence = _("%(url)s cannot be reached from here: %(words)s.") % values
        yield warn(
            about, sentence, _("If visitors can reach it, only this machine cannot. Then look at /admin/system/.")
        )
    elif answer.place:
        yield broken(
            about, _("%(url)s redirects to %(place)s.") % values, _("Set SITE_URL to the address people end up at.")
        )
    elif answer.seen is None:
        sentence = _("Another program answers at %(url)s, with status %(status)d.") % values
        yield broken(about, sentence, _("Make the proxy pass all requests to HOST and PORT."))
    else:
        yield check_address(answer.seen, believes_anybody=not answer.is_ours)
        yield check_origin(answer.seen)


def check_address(seen: RequestSnapshot, believes_anybody: bool = False) -> Finding:
    """`believes_anybody`: whether the forged address can only have been accepted from an untrusted client."""
    about, values = _("Visitors' addresses"), {"peer": seen.peer, "address": seen.came_from}
    if seen.is_proxied and not seen.is_trusted:
        sentence = _("Requests come through %(peer)s, which is not in TRUSTED_PROXIES, so all visitors count as one.")
        return broken(about, sentence % values, _("If it is your proxy: TRUSTED_PROXIES=%(peer)s") % values)
    if seen.is_trusted and not seen.forwarded:
        sentence = (
            _("The proxy at %(peer)s does not forward visitors' addresses, so all visitors count as one.") % values
        )
        return broken(about, sentence, _("Make it set X-Forwarded-For to the visitor's address."))
    if seen.came_from == FORGED and (believes_anybody or seen.forwarded == FORGED):
        sentence = _("The proxy passes on the address that visitors claim, and the site believes it.")
        return broken(about, sentence, _("Make it set or extend X-Forwarded-For itself; see the examples in deploy/."))
    return ok(about, _("They are known; this request came from %(address)s.") % values)


def check_origin(seen: RequestSnapshot) -> Finding:
    site = urlsplit(settings.SITE_URL)
    about, values = (
        _("Host and scheme"),
        {"seen": f"{seen.scheme}://{seen.host}", "wanted": f"{site.scheme}://{site.netloc}"},
    )
    if seen.scheme != site.scheme:
        sentence = _("The site sees %(seen)s where visitors see %(wanted)s.") % values
        return broken(about, sentence, _("Make the proxy set X-Forwarded-Proto to https."))
    if seen.host.lower() != site.netloc.lower():
        sentence = _("The site sees %(seen)s, but SITE_URL says %(wanted)s, so forms and links may not work.") % values
        return warn(about, sentence, _("Make the proxy pass on the Host header unchanged, including the port."))
    return ok(about, _("The site sees %(seen)s, as SITE_URL says.") % values)


# --- mail ---


def check_mail_server(send_to: str) -> Iterator[Finding]:
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
        try:
            send_test_email(send_to)
        except MailError as error:
            yield broken(_("Mail"), _("The test mail was rejected: %(words)s") % {"words": error.text})
        else:
            sentence = _("The server accepted a mail for %(address)s. Check that it arrives.")
            yield ok(_("Mail"), sentence % {"address": send_to})


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
        sentence = _("The certificate of %(server)s is not valid: %(words)s")
        return sentence % values, _("Check its certificate and its name in MAIL_URL.")
    sentence = _("The connection to %(server)s failed: %(words)s")
    return sentence % values, _("Check the scheme, host and port in MAIL_URL, and firewalls.")


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
