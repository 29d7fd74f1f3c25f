"""Signing in with an OpenID provider that lies, fails or is impersonated: nobody gets in who should not."""

from __future__ import annotations

import base64
import hmac
import json
import logging
import socket
import time
from http.cookies import SimpleCookie

import pytest
from django.test import Client
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from accounts import repository, throttle
from accounts.connectors import identities, oidc, registry
from accounts.connectors.oidc import Document
from accounts.connectors.providers import Identity, OutOfReach
from accounts.models import User
from foundation.acts.rate_limits import Limit
from tests.people import make_owner, make_person, sign_in

from .providers import CLIENT_ID, SECRET, OpenIDProvider, begin, come_back, leads_to, new_key, said, serving

NOT_CONFIRMED = "Example University did not confirm who you are."
LOST = "This sign-in was already used, took too long, or began in another browser."
DOWN = "Example University does not answer right now."


@pytest.fixture(scope="module")
def _running():
    provider = OpenIDProvider()
    with serving(provider.answer) as provider.issuer:
        yield provider


@pytest.fixture
def provider(_running, settings, site) -> OpenIDProvider:
    """A provider that does everything right so far, of a site with an owner."""
    _running.reset()
    registry.connector_of.cache_clear()
    settings.SIGN_IN_PROVIDERS = [_running.configured()]
    make_owner()
    return _running


@pytest.fixture
def alice(provider) -> User:
    """Somebody who has linked her account."""
    user = make_person("alice", email="alice@example.org")
    identities.link(user, provider.configured(), Identity(provider.issuer, "alice"))
    return repository.find("alice")


def attempt(provider: OpenIDProvider, client: Client | None = None, **changes: str) -> tuple[Client, str]:
    """A sign-in from the button to the page it ends on."""
    client = client or Client()
    return client, said(client, come_back(client, provider.allow(begin(client), **changes)))


def counters(site) -> dict[str, int]:
    """All that limits how often something is tried; what was given back is zero."""
    found = ((item["PK"], item.get("tries")) for _, item in site.everything())
    return {at: tries for at, tries in found if at.startswith("THROTTLE#") and tries}


def who(client: Client) -> str:
    return client.session.get("_auth_user_id", "")


def test_a_person_who_has_linked_their_account_is_signed_in(provider, alice):
    client, _page = attempt(provider)
    assert who(client) == "alice"


# --- answers that do not belong to a question of this browser ---


def test_a_state_works_once(provider, alice):
    client = Client()
    answer = provider.allow(begin(client))
    kept = SimpleCookie(client.cookies.output(header="", sep=";"))
    come_back(client, answer)
    assert who(client) == "alice"
    thief = Client()
    thief.cookies = kept
    assert LOST in said(
        thief, come_back(thief, {**answer, **provider.allow(begin(Client())), "state": answer["state"]})
    )
    assert who(thief) == ""


def test_a_code_works_once(provider, alice):
    client = Client()
    answer = provider.allow(begin(client))
    come_back(client, answer)
    thief = Client()
    second = provider.allow(begin(thief))
    assert NOT_CONFIRMED in said(thief, come_back(thief, {**second, "code": answer["code"]}))
    assert who(thief) == ""


def test_a_code_asked_for_by_another_browser_is_of_no_use(provider, alice):
    """PKCE: the verifier never leaves the browser's cookie."""
    victim, thief = Client(), Client()
    stolen = provider.allow(begin(victim))["code"]
    own = provider.allow(begin(thief))
    assert NOT_CONFIRMED in said(thief, come_back(thief, {**own, "code": stolen}))
    assert who(thief) == ""


def test_an_answer_that_another_browser_has_asked_for_is_refused(provider, alice):
    """Otherwise a link could sign its victim in to an account of the attacker's."""
    attacker, victim = Client(), Client()
    answer = provider.allow(begin(attacker))
    assert LOST in said(victim, come_back(victim, answer))
    assert who(victim) == ""


@pytest.mark.parametrize("state", ["", "made-up", "ä" * 3000])
def test_a_made_up_state_is_refused(provider, alice, state):
    client = Client()
    answer = provider.allow(begin(client))
    assert LOST in said(client, come_back(client, {**answer, "state": state}))


def test_a_cookie_from_elsewhere_is_refused(provider, alice):
    client = Client()
    answer = provider.allow(begin(client))
    name = next(name for name in client.cookies if name.startswith("plenum_flow_"))
    client.cookies[name] = client.cookies[name].value[:-8] + "AAAAAAAA"
    assert LOST in said(client, come_back(client, answer))


