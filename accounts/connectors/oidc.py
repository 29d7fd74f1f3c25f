"""OpenID Connect: Keycloak, Entra ID, Google, Dex, Authentik and others.

Authorisation code flow with PKCE, and sign-outs that the provider announces.

What is accepted is decided here and not by what a provider offers: which algorithms, how much the clocks may differ,
that the answer names its issuer where the provider promises that (RFC 9207)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from authlib.common.urls import add_params_to_uri
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.claims import JWTClaims
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from django.utils.crypto import constant_time_compare
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from requests import RequestException

from .providers import (
    MAX_NAME_CHARS,
    TIMEOUT_SECONDS,
    Challenge,
    Identity,
    OutOfReach,
    Provider,
    ProviderError,
    SignedOut,
    digest,
    is_secure,
)

FRESH_SECONDS = 3600
RETRY_SECONDS = 10  # after a failure; meanwhile nobody waits for the provider
REFRESH_SECONDS = 60  # between two reloads asked for by tokens with unknown keys
Content = TypeVar("Content")


@dataclass
class Document(Generic[Content]):
    """Loaded when it is first needed. One that is out of date is better than none, if the provider does not answer."""

    provider: Provider
    load: Callable[[], Content]
    clock: Callable[[], float] = time.monotonic
    _content: Content | None = None
    _trouble: str = ""
    _next_load: float = float("-inf")
    _next_refresh: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self) -> Content:
        with self._lock:
            if self.clock() >= self._next_load:
                self._reload()
            return self._known()

    def refresh(self) -> Content:
        """Load it again before its time, at a bounded rate: anybody can send a token that names an unknown key."""
        with self._lock:
            if self.clock() >= self._next_refresh:
                self._next_refresh = self.clock() + REFRESH_SECONDS
                self._reload()
            return self._known()

    def _reload(self) -> None:
        try:
            self._content, seconds = self.load(), FRESH_SECONDS
        except OutOfReach as trouble:
            self._trouble, seconds = trouble.reason, RETRY_SECONDS
        self._next_load = self.clock() + seconds

    def _known(self) -> Content:
        if self._content is None:
            raise OutOfReach(self.provider, self._trouble)
        return self._content


ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
CLOCK_SKEW_SECONDS = 60
MAX_LOGOUT_TOKEN_AGE = 600
MAX_SUBJECT_CHARS = 255
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
REQUIRED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
ENDPOINTS = (*REQUIRED, "userinfo_endpoint", "end_session_endpoint")


class LogoutToken(JWTClaims):
    """Its type is in the header, so that no other token can be taken for one."""

    def validate(self, now: float | None = None, leeway: int = 0) -> None:
        super().validate(now, leeway)
        if str(self.header.get("typ", "")).lower().removeprefix("application/") != "logout+jwt":
            raise ValueError("not a logout token")


class OpenIDConnector:
    asks_again = True

    def __init__(self, provider: Provider):
        self.provider = provider
        self.metadata: Document[dict[str, Any]] = Document(provider, self._load_metadata)
        self.keys: Document[KeySet] = Document(provider, self._load_keys)

    # --- signing in ---

    def start(self, challenge: Challenge, redirect_uri: str) -> str:
        session = self._session(redirect_uri)
        again = {"prompt": "login", "max_age": "0"} if challenge.again else {}
        address, _state = session.create_authorization_url(
            self.metadata.get()["authorization_endpoint"],
            state=challenge.state,
            nonce=challenge.nonce,
            code_verifier=challenge.verifier,
            **again,
        )
        return str(address)

    def finish(self, challenge: Challenge, redirect_uri: str, answer: Mapping[str, str]) -> Identity:
        metadata = self.metadata.get()
        # Against mix-ups: an answer that another provider has sent here (RFC 9207).
        is_named = "iss" in answer or metadata.get("authorization_response_iss_parameter_supported") is True
        if is_named and not constant_time_compare(answer.get("iss", ""), self.provider.issuer):
            raise ProviderError(self.provider, "foreign issuer in the response")
        if "error" in answer or not answer.get("code"):
            raise ProviderError(self.provider, "declined")
        with self._session(redirect_uri) as session:
            token = self._fetch_token(session, metadata["token_endpoint"], answer["code"], challenge.verifier)
            params = {
                "nonce": challenge.nonce,
                "client_id": self.provider.client_id,
                "access_token": token.get("access_token"),
            }
            claims = self._verified(token.get("id_token"), CodeIDToken, params)
            if challenge.again and _proved_at(claims) < challenge.began - CLOCK_SKEW_SECONDS:
                raise ProviderError(self.provider, "did not ask again")
            return self._identity(claims, self._user_info(session, claims, metadata))

    def _fetch_token(self, session: OAuth2Session, address: str, code: str, verifier: str) -> dict[str, Any]:
        try:
            return dict(
                session.fetch_token(
                    address,
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=verifier,
                    allow_redirects=False,
                )
            )
        except OAuthError:
            raise ProviderError(self.provider, "code refused") from None
        except (RequestException, ValueError):
            raise OutOfReach(self.provider, "no token") from None

    def _user_info(self, session: OAuth2Session, claims: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
        """What the ID token leaves out, asked for only if something we need is missing."""
        wanted = ["email", *([self.provider.groups] if self.provider.needs_groups else [])]
        address = metadata.get("userinfo_endpoint")
        if not address or all(_find(claims, name) is not None for name in wanted):
            return {}
        info = self._get_json(session, address)
        if info.get("sub") != claims["sub"]:
            raise ProviderError(self.provider, "another subject in the user info")
        return info

    def _identity(self, claims: dict[str, Any], info: dict[str, Any]) -> Identity:
        """An address counts only together with what the same document says of it."""
        named, contact = {**info, **claims}, claims if "email" in claims else info
        is_verified = contact.get("email_verified") in (True, "true") or self.provider.trust_addresses
        return Identity(
            issuer=self.provider.issuer,
            subject=claims["sub"],
            name=(_text(named.get("name")) or _text(named.get("preferred_username")))[:MAX_NAME_CHARS],
            email=_text(contact.get("email")) if is_verified else "",
            groups=self.provider.relevant(_texts(_find(named, self.provider.groups))),
            methods=_texts(claims.get("amr")),
            session=_text(claims.get("sid")),
            proved_at=_proved_at(claims),
        )

    # --- signing out ---

    def sign_out_url(self, back: str) -> str:
        address = self.metadata.get().get("end_session_endpoint")
        wanted = {"client_id": self.provider.client_id, "post_logout_redirect_uri": back}
        return str(add_params_to_uri(address, wanted)) if address else ""

    def signed_out(self, token: str) -> SignedOut:
        claims = self._verified(token, LogoutToken, {})
        events, subject, session = claims.get("events"), _text(claims.get("sub")), _text(claims.get("sid"))
        is_recent = claims["iat"] > time.time() - MAX_LOGOUT_TOKEN_AGE - CLOCK_SKEW_SECONDS
        is_logout = isinstance(events, dict) and isinstance(events.get(LOGOUT_EVENT), dict) and "nonce" not in claims
        if not is_logout or not is_recent or not _text(claims.get("jti")) or not (subject or session):
            raise ProviderError(self.provider, "no logout token")
        issuer = self.provider.issuer
        session_key, key = (digest(issuer, each) if each else "" for each in (session, subject))
        return SignedOut(session_key, key, digest(issuer, claims["jti"]))

    # --- tokens and documents ---

    def _verified(self, token: Any, kind: type[JWTClaims], params: dict[str, Any]) -> dict[str, Any]:
        """The claims of a token that this provider has signed for us."""
        registry = JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
        try:
            try:
                decoded = jwt.decode(token, self.keys.get(), registry=registry)
            except InvalidKeyIdError:
                decoded = jwt.decode(token, self.keys.refresh(), registry=registry)
            expected: Any = {
                "iss": {"essential": True, "value": self.provider.issuer},
                "aud": {"essential": True, "value": self.provider.client_id},
                "iat": {"essential": True},
            }
            claims = kind(decoded.claims, decoded.header, expected, params)
            claims.validate(leeway=CLOCK_SKEW_SECONDS)
            subject = claims.get("sub", "")
            if kind is CodeIDToken and not 0 < len(subject) <= MAX_SUBJECT_CHARS:
                raise ProviderError(self.provider, "no subject")
        except (JoseError, ValueError, TypeError, AttributeError) as error:
            raise ProviderError(self.provider, f"token refused: {type(error).__name__}") from None
        return dict(claims)

    def _session(self, redirect_uri: str = "") -> OAuth2Session:
        offered = self.metadata.get().get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        method = "client_secret_basic" if "client_secret_basic" in offered else "client_secret_post"
        return OAuth2Session(
            self.provider.client_id,
            self.provider.client_secret,
            token_endpoint_auth_method=method,
            scope=self.provider.scope,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            default_timeout=TIMEOUT_SECONDS,
        )

    def _load_metadata(self) -> dict[str, Any]:
        address = get_well_known_url(self.provider.issuer, external=True)
        with OAuth2Session(default_timeout=TIMEOUT_SECONDS) as session:
            found = self._get_json(session, address, withhold_token=True)
        is_complete = all(found.get(name) for name in REQUIRED)
        # No provider elsewhere can make us ask something on this machine: the scheme is that of the issuer.
        scheme, named = (
            self.provider.issuer.partition(":")[0],
            [str(found[name]) for name in ENDPOINTS if found.get(name)],
        )
        is_safe = all(each.partition(":")[0] == scheme and is_secure(each.partition("?")[0]) for each in named)
        if found.get("issuer") != self.provider.issuer or not is_complete or not is_safe:
            raise OutOfReach(self.provider, "its description is of another issuer, incomplete or unsafe")
        return found

    def _load_keys(self) -> KeySet:
        with OAuth2Session(default_timeout=TIMEOUT_SECONDS) as session:
            found = self._get_json(session, self.metadata.get()["jwks_uri"], withhold_token=True)
        try:
            return KeySet.import_key_set(found)  # type: ignore[arg-type]
        except (JoseError, ValueError, KeyError, TypeError):
            raise OutOfReach(self.provider, "its keys cannot be read") from None

    def _get_json(self, session: OAuth2Session, address: str, **options: Any) -> dict[str, Any]:
        try:
            response = session.get(address, allow_redirects=False, **options)
            response.raise_for_status()
            found = response.json()
        except (RequestException, OAuthError, ValueError) as error:
            raise OutOfReach(self.provider, f"no answer: {type(error).__name__}") from None
        if response.status_code != 200 or not isinstance(found, dict):
            raise OutOfReach(self.provider, "unexpected answer")
        return found


def _proved_at(claims: dict[str, Any]) -> int:
    """Providers have to say it if `max_age` was asked for. The request goes through the browser, whose reader may have
    taken that out: an answer that does not say it proves nothing."""
    seconds = claims.get("auth_time")
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        return 0
    return min(seconds, int(time.time()))


def _find(claims: dict[str, Any], name: str) -> Any:
    """A claim by its name, or by a path such as `realm_access.roles`."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for word in name.split("."):
        found = found.get(word) if isinstance(found, dict) else None
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    some = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(each for each in some if isinstance(each, str))
