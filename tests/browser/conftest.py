"""A real server and a real Chromium. No page opened here may err, breach its policy, or ask a stranger for anything."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_EX, flock
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import (
    APIRequestContext,
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Frame,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

from accounts import repository as accounts
from accounts.demo import PASSWORD
from config.settings import BASE_DIR
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from tests import people
from tests.compiled_templates import of_a_server
from tests.ports import free_port

TIMEOUT_SECONDS = 120  # seconds: a busy machine is no failure
expect.set_options(timeout=60_000)
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and not item.get_closest_marker("journey"):
            item.add_marker(pytest.mark.deep)


# --- the server ---


def wait_until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=5).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"The server did not start:\n{log.read_text()}")


def ran_in(folder: Path, **variables: str) -> dict[str, object]:
    """How a command is run for the site in this folder."""
    folders = {"DATA_DIR": str(folder), "METRICS_DIR": str(folder / "metrics")}  # one that is killed leaves nothing
    return {"cwd": BASE_DIR, "env": {"PATH": os.environ["PATH"], **folders, **of_a_server(), **variables}}


def start(folder: Path, *options: str) -> tuple[subprocess.Popen[bytes], str]:
    port, log = free_port(), folder / "server.log"
    command = [sys.executable, "manage.py", "serve", *options]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            **ran_in(folder, PORT=str(port), WEB_PROCESSES="1"),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}", process, log)
    except AssertionError:
        stop(process)
        raise
    return process, f"http://127.0.0.1:{port}"


def stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """The address of a site served from the folder as `make run` serves it."""
    process, address = start(folder, *options)
    try:
        yield address
    finally:
        stop(process)


# In one process: each of its own would read all of the code anew.
STARTING = """
import django
from django.core.management import call_command

django.setup()
for words in (["create_tables"], ["demo"], ["worker", "--once"], ["collectstatic", "--noinput", "--verbosity=0"]):
    call_command(*words)
"""


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The demo's site as a first start leaves it, made by whichever process of the run comes first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    with folder.with_suffix(".lock").open("w") as turn:
        flock(turn, LOCK_EX)
        if not folder.exists():
            making = Path(tempfile.mkdtemp(dir=folder.parent))
            subprocess.run([sys.executable, "-c", STARTING], **ran_in(making), check=True)
            making.rename(folder)
    return folder


@pytest.fixture(scope="package")
def server_folder(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site for all browser tests keeps its store and its mail."""
    return shutil.copytree(prepared, tmp_path_factory.mktemp("site"), dirs_exist_ok=True)


@pytest.fixture(scope="package")
def server(server_folder: Path) -> Iterator[str]:
    """A site with the demo, for all browser tests."""
    with serving(server_folder) as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A site in which nothing has happened yet."""
    with serving(tmp_path, "--no-demo") as address:
        yield address


# --- the browser ---


def chromium(playwright: Playwright) -> str:
    """Where Chromium is. That there is none is an error: a run that skips the browser says nothing about the pages."""
    named = os.environ.get("CHROMIUM")
    found = [named] if named else [shutil.which(name) for name in NAMES]
    path = next(filter(None, found), playwright.chromium.executable_path)
    if not Path(path).exists():
        raise RuntimeError("There is no Chromium. Install one, or name one in the environment variable CHROMIUM.")
    return path


# All pages of a site share a process, scripts are not optimised for a long life, and a screen is put together from few
# large pieces instead of many small ones.
SPARING = ("--process-per-site", "--js-flags=--no-opt,--no-maglev")
SPARING += ("--default-tile-width=1280", "--default-tile-height=800")
# Whoever asks a stranger gets no answer, and Chromium complains of that; to hear of every request took a tenth of the
# time of a page.
AMONG_US = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        as_root = ["--no-sandbox"] if os.getuid() == 0 else []  # Chromium refuses its sandbox to root
        browser = playwright.chromium.launch(executable_path=chromium(playwright), args=[*SPARING, AMONG_US, *as_root])
        yield browser
        browser.close()


class Complaints(list[str]):
    """What a page should not have done."""

    def __init__(self, address: str):
        self.address = address
        self.shown: set[str] = set()
        self.refused: list[tuple[str, str]] = []  # addresses, and what Chromium says of them
        self.heard = {"console": self.hear, "pageerror": self.fail, "framenavigated": self.see}

    def listen(self, page: Page) -> None:
        for event, heard in self.heard.items():
            page.on(event, heard)

    def listen_no_more(self, page: Page, *events: str) -> None:
        """To these events, or to any."""
        for event in events or [*self.heard]:
            page.remove_listener(event, self.heard.pop(event))

    def fail(self, error: Error) -> None:
        self.append(f"script: {error}")

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            address, _, _ = message.location["url"].partition("#")
            if "the server responded with a status of 4" in message.text:
                self.refused.append((address, message.text))
            else:
                self.append(f"console: {message.text}")

    def see(self, frame: Frame) -> None:
        self.shown.add(frame.url.partition("#")[0])
        if not frame.url.startswith((f"{self.address}/", "about:")):
            self.append(f"went elsewhere: {frame.url}")

    def told(self) -> list[str]:
        """All so far; the next who asks hears only what comes after."""
        # Chromium also complains when the page that was asked for is itself an error page; that is no mistake here. It
        # does so before it shows the page.
        refused = [f"console: {words} ({address})" for address, words in self.refused if address not in self.shown]
        told = [*self, *refused]
        self.clear()
        self.refused.clear()
        return told


# --- windows ---

EMULATED = ("color_scheme", "contrast", "forced_colors", "reduced_motion")
CALM = {"reduced_motion": "reduce"}  # what moves costs more than all the rest; those that look at it say so
KEEP_NOTHING = """() => { try {
  localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {}; window.name = "";
} catch {} }"""


class Window:
    """A browser context for one reader at a time: nobody finds in it what another has left there.

    A new one costs more than what most tests do in it, so it is emptied and lent again. Its pages are always new.
    """

    def __init__(self, browser: Browser, address: str, reader: dict[str, object]):
        self.address = address
        self.context: BrowserContext = browser.new_context(base_url=address, **reader)
        self.first = self.context.new_page()  # stays open, and keeps the session that clears the storage
        self.first.goto("/healthz")  # and the process of all pages of the site: a new one costs more than most pages
        self.storage = self.context.new_cdp_session(self.first)

    def open(self, width: int, emulated: dict[str, object]) -> Page:
        page = self.context.new_page()
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(**{**CALM, **emulated})
        return page

    def empty(self) -> None:
        for page in self.context.pages:
            if page != self.first:
                page.evaluate(KEEP_NOTHING)  # not even what pages keep when they are left
                page.close()
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.storage.send("Storage.clearDataForOrigin", {"origin": self.address, "storageTypes": "all"})


class Windows:
    """Those that are free, by what cannot be changed about them: language, scripts, touch, where they are."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self.free: dict[str, list[Window]] = {}

    @contextmanager
    def lend(self, address: str, reader: dict[str, object]) -> Iterator[Window]:
        free = self.free.setdefault(repr((address, sorted(reader.items()))), [])
        window = free.pop() if free else Window(self.browser, address, reader)
        yield window
        window.empty()
        free.append(window)


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


