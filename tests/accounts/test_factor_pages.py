"""Journeys through the second step of signing in: taking it, adding and removing what it is taken with."""

from __future__ import annotations

import base64
import re
import time

import pytest
from django.test import Client

from accounts import repository, services, throttle
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors
from accounts.throttle import Limits
from foundation.acts.rate_limits import Limit
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import EventLog
from tests.markup import attribute, element
from tests.people import PASSWORD

from .test_factors import Authenticator, as_text

STEP = "/sign-in/second-step/"
PAGES = ("/me/factors/", "/me/factors/app/", "/me/factors/codes/", "/me/factors/passkey/", "/me/factors/passkey/new/")


@pytest.fixture
def ada(person):
    return person("Ada")


@pytest.fixture
def browser():
    """A browser that opened the site as localhost: at 127.0.0.1 there are no passkeys."""
    return Client(headers={"host": "localhost:8000"})


@pytest.fixture
def at_home(ada, browser):
    """Ada's browser, in which she is signed in."""
    password(browser)
    return browser


def password(client, user="Ada", **words):
    return client.post("/sign-in/", {"name_or_email": user, "password": PASSWORD, **words})


def code_now(secret, steps=0):
    return authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()) + steps)


def next_code(secret, user="Ada"):
    """A code that has not been used, whatever the clock does meanwhile."""
    last = factors.load_factors(repository.find(user)).app.step
    return authenticator_apps.code_at(secret, max(last + 1, authenticator_apps.step_at(time.time())))


def wrong_code(secret):
    right = {code_now(secret, steps) for steps in range(-2, 4)}
    return next(
        code for code in ("000000", "111111", "222222", "333333", "444444", "555555", "666666") if code not in right
    )


def add_app(client):
    """Through the page; answers the secret and the recovery codes that were shown, if any."""
    secret = base64.b32decode(element(client.get("/me/factors/app/"), "key").replace(" ", ""))
    answer = client.post("/me/factors/app/", {"code": code_now(secret), "present": PASSWORD})
    assert answer.status_code in (200, 302), answer.content.decode()
    return secret, element(answer, "codes").split("\n") if answer.status_code == 200 else []


def add_passkey(client, name="Phone", authenticator=None, **changes):
    authenticator = authenticator or Authenticator()
    client.post("/me/factors/passkey/", {"name": name, "present": PASSWORD})
    options = attribute(client.get("/me/factors/passkey/new/"), "data-options")
    answer = client.post("/me/factors/passkey/new/", {"passkey": authenticator.create(options, **changes)})
    return authenticator, answer


def is_signed_in(client):
    return client.get("/me/").status_code == 200


def only_half(user, **words):
    """A browser whose person has given the password, and nothing else."""
    client = Client(headers={"host": "localhost:8000"})
    assert password(client, user, **words)["Location"] == STEP
    return client


# --- two steps ---


def test_without_a_factor_the_password_is_enough(ada, browser):
    assert password(browser)["Location"] == "/"
    assert is_signed_in(browser)


def test_with_an_app_a_code_is_asked_for(at_home):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    text = client.get(STEP).content.decode()
    assert "Six digits from your app" in text
    assert "Use a passkey" not in text
    answer = client.post(STEP, {"code": next_code(secret)})
    assert answer["Location"] == "/"
    assert is_signed_in(client)


def test_a_recovery_code_signs_in_once(at_home):
    _, codes = add_app(at_home)
    assert len(codes) == 10
    client = only_half("Ada")
    client.post(STEP, {"code": codes[0]})
    assert is_signed_in(client)
    client = only_half("Ada")
    answer = client.post(STEP, {"code": codes[0]})
    assert answer.status_code == 422
    assert "already used" in answer.content.decode()
    assert not is_signed_in(client)


def test_a_passkey_signs_in(at_home):
    key, answer = add_passkey(at_home)
    assert answer.status_code == 200
    assert len(element(answer, "codes").split("\n")) == 10
    client = only_half("Ada")
    page = client.get(STEP)
    assert "Use a passkey" in page.content.decode()
    assert "Recovery code" in page.content.decode()
    assert "Six digits" not in page.content.decode(), "there is no app"
    answer = client.post(STEP, {"passkey": key.get(attribute(page, "data-options"))})
    assert answer["Location"] == "/"
    assert is_signed_in(client)


def test_each_of_several_passkeys_signs_in(at_home):
    for key in [add_passkey(at_home, name)[0] for name in ("Phone", "Key")]:
        client = only_half("Ada")
        client.post(STEP, {"passkey": key.get(attribute(client.get(STEP), "data-options"))})
        assert is_signed_in(client)


