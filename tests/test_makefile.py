"""The first things a newcomer may trip over, said in sentences by make itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", *arguments], cwd=folder, check=False, capture_output=True, text=True, timeout=240)


@pytest.fixture
def checkout(tmp_path):
    """The Makefile alone: nothing of it may be installed by these tests."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    return tmp_path


def python(folder: Path, script: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"PYTHON={path}"


def test_an_old_python_is_a_sentence(checkout):
    run = make(checkout, "run", python(checkout, "exit 1"))
    assert run.returncode != 0
    assert "Plenum needs Python 3.11 or newer" in run.stderr


def test_no_python_at_all_is_a_sentence(checkout):
    run = make(checkout, "run", "PYTHON=")
    assert run.returncode != 0
    assert "Plenum needs Python 3.11 or newer, and none is on the PATH" in run.stderr


def test_a_python_that_cannot_make_environments_is_a_sentence_and_leaves_nothing_behind(checkout):
    script = 'case "$1" in -c) exit 0;; *) mkdir -p .venv/bin; exit 1;; esac'
    run = make(checkout, "run", python(checkout, script))
    assert run.returncode != 0
    assert "apt-get install python3-venv" in run.stderr
    assert not (checkout / ".venv").exists()


BORROWED = """case "$*" in
    "-m venv"*) mkdir -p .venv/bin .venv/lib;;
    *import\\ pip*) echo "$PWD/python";;
    "-m pip"*) {pip};;
esac"""


def test_packages_are_installed_with_their_hashes(checkout):
    run = make(checkout, ".venv/run", python(checkout, BORROWED.replace("{pip}", 'echo "$*" >> asked')))
    assert run.returncode == 0, run.stderr
    requested = sorted(line.partition("--require-hashes ")[2] for line in (checkout / "asked").read_text().splitlines())
    assert requested == ["-r .venv/half0", "-r .venv/half1"]
    halves = [(checkout / ".venv" / name).read_text().splitlines() for name in ("half0", "half1")]
    assert sorted(halves[0] + halves[1]) == sorted((checkout / "requirements.txt").read_text().splitlines())
    assert (checkout / ".venv" / "run").exists()


def test_what_cannot_be_installed_is_tried_again_the_next_time(checkout):
    run = make(checkout, ".venv/run", python(checkout, BORROWED.replace("{pip}", "exit 1")))
    assert run.returncode != 0
    assert not (checkout / ".venv" / "run").exists()


def test_a_python_without_a_pip_gets_one_in_the_environment(checkout):
    script = r"""case "$*" in
        *--without-pip*) mkdir -p .venv/bin .venv/lib;;
        *--clear*) printf '#!/bin/sh\necho "$*" >> asked\n' > .venv/bin/pip; chmod +x .venv/bin/pip;;
        *import\ pip*) exit 1;;
    esac"""
    run = make(checkout, ".venv/run", python(checkout, script))
    assert run.returncode == 0, run.stderr
    assert [line.split()[0] for line in (checkout / "asked").read_text().splitlines()] == [
        "uninstall",
        "install",
        "install",
    ]


def test_help_names_every_command():
    listed = make(ROOT, "help").stdout
    commands = "run test test-all test-deep docs-check test-dynamodb-local test-engine simulate lint bench calls help"
    for command in commands.split():
        assert f"make {command} " in listed


def test_an_engine_to_judge_has_to_be_named(checkout):
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "test").touch()
    run = make(checkout, "test-engine", "--old-file=.venv/test")
    assert run.returncode != 0
    assert "make test-engine STORE_URL=dynamodb://" in run.stderr
