"""What all tests share: a site of its own in a temporary folder, never the one in use."""

from __future__ import annotations

import gc
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest
from botocore import loaders
from django.contrib.staticfiles.storage import ManifestFilesMixin
from django.template.base import Template
from whitenoise.middleware import WhiteNoiseMiddleware

LONG_FILES = {"test_routes.py", "test_oracle.py", "test_interruptions.py"}  # of many tests, none of them slow by itself


def pytest_configure():
    """A fast hasher: the true one takes as long on purpose."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", "accounts.hashers.Argon2id"]
    # A run that fails fails again, and a busy machine is no failure.
    busy = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=busy)
    hypothesis.settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Every process of a run reads all tests, at the same time. What pytest makes of a file is kept for all, so that
    each begins with other files, and none is read anew four times."""
    of_run = getattr(session.config, "workerinput", None)
    if of_run and [Path(path).name for path in session.config.args] == session.config.getini("testpaths"):
        paths = sorted(Path(__file__).parent.rglob("test_*.py"))
        number, processes = int(of_run["workerid"].removeprefix("gw")), of_run["workercount"]
        for path in paths[number::processes]:
            with suppress(Exception, pytest.fail.Exception):  # what is wrong with it is said when its turn comes
                import_module(".".join(path.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(items):
    """Files that take long come first: at the end of a run no process waits for another's long file."""
    slow_files = {item.path for item in items if item.get_closest_marker("browser") or item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow_files and item.path.name not in LONG_FILES)


def pytest_collection_finish():
    """Thousands of tests that were found stay; nobody need look through them again for what can be thrown away."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def others_stay():
    """For what measures, and looks through everything for what can be thrown away before each turn: what all the tests
    before have left behind is not looked through again."""
    gc.freeze()


RENDER = Template._render


@pytest.fixture(scope="session", autouse=True)
def pages_as_served(django_test_environment):
    """Django keeps every part of every page for tests, with all that it was made of: a tenth of their time."""
    Template._render = RENDER


@pytest.fixture(scope="session", autouse=True)
def read_once():
    """What Amazon's library knows of its services: it is a lot, and every client would read it anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loaders, "create_loader", cache(loaders.create_loader))
        yield


@pytest.fixture(scope="session", autouse=True)
def worked_out_once(django_test_environment):
    """What comes out the same each time and takes longer than the rest: a site's colours for every mail."""
    from pages import colours

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(colours, "shades", cache(colours.shades))
        yield


@pytest.fixture(scope="module", autouse=True)
def counted_anew(django_test_environment):
    """Tests of another file have asked thousands of pages in thousands of ways, and /metrics would tell of each."""
    from upkeep import metrics

    metrics.REQUESTS.clear()


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


@pytest.fixture
def site(settings, tmp_path, static_files):
    """An empty site; answers its table."""
    from store.connect import connect

    settings.STORE_URL = f"sqlite://{tmp_path}/plenum.sqlite3"
    table = connect(settings.STORE_URL)
    table.create()
    yield table
    table.close()


pytest_plugins = ["tests.people", "tests.contexts", "tests.tally.published_table"]
