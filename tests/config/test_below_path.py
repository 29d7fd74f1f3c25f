"""A site below a path of its host: no page, redirect, cookie, mail or picture leads out of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.test.utils import override_script_prefix
from django.urls import reverse

from acts.links import absolute_url
from config.middleware import below_path
from config.settings import BASE_DIR
from mail.emails import compose
from store.connect import connect
from tests.access.site import PRESENTED, Site, build

HOST, PATH = "example.net", "/our/votes"
SITE = f"https://{HOST}{PATH}"
DERIVED = ("FORCE_SCRIPT_NAME", "STATIC_URL", "SESSION_COOKIE_PATH", "CSRF_COOKIE_PATH", "LANGUAGE_COOKIE_PATH")


class Addresses(HTMLParser):
    """Whatever looks like an address in any attribute of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found |= {value for _name, value in attributes if value and re.match(r"/(?!/)|https?://", value)}


def is_ours(address: str) -> bool:
    """Below the path, or on another host altogether, as people link to."""
    url = urlsplit(address)
    ours = url.netloc in ("", HOST, "localhost:8000", "testserver")
    return not ours or url.path == PATH or url.path.startswith(f"{PATH}/")


def settings_of(url: str) -> dict[str, str]:
    """As a start with this SITE_URL makes them."""
    asked = f"import json; from config import settings as s; print(json.dumps({{n: getattr(s, n) for n in {DERIVED}}}))"
    environment = {"SITE_URL": url, "DATA_DIR": "/nonexistent", "SECRET_KEY": "for this test only"}
    run = [sys.executable, "-c", asked]
    told = subprocess.run(run, cwd=BASE_DIR, env=environment, check=True, capture_output=True, text=True)
    return json.loads(told.stdout)


@pytest.fixture(scope="module")
def below(tmp_path_factory):
    """A site below a path, with something of everything; only looked at."""
    store = f"sqlite://{tmp_path_factory.mktemp('below')}/plenum.sqlite3"
    chosen = {"SITE_URL": SITE, "STORE_URL": store} | PRESENTED | settings_of(SITE)
    with override_settings(**chosen), override_script_prefix(f"{PATH}/"):
        table = connect(store)
        table.create()
        yield build()
        table.close()


def test_no_page_and_no_redirect_leads_out_of_it(below: Site):
    astray, seen = {}, set()
    for look in below.looks:
        if look.page in seen:
            continue
        seen.add(look.page)
        answer = below.browsers[look.who].get(look.address, look.asked)
        assert answer.status_code < 400 or look.gone, look
        page = answer.content.decode() if "html" in answer.get("Content-Type", "") else ""
        found = Addresses(page).found | set(filter(None, [answer.get("Location")]))
        if out := {each for each in found if not is_ours(each)}:
            astray[look.page] = out
    assert len(seen) > 60
    assert astray == {}


def test_cookies_are_for_what_is_below(below: Site):
    browser = Client()
    browser.post(f"{PATH}/language/", {"language": "de", "next": f"{PATH}/"})
    browser.get(f"{PATH}/sign-in/")
    cookies = {**browser.cookies, **below.browsers["owner"].cookies, **below.browsers["passer-by"].cookies}
    assert {"plenum_session", "csrftoken", "django_language"} <= cookies.keys()
    assert {name for name, cookie in cookies.items() if not cookie["path"].startswith(f"{PATH}/")} == set()


def test_messages_for_the_next_page_are_for_what_is_below(below: Site):
    """Whether the cookie is set or deleted."""
    request, response = RequestFactory().get(f"{PATH}/"), HttpResponse()
    response.set_cookie("messages", "something")
    response.delete_cookie("forgotten")
    answer = below_path(lambda request: response)(request)
    assert {cookie["path"] for cookie in answer.cookies.values()} == {f"{PATH}/"}


def test_mails_lead_below_it_whoever_sends_them(below: Site):
    """A thread of the worker has never seen a request, so nobody told it of the path."""
    about = {"number": "1", "kind": "already_registered", "to": "ada@example.org", "about": {"name": "Ada"}}
    mail, texts = SimpleNamespace(**about, language="en", queued_at="", tries=0, ledger=None), []
    elsewhere = Thread(target=lambda: texts.append(compose(mail).body))
    elsewhere.start()
    elsewhere.join()
    texts.append(compose(mail).body)
    for text in texts:
        assert [word for word in text.split() if word.startswith("http")] == [f"{SITE}/sign-in/", SITE]
    assert len(texts) == 2


def test_whole_addresses_are_the_same_in_every_thread(below: Site):
    found = [absolute_url(reverse("home"))]
    thread = Thread(target=lambda: found.append(absolute_url(reverse("home"))))
    thread.start()
    thread.join()
    assert found == [f"{SITE}/", f"{SITE}/"]


@pytest.mark.parametrize("path", [f"{PATH}/healthz", "/healthz", f"{PATH}/sign-in/", "/sign-in/"])
def test_the_server_answers_with_and_without_the_path(below: Site, path):
    """Proxies pass it on; whoever asks the server itself need not know of it."""
    assert Client().get(path).status_code == 200


def test_the_path_itself_leads_to_the_home_page(below: Site):
    answer = Client().get(PATH)
    assert (answer.status_code, answer["Location"]) == (302, f"{PATH}/")
    assert Client().get(f"{PATH}/").status_code == 200
    assert Client().post(f"{PATH}/language/", {"language": "en", "next": "//evil"})["Location"] == f"{PATH}/"


def test_static_files_are_found_below_it(below: Site, static_files):
    page = Client().get(f"{PATH}/").content.decode()
    style = next(word for word in page.split('"') if "/static/css/base" in word)
    assert style.startswith(f"{PATH}/static/")
    served = staticfiles_storage.url("css/base.css")
    assert served.startswith(f"{PATH}/static/css/base.")
    assert "immutable" in Client().get(served)["Cache-Control"]


def test_nothing_puts_the_site_before_a_path_by_itself():
    """`acts.links.whole` does: what `reverse` makes has the path already, but not in every thread."""
    packages = (path for path in BASE_DIR.glob("[a-z]*/**/*.py") if path.parts[len(BASE_DIR.parts)] != "tests")
    by_hand = re.compile(r"SITE_URL\}?\s*(\+|\{reverse|\{static)")
    found = [str(path) for path in packages if by_hand.search(path.read_text()) and path.name != "links.py"]
    assert found == []


def test_a_site_at_the_top_of_its_host_is_as_ever():
    assert settings_of(f"https://{HOST}/") == {
        "FORCE_SCRIPT_NAME": "",
        "STATIC_URL": "/static/",
        "SESSION_COOKIE_PATH": "/",
        "CSRF_COOKIE_PATH": "/",
        "LANGUAGE_COOKIE_PATH": "/",
    }
