"""The pages of webhooks: adding one, its state, and what its owner can do with it."""

from __future__ import annotations

import re
import zipfile
from html import unescape

import pytest

from accounts.personal_data import export_personal_data
from accounts.rules import Role
from foundation.acts.storage import log
from parts.webhooks import repository, rules, services
from parts.webhooks.services import SITE_OWNER
from tests.people import sign_in

from .sites import URL, Network, hooked, now, send

ALL = list(rules.TYPES)


@pytest.fixture
def otto(person):
    return person("Otto")


@pytest.fixture
def browser(otto):
    return sign_in(otto)


def text(answer):
    return unescape(answer.content.decode())


def events():
    return [each for each in log().since(0) if each["event_type"].startswith("Webhook")]


def test_adding_one_shows_its_secret_once(browser, otto):
    assert "No webhooks yet" in text(browser.get("/me/webhooks/"))
    page = browser.post("/me/webhooks/new/", {"url": URL, "types": ALL})
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]+", text(page))
    (endpoint,) = repository.endpoints_of("Otto")
    assert rules.shown_secret(repository.secrets_of(endpoint, 0)[0]) == secret
    for address in ("/me/webhooks/", f"/me/webhooks/{endpoint.id}/", f"/me/webhooks/{endpoint.id}/edit/"):
        assert "hooks.example" in text(browser.get(address))
        assert "whsec_" not in text(browser.get(address))
    (event,) = events()
    assert event["event_data"] == {"webhook_id": endpoint.id, "owner": "Otto", "host": "hooks.example", "types": ALL}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "required"),
        ("hooks.example", "not a web address"),
        ("http://hooks.example/", "must begin with https"),
        ("https://a:b@hooks.example/", "user name or password"),
        ("https://hooks.example:8443/", "port 443"),
        ("https://localhost/hook", "could not be found on the public internet"),
        ("https://[::1]/", "could not be found on the public internet"),
        ("https://2130706433/", "could not be found on the public internet"),
        ("javascript:alert(1)", "not a web address"),
        ("https://" + "x" * 2500, "2000"),
    ],
)
def test_addresses_that_are_refused(browser, url, words):
    page = browser.post("/me/webhooks/new/", {"url": url, "types": ALL})
    assert page.status_code == 422
    assert words in text(page)
    assert repository.endpoints_of("Otto") == []


def test_no_events_or_unknown_ones(browser):
    for types in ([], ["ballot.cast"]):
        assert browser.post("/me/webhooks/new/", {"url": URL, "types": types}).status_code == 422


def test_there_is_a_limit(browser, otto):
    for _ in range(rules.MAX_ENDPOINTS):
        hooked(otto)
    page = browser.post("/me/webhooks/new/", {"url": URL, "types": ALL})
    assert page.status_code == 422
    assert "maximum number" in text(page)


def test_a_test_event_and_what_became_of_it(browser, otto):
    endpoint = hooked(otto)
    address = f"/me/webhooks/{endpoint.id}/"
    assert "Nothing has been sent yet" in text(browser.get(address))
    assert browser.post(f"{address}test/").status_code == 302
    assert "Waiting" in text(browser.get(address))
    send(Network(["not public"]))
    page = text(browser.get(address))
    assert "The host could not be found on the public internet." in page
    assert "next attempt" in page
    assert "Failing" in page
    browser.post(f"{address}test/")
    send(Network([200]))
    page = text(browser.get(address))
    assert "Delivered" in page
    assert "webhook.test" in page


def test_changing_pausing_and_deleting(browser, otto):
    endpoint = hooked(otto)
    address = f"/me/webhooks/{endpoint.id}/"
    other = {"url": "https://other.example/", "types": ["election.closed"]}
    assert browser.post(f"{address}edit/", other).status_code == 302
    assert (now(endpoint).url, now(endpoint).types) == ("https://other.example/", ("election.closed",))
    browser.post(f"{address}pause/")
    assert "Paused" in text(browser.get(address))
    assert "not active" in text(browser.post(f"{address}test/", follow=True))
    browser.post(f"{address}resume/")
    assert now(endpoint).state == rules.ACTIVE
    assert "whsec_" in text(browser.post(f"{address}secret/"))
    assert browser.post(f"{address}delete/").status_code == 302
    assert repository.endpoints_of("Otto") == []
    assert browser.get(address).status_code == 404
    kinds = ["Added", "Changed", "Paused", "Resumed", "SecretRenewed", "Deleted"]
    assert [each["event_type"] for each in events()] == [f"Webhook{kind}" for kind in kinds]
    assert not any("/plenum" in str(each) for each in events())  # the log has no path, which may be a secret


def test_switched_off(browser, otto):
    endpoint = hooked(otto)
    services.send_test(endpoint)
    send(Network([410]))
    page = text(browser.get(f"/me/webhooks/{endpoint.id}/"))
    assert "gone for good (410)" in page
    assert "Switched off" in text(browser.get("/me/webhooks/"))


def test_nobody_else_sees_it(browser, person):
    ida, olga = person("Ida"), person("Olga", Role.OWNER)
    hers, site = hooked(ida), hooked(olga, owner=SITE_OWNER)
    for endpoint in (hers, site):
        for path in ("", "edit/", "secret/", "delete/"):
            assert browser.get(f"/me/webhooks/{endpoint.id}/{path}").status_code == 404
        for path in ("test/", "pause/", "resume/", "edit/", "secret/", "delete/"):
            assert browser.post(f"/me/webhooks/{endpoint.id}/{path}").status_code == 404
    assert browser.get("/me/webhooks/new/site/").status_code == 403
    assert "For the whole site" not in text(browser.get("/me/webhooks/"))
    client = sign_in(olga)
    assert client.get(f"/me/webhooks/{hers.id}/").status_code == 404
    assert "For the whole site" in text(client.get(f"/me/webhooks/{site.id}/"))


def test_an_admin_adds_one_for_the_site(person):
    client = sign_in(person("Adam", Role.ADMIN))
    assert "whsec_" in text(client.post("/me/webhooks/new/site/", {"url": URL, "types": ALL}))
    assert [each.created_by for each in repository.endpoints_of(SITE_OWNER)] == ["Adam"]
    assert "hooks.example" in text(client.get("/me/webhooks/"))


def test_the_account_page_leads_there_for_those_who_run_elections(browser, person):
    assert "/me/webhooks/" in text(browser.get("/me/"))
    client = sign_in(person("Vera", Role.VOTER))
    assert "/me/webhooks/" not in text(client.get("/me/"))


def test_own_data_has_them_without_secrets(otto):
    endpoint = hooked(otto)
    with zipfile.ZipFile(export_personal_data(otto)) as packed:
        text = packed.read("webhooks.json").decode()
    assert endpoint.url in text
    assert endpoint.secret not in text


def test_markup_in_the_address(browser):
    url = "https://hooks.example/<b>&\"'"
    page = browser.post("/me/webhooks/new/", {"url": url, "types": ALL})
    assert page.status_code == 200
    (endpoint,) = repository.endpoints_of("Otto")
    assert "<b>&" not in browser.get(f"/me/webhooks/{endpoint.id}/").content.decode()
    assert endpoint.url == url