def test_the_cookie_is_for_this_purpose_only_and_short_lived(provider):
    client = Client()
    begin(client)
    cookie = next(cookie for name, cookie in client.cookies.items() if name.startswith("plenum_flow_"))
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["max-age"]) == (
        True,
        "Lax",
        "/sign-in/with/",
        600,
    )
    assert "nonce" not in cookie.value


def test_two_tabs_can_sign_in_at_once(provider, alice):
    client = Client()
    first, second = provider.allow(begin(client, next="/me/")), provider.allow(begin(client, next="/people/"))
    assert come_back(client, first)["Location"] == "/me/"
    assert come_back(client, second)["Location"] == "/people/"
    assert who(client) == "alice"


def test_a_browser_holds_few_sign_ins_that_have_begun(provider, alice):
    client = Client()
    for _ in range(12):
        last = begin(client)
    waiting = [cookie for name, cookie in client.cookies.items() if name.startswith("plenum_flow_") and cookie.value]
    assert len(waiting) <= 5
    come_back(client, provider.allow(last))
    assert who(client) == "alice"


def test_a_parameter_twice_is_refused(provider, alice):
    client = Client()
    answer = provider.allow(begin(client))
    response = client.get(f"/sign-in/with/uni/done/?state={answer['state']}&code=x&code={answer['code']}")
    assert NOT_CONFIRMED in said(client, response)


# --- answers of another issuer ---


def test_an_answer_in_the_name_of_another_issuer_is_refused(provider, alice):
    client, page = attempt(provider, iss="https://evil.example")
    assert NOT_CONFIRMED in page
    assert who(client) == ""


def test_an_answer_without_issuer_is_refused_if_the_provider_promises_one(provider, alice):
    provider.told.metadata["authorization_response_iss_parameter_supported"] = True
    assert NOT_CONFIRMED in attempt(provider)[1]
    client, _page = attempt(provider, iss=provider.issuer)
    assert who(client) == "alice"


def test_one_provider_cannot_answer_in_the_place_of_another(provider, alice, settings):
    """A mix-up: the question went to one, the answer comes to the page of the other."""
    other = provider.configured("other", issuer="http://127.0.0.1:9/other", label="Other")
    settings.SIGN_IN_PROVIDERS = [*settings.SIGN_IN_PROVIDERS, other]
    client = Client()
    answer = provider.allow(begin(client))
    assert LOST in said(client, come_back(client, answer, "other"))
    assert who(client) == ""


def test_a_description_of_another_issuer_is_refused(provider):
    provider.told.metadata["issuer"] = "https://evil.example"
    client = Client()
    assert DOWN in said(client, client.get("/sign-in/with/uni/"))


@pytest.mark.parametrize(
    "address", ["http://evil.example/token", "https://evil.example/token", "ftp://127.0.0.1/token", "", None]
)
def test_a_description_with_an_unsafe_address_is_refused(provider, address):
    provider.told.metadata["token_endpoint"] = address
    client = Client()
    assert DOWN in said(client, client.get("/sign-in/with/uni/"))


# --- forged tokens ---

NOW = int(time.time())


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of-another-sign-in"},
        {"nonce": ""},
        {"iss": "https://evil.example"},
        {"iss": 7},
        {"aud": "another-site"},
        {"aud": []},
        {"aud": [CLIENT_ID, "another-site"]},
        {"aud": [CLIENT_ID, "another-site"], "azp": "another-site"},
        {"azp": "another-site"},
        {"exp": NOW - 600},
        {"exp": "tomorrow"},
        {"iat": NOW + 36000},
        {"nbf": NOW + 36000},
        {"sub": ""},
        {"sub": 7},
        {"sub": "s" * 256},
        {"at_hash": "of-another-token"},
        {"amr": "mfa"},
    ],
    ids=", ".join,
)
def test_a_token_with_a_wrong_claim_is_refused(provider, alice, claims):
    provider.told.claims = claims
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


@pytest.mark.parametrize("claim", ["iss", "aud", "sub", "exp", "iat", "nonce"])
def test_a_token_without_a_claim_it_needs_is_refused(provider, alice, claim):
    provider.told.without = (claim,)
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


