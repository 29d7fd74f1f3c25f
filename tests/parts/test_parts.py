"""The core does without parts, each part with what it says it uses, and one more part needs no change elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from foundation.parts import parts


def run(tmp_path: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, because parts are chosen before anything else is loaded."""
    own = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "LOG_LEVEL": "ERROR"}
    environment = {**own, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    argv = [sys.executable, *command]
    return subprocess.run(argv, check=False, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True)


@pytest.mark.deep
def test_without_parts_an_election_runs_to_its_verified_result_and_no_link_leads_nowhere(tmp_path):
    done = run(tmp_path, "-m", "tests.parts.core_alone", PARTS="none")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Closed elections that are as sealed: 1." in done.stdout


LOADED = """
import sys
import django
django.setup()
import config.urls
import operations.upkeep.jobs
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("parts.")}))
"""


def used(part: str) -> set[str]:
    """A part, and those without which it cannot be."""
    found, left = set(), [part]
    while left:
        found.add(name := left.pop())
        config = apps.get_app_config(name)
        left += {*config.uses, config.within} - found - {""}
    return found


@pytest.mark.deep
@pytest.mark.parametrize("name", settings.ALL_PARTS)
def test_a_part_loads_itself_and_what_it_uses(tmp_path, name):
    done = run(tmp_path, "-c", LOADED, PARTS=",".join(used(name)))
    assert (done.returncode, set(done.stdout.split())) == (0, used(name)), done.stderr


@pytest.mark.deep
def test_one_more_part_needs_no_change_elsewhere(tmp_path):
    done = run(tmp_path, "-m", "tests.parts.one_more", DJANGO_SETTINGS_MODULE="tests.parts.settings")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.seconds(3)
@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (
            "polls,chess",
            f"PARTS holds some of {', '.join(settings.ALL_PARTS)}, all or none, not",
        ),
        ("live", "PARTS holds live, which needs questions and polls as well."),
    ],
)
def test_a_wrong_choice_is_said_before_the_site_starts(tmp_path, chosen, sentence):
    done = run(tmp_path, "manage.py", "check", PARTS=chosen)
    assert done.returncode != 0
    assert sentence in done.stderr


def test_lower_parts_come_first():
    names = [part.label for part in parts()]
    assert names == list(settings.ALL_PARTS)
    assert all(names.index(used) < names.index(part.label) for part in parts() for used in part.uses)


NAMED = re.compile(r'(?:url|link|reverse|redirect)\(\s*"(\w+)"')


def test_pages_name_addresses_only_of_parts_that_are_there():
    """Those of the core name none: without the part, the page would fail."""
    root, owners = settings.BASE_DIR, {}
    for part in parts():
        for path in (root / "parts" / part.label).glob("*urls.py"):
            owners |= dict.fromkeys(re.findall(r'name="(\w+)"', path.read_text()), part.label)
    found = set()
    for path in (*(root / "templates").rglob("*.html"), *(root / "parts").rglob("*.py")):
        folder = path.relative_to(root).parts[1]
        there = used(folder) if folder in settings.ALL_PARTS else set()
        named = NAMED.findall(path.read_text())
        found |= {(folder, name) for name in named if name in owners and owners[name] not in there}
    assert found == set()


OF_ASSEMBLIES = re.compile(
    "assembl|agenda|speaker|speech|talk(ed|ing)|debate|discuss|quorum|quorate|entitled|claim|(?<!reduced[- ])motion|"
    "the minutes",
    re.IGNORECASE,
)
ENGINE = ("parts/live/**/*.py", "templates/live/**/*.html", "static/css/live*.css", "static/js/live*.js")
STORED = 'SHOWN = "talking"'  # by earlier versions


def test_the_engine_of_live_sessions_names_nothing_of_assemblies():
    """Neither in code nor in what people read: the assembly brings its words, pages and styles."""
    root, named = settings.BASE_DIR, []
    for path in (path for pattern in ENGINE for path in root.glob(pattern)):
        lines = path.read_text().replace(STORED, "").splitlines()
        named += [f"{path.relative_to(root)}: {line.strip()}" for line in lines if OF_ASSEMBLIES.search(line)]
    assert named == []
