"""The pause as people meet it: nothing they typed is lost, and they are told what is going on."""

from __future__ import annotations

from playwright.sync_api import expect

from .test_access import faults
from .test_people import fill, set_up


def test_what_was_typed_survives_a_pause(visit, fresh_server: str, tmp_path):
    owner = visit("/", address=fresh_server)
    set_up(owner, tmp_path)
    owner.goto("/elections/new/")
    fill(owner, name="Board")
    expect(owner.locator("main h1")).to_have_text("What is on the ballot?")

    writing = owner.context.new_page()
    writing.goto("/election/Board/candidates/")
    writing.fill("main [name=names]", "Bo\nCy")
    owner.goto("/admin/pause/")
    fill(owner, minutes="20", sentence="We move to a larger machine.")
    expect(owner.locator(".pause")).to_contain_text("We move to a larger machine.")
    assert faults(owner) == []

    # Sent by a script: a message above the page, which stays as it is.
    writing.evaluate(
        "htmx.ajax('POST', location.pathname, {values: {names: 'Bo'}, headers: {'X-CSRFToken': "
        "document.querySelector('[name=csrfmiddlewaretoken]').value}, target: 'main'})"
    )
    expect(writing.locator("#said")).to_contain_text("What you typed is still here")
    expect(writing.locator("main [name=names]")).to_have_value("Bo\nCy")
    assert faults(writing) == []

    # Sent by the browser: a page that says so, and the way back to what was typed.
    writing.click("main form:has([name=names]) button.button")
    expect(writing.locator("main h1")).to_have_text("The site is paused")
    assert faults(writing) == []
    writing.go_back()
    expect(writing.locator("main [name=names]")).to_have_value("Bo\nCy")

    owner.click("text=Resume the site")
    expect(owner.locator("main")).to_contain_text("The site is running again.")
    expect(owner.locator(".pause")).to_have_count(0)
    writing.click("main form:has([name=names]) button.button")
    expect(writing.locator("main")).to_contain_text("Cy")
    expect(writing.locator("main")).not_to_contain_text("The site is paused")
