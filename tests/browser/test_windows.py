"""What lets tests share: a window that is lent again holds nothing of whoever had it before."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import Error

from .conftest import TIMEOUT_SECONDS, Complaints, until

LEAVE_THINGS = """() => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.cookie = "left=1; path=/";
  addEventListener("pagehide", () => localStorage.setItem("left in the last moment", "1"));
}"""
FOUND = (
    "[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie].filter(key => /left/.test(key))"
)


def test_a_window_lent_again_holds_nothing_of_whoever_had_it_before(windows, server):
    with windows.lend(server, {}) as window:
        page = window.open(320, {"color_scheme": "dark"})
        page.goto("/")
        page.evaluate(LEAVE_THINGS)
        assert len(page.evaluate(FOUND)) == 3
    with windows.lend(server, {}) as again:
        assert again is window
        page = again.open(1280, {})
        page.goto("/")
        assert page.evaluate(FOUND) == []
        assert page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]") == [1280, False]


def test_nobody_shares_a_window_at_the_same_time(windows, server):
    with windows.lend(server, {}) as one, windows.lend(server, {}) as other:
        assert one.context is not other.context


def test_everybody_is_signed_in_as_themselves(visit):
    pages = {name: visit("/", who=name) for name in ("Hypatia", "Alan Turing")}
    for name, page in pages.items():
        assert name in page.locator(".site-header").inner_text()
    assert "Sign in" in visit("/").locator(".site-header").inner_text()


STRANGER = "http://stranger.example/"
ASKS = """address => { for (const kind of ["img", "script", "iframe"]) {
  document.body.append(Object.assign(document.createElement(kind), {src: address + kind}));
} fetch(address + "fetch").catch(() => {}); }"""


def test_a_page_is_complained_of(windows, server, subtests):
    """When it asks a stranger, whether it has a policy or not, when it goes to one, and when it lacks a part."""
    with windows.lend(server, {}) as window:
        page = window.open(1280, {})
        complaints = Complaints(server)
        complaints.listen(page)
        for path in ("/", "about:blank"):
            with subtests.test("a stranger is asked", path=path):
                page.goto(path)
                assert complaints.told() == []
                page.evaluate(ASKS, STRANGER)
                until(lambda: page.evaluate("1") and len(complaints) >= 4)
                complaints.told()
        with subtests.test("it goes to a stranger"):
            with page.expect_event("framenavigated", timeout=TIMEOUT_SECONDS * 1000), suppress(Error):
                page.goto(STRANGER)
            assert complaints.told() != []
        with subtests.test("a part of it is missing, but no page"):
            page.goto("/nowhere#here")
            assert complaints.told() == []
            page.evaluate("fetch('/nothing')")
            until(lambda: page.evaluate("1") and complaints.told() != [])
        complaints.listen_no_more(page)
