"""Journeys of people: joining, signing in by name and by email, forgetting, roles, handing over, leaving everywhere."""

from __future__ import annotations

import email
import re
import time
from email import policy
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from accounts.demo import PASSWORD as DEMO_PASSWORD

from .test_access import faults

PASSWORD = "correct horse battery"


def fill(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.fill(f"main [name={name}]", value)
    page.click("main form button.button")


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/sign-in/")
    fill(page, name_or_email=name, password=password)


def new_page(browser: Browser, address: str, **reader) -> Page:
    return browser.new_context(base_url=address, **reader).new_page()


def mailed_link(folder: Path, to: str, start: str) -> str:
    """The path of the newest link to somebody, out of the files that mail goes to in the local profile."""
    for _ in range(100):
        found = []
        for file in sorted((folder / "mail").glob("*.log"), key=lambda file: file.stat().st_mtime):
            message = email.message_from_string(file.read_text(), policy=policy.default)
            text = message.get_body(("plain",)).get_content()
            if message["To"] == to:
                found += re.findall(rf"http://[^/\s]+({start}\S+)", text)
        if found:
            return found[-1]
        time.sleep(0.1)
    raise AssertionError(f"No mail with a link {start} came to {to}.")


@pytest.fixture
def owner(browser, fresh_server):
    """A new site and the browser of its owner."""
    page = new_page(browser, fresh_server)
    page.goto("/register/")
    expect(page.locator("main")).to_contain_text("The first account is the owner's")
    fill(page, name="Ada", email="ada@example.org", password=PASSWORD)
    expect(page.locator("main")).to_contain_text("You are the owner of this site")
    return page


def join(browser, address, folder, name, to) -> Page:
    page = new_page(browser, address)
    page.goto("/register/")
    fill(page, name=name, email=to, password=PASSWORD)
    expect(page.locator("main h1")).to_have_text("Look into your mail")
    page.goto(mailed_link(folder, to, "/register/"))
    page.click("main button.button")
    fill(page, name_or_email=name, password=PASSWORD)
    expect(page.locator(".site-header")).to_contain_text(name)
    return page


def test_sign_in_by_name_by_email_and_with_a_wrong_password(owner):
    owner.click("text=Sign out")
    sign_in(owner, "ada")
    expect(owner.locator(".site-header")).to_contain_text("Ada")
    owner.click("text=Sign out")
    sign_in(owner, "ADA@example.org", "wrong")
    expect(owner.locator(".error-summary")).to_contain_text("do not belong together")
    assert owner.input_value("[name=name_or_email]") == "ADA@example.org"
    fill(owner, password=PASSWORD)
    expect(owner.locator(".site-header")).to_contain_text("Ada")


def test_a_forgotten_password_is_reset_by_a_link_that_works_once(owner, tmp_path):
    owner.click("text=Sign out")
    owner.goto("/sign-in/")
    owner.click("text=Forgotten your password?")
    fill(owner, name_or_email="Ada")
    link = mailed_link(tmp_path, "ada@example.org", "/password/reset/")
    owner.goto(link)
    fill(owner, password="a brand new pass")
    expect(owner.locator("main")).to_contain_text("Your new password is set")
    fill(owner, name_or_email="Ada", password="a brand new pass")
    expect(owner.locator(".site-header")).to_contain_text("Ada")
    owner.goto(link)
    expect(owner.locator("main")).to_contain_text("This link no longer works")


def test_a_change_of_role_takes_access_at_once_and_ownership_is_handed_over(owner, browser, fresh_server, tmp_path):
    bo = join(browser, fresh_server, tmp_path, "Bo", "bo@example.org")
    assert bo.goto("/people/").status == 403
    owner.goto("/people/Bo/")
    owner.select_option("[name=role]", "ADMIN")
    owner.click("text=Change role")
    expect(owner.locator("main")).to_contain_text("Bo is now: Admin.")
    assert bo.goto("/people/").status == 200
    owner.select_option("[name=role]", "OBSERVER")
    owner.click("text=Change role")
    assert bo.goto("/people/").status == 403
    owner.select_option("[name=role]", "OWNER")
    owner.click("text=Change role")
    assert bo.goto("/mails/").status == 200
    assert owner.goto("/mails/").status == 403
    owner.goto("/me/")
    expect(owner.locator(".facts")).to_contain_text("Auditor")


def test_signing_out_everywhere(owner, browser, fresh_server):
    phone = new_page(browser, fresh_server)
    sign_in(phone, "Ada")
    owner.goto("/me/sessions/")
    expect(owner.locator("tbody tr")).to_have_count(2)
    owner.click("text=Sign out everywhere else")
    phone.goto("/me/")
    expect(phone.locator("main h1")).to_have_text("Sign in")
    sign_in(phone, "Ada")
    owner.goto("/me/sessions/")
    owner.click("main button.danger")
    phone.goto("/me/")
    expect(phone.locator("main h1")).to_have_text("Sign in")


def test_joining_and_signing_in_work_without_scripts(browser, fresh_server):
    page = new_page(browser, fresh_server, java_script_enabled=False)
    page.goto("/register/")
    fill(page, name="عائشة 🦊", email="aisha@example.org", password=PASSWORD)
    page.click("text=Sign out")
    sign_in(page, "عائشة 🦊")
    page.goto("/me/")
    expect(page.locator(".facts")).to_contain_text("عائشة 🦊")


def test_signing_in_by_keyboard_alone(visit):
    page = visit("/sign-in/")
    page.focus("main [name=name_or_email]")
    page.keyboard.type("Hypatia")
    page.keyboard.press("Tab")
    page.keyboard.type(DEMO_PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".site-header")).to_contain_text("Hypatia")


def test_what_was_typed_wrong_is_named_and_focused(visit):
    page = visit("/register/")
    page.fill("main [name=name]", "a@b")
    page.fill("main [name=email]", "ada@example.org")
    page.fill("main [name=password]", "short")
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.click("main form button.button")
    summary = page.locator(".error-summary")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("A name has no @")
    page.click(".error-summary a >> nth=0")
    expect(page.locator("main [name=name]")).to_be_focused()


STRANGERS = ("/register/", "/sign-in/", "/password/forgotten/", "/register/made-up/")
OWNERS = (
    "/me/",
    "/me/password/",
    "/me/email/",
    "/me/sessions/",
    "/me/leave/",
    "/people/",
    "/people/?q=nobody",
    "/people/Hypatia/",
    "/people/Hypatia/password/",
    "/people/Hypatia/remove/",
    "/invitations/",
    "/invitations/new/",
    "/mails/",
)


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_axe_finds_nothing_on_pages_about_people(visit, width, scheme):
    page = visit("/sign-in/", width=width, color_scheme=scheme)
    found = {}
    for path in STRANGERS:
        page.goto(path)
        found[path] = faults(page) + wide(page)
    sign_in(page, "Ada Lovelace", DEMO_PASSWORD)
    for path in OWNERS:
        page.goto(path)
        found[path] = faults(page) + wide(page)
    assert {path: each for path, each in found.items() if each} == {}


def wide(page: Page) -> list[str]:
    scrolls = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return ["scrolls sideways"] if scrolls else []
