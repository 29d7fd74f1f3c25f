"""What all tests share: a site of its own in a temporary folder, never the one in use."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import sys
import time
from collections import Counter
from functools import cache
from importlib import import_module
from math import ceil, inf
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace

import hypothesis
import pytest
from jinja2 import StrictUndefined

from tests.compiled_templates import CompiledTemplates

# Tests wait for a browser, a server or a clock, and deep ones more often; but each process takes long to start.
PROCESSES_PER_CORE = 2 if "OTHER_SEEDS" in os.environ else 1.5
BYTES_PER_PROCESS = 2**30  # of memory, including what the process starts
ROOT = Path(__file__).parent.parent
EXAMPLES = 100 if "OTHER_SEEDS" in os.environ else 40  # of each property that says no number of its own
SERVERS = {"config.asgi", "config.wsgi"}  # importing one builds an application
PLAIN_STATIC_FILES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


def pytest_configure(config):
    """Settings that make tests fast: a quick password hasher, and static files under their own names.

    Logging is not configured, because a test that sets Django up again may capture a stream that is closed afterwards.
    """
    from django.conf import settings

    settings.LOGGING_CONFIG = None
    settings.TEMPLATES[0]["OPTIONS"]["undefined"] = StrictUndefined  # a name that a template misspells is an error
    settings.TEMPLATES[0]["OPTIONS"]["bytecode_cache"] = CompiledTemplates()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", "accounts.backends.Argon2id"]
    settings.STORAGES = PLAIN_STATIC_FILES
    settings.STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns when there is none
    # Failures are reproducible, and a busy machine is no failure. The same examples again find nothing new, so that in
    # every run there are few.
    common = {"derandomize": True, "deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
    hypothesis.settings.register_profile("reproducible", max_examples=EXAMPLES, **common)
    hypothesis.settings.load_profile("reproducible")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collecting thousands of tests leaves no garbage, but looking for it would take half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000)  # looking for garbage after every 700 new objects would take a thirtieth of the time


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """As many processes as keep every core busy, if there is memory for them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(ceil(PROCESSES_PER_CORE * cores), memory // BYTES_PER_PROCESS))


def pytest_collection_finish():
    """Load all modules. Hypothesis also tries constants that it finds in those loaded so far, so its examples would
    otherwise depend on which tests ran earlier in the same process."""
    import_module("config.urls")  # registers converters that other modules' routes use
    for package in sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"):
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if module.name not in SERVERS:
                import_module(module.name)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The longer a file takes, the sooner it comes, so that no process waits for another's long file at the end; first
    those in Chromium, together, as they share a server. Of the cases of a test marked `few`, those that are not among
    the few become deep, before any deep test is deselected. On a site without a part, its tests are left out."""
    from django.conf import settings

    seconds: Counter[Path] = Counter()
    for item in items:
        seconds[item.path] += sum(mark.args[0] for mark in item.iter_markers("seconds"))
    items.sort(key=lambda item: -inf if item.path.parent.name == "browser" else -seconds[item.path])
    for item in items:
        if lacking := _parts_of(item) - {*settings.PARTS}:
            item.add_marker(pytest.mark.skip(f"This site has no {' and no '.join(sorted(lacking))}."))
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few"):
            cases.setdefault((item.path, item.originalname), []).append(item)
    for each in cases.values():
        kept = each[:: ceil(len(each) / each[0].get_closest_marker("few").args[0])]
        for item in set(each).difference(kept):
            item.add_marker(pytest.mark.deep)


def _parts_of(item: pytest.Item) -> set[str]:
    """Those that it needs: it is in the folder of one, or says so."""
    from django.conf import settings

    said = {name for mark in item.iter_markers("needs") for name in mark.args or settings.ALL_PARTS}
    return said | {item.path.parent.name} & {*settings.ALL_PARTS}


# --- what a test costs ---

MAX_SECONDS = 1.5  # of processor time; a test that takes more than a third of a second by itself should be deep
TOLERANCE = 3  # times as much: a busy machine is no failure, and a test that should be deep takes ten times as much
REFERENCE_SECONDS = 0.03  # for the sum below, where the figures were measured
CHECKS = {"docs", "house"}  # folders that are not part of make test
OVER_BUDGET: set[str] = set()


def processor_seconds() -> float:
    """Of this process and of those it has started and waited for. A browser and a server that run on are not in it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


@cache
def slowness() -> float:
    """How much longer this machine takes than the one on which the figures were measured; never less than one."""

    def once() -> float:
        began = time.process_time()
        sum(number * number for number in range(250_000))
        return time.process_time() - began

    return max(1.0, min(once() for _ in range(5)) / REFERENCE_SECONDS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    began = processor_seconds()
    try:
        return (yield)
    finally:
        seconds = processor_seconds() - began
        allowed = next((mark.args[0] for mark in item.iter_markers("seconds")), MAX_SECONDS)
        is_deep = item.get_closest_marker("deep") or item.path.parent.name in CHECKS
        if not is_deep and seconds > TOLERANCE * allowed and (fair := seconds / slowness()) > TOLERANCE * allowed:
            item.user_properties.append(("over budget", f"{item.nodeid}: {fair:.1f} seconds instead of {allowed}"))


def pytest_runtest_logreport(report):
    OVER_BUDGET.update(text for name, text in report.user_properties if name == "over budget")


def pytest_terminal_summary(terminalreporter):
    if OVER_BUDGET:
        terminalreporter.section("more processor time than a test may take unless it is deep")
        terminalreporter.write_line("\n".join(sorted(OVER_BUDGET)))


def pytest_sessionfinish(session):
    """Stop the engines that all tests of this process shared. In CI, whatever is over its budget fails the run."""
    if engines := sys.modules.get("tests.store.engines"):
        engines.RUNNING.close()
    if OVER_BUDGET and "CI" in os.environ and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="module", autouse=True)
def begun_anew(django_test_environment):
    """Tests of another file have asked thousands of pages in thousands of ways, and /metrics would tell of each. They
    have connected to hundreds of stores, too, each of which would keep its files open."""
    from foundation.store.connect import connect
    from foundation.store.sqlite.table import _tables
    from operations.upkeep import metrics

    metrics.REQUESTS.clear()
    metrics.request_metrics.cache_clear()
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


@pytest.fixture(autouse=True)
def hour_of_limits(monkeypatch) -> float:
    """An hour to come, as which rate limits count every try: otherwise a test would now and then count in two."""
    from foundation.acts import rate_limits

    hour = (time.time() // 3600 + 1) * 3600.0
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: hour))
    return hour


