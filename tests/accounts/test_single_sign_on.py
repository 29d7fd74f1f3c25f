"""Signing in with a provider, end to end: joining, linking, groups, second factors, signing out; and GitHub."""

from __future__ import annotations

import html
import io
import math
import re
import time
import zipfile
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests
from django.core.management import CommandError, call_command
from django.test import Client
from oidc_provider_mock import run_server_in_thread

from accounts import api_tokens, emails, own_views, policy, repository, services, throttle, visitors
from accounts.connectors import identities, registry
from accounts.connectors.providers import Identity, Provider
from accounts.models import User
from accounts.replay import NO_PASSWORD
from accounts.rules import Role, role_by_groups
from accounts.second_factor import authenticator_apps, factors
from foundation.acts.rate_limits import Limit
from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.storage import log, table
from foundation.store import keys
from foundation.store.table import Update
from operations.upkeep import replay
from tests.background import finish_background
from tests.people import PASSWORD, make_owner, make_person, sign_in
from tests.races.overtaken import lost

from .providers import CLIENT_ID, GitHub, OpenIDProvider, begin, come_back, leads_to, said, serving

OWN = OpenIDProvider()
PEOPLE: dict[str, dict[str, Any]] = {}  # what the provider knows about people, by subject
ROLES = (("staff", Role.USER), ("board", Role.ADMIN))


@pytest.fixture(scope="module", autouse=True)
def _running():
    with serving(OWN.answer) as OWN.issuer:
        yield


@pytest.fixture
def uni(settings, site) -> Provider:
    """The provider of a site with an owner."""
    registry.connector_of.cache_clear()
    OWN.reset()
    PEOPLE.clear()
    settings.SIGN_IN_PROVIDERS = [OWN.configured(roles=ROLES)]
    make_owner()
    return settings.SIGN_IN_PROVIDERS[0]


@pytest.fixture(scope="module")
def server():
    with run_server_in_thread() as running:
        yield f"http://localhost:{running.server_port}"


@pytest.fixture
def real(uni, server, settings) -> Provider:
    """In place of our own: an independent implementation, which takes half a second for each sign-in."""
    settings.SIGN_IN_PROVIDERS = [replace(uni, issuer=server)]
    return settings.SIGN_IN_PROVIDERS[0]


@pytest.fixture
def knows(request):
    """Tell the provider about somebody."""

    def tell(subject: str = "alice", **claims: Any) -> None:
        usual = {"email": f"{subject}@example.org", "email_verified": True, "name": subject.title(), "groups": []}
        PEOPLE[subject] = {**usual, **claims}
        if "real" in request.fixturenames:
            address = f"{request.getfixturevalue('server')}/users/{subject}"
            requests.put(address, json=PEOPLE[subject], timeout=10).raise_for_status()

    return tell


def sign_in_there(address: str, subject: str = "alice") -> dict[str, str]:
    """What a person does at the provider; the parameters they come back with."""
    if address.startswith(OWN.issuer):
        OWN.told.claims = {"sub": subject, **PEOPLE[subject]}
        return OWN.allow(address)
    response = requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=10)
    return dict(parse_qsl(urlsplit(response.headers["Location"]).query))


def visit(client: Client | None = None, subject: str = "alice", **query: str) -> tuple[Client, object]:
    client = client or Client()
    return client, come_back(client, sign_in_there(begin(client, **query), subject))


def who(client: Client) -> str:
    return client.session.get("_auth_user_id", "")


def linked(name: str = "alice", role: Role = Role.VOTER, subject: str | None = None) -> User:
    """Somebody whose account is linked."""
    user, provider = make_person(name, role), registry.providers()[0]
    identities.link(user, provider, Identity(provider.issuer, subject or name))
    return repository.find(name)


# --- joining ---


def test_a_newcomer_with_a_verified_address_chooses_a_name_and_is_in(real, knows):
    knows("carla", name="Carla Example")
    client, response = visit(subject="carla", next="/people/")
    page = said(client, response)
    assert "Example University has confirmed your address, carla@example.org." in page
    assert 'value="Carla Example"' in page
    assert repository.find_by_email("carla@example.org") is None, "nothing exists before she has chosen"
    response = client.post("/sign-in/new/", {"name": "Carla"})
    assert response["Location"] == "/people/"
    user = repository.find("Carla")
    assert (who(client), user.email, user.role_name) == ("Carla", "carla@example.org", "USER")
    assert not user.has_usable_password()
    assert who(visit(subject="carla")[0]) == "Carla"
    assert replay.check(table()).first == ()


