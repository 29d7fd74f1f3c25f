"""Where tests happen: in a temporary folder, never on the site in use.

A plugin of its own, named in pyproject.toml, because pytest-django reads the settings before any conftest.py.
"""

from __future__ import annotations

import os
import tempfile

FOLDER = tempfile.TemporaryDirectory(prefix="plenum-tests-")
for name in ("STORE_URL", "SECRET_KEY", "HOSTS", "PROFILE", "DEBUG", "METRICS_TOKEN", "LOG_LEVEL"):
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = FOLDER.name
