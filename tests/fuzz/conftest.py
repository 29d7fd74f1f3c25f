"""The browser of the other tests."""

from tests.browser.conftest import browser  # noqa: F401 - a fixture
