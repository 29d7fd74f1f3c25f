"""Arrows between packages point one way, as docs/architecture.md draws them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Who may import whom. A package not named here may not exist.
ALLOWED = {
    "store": set(),
    "tally": set(),
    "accounts": {"store"},
    "elections": {"accounts", "store", "tally"},
    "ballots": {"accounts", "elections", "store", "tally"},
    "results": {"accounts", "ballots", "elections", "store", "tally"},
    "polls": {"accounts", "ballots", "elections", "results", "store", "tally"},
    "config": {"accounts", "ballots", "elections", "polls", "results", "store", "tally"},
    "bench": {"accounts", "ballots", "config", "elections", "polls", "results", "store", "tally", "tests"},
}


def packages() -> set[str]:
    return {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}


def imports(path: Path) -> set[str]:
    """The top-level packages a file imports, relative imports aside."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def wrong_arrows(root: Path, allowed: dict[str, set[str]]) -> list[str]:
    ours = set(allowed)
    return [
        f"{path.relative_to(root)} imports {name}"
        for package in allowed
        for path in sorted((root / package).rglob("*.py"))
        for name in sorted((imports(path) & ours) - allowed[package] - {package})
    ]


def test_every_package_has_its_place_in_the_picture():
    assert packages() <= set(ALLOWED)


def test_arrows_point_one_way():
    assert wrong_arrows(ROOT, ALLOWED) == []


@pytest.mark.parametrize("package", ["store", "tally"])
def test_store_and_tally_know_no_django(package):
    for path in (ROOT / package).rglob("*.py"):
        assert not imports(path) & {"django", "django_htmx"}, f"{path.name} imports Django"


def test_a_wrong_arrow_is_found(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "table.py").write_text("def f():\n    from config import settings\n")
    assert wrong_arrows(tmp_path, {"store": set(), "tally": set(), "config": {"store"}}) == [
        "store/table.py imports config"
    ]