@pytest.mark.parametrize("claims", [{"exp": NOW - 2}, {"iat": NOW + 45}, {"nbf": NOW + 45}], ids=", ".join)
def test_clocks_may_differ_a_little(provider, alice, claims):
    """The margins are so wide that no slow machine gets out of them."""
    moved = {name: value + int(time.time()) - NOW for name, value in claims.items()}
    provider.told.claims = moved
    client, _page = attempt(provider)
    assert who(client) == "alice"


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def unsigned(header, claims) -> str:
    return ".".join(encoded(json.dumps(each).encode()) for each in (header, claims)) + "."


def without_algorithm(header, claims) -> str:
    return unsigned({**header, "alg": "none"}, claims)


def test_a_token_without_signature_is_refused(provider, alice):
    provider.told.sign = without_algorithm
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


@pytest.mark.parametrize("form", ["pem", "der"])
def test_the_public_key_is_no_secret_to_sign_with(provider, alice, form):
    """HS256 with the public key as its secret: the classic confusion of algorithms."""
    public = getattr(provider.key, f"as_{form}")(private=False)

    def sign(header, claims) -> str:
        text = unsigned({**header, "alg": "HS256"}, claims).removesuffix(".")
        return f"{text}.{encoded(hmac.digest(public, text.encode(), 'sha256'))}"

    provider.told.sign = sign
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


def test_the_clients_secret_is_no_key_to_sign_with(provider, alice):
    shared = OctKey.import_key(SECRET)
    provider.published = [OctKey.import_key(SECRET, {"kid": "first"}), provider.key]
    provider.told.sign = lambda header, claims: jwt.encode({**header, "alg": "HS256"}, claims, shared, ["HS256"])
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


def test_a_token_signed_with_another_key_is_refused(provider, alice):
    stranger = new_key("first")
    provider.told.sign = lambda header, claims: jwt.encode(header, claims, stranger)
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


def test_a_key_inside_the_token_does_not_count(provider, alice):
    stranger = ECKey.generate_key("P-256", {"kid": "mine"})
    provider.told.header = {"jwk": stranger.as_dict(private=False), "kid": "mine"}
    provider.told.sign = lambda header, claims: jwt.encode(header, claims, stranger)
    assert NOT_CONFIRMED in attempt(provider)[1]


@pytest.mark.parametrize("algorithm", ["RS256", "PS256"])
def test_the_usual_algorithms_are_accepted(provider, alice, algorithm):
    provider.key = RSAKey.generate_key(2048, {"kid": "rsa"})
    provider.told.sign = lambda header, claims: jwt.encode(
        {**header, "alg": algorithm}, claims, provider.key, [algorithm]
    )
    client, _page = attempt(provider)
    assert who(client) == "alice"


@pytest.mark.parametrize("algorithm", ["RS512", "ES384"])
def test_other_algorithms_are_refused_though_the_provider_offers_them(provider, alice, algorithm):
    provider.told.metadata["id_token_signing_alg_values_supported"] = [algorithm]
    provider.key = (
        RSAKey.generate_key(2048, {"kid": "other"})
        if algorithm == "RS512"
        else ECKey.generate_key("P-384", {"kid": "other"})
    )
    provider.told.sign = lambda header, claims: jwt.encode(
        {**header, "alg": algorithm}, claims, provider.key, [algorithm]
    )
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


@pytest.mark.parametrize("token", ["", "a.b.c", "not a token", None, 7])
def test_what_is_no_token_is_refused(provider, alice, token):
    provider.told.sign = lambda header, claims: token
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


# --- keys that change ---


def test_a_provider_may_change_its_keys(provider, alice):
    assert who(attempt(provider)[0]) == "alice"
    provider.key = new_key("second")
    assert who(attempt(provider)[0]) == "alice"


def test_unknown_keys_do_not_make_us_ask_the_provider_all_the_time(provider, alice):
    stranger = new_key("unknown")
    provider.told.header = {"kid": "unknown"}
    provider.told.sign = lambda header, claims: jwt.encode(header, claims, stranger)
    for _ in range(4):
        assert NOT_CONFIRMED in attempt(provider)[1]
    assert provider.asked.count("/jwks") == 2, "once to begin with, once because of the unknown key"


def test_documents_are_asked_for_again_in_time():
    """By the clock that is passed in."""
    now, asked = [0.0], []

    def load() -> str:
        asked.append(now[0])
        return f"number {len(asked)}"

    document = Document(OpenIDProvider().configured(), load, lambda: now[0])
    assert document.get() == document.get() == "number 1"
    now[0] = oidc.FRESH_SECONDS
    assert document.get() == "number 2"
    assert document.refresh() == document.refresh() == "number 3"
    now[0] += oidc.REFRESH_SECONDS
    assert document.refresh() == "number 4"


