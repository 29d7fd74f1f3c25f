"""The pages of the site itself, as people see them."""

from __future__ import annotations

import re

import pytest
from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.template.loader import render_to_string
from playwright.sync_api import expect

from config.errors import error_page


def test_home_shows_the_newest_checkpoint(visit):
    page = visit("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Where a group decides")
    expect(page.locator("#checkpoint")).to_have_text(re.compile(r"^[0-9a-f]{64}$"))
    expect(page.locator("time")).to_have_text(re.compile(r"2\d{3}, .+ UTC$"))


def test_a_fresh_site_says_that_nothing_has_happened(visit, fresh_server):
    page = visit("/", address=fresh_server)
    expect(page.get_by_role("heading", name="Nothing has been sealed yet")).to_be_visible()
    expect(page.locator("#checkpoint")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "title"), [("/", "Where a group decides"), ("/style/", "Style page"), ("/nowhere", "Nothing here")]
)
def test_titles_name_the_page_and_the_site(visit, path, title):
    expect(visit(path)).to_have_title(f"{title} · Plenum")


def test_an_error_page_has_a_way_back_and_a_number_to_quote(visit, server):
    page = visit("/nowhere")
    expect(page.locator("main code")).to_have_text(re.compile(r"^[0-9a-f]{16}$"))
    page.get_by_role("link", name="To the home page").click()
    expect(page).to_have_url(f"{server}/")


@pytest.mark.parametrize(
    ("method", "status", "offered"),
    [("GET", 503, True), ("GET", 409, True), ("POST", 503, False), ("POST", 409, False), ("GET", 404, False)],
)
def test_only_what_a_link_can_ask_again_is_offered_again(rf, static_files, method, status, offered):
    text = error_page(rf.generic(method, "/elections/?page=2"), status).content.decode()
    assert ('href="/elections/?page=2">Try again' in text) is offered
    assert "To the home page" in text


@pytest.mark.parametrize(
    ("level", "look"), [(messages.INFO, "info"), (messages.SUCCESS, "success"), (messages.ERROR, "error")]
)
def test_what_earlier_steps_left_to_say_is_said_aloud_in_its_look(visit, level, look):
    page = visit("/")
    html = render_to_string("parts/messages.html", {"messages": [Message(level, "Ada & <b>Bob</b> are on the roll.")]})
    page.evaluate("html => document.querySelector('main > .wide').insertAdjacentHTML('afterbegin', html)", html)
    expect(page.locator("main").get_by_role("status").first).to_contain_text("Ada & <b>Bob</b> are on the roll.")
    expect(page.locator(f".message.{look}")).to_be_visible()
    page.get_by_role("button", name="Dismiss this message").click()
    expect(page.locator(".message")).to_have_count(0)


def test_the_icons_are_there(visit):
    page = visit("/")
    for link in page.locator("link[rel~=icon], link[rel=apple-touch-icon]").all():
        answer = page.request.get(link.get_attribute("href"))
        assert answer.ok
        assert answer.headers["content-type"].startswith("image/")


def test_every_link_to_a_place_on_the_style_page_leads_there(visit):
    page = visit("/style/")
    assert (
        page.evaluate(
            """[...document.querySelectorAll("a[href^='#']")].map(link => link.hash.slice(1))
             .filter(name => !document.getElementById(name))"""
        )
        == []
    )


def test_htmx_is_there_and_keeps_nothing(visit):
    page = visit("/")
    assert page.evaluate("[htmx.config.allowEval, htmx.config.historyCacheSize, htmx.config.selfRequestsOnly]") == [
        False,
        0,
        True,
    ]
