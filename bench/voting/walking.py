"""The pages of a voter's way, asked for by one process: eight at once on kept connections, or at random moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import quantiles
from urllib.parse import quote

from ..ballots.day import CAST, NAME, PAGE
from ..ballots.load import Outcome, Plan, perform
from ..ballots.server import HOST
from ..stage.addresses import BARE, TRIVIAL
from ..stage.prepare import SEALED
from .site import Site, Voter

AT_ONCE = 8
PATIENT = 1000.0  # seconds: nobody is given up

RESULTS = f"/election/{quote(SEALED)}/results/"
DONE = f"302 {PAGE}receipt/"
KNOWN = "results_known"
REVIEWED = f"302 {PAGE}review/, 200"

Requests = Callable[[Voter, str], list[str]]


class NotAsExpected(AssertionError):
    """A page that answered something else; the words say what."""


@dataclass(frozen=True, slots=True)
class Page:
    """Something that a voter does, in one request or in several."""

    key: str
    label: str
    many: int  # of them in a turn
    requests: Requests
    said: str = "200"
    who: str = "lookers"  # see Site.who


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn has shown of a page."""

    rate: float  # a second
    processor: float  # milliseconds of all processes that serve, for one
    p50: float  # milliseconds
    p99: float


def looking(path: str) -> Requests:
    return lambda voter, host: [voter.browser.as_text(path, None, host)]


def sending(path: str) -> Requests:
    return lambda voter, host: [voter.browser.as_text(path, voter.form(), host)]


def one_after_the_other(*steps: Requests) -> Requests:
    return lambda voter, host: [text for step in steps for text in step(voter, host)]


review = one_after_the_other(sending(PAGE), looking(f"{PAGE}review/"))
WAY = Page(
    "way",
    "a voter's way: ballot, review, cast",
    80,
    one_after_the_other(looking(PAGE), review, sending(CAST)),
    f"200, {REVIEWED}, {DONE}",
    "coming",
)
CASTING = Page("cast", "cast", 240, sending(CAST), DONE, "coming")
PAGES = (
    Page("bare", "a page without middleware", 500, looking(BARE)),
    Page("trivial", "a trivial page with a session", 400, looking(TRIVIAL)),
    Page("trivial_form", "a trivial form with a session", 300, sending(TRIVIAL), "302 /"),
    WAY,
    CASTING,
    Page("home", "home page", 100, looking("/")),
    Page("election", "election page", 100, looking(f"/election/{NAME}/")),
    Page("ballot", "ballot page", 100, looking(PAGE)),
    Page("review", "ballot sent, and its review", 100, review, REVIEWED),
    Page("receipt", "receipt", 80, looking(f"{PAGE}receipt/"), who="voted"),
    Page("results", "results page, sealed", 80, looking(RESULTS)),
)


def known(site: Site) -> Page | None:
    """The results page for whoever has it already, where the site says what that is."""
    tags = {each.name: site.ask(each, RESULTS).getheader("ETag") for each in site.knowing}
    if not all(tags.values()):
        return None

    def again(voter: Voter, host: str) -> list[str]:
        return [voter.browser.as_text(RESULTS, None, host, **{"If-None-Match": str(tags[voter.name])})]

    return Page(KNOWN, "results page, known already", 300, again, "304", who="knowing")


# --- turns ---


def closed(site: Site, page: Page, scale: float = 1.0) -> Turn:
    """Eight at once, as fast as they are answered."""
    return _turn(site, page, page.many * scale, at_once=AT_ONCE)


def open_(site: Site, page: Page, rate: float, seconds: float) -> Turn:
    """At random moments, so many a second on average."""
    return _turn(site, page, rate * seconds, rate=rate)


def _turn(site: Site, page: Page, many: float, rate: float = 1.0, at_once: int = 0) -> Turn:
    voters = site.who(page.who, max(2, round(many)))
    visits = [page.requests(each, site.host) for each in voters]
    before = site.server.worked()
    outcome = perform(Plan(HOST, site.server.port, rate, PATIENT, 1.0, visits, at_once))
    worked = (site.server.worked() - before) / 1e6
    if wrong := [each.said for each in outcome.answers if each.said != page.said]:
        raise NotAsExpected(f"{page.label}: {len(wrong)} of {len(voters)} were answered otherwise, such as {wrong[0]}.")
    if page.who == "coming":
        site.acknowledge(voters)
    return Turn(len(voters) / outcome.seconds, worked / len(voters), *_within(outcome))


def _within(outcome: Outcome) -> tuple[float, float]:
    times = [each.seconds * 1000 for each in outcome.answers]
    cuts = quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]