@pytest.fixture(autouse=True)
def time_for_mails(monkeypatch, request) -> None:
    """A batch of mails may take as long as the machine is slow, but in tests of how long it may take."""
    from foundation.mail import sending

    if not hasattr(request.module, "BATCH_SECONDS"):
        monkeypatch.setattr(sending, "BATCH_SECONDS", 3600)


@pytest.fixture(scope="session")
def collected_static_files(tmp_path_factory, django_test_environment) -> Path:
    """A folder with the static files as a real start collects them."""
    from django.core.management import call_command
    from django.test import override_settings

    from config import settings as production

    folder = tmp_path_factory.mktemp("static")
    with override_settings(STORAGES=production.STORAGES, STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture
def static_files(settings, collected_static_files):
    """Static files served as in production, under names that change with their content."""
    from config import settings as production

    settings.STORAGES, settings.STATIC_ROOT = production.STORAGES, collected_static_files


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """The file of an empty store, which is quicker to copy than to create."""
    from foundation.store.connect import connect

    path = tmp_path_factory.mktemp("empty") / "plenum.sqlite3"
    table = connect(f"sqlite://{path}")
    table.create()
    table.close()
    return path


@pytest.fixture
def site(settings, tmp_path, empty_store):
    """An empty site; answers its table."""
    from foundation.store.connect import connect

    settings.STORE_URL = f"sqlite://{shutil.copy(empty_store, tmp_path)}"
    table = connect(settings.STORE_URL)
    yield table
    table.close()


@pytest.fixture
def distant_site(settings):
    """An empty site on the DynamoDB adapter and our own engine, in this process; answers its table."""
    from uuid import uuid4

    from foundation.store.connect import connect
    from tests.aws.engine import using
    from tests.aws.memory import MemoryEngine

    settings.STORE_URL = f"dynamodb://here?prefix={uuid4().hex}-&endpoint=http://nowhere"
    table = using(connect(settings.STORE_URL), MemoryEngine())
    table.create()
    yield table
    table.close()


@pytest.fixture(params=["site", "distant_site"], ids=["embedded", "dynamodb"])
def each_site(request):
    """An empty site on each adapter in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def elsewhere(site):
    """The site's store, opened by another process as far as this one can tell."""
    from foundation.store.sqlite.table import SqliteTable

    table = SqliteTable(site.path)
    yield table
    table.close()


pytest_plugins = ["tests.people"]
