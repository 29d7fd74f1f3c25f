"""What a connector does, and what it learns about a person from their identity provider."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal

from .configuration import Provider

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
