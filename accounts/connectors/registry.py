"""The connectors of this site, by their configuration."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.http import Http404

from .providers import Connector, Provider


def providers() -> tuple[Provider, ...]:
    return tuple(settings.SIGN_IN_PROVIDERS)


def connector(provider_id: str) -> Connector:
    """Raises 404 if there is none of that name."""
    found = next((each for each in providers() if each.id == provider_id), None)
    if found is None:
        raise Http404
    return connector_of(found)


@lru_cache(32)
def connector_of(provider: Provider) -> Connector:
    """One for each process: it caches what the provider says about itself.

    Sites without providers do not load what talks to them: 9 MB, and a tenth of a second of a start.
    """
    if provider.kind == "github":
        from .github import GitHubConnector

        return GitHubConnector(provider)
    from .oidc import OpenIDConnector

    return OpenIDConnector(provider)


def label_of(provider_id: str) -> str:
    """What people call it; its id, if it is no longer configured."""
    return next((each.label for each in providers() if each.id == provider_id), provider_id)
