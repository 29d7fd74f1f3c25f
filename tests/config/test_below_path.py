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
from config import settings as production
from config.middleware import below_path
from config.settings import BASE_DIR
from mail.emails import compose
from pages import served_code
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


class Loaded(HTMLParser):
    """Scripts and stylesheets of a page: addresses and digests; without an address if the page has them itself."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        is_data = tag == "script" and (values.get("type") or "").startswith("application/")
        if (tag == "script" and not is_data) or (tag == "link" and "stylesheet" in values.get("rel", "")):
            self.found.append((values.get("src") or values.get("href") or "", values.get("integrity", "")))
        if tag == "style" or any(name.startswith("on") for name in values):
            self.found.append(("", "a style or a handler of its own"))
        if later := values.get("data-program") or values.get("data-script"):
            self.found.append((later, values["data-integrity"]))


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
def below(tmp_path_factory, collected_static_files):
    """A site below a path, with something of everything, and static files as in production; only looked at."""
    store = f"sqlite://{tmp_path_factory.mktemp('below')}/plenum.sqlite3"
    files = {"STORAGES": production.STORAGES, "STATIC_ROOT": collected_static_files}
    chosen = {"SITE_URL": SITE, "STORE_URL": store} | PRESENTED | settings_of(SITE) | files
    with override_settings(**chosen), override_script_prefix(f"{PATH}/"):
        table = connect(store)
        table.create()
        yield build()
        table.close()


@pytest.fixture(scope="module")
def pages(below: Site) -> dict[str, tuple[str, str]]:
    """Every page once, by its name: where it redirects, and its HTML."""
    found = {}
    for look in below.looks:
        if look.page not in found:
            answer = below.browsers[look.who].get(look.address, look.asked)
            assert answer.status_code < 400 or look.gone, look
            is_page = "html" in answer.get("Content-Type", "")
            found[look.page] = answer.get("Location", ""), answer.content.decode() if is_page else ""
    assert len(found) > 60
    return found


def test_no_page_and_no_redirect_leads_out_of_it(pages):
    astray = {}
    for name, (redirect, page) in pages.items():
        found = Addresses(page).found | set(filter(None, [redirect]))
        if out := {each for each in found if not is_ours(each)}:
            astray[name] = out
    assert astray == {}


def test_every_script_and_stylesheet_of_every_page_has_its_digest(pages):
    """Each is the digest of what its address serves. Only a mail, as its readers will see it, has styles of its own."""
    wrong, files = {}, {}
    for name, (_redirect, page) in pages.items():
        for address, digest in Loaded(page).found:
            if address and address not in files:
                served = Client().get(address)
                content = b"".join(served) if served.streaming else served.content
                files[address] = served_code.digest_of(content)
            if files.get(address) != digest:
                wrong.setdefault(name, set()).add(address)
    assert wrong == {"invitation_mail": {""}}
    assert any("/site/colours/" in address for address in files)
    assert len([address for address in files if address.endswith(".js")]) > 20


def test_no_template_loads_a_script_or_a_stylesheet_by_hand():
    by_hand = re.compile(r"<script(?![^>]*type=\"application/)|rel=.?stylesheet|modulepreload|importmap", re.IGNORECASE)
    texts = {path: path.read_text() for path in (BASE_DIR / "templates").rglob("*.html")}
    assert [str(path) for path, text in texts.items() if by_hand.search(text)] == []


def test_no_script_loads_another_that_nobody_checks():
    """A worker's program is checked before it starts, and a script loaded on demand has its digest as well."""
    loading = re.compile(r"import\(|^import |importScripts|serviceWorker|createElement\(.script|new Worker", re.M)
    found = {path.name: loading.findall(path.read_text()) for path in (BASE_DIR / "static" / "js").glob("*.js")}
    assert {name: loads for name, loads in found.items() if loads} == {
        "recount.js": ["new Worker"],
        "rank.js": ['createElement("script'],
    }


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
