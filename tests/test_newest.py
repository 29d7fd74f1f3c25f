"""The newest Python here with the newest Django: the site starts, and elections go from a draft to their results.

A few tests, so that the next long-term release is no surprise; `make test-newest` runs many more.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config.settings import BASE_DIR

PYTHONS = ("python3.15", "python3.14", "python3.13", "python3.12", "python3")  # newest first
IS_NEW = "import sys, ensurepip; sys.exit(sys.version_info < (3, 12))"  # what the newest Django needs
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
PLUGINS = {"attrs", "hypothesis", "iniconfig", "packaging", "pluggy", "pygments", "pytest", "pytest-django"}
PLUGINS |= {"pytest-timeout", "sortedcontainers"}  # what a few tests need besides what runs
CHOSEN = (
    "tests/upkeep/test_serve.py::test_stopping_lets_running_requests_finish",
    "tests/elections/test_questions.py",
    "tests/pages/test_time_fields.py",
    "tests/test_replay.py::test_the_log_makes_the_state_there_is",
)


def run(*command: object, **more: str) -> subprocess.CompletedProcess[str]:
    words, env = [str(each) for each in command], os.environ | more
    return subprocess.run(words, cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False)


def newest_python() -> str:
    """NEWEST_PYTHON may name it, as for `make test-newest`. Those that pyenv has installed count, active or not."""
    wanted = [os.environ["NEWEST_PYTHON"]] if os.environ.get("NEWEST_PYTHON") else PYTHONS
    of_pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin")
    places = os.pathsep.join([*map(str, of_pyenv), os.environ["PATH"]])
    for name in wanted:
        if (found := shutil.which(name, path=places)) and run(found, "-c", IS_NEW).returncode == 0:
            return found
    pytest.skip(f"the newest Django needs Python 3.12 or newer, and none of {', '.join(wanted)} is that")


def pinned(names: set[str]) -> str:
    """These requirements of our tests, with their hashes."""
    every = re.split(r"^(?=[a-z])", Path("requirements-dev.txt").read_text(), flags=re.MULTILINE)
    return "".join(each for each in every if each.partition("==")[0] in names)


@pytest.mark.deep
@pytest.mark.timeout(1200)  # much of it for the package index
def test_elections_go_from_a_draft_to_their_results_on_the_newest_django(tmp_path):
    wheels, python = tmp_path / "wheels", tmp_path / "bin/python"
    assert run(newest_python(), "-m", "venv", tmp_path).returncode == 0
    found = run(python, *PIP, "download", "--no-deps", "--dest", wheels, "django")
    if found.returncode:
        pytest.skip(f"no package index can be reached: {found.stderr.strip().splitlines()[-1]}")
    (tmp_path / "plugins.txt").write_text(pinned(PLUGINS))
    for what in (
        ("--require-hashes", "-r", "requirements.txt", "-r", tmp_path / "plugins.txt"),
        ("--upgrade", *wheels.iterdir()),
    ):
        installed = run(python, *PIP, "install", "--no-deps", "--no-compile", *what)
        if installed.returncode:
            pytest.skip(f"not all packages are there for this Python: {installed.stderr.strip().splitlines()[-1]}")
    answer = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.newest", *CHOSEN)
    assert answer.returncode == 0, answer.stdout[-5000:]