def test_a_newcomer_whose_name_is_taken_chooses_another(uni, knows):
    make_person("Dora", email="other@example.org")
    knows("dora")
    client, _response = visit(subject="dora")
    page = client.post("/sign-in/new/", {"name": "Dora"})
    assert page.status_code == 422
    assert "That name is already taken." in page.content.decode()
    assert client.post("/sign-in/new/", {"name": "Dora 2"}).status_code == 302
    assert who(client) == "Dora 2"


def test_who_takes_too_long_to_choose_starts_again(uni, knows):
    knows("emil")
    client, _response = visit(subject="emil")
    session = client.session
    session["newcomer"] = {**session["newcomer"], "since": int(time.time()) - 601}
    session.save()
    assert "That took too long." in said(client, client.post("/sign-in/new/", {"name": "Emil"}))
    assert repository.find("Emil") is None
    assert Client().get("/sign-in/new/")["Location"] == "/sign-in/"


@pytest.mark.parametrize(("policy", "sentence"), [("invited", "by invitation only"), ("closed", "does not take")])
def test_newcomers_follow_the_sites_policy(uni, knows, settings, policy, sentence):
    settings.REGISTRATION = policy
    knows("fred")
    client, response = visit(subject="fred")
    assert sentence in said(client, response)
    services.invite(repository.find("owner"), "fred@example.org", Role.ADMIN)
    client, _response = visit(subject="fred")
    client.post("/sign-in/new/", {"name": "Fred"})
    assert repository.find("Fred").role == Role.ADMIN, "as the invitation promised"
    assert table().get(keys.invitation("fred@example.org")) is None


def test_an_address_in_another_domain_is_refused(uni, knows, settings):
    settings.REGISTRATION, settings.REGISTRATION_DOMAINS = "domains", ["example.com"]
    knows("gina")
    client, response = visit(subject="gina")
    assert "only for addresses at: example.com" in said(client, response)


def test_an_operator_may_vouch_for_the_addresses_of_a_provider(uni, knows, settings):
    """Entra has no mark for verified addresses."""
    knows("hans", email_verified=False)
    client, response = visit(subject="hans")
    assert "has not confirmed an email address" in said(client, response)
    settings.SIGN_IN_PROVIDERS = [replace(uni, trust_addresses=True)]
    client, response = visit(subject="hans")
    assert "Choose your name" in said(client, response)


def test_a_newcomer_who_joins_twice_at_once_has_one_account(uni, site):
    identity = Identity(uni.issuer, "twin", "Twin", "twin@example.org")
    lost(partial(identities.join, uni, identity, "One"), to=partial(identities.join, uni, identity, "Two"))
    assert repository.find("One") is None
    assert repository.find_by_identity(identity.key).email == "twin@example.org"


# --- linking and unlinking ---


def test_a_person_links_their_account_and_signs_in_with_it(real, knows, outbox):
    make_person("Ida", email="ida@example.com")
    knows("ida")
    client = sign_in(repository.find("Ida"))
    assert "Not linked." in client.get("/me/providers/").content.decode()
    page = client.post("/me/providers/uni/link/", {"present": PASSWORD})
    response = come_back(client, sign_in_there(leads_to(page), "ida"))
    assert "You can now sign in with Example University." in said(client, response)
    assert "Example University" in client.get("/me/").content.decode()
    assert who(visit(subject="ida")[0]) == "Ida", "though the address there is another"
    assert [subject for to, subject, _text in outbox() if to == "ida@example.com"] == [
        "Plenum: Your account was linked with Example University"
    ]


def test_unlinking_ends_the_other_sessions_that_began_there(uni, knows, outbox):
    alice = linked()
    knows()
    there, here = visit()[0], sign_in(alice)
    response = here.post("/me/providers/uni/unlink/", {"present": PASSWORD})
    assert "You can no longer sign in with Example University." in said(here, response)
    assert there.get("/me/").status_code == 302
    assert repository.find("alice").identities == []
    assert visit()[1]["Location"] == "/sign-in/", "her address alone does not open it"
    assert here.get("/me/providers/uni/unlink/").status_code == 404
    assert "no longer linked" in outbox()[-1][1]
    assert replay.check(table()).first == ()


