"""Codes, recovery codes and passkeys by themselves: right once, at their time, for their person, and sealed at rest."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import sqlite3
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from cbor2 import dumps
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from accounts import repository, services
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors, passkeys
from accounts.second_factor.factors import Factors, WrongCode
from accounts.second_factor.passkeys import RelyingParty, WrongPasskey
from foundation.acts.refusals import LostRace, NotThere, Refusal
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Delete, Key, Put, Update
from tests.markup import element

NOW = 1_700_000_000
RFC_SECRET = b"12345678901234567890"
SITE = RelyingParty("localhost", "http://localhost:8000")


# --- an authenticator made of software, for these tests and those of the pages ---


def as_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@dataclass
class Authenticator:
    """Holds one key and signs what a browser would let it sign."""

    origin: str = SITE.origin
    rp_id: str = SITE.id
    counts: bool = True

    def __post_init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)
        self.uses = 0

    def create(self, options: str, **changes: str) -> str:
        client = self._client("webauthn.create", options, **changes)
        numbers = self.key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        public = dumps({1: 2, 3: -7, -1: 1, **point})
        told = self._told(0x45) + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        attested = dumps({"fmt": "none", "attStmt": {}, "authData": told})
        words = {"attestationObject": as_text(attested), "transports": ["internal", "made-up"]}
        return self._answer(client, **words)

    def get(self, options: str, **changes: str) -> str:
        self.uses += self.counts
        client = self._client("webauthn.get", options, **changes)
        told = self._told(0x05)
        signature = self.key.sign(told + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(client, authenticatorData=as_text(told), signature=as_text(signature))

    def _client(self, kind: str, options: str, **changes: str) -> bytes:
        words = {"type": kind, "challenge": json.loads(options)["challenge"], "origin": self.origin}
        return json.dumps({**words, **changes}).encode()

    def _told(self, flags: int) -> bytes:
        return hashlib.sha256(self.rp_id.encode()).digest() + bytes([flags]) + self.uses.to_bytes(4, "big")

    def _answer(self, client: bytes, **response: object) -> str:
        response = {"clientDataJSON": as_text(client), **response}
        return json.dumps(
            {"id": as_text(self.id), "rawId": as_text(self.id), "type": "public-key", "response": response}
        )


@pytest.fixture
def ada(person):
    return person("Ada")


@pytest.fixture
def has_app(ada):
    """Ada with an app; answers its secret. The code of the present step is used."""
    secret = authenticator_apps.new_secret()
    factors.add_app(ada, secret, code_in(secret, 0), NOW)
    return secret


def code_in(secret: bytes, steps: int) -> str:
    return authenticator_apps.code_at(secret, authenticator_apps.step_at(NOW) + steps)


def with_passkey(user, authenticator=None, name="Key"):
    """Register an authenticator, a software one unless given."""
    authenticator = authenticator or Authenticator()
    challenge = passkeys.new_challenge()
    options = passkeys.creation_options(user, challenge, SITE, ())
    factors.add_passkey(user, passkeys.verify_new_passkey(authenticator.create(options), challenge, SITE, name))
    return authenticator


def asked(user):
    """A challenge, and what the browser is asked with it."""
    challenge = passkeys.new_challenge()
    return challenge, passkeys.request_options(challenge, SITE, factors.load_factors(user).passkeys)


def events(site):
    return [event["event_type"] for event in EventLog(site).since(0)]


# --- codes ---


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_the_codes_are_those_of_rfc_6238(seconds, code):
    assert authenticator_apps.code_at(RFC_SECRET, authenticator_apps.step_at(seconds), digits=8) == code


@pytest.mark.parametrize(("steps", "accepted"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_one_step_off(steps, accepted):
    code = code_in(RFC_SECRET, steps)
    assert authenticator_apps.step_of(RFC_SECRET, code, NOW) == (
        authenticator_apps.step_at(NOW) + steps if accepted else None
    )


def test_an_app_counts_only_after_a_first_right_code(site, ada):
    secret = authenticator_apps.new_secret()
    wrong = f"{(int(code_in(secret, 0)) + 1) % 10**6:06d}"
    with pytest.raises(WrongCode, match=r"clock"):
        factors.add_app(ada, secret, wrong, NOW)
    assert factors.load_factors(ada) == Factors()
    assert repository.find("Ada").factors == []


def test_each_code_is_accepted_once(site, ada, has_app):
    with pytest.raises(WrongCode):
        factors.use_code(ada, code_in(has_app, 0), NOW)  # that one confirmed the app
    code = code_in(has_app, 1)
    factors.use_code(ada, f" {code[:3]} {code[3:]} ", NOW)
    with pytest.raises(WrongCode, match="already used"):
        factors.use_code(ada, code, NOW)


def test_an_older_code_than_the_last_one_is_refused(site, ada, has_app):
    factors.use_code(ada, code_in(has_app, 1), NOW)
    with pytest.raises(WrongCode):
        factors.use_code(ada, code_in(has_app, -1), NOW)


@pytest.mark.deep
@given(st.text(max_size=30))
def test_no_text_makes_cleaning_a_code_fail(typed):
    assert re.fullmatch("[0-9A-Z]*", factors.clean_code(typed))


def test_the_picture_tells_an_app_what_it_needs():
    address = urlsplit(authenticator_apps.app_address(RFC_SECRET, "Ada: #1/100% 🦊" + "x" * 200, "vote.example.org"))
    words = parse_qs(address.query)
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert base64.b32decode(words["secret"][0]) == RFC_SECRET
    assert words["issuer"] == ["Plenum"]
    assert unquote(address.path).startswith("/Plenum:Ada: #1/100% 🦊xxx")
    assert unquote(address.path).endswith(" (vote.example.org)")
    assert len(address.path) < 150


# --- recovery codes ---


def test_recovery_codes_have_eighty_bits_and_no_letters_to_mix_up():
    codes = factors.new_codes()
    assert len(set(codes)) == 10
    for code in codes:
        assert re.fullmatch("([2-9A-HJ-NP-Z]{4}-){3}[2-9A-HJ-NP-Z]{4}", code)
    assert 32 ** len(factors.clean_code(codes[0])) == 2**80


def test_a_recovery_code_works_once_however_it_is_typed(site, ada, has_app):
    codes = factors.make_codes(ada)
    factors.use_code(ada, codes[3].lower().replace("-", " "), NOW)
    with pytest.raises(WrongCode):
        factors.use_code(ada, codes[3], NOW)
    factors.use_code(ada, codes[4], NOW)
    assert len(factors.load_factors(ada).codes) == 8


def test_new_recovery_codes_end_the_old_ones(site, ada, has_app):
    old, new = factors.make_codes(ada), factors.make_codes(ada)
    with pytest.raises(WrongCode):
        factors.use_code(ada, old[0], NOW)
    factors.use_code(ada, new[0], NOW)


def test_recovery_codes_of_somebody_else_do_not_fit(site, ada, has_app, person):
    codes = factors.make_codes(ada)
    bo = person("Bo")
    secret = authenticator_apps.new_secret()
    factors.add_app(bo, secret, code_in(secret, 0), NOW)
    item = site.get(keys.factors("Bo"))
    site.write(Put({**item, "codes": [*site.get(keys.factors("Ada"))["codes"]]}))
    with pytest.raises(WrongCode):
        factors.use_code(bo, codes[0], NOW)


def test_recovery_codes_need_something_to_stand_in_for(site, ada):
    with pytest.raises(NotThere, match="Add one of those first"):
        factors.make_codes(ada)
    assert "RecoveryCodesMade" not in events(site)


# --- passkeys ---


def test_a_passkey_is_added_and_used(site, ada):
    key = with_passkey(ada, name="Phone")
    (kept,) = factors.load_factors(ada).passkeys
    assert (kept.name, kept.sign_count, kept.used_at, kept.transports) == ("Phone", 0, "", ("internal",))
    challenge, options = asked(ada)
    factors.use_passkey(ada, key.get(options), challenge, SITE)
    (kept,) = factors.load_factors(ada).passkeys
    assert kept.sign_count == 1
    assert kept.used_at >= kept.added_at


def test_what_is_asked_of_the_browser(site, ada):
    key = with_passkey(ada)
    known = factors.load_factors(ada).passkeys
    made = json.loads(passkeys.creation_options(ada, passkeys.new_challenge(), SITE, known))
    assert made["attestation"] == "none"
    assert made["authenticatorSelection"]["userVerification"] == "preferred"
    assert made["authenticatorSelection"]["residentKey"] == "preferred"
    assert [each["id"] for each in made["excludeCredentials"]] == [as_text(key.id)]
    assert "Ada" not in str(base64.urlsafe_b64decode(made["user"]["id"] + "=="))
    _, options = asked(ada)
    assert json.loads(options)["allowCredentials"] == [
        {"id": as_text(key.id), "type": "public-key", "transports": ["internal"]}
    ]


@pytest.mark.parametrize("counts", [True, False])
def test_an_answer_counts_once_also_when_its_authenticator_does_not_count(site, ada, counts):
    key = with_passkey(ada, Authenticator(counts=counts))
    challenge, options = asked(ada)
    answer = key.get(options)
    factors.use_passkey(ada, answer, challenge, SITE)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, answer, challenge, SITE)


@pytest.mark.parametrize(
    "changes",
    [
        {"challenge": as_text(b"another")},
        {"challenge": ""},
        {"origin": "http://evil.example"},
        {"type": "webauthn.create"},
    ],
)
def test_an_answer_to_another_question_is_refused(site, ada, changes):
    key = with_passkey(ada)
    challenge, options = asked(ada)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, key.get(options, **changes), challenge, SITE)


def test_an_answer_without_a_question_is_refused(site, ada):
    key = with_passkey(ada)
    _, options = asked(ada)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, key.get(options, challenge=""), "", SITE)


def test_an_answer_for_another_site_is_refused(site, ada):
    key = with_passkey(ada)
    challenge, options = asked(ada)
    key.rp_id = "evil.example"
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, key.get(options), challenge, SITE)


def test_a_passkey_of_somebody_else_is_refused(site, ada, person):
    with_passkey(ada)
    bo = person("Bo")
    key = with_passkey(bo)
    challenge, options = asked(bo)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, key.get(options), challenge, SITE)


def test_another_key_under_a_known_id_is_refused(site, ada):
    key, forger = with_passkey(ada), Authenticator()
    forger.id, forger.uses = key.id, 100
    challenge, options = asked(ada)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, forger.get(options), challenge, SITE)


def test_a_copied_authenticator_whose_count_falls_back_is_refused(site, ada):
    key = with_passkey(ada)
    for _ in range(2):
        challenge, options = asked(ada)
        factors.use_passkey(ada, key.get(options), challenge, SITE)
    key.uses = 0
    challenge, options = asked(ada)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(ada, key.get(options), challenge, SITE)


@pytest.mark.parametrize("changes", [{"challenge": as_text(b"another")}, {"origin": "http://evil.example"}])
def test_a_new_passkey_for_another_question_is_refused(site, ada, changes):
    challenge = passkeys.new_challenge()
    options = passkeys.creation_options(ada, challenge, SITE, ())
    with pytest.raises(WrongPasskey):
        passkeys.verify_new_passkey(Authenticator().create(options, **changes), challenge, SITE, "Key")


def test_the_same_passkey_is_not_added_twice(site, ada):
    key = with_passkey(ada)
    with pytest.raises(WrongPasskey, match="already added this passkey"):
        with_passkey(ada, key)
    assert len(factors.load_factors(ada).passkeys) == 1


def test_there_is_an_end_to_how_many_passkeys_one_has(site, ada):
    with_passkey(ada)
    item = site.get(keys.factors("Ada"))
    many = [
        {**item["passkeys"][0], "id": "x" * 1364 + str(at), "name": "🦊" * 100} for at in range(factors.MAX_PASSKEYS)
    ]
    site.write(Put({**item, "passkeys": many}))
    with pytest.raises(WrongPasskey, match="Remove one"):
        with_passkey(ada)


@pytest.mark.deep
@given(st.text() | st.binary().map(as_text) | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_no_forged_answer_is_more_than_refused(answer):
    with pytest.raises(WrongPasskey):
        passkeys.verify_new_passkey(answer, "AAAA", SITE, "Key")


@pytest.mark.parametrize("part", ["clientDataJSON", "attestationObject"])
@given(raw=st.binary(max_size=200))
def test_no_forged_part_of_an_answer_is_more_than_refused(part, raw):
    answer = json.loads(Authenticator().create('{"challenge": "AAAA"}'))
    answer["response"][part] = as_text(raw)
    with pytest.raises(WrongPasskey):
        passkeys.verify_new_passkey(json.dumps(answer), "AAAA", SITE, "Key")


@pytest.mark.parametrize(
    ("url", "host", "production", "expected"),
    [
        ("https://vote.example.org", "vote.example.org", True, ("vote.example.org", "https://vote.example.org")),
        ("https://vote.example.org:8443", "x", True, ("vote.example.org", "https://vote.example.org:8443")),
        ("https://vote.example.org", "localhost", True, ("vote.example.org", "https://vote.example.org")),
        ("http://127.0.0.1:8000", "localhost:8123", False, ("localhost", "http://localhost:8123")),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", False, None),
        ("http://[::1]:8000", "[::1]:8000", False, None),
        ("https://vote.example.org", "127.0.0.1", False, ("vote.example.org", "https://vote.example.org")),
    ],
)
def test_which_site_a_passkey_is_for(rf, settings, url, host, production, expected):
    settings.SITE_URL, settings.PRODUCTION, settings.ALLOWED_HOSTS = url, production, ["*"]
    party = passkeys.relying_party(rf.get("/", headers={"host": host}))
    assert party == (RelyingParty(*expected) if expected else None)


# --- adding and removing ---


def test_the_account_says_which_kinds_there_are_and_the_log_tells_of_each(site, ada, outbox):
    secret = authenticator_apps.new_secret()
    factors.add_app(ada, secret, code_in(secret, 0), NOW)
    assert repository.find("Ada").factors == ["totp"]
    with_passkey(ada)
    with_passkey(ada)
    assert repository.find("Ada").factors == ["totp", "passkey"]
    codes = factors.make_codes(ada)
    factors.use_code(ada, codes[0], NOW)
    factors.remove_app(ada)
    factors.remove_passkey(ada, factors.load_factors(ada).passkeys[0].short_id)
    assert repository.find("Ada").factors == ["passkey"]
    factors.remove_passkey(ada, factors.load_factors(ada).passkeys[0].short_id)
    assert repository.find("Ada").factors == []
    told = [(event["event_type"], event["event_data"]) for event in EventLog(site).since(1)]
    assert told == [
        ("SecondFactorAdded", {"name": "Ada", "kind": "totp", "factors": ["totp"]}),
        ("SecondFactorAdded", {"name": "Ada", "kind": "passkey", "factors": ["totp", "passkey"]}),
        ("SecondFactorAdded", {"name": "Ada", "kind": "passkey", "factors": ["totp", "passkey"]}),
        ("RecoveryCodesMade", {"name": "Ada", "count": 10, "factors": ["totp", "passkey"]}),
        ("RecoveryCodeUsed", {"name": "Ada", "factors": ["totp", "passkey"]}),
        ("SecondFactorRemoved", {"name": "Ada", "kind": "totp", "factors": ["passkey"]}),
        ("SecondFactorRemoved", {"name": "Ada", "kind": "passkey", "factors": ["passkey"]}),
        ("SecondFactorRemoved", {"name": "Ada", "kind": "passkey", "factors": []}),
    ]
    mails = outbox()
    assert [subject for _, subject, _ in mails].count("Plenum: A second step was added to your account") == 3
    assert [subject for _, subject, _ in mails].count("Plenum: A second step was removed from your account") == 3
    assert {to for to, _, _ in mails} == {ada.email}
    assert any("An authenticator app was added to the sign-in of Ada" in text for _, _, text in mails)


def test_recovery_codes_go_with_the_last_factor(site, ada, has_app):
    factors.make_codes(ada)
    factors.remove_app(ada)
    assert replace(factors.load_factors(ada), version="") == Factors()


def test_what_is_not_there_is_not_removed_and_nothing_is_logged(site, ada, has_app):
    before = events(site)
    with pytest.raises(NotThere):
        factors.remove_passkey(ada, "0" * 20)
    factors.remove_app(ada)
    with pytest.raises(NotThere, match="already been removed"):
        factors.remove_app(ada)
    assert events(site) == [*before, "SecondFactorRemoved"]


@pytest.mark.parametrize(("role", "demanded"), [(Role.USER, False), (Role.ADMIN, True), (Role.OWNER, True)])
def test_the_last_factor_stays_with_those_of_whom_one_is_demanded(site, person, settings, role, demanded):
    somebody = person("Bo", role)
    with_passkey(somebody)
    with_passkey(somebody)
    settings.SECOND_FACTOR_FOR_ADMINS = True
    first, last = factors.load_factors(somebody).passkeys
    factors.remove_passkey(somebody, first.short_id)
    if demanded:
        with pytest.raises(Refusal, match=r"Add another one"):
            factors.remove_passkey(somebody, last.short_id)
        assert repository.find("Bo").factors == ["passkey"]
    else:
        factors.remove_passkey(somebody, last.short_id)
        assert repository.find("Bo").factors == []


def test_somebody_removed_meanwhile_gets_no_factor(site, ada):
    services.remove_self(ada)
    with pytest.raises(LostRace):
        with_passkey(ada)
    assert site.get(keys.factors("Ada")) is None


def test_an_account_of_the_same_name_later_has_none_of_the_old_factors(site, person):
    old = person("Ada")
    key = with_passkey(old)
    guard = repository.lookalike_guard("Ada")
    site.write(Delete(keys.user("Ada")), Delete(keys.email(old.email)), Delete(Key(guard["PK"], guard["SK"])))
    new = person("ada")
    site.write(Update(keys.user("ada"), set={"created_at": "2030-01-01T00:00:00.000Z"}))
    new = repository.find("ada")
    assert factors.load_factors(new).passkeys == ()
    challenge, options = asked(new)
    with pytest.raises(WrongPasskey):
        factors.use_passkey(new, key.get(options), challenge, SITE)
    with_passkey(new)
    assert len(factors.load_factors(new).passkeys) == 1


# --- at rest ---


def everything_stored(site) -> bytes:
    """All that a copy of the tables holds."""
    with sqlite3.connect(site.path) as copy:
        tables = [name for (name,) in copy.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = [row for name in tables for row in copy.execute(f"SELECT * FROM {name}")]
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)


def spellings(secret: bytes) -> list[bytes]:
    texts = (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode, base64.b16encode)
    return [secret, *(encode(secret).rstrip(b"=").lower() for encode in texts)]


def test_nothing_in_the_tables_opens_an_account(site, ada, has_app, signed_in):
    codes = factors.make_codes(ada)
    with_passkey(ada)
    not_confirmed = base64.b32decode(element(signed_in("Bo").get("/me/factors/app/"), "key").replace(" ", ""))
    stored = everything_stored(site)
    assert factors.load_factors(ada).app.secret.encode() in stored, "the copy holds what is stored"
    for secret in (has_app, not_confirmed):
        assert not [each for each in spellings(secret) if each in stored or each in stored.lower()]
    for code in codes:
        assert code.lower().encode() not in stored.lower()
        assert factors.clean_code(code).lower().encode() not in stored.lower()
        assert hashlib.sha256(code.encode()).hexdigest().encode() not in stored, (
            "without the name it could be looked up"
        )


def test_a_sealed_secret_is_of_one_person_and_one_site(settings):
    sealed = authenticator_apps.seal(b"secret", "Ada")
    assert authenticator_apps.unseal(sealed, "ADA") == b"secret"
    assert authenticator_apps.unseal(sealed, "Bo") is None
    key = settings.SECRET_KEY
    settings.SECRET_KEY = "another" * 10
    assert authenticator_apps.unseal(sealed, "Ada") is None
    settings.SECRET_KEY_FALLBACKS = [key]
    assert authenticator_apps.unseal(sealed, "Ada") == b"secret"


def test_after_the_sites_key_was_replaced_recovery_codes_still_help(site, ada, has_app, settings):
    codes = factors.make_codes(ada)
    settings.SECRET_KEY = "another" * 10
    with pytest.raises(WrongCode):
        factors.use_code(ada, code_in(has_app, 1), NOW)
    factors.use_code(ada, codes[0], NOW)
