"""Identity providers on loopback: one that does as it is told, right or wrong, and GitHub's side of a sign-in."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from django.test import Client
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from accounts.connectors.providers import Provider

CLIENT_ID, SECRET = "plenum", "a-client-secret-that-no-log-may-have"
Answer = tuple[int, Any]


class Site(ThreadingHTTPServer):
    """A server whose pages are functions of the path, the form and the headers."""

    daemon_threads = True
    answer: Callable[[str, dict[str, str], Any], Answer]


class Pages(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self._respond({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._respond({name: values[0] for name, values in parse_qs(body).items()})

    def _respond(self, form: dict[str, str]) -> None:
        status, content = self.server.answer(self.path, form, self.headers)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_anything: Any) -> None:
        pass


@contextmanager
def serving(answer: Callable[[str, dict[str, str], Any], Answer]) -> Iterator[str]:
    """The address of a server that runs meanwhile, in a thread."""
    server = Site(("127.0.0.1", 0), Pages)
    server.answer = answer
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def new_key(kid: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": kid, "use": "sig"})


@dataclass
class Told:
    """What a provider is told to say; everything is right unless a test changes it."""

    metadata: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()  # claims left out
    info: dict[str, Any] | None = None
    header: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any], dict[str, Any]], str] | None = None
    status: dict[str, Answer] = field(default_factory=dict)  # by path: answers in place of the usual ones


class OpenIDProvider:
    """An OpenID provider that checks what we send as a good one does, and says what it is told."""

    def __init__(self) -> None:
        self.issuer = ""
        self.reset()

    def reset(self) -> None:
        self.told, self.key, self.published = Told(), new_key("first"), []
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def answer(self, path: str, form: dict[str, str], headers: Any) -> Answer:
        path = urlsplit(path).path
        self.asked.append(path)
        if path in self.told.status:
            return self.told.status[path]
        match path:
            case "/.well-known/openid-configuration":
                return 200, self.metadata()
            case "/jwks":
                keys = self.published or [self.key]
                return 200, KeySet(list(keys)).as_dict()
            case "/token":
                return self.token(form, headers)
            case "/userinfo" if self.told.info is not None:
                return 200, self.told.info
        return 404, {}

    def metadata(self) -> dict[str, Any]:
        pages = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        pages |= {"end_session_endpoint": "end"} | ({"userinfo_endpoint": "userinfo"} if self.told.info else {})
        addresses = {name: f"{self.issuer}/{page}" for name, page in pages.items()}
        return {"issuer": self.issuer, **addresses, **self.told.metadata}

    def token(self, form: dict[str, str], headers: Any) -> Answer:
        """Each code works once, for who knows the client's secret and the verifier."""
        asked = self.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT_ID}:{SECRET}".encode()).decode()
        hashed = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).decode().rstrip("=")
        if asked is None or headers["Authorization"] != f"Basic {basic}" or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant", "error_description": "<b>no</b>"}
        if asked["redirect_uri"] != form.get("redirect_uri") or asked["code_challenge_method"] != "S256":
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "alice", "iat": now, "exp": now + 300, "nonce": nonce}
        usual |= {"email": "alice@example.org", "email_verified": True, "name": "Alice Example", "sid": "there-1"}
        usual |= {"auth_time": now}
        claims = {name: value for name, value in {**usual, **self.told.claims}.items() if name not in self.told.without}
        return self.signed(claims)

    def signed(self, claims: dict[str, Any], typ: str = "JWT") -> str:
        header = {"typ": typ, "alg": "ES256", "kid": self.key.kid, **self.told.header}
        return self.told.sign(header, claims) if self.told.sign else jwt.encode(header, claims, self.key)

    def logout_token(self, typ: str = "logout+jwt", **changes: Any) -> str:
        """`None` leaves a claim out."""
        event, now = {"http://schemas.openid.net/event/backchannel-logout": {}}, int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": secrets.token_hex(8)}
        claims = {**usual, "sid": "there-1", "events": event, **changes}
        return self.signed({name: value for name, value in claims.items() if value is not None}, typ)

    # --- what a browser does there ---

    def allow(self, address: str, **changes: str) -> dict[str, str]:
        """The parameters with which a browser is sent back, once the person has signed in there."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        code = secrets.token_hex(8)
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], **changes}
        return {name: value for name, value in answer.items() if value}

    def configured(self, provider_id: str = "uni", **changes: Any) -> Provider:
        values = {"id": provider_id, "kind": "oidc", "label": "Example University", "issuer": self.issuer}
        return Provider(**{**values, "client_id": CLIENT_ID, "client_secret": SECRET, **changes})


class GitHub:
    """As much of GitHub as a sign-in asks for."""

    def __init__(self) -> None:
        self.issuer = ""
        self.reset()

    def reset(self) -> None:
        self.account: Any = {"id": 4711, "login": "alice", "name": None}
        self.emails: Any = [
            {"email": "old@example.org", "primary": False, "verified": True},
            {"email": "alice@example.org", "primary": True, "verified": True},
        ]
        self.teams = [{"slug": "board", "organization": {"login": "example"}}]
        self.codes: dict[str, dict[str, str]] = {}

    def answer(self, path: str, form: dict[str, str], headers: Any) -> Answer:
        path = urlsplit(path).path
        if path == "/login/oauth/access_token":
            known = self.codes.pop(form.get("code", ""), None) and form.get("client_secret") == SECRET
            return 200, {"access_token": "gho", "token_type": "bearer"} if known else {"error": "bad_verification_code"}
        if headers["Authorization"] != "Bearer gho":
            return 401, {}
        found = {"/api/v3/user": self.account, "/api/v3/user/emails": self.emails, "/api/v3/user/teams": self.teams}
        return (200, found[path]) if path in found else (404, {})

    def allow(self, address: str) -> dict[str, str]:
        asked = dict(parse_qsl(urlsplit(address).query))
        code = secrets.token_hex(8)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def configured(self, **changes: Any) -> Provider:
        values = {"id": "github", "kind": "github", "label": "GitHub", "issuer": self.issuer}
        return Provider(**{**values, "client_id": CLIENT_ID, "client_secret": SECRET, **changes})


def begin(client: Client, provider_id: str = "uni", **query: str) -> str:
    """Press the button; the address of the provider that it leads to."""
    response = client.get(f"/sign-in/with/{provider_id}/", query)
    assert response.status_code == 302, response
    return str(response["Location"])


def come_back(client: Client, answer: dict[str, str], provider_id: str = "uni") -> Any:
    return client.get(f"/sign-in/with/{provider_id}/done/?{urlencode(answer)}")


def said(client: Client, response: Any) -> str:
    """The text of the page that a response leads to."""
    for _ in range(5):
        if response.status_code not in (301, 302):
            break
        response = client.get(response["Location"])
    return response.content.decode()


def leads_to(page: Any) -> str:
    """The address of the provider that a page leads to."""
    assert page.status_code == 200, page
    return html.unescape(re.findall(r'content="0;url=([^"]*)"', page.content.decode())[0])
