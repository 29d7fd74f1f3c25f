"""Who may register without an invitation: the REGISTRATION setting, and the messages that explain it."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _

from acts.refusals import Refusal

from .rules import is_at

OPEN, INVITED, DOMAINS, CLOSED = "open", "invited", "domains", "closed"


class NoRegistration(Refusal):
    """Registration is not allowed here; the explanation depends on the site or the domain, never on the address."""


def allows_registration() -> bool:
    return settings.REGISTRATION in (OPEN, DOMAINS)


def allows_any_invitation() -> bool:
    """Whether an organiser's roll also counts as an invitation; otherwise only an admin can invite."""
    return bool(settings.REGISTRATION != CLOSED)


def check_registration(email: str) -> None:
    if not allows_registration() or not _is_allowed(email):
        raise NoRegistration(explanation())


def _is_allowed(email: str) -> bool:
    return settings.REGISTRATION != DOMAINS or is_at(email, settings.REGISTRATION_DOMAINS)


def explanation() -> str:
    """The rule that applies here; empty where everyone may register."""
    match settings.REGISTRATION:
        case "invited":
            return _(
                "Accounts here are by invitation only. Ask your election organiser or an admin of "
                "this site to invite you."
            )
        case "closed":
            return _("This site does not take registrations. Its admins can invite you.")
        case "domains":
            return _("Accounts here are only for addresses at: %(domains)s.") % {"domains": _domains()}
    return ""


def _domains() -> str:
    return ", ".join(f"*{name}" if name.startswith(".") else name for name in settings.REGISTRATION_DOMAINS)
