"""What a reader chooses stays chosen, and the small scripts do what they promise."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

DARK, LIGHT = "rgb(21, 19, 26)", "rgb(246, 245, 243)"


def background(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def test_without_a_choice_the_page_follows_the_system(visit, subtests):
    page = visit("/")
    for scheme, colour in (("dark", DARK), ("light", LIGHT)):
        with subtests.test("without a choice the page follows the system", scheme=scheme):
            page.emulate_media(color_scheme=scheme)
            page.reload()
            assert background(page) == colour


THEME_COLOURS = "[...document.querySelectorAll('[name=theme-color]')].filter(meta => matchMedia(meta.media).matches)"


@pytest.mark.parametrize(("scheme", "choice", "colour"), [("light", "Dark", DARK), ("dark", "Light", LIGHT)])
def test_the_chosen_look_survives_and_can_be_taken_back(visit, subtests, scheme, choice, colour):
    page = visit("/", color_scheme=scheme)
    before = background(page)
    page.get_by_label(choice).check()
    assert background(page) == colour
    with subtests.test("the browser around the page takes the chosen look"):
        assert page.evaluate(f"{THEME_COLOURS}.map(meta => meta.dataset.themeColor)") == [choice.lower()]
    page.reload()
    assert background(page) == colour
    expect(page.get_by_label(choice)).to_be_checked()
    page.goto("/join/")
    assert background(page) == colour
    page.get_by_label("System").check()
    page.reload()
    assert background(page) == before


def test_the_chosen_look_stands_before_anything_is_painted(visit):
    page = visit(
        "/",
        color_scheme="light",
        before="""new MutationObserver(() => {
          if (document.body) window.themeAtFirst ??= document.documentElement.dataset.theme ?? "none";
        }).observe(document, {childList: true, subtree: true})""",
    )
    page.get_by_label("Dark").check()
    page.reload()
    assert page.evaluate("window.themeAtFirst") == "dark"


def test_where_storage_is_forbidden_the_choice_holds_for_the_page(visit):
    forbid = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    page = visit("/", color_scheme="light", before=forbid)
    page.get_by_label("Dark").check()
    assert background(page) == DARK


def test_another_tab_takes_the_choice_over(visit):
    page = visit("/", color_scheme="light")
    other = page.context.new_page()
    other.goto("/")
    page.get_by_label("Dark").check()
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")
    expect(other.get_by_label("Dark")).to_be_checked()


@pytest.mark.parametrize("scripts", [{}, {"java_script_enabled": False}], ids=["scripts", "no scripts"])
def test_the_chosen_language_survives(visit, server, scripts):
    page = visit("/join/", **scripts)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Deutsch").click()
    expect(page).to_have_url(f"{server}/join/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("button", name="Deutsch")).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="English (US)", exact=True).click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


# --- the small scripts ---

LATE_TABS = """() => {
  const part = document.createElement("div");
  part.innerHTML = '<div data-tabs><a href="#late-1">1</a><a href="#late-2">2</a></div>' +
    '<div class="panel" id="late-1">one</div><div class="panel" id="late-2">two</div>';
  document.querySelector("main").append(part);
  htmx.process(part);
  htmx.trigger(part, "htmx:load");
}"""


def test_small_scripts_of_the_style_page(visit, subtests):
    page = visit("/style/", permissions=["clipboard-read", "clipboard-write"])
    with subtests.test("a code is copied at a press"):
        page.locator("[data-copies=receipt]").click()
        expect(page.locator("[data-copies=receipt]")).to_contain_text("Copied")
        expect(page.locator(".code:has(#receipt) [role=status]")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == page.locator("#receipt").text_content()
        expect(page.locator("[data-copies=receipt] > span").first).to_have_text("Copy")
    with subtests.test("a message goes when it is dismissed"):
        messages = page.locator(".message:has([data-dismisses])")
        before = messages.count()
        messages.first.get_by_role("button", name="Dismiss").click()
        expect(messages).to_have_count(before - 1)
        expect(page.locator("main")).to_be_focused()
    with subtests.test("tabs that arrive later work too"):
        page.evaluate(LATE_TABS)
        page.get_by_role("tab", name="2", exact=True).click()
        expect(page.locator("#late-2")).to_be_visible()
        expect(page.locator("#late-1")).to_be_hidden()


def test_where_the_clipboard_is_not_lent_the_code_is_selected(visit):
    page = visit("/style/", before="Object.defineProperty(Navigator.prototype, 'clipboard', {get() {}})")
    page.locator("[data-copies=receipt]").click()
    assert page.evaluate("getSelection().toString()") == page.locator("#receipt").text_content()
