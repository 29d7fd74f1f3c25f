"""What all tests share: a site of its own in a temporary folder, never the one in use."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest
from botocore import session as botocore_session
from django.contrib.staticfiles.storage import ManifestFilesMixin
from django.core.signals import setting_changed
from django.test.client import ClientHandler
from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file
from jinja2 import StrictUndefined
from whitenoise.middleware import WhiteNoiseMiddleware

LONGEST = (Path(__file__).parent / "longest_first.txt").read_text().split()  # files, by what a whole run said
WAITING = 2  # processes for every core: in most of what takes long, one waits for a browser, a server or a clock
SELDOM = 10_000, 20, 50  # objects, times, times
ROOM = 2**30  # bytes of memory for each process and what it starts


def pytest_configure():
    """A fast hasher: the true one takes as long on purpose. And what is logged goes on to where it went at first: a
    test in which Django is set up again may capture it, and what it captures into is closed with it."""
    from django.conf import settings

    settings.LOGGING_CONFIG = None
    settings.TEMPLATES[0]["OPTIONS"]["undefined"] = StrictUndefined  # a name that a template misspells is an error
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", "accounts.hashers.Argon2id"]
    # A run that fails fails again, and a busy machine is no failure.
    busy = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=busy)
    hypothesis.settings.load_profile("same")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """While tests are read, there is nothing yet that could be thrown away, and nobody need look for it."""
    gc.disable()
    try:
        read_a_share(session)
        return (yield)
    finally:
        gc.enable()


def read_a_share(session):
    """Every process of a run reads all tests, at the same time. What pytest makes of a file is kept for all, so that
    each begins with other files, and none is read anew by every process."""
    of_run = getattr(session.config, "workerinput", None)
    if of_run and [Path(path).name for path in session.config.args] == session.config.getini("testpaths"):
        paths = sorted(Path(__file__).parent.rglob("test_*.py"))
        number, processes = int(of_run["workerid"].removeprefix("gw")), of_run["workercount"]
        for path in paths[number::processes]:
            with suppress(Exception, pytest.fail.Exception):  # what is wrong with it is said when its turn comes
                import_module(".".join(path.relative_to(session.config.rootpath).with_suffix("").parts))
        read_words(number, processes)


def read_words(number, processes):
    """Hypothesis tries out what it finds written in our code, and keeps what it found in a file for all, too."""
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if file and sum(name.encode()) % processes == number and is_local_module_file(file):
            constants_from_module(module)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """As many processes as keep every core at work, where there is memory for them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(WAITING * cores, memory // ROOM))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from tests.scheduling import ByKind

    return ByKind(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items):
    """Files that take long come first: at the end of a run no process waits for another's long file."""
    places = {Path(__file__).parent / f"{name}.py": place for place, name in enumerate(LONGEST)}
    slow_files = {item.path for item in items if item.get_closest_marker("browser") or item.get_closest_marker("slow")}
    items.sort(key=lambda item: (places.get(item.path, len(places)), item.path not in slow_files))


def pytest_sessionfinish():
    """Engines that were started for all tests of this process end with them."""
    if engines := sys.modules.get("tests.store.engines"):
        engines.RUNNING.close()


def pytest_collection_finish():
    """Thousands of tests that were found stay; nobody need look through them again for what can be thrown away. There
    is memory enough to look through the rest less often, too."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


@pytest.fixture(scope="module")
def others_stay():
    """For what measures, and looks through everything for what can be thrown away before each turn: what all the tests
    before have left behind is not looked through again."""
    gc.freeze()


LOADED = ("_view_middleware", "_template_response_middleware", "_exception_middleware", "_middleware_chain")


@pytest.fixture(scope="session", autouse=True)
def read_once():
    """What Amazon's library knows of its services: it is a lot, and every client would read it anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(botocore_session, "create_loader", cache(botocore_session.create_loader))
        yield


@pytest.fixture(scope="session", autouse=True)
def worked_out_once(django_test_environment):
    """What comes out the same each time and takes longer than the rest: a site's colours for every mail."""
    from pages import colours

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(colours, "shades", cache(colours.shades))
        yield


@pytest.fixture(scope="module", autouse=True)
def begun_anew(django_test_environment):
    """Tests of another file have asked thousands of pages in thousands of ways, and /metrics would tell of each. They
    have connected to hundreds of stores, too, each of which would keep its files open."""
    from store.connect import connect
    from store.sqlite.table import _tables
    from upkeep import metrics

    metrics.REQUESTS.clear()
    yield
    for table in list(_tables):
        table.close()
    connect.cache_clear()


@pytest.fixture(autouse=True)
def in_english():
    """A request leaves its language behind in the thread; the next test starts in ours."""
    from django.utils import translation

    with translation.override("en"):
        yield


@pytest.fixture(scope="session")
def static_files(django_test_environment):
    """Static files as a real start collects them."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ManifestFilesMixin, "url", addresses_once())
        patch.setattr(WhiteNoiseMiddleware, "update_files_dictionary", found_once())
        patch.setattr(ClientHandler, "load_middleware", loaded_once())
        yield


def found_once():
    """Every new browser of a test brings its own middleware, which would look through all static files anew."""
    look, found = WhiteNoiseMiddleware.update_files_dictionary, {}

    def update(middleware, root, prefix):
        if (root, prefix) not in found:
            look(middleware, root, prefix)
            found[root, prefix] = dict(middleware.files)
        middleware.files.update(found[root, prefix])

    return update


def loaded_once():
    """Every new browser of a test would make all middleware anew. None of it keeps anything of a reader, so that all
    browsers share it, until a setting changes; where the store is, middleware asks at every request."""
    load, loaded = ClientHandler.load_middleware, {}

    def share(handler):
        if not loaded:
            first = ClientHandler()
            load(first)
            loaded.update({name: vars(first)[name] for name in LOADED})
        vars(handler).update(loaded)

    def forget(setting, **_):
        if setting != "STORE_URL":
            loaded.clear()

    setting_changed.connect(forget, weak=False)
    return share


def addresses_once():
    """Every page asks a dozen times where a static file is, and every time its name is taken apart anew."""
    from django.conf import settings

    look, found = ManifestFilesMixin.url, {}

    def url(storage, name, force=False):
        asked = (type(storage), storage.base_url, settings.DEBUG, name, force)
        if asked not in found:
            found[asked] = look(storage, name, force)
        return found[asked]

    return url


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """The file of a store in which nothing is. To make one takes a millisecond, to copy it hardly any time."""
    from store.connect import connect

    path = tmp_path_factory.mktemp("empty") / "plenum.sqlite3"
    table = connect(f"sqlite://{path}")
    table.create()
    table.close()
    return path


@pytest.fixture
def site(settings, tmp_path, static_files, empty_store):
    """An empty site; answers its table."""
    from store.connect import connect

    settings.STORE_URL = f"sqlite://{shutil.copy(empty_store, tmp_path)}"
    table = connect(settings.STORE_URL)
    yield table
    table.close()


@pytest.fixture
def elsewhere(site):
    """The site's store, opened by another process as far as this one can tell."""
    from store.sqlite.table import SqliteTable

    table = SqliteTable(site.path)
    yield table
    table.close()


pytest_plugins = ["tests.people", "tests.tally.published_table"]
