"""Who may register without an invitation: the REGISTRATION setting, and the messages that explain it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.acts.hooks import Hooks
from foundation.acts.refusals import Refusal

from .rules import is_at

OPEN, INVITED, DOMAINS, CLOSED = "open", "invited", "domains", "closed"


@dataclass(frozen=True, slots=True)
class InvitationReason:
    """One thing an address is invited to do, worded as in the mail. Shown where it creates its account."""

    title: str
    sentences: tuple[str, ...]


INVITATION_REASONS = Hooks[[str], list[InvitationReason]]("when an invited address is about to create its account")


class NoRegistration(Refusal):
    """Registration is not allowed here; the explanation depends on the site or the domain, never on the address."""


def allows_registration() -> bool:
    return settings.REGISTRATION in (OPEN, DOMAINS)


def allows_any_invitation() -> bool:
    """Whether an organiser's roll also counts as an invitation; otherwise only an admin can invite."""
    return bool(settings.REGISTRATION != CLOSED)


def check_registration(email: str) -> None:
    is_elsewhere = settings.REGISTRATION == DOMAINS and not is_at(email, settings.REGISTRATION_DOMAINS)
    if is_elsewhere or not allows_registration():
        raise NoRegistration(explanation())


def explanation() -> str:
    """The rule that applies here; empty where everyone may register."""
    domains = ", ".join(f"*{name}" if name.startswith(".") else name for name in settings.REGISTRATION_DOMAINS)
    match settings.REGISTRATION:
        case "invited":
            return _(
                "Accounts here are by invitation only. Ask your election organiser or an admin of "
                "this site to invite you."
            )
        case "closed":
            return _("This site does not take registrations. Its admins can invite you.")
        case "domains":
            return _("Accounts here are only for addresses at: %(domains)s.") % {"domains": domains}
    return ""
