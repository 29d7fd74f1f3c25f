"""The identity providers that a site's operator has configured, and what a connector to one does.

The settings are read with this, so it needs neither the store nor the user model. No sentence repeats a secret.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from accounts.rules import Role
from foundation.acts.refusals import Refusal

KINDS = ("oidc", "github")
GITHUB = "https://github.com"
SCOPE = "openid profile email"
GROUPS = "groups"
MAX_LABEL_CHARS = 60
TEAM = r"[\w.-]+/[\w.-]+"
GRANTABLE = tuple(role.name for role in Role if Role.NO_ACCESS < role <= Role.ADMIN)
TEXTS = (
    *("kind", "label", "issuer", "client_id", "client_secret", "client_secret_file", "scope", "groups"),
    "team_token_file",
)
WORDS = (*TEXTS, "trust_addresses", "roles", "rolls")


@dataclass(frozen=True, slots=True)
class Provider:
    """One identity provider. `issuer` is its address; with the subject it identifies a person for good."""

    id: str
    kind: str
    label: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str = SCOPE
    groups: str = GROUPS  # the claim that lists a person's groups
    trust_addresses: bool = False  # whether it only has addresses that it has checked, though it does not say so
    roles: tuple[tuple[str, Role], ...] = ()  # what a group makes of its members
    rolls: tuple[str, ...] = ()  # the groups that the roll of an election may follow
    team_token: str = field(default="", repr=False)  # with which GitHub says who is in a team

    def relevant(self, groups: Iterable[str]) -> tuple[str, ...]:
        """Those that give a role or that rolls may follow; the others are nobody's business here."""
        wanted = dict.fromkeys((*(group for group, _role in self.roles), *self.rolls))
        return tuple(group for group in wanted if group in groups)

    @property
    def needs_groups(self) -> bool:
        return bool(self.roles or self.rolls)

    def granted(self, groups: tuple[str, ...]) -> Role | None:
        """The highest role that these groups give."""
        return max((role for group, role in self.roles if group in groups), default=None)


def read_providers(path: str) -> tuple[list[Provider], list[str]]:
    """The providers in the file, in its order, and what is wrong with it."""
    try:
        tables = tomllib.loads(Path(path).read_text())
    except OSError as error:
        return [], [f"SIGN_IN_PROVIDERS {path!r} cannot be read: {error.strerror}."]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return [], [f"SIGN_IN_PROVIDERS {path!r} is not a TOML file with one table for each provider."]
    mistakes = [f"SIGN_IN_PROVIDERS, {name}: {each}" for name, table in tables.items() for each in _wrong(name, table)]
    if mistakes:
        return [], mistakes
    providers = [_provider(name, table) for name, table in tables.items()]
    issuers = [each.issuer for each in providers]
    if len(set(issuers)) < len(issuers):
        return [], ["SIGN_IN_PROVIDERS names the same issuer twice."]
    return providers, []


def _wrong(name: str, table: Any) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,29}", name):
        yield "the name of a provider is made of small letters, digits and hyphens."
    if not isinstance(table, dict):
        yield "a provider is a table, such as [university]."
        return
    yield from (f"{word!r} is no word for a provider." for word in table if word not in WORDS)
    yield from (f"{word} is a text." for word in TEXTS if not isinstance(table.get(word, ""), str))
    if table.get("kind") not in KINDS:
        yield f"kind must be one of {', '.join(KINDS)}."
    if not 0 < len(str(table.get("label", name)).strip()) <= MAX_LABEL_CHARS:
        yield f"label has 1 to {MAX_LABEL_CHARS} characters."
    if not is_secure(str(table.get("issuer", GITHUB if table.get("kind") == "github" else ""))):
        yield "issuer must be an address that starts with https://, as the provider writes it."
    yield from (f"{word} is missing." for word in ("client_id",) if not table.get(word))
    if bool(table.get("client_secret")) == bool(table.get("client_secret_file")):
        yield "either client_secret or client_secret_file is needed."
    elif not isinstance(path := table.get("client_secret_file", ""), str) or (path and not _content(path)):
        yield "client_secret_file cannot be read or is empty."
    if isinstance(path := table.get("team_token_file", ""), str) and path and not _content(path):
        yield "team_token_file cannot be read or is empty."
    if not isinstance(table.get("trust_addresses", False), bool):
        yield "trust_addresses is true or false."
    roles = table.get("roles", {})
    if not isinstance(roles, dict) or any(role not in GRANTABLE for role in roles.values()):
        yield f"roles gives each group one of {', '.join(GRANTABLE)}."
    rolls = table.get("rolls", [])
    if not isinstance(rolls, list) or any(not isinstance(each, str) or not 0 < len(each) <= 200 for each in rolls):
        yield "rolls is a list of groups, each of 1 to 200 characters."
    elif table.get("kind") == "github" and not all(re.fullmatch(TEAM, each) for each in rolls):
        yield "rolls is a list of teams, such as organisation/team."


