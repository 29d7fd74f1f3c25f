"""The second step of signing in, in a real browser: with a passkey of its own, and with an app but no scripts."""

from __future__ import annotations

import base64
import time

import pytest
from playwright.sync_api import Page, expect

from accounts.authenticator_apps import code_at, step_at

from .test_access import WIDTH, faults

PASSWORD = "correct horse battery"
PASSKEYS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def address(fresh_server):
    """By name: at 127.0.0.1 browsers have no passkeys."""
    return fresh_server.replace("127.0.0.1", "localhost")


@pytest.fixture
def owner(visit, address):
    """A page on which the owner has just registered, as a given reader would see it."""

    def register(**reader: object) -> Page:
        page = visit("/register/", address=address, **reader)
        page.get_by_label("Name", exact=True).fill("Ada")
        page.get_by_label("Email address").fill("ada@example.org")
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_text("Welcome, Ada")).to_be_visible()
        return page

    return register


def can_keep_passkeys(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEYS})


def ask_for_passkey(page: Page) -> None:
    page.goto("/me/factors/passkey/")
    page.get_by_label("Name of the passkey").fill("My laptop")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Add a passkey")).to_be_visible()
    page.wait_for_url("**/new/")


def add_passkey(page: Page) -> None:
    ask_for_passkey(page)
    page.get_by_role("button", name="Make the passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()


def add_app(page: Page) -> tuple[bytes, int, list[str]]:
    """Answers the app's secret, the step whose code was used, and the recovery codes."""
    page.goto("/me/factors/app/")
    secret = base64.b32decode(page.locator("#key").inner_text().replace(" ", ""))
    step = step_at(time.time())
    page.get_by_label("Code that the app shows").fill(code_at(secret, step))
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Add the app").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    return secret, step, page.locator("#codes").inner_text().split()


def give_password(page: Page, wanted: str = "/me/factors/") -> None:
    """After all sessions were left behind."""
    page.context.clear_cookies()
    page.goto(wanted)
    page.get_by_label("Name or email address").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()


def test_a_passkey_is_made_and_signs_in_where_one_wanted_to_go(owner):
    page = owner()
    can_keep_passkeys(page)
    add_passkey(page)
    assert len(page.locator("#codes").inner_text().split()) == 10
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_role("cell", name="never")).to_be_visible()
    give_password(page, "/me/sessions/")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url("**/me/sessions/")
    page.goto("/me/factors/")
    expect(page.get_by_role("rowheader", name="My laptop")).to_be_visible()
    expect(page.get_by_role("cell", name="never")).to_have_count(0)


def test_a_passkey_signs_in_by_keyboard_alone(owner):
    page = owner()
    can_keep_passkeys(page)
    add_passkey(page)
    give_password(page)
    button = page.get_by_role("button", name="Use a passkey")
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/me/factors/")


def test_a_device_that_holds_one_already_is_told_so(owner):
    page = owner()
    can_keep_passkeys(page)
    add_passkey(page)
    ask_for_passkey(page)
    button = page.get_by_role("button", name="Make the passkey")
    button.click()
    expect(page.get_by_role("alert").filter(has_text="already holds one of your passkeys")).to_be_visible()
    expect(button).to_be_enabled()
    assert faults(page) == []


def test_a_browser_without_passkeys_says_so(owner):
    page = owner(before="delete window.PublicKeyCredential")
    ask_for_passkey(page)
    expect(page.get_by_text("This browser has no passkeys here.")).to_be_visible()
    expect(page.get_by_role("button", name="Make the passkey")).to_be_hidden()


def test_an_app_and_a_recovery_code_sign_in_without_scripts(owner):
    page = owner(java_script_enabled=False)
    secret, step, codes = add_app(page)
    give_password(page)
    page.get_by_label("Code").fill(code_at(secret, max(step + 1, step_at(time.time()))))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/me/factors/")
    give_password(page)
    page.get_by_label("Code").fill(codes[0].lower())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/me/factors/")
    expect(page.get_by_text("You have 9 recovery codes left.")).to_be_visible()


def test_without_scripts_passkeys_are_not_offered_and_a_sentence_says_why(owner):
    page = owner(java_script_enabled=False)
    ask_for_passkey(page)
    expect(page.get_by_text("Passkeys need a browser that runs scripts.")).to_be_visible()
    expect(page.get_by_role("button", name="Make the passkey")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_sticks_out_of_a_phone(owner, scheme):
    page = owner(width=320, color_scheme=scheme)
    can_keep_passkeys(page)
    add_passkey(page)
    seen = [(page.url, faults(page), page.evaluate(WIDTH))]
    for path in ("/me/factors/", "/me/factors/app/", "/me/factors/codes/", "/me/factors/passkey/"):
        page.goto(path)
        seen.append((path, faults(page), page.evaluate(WIDTH)))
    ask_for_passkey(page)
    seen.append((page.url, faults(page), page.evaluate(WIDTH)))
    give_password(page)
    seen.append((page.url, faults(page), page.evaluate(WIDTH)))
    assert [(path, found) for path, found, _ in seen if found] == []
    assert [path for path, _, (needed, there) in seen if needed > there] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_is_dark_on_light_in_every_look(owner, scheme):
    page = owner(color_scheme=scheme)
    page.goto("/me/factors/app/")
    picture = page.get_by_role("img", name="QR code")
    expect(picture).to_be_visible()
    expect(picture.locator("path").first).to_have_css("fill", "rgb(255, 255, 255)")
    expect(picture.locator("path").last).to_have_css("stroke", "rgb(0, 0, 0)")
