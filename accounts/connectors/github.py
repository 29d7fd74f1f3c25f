"""GitHub, or an Enterprise Server: who signs in is asked of its API, and teams take the place of groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from requests import RequestException, Session

from .providers import (
    GITHUB,
    MAX_NAME_CHARS,
    TIMEOUT_SECONDS,
    Challenge,
    Identity,
    OutOfReach,
    Provider,
    ProviderError,
    SignedOut,
    digest,
)

MOST_TEAMS = 100
MEMBERS_PER_PAGE = 100
MOST_PAGES = 100


class GitHubConnector:
    asks_again = False  # it lets in whoever is signed in there

    def __init__(self, provider: Provider):
        self.provider = provider
        self.base = provider.issuer.rstrip("/")
        self.api = "https://api.github.com" if self.base == GITHUB else f"{self.base}/api/v3"

    def start(self, challenge: Challenge, redirect_uri: str) -> str:
        address, _state = self._session(redirect_uri).create_authorization_url(
            f"{self.base}/login/oauth/authorize",
            state=challenge.state,
            code_verifier=challenge.verifier,
        )
        return str(address)

    def finish(self, challenge: Challenge, redirect_uri: str, answer: Mapping[str, str]) -> Identity:
        if answer.get("iss", self.base) not in (self.base, f"{self.base}/login/oauth"):
            raise ProviderError(self.provider, "foreign issuer in the response")
        if "error" in answer or not answer.get("code"):
            raise ProviderError(self.provider, "declined")
        try:
            with self._session(redirect_uri) as session:
                session.fetch_token(
                    f"{self.base}/login/oauth/access_token",
                    grant_type="authorization_code",
                    code=answer["code"],
                    code_verifier=challenge.verifier,
                    allow_redirects=False,
                )
                return self._identity(session)
        except OAuthError:
            raise ProviderError(self.provider, "code refused") from None
        except (RequestException, ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutOfReach(self.provider, f"unexpected answer: {type(error).__name__}") from None

    def _identity(self, session: OAuth2Session) -> Identity:
        """Names can be given to somebody else; the number of an account cannot."""
        account, addresses = self._get(session, "/user"), self._get(session, "/user/emails")
        verified = [each["email"] for each in addresses if each["primary"] is True and each["verified"] is True]
        teams = self._get(session, f"/user/teams?per_page={MOST_TEAMS}") if self.provider.needs_groups else []
        return Identity(
            issuer=self.provider.issuer,
            subject=str(int(account["id"])),
            name=str(account.get("name") or account["login"])[:MAX_NAME_CHARS],
            email=verified[0] if verified else "",
            groups=self.provider.relevant([f"{each['organization']['login']}/{each['slug']}" for each in teams]),
        )

    def members(self, team: str) -> dict[str, str]:
        """Who is in a team at this moment: what they are called there, by the key of their identity."""
        organisation, slug = team.split("/")
        path = f"/orgs/{organisation}/teams/{slug}/members?per_page={MEMBERS_PER_PAGE}"
        found: dict[str, str] = {}
        try:
            with Session() as session:
                session.headers["Authorization"] = f"Bearer {self.provider.team_token}"
                for page in range(1, MOST_PAGES + 1):
                    some = self._get(session, f"{path}&page={page}", timeout=TIMEOUT_SECONDS)
                    found |= {digest(self.provider.issuer, str(int(each["id"]))): str(each["login"]) for each in some}
                    if len(some) < MEMBERS_PER_PAGE:
                        return found
        except (RequestException, ValueError, KeyError, TypeError) as error:
            raise OutOfReach(self.provider, f"unexpected answer: {type(error).__name__}") from None
        raise OutOfReach(self.provider, "too many members")

    def sign_out_url(self, back: str) -> str:
        return ""

    def signed_out(self, token: str) -> SignedOut:
        raise ProviderError(self.provider, "GitHub sends no logout tokens")

    def _get(self, session: Session, path: str, **options: Any) -> Any:
        response = session.get(
            f"{self.api}{path}", headers={"Accept": "application/vnd.github+json"}, allow_redirects=False, **options
        )
        response.raise_for_status()
        return response.json()

    def _session(self, redirect_uri: str) -> OAuth2Session:
        return OAuth2Session(
            self.provider.client_id,
            self.provider.client_secret,
            token_endpoint_auth_method="client_secret_post",  # noqa: S106 - the name of a method
            scope="read:user user:email" + (" read:org" if self.provider.needs_groups else ""),
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            default_timeout=TIMEOUT_SECONDS,
        )
