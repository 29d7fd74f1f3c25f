"""Every page of a site opened once and shown to small judges (judges.py); and what changes below a path of its host."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.test.utils import override_script_prefix
from django.urls import reverse

from accounts.rules import Role
from config import settings as production
from config.middleware import below_path
from config.settings import BASE_DIR
from foundation.acts.links import absolute_url
from foundation.mail.emails import compose
from foundation.store.connect import connect
from tests.access.site import PASSERS_BY, PRESENTED, Site, build
from tests.access.table import without_haste
from tests.fuzz.forms import Form, states_of
from tests.people import PASSWORD, make_person, sign_in

from .judges import (
    MAIN,
    Addresses,
    Loaded,
    PrimaryButtons,
    ServedFiles,
    forms_that_do_not_ask,
    several_buttons,
    unscripted_forms,
)

HOST, PATH = "example.net", "/our/votes"
SITE = f"https://{HOST}{PATH}"
KEPT_BY_NOBODY = "private, no-store"
FILES = {"export", "bundle", "recount_ballots", "follow_ballots"}  # of sealed results, for one's own browser
FOR_EVERYBODY = {
    "picture",
    "site_colours",
    "site_logo",
    "favicon",
}
FOR_EVERYBODY |= {f"news{which}_{kind}" for which in ("", "_by", "_tag") for kind in ("atom", "json")}
FOR_EVERYBODY |= {"sitemap", "sitemap_pages", "sitemap_year"}
DERIVED = ("FORCE_SCRIPT_NAME", "STATIC_URL", "SESSION_COOKIE_PATH", "CSRF_COOKIE_PATH", "LANGUAGE_COOKIE_PATH")
TYPED = "Quinces from Quedlinburg"
# Beside other forms, where what could be lost without scripts is one short line that whoever typed it still knows.
SHORT = {
    "seat": "one's own name, or leaving",
    "game_players": "a player's name, among the buttons of all players",
    "second_step": "a code, beside a button that needs scripts",
    "station_desk": "the code on a letter that lies on the desk",
}


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


@cache
def settings_below() -> dict[str, Any]:
    return {"SITE_URL": SITE} | settings_of(SITE)


@pytest.fixture
def below(site) -> Iterator[None]:
    """An empty site below a path."""
    with override_settings(**settings_below()), override_script_prefix(f"{PATH}/"):
        yield


@dataclass(frozen=True)
class Page:
    name: str
    of: str
    who: str
    path: str
    html: str  # nothing, if it is no page
    redirect: str
    kept: str  # by whom, as Cache-Control says
    browser: Client

    @property
    def main(self) -> str:
        return "".join(MAIN.findall(self.html))


@contextmanager
def built(folder: Path) -> Iterator[Site]:
    """A site with something of everything."""
    store = f"sqlite://{folder}/plenum.sqlite3"
    with override_settings(STORE_URL=store, **PRESENTED), without_haste():
        table = connect(store)
        table.create()
        yield build()
        table.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, django_test_environment) -> Iterator[list[Page]]:
    with built(tmp_path_factory.mktemp("top")) as site:
        yield every_page(site)


@pytest.fixture(scope="module")
def pages_below(tmp_path_factory, collected_static_files) -> Iterator[list[Page]]:
    """The same below a path, with static files as in production: every template is compiled once more for these."""
    files = {"STORAGES": production.STORAGES, "STATIC_ROOT": collected_static_files}
    below = override_settings(**settings_below(), **files)
    with below, override_script_prefix(f"{PATH}/"), built(tmp_path_factory.mktemp("below")) as site:
        yield every_page(site)


def every_page(site: Site) -> list[Page]:
    """Opened once by each for whom the table of access patterns has it."""
    found = []
    for look in site.looks:
        browser = site.browsers[look.who]
        answer = browser.get(look.address, look.asked)
        assert answer.status_code < 400 or look.gone, look
        is_page = "html" in answer.get("Content-Type", "") and not answer.streaming
        html = answer.content.decode() if is_page else ""
        redirect = answer.get("Location", "")
        path, kept = answer.wsgi_request.path, answer.get("Cache-Control", "")
        found.append(Page(look.page, look.of, look.who, path, html, redirect, kept, browser))
    assert len(found) > 250
    return found


def states(pages: list[Page]) -> Iterator[Page]:
    """Each page, and every state of it that one of its links leads to."""
    for page in pages:
        if page.main:
            yield page
            for state in states_of(page.path, page.main):
                yield replace(page, path=state, html=page.browser.get(state).content.decode())


@pytest.mark.deep
def test_no_page_and_no_redirect_leads_out_of_it(pages_below):
    astray = {
        page.name: [each for each in [*Addresses(page.html).found, page.redirect] if not is_ours(each)]
        for page in pages_below
        if page.redirect or page.html
    }
    assert {name: out for name, out in astray.items() if any(out)} == {}


@pytest.mark.deep
def test_every_script_and_stylesheet_of_every_page_has_its_digest(pages_below):
    """Each is the digest of what its address serves. Only a mail, as its readers will see it, has styles of its own."""
    files = ServedFiles(lambda address: Client().get(address).getvalue())
    loaded = {(page.name, *each) for page in pages_below for each in Loaded(page.html).found}
    wrong = {(name, address) for name, address, digest in loaded if not address or files[address] != digest}
    assert wrong == {("invitation_mail", "")}
    assert any("/site/colours/" in address for address in files)
    assert len([address for address in files if address.endswith(".js")]) > 20


@pytest.mark.seconds(10)
def test_nobody_keeps_a_page_that_was_made_for_somebody(pages):
    assert {page.name for page in pages if page.kept.startswith("public")} == FOR_EVERYBODY
    signed_in = [page for page in pages if page.who not in PASSERS_BY and "program" not in page.who]
    assert {page.name for page in signed_in if page.kept != KEPT_BY_NOBODY} == FILES


@pytest.mark.seconds(4)
def test_no_page_has_two_primary_buttons(pages):
    """At most one: what most people came to do. The page of styles shows every button on purpose."""
    found = {(page.name, page.of, page.who): PrimaryButtons(page.html).found for page in pages if page.name != "style"}
    assert {page: buttons for page, buttons in found.items() if len(buttons) > 1} == {}
    assert sum(map(len, found.values())) > 50


@pytest.mark.seconds(10)
def test_nothing_typed_is_lost_to_another_button(pages, subtests):
    """Comes last of those that look at the pages, as it sends what is on them."""
    opened = list(states(pages))
    forms = {id(page): unscripted_forms(page.main) for page in opened}
    with subtests.test("with scripts, the browser asks first"):
        assert {page.path: found for page in opened if (found := forms_that_do_not_ask(page.main))} == {}
    with subtests.test("without scripts, there is no other form on the page"):
        # No button but its own can be pressed. (The frame around every page leads away from it, as links do.)
        with_text = [page for page in opened if any(form.free for form in forms[id(page)])]
        alone = {page.name for page in with_text if len(forms[id(page)]) == 1}
        assert {page.name for page in with_text if len(forms[id(page)]) > 1} == SHORT.keys()
        assert {"candidates", "roll", "needs", "agenda", "game_roll", "qa", "manage_qa", "sort_ideas", "me"} <= alone
    with subtests.test("every button of a form keeps what was typed"):
        pressed = [check_that_it_keeps(page, *each) for page in opened for each in several_buttons(forms[id(page)])]
        assert len(pressed) > 20


def check_that_it_keeps(page: Page, form: Form, button: dict[str, str]) -> None:
    """What was typed is saved, or is on the page that comes next."""
    text = {field.name: TYPED for field in form.free}
    after = page.browser.post(form.action or page.path, form.filled(text) | button, follow=True)
    texts = [each.content.decode() for each in (after, page.browser.get(page.path))]
    assert any(TYPED in each for each in texts), f"{page.path}: {button}"


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


def test_cookies_are_for_what_is_below(below):
    make_person("ada")
    browser = Client()
    browser.post(f"{PATH}/language/", {"language": "de", "next": f"{PATH}/"})
    browser.get(f"{PATH}/sign-in/")
    browser.post(f"{PATH}/sign-in/", {"name_or_email": "ada", "password": PASSWORD})
    assert {"plenum_session", "csrftoken", "django_language"} <= browser.cookies.keys()
    assert {name for name, cookie in browser.cookies.items() if not cookie["path"].startswith(f"{PATH}/")} == set()


def test_pages_lead_below_it(below):
    """In this language and below this path nothing was compiled yet, so only a few: the deep tests open them all."""
    browser = sign_in("ada", Role.OWNER)
    for name in ("home", "elections", "polls", "make_poll", "people", "me", "create_election"):
        html = browser.get(reverse(name)).content.decode()
        assert [each for each in Addresses(html).found if not is_ours(each)] == [], name


def test_messages_for_the_next_page_are_for_what_is_below(below):
    """Whether the cookie is set or deleted."""
    request, response = RequestFactory().get(f"{PATH}/"), HttpResponse()
    response.set_cookie("messages", "something")
    response.delete_cookie("forgotten")
    answer = below_path(lambda request: response)(request)
    assert {cookie["path"] for cookie in answer.cookies.values()} == {f"{PATH}/"}


def test_mails_lead_below_it_whoever_sends_them(below):
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


def test_whole_addresses_are_the_same_in_every_thread(below):
    found = [absolute_url(reverse("home"))]
    thread = Thread(target=lambda: found.append(absolute_url(reverse("home"))))
    thread.start()
    thread.join()
    assert found == [f"{SITE}/", f"{SITE}/"]


@pytest.mark.parametrize("path", [f"{PATH}/healthz", "/healthz", f"{PATH}/sign-in/", "/sign-in/"])
def test_the_server_answers_with_and_without_the_path(below, path):
    """Proxies pass it on; whoever asks the server itself need not know of it."""
    assert Client().get(path).status_code == 200


def test_the_path_itself_leads_to_the_home_page(below):
    answer = Client().get(PATH)
    assert (answer.status_code, answer["Location"]) == (302, f"{PATH}/")
    assert Client().get(f"{PATH}/").status_code == 200
    assert Client().post(f"{PATH}/language/", {"language": "en", "next": "//evil"})["Location"] == f"{PATH}/"


def test_static_files_are_found_below_it(below, static_files):
    page = Client().get(f"{PATH}/").content.decode()
    style = next(word for word in page.split('"') if "/static/css/base" in word)
    assert style.startswith(f"{PATH}/static/")
    served = staticfiles_storage.url("css/base.css")
    assert served.startswith(f"{PATH}/static/css/base.")
    assert "immutable" in Client().get(served)["Cache-Control"]


def test_nothing_puts_the_site_before_a_path_by_itself():
    """`foundation.acts.links.whole` does: what `reverse` makes has the path already, but not in every thread."""
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
