"""Arrows between packages point one way, as docs/architecture.md draws them, and no view leans on another app's."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# What still points the wrong way, by check. The list may only shrink.
EXCEPTIONS = json.loads(Path(__file__).with_name("arrow_exceptions.json").read_text())

# From the top of the house to its ground. A package may import those below it, and none beside or above it.
FLOORS = (
    ("config",),
    ("audit",),
    ("upkeep",),
    ("assembly",),
    ("live",),
    ("questions",),
    ("news",),
    ("polls",),
    ("results",),
    ("ballots",),
    ("elections",),
    ("skills",),
    ("accounts",),
    ("ranking", "mail"),
    ("photos",),
    ("pages",),
    ("acts",),
    ("store", "tally"),
)
TESTED = {"bench"}  # which may import everything, and which nothing may import but tests
# What lies below but is not for it: counting knows no store, and what every act needs knows no counting.
NOT = {
    "acts": {"tally"},
    "pages": {"tally"},
    "mail": {"tally", "pages"},
    "photos": {"tally"},
    "accounts": {"tally", "ranking"},
    "skills": {"tally", "ranking"},
}


def exceptions(check: str) -> list[str]:
    return EXCEPTIONS.get(check, [])


def allowed() -> dict[str, set[str]]:
    found, below = {}, set()
    for floor in reversed(FLOORS):
        found |= {package: below - NOT.get(package, set()) for package in floor}
        below = below | set(floor)
    return found


def packages() -> set[str]:
    return {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"} - TESTED


def modules(root: Path, package: str) -> list[Path]:
    return sorted((root / package).rglob("*.py"))


@cache
def imported(path: Path, root: Path = ROOT) -> set[str]:
    """Every module a file imports, and every name from one, by its full name."""
    names, here = set(), path.relative_to(root).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [*here[: len(here) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{name.name}" for name in node.names}
    return names


def tops(path: Path, root: Path = ROOT) -> set[str]:
    return {name.split(".")[0] for name in imported(path, root)}


def wrong_arrows(root: Path, may: dict[str, set[str]]) -> list[str]:
    return [
        f"{path.relative_to(root)} imports {name}"
        for package in may
        for path in modules(root, package)
        for name in sorted((tops(path, root) & (set(may) | TESTED)) - may[package] - {package})
    ]


def test_every_package_has_its_place_in_the_picture():
    assert packages() == set(allowed())


def test_arrows_point_one_way():
    assert wrong_arrows(ROOT, allowed()) == exceptions("packages")


@pytest.mark.parametrize("package", ["store", "tally"])
def test_store_and_tally_know_no_django(package):
    assert [path.name for path in modules(ROOT, package) if tops(path) & {"django", "django_htmx"}] == []


# --- views ---


def view_modules(root: Path = ROOT) -> set[str]:
    """What addresses lead to: the modules that a urls.py imports from its own package."""
    found = set()
    for path in root.glob("*/**/urls.py"):
        here = ".".join(path.relative_to(root).parts[:-1])
        found |= {name for name in imported(path, root) if name.startswith(f"{here}.") and _is_module(root, name)}
    return found


def _is_module(root: Path, name: str) -> bool:
    return root.joinpath(*name.split(".")).with_suffix(".py").exists()


def borrowed_views(root: Path = ROOT) -> list[str]:
    views = view_modules(root)
    return [
        f"{path.relative_to(root)} imports {name}"
        for package in packages()
        for path in modules(root, package)
        for name in sorted(imported(path, root) & views)
        if name.split(".")[0] != package
    ]


def test_no_view_imports_another_apps_views():
    assert len(view_modules()) > 20
    assert borrowed_views() == exceptions("views")


# --- session formats ---

ASKS_FOR_ASSEMBLY = re.compile(r"""is_assembly|Type\.ASSEMBLY|== ["']assembly["']""")


def asking_for_assembly(root: Path = ROOT) -> list[str]:
    """Who asks whether a session is an assembly, in place of asking its format."""
    outside = [path for package in packages() - {"assembly", "config"} for path in modules(root, package)]
    outside += [path for path in (root / "templates").rglob("*.html") if path.parts[-2] != "assembly"]
    return sorted(str(path.relative_to(root)) for path in outside if ASKS_FOR_ASSEMBLY.search(path.read_text()))


def test_only_an_assembly_knows_that_it_is_one():
    assert asking_for_assembly() == exceptions("assembly")


# --- that the tests can fail ---


def test_a_wrong_arrow_is_found(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "table.py").write_text("def f():\n    from config import settings\n")
    assert wrong_arrows(tmp_path, {"store": set(), "tally": set(), "config": {"store"}}) == [
        "store/table.py imports config"
    ]


def test_who_asks_for_an_assembly_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.test_arrows.packages", lambda: {"live", "assembly"})
    for place, text in {
        "live/rules.py": "game.is_assembly",
        "assembly/rules.py": "game.is_assembly",
        "templates/live/play.html": '{% if type == "assembly" %}',
        "templates/assembly/roll.html": "is_assembly",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    assert asking_for_assembly(tmp_path) == ["live/rules.py", "templates/live/play.html"]


def test_a_borrowed_view_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.test_arrows.packages", lambda: {"polls", "elections"})
    for package in ("polls", "elections"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
        (tmp_path / package / "urls.py").write_text("from . import views\n")
        (tmp_path / package / "views.py").write_text("def told(): ...\n")
    (tmp_path / "polls" / "views.py").write_text("from elections.views import told\n")
    assert borrowed_views(tmp_path) == ["polls/views.py imports elections.views"]
