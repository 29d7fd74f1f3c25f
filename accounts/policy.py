"""The site's policy: who may register without an invitation (the setting REGISTRATION), and who may sign in with a
password: everyone, or the owner alone, for emergencies, where a provider is required.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.caches import SiteCache
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, record
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Exists, Missing, Put, Table, Write

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
        raise NoRegistration(explain_registration())


def explain_registration() -> str:
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


FRESH_SECONDS = 1.0
NO_PASSWORD_OF_NEW_OWNER = gettext_lazy(
    "Everyone but the owner has to sign in with a provider, and the owner needs a password for emergencies. The new "
    "owner has none. Allow passwords first."
)


def _is_required(table: Table) -> bool:
    return table.get(keys.PROVIDERS_REQUIRED) is not None


cache = SiteCache(_is_required, False, FRESH_SECONDS)


def requires_provider() -> bool:
    """Whether only the owner may use a password. Never without a provider: then nobody else could sign in."""
    return bool(settings.SIGN_IN_PROVIDERS) and cache.current()


def seems_to_require_provider() -> bool:
    """As far as is known, for what every page shows, even while the store is down."""
    return bool(settings.SIGN_IN_PROVIDERS) and cache.last_known()


def require_provider(owner: str, *extra: Write) -> None:
    """From now on everyone but the owner, whose password is for emergencies, signs in with a provider."""
    data = {"since": now_text()}
    put = Put({**keys.PROVIDERS_REQUIRED.item, **data}, when=Missing())
    record(Event(owner, "ProvidersRequired", data), put, *extra)
    cache.forget()


def allow_passwords(actor: str, *extra: Write) -> None:
    record(Event(actor, "PasswordsAllowed"), Delete(keys.PROVIDERS_REQUIRED, when=Exists()), *extra)
    cache.forget()
