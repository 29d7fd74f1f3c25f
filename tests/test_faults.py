"""A store that misbehaves: pages say so honestly and soon, nothing happens twice, and no restart is needed after it."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.test import Client

from accounts import repository as people
from accounts import throttle
from accounts.models import User
from ballots.services import cast
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_ended_elections
from elections.roll.services import add_voters
from foundation.acts import branding, pause
from foundation.acts.rate_limits import Limit
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog, as_text, new_nonce, seal
from operations.upkeep.figures import site_sealer
from tests.chaos import Chaos
from tests.people import PASSWORD

# seconds: far longer than any page takes on a busy machine; one that tries again and again takes minutes
TIMEOUT_SECONDS = 60
CONNECTING = (
    "foundation.acts.storage",
    "foundation.acts.caches",
    "operations.upkeep.views",
    "operations.audit.views",
    "foundation.acts.pause",
    "operations.upkeep.figures",
)
NEW = {
    "name": "New",
    "description": "",
    "electorate": "listed",
    "method": "schulze",
    "seats": "1",
    "unranked": "below",
    "results_visible": "closed",
    "time_zone": "UTC",
}
BALLOT = {"rank-0": "1", "acts": "0"}


@pytest.fixture
def weather(site, monkeypatch) -> Chaos:
    """Between the whole site and its store; fair until a test changes it."""
    weather = Chaos(site, Random(1), slowness=0.0)
    for module in CONNECTING:
        monkeypatch.setattr(f"{module}.connect", lambda url: weather)
    often = Limit("sign-in", 100, 600)  # what is right counts too while the store does not take it back
    monkeypatch.setattr("accounts.throttle.SIGN_IN", replace(throttle.SIGN_IN, per_source=often))
    pause.cache.forget()
    branding.cache.forget()
    return weather


def set_up(owner: User, name: str, **settings) -> None:
    election = drafts.create(owner, name, **settings)
    add_candidates(owner, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(owner, elections.find(name), ["Ada"])


@pytest.fixture
def browser(site, person, signed_in) -> Client:
    """Of Ada, who runs the open election "Board" and the closed one "Old", and may vote in both."""
    ada = person("Ada")
    set_up(ada, "Board", no_voting_after=as_text(datetime.now(UTC) + timedelta(days=12)))
    set_up(ada, "Old")
    for name in ("Board", "Old"):
        lifecycle.open_(ada, elections.find(name), editable=False)
    cast(ada, "Old", {"0": ["1"]}, form="old")
    closing.close(ada, elections.find("Old"))
    client = signed_in(ada)
    assert client.get("/election/Old/results/").status_code == 200, "sealed by now"
    client.raise_request_exception = False
    return client


def sign_in(client: Client):
    return Client(raise_request_exception=False).post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})


PAGES: dict[str, Callable[[Client], object]] = {
    "home of a stranger": lambda client: Client(raise_request_exception=False).get("/"),
    "home": lambda client: client.get("/"),
    "sign in": sign_in,
    "ballot": lambda client: client.get("/election/Board/ballot/"),
    "review": lambda client: client.post("/election/Board/ballot/", BALLOT),
    "cast": lambda client: client.post("/election/Board/ballot/cast/", {**BALLOT, "token": "f" * 32}),
    "dashboard": lambda client: client.get("/election/Board/dashboard/"),
    "results": lambda client: client.get("/election/Old/results/"),
}
WEATHERS = {
    "throttled": {"throttling": 1.0},
    "throttled at times": {"throttling": 0.4},
    "slow and throttled": {"throttling": 0.4, "slowness": 1.0, "seconds": 0.02},
    "slow": {"slowness": 1.0, "seconds": 0.02},
    "no writes": {"read_only": True},
    "conflicts": {"conflicts": 1.0},
    "this half is out": {"out": lambda partition: zlib.crc32(partition.encode()) % 2 == 0},
    "the other half is out": {"out": lambda partition: zlib.crc32(partition.encode()) % 2 == 1},
}


def set_(weather: Chaos, **changes) -> None:
    fair = {"throttling": 0.0, "slowness": 0.0, "conflicts": 0.0, "lost_replies": 0.0, "read_only": False, "out": None}
    for name, value in {**fair, **changes}.items():
        setattr(weather, name, value)
    pause.cache.forget()


@pytest.mark.few(4)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_honestly_and_soon_that_the_store_is_in_trouble(browser, weather, page):
    for name, changes in WEATHERS.items():
        set_(weather, **changes)
        start = time.monotonic()
        answer = PAGES[page](browser)
        assert time.monotonic() - start < TIMEOUT_SECONDS, name
        assert_honest(answer, name)
        set_(weather)
        assert PAGES[page](browser).status_code in (200, 302), "as soon as the store is well, so is the page"


def assert_honest(answer, name: str) -> None:
    """Never that it was our mistake; and always, where no answer could be had or all were only late."""
    allowed = {"throttled": (503,), "slow": (200, 302), "conflicts": (200, 302, 409)}
    assert answer.status_code in allowed.get(name, (200, 302, 503)), f"{name}: {answer.status_code}"
    if answer.status_code == 503:
        assert int(answer["Retry-After"]) > 0
        title = "Nothing can be saved right now" if name == "no writes" else "Not available right now"
        assert title in answer.content.decode()
        assert "</footer>" in answer.content.decode()


def test_what_asks_nothing_of_the_store_goes_on(browser, weather):
    set_(weather, throttling=1.0)
    stranger = Client(raise_request_exception=False)
    assert stranger.get("/healthz").status_code == 200
    assert stranger.get("/sign-in/").status_code == 200
    assert stranger.get("/readyz").status_code == 503
    assert "plenum_store_up 0.0" in stranger.get("/metrics").content.decode()


def test_a_page_gives_up_at_the_first_silence_instead_of_asking_on(browser, weather):
    """A store that is overloaded is not asked the more for it."""
    asked = []
    weather.out = lambda partition: asked.append(partition) or True
    for page in PAGES.values():
        asked.clear()
        pause.cache.forget()
        page(browser)
        assert len(asked) <= 4, "the pause, who is asking, or the page itself, and again for the page that says so"


# --- once, although sent twice ---


class LosesOne(Random):
    """Chance that loses one answer only: that of the write with this number."""

    def __init__(self, number: int):
        self.left = number

    def random(self) -> float:
        self.left -= 1
        return 0.0 if self.left == -1 else 1.0


FORMS = {
    "BallotCast": ("/election/Board/ballot/cast/", {**BALLOT, "token": "g" * 32}),
    "ElectionCreated": ("/elections/new/all/", NEW),
    "CandidatesAdded": ("/election/Draft/candidates/", {"names": "Di\nEd"}),
    "ElectionOpened": ("/election/Draft/open/", {}),
    "VotersRemoved": ("/election/Draft/roll/remove/", {"voter": "Ada"}),
}


def count(site, event_type: str) -> int:
    return sum(event["event_type"] == event_type for event in EventLog(site).since(0))


@pytest.mark.few(8)
@pytest.mark.parametrize("lost", range(4))
@pytest.mark.parametrize("event_type", FORMS)
def test_a_form_sent_again_after_a_lost_answer_is_carried_out_once(site, browser, weather, event_type, lost):
    set_up(people.find("Ada"), "Draft")
    path, fields = FORMS[event_type]
    fields = {**typed(browser.get(path)), **fields}
    before = count(site, event_type)
    set_(weather, lost_replies=0.5)
    weather.random = LosesOne(lost)
    first = browser.post(path, fields)
    assert first.status_code in (200, 302, 422, 503), first.status_code
    set_(weather)
    again = browser.post(path, fields)
    assert again.status_code < 500
    assert count(site, event_type) == before + 1


def typed(answer) -> dict[str, str]:
    """What a form says by itself, without the marks against forgery."""
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.content.decode())
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


# --- clocks ---


@pytest.fixture
def jump(site, monkeypatch) -> Callable[[timedelta], None]:
    """Sets the clock of this machine forward or back."""
    really = time.time

    def jump(by: timedelta) -> None:
        def now() -> datetime:
            return datetime.now(UTC) + by

        monkeypatch.setattr(time, "time", lambda: really() + by.total_seconds())
        monkeypatch.setattr(site, "clock", lambda: really() + by.total_seconds())
        for module in (
            "foundation.acts.storage",
            "ballots.services",
            "foundation.store.log.events",
            "foundation.acts.pause",
            "operations.upkeep.doctor.health",
        ):
            monkeypatch.setattr(f"{module}.utc_now", now)
        monkeypatch.setattr(EventLog.__init__, "__defaults__", (now, new_nonce))

    return jump


@pytest.mark.few(2)
@pytest.mark.parametrize("hours", [25, -25, 24 * 10, -24 * 400])
def test_a_clock_that_jumps_breaks_no_page_and_doubles_nothing(site, browser, jump, hours):
    jump(timedelta(hours=hours))
    for page in PAGES.values():
        assert page(browser).status_code in (200, 302)
    for page in (PAGES["cast"], PAGES["cast"]):
        assert page(browser).status_code == 200
    assert count(site, "BallotCast") == 2, "one in each election"
    assert len(list(site.each(*keys.ballots("Board")))) == 1


@pytest.mark.parametrize("hours", [25, -25])
def test_a_log_written_by_a_clock_that_jumps_can_be_sealed_and_verified(site, browser, jump, hours):
    PAGES["cast"](browser)
    jump(timedelta(hours=hours))
    browser.post("/elections/new/all/", {**NEW, "name": "After the jump"})
    jump(timedelta())
    browser.post("/elections/new/all/", {**NEW, "name": "As before"})
    site_sealer().seal()
    verdict = seal.verify(site)
    assert (verdict.flaw, verdict.unsealed) == (None, 0)
    assert count(site, "ElectionCreated") == 4


def test_an_election_ends_by_the_clock_and_a_clock_set_back_opens_no_recorded_end(site, browser, jump):
    jump(timedelta(days=13))
    assert PAGES["cast"](browser).status_code == 422, "it is over"
    close_ended_elections()
    jump(timedelta(days=-2))
    assert PAGES["cast"](browser).status_code == 422, "and stays so"
    assert not list(site.each(*keys.ballots("Board")))