@pytest.mark.parametrize(("wanted", "reached"), [("/me/password/", "/me/password/"), ("https://evil.example/", "/")])
def test_where_one_wanted_to_go_survives_the_second_step(at_home, wanted, reached):
    secret, _ = add_app(at_home)
    client = only_half("Ada", next=wanted)
    client.post(STEP, {"code": wrong_code(secret)})
    assert client.post(STEP, {"code": next_code(secret)})["Location"] == reached


@pytest.mark.parametrize("path", ["/me/", "/me/password/", "/me/sessions/", *PAGES])
def test_half_signed_in_opens_nothing(at_home, path):
    add_app(at_home)
    answer = only_half("Ada").get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/?next=")


def test_half_signed_in_is_no_session_of_the_person(at_home):
    add_app(at_home)
    only_half("Ada")
    assert at_home.get("/me/sessions/").content.decode().count('name="end"') == 3, "this one, others, everywhere"


def test_the_second_step_without_the_first_leads_to_the_first(client, site):
    for answer in (client.get(STEP), client.post(STEP, {"code": "123456"})):
        assert answer["Location"] == "/sign-in/"


@pytest.mark.parametrize(("seconds", "open_still"), [(590, True), (601, False)])
def test_half_a_sign_in_is_good_for_ten_minutes(at_home, seconds, open_still):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    session = client.session
    session["half"] = {**session["half"], "since": session["half"]["since"] - seconds}
    session.save()
    answer = client.post(STEP, {"code": next_code(secret)}, follow=True)
    assert is_signed_in(client) is open_still
    assert ("took too long" in answer.content.decode()) is not open_still


def test_half_a_sign_in_ends_with_the_password_it_was_made_by(at_home, ada):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    services.change_password(repository.find("Ada"), "another horse battery")
    client.post(STEP, {"code": next_code(secret)})
    assert not is_signed_in(client)


def test_half_a_sign_in_ends_with_the_account(at_home, ada):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    code = next_code(secret)
    services.remove_self(repository.find("Ada"))
    assert client.post(STEP, {"code": code})["Location"] == "/sign-in/"


def test_the_session_key_changes_with_each_step(at_home):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    planted = client.cookies["plenum_session"].value
    password(client)
    half = client.cookies["plenum_session"].value
    client.post(STEP, {"code": next_code(secret)})
    whole = client.cookies["plenum_session"].value
    assert len({planted, half, whole}) == 3
    for old in (planted, half):
        client.cookies["plenum_session"] = old
        assert client.get(STEP)["Location"] == "/sign-in/", "nothing is left of it"


def test_nothing_of_the_half_sign_in_is_left_in_the_whole(at_home, settings):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    client.post(STEP, {"code": next_code(secret)})
    assert "half" not in client.session
    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_the_password_of_another_ends_the_session_there_was(at_home, person):
    add_app(at_home)
    person("Bo")
    client = Client()
    password(client, "Bo")
    assert is_signed_in(client)
    password(client, "Ada")
    assert not is_signed_in(client)


def test_a_wrong_code_is_refused_with_a_sentence_and_throttled(at_home):
    secret, codes = add_app(at_home)
    client = only_half("Ada")
    for _ in range(throttle.SECOND_STEP.per_source.most):
        answer = client.post(STEP, {"code": wrong_code(secret)})
        assert answer.status_code == 422
        assert "That code is wrong" in answer.content.decode()
    for right in (next_code(secret), codes[0]):
        assert "tried too often" in client.post(STEP, {"code": right}).content.decode()
    assert not is_signed_in(client)
    assert "tried too often" in only_half("Ada").post(STEP, {"code": codes[0]}).content.decode(), (
        "also in another browser"
    )
    assert len(factors.load_factors(repository.find("Ada")).codes) == 10, "refused codes are not spent"


def test_somebody_with_the_password_who_guesses_codes_keeps_the_owner_out_nowhere_else(at_home):
    secret, codes = add_app(at_home)
    stranger = only_half("Ada")
    for _ in range(throttle.SECOND_STEP.per_source.most + 1):
        answer = stranger.post(STEP, {"code": wrong_code(secret)}, REMOTE_ADDR="192.0.2.1")
    assert "tried too often" in answer.content.decode()
    owner = only_half("Ada")
    owner.post(STEP, {"code": codes[0]})
    assert is_signed_in(owner)


