"""Identities at providers and the accounts they belong to: found by issuer and subject, linked and unlinked; and which
groups at a provider these people are in, as far as rolls may follow them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts import repository, services
from accounts.models import User
from accounts.policy import requires_provider
from accounts.sessions import end_sessions_at_provider, end_sessions_of_identity
from foundation.acts.refusals import LostRace, NotThere, Refusal
from foundation.acts.retry import retried
from foundation.acts.storage import now_text, record, table
from foundation.mail import outbox
from foundation.pages.names import clean_email
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Item, Put

from .providers import Identity, Provider, SignedOut

NO_ADDRESS = _(
    "%(provider)s has not confirmed an email address of yours, so it cannot create an account here. If you have one, "
    "sign in to it another way and link it with %(provider)s on your account page."
)
ADDRESS_HAS_ACCOUNT = _(
    "There is already an account with your address. Sign in to it another way, then link it with %(provider)s on your "
    "account page."
)
NOT_LINKED_IN_TIME = _(
    "There is already an account with your address, but it is not linked with %(provider)s. Ask the owner of this site "
    "to allow passwords for a while, so that you can sign in and link it."
)
LINKED_ELSEWHERE = _("Another account here is already linked with that account at %(provider)s.")
ALREADY_LINKED = _("Your account is already linked with %(provider)s. Unlink it first to use another account there.")
LAST_WAY_IN = _("Without %(provider)s you could no longer sign in. Set a password first.")


def person_of(provider: Provider, identity: Identity) -> User | None:
    """Whose account this is; their role follows their groups at the provider. `None` if they have none yet."""
    user = repository.find_by_identity(identity.key)
    if user is not None and provider.rolls:
        remember_groups(user, provider, identity.groups)
    if user is None or not provider.roles:
        return user
    return services.follow_groups(user, provider.id, provider.granted(identity.groups))


def check_newcomer(provider: Provider, identity: Identity) -> str:
    """The address with which somebody may create an account. An address alone never opens an account."""
    try:
        email = clean_email(identity.email) if identity.email else ""
    except ValidationError:
        email = ""
    if not email:
        raise Refusal(NO_ADDRESS % {"provider": provider.label})
    if repository.find_by_email(email) is not None:
        raise _address_taken(provider)
    services.check_newcomer(email)
    return email


def _address_taken(provider: Provider) -> Refusal:
    sentence = NOT_LINKED_IN_TIME if requires_provider() else ADDRESS_HAS_ACCOUNT
    return Refusal(sentence % {"provider": provider.label})


def join(provider: Provider, identity: Identity, name: str) -> User:
    """Create the account of a newcomer. Raises `NameTaken` if they have to choose another name."""
    email = check_newcomer(provider, identity)
    try:
        user = services.create_by_identity(name, email, _entry(provider, identity))
    except LostRace:
        raise _address_taken(provider) from None
    return person_of(provider, identity) or user


def _entry(provider: Provider, identity: Identity) -> dict[str, str]:
    return {"key": identity.key, "provider": provider.id, "linked_at": now_text()}


@retried
def link(user: User, provider: Provider, identity: Identity) -> None:
    """One identity of each provider at most, so that people can tell which is which."""
    now = repository.find(user.name) or user
    holder = repository.find_by_identity(identity.key)
    if holder is not None and holder.created_at == now.created_at and holder.name == now.name:
        return
    if holder is not None:
        raise Refusal(LINKED_ELSEWHERE % {"provider": provider.label})
    if any(each["provider"] == provider.id for each in now.identities):
        raise Refusal(ALREADY_LINKED % {"provider": provider.label})
    entry = _entry(provider, identity)
    email = outbox.queued("identity_linked", now.email, name=now.name, provider=provider.label)
    event = Event(now.name, "IdentityLinked", {"name": now.name, "identity": entry})
    record(event, *repository.linking(now, entry), email)
    remember_groups(now, provider, identity.groups)


@retried
def unlink(user: User, provider_id: str, label: str, current_session: str) -> None:
    """The last way to sign in stays. Other sessions that began with the identity end."""
    now = repository.find(user.name) or user
    entry = next((each for each in now.identities if each["provider"] == provider_id), None)
    if entry is None:
        raise NotThere(_("That has already been removed."))
    if len(now.identities) == 1 and not now.uses_password:
        raise Refusal(LAST_WAY_IN % {"provider": label})
    email = outbox.queued("identity_unlinked", now.email, name=now.name, provider=label)
    event = Event(now.name, "IdentityUnlinked", {"name": now.name, "identity": entry})
    record(event, *repository.unlinking(now, entry["key"]), email)
    forget_groups(now, provider_id)
    end_sessions_of_identity(now.name, entry["key"], except_for=current_session)


def end_sessions(signed_out: SignedOut) -> int:
    """End what began with the session that ended at the provider, or everything of that person; returns how many."""
    if signed_out.session_key:
        return end_sessions_at_provider(signed_out.session_key)
    user = repository.find_by_identity(signed_out.key)
    return end_sessions_of_identity(user.name, signed_out.key) if user else 0


def followable() -> dict[str, tuple[Provider, str]]:
    """The groups and teams that rolls may follow, by how forms and the store write them."""
    return {f"{each.id} {group}": (each, group) for each in settings.SIGN_IN_PROVIDERS for group in each.rolls}


# --- as of the last sign-in ---


def remember_groups(user: User, provider: Provider, groups: tuple[str, ...]) -> None:
    """Replaces what was known before; usually nothing has changed."""
    before = {item["group"] for item in table().each(keys.provider_groups(user.name, provider.id))}
    now = {group for group in provider.rolls if group in groups}
    about = {"name": user.name, "account": user.created_at, "provider": provider.id}
    for group in now - before:
        at, listed = keys.provider_group(user.name, provider.id, group), keys.members_at_provider(provider.id, group)
        table().write(Put({**at.item, "GSI1PK": listed.pk, "GSI1SK": at.pk, **about, "group": group}))
    for group in before - now:
        table().write(Delete(keys.provider_group(user.name, provider.id, group)))


def forget_groups(gone: User, provider_id: str = "") -> None:
    """What one provider said about somebody, or all of them."""
    for item in table().each(keys.provider_groups(gone.name, provider_id)):
        table().write(Delete(keys.provider_group(gone.name, item["provider"], item["group"])))


def export_groups(user: User) -> Iterator[Item]:
    for item in table().each(keys.provider_groups(user.name)):
        yield {"provider": item["provider"], "group": item["group"]}


# --- who they are ---


def group_members(provider: Provider, group: str) -> tuple[list[str], list[str]]:
    """The names of their accounts here, and what those without one are called there. Raises `ProviderError`."""
    if not provider.team_token:
        claims = table().each(keys.members_at_provider(provider.id, group))
        return sorted(_current({item["name"]: item["account"] for item in claims})), []
    from .github import GitHubConnector  # as in `registry`

    there = GitHubConnector(provider).members(group)
    places = {keys.identity(each): login for each, login in there.items()}
    linked = table().get_many(places)
    current = _current({item["name"]: item["account"] for item in linked.values()})
    known = {place for place, item in linked.items() if item["name"] in current}
    return sorted(current), sorted(login for place, login in places.items() if place not in known)


def _current(accounts: Mapping[str, str]) -> set[str]:
    """Those of the names that still belong to the same account."""
    found = {name: keys.user(name) for name in accounts}
    items = table().get_many(found.values())
    return {name for name, place in found.items() if items.get(place, {}).get("created_at") == accounts[name]}
