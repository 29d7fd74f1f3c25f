"""Libraries are used by what they offer: no private name of theirs but those listed here, and nothing of theirs is
replaced. Both are found by reading every module of the product."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.house.product import PACKAGES, ROOT, modules

ALLOWED = {
    "SessionBase._session_key": "how every session engine of Django says which session it holds; there is no setter",
}
MAX_NAMES_LISTED = 5
DOCUMENTED = {"_replace", "_asdict", "_make", "_fields", "_field_defaults", "_exit", "_meta"}  # in spite of their names
ASSIGNED = {
    "Image.MAX_IMAGE_PIXELS": "a setting that Pillow documents",
    "ImageFile.LOAD_TRUNCATED_IMAGES": "a setting that Pillow documents",
    "sys.argv": "where gunicorn reads its arguments",
}
OURS = {"self", "cls"}


def is_private(name: str) -> bool:
    """Not `__init__`, `_` or Enum's `_missing_`."""
    return name.startswith("_") and not name.endswith("_") and name not in DOCUMENTED


def is_foreign(module: str) -> bool:
    return module.partition(".")[0] not in PACKAGES


# --- private names ---


def used_by(tree: ast.AST, own: set[str]) -> Iterator[str]:
    """Private names that a module imports from elsewhere, or reads from something that is not of its own making."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names if any(map(is_private, each.name.split("."))))
            case ast.ImportFrom(module, names, 0) if module and is_foreign(module):
                full = [f"{module}.{each.name}" for each in names]
                yield from (each for each in full if any(map(is_private, each.split("."))))
            case ast.Attribute(value, name) if is_private(name) and name not in own and not _is_self(value):
                yield ast.unparse(node)
            case ast.Call(ast.Name("getattr" | "setattr" | "hasattr" | "delattr"), [_, ast.Constant(str(name)), *_]):
                if is_private(name) and name not in own:
                    yield ast.unparse(node)


def _is_self(node: ast.expr) -> bool:
    """What a class reads of itself is judged by what it inherits."""
    return isinstance(node, ast.Name) and node.id in OURS


def defined_in(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found.add(name)
            case ast.Name(name, ast.Store()) | ast.Attribute(ast.Name("self" | "cls"), name, ast.Store()):
                found.add(name)
    return found


def inherited_by(module: str, tree: ast.Module) -> Iterator[str]:
    """Private names of foreign classes that a class of ours overrides or uses as its own."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.bases:
            found = getattr(importlib.import_module(module), node.name)
            used = {each for each in names_in(node) if is_private(each)}
            for base in found.__mro__[1:]:
                if is_foreign(base.__module__):
                    yield from (f"{base.__name__}.{name}" for name in used & private_names_of(base))


def names_in(node: ast.ClassDef) -> set[str]:
    """What a class defines, and what its methods read of themselves."""
    found = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute) and _is_own(each.value)}
    return found | {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def _is_own(node: ast.expr) -> bool:
    match node:
        case ast.Call(ast.Name("super")):
            return True
        case _:
            return _is_self(node)


@cache
def private_names_of(base: type) -> frozenset[str]:
    """Of a class itself, and of its instances, as far as its source tells."""
    try:
        source = ast.parse(textwrap.dedent(inspect.getsource(base)))
    except (OSError, TypeError):  # it is written in C
        return frozenset(filter(is_private, vars(base)))
    return frozenset(filter(is_private, {*vars(base), *defined_in(source)}))


def private_names() -> dict[str, list[str]]:
    """Each with the modules that use it."""
    found: dict[str, list[str]] = {}
    for path in modules():
        tree, own = parsed(path), defined_in(parsed(path))
        for name in {*used_by(tree, own), *inherited_by(module_of(path), tree)}:
            found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_private_names_of_libraries_are_those_that_are_listed():
    found = private_names()
    assert {name: paths for name, paths in found.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() - found.keys() == set(), "no longer used: take it from the list"
    assert len(ALLOWED) <= MAX_NAMES_LISTED
    assert all(ALLOWED.values()), "each has its reason"


# --- nothing of theirs is replaced ---


def replaced_in(tree: ast.AST) -> Iterator[str]:
    """What is assigned to, or deleted from, something that was imported from elsewhere."""
    foreign = set(imported_names(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                if _root(node) in foreign and ast.unparse(node.value) != "os.environ":
                    yield ast.unparse(node)
            case ast.Call(ast.Name("setattr" | "delattr"), [thing, *_]) if _root(thing) in foreign:
                yield ast.unparse(node)


def imported_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from ((each.asname or each.name).partition(".")[0] for each in names if is_foreign(each.name))
            case ast.ImportFrom(module, names, 0) if module and is_foreign(module):
                yield from (each.asname or each.name for each in names)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def test_nothing_of_a_library_is_replaced():
    found = {name: str(path.relative_to(ROOT)) for path in modules() for name in replaced_in(parsed(path))}
    assert {name: path for name, path in found.items() if name not in ASSIGNED} == {}
    assert ASSIGNED.keys() - found.keys() == set(), "no longer assigned: take it from the list"