def test_a_document_outlives_the_failure_of_its_provider():
    now, is_down = [0.0], [True]
    provider = OpenIDProvider().configured()

    def load() -> str:
        if is_down[0]:
            raise OutOfReach(provider, "down")
        return "there"

    document = Document(provider, load, lambda: now[0])
    with pytest.raises(OutOfReach):
        document.get()
    is_down[0] = False
    with pytest.raises(OutOfReach):
        document.get()
    now[0] = oidc.RETRY_SECONDS
    assert document.get() == "there"
    is_down[0], now[0] = True, now[0] + oidc.FRESH_SECONDS
    assert document.get() == "there"


# --- a provider in trouble ---


@pytest.mark.parametrize("answer", [(500, {}), (404, {}), (302, {}), (200, b"<html>"), (200, []), (200, {})], ids=str)
def test_a_provider_that_does_not_describe_itself_is_out_of_reach(provider, answer):
    provider.told.status["/.well-known/openid-configuration"] = answer
    client = Client()
    page = said(client, client.get("/sign-in/with/uni/", {"next": "/me/"}))
    assert DOWN in page
    assert 'name="next" value="/me/"' in page, "where they wanted to go is not lost"


@pytest.mark.parametrize("answer", [(500, {}), (503, b"busy"), (200, b"<html>"), (200, [])], ids=str)
def test_a_provider_that_gives_no_token_is_out_of_reach(provider, alice, answer):
    provider.told.status["/token"] = answer
    client, page = attempt(provider)
    assert DOWN in page
    assert who(client) == ""
    provider.told.status.clear()
    assert who(attempt(provider, client)[0]) == "alice", "and the next try works"


@pytest.mark.parametrize("answer", [(500, {}), (200, {"keys": []}), (200, {"keys": "none"}), (200, {})], ids=str)
def test_a_provider_without_keys_is_out_of_reach(provider, alice, answer):
    provider.told.status["/jwks"] = answer
    client, page = attempt(provider)
    assert DOWN in page
    assert who(client) == ""


def test_a_provider_that_is_silent_or_switched_off_is_out_of_reach(provider, settings, monkeypatch):
    """Nobody answers at a socket that only listens. The time limit is always exceeded, so a short one will do."""
    monkeypatch.setattr(oidc, "TIMEOUT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.SIGN_IN_PROVIDERS = [provider.configured(issuer=f"http://127.0.0.1:{silent.getsockname()[1]}")]
        client = Client()
        assert DOWN in said(client, client.get("/sign-in/with/uni/"))
    registry.connector_of.cache_clear()
    assert DOWN in said(client, client.get("/sign-in/with/uni/"))
    assert client.get("/sign-in/").status_code == 200


def test_who_declines_at_the_provider_comes_back_to_the_sign_in_page(provider, alice):
    client = Client()
    answer = provider.allow(begin(client), code="", error="access_denied", error_description="<script>")
    page = said(client, come_back(client, answer))
    assert NOT_CONFIRMED in page
    assert "<script>" not in page.split("<main", 1)[1]


# --- where it leads ---


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"]
)
def test_a_sign_in_leads_nowhere_else(provider, alice, address):
    client = Client()
    response = come_back(client, provider.allow(begin(client, next=address)))
    assert response["Location"] == "/"
    assert who(client) == "alice"


def test_the_redirect_address_is_ours_whatever_the_request_says(provider, settings):
    settings.ALLOWED_HOSTS = ["*"]
    response = Client().get("/sign-in/with/uni/", headers={"host": "evil.example"})
    assert "evil.example" not in response["Location"]


# --- addresses are no proof ---


def test_an_address_of_an_account_does_not_open_it(provider):
    make_person("alice", email="alice@example.org")
    client, page = attempt(provider)
    assert "There is already an account with your address." in page
    assert who(client) == ""
    assert repository.find("alice").identities == []


@pytest.mark.parametrize("claims", [{"email_verified": False}, {"email_verified": "false"}, {"email_verified": None}])
def test_an_address_that_is_not_verified_creates_no_account(provider, claims):
    provider.told.claims = claims
    client, page = attempt(provider)
    assert "has not confirmed an email address of yours" in page
    assert "newcomer" not in client.session