def _content(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _provider(name: str, table: dict[str, Any]) -> Provider:
    values = {"label": name, "issuer": GITHUB, **table}
    path, roles = values.pop("client_secret_file", ""), values.pop("roles", {})
    secret = _content(path) if path else values["client_secret"]
    token_path, rolls = values.pop("team_token_file", ""), values.pop("rolls", ())
    granted = tuple((group, Role[role]) for group, role in roles.items())
    return Provider(
        **{
            **values,
            "id": name,
            "client_secret": secret,
            "roles": granted,
            "rolls": tuple(rolls),
            "team_token": _content(token_path) if token_path else "",
        }
    )


def is_secure(address: str) -> bool:
    """HTTPS; plain HTTP only on this very machine."""
    try:
        url = urlsplit(address)
        if url.username is not None or url.query or url.fragment or not url.hostname:
            return False
        if url.scheme == "http":
            return url.hostname == "localhost" or ip_address(url.hostname).is_loopback
        return url.scheme == "https"
    except ValueError:  # also if the host has a name
        return False


MAX_NAME_CHARS = 200
TIMEOUT_SECONDS = (3, 5)  # to connect to a provider, and to wait for its answer
# RFC 8176: what proves more than a password
SECOND_FACTORS = frozenset(("mfa", "otp", "hwk", "swk", "sc", "pop"))
OUT_OF_REACH = _(
    "%(provider)s does not answer right now. Nothing was changed. Please try again in a moment, or sign in another way."
)
NOT_CONFIRMED = _("%(provider)s did not confirm who you are. Please try again.")


class ProviderError(Refusal):
    """The provider could not be asked, or its answer is not accepted; `reason` is for the log and names nobody."""

    def __init__(self, provider: Provider, reason: str, sentence: object = NOT_CONFIRMED):
        self.reason = reason
        super().__init__(str(sentence) % {"provider": provider.label})


class OutOfReach(ProviderError):
    """The provider is down, slow, or talks nonsense."""

    def __init__(self, provider: Provider, reason: str):
        super().__init__(provider, reason, OUT_OF_REACH)


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as their provider knows them. Only issuer and subject identify them; the rest may change."""

    issuer: str
    subject: str
    name: str = ""
    email: str = ""  # only if the provider has checked it
    groups: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()  # how they signed in there (`amr`)
    session: str = ""  # their session at the provider (`sid`)
    proved_at: int = 0  # when they last proved there who they are (`auth_time`); 0 if it does not say

    @property
    def key(self) -> str:
        """What we store: the subject itself is nobody's business here."""
        return digest(self.issuer, self.subject)

    def as_item(self) -> dict[str, Any]:
        return {**asdict(self), "groups": list(self.groups), "methods": list(self.methods)}

    @property
    def used_second_factor(self) -> bool:
        return not SECOND_FACTORS.isdisjoint(self.methods)

    @property
    def session_key(self) -> str:
        return digest(self.issuer, self.session) if self.session else ""


def identity_of(item: dict[str, Any]) -> Identity:
    return Identity(**{**item, "groups": tuple(item["groups"]), "methods": tuple(item["methods"])})


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Challenge:
    """The secrets of one sign-in, which its answer has to match. The verifier is for PKCE."""

    state: str
    nonce: str
    verifier: str
    began: int
    again: bool = False  # whether the person has to prove who they are, even if the provider remembers them


class Connector(Protocol):
    """One configured provider. Connectors neither read nor write the store."""

    provider: Provider
    asks_again: bool  # whether it makes people prove who they are when asked to, and says that it did

    def start(self, challenge: Challenge, redirect_uri: str) -> str:
        """Where to send the person."""

    def finish(self, challenge: Challenge, redirect_uri: str, answer: Mapping[str, str]) -> Identity:
        """Who they are, by the parameters they came back with. Raises `ProviderError`."""

    def sign_out_url(self, back: str) -> str:
        """Where they can sign out of the provider, too; empty if there is no such page."""

    def signed_out(self, token: str) -> SignedOut:
        """What a logout token says that the provider sent. Raises `ProviderError`."""


@dataclass(frozen=True, slots=True)
class SignedOut:
    """A sign-out at the provider: of one of its sessions, or of all sessions of a person. Empty if not named."""

    session_key: str
    key: str  # of the identity
    token_id: str