def test_the_last_way_to_sign_in_stays_until_there_is_a_password(uni, knows):
    knows("jana")
    client, _response = visit(subject="jana")
    client.post("/sign-in/new/", {"name": "Jana"})
    refused = client.post("/me/providers/uni/unlink/")
    assert refused.status_code == 422
    assert "Set a password first." in refused.content.decode()
    assert "Set a password" in client.get("/me/").content.decode()
    assert client.post("/me/password/", {"password": "battery horse correct"}).status_code == 302
    assert client.post("/me/providers/uni/unlink/", {"present": "battery horse correct"}).status_code == 302
    assert repository.find("Jana").identities == []


def test_two_providers_cannot_both_be_unlinked_at_once(uni, settings):
    other = replace(uni, id="other", issuer="https://x.y")
    settings.SIGN_IN_PROVIDERS = [uni, other]
    user = identities.join(uni, Identity(uni.issuer, "kim", "Kim", "kim@example.org"), "Kim")
    identities.link(user, other, Identity(other.issuer, "kim"))
    lost(*[partial(identities.unlink, user, each, each, "") for each in ("uni", "other")])
    assert [each["provider"] for each in repository.find("Kim").identities] == ["uni"]


def test_one_identity_of_a_provider_at_most(uni):
    alice = linked()
    with pytest.raises(Refusal, match="already linked with Example University"):
        identities.link(alice, uni, Identity(uni.issuer, "second"))
    identities.link(alice, uni, Identity(uni.issuer, "alice"))
    assert len(repository.find("alice").identities) == 1


def test_two_people_cannot_link_the_same_identity_at_once(uni):
    one, two, identity = make_person("One"), make_person("Two"), Identity(uni.issuer, "same")
    lost(partial(identities.link, one, uni, identity), to=partial(identities.link, two, uni, identity))
    assert [len(repository.find(name).identities) for name in ("One", "Two")] == [0, 1]


def test_one_person_cannot_link_two_identities_of_a_provider_at_once(uni):
    one = make_person("One")
    lost(*[partial(identities.link, one, uni, Identity(uni.issuer, subject)) for subject in ("first", "second")])
    assert len(repository.find("One").identities) == 1


def test_a_removed_person_leaves_no_identity_behind(uni, knows):
    alice = linked()
    services.remove_self(alice)
    assert table().get(keys.identity(alice.identities[0]["key"])) is None
    finish_background("remove person")
    make_person("alice", email="alice@example.com")
    knows()
    client, _response = visit()
    assert who(client) == "", "a later account of the same name is somebody else's"


# --- proving who you are ---


def test_who_has_no_password_signs_in_again_before_what_cannot_be_undone(uni, knows, monkeypatch):
    knows("lena")
    client, _response = visit(subject="lena")
    client.post("/sign-in/new/", {"name": "Lena"})
    assert client.get("/me/data/").status_code == 200, "she has only just signed in"
    monkeypatch.setattr(visitors, "PROOF_SECONDS", 0)
    response = client.get("/me/data/")
    assert response["Location"] == "/me/prove/?next=%2Fme%2Fdata%2F"
    assert "Please confirm that it is you" in said(client, response)
    for path in ("/me/data/", "/me/leave/", "/me/email/", "/me/password/", "/me/factors/app/"):
        assert client.post(path).status_code == 302
    assert repository.find("Lena") is not None
    address = begin(client, prove="1", next="/me/data/")
    asked = dict(parse_qsl(urlsplit(address).query))
    assert (asked["prompt"], asked["max_age"]) == ("login", "0")
    monkeypatch.undo()
    assert come_back(client, sign_in_there(address, "lena"))["Location"] == "/me/data/"
    archive = zipfile.ZipFile(io.BytesIO(b"".join(client.post("/me/data/").streaming_content)))
    assert '"provider": "uni"' in archive.read("account.json").decode()


def test_only_an_own_identity_proves_anything(uni, knows):
    knows("mia")
    knows("nora")
    client, _response = visit(subject="mia")
    client.post("/sign-in/new/", {"name": "Mia"})
    session = client.session
    session["proved_at"] = 0
    session.save()
    response = come_back(client, sign_in_there(begin(client, prove="1"), "nora"))
    assert "did not confirm who you are" in said(client, response)
    assert client.session["proved_at"] == 0


LATER = ("/me/data/", "/me/tokens/new/", "/me/password/")


def ask_for_proof(client: Client, path: str = "/me/data/") -> str:
    """The page that asks who they are, before a page that wants to know."""
    response = client.get(path)
    assert response["Location"] == f"/me/prove/?{urlencode({'next': path})}"
    return said(client, response)