def test_a_verified_mark_elsewhere_does_not_count(provider):
    """The ID token has the address, the other document the mark: an attacker may have written one of them."""
    provider.told.without = ("email_verified",)
    provider.told.info = {"sub": "alice", "email": "other@example.org", "email_verified": True}
    assert "has not confirmed an email address of yours" in attempt(provider)[1]


def test_user_info_of_somebody_else_is_refused(provider, alice):
    provider.told.without = ("email",)
    provider.told.info = {"sub": "mallory", "email": "owner@example.org", "email_verified": True}
    client, page = attempt(provider)
    assert NOT_CONFIRMED in page
    assert who(client) == ""


def test_subjects_are_told_apart_by_case_and_issuer(provider, alice, settings):
    for subject in ("Alice", "alice ", "ALICE"):
        provider.told.claims = {"sub": subject}
        assert who(attempt(provider)[0]) == ""


# --- linking ---


def test_an_identity_belongs_to_one_account(provider, alice):
    client = sign_in("bob")
    page = client.post("/me/providers/uni/link/", {"present": "correct horse battery"})
    response = come_back(client, provider.allow(leads_to(page)))
    assert "Another account here is already linked" in said(client, response)
    assert repository.find("bob").identities == []


def test_linking_needs_the_password(provider):
    client = sign_in("bob")
    assert client.post("/me/providers/uni/link/", {"present": "wrong"}).status_code == 422
    assert client.post("/me/providers/uni/link/").status_code == 422


def test_a_link_that_one_person_began_does_not_end_with_another(provider):
    bob, eve = sign_in("bob"), sign_in("eve")
    page = bob.post("/me/providers/uni/link/", {"present": "correct horse battery"})
    answer = provider.allow(leads_to(page))
    for name, cookie in bob.cookies.items():
        if name.startswith("plenum_flow_"):
            eve.cookies[name] = cookie.value
    assert LOST in said(eve, come_back(eve, answer))
    assert repository.find("eve").identities == repository.find("bob").identities == []


def test_a_link_does_not_end_signed_out(provider):
    bob = sign_in("bob")
    page = bob.post("/me/providers/uni/link/", {"present": "correct horse battery"})
    answer = provider.allow(leads_to(page))
    bob.post("/sign-out/")
    assert LOST in said(bob, come_back(bob, answer))
    assert repository.find("bob").identities == []


# --- logout tokens ---


def logout(token: str) -> int:
    return Client().post("/sign-in/with/uni/logout/", {"logout_token": token}).status_code


def is_in(client: Client) -> bool:
    return client.get("/me/").status_code == 200


def test_a_logout_token_ends_the_sessions_that_began_with_it(provider, alice):
    client, other, by_password = attempt(provider)[0], Client(), sign_in(alice)
    provider.told.claims = {"sid": "there-2"}
    attempt(provider, other)
    assert logout(provider.logout_token()) == 200
    assert [is_in(each) for each in (client, other, by_password)] == [False, True, True]


def test_a_logout_token_for_a_subject_ends_all_that_began_with_it(provider, alice):
    client, by_password = attempt(provider)[0], sign_in(alice)
    assert logout(provider.logout_token(sid=None, sub="alice")) == 200
    assert [is_in(each) for each in (client, by_password)] == [False, True]
    assert logout(provider.logout_token(sid=None, sub="nobody")) == 200


def test_a_logout_token_counts_once(provider, alice):
    token = provider.logout_token()
    assert logout(token) == 200
    client = attempt(provider)[0]
    assert logout(token) == 400
    assert is_in(client)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "another-site"},
        {"iat": None},
        {"iat": NOW - 36000},
        {"iat": NOW + 36000},
        {"exp": NOW - 600},
        {"jti": None},
        {"jti": ""},
        {"events": None},
        {"events": {"https://evil.example": {}}},
        {"events": ["http://schemas.openid.net/event/backchannel-logout"]},
        {"nonce": "as in an ID token"},
        {"sid": None},
        {"sid": 7},
        {"typ": "JWT"},
        {"typ": "at+jwt"},
    ],
    ids=", ".join,
)
def test_a_logout_token_with_a_wrong_claim_is_refused(provider, alice, changes):
    client = attempt(provider)[0]
    assert logout(provider.logout_token(**changes)) == 400
    assert is_in(client)


