"""Finds the parts: every module of this package that has a function `measure(report)` is one, under its own name."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import bench


class UnknownPart(LookupError):
    """A name that no part has; the words say which there are."""


def every_part(package: ModuleType = bench) -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__")
    modules = {name: import_module(f"{package.__name__}.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "measure")}


def chosen(names: Sequence[str], package: ModuleType = bench) -> dict[str, ModuleType]:
    """The parts of these names, and no other module is loaded for them; without names, all."""
    if not names:
        return every_part(package)
    modules = {name: import_module(f"{package.__name__}.{name}") for name in names if _is_there(package, name)}
    for name in names:
        if not hasattr(modules.get(name), "measure"):
            known = ", ".join(every_part(package))
            raise UnknownPart(f"There is no part {name!r} to measure. There is: {known}.")
    return modules


def _is_there(package: ModuleType, name: str) -> bool:
    return name.isidentifier() and find_spec(f"{package.__name__}.{name}") is not None