# --- signing in ---

NUMBERS = count(1)
MAX_ATTEMPTS = 3  # a connection kept for the next request may be closed by the server just before it comes


def come_in(request: APIRequestContext, name: str, password: str = PASSWORD) -> None:
    """Sign somebody in as the page would, without showing it. What the page is like, others look at."""
    token = re.search(
        'name="csrfmiddlewaretoken" value="([^"]+)"', request.get("/sign-in/", max_retries=MAX_ATTEMPTS).text()
    )
    form = {"csrfmiddlewaretoken": token[1], "name_or_email": name, "password": password}
    answer = request.post("/sign-in/", form=form, max_redirects=0, max_retries=MAX_ATTEMPTS)
    assert answer.status == 302, answer.text()


def sign_out(page: Page) -> None:
    """As the page offers it, with scripts or without."""
    page.locator("[popovertarget=user-menu]").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


@pytest.fixture(scope="package")
def cookies_of(windows: Windows, server: str) -> Callable[[str], list]:
    """The session of somebody of the demo. One is enough for all tests that do not end it."""
    kept: dict[str, list] = {}

    def cookies_of(name: str) -> list:
        if name not in kept:
            with windows.lend(server, {}) as window:
                come_in(window.context.request, name)
                kept[name] = window.context.cookies()
        return kept[name]

    return cookies_of


@pytest.fixture
def newcomer(settings, server: str, server_folder: Path) -> Callable[[], str]:
    """Makes somebody new on the site of all browser tests; answers their name."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    settings.PASSWORD_HASHERS = settings.PASSWORD_HASHERS[-1:]  # the only one that the server knows

    def make() -> str:
        name = f"Newcomer {next(NUMBERS)}"
        people.enrol(name)
        return name

    return make


@pytest.fixture
def board(settings, server: str, server_folder: Path) -> Callable[..., str]:
    """Open an election, on the site of all browser tests; answers where its ballot is."""

    def make(
        names: Iterable[str] = ("Chen Wei", "Noor al-Said", "Sofia"),
        voters: Iterable[str] = ("Wang Zhenyi",),
        **chosen: object,
    ) -> str:
        settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
        settings.SECRET_KEY = (server_folder / "secret_key").read_text()
        owner, name = accounts.find(accounts.owner_name()), f"Board {next(NUMBERS)}"
        election = drafts.create(owner, name, **chosen)
        if election.kind != "yes-no":
            add_candidates(owner, election, [Candidate(each) for each in names])
        add_voters(owner, elections.find(name), list(voters))
        lifecycle.open_(owner, elections.find(name), editable=False)
        return f"/election/{quote(name)}/ballot/"

    return make


# --- visiting ---

Visit = Callable[..., Page]


@pytest.fixture
def visit(windows: Windows, server: str, cookies_of: Callable[[str], list]) -> Iterator[Visit]:
    """Opens a page as a given reader would see it, signed in or not; afterwards no page may have complained."""
    opened: dict[Page, Complaints] = {}

    with ExitStack() as lent:

        def visit(
            path: str, *, who: str = "", width: int = 1280, address: str = server, before: str = "", **reader: object
        ) -> Page:
            emulated = {name: reader.pop(name) for name in EMULATED if name in reader}
            permissions = reader.pop("permissions", None)
            cookies = cookies_of(who) if who else []
            window = lent.enter_context(windows.lend(address, reader))
            window.context.add_cookies(cookies)
            if permissions:
                window.context.grant_permissions(permissions)
            page = window.open(width, emulated)
            opened[page] = Complaints(address)
            opened[page].listen(page)
            if before:
                page.add_init_script(before)
            page.goto(path)
            return page

        yield visit
        for page, complaints in opened.items():
            complaints.listen_no_more(page, "framenavigated")  # the site may be gone, with those who tried it
    for page, complaints in opened.items():
        complaints.listen_no_more(page)
    assert [complaint for complaints in opened.values() for complaint in complaints.told()] == []


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something only a script can see. (`wait_for_function` evaluates text in the page, which its policy
    forbids as soon as it has to wait.)"""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
