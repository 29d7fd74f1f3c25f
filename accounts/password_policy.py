"""Who may sign in with a password: everyone, or the owner alone, for emergencies, where a provider is required."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from foundation.acts.caches import SiteCache
from foundation.acts.storage import now_text, record
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Exists, Item, Missing, Put, Table, Write

FRESH_SECONDS = 1.0
NO_PASSWORD_OF_NEW_OWNER = _(
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


def require_provider(owner: str, *also: Write) -> None:
    """From now on everyone but the owner, whose password is for emergencies, signs in with a provider."""
    data = {"since": now_text()}
    record(Event(owner, "ProvidersRequired", data), requiring(data), *also)
    cache.forget()


def requiring(data: Item) -> Put:
    return Put({**keys.PROVIDERS_REQUIRED.item, **data}, when=Missing())


def allow_passwords(actor: str, *also: Write) -> None:
    record(Event(actor, "PasswordsAllowed"), allowing(), *also)
    cache.forget()


def allowing() -> Delete:
    return Delete(keys.PROVIDERS_REQUIRED, when=Exists())