@pytest.mark.parametrize("proof", [{"auth_time": None}, {"auth_time": 1}, {"auth_time": True}, {"auth_time": math.nan}])
def test_a_provider_that_lets_in_whom_it_remembers_proves_nothing(uni, knows, proof):
    """Whoever finds a browser open may sign out here and in again there, without a password."""
    linked()
    _without_password("alice")
    knows(**proof)
    client, _response = visit()
    assert client.get("/me/").status_code == 200
    for path in LATER:
        ask_for_proof(client, path)


def _without_password(name: str) -> None:
    table().write(Update(keys.user(name), set={"hash": NO_PASSWORD}))


@pytest.mark.parametrize("proof", [{"auth_time": None}, {"auth_time": 1}, {"auth_time": True}, {"auth_time": math.nan}])
def test_a_question_that_was_taken_out_on_the_way_leads_to_no_proof(uni, knows, proof):
    """The request travels through the browser: without `prompt` and `max_age` the provider answers at once."""
    linked()
    _without_password("alice")
    knows(**proof)
    client, _response = visit()
    response = come_back(client, sign_in_there(begin(client, prove="1", next="/me/data/")))
    assert response["Location"] == "/me/prove/?next=%2Fme%2Fdata%2F", "where there are other ways"
    assert "did not confirm who you are" in said(client, response)
    ask_for_proof(client)


def test_a_mailed_link_proves_it_once_in_the_browser_that_asked(uni, knows, link, outbox):
    linked()
    _without_password("alice")
    knows(auth_time=None)
    client, other = visit()[0], visit()[0]
    assert "Mail me a link" in ask_for_proof(client)
    address = repository.find("alice").email
    assert address in client.post("/me/prove/mail/", {"next": "/me/data/"}).content.decode()
    path = link(address)
    assert other.post(path).status_code == 410, "in another browser of hers, which somebody may have found open"
    assert Client().get(path).status_code == 410
    assert client.get(path).status_code == 200
    ask_for_proof(client)  # opening it is not enough: mail scanners do that
    assert client.post(path)["Location"] == "/me/data/"
    assert client.get("/me/data/").status_code == 200
    assert client.post(path).status_code == 410, "nor is it of use to who finds it later"
    assert client.get("/me/prove/link/made-up/").status_code == 410
    ask_for_proof(other)
    for _ in range(6):
        client.post("/me/prove/mail/", {"next": "https://evil.example"})
    assert len([1 for _to, subject, _text in outbox() if subject == "Plenum: Confirm that it is you"]) == 5
    assert client.post(link(address))["Location"] == "/me/"


def test_a_mailed_link_proves_nothing_after_an_hour(uni, knows, link, monkeypatch):
    linked()
    _without_password("alice")
    knows(auth_time=None)
    client, _response = visit()
    client.post("/me/prove/mail/")
    path = link(repository.find("alice").email)
    monkeypatch.setattr(own_views, "PROOF_SECONDS", -1)
    assert client.post(path).status_code == 410


def test_who_has_a_second_step_proves_it_with_that_and_not_by_mail(uni, with_app, knows, outbox):
    _without_password("alice")
    knows(amr=["mfa"], auth_time=None)
    client, _response = visit()
    page = ask_for_proof(client)
    assert "Use my second step" in page
    assert "Mail me a link" not in page
    assert client.post("/me/prove/mail/")["Location"].startswith("/me/prove/")
    assert not [subject for _to, subject, _text in outbox() if subject == "Plenum: Confirm that it is you"]
    path = "/me/prove/second-step/?next=/me/data/"
    assert client.get(path).status_code == 200
    assert client.post(path, {"code": "000000"}).status_code == 422
    ask_for_proof(client)
    step = authenticator_apps.step_at(time.time())
    response = client.post(path, {"code": authenticator_apps.code_at(with_app, step + 1)})
    assert response["Location"] == "/me/data/"
    assert client.get("/me/data/").status_code == 200


def test_wrong_second_steps_are_limited_here_too(uni, with_app, knows, monkeypatch):
    _without_password("alice")
    knows(amr=["mfa"], auth_time=None)
    client, _response = visit()
    limits = throttle.Limits(Limit("factor", 1, 600), Limit("factor-account", 2, 600))
    monkeypatch.setattr(throttle, "SECOND_STEP", limits)
    pages = [client.post("/me/prove/second-step/", {"code": "000000"}).content.decode() for _ in range(3)]
    assert ["tried too often" in page for page in pages] == [False, True, True]


def test_our_second_step_at_the_sign_in_is_proof_enough(uni, with_app, knows):
    _without_password("alice")
    knows(auth_time=None)
    client, _response = visit()
    code = authenticator_apps.code_at(with_app, authenticator_apps.step_at(time.time()) + 1)
    client.post("/sign-in/second-step/", {"code": code})
    assert client.get("/me/data/").status_code == 200


