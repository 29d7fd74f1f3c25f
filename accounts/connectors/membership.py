"""Who is in which group at a provider, as far as rolls may follow it: as of the last sign-in, or asked of GitHub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings

from accounts.models import User
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Delete, Item, Put

from .configuration import Provider


def followable() -> dict[str, tuple[Provider, str]]:
    """The groups and teams that rolls may follow, by how forms and the store write them."""
    return {f"{each.id} {group}": (each, group) for each in settings.SIGN_IN_PROVIDERS for group in each.rolls}


# --- as of the last sign-in ---


def remember(user: User, provider: Provider, groups: tuple[str, ...]) -> None:
    """Replaces what was known before; usually nothing has changed."""
    known = {item["group"] for item in table().each(keys.provider_groups(user.name, provider.id))}
    now = {group for group in provider.rolls if group in groups}
    about = {"name": user.name, "account": user.created_at, "provider": provider.id}
    for group in now - known:
        at, listed = keys.provider_group(user.name, provider.id, group), keys.members_at_provider(provider.id, group)
        table().write(Put({**at.item, "GSI1PK": listed.pk, "GSI1SK": at.pk, **about, "group": group}))
    for group in known - now:
        table().write(Delete(keys.provider_group(user.name, provider.id, group)))


def forget(gone: User, provider_id: str = "") -> None:
    """What one provider said about somebody, or all of them."""
    for item in table().each(keys.provider_groups(gone.name, provider_id)):
        table().write(Delete(keys.provider_group(gone.name, item["provider"], item["group"])))


def export(user: User) -> Iterator[Item]:
    for item in table().each(keys.provider_groups(user.name)):
        yield {"provider": item["provider"], "group": item["group"]}


# --- who they are ---


def members(provider: Provider, group: str) -> tuple[list[str], list[str]]:
    """The names of their accounts here, and what those without one are called there. Raises `ProviderError`."""
    if not provider.team_token:
        claims = table().each(keys.members_at_provider(provider.id, group))
        return sorted(_current({item["name"]: item["account"] for item in claims})), []
    from .github.connector import GitHubConnector  # as in `registry`

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
