"""What a first visit of the ballot page loads, and how often the pages of a voter ask the store."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from random import Random
from urllib.parse import urlencode, urljoin

from ..people import trips_of
from ..report import Report, Unit
from ..rounds import Comparison
from .day import CANDIDATES, CAST, PAGE, Browser
from .server import HOST

KB = 1024
GOAL = 60.0  # KB
KILOBYTES = Unit("KB", "kilobytes", less_is_better=True)

LOADED = re.compile(  # of the icons, a browser loads the drawn one
    r'<link rel="stylesheet" href="([^"]+)"|<link rel="icon" href="([^"]+)" type="image/svg'
    r'|<(?:script|img)[^>]* src="([^"]+)"'
)
FROM_STYLE = re.compile(r"url\(['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)")
FROM_SCRIPT = re.compile(r"\bimport\s*\(?\s*(?:[\w{}*,\s]+\sfrom\s+)?['\"](\.?\.?/[^'\"]+)")


@dataclass(frozen=True, slots=True)
class Loaded:
    path: str
    transferred: int  # bytes with the head of the answer, compressed where the server does
    stored: int
    text: str


def measure(report: Report, browser: Browser, port: int) -> None:
    report.heading(f"A first visit of the ballot page, {CANDIDATES} candidates with statements", "goal")
    everything = list(_first_visit(browser, port))
    transferred = sum(each.transferred for each in everything) / KB
    goal = Comparison((transferred,), (GOAL,))
    report.compare("page", f"all {len(everything)} answers, as transferred", goal, KILOBYTES, peer="goal", at_least=1)
    report.figure("page.stored.kilobytes", "  as stored", sum(each.stored for each in everything) / KB, "KB")
    for label, found in _by_kind(everything).items():
        size = sum(each.transferred for each in found) / KB
        stored = sum(each.stored for each in found) / KB
        report.figure(
            f"page.{label}.kilobytes", f"  {label} ({len(found)}), as transferred", size, f"KB of {stored:.1f}"
        )
    for label, trips in _trips(browser, port).items():
        report.figure(f"trips.{label}", f"round trips of the {label}", trips, "")


def _by_kind(everything: list[Loaded]) -> dict[str, list[Loaded]]:
    kinds: dict[str, list[Loaded]] = {}
    for each in everything:
        ending = each.path.rpartition(".")[2] if "." in each.path else "html"
        kinds.setdefault(ending, []).append(each)
    return kinds


# --- what is loaded ---


def _first_visit(browser: Browser, port: int) -> Iterator[Loaded]:
    """The page, what it names, and what that names."""
    seen, waiting = set(), [PAGE]
    while waiting:
        path = waiting.pop(0)
        if path in seen or path.startswith("data:"):
            continue
        seen.add(path)
        loaded = _load(browser, port, path)
        waiting += [urljoin(path, unescape(name)) for name in _named_in(loaded)]
        yield loaded


def _load(browser: Browser, port: int, path: str) -> Loaded:
    answer = _ask(browser, port, path, headers={"Accept-Encoding": "gzip, deflate"})
    raw = answer.read()
    body = gzip.decompress(raw) if answer.getheader("Content-Encoding") == "gzip" else raw
    head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n" + str(answer.headers).replace("\n", "\r\n")
    return Loaded(path, len(head) + len(raw), len(body), body.decode("utf-8", "replace"))


def _named_in(loaded: Loaded) -> list[str]:
    pattern = {"css": FROM_STYLE, "js": FROM_SCRIPT}.get(loaded.path.rpartition(".")[2])
    if pattern is None and loaded.path != PAGE:
        return []
    found = (pattern or LOADED).finditer(loaded.text)
    return [next(filter(None, each.groups())) for each in found]


def _ask(
    browser: Browser, port: int, path: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> HTTPResponse:
    connection = HTTPConnection(HOST, port, timeout=30)
    own = {"Cookie": browser.cookies(), "Content-Type": "application/x-www-form-urlencoded"}
    method, body = ("GET", None) if form is None else ("POST", urlencode(form))
    connection.request(method, path, body, own | (headers or {}))
    answer = connection.getresponse()
    assert answer.status in (200, 302), f"{path}: {answer.status}"
    return answer


# --- round trips ---


def _trips(browser: Browser, port: int) -> dict[str, int]:
    """From the ballot to the receipt. Candidates are remembered by each server process, and were asked for before."""
    form = browser.form(Random(0))  # whom they vote for
    receipt = f"{PAGE}receipt/"
    answers = {
        "ballot": _ask(browser, port, PAGE),
        "review": _ask(browser, port, PAGE, form),
        "cast": _ask(browser, port, CAST, form),
        "receipt": _ask(browser, port, receipt),
    }
    return {label: trips_of(answer.headers) for label, answer in answers.items()}