def test_who_has_no_second_step_is_led_to_what_else_there_is(uni, knows):
    linked()
    knows()
    client, _response = visit()
    assert client.get("/me/prove/second-step/")["Location"] == "/me/prove/?next=%2Fme%2F"


# --- groups ---


@pytest.mark.parametrize(
    ("role", "before", "granted", "expected"),
    [
        (Role.VOTER, None, Role.ADMIN, Role.ADMIN),
        (Role.NO_ACCESS, None, Role.VOTER, Role.VOTER),
        (Role.ADMIN, Role.VOTER, Role.USER, Role.USER),
        (Role.ADMIN, Role.VOTER, None, Role.VOTER),
        (Role.ADMIN, None, None, Role.ADMIN),
        (Role.USER, None, Role.VOTER, Role.USER),
        (Role.OWNER, None, Role.VOTER, Role.OWNER),
        (Role.AUDITOR, Role.VOTER, None, Role.AUDITOR),
    ],
)
def test_the_role_that_groups_give(role, before, granted, expected):
    assert role_by_groups(role, before, granted) == expected


def test_groups_give_roles_and_take_back_only_what_they_gave(uni, knows):
    linked(role=Role.OBSERVER)

    def role_after(*groups: str) -> str:
        knows(groups=list(groups))
        visit()
        return repository.find("alice").role_name

    assert role_after() == "OBSERVER"
    assert role_after("staff") == "USER"
    assert repository.find("alice").votes_since > repository.find("alice").created_at
    assert role_after("staff", "board", "unknown") == "ADMIN"
    assert role_after("staff") == "USER"
    assert role_after() == "OBSERVER"
    assert role_after("board") == "ADMIN"
    services.change_role(repository.find("owner"), repository.find("alice"), Role.USER)
    assert role_after() == "USER", "people have given her this one"
    assert replay.check(table()).first == ()


def test_groups_of_an_independent_provider(real, knows):
    linked()
    knows(groups=["board"])
    visit()
    assert repository.find("alice").role == Role.ADMIN
    knows(groups=[])
    visit()
    assert repository.find("alice").role == Role.VOTER


def test_no_group_changes_an_owner_or_auditor(uni, knows):
    owner, provider = repository.find("owner"), uni
    identities.link(owner, provider, Identity(provider.issuer, "boss"))
    linked("rex", Role.AUDITOR)
    for subject in ("boss", "rex"):
        knows(subject, groups=["staff"])
        visit(subject=subject)
    assert [repository.find(name).role_name for name in ("owner", "rex")] == ["OWNER", "AUDITOR"]


# --- second factors ---


@pytest.fixture
def with_app(uni) -> bytes:
    """The secret of the app of somebody who is linked."""
    alice, secret = linked(role=Role.ADMIN), authenticator_apps.new_secret()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()))
    factors.add_app(alice, secret, code, time.time())
    return secret


@pytest.mark.parametrize("methods", [[], ["pwd"], ["sms"], "mfa"])
def test_our_second_step_follows_if_the_provider_had_none(uni, with_app, knows, methods):
    knows(**({"amr": methods} if isinstance(methods, list) else {}))
    client, response = visit(next="/people/")
    assert response["Location"] == "/sign-in/second-step/"
    assert who(client) == ""
    code = authenticator_apps.code_at(with_app, authenticator_apps.step_at(time.time()) + 1)
    response = client.post("/sign-in/second-step/", {"code": code})
    assert (response["Location"], who(client)) == ("/people/", "alice")
    assert client.session["source"]["provider"] == "uni", "so a sign-out there still ends it"


def test_an_independent_provider_says_how_somebody_signed_in(real, knows):
    alice, secret = linked(role=Role.ADMIN), authenticator_apps.new_secret()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()))
    factors.add_app(alice, secret, code, time.time())
    knows(amr=["pwd"])
    assert visit()[1]["Location"] == "/sign-in/second-step/"
    knows(amr=["pwd", "mfa"])
    assert who(visit()[0]) == "alice"


@pytest.mark.parametrize("methods", [["mfa"], ["pwd", "otp"], ["hwk"]])
def test_our_second_step_is_left_out_if_the_provider_had_one(uni, with_app, knows, methods):
    knows(amr=methods)
    assert who(visit()[0]) == "alice"


