"""The site and the browser of the other tests."""

from tests.browser.conftest import browser, cookies_of, prepared, server, server_folder, visit, windows  # noqa: F401
from tests.browser.test_live import store  # noqa: F401
from tests.browser.test_projector import halls  # noqa: F401
