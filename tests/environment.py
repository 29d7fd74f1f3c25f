"""Where tests happen: in a temporary folder, never on the site in use.

A plugin of its own, named in pyproject.toml, because pytest-django reads the settings before any conftest.py.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

MEMORY, MIN_FREE_BYTES = "/dev/shm", 2 * 1024**3  # bytes

# A store waits for the disk at every write, as it must. In memory nobody waits; the files behave the same.
if "TMPDIR" not in os.environ and os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > MIN_FREE_BYTES:
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY

# Every process that tests start would otherwise compile all of the code again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

FOLDER = tempfile.TemporaryDirectory(prefix="plenum-tests-")

for name in ("STORE_URL", "SECRET_KEY", "HOSTS", "DEBUG", "METRICS_TOKEN", "LOG_LEVEL", "PLENUM_ENVIRONMENT"):
    os.environ.pop(name, None)
for name in ("REGISTRATION", "REGISTRATION_DOMAINS", "DEFAULT_ROLE", "MAILS_A_DAY"):
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = FOLDER.name
os.makedirs(os.environ.setdefault("COMPILED_TEMPLATES", f"{FOLDER.name}/compiled"), exist_ok=True)  # by the first
os.environ["PROFILE"] = "local"  # said, as where a site in production lives it is not guessed
