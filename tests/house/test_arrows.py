"""Imports point one way: between packages as docs/explanation/architecture.md draws them, and inside each folder.

Packages import only what others list in `PUBLIC`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What still points the wrong way, by check. The lists may only shrink.
EXCEPTIONS = json.loads(Path(__file__).with_name("arrow_exceptions.json").read_text())

# From the top down. A package may import those in the layers below it, and none beside or above it.
LAYERS = (
    ("config",),
    ("api",),
    ("audit",),
    ("trust",),
    ("upkeep",),
    ("assembly",),
    ("live",),
    ("questions",),
    ("webhooks",),
    ("news",),
    ("polls",),
    ("results",),
    ("ballots",),
    ("elections",),
    ("skills",),
    ("accounts",),
    ("ranking", "mail", "qa"),
    ("photos",),
    ("pages",),
    ("acts",),
    ("store", "tally"),
)
TESTED = {"bench"}  # which may import everything, and which nothing may import but tests
# What lies below and still must not be imported: counting needs no store, and shared infrastructure no counting.
NOT = {
    "acts": {"tally"},
    "pages": {"tally"},
    "mail": {"tally", "pages"},
    "photos": {"tally"},
    "qa": {"tally"},
    "accounts": {"tally", "ranking"},
    "skills": {"tally", "ranking"},
}


def allowed() -> dict[str, set[str]]:
    found, below = {}, set()
    for layer in reversed(LAYERS):
        found |= {package: below - NOT.get(package, set()) for package in layer}
        below = below | set(layer)
    return found


def packages(root: Path = ROOT) -> set[str]:
    return {path.parent.name for path in root.glob("*/__init__.py")} - {"tests"} - TESTED


def modules(root: Path, package: str) -> list[Path]:
    return sorted((root / package).rglob("*.py"))


@cache
def imported(path: Path, root: Path = ROOT, *, at_run_time: bool = False) -> set[str]:
    """Every module a file imports, and every name from one, by its full name."""
    names, here = set(), path.relative_to(root).parts[:-1]
    for node in _nodes(ast.parse(path.read_text()), at_run_time):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [*here[: len(here) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{name.name}" for name in node.names}
    return names


def _nodes(node: ast.AST, at_run_time: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        is_for_types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not (at_run_time and is_for_types):
            yield child
            yield from _nodes(child, at_run_time)


def tops(path: Path, root: Path = ROOT) -> set[str]:
    return {name.split(".")[0] for name in imported(path, root)}


# --- between packages ---


def wrong_arrows(root: Path, may: dict[str, set[str]]) -> list[str]:
    return [
        f"{path.relative_to(root)} imports {name}"
        for package in may
        for path in modules(root, package)
        for name in sorted((tops(path, root) & (set(may) | TESTED)) - may[package] - {package})
    ]


def test_every_package_has_its_layer():
    assert packages() == set(allowed())


def test_packages_import_only_those_below_them():
    assert wrong_arrows(ROOT, allowed()) == EXCEPTIONS["packages"]


@pytest.mark.parametrize("package", ["store", "tally"])
def test_store_and_tally_do_not_import_django(package):
    assert [path.name for path in modules(ROOT, package) if tops(path) & {"django", "django_htmx"}] == []


# --- inside a folder ---


def cycles(root: Path = ROOT) -> list[str]:
    """Of every folder, modules and folders in it that import each other, directly or through others in it."""
    folders = [path.parent for package in packages(root) for path in (root / package).rglob("__init__.py")]
    return sorted(found for folder in folders if (found := _cycle(folder, root)))


def _cycle(folder: Path, root: Path) -> str | None:
    here = ".".join(folder.relative_to(root).parts)
    graph: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).with_suffix("").parts[0]
        if part == "__init__":
            continue
        names = (name for name in imported(path, root, at_run_time=True) if name.startswith(f"{here}."))
        graph.setdefault(part, set()).update(name.removeprefix(f"{here}.").split(".")[0] for name in names)
    graph = {part: (others & graph.keys()) - {part} for part, others in graph.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return f"{here}: {', '.join(sorted(set(error.args[1])))}"
    return None


def test_nothing_in_a_folder_imports_in_a_circle():
    assert cycles() == EXCEPTIONS["cycles"]


# --- what packages offer each other ---


def is_offered(name: str, root: Path) -> bool:
    """Whether every folder on the way has what comes next in its list."""
    parts = name.split(".")
    for depth in range(1, len(parts)):
        folder = root.joinpath(*parts[:depth])
        if (folder / "__init__.py").exists() and parts[depth] not in offers(folder / "__init__.py"):
            return False
    return True


@cache
def offers(path: Path) -> frozenset[str]:
    """The modules and folders that a package names in `PUBLIC` for others to import."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC":
            return frozenset(ast.literal_eval(node.value).split())
    return frozenset()


def trespasses(root: Path = ROOT) -> list[str]:
    """Imports of another package's modules that it does not offer."""
    there = packages(root)
    return sorted(
        f"{path.relative_to(root)} imports {name}"
        for package in there
        for path in modules(root, package)
        for name in imported(path, root)
        if name.split(".")[0] in there - {package} and _is_module(root, name) and not is_offered(name, root)
    )


def test_packages_import_only_what_others_offer():
    assert trespasses() == []


# --- views ---


def view_modules(root: Path = ROOT) -> set[str]:
    """What addresses lead to: the modules that a urls.py imports from its own package."""
    found = set()
    for path in root.glob("*/**/urls.py"):
        here = path.relative_to(root).parts[0]
        found |= {name for name in imported(path, root) if name.startswith(f"{here}.") and _is_module(root, name)}
    return found


def _is_module(root: Path, name: str) -> bool:
    return root.joinpath(*name.split(".")).with_suffix(".py").exists()


def borrowed_views(root: Path = ROOT) -> list[str]:
    views = view_modules(root)
    return [
        f"{path.relative_to(root)} imports {name}"
        for package in sorted(packages(root))
        for path in modules(root, package)
        for name in sorted(imported(path, root) & views)
        if name.split(".")[0] != package
    ]


def test_no_view_imports_another_apps_views():
    assert len(view_modules()) > 20
    assert borrowed_views() == EXCEPTIONS["views"]


# --- session formats ---

ASKS_FOR_ASSEMBLY = re.compile(r"""is_assembly|Type\.ASSEMBLY|== ["']assembly["']""")


def asking_for_assembly(root: Path = ROOT) -> list[str]:
    """Who asks whether a session is an assembly, in place of asking its format."""
    outside = [path for package in packages(root) - {"assembly", "config"} for path in modules(root, package)]
    outside += [path for path in (root / "templates").rglob("*.html") if path.parts[-2] != "assembly"]
    return sorted(str(path.relative_to(root)) for path in outside if ASKS_FOR_ASSEMBLY.search(path.read_text()))


def test_only_an_assembly_knows_that_it_is_one():
    assert asking_for_assembly() == EXCEPTIONS["assembly"]
