"""The pages of the site itself, as people see them."""

from __future__ import annotations

import re

import pytest
from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.template.loader import render_to_string
from playwright.sync_api import expect

from config.errors import error_page

from .conftest import MAX_ATTEMPTS

TITLES = {"/": "Who we are", "/style/": "Style page", "/nowhere": "Nothing here"}
LOOKS = {messages.INFO: "info", messages.SUCCESS: "success", messages.ERROR: "error"}
PUT_IN = "html => document.querySelector('main > .wide').insertAdjacentHTML('afterbegin', html)"
KEPT_BY_HTMX = """[htmx.config.allowEval, htmx.config.allowScriptTags, htmx.config.historyCacheSize,
  htmx.config.selfRequestsOnly]"""
# Markup in every place that has words of people, and once where only ours are: which of them htmx would act on.
ACTED_ON = """() => ["", "prose", "hint", "errors", "error-summary", "message"].filter((place) => {
  const part = Object.assign(document.createElement("div"), {className: place});
  part.innerHTML = "<b hx-get=/healthz hx-trigger=none></b>";
  document.body.append(part);
  const acts = [];
  part.addEventListener("htmx:afterProcessNode", (event) => acts.push(event.target.localName));
  htmx.process(part);
  part.remove();
  return acts.includes("b");
})"""
LINKS_TO_NOWHERE = """[...document.querySelectorAll("a[href^='#']")].map(link => link.hash.slice(1))
  .filter(name => !document.getElementById(name))"""


def test_home(visit, subtests):
    page = visit("/")
    with subtests.test("home shows a real result, and a wrong code is told where it was typed"):
        expect(page.locator("main")).to_contain_text("we decide together")
        expect(page.locator(".shared-winner")).to_have_text(re.compile("^Winner: "))
        code = page.get_by_role("textbox", name="Code")
        code.fill("9999")
        code.press("Enter")
        expect(code).to_be_focused()
        expect(code).to_have_accessible_description(re.compile("^No poll or live session"))
        page.goto("/news/")  # with htmx, which the front page does without
    with subtests.test("htmx is there and keeps nothing"):
        assert page.evaluate(KEPT_BY_HTMX) == [False, False, 0, True]
    with subtests.test("htmx leaves alone what people wrote"):
        assert page.evaluate(ACTED_ON) == [""]
    with subtests.test("the icons are there"):
        links = page.locator("link[rel~=icon], link[rel=apple-touch-icon]").all()
        assert links
        for link in links:
            answer = page.request.get(link.get_attribute("href"), max_retries=MAX_ATTEMPTS)
            assert answer.ok
            assert answer.headers["content-type"].startswith("image/")
    for level, look in LOOKS.items():
        with subtests.test("what earlier steps left to say is said aloud in its look", look=look):
            said = [Message(level, "Ada & <b>Bob</b> are on the roll.")]
            page.evaluate(PUT_IN, render_to_string("parts/messages.html", {"messages": said}))
            expect(page.locator("main").get_by_role("status").first).to_contain_text(said[0].message)
            expect(page.locator(f".message.{look}")).to_be_visible()
            page.get_by_role("button", name="Dismiss this message").click()
            expect(page.locator(".message")).to_have_count(0)


def test_titles_name_the_page_and_the_site(visit, subtests):
    page = visit("/")
    for path, title in TITLES.items():
        with subtests.test("titles name the page and the site", path=path):
            page.goto(path)
            expect(page).to_have_title(f"{title} · Plenum")
        with subtests.test("every link to a place on the page leads there", path=path):
            assert page.evaluate(LINKS_TO_NOWHERE) == []


def test_an_error_page_has_a_way_back_and_a_number_to_quote(visit, server):
    page = visit("/nowhere")
    expect(page.locator("main code")).to_have_text(re.compile(r"^[0-9a-f]{16}$"))
    page.get_by_role("link", name="Go to the home page").click()
    expect(page).to_have_url(f"{server}/")


@pytest.mark.parametrize(
    ("method", "status", "offered"),
    [("GET", 503, True), ("GET", 409, True), ("POST", 503, False), ("POST", 409, False), ("GET", 404, False)],
)
def test_only_what_a_link_can_ask_again_is_offered_again(rf, method, status, offered):
    text = error_page(rf.generic(method, "/elections/?page=2"), status).content.decode()
    assert ('href="/elections/?page=2">Try again' in text) is offered
    assert "Go to the home page" in text
