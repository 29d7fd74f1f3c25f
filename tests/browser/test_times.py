"""Moments in the reader's own time, and counting down by the server's clock, in a real browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.template import engines
from playwright.sync_api import Browser, Page, expect

from config.settings import BASE_DIR
from foundation.pages.fields import ZoneField

from .conftest import until as wait_until

NOON = datetime(2025, 11, 15, 12, tzinfo=UTC)
SCRIPT = (BASE_DIR / "static" / "js" / "times.js").read_text()
ADDRESS = "http://plenum.test/"


def rendered(tags: str) -> str:
    return engines["jinja2"].from_string(tags).render({"noon": NOON}).strip()


@pytest.fixture
def show(browser: Browser):
    """Opens a page with these tags, as the given reader sees it whose clock stands there; without one it runs."""
    contexts = []

    def show(
        tags: str, *, clock: datetime | None = NOON, language: str = "en", before: str = "", **reader: object
    ) -> Page:
        body = rendered(tags)
        html = f'<!doctype html><html lang="{language}"><body>{body}<script>{SCRIPT}</script></body></html>'
        context = browser.new_context(**{"timezone_id": "Europe/Berlin", **reader})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(f"script: {error}"))
        if clock:
            page.clock.install(time=clock - timedelta(hours=1))  # a clock can be stopped only later than it is
            page.clock.pause_at(clock)
        if before:
            page.add_init_script(before)
        page.route("**", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
        page.goto(ADDRESS)
        return page

    yield show
    for context in contexts:
        context.close()


def until(**left: float) -> str:
    return f"{{{{ countdown('{(NOON + timedelta(**left)).isoformat()}', now=noon) }}}}"


# --- the reader's own time ---

BERLIN = "{{ election_time(noon, 'Europe/Berlin') }}"


OWN_TIMES = {
    "America/New_York": "Nov. 15, 2025, 1 p.m. CET (Europe/Berlin), 7:00 AM your time",
    "Pacific/Auckland": "Nov. 15, 2025, 1 p.m. CET (Europe/Berlin), November 16, 2025 at 1:00 AM your time",
    "Asia/Kolkata": "Nov. 15, 2025, 1 p.m. CET (Europe/Berlin), 5:30 PM your time",
    "Europe/Paris": "Nov. 15, 2025, 1 p.m. CET (Europe/Berlin)",
}


def test_readers_elsewhere_see_their_own_time_too(show, subtests):
    page = show(BERLIN, timezone_id=None)
    traveller = page.context.new_cdp_session(page)
    for zone, text in OWN_TIMES.items():
        with subtests.test("readers elsewhere see their own time too", zone=zone):
            traveller.send("Emulation.setTimezoneOverride", {"timezoneId": zone})
            page.reload()
            expect(page.locator("body > span")).to_have_text(text)


def test_without_scripts_utc_stands_there_instead(show):
    page = show(BERLIN, timezone_id="America/New_York", java_script_enabled=False)
    expect(page.locator("body > span")).to_have_text("Nov. 15, 2025, 1 p.m. CET (Europe/Berlin), noon UTC")


def test_a_zone_not_yet_chosen_becomes_the_readers(show):
    select = ZoneField().widget
    page = show(select.render("zone", "") + select.render("other", "UTC"), timezone_id="Asia/Tokyo")
    expect(page.locator("[name=zone]")).to_have_value("Asia/Tokyo")
    expect(page.locator("[name=other]")).to_have_value("UTC")


# --- counting down ---


def test_minutes_pass_before_the_last_hour_and_seconds_in_it(show):
    page = show(until(hours=1, minutes=1, seconds=30))
    timer = page.get_by_role("timer")
    expect(timer).to_have_text("1 hour 1 minute left")
    shown = timer.locator("b").first.element_handle()
    page.clock.run_for(30_000)
    assert shown.evaluate("element => element.isConnected"), "nothing was written anew within the minute"
    page.clock.run_for(1_000)
    expect(timer).to_have_text("1 hour left")
    expect(timer).to_have_class("countdown")
    page.clock.run_for(60_000)
    expect(timer).to_have_text("59 minutes 59 seconds left")
    expect(timer).to_have_class("countdown ending")
    page.clock.run_for(1_000)
    expect(timer).to_have_text("59 minutes 58 seconds left")


@pytest.mark.journey
def test_the_end_is_said_once_and_aloud(show):
    page = show(until(minutes=5))
    page.clock.run_for(4 * 60_000 + 30_000)
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^\d+ seconds? left$"))
    page.clock.run_for(60_000)
    expect(page.get_by_role("timer")).to_have_count(0)
    expect(page.get_by_role("status")).to_have_text("Voting has ended.")
    page.clock.run_for(60_000)
    expect(page.get_by_role("status")).to_have_text("Voting has ended.")


def test_script_and_server_say_the_same(show):
    lengths = [{"days": 3, "hours": 4}, {"days": 2}, {"hours": 5, "minutes": 1}, {"minutes": 1}, {"seconds": 59}]
    tags = "".join(until(**each) for each in lengths)
    counted, said = show(tags), show(tags, java_script_enabled=False)
    assert counted.locator(".countdown[data-counting]").count() == len(lengths)
    assert counted.locator(".countdown").all_inner_texts() == said.locator(".countdown").all_inner_texts()
    inside = "all => all.map(each => each.innerHTML)"
    assert counted.locator(".countdown").evaluate_all(inside) == said.locator(".countdown").evaluate_all(inside)


def test_an_opening_that_is_near_is_no_warning(show):
    page = show(until(minutes=9).replace(" now=", " 'opening', now="))
    expect(page.locator("[data-counting]")).to_have_text("Opens in 9 minutes")
    expect(page.locator("[data-counting]")).to_have_class("countdown")


def test_units_follow_the_language_of_the_page(show):
    expect(show(until(days=3, hours=1), language="de").get_by_role("timer")).to_contain_text("3 Tage 1 Stunde")


@pytest.mark.parametrize("wrong_by", [timedelta(hours=3), timedelta(hours=-3), timedelta(days=400)])
def test_a_wrong_clock_misleads_nobody(show, wrong_by):
    page = show(until(minutes=10), clock=NOON + wrong_by)
    expect(page.get_by_role("timer")).to_have_text("10 minutes left")


def test_a_page_from_the_cache_does_not_turn_back_the_time(show):
    page = show(until(minutes=10), clock=None)
    wait_until(lambda: seconds_said(page) < 10 * 60 - 2)
    before = seconds_said(page)
    page.reload()  # the same answer again, as from the browser's cache
    assert seconds_said(page) <= before


def seconds_said(page: Page) -> int:
    minutes, seconds = re.search(
        r"(\d+) minutes(?: (\d+) seconds?)? left", page.get_by_role("timer").inner_text()
    ).groups()
    return int(minutes) * 60 + int(seconds or 0)


def test_without_storage_it_counts_all_the_same(show):
    denied = "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('denied'); } });"
    expect(show(until(minutes=10), before=denied).locator("[data-counting]")).to_have_text("10 minutes left")


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_tab_rests_and_catches_up(show):
    page = show(until(minutes=10))
    timer = page.get_by_role("timer")
    page.evaluate(HIDE, True)
    page.clock.run_for(60_000)
    expect(timer).to_have_text("10 minutes left")
    page.evaluate(HIDE, False)
    expect(timer).to_have_text("9 minutes left")
    page.clock.run_for(1_000)
    expect(timer).to_have_text("8 minutes 59 seconds left")


def test_a_countdown_that_arrives_later_counts_too(show):
    page = show("<div id='place'></div>")
    page.evaluate(
        """(html) => {
          const place = document.getElementById("place");
          place.innerHTML = html;
          place.firstElementChild.dispatchEvent(new Event("htmx:load", { bubbles: true }));
        }""",
        rendered(until(seconds=90)),
    )
    page.clock.run_for(30_000)
    expect(page.get_by_role("timer")).to_have_text("1 minute left")