def test_a_site_that_demands_a_second_factor_accepts_the_providers(uni, knows, settings):
    settings.SECOND_FACTOR_FOR_ADMINS = True
    linked(role=Role.ADMIN)
    knows(amr=["pwd"])
    assert visit()[0].get("/people/")["Location"] == "/me/factors/"
    knows(amr=["mfa"])
    assert visit()[0].get("/people/").status_code == 200


# --- only with a provider ---


@pytest.fixture
def required(uni):
    policy.require_provider("owner")


def test_the_owner_requires_a_provider_with_the_password_that_stays_for_emergencies(uni):
    owner, page = sign_in(repository.find("owner")), "/admin/sign-in/"
    assert f'href="{page}"' in owner.get("/admin/").content.decode()
    assert "Example University" in owner.get(page).content.decode()
    assert owner.post(page, {"present": "wrong"}).status_code == 422
    assert owner.post(page, {}).status_code == 422
    assert not policy.requires_provider()
    assert owner.post(page, {"present": PASSWORD})["Location"] == page
    assert policy.requires_provider()
    assert owner.post(page, {"present": PASSWORD}).status_code == 200, "pressed twice"
    assert policy.requires_provider()
    assert "Everyone but you signs in with a provider." in owner.get(page).content.decode()
    owner.post(page, {"allow": "yes"})
    assert not policy.requires_provider()
    kinds = [event["event_type"] for event in log().since(0)][-2:]
    assert kinds == ["ProvidersRequired", "PasswordsAllowed"]
    assert "Someone else changed this" in said(owner, owner.post(page, {"allow": "yes"}))
    assert replay.check(table()).first == ()


def test_a_provider_is_required_once_however_often_at_the_same_moment(uni):
    owner = repository.find("owner")
    for act in (policy.require_provider, policy.allow_passwords):
        assert isinstance(lost(*[partial(act, owner.name, services.role_unchanged(owner))] * 2), LostRace)
    assert not policy.requires_provider()
    assert replay.check(table()).first == ()


def test_an_owner_who_has_handed_the_site_over_cannot_require_it(uni):
    before = repository.find("owner")
    services.change_role(before, make_person("bob", Role.ADMIN), Role.OWNER)
    with pytest.raises(LostRace):
        policy.require_provider(before.name, services.role_unchanged(before))


def test_an_owner_who_could_be_locked_out_cannot_require_it(uni, settings):
    owner, page = repository.find("owner"), "/admin/sign-in/"
    client = sign_in(owner)
    settings.SIGN_IN_PROVIDERS = []
    client.post(page, {"present": PASSWORD})
    assert table().get(keys.PROVIDERS_REQUIRED) is None, "nobody else could sign in"
    settings.SIGN_IN_PROVIDERS = [uni]
    identities.link(owner, uni, Identity(uni.issuer, "boss"))
    table().write(Update(keys.user("owner"), set={"hash": NO_PASSWORD}))
    assert "set a password first" in client.get(page).content.decode()
    client.post(page, {"present": PASSWORD})
    assert table().get(keys.PROVIDERS_REQUIRED) is None


def test_without_a_provider_passwords_work_whatever_was_required(required, settings):
    settings.SIGN_IN_PROVIDERS = []
    client = Client()
    linked_before = make_person("bob")
    client.post("/sign-in/", {"name_or_email": linked_before.name, "password": PASSWORD})
    assert who(client) == "bob"


def test_the_operator_can_allow_passwords(required, capsys):
    call_command("allow_passwords")
    assert not policy.requires_provider()
    with pytest.raises(CommandError, match="already allowed"):
        call_command("allow_passwords")


def test_the_site_is_handed_to_nobody_without_an_emergency_password(required, uni):
    alice = linked(role=Role.ADMIN)
    table().write(Update(keys.user("alice"), set={"hash": NO_PASSWORD}))
    with pytest.raises(Refusal, match="needs a password for emergencies"):
        services.change_role(repository.find("owner"), repository.find("alice"), Role.OWNER)
    make_person("bob", Role.ADMIN)
    services.change_role(repository.find("owner"), repository.find("bob"), Role.OWNER)
    client = Client()
    client.post("/sign-in/", {"name_or_email": "bob", "password": PASSWORD})
    assert who(client) == "bob"
    assert not repository.find("owner").may_use_password
    assert alice.name == "alice"


