"""News: written with the page as it will be beside it, scheduled, published, read on a phone, and liked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import until
from .test_access import Look, faults, in_turn, look
from .test_people import wide

PHONE_WIDTH_PX = 390
TEXT = "The **office** is in Mill Lane.\n\n> Come in.\n\n- stairs\n- lift\n"


@pytest.fixture
def writer(visit) -> Page:
    return visit("/news/", who="Katherine Johnson")


LOOKS = ((1280, "dark"), (PHONE_WIDTH_PX, "light"))


def judged(page: Page, *looks: Look) -> list[str]:
    """On a wide screen and a phone, in dark and light."""
    looks, found = looks or LOOKS, []
    judged_in = in_turn(looks, page.title())
    for width, scheme in looks:
        look(page, width, scheme)
        wrong = wide(page) + (faults(page) if (width, scheme) in judged_in else [])
        found += [f"{width} {scheme} {each}" for each in wrong]
    return found


def shows(page: Page, pressed: bool, words: str) -> None:
    expect(page.locator("#like")).to_have_attribute("aria-pressed", str(pressed).lower())
    expect(page.locator("#likes-said")).to_have_text(words)


def like_and_take_back(page: Page, visit) -> None:
    """The second press takes back what the first one did, as the page says."""
    again = "Press the button again to take it back."
    shows(page, False, "No likes yet.")
    page.evaluate("document.getElementById('likes-said').stays = true")
    page.locator("#like").focus()
    page.keyboard.press("Enter")
    shows(page, True, f"You like this. {again}")
    expect(page.locator("#like")).to_be_focused()
    assert page.evaluate("document.getElementById('likes-said').stays"), "what is read out stays where it is"
    path = page.evaluate("location.pathname")
    plain = visit(path, java_script_enabled=False, user_agent="Another browser")
    shows(plain, False, "1 person likes this.")
    plain.click("#like")
    assert plain.url.endswith(f"{path}#likes")
    shows(plain, True, f"2 people like this, you among them. {again}")
    page.click("#like")
    shows(page, False, "1 person likes this.")
    plain.click("#like")
    shows(plain, False, "No likes yet.")
    page.click("#like")
    shows(page, True, f"You like this. {again}")


def test_a_post_from_the_first_word_to_its_readers(writer, visit, subtests):
    writer.get_by_role("link", name="Write a post").click()
    shown = writer.locator("#preview")
    with subtests.test("what is typed is shown as the server renders it"):
        writer.fill("[name=title]", "We have moved house")
        writer.fill("[name=text]", TEXT + "<script>alert(1)</script>")
        writer.fill("[name=tags]", "office, board")
        expect(shown.locator("strong")).to_have_text("office")
        expect(shown.locator(".tags li")).to_have_text(["office", "board"])
        expect(shown).to_contain_text("<script>alert(1)</script>")
        assert judged(writer) == []
    with subtests.test("words that were not saved come back in their tab, and leaving asks first"):
        asked = []
        writer.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        writer.reload()
        assert asked == ["beforeunload"]
        expect(writer.locator("[name=text]")).to_have_value(re.compile("Mill Lane"))
        expect(writer.locator("#brought-back")).to_be_visible()
        expect(shown.locator("strong")).to_have_text("office")
    writer.fill("[name=text]", TEXT)
    writer.get_by_role("button", name="Save draft").click()
    writer.wait_for_url("**/edit/")
    assert writer.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('text '))") == []
    with subtests.test("the button says what will happen, while a date is chosen"):
        writer.get_by_role("link", name="Publish", exact=True).click()
        writer.select_option("[name=time_zone]", "Europe/Berlin")
        writer.fill("[name=at]", "2097-05-03T09:00")
        later = writer.get_by_role("button", name="Publish on May 3, 2097, 9 a.m. Europe/Berlin")
        expect(later).to_be_visible()
        expect(writer.get_by_role("button", name="Continue")).to_be_hidden()
        assert judged(writer, (PHONE_WIDTH_PX, "light")) == []
        later.click()
        expect(writer.locator(".unseen")).to_contain_text("This is scheduled.")
        assert judged(writer, (PHONE_WIDTH_PX, "dark")) == []
    reader = visit("/news/", width=PHONE_WIDTH_PX)
    with subtests.test("nobody reads it before"):
        assert reader.goto("/news/post/we-have-moved-house/").status == 404
    writer.get_by_role("link", name="Change the date").click()
    writer.get_by_role("button", name="Publish now").click()
    with subtests.test("everybody reads it then, also on a phone"):
        reader.goto("/news/")
        assert judged(reader) == []
        reader.get_by_role("link", name="We have moved house").click()
        expect(reader.locator(".prose blockquote")).to_have_text("Come in.")
        assert judged(reader) == []
    with subtests.test("whoever reads it likes it, by scripts or without, and takes it back"):
        like_and_take_back(reader, visit)
        assert judged(reader) == []
    with subtests.test("drafts and the link to look beforehand"):
        writer.get_by_role("link", name="Unpublish").click()
        writer.get_by_role("button", name="Unpublish").click()
        writer.get_by_role("link", name="Preview link").click()
        path = "/news/preview/" + writer.locator("#preview-link").inner_text().split("/news/preview/")[1]
        assert judged(writer, (PHONE_WIDTH_PX, "light")) == []
        reader.goto(path)
        expect(reader.locator(".unseen")).to_contain_text("This is a preview.")
        writer.goto("/news/drafts/")
        expect(writer.get_by_role("link", name="We have moved house", exact=True)).to_be_visible()
        assert judged(writer, (PHONE_WIDTH_PX, "dark")) == []
    with subtests.test("news by mail, and how it all works"):
        for page, path in ((writer, "/news/subscribers/"), (reader, "/news/by-mail/"), (reader, "/help/news/")):
            page.goto(path)
            assert judged(page, (PHONE_WIDTH_PX, "dark")) == [], path


def test_writing_and_publishing_without_scripts(visit):
    page = visit("/news/write/", who="Katherine Johnson", width=PHONE_WIDTH_PX, java_script_enabled=False)
    page.fill("[name=text]", TEXT)
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator("#preview strong")).to_have_text("office")
    page.fill("[name=title]", "Without scripts")
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("link", name="Publish", exact=True).click()
    page.fill("[name=at]", "2020-05-03T09:00")
    page.select_option("[name=time_zone]", "UTC")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Publish now, dated May 3, 2020, 9 a.m. UTC").click()
    expect(page.locator("h1")).to_have_text("Without scripts")
    until(lambda: "May 3, 2020" in page.locator(".byline").inner_text())
