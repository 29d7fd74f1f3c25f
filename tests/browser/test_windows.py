"""What lets tests share: a window that is lent again holds nothing of whoever had it before."""

from __future__ import annotations

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
