"""The same pages at ten times the voters, the candidates and the elections."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

from ..report import Report
from ..rounds import Comparison
from . import site as sites
from .pages import PROCESSOR, Turns, processor, walked
from .paste import Cell, paste
from .site import Size
from .walking import PAGES

TEN = 10
BASE = Size(voters=1_600, candidates=8, elections=3, sealed=1_000, signed_in=1_600)
GROWN = ("voters", "candidates", "elections")
NOT_SLOWER = 0.7
MORE_TO_SAY = {"candidates": [each.key for each in PAGES], "elections": ["home"]}  # such pages may cost more
ROUNDS = 3
WALKED = [each for each in PAGES if not each.key.startswith(("bare", "trivial"))]


def measure(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    """Of the code here alone: how it was before is said of the small site."""
    root = roots["Plenum"]
    voters, sealed = max(20, round(BASE.voters * scale)), max(20, round(BASE.sealed * scale))
    base = replace(BASE, voters=voters, signed_in=voters, sealed=sealed)
    sites.make(root, folder / "base", base)
    rows: dict[str, list[Cell]] = {each.key: [each.label] for each in WALKED}
    for what in GROWN:
        sites.make(root, folder / what, replace(base, **{what: TEN * getattr(base, what)}))
        found = _walked(root, folder, what, scale)
        _report(report, what, base, found)
        for key, row in rows.items():
            row.append(_written(found, what, key))
    paste(report, ["CPU, and at ten times the", *GROWN], rows.values())


def _walked(root: Path, folder: Path, what: str, scale: float) -> Turns:
    """The small site and the large one by turns."""
    with ExitStack() as stack:
        copies = {name: stack.enter_context(sites.again(folder / name)) for name in ("base", what)}
        standing = {name: stack.enter_context(sites.served(root, copy)) for name, copy in copies.items()}
        found = walked(standing, dict.fromkeys(standing, WALKED), ROUNDS if scale >= 1 else 1, scale)
        for site in standing.values():
            site.check()
    return found


def _report(report: Report, what: str, base: Size, found: Turns) -> None:
    few = getattr(base, what)
    report.heading(f"A page's processor time at {TEN * few:,} {what}, and at {few:,}", f"at {few}")
    for page in WALKED:
        comparison = Comparison(processor(found, what, page.key), processor(found, "base", page.key))
        goal = None if page.key in MORE_TO_SAY.get(what, ()) else NOT_SLOWER
        key, label = f"growth.{what}.{page.key}", page.label
        report.compare(key, label, comparison, PROCESSOR, peer="fewer", at_least=goal)
        report.fact(f"{key}.per_second", round(median(each.rate for each in found[what, page.key]), 3))


def _written(found: Turns, what: str, key: str) -> str:
    beside = Comparison(processor(found, what, key), processor(found, "base", key))
    return f"{beside.theirs:.1f} → {beside.ours:.1f} ms"