def test_a_device_that_took_the_second_step_before_has_tries_of_its_own(at_home, monkeypatch):
    few = Limits(Limit("factor", 2, 600), Limit("factor-account", 3, 600))
    monkeypatch.setattr(throttle, "SECOND_STEP", few)
    secret, codes = add_app(at_home)
    for address in ("192.0.2.1", "192.0.2.2"):
        for _ in range(3):
            only_half("Ada").post(STEP, {"code": wrong_code(secret)}, REMOTE_ADDR=address)
    assert "tried too often" in only_half("Ada").post(STEP, {"code": codes[0]}).content.decode()
    password(at_home, "Ada")
    at_home.post(STEP, {"code": codes[0]})
    assert is_signed_in(at_home)


def test_nothing_typed_is_not_counted(at_home):
    secret, _ = add_app(at_home)
    client = only_half("Ada")
    for _ in range(throttle.SECOND_STEP.per_source.most + 1):
        assert client.post(STEP, {"code": ""}).status_code == 422
    client.post(STEP, {"code": next_code(secret)})
    assert is_signed_in(client)


def test_a_form_from_elsewhere_takes_no_second_step(at_home):
    secret, _ = add_app(at_home)
    client = Client(headers={"host": "localhost:8000"}, enforce_csrf_checks=True)
    client.cookies = only_half("Ada").cookies
    assert client.post(STEP, {"code": next_code(secret)}).status_code == 403


# --- challenges ---


def test_a_challenge_is_answered_once(at_home):
    key, _ = add_passkey(at_home, authenticator=Authenticator(counts=False))
    client = only_half("Ada")
    answer = key.get(attribute(client.get(STEP), "data-options"))
    client.post(STEP, {"passkey": answer})
    assert is_signed_in(client)
    other = only_half("Ada")
    other.get(STEP)
    refused = other.post(STEP, {"passkey": answer})
    assert refused.status_code == 422
    assert "not accepted" in refused.content.decode()
    assert not is_signed_in(other)


def test_a_refused_challenge_is_spent(at_home):
    key, _ = add_passkey(at_home)
    client = only_half("Ada")
    first = attribute(client.get(STEP), "data-options")
    page = client.post(STEP, {"passkey": "{}"})
    client.post(STEP, {"passkey": key.get(first)})
    assert not is_signed_in(client)
    assert attribute(page, "data-options") != first


@pytest.mark.parametrize(
    "changes", [{"challenge": as_text(b"mine")}, {"challenge": ""}, {"origin": "http://evil.example"}]
)
def test_a_forged_challenge_is_refused(at_home, changes):
    key, _ = add_passkey(at_home)
    client = only_half("Ada")
    options = attribute(client.get(STEP), "data-options")
    assert client.post(STEP, {"passkey": key.get(options, **changes)}).status_code == 422
    assert not is_signed_in(client)


def test_an_answer_before_any_challenge_is_refused(at_home):
    key, _ = add_passkey(at_home)
    client = only_half("Ada")
    assert client.post(STEP, {"passkey": key.get('{"challenge": ""}')}).status_code == 422
    assert not is_signed_in(client)


def test_a_passkey_of_somebody_else_does_not_sign_in(at_home, person):
    add_passkey(at_home)
    person("Bo")
    other = Client(headers={"host": "localhost:8000"})
    password(other, "Bo")
    theirs, _ = add_passkey(other)
    client = only_half("Ada")
    client.post(STEP, {"passkey": theirs.get(attribute(client.get(STEP), "data-options"))})
    assert not is_signed_in(client)


def test_passkeys_are_throttled_too(at_home):
    key, _ = add_passkey(at_home)
    client = only_half("Ada")
    for _ in range(throttle.SECOND_STEP.per_source.most):
        client.post(STEP, {"passkey": "{}"})
    answer = client.post(STEP, {"passkey": key.get(attribute(client.get(STEP), "data-options"))})
    assert "tried too often" in answer.content.decode()


def test_a_passkey_cannot_be_used_where_it_was_not_made(at_home):
    key, _ = add_passkey(at_home)
    client = Client(headers={"host": "127.0.0.1:8000"})
    password(client)
    page = client.get(STEP)
    assert "do not work at this address" in page.content.decode()
    assert client.post(STEP, {"passkey": key.get('{"challenge": "AAAA"}')}).status_code == 422


# --- adding ---


@pytest.mark.parametrize("path", [*PAGES[:4], STEP])
def test_what_these_pages_show_is_kept_by_no_cache(at_home, path):
    assert "no-store" in at_home.get(path)["Cache-Control"]


def test_the_picture_needs_nothing_the_policy_forbids(at_home):
    text = at_home.get("/me/factors/app/").content.decode()
    assert re.search(r'<svg width="240" height="240" role="img" aria-label="QR code[^>]*><svg [^>]*viewBox=', text)
    assert "style=" not in text
    assert "data:image" not in text
    assert "<script>" not in text


