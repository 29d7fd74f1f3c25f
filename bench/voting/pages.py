"""Every page of a voter's way: so many a second, what they cost the processor, and how long whoever comes waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from ..report import MILLISECONDS, Report, Unit
from ..rounds import Comparison, take_turns
from . import site as sites
from .paste import Cell, paste
from .site import Site, Size
from .walking import CASTING, KNOWN, PAGES, WAY, Page, Turn, closed, known, open_

ROUNDS, OPEN_ROUNDS = 7, 3
VOTERS, SEALED = 9_000, 1_000  # on the roll, and ballots of the election whose result is looked at
A_SECOND = Unit("/s", "per_second")
PROCESSOR = Unit("ms CPU", "processor_milliseconds", less_is_better=True)
TRIVIAL, FORM = "trivial", "trivial_form"
AT_MOST = {"election": 2.5, "receipt": 2.5, "results": 2.0}  # times the processor time of a trivial page
OF_A_FORM = 0.6  # casts, beside trivial forms
FASTER = {"way": 2.2, "cast": 1.6}  # than before
OPEN = ((WAY, 20.0), (WAY, 40.0), (CASTING, 150.0))  # a second, at random moments
SECONDS = 8.0
WITHIN = {"p50": "50 of 100 within", "p99": "99 of 100 within"}

Turns = Mapping[tuple[str, str], tuple[Turn, ...]]  # by whose they are, and the page's key
Figures = Callable[[Turns, str, str], tuple[float, ...]]  # one of each turn


def measure(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    voters = max(20, round(VOTERS * scale))
    size = Size(voters, signed_in=voters, sealed=max(20, round(SEALED * scale)))
    with ExitStack() as stack:
        standing = {name: _opened(stack, root, folder / name, size) for name, root in roots.items()}
        pages = {name: _pages(site) for name, site in standing.items()}
        found = walked(standing, pages, ROUNDS if scale >= 1 else 1, scale)
        _report(report, pages["Plenum"], found)
        rows = [_report_open(report, page, rate, standing, scale) for page, rate in OPEN]
        paste(
            report, ["a second, at random moments", *(f"{name}: {each}" for name in standing for each in WITHIN)], rows
        )
        for name, site in standing.items():
            said = f"{site.acknowledged:,} casts acknowledged, {site.check():,} ballots found, turnout the same"
            report.say(f"  {name}: {said}.")


def _opened(stack: ExitStack, root: Path, folder: Path, size: Size) -> Site:
    sites.make(root, folder, size)
    return stack.enter_context(sites.served(root, folder))


def _pages(site: Site) -> list[Page]:
    again = known(site)
    return [*PAGES, again] if again else [*PAGES]


def walked(
    standing: Mapping[str, Site], pages: Mapping[str, list[Page]], rounds: int, scale: float
) -> dict[tuple[str, str], tuple[Turn, ...]]:
    """Page by page, all sites by turns."""
    every = dict.fromkeys(page.key for name in standing for page in pages[name])
    by_key = {(name, page.key): page for name in standing for page in pages[name]}
    order = [(name, key) for key in every for name in standing if (name, key) in by_key]
    turns = [partial(closed, standing[name], by_key[name, key], scale) for name, key in order]
    return dict(zip(order, take_turns(turns, rounds), strict=True))


# --- what was found ---


def _report(report: Report, pages: list[Page], found: Turns) -> None:
    report.heading("Eight at once on kept connections: a page's processor time, and a trivial page's", "trivial")
    for page in pages:
        if page.key != TRIVIAL:
            _beside_trivial(report, page, found)
    if KNOWN not in [page.key for page in pages]:
        report.say("  The results page does not say what it is, and so nobody knows it already.")
    report.heading("Casts a second, beside trivial forms with a session", "form")
    comparison = Comparison(_rates(found, "Plenum", CASTING.key), _rates(found, "Plenum", FORM))
    report.compare("cast_beside_form", CASTING.label, comparison, A_SECOND, peer="form", at_least=OF_A_FORM)
    report.say("\nSo many a second, and of 100 are answered within")
    for page in pages:
        _say_rate(report, page, found["Plenum", page.key])
    if ("before", TRIVIAL) in found:
        _beside_before(report, pages, found)
    _paste(report, pages, found)


def _beside_trivial(report: Report, page: Page, found: Turns) -> None:
    comparison = Comparison(processor(found, "Plenum", page.key), processor(found, "Plenum", TRIVIAL))
    at_least = 1 / AT_MOST[page.key] if page.key in AT_MOST else None
    report.compare(f"{page.key}.beside_trivial", page.label, comparison, PROCESSOR, peer=TRIVIAL, at_least=at_least)


def _say_rate(report: Report, page: Page, turns: tuple[Turn, ...]) -> None:
    rate, p50, p99 = (median(getattr(each, name) for each in turns) for name in ("rate", *WITHIN))
    report.fact(f"{page.key}.p50.{MILLISECONDS.word}", round(p50, 3))
    report.fact(f"{page.key}.p99.{MILLISECONDS.word}", round(p99, 3))
    report.figure(f"{page.key}.per_second", page.label, rate, f"/s   50: {p50:.1f} ms, 99: {p99:.1f} ms")


def _beside_before(report: Report, pages: list[Page], found: Turns) -> None:
    report.heading("So many a second, and before", "before")
    for page in pages:
        if ("before", page.key) in found:
            _compare_with_before(report, page, found, _rates, A_SECOND, FASTER.get(page.key))
    report.heading("Processor time, and before", "before")
    for page in pages:
        if ("before", page.key) in found:
            _compare_with_before(report, page, found, processor, PROCESSOR)


def _compare_with_before(
    report: Report, page: Page, found: Turns, figures: Figures, unit: Unit, goal: float | None = None
) -> None:
    comparison = Comparison(figures(found, "Plenum", page.key), figures(found, "before", page.key))
    key = f"{page.key}.beside_before" if unit is A_SECOND else f"{page.key}.processor_beside_before"
    report.compare(key, page.label, comparison, unit, peer="before", at_least=goal)


def _report_open(report: Report, page: Page, rate: float, standing: Mapping[str, Site], scale: float) -> list[Cell]:
    """How long it takes from the moment somebody comes, whoever else is there. Answers a line to paste."""
    turns = [partial(open_, site, page, rate, SECONDS * min(1.0, scale)) for site in standing.values()]
    found = dict(zip(standing, take_turns(turns, OPEN_ROUNDS if scale >= 1 else 1), strict=True))
    report.say(f"\n{rate:.0f} a second at random moments: {page.label}")
    row: list[Cell] = [f"{page.label}, {rate:.0f}"]
    for name, each in found.items():
        for percent, label in WITHIN.items():
            milliseconds = median(getattr(turn, percent) for turn in each)
            key = f"open.{page.key}_{rate:.0f}.{name.lower()}.{percent}.{MILLISECONDS.word}"
            report.figure(key, f"  {name}: {label}", milliseconds, "ms")
            row.append(f"{milliseconds:.1f} ms")
    return row


def _rates(found: Turns, name: str, key: str) -> tuple[float, ...]:
    return tuple(each.rate for each in found[name, key])


def processor(found: Turns, name: str, key: str) -> tuple[float, ...]:
    return tuple(each.processor for each in found[name, key])


def _paste(report: Report, pages: list[Page], found: Turns) -> None:
    columns = ["", "a second", "CPU", "in trivial pages", "before: a second", "CPU", "times as many"]
    paste(report, columns, [_row(page, found) for page in pages])


def _row(page: Page, found: Turns) -> list[Cell]:
    beside = Comparison(processor(found, "Plenum", page.key), processor(found, "Plenum", TRIVIAL))
    times = 1 / beside.ratio(less_is_better=True)[0]
    own: list[Cell] = [page.label, median(_rates(found, "Plenum", page.key)), f"{beside.ours:.2f} ms", f"{times:.2f}"]
    if ("before", page.key) not in found:
        return [*own, None, None, None]
    before = Comparison(_rates(found, "Plenum", page.key), _rates(found, "before", page.key))
    worked = median(processor(found, "before", page.key))
    return [*own, before.theirs, f"{worked:.2f} ms", f"{before.ratio()[0]:.2f}"]