def test_who_was_signed_in_stays_so_and_can_still_link_the_account(uni):
    bob, alice = sign_in("bob"), sign_in(linked())
    assert "Link it now" not in bob.get("/me/").content.decode()
    policy.require_provider("owner")
    assert "Link it now" in bob.get("/me/").content.decode()
    assert "Link it now" not in alice.get("/me/").content.decode()
    assert "Link it now" not in sign_in(repository.find("owner")).get("/me/").content.decode()
    assert bob.get("/me/providers/uni/link/").status_code == 200, "the password still proves who bob is"
    answer = bob.post("/me/providers/uni/link/", {"present": PASSWORD})
    assert (answer.status_code, uni.issuer in answer.content.decode()) == (200, True)


def test_who_has_not_linked_the_account_in_time_is_told_whom_to_ask(required, knows):
    make_person("bob")
    knows("b", email="bob@example.org", email_verified=True)
    client, response = visit(subject="b")
    assert "Ask the owner of this site" in said(client, response)


def test_tokens_of_programs_still_work(uni):
    token = api_tokens.create(linked(), "A program", ["read"], 7)
    policy.require_provider("owner")
    answer = Client().get("/api/v1/elections", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200


def test_where_a_provider_is_required_only_the_owner_uses_a_password(required, knows):
    linked()
    for password in (PASSWORD, "wrong"):
        refused = Client().post("/sign-in/", {"name_or_email": "alice", "password": password})
        assert refused.status_code == 422
        assert "only the owner of this site can sign in with a password" in refused.content.decode()
        assert 'href="/sign-in/with/uni/"' in refused.content.decode()
    client = Client()
    client.post("/sign-in/", {"name_or_email": "owner", "password": PASSWORD})
    assert who(client) == "owner"
    knows()
    assert who(visit()[0]) == "alice"


def test_where_a_provider_is_required_nobody_gets_a_password(required, uni, outbox):
    alice = linked()
    page = Client().get("/sign-in/").content.decode()
    assert "Emergency sign-in" in page
    assert "/register/" not in page
    assert Client().get("/register/")["Location"].startswith("/sign-in/")
    page = Client().get("/password/forgotten/").content.decode()
    assert "everyone but the owner signs in with a provider" in page
    assert 'href="/sign-in/with/uni/"' in page
    answer = Client().post("/password/forgotten/", {"name_or_email": "alice"})
    assert "everyone but the owner signs in with a provider" in answer.content.decode()
    assert not any("Reset your password" in subject for _to, subject, _text in outbox())
    with pytest.raises(Refusal, match="signs in with a provider, and needs no password"):
        services.send_reset_link(repository.find("owner"), alice)
    answer = Client().get(f"/password/reset/alice/{emails.reset_token.make_token(alice)}/")
    assert (answer.status_code, "signs in with a provider" in answer.content.decode()) == (410, True)
    Client().post("/password/forgotten/", {"name_or_email": "owner"})
    assert [to for to, subject, _text in outbox() if "Reset your password" in subject] == ["owner@example.org"]
    client = sign_in(alice)
    assert client.get("/me/leave/")["Location"].startswith("/me/prove/"), "her password proves nothing here"
    with pytest.raises(Refusal, match="could no longer sign in"):
        identities.unlink(alice, "uni", "Example University", "")


def test_where_a_provider_is_required_an_invitation_leads_to_it(required, uni, link):
    services.invite(repository.find("owner"), "olaf@example.org", Role.VOTER)
    client = Client()
    page = said(client, client.get(link("olaf@example.org")))
    assert "You are invited as olaf@example.org. Sign in with that address." in page


# --- signing out ---


def test_who_signs_out_is_offered_to_sign_out_there_too(real, knows, settings):
    linked()
    knows()
    client, _response = visit()
    page = client.post("/sign-out/").content.decode()
    assert "You may still be signed in to" in page
    address = html.unescape(re.findall(r'href="([^"]*end_session[^"]*)"', page)[0])
    assert dict(parse_qsl(urlsplit(address).query)) == {
        "client_id": CLIENT_ID,
        "post_logout_redirect_uri": f"{settings.SITE_URL}/",
    }
    assert requests.get(address, timeout=10).status_code == 200
    assert client.get("/me/").status_code == 302
    by_password = sign_in("bob")
    assert by_password.post("/sign-out/")["Location"] == "/"


def test_signing_out_works_while_the_provider_does_not(uni, knows, settings):
    linked()
    knows()
    client, _response = visit()
    registry.connector_of.cache_clear()
    settings.SIGN_IN_PROVIDERS = [replace(uni, issuer="http://127.0.0.1:9")]
    assert client.post("/sign-out/")["Location"] == "/"
    assert client.get("/me/").status_code == 302


# --- pages ---


def test_the_sign_in_page_has_a_button_for_each_provider(uni):
    page = Client().get("/sign-in/", {"next": "/people/"}).content.decode()
    assert 'href="/sign-in/with/uni/?next=/people/"' in page
    assert "Sign in with <bdi>Example University</bdi>" in page


def test_without_providers_nothing_is_different(site):
    make_owner()
    assert "provider" not in Client().get("/sign-in/").content.decode()
    assert "provider" not in sign_in("bob").get("/me/").content.decode()
    for path in ("", "done/", "signed-out/"):
        assert Client().get(f"/sign-in/with/uni/{path}").status_code == 404
    assert Client().post("/sign-in/with/uni/logout/").status_code == 404


def test_an_identity_of_a_provider_that_is_no_longer_configured_can_be_unlinked(uni, settings):
    client = sign_in(linked())
    settings.SIGN_IN_PROVIDERS = []
    assert ">uni<" in client.get("/me/providers/").content.decode()
    assert client.post("/me/providers/uni/unlink/", {"present": PASSWORD}).status_code == 302
    assert repository.find("alice").identities == []


def test_who_is_signed_in_already_goes_on(uni):
    assert sign_in("bob").get("/sign-in/with/uni/", {"next": "/people/"})["Location"] == "/people/"


# --- GitHub ---


@pytest.fixture(scope="module")
def _github():
    there = GitHub()
    with serving(there.answer) as there.issuer:
        yield there


@pytest.fixture
def github(_github, settings, site) -> GitHub:
    _github.reset()
    registry.connector_of.cache_clear()
    settings.SIGN_IN_PROVIDERS = [_github.configured(roles=(("example/board", Role.ADMIN),))]
    make_owner()
    return _github


def by_github(github: GitHub) -> tuple[Client, str]:
    client = Client()
    return client, said(client, come_back(client, github.allow(begin(client, "github")), "github"))


def test_github_is_asked_with_pkce_for_as_little_as_needed(github, settings):
    asked = dict(parse_qsl(urlsplit(begin(Client(), "github")).query))
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"] == "read:user user:email read:org"
    settings.SIGN_IN_PROVIDERS = [github.configured()]
    assert "read:org" not in begin(Client(), "github")


def test_somebody_joins_with_github_and_is_known_by_the_number_of_their_account(github):
    client, page = by_github(github)
    assert "alice@example.org" in page
    client.post("/sign-in/new/", {"name": "Alice"})
    assert repository.find("Alice").role == Role.ADMIN, "as the team says"
    github.account = {"id": 4711, "login": "renamed", "name": "Other"}
    assert who(by_github(github)[0]) == "Alice"
    github.account = {"id": 4712, "login": "alice", "name": None}
    client, page = by_github(github)
    assert who(client) == ""
    assert "There is already an account with your address." in page


def test_an_address_that_github_has_not_verified_does_not_count(github):
    github.emails[1]["verified"] = False
    assert "GitHub has not confirmed an email address of yours" in by_github(github)[1]


def test_github_proves_nothing_before_what_cannot_be_undone(github, link):
    """It lets in whoever is signed in there, and says nothing about when that was."""
    client, _page = by_github(github)
    client.post("/sign-in/new/", {"name": "Alice"})
    page = ask_for_proof(client, "/me/tokens/new/")
    assert "Mail me a link" in page
    assert "Sign in with" not in page
    assert client.get("/sign-in/with/github/", {"prove": "1"}).status_code == 404
    client.post("/me/prove/mail/", {"next": "/me/tokens/new/"})
    assert client.post(link("alice@example.org"))["Location"] == "/me/tokens/new/"
    assert client.get("/me/tokens/new/").status_code == 200


@pytest.mark.parametrize("account", [{}, {"id": None}, {"id": "x"}, [], None])
def test_an_answer_that_is_not_githubs_is_refused(github, account):
    github.account = account
    client, page = by_github(github)
    assert "GitHub does not answer right now." in page
    assert who(client) == ""


def test_a_code_of_github_works_once_and_foreign_issuers_are_refused(github):
    client = Client()
    answer = github.allow(begin(client, "github"))
    github.codes.clear()
    assert "GitHub did not confirm who you are." in said(client, come_back(client, answer, "github"))
    answer = github.allow(begin(client, "github")) | {"iss": "https://evil.example"}
    assert "GitHub did not confirm who you are." in said(client, come_back(client, answer, "github"))
    assert Client().post("/sign-in/with/github/logout/", {"logout_token": "x"}).status_code == 400