def test_the_key_stays_the_same_until_the_app_is_confirmed(at_home):
    first = element(at_home.get("/me/factors/app/"), "key")
    answer = at_home.post("/me/factors/app/", {"code": "12", "present": PASSWORD})
    assert answer.status_code == 422
    assert element(answer, "key") == first
    assert "clock is right, then enter the current code" in answer.content.decode()
    add_app(at_home)
    assert element(at_home.get("/me/factors/app/"), "key") != first


def test_another_app_takes_the_place_of_the_first_and_recovery_codes_stay(at_home):
    first, codes = add_app(at_home)
    second, none = add_app(at_home)
    assert (len(codes), none) == (10, [])
    client = only_half("Ada")
    client.post(STEP, {"code": code_now(first, 1)})
    assert not is_signed_in(client)
    client.post(STEP, {"code": next_code(second)})
    assert is_signed_in(client)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/me/factors/app/", {"code": "123456"}),
        ("/me/factors/passkey/", {"name": "Phone"}),
        ("/me/factors/codes/", {}),
        ("/me/factors/app/remove/", {}),
    ],
)
def test_every_change_asks_for_the_password_and_guessing_it_is_throttled(at_home, site, path, words):
    add_app(at_home)
    before = factors.load_factors(repository.find("Ada"))
    for _ in range(throttle.OWN_PASSWORD.per_source.most):
        answer = at_home.post(path, {**words, "present": "guess"})
        assert answer.status_code == 422
    answer = at_home.post(path, {**words, "present": PASSWORD})
    assert answer.status_code == 422
    assert "tried too often" in answer.content.decode()
    assert factors.load_factors(repository.find("Ada")) == before


def test_a_passkey_is_only_asked_for_after_the_password(at_home):
    assert at_home.get("/me/factors/passkey/new/")["Location"] == "/me/factors/passkey/"
    at_home.post("/me/factors/passkey/", {"name": "Phone", "present": "guess"})
    assert at_home.get("/me/factors/passkey/new/")["Location"] == "/me/factors/passkey/"
    answer = at_home.post("/me/factors/passkey/new/", {"passkey": Authenticator().create('{"challenge": ""}')})
    assert answer["Location"] == "/me/factors/passkey/"
    assert repository.find("Ada").factors == []


@pytest.mark.parametrize("changes", [{"challenge": as_text(b"mine")}, {"origin": "http://evil.example"}])
def test_a_new_passkey_with_a_forged_challenge_is_refused_and_the_true_one_spent(at_home, changes):
    _, answer = add_passkey(at_home, **changes)
    assert "not accepted" in at_home.get(answer["Location"]).content.decode()
    assert at_home.get("/me/factors/passkey/new/").status_code == 302
    assert repository.find("Ada").factors == []


def test_asking_for_a_passkey_is_good_for_ten_minutes(at_home):
    at_home.post("/me/factors/passkey/", {"name": "Phone", "present": PASSWORD})
    assert at_home.get("/me/factors/passkey/new/").status_code == 200
    session = at_home.session
    session["new_passkey"] = {**session["new_passkey"], "since": session["new_passkey"]["since"] - 601}
    session.save()
    assert at_home.get("/me/factors/passkey/new/").status_code == 302


def test_a_bare_number_can_have_no_passkeys_and_says_so(signed_in):
    client = signed_in("Bo")
    client.defaults["HTTP_HOST"] = "127.0.0.1:8000"
    answer = client.get("/me/factors/passkey/")
    assert "open it as localhost" in answer.content.decode()


def test_passkeys_are_listed_with_their_names(at_home):
    assert "Recovery codes" not in at_home.get("/me/factors/").content.decode()
    add_passkey(at_home, name="<b>Phone</b>")
    text = at_home.get("/me/factors/").content.decode()
    assert "&lt;b&gt;Phone&lt;/b&gt;" in text
    assert "never" in text
    assert "You have 10 recovery codes left" in text
    assert 'desc="2 trips"' in at_home.get("/me/factors/")["Server-Timing"]


def test_recovery_codes_are_shown_once(at_home):
    _, codes = add_app(at_home)
    fresh = element(at_home.post("/me/factors/codes/", {"present": PASSWORD}), "codes").split("\n")
    assert not set(codes) & set(fresh)
    for path in PAGES:
        text = at_home.get(path).content.decode()
        assert not [code for code in fresh if code in text]