def test_a_forged_logout_token_is_refused(provider, alice):
    client = attempt(provider)[0]
    good = provider.logout_token()
    provider.told.sign = without_algorithm
    assert [logout(each) for each in ("", "x", provider.logout_token(), good[:-4] + "AAAA")] == [400] * 4
    assert is_in(client)


def test_an_id_token_is_no_logout_token(provider, alice):
    client = attempt(provider)[0]
    assert logout(provider.id_token("nonce")) == 400
    assert is_in(client)


def test_the_front_channel_ends_the_session_it_names(provider, alice):
    client = attempt(provider)[0]
    address = "/sign-in/with/uni/signed-out/"
    assert Client().get(address).status_code == 400
    assert Client().get(address, {"iss": "https://evil.example", "sid": "there-1"}).status_code == 400
    assert Client().get(address, {"iss": provider.issuer}).status_code == 400
    assert Client().get(address, {"iss": provider.issuer, "sid": "made-up"}).status_code == 200
    assert is_in(client)
    assert Client().get(address, {"iss": provider.issuer, "sid": "there-1"}).status_code == 200
    assert not is_in(client)
    client = attempt(provider)[0]
    assert Client().get(address, {"sid": "there-1"}).status_code == 200, "as Entra asks"
    assert not is_in(client)


def test_refused_messages_use_up_nothing_of_others_behind_the_same_address(provider, alice, site):
    """Pages of other sites can make a reader's browser ask for the front channel, and post to the back channel."""
    client, address = attempt(provider)[0], "/sign-in/with/uni/signed-out/"
    counted = counters(site)
    for _ in range(4):
        assert logout("x") == 400
        assert Client().get(address, {"iss": "https://evil.example", "sid": "x"}).status_code == 400
    assert counters(site) == counted
    assert Client().get(address, {"iss": provider.issuer, "sid": "there-1"}).status_code == 200
    assert not is_in(client)


# --- limits and logs ---


def test_failures_are_limited_and_successes_are_not(provider, alice, monkeypatch):
    monkeypatch.setattr(throttle, "BY_PROVIDER", Limit("sign-in-provider", 2, 600))
    for _ in range(4):
        assert who(attempt(provider)[0]) == "alice"
    provider.told.claims = {"nonce": "wrong"}
    for _ in range(2):
        assert NOT_CONFIRMED in attempt(provider)[1]
    provider.told.claims = {}
    client, page = attempt(provider)
    assert "That was tried too often." in page
    assert who(client) == ""


@pytest.mark.parametrize("headers", [{}, {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}], ids=str)
def test_made_up_states_keep_nobody_out_who_is_behind_the_same_address(provider, alice, site, monkeypatch, headers):
    """Neither those of a program, nor the pictures of a page elsewhere, which browsers ask for without our cookies."""
    monkeypatch.setattr(throttle, "BY_PROVIDER", Limit("sign-in-provider", 2, 600))
    somebody, counted = Client(headers=headers), counters(site)
    for number in range(5):
        come_back(somebody, {"state": f"made up {number}", "code": "x"})
    assert counters(site) == counted
    assert who(attempt(provider)[0]) == "alice"


def test_a_flow_that_is_used_up_counts_for_nothing_when_sent_again(provider, alice, site, monkeypatch):
    monkeypatch.setattr(throttle, "BY_PROVIDER", Limit("sign-in-provider", 2, 600))
    client = Client()
    answer = provider.allow(begin(client))
    kept = SimpleCookie(client.cookies.output(header="", sep=";"))
    come_back(client, answer)
    for _ in range(5):
        client.cookies = SimpleCookie(kept.output(header="", sep=";"))
        assert LOST in said(client, come_back(client, answer))
    assert who(attempt(provider)[0]) == "alice"


def test_no_log_has_secrets_tokens_or_names(provider, alice, caplog):
    caplog.set_level(logging.DEBUG)
    client = Client()
    answer = provider.allow(begin(client))
    come_back(client, answer)
    provider.told.claims = {"nonce": "wrong"}
    second = Client()
    other = provider.allow(begin(second))
    come_back(second, other)
    logout(provider.logout_token())
    ours = [record for record in caplog.records if record.name.startswith("plenum")]
    assert {record.name for record in ours} >= {"plenum.sign_in"}
    text = " ".join(str(vars(record)) for record in ours)
    for secret in (SECRET, answer["code"], answer["state"], other["code"], other["state"], "alice", "there-1", "eyJ"):
        assert secret not in text
    assert SECRET not in repr(provider.configured())