def test_recovery_codes_alone_are_not_made(at_home):
    answer = at_home.post("/me/factors/codes/", {"present": PASSWORD})
    assert answer.status_code == 422
    assert "Add one of those first" in answer.content.decode()


# --- removing ---


def test_the_app_is_removed_and_the_password_is_enough_again(at_home, site):
    add_app(at_home)
    assert at_home.get("/me/factors/app/remove/").status_code == 200
    answer = at_home.post("/me/factors/app/remove/", {"present": PASSWORD}, follow=True)
    assert "Removed." in answer.content.decode()
    client = Client()
    assert password(client)["Location"] == "/"
    assert at_home.get("/me/factors/app/remove/").status_code == 404
    assert [event["event_type"] for event in EventLog(site).since(1)] == [
        "SecondFactorAdded",
        "RecoveryCodesMade",
        "SecondFactorRemoved",
    ]


def test_a_passkey_is_removed_by_its_owner_only(at_home, person):
    add_passkey(at_home, name="Phone")
    key, _ = add_passkey(at_home, name="Key")
    phone, other = factors.load_factors(repository.find("Ada")).passkeys
    person("Bo")
    stranger = Client()
    password(stranger, "Bo")
    path = f"/me/factors/passkey/{phone.short_id}/remove/"
    assert stranger.post(path, {"present": PASSWORD}).status_code == 404
    assert "Remove the passkey Phone" in at_home.get(path).content.decode()
    at_home.post(path, {"present": PASSWORD})
    assert factors.load_factors(repository.find("Ada")).passkeys == (other,)
    client = only_half("Ada")
    client.post(STEP, {"passkey": key.get(attribute(client.get(STEP), "data-options"))})
    assert is_signed_in(client)


# --- where one is demanded ---


def test_whoever_runs_the_site_is_led_here_and_told_why(person, settings, browser):
    settings.SECOND_FACTOR_FOR_ADMINS = True
    person("Ada", Role.ADMIN)
    password(browser)
    answer = browser.get("/people/", follow=True)
    assert answer.redirect_chain == [("/me/factors/", 302)]
    assert "Admins of this site need a second step" in answer.content.decode()
    add_app(browser)
    assert browser.get("/people/").status_code == 200
    assert "need a second step. Add one here" not in browser.get("/me/factors/").content.decode()
    answer = browser.post("/me/factors/app/remove/", {"present": PASSWORD})
    assert answer.status_code == 422
    assert "Add another one before you remove this one" in answer.content.decode()
    add_passkey(browser)
    assert browser.post("/me/factors/app/remove/", {"present": PASSWORD}).status_code == 302
    assert browser.get("/people/").status_code == 200


def test_others_may_do_without(at_home, settings):
    settings.SECOND_FACTOR_FOR_ADMINS = True
    add_app(at_home)
    assert at_home.post("/me/factors/app/remove/", {"present": PASSWORD}).status_code == 302
    assert "need a second step. Add one here" not in at_home.get("/me/factors/").content.decode()


# --- odd people ---


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["#1/100% \"quoted\" 'n' <b>", "عائشة", "🦊" * 200, "..", "Straße"])
def test_any_name_can_have_a_second_step(person, browser, name):
    person(name, email="odd@example.org")
    password(browser, "odd@example.org")
    secret, codes = add_app(browser)
    add_passkey(browser)
    client = Client()
    password(client, name)
    client.post(STEP, {"code": next_code(secret, name)})
    assert is_signed_in(client)
    assert len(codes) == 10
    assert table().get(keys.factors(name)) is not None


def test_an_admin_helps_somebody_below_who_has_lost_everything(site, person, signed_in, outbox):
    admin, ada = signed_in("admin", Role.ADMIN), person("Ada")
    secret = authenticator_apps.new_secret()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()))
    factors.add_app(ada, secret, code, time.time())
    assert "Remove the second step" in admin.get("/people/Ada/").content.decode()
    admin.post("/people/Ada/factors/")
    assert repository.find("Ada").factors == []
    assert signed_in(repository.find("Ada")).get("/me/").status_code == 200
    assert "Plenum: Your second step was removed" in [subject for _, subject, _ in outbox()]


def test_the_operator_helps_the_owner(site, person, signed_in):
    from django.core.management import CommandError, call_command

    owner = person("owner", Role.OWNER)
    secret = authenticator_apps.new_secret()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()))
    factors.add_app(owner, secret, code, time.time())
    call_command("reset_second_factor", "OWNER")
    assert repository.find("owner").factors == []
    with pytest.raises(CommandError, match="Nobody has the name nobody"):
        call_command("reset_second_factor", "nobody")
