"""The second step of signing in, in a real browser: with a passkey of its own, and with an app but no scripts."""

from __future__ import annotations

import base64
import time
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from accounts.second_factor.authenticator_apps import code_at, step_at
from tests.people import PASSWORD

from .conftest import come_in
from .test_access import faults, fits, in_turn, look

PASSKEYS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def somebody(visit, server, newcomer):
    """A page of somebody who has just joined, as a given reader would see it, and their name."""

    def join(**reader: object) -> tuple[Page, str]:
        address = server.replace("127.0.0.1", "localhost")  # at a number browsers have no passkeys
        page = visit("about:blank", address=address, **reader)
        name = newcomer()
        come_in(page.request, name, PASSWORD)
        return page, name

    return join


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
    page.get_by_role("button", name="Create the passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()


def add_app(page: Page) -> tuple[bytes, int, list[str]]:
    """Answers the app's secret, the step whose code was used, and the recovery codes."""
    page.goto("/me/factors/app/")
    secret = base64.b32decode(page.locator("#key").inner_text().replace(" ", ""))
    step = step_at(time.time())
    page.get_by_label("Code from the app").fill(code_at(secret, step))
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Add the app").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    return secret, step, page.locator("#codes").inner_text().split()


def give_password(page: Page, name: str, wanted: str = "/me/factors/") -> None:
    """After all sessions were left behind."""
    page.context.clear_cookies()
    page.goto(wanted)
    page.get_by_label("Name or email address").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()


@pytest.mark.journey
def test_a_passkey_is_made_and_signs_in(somebody, subtests):
    page, name = somebody()
    can_keep_passkeys(page)
    add_passkey(page)
    with subtests.test("there are ten recovery codes with the first passkey, which was never used"):
        assert len(page.locator("#codes").inner_text().split()) == 10
        page.get_by_role("link", name="I have saved them").click()
        expect(page.get_by_role("cell", name="never")).to_be_visible()
    with subtests.test("a passkey signs in where one wanted to go, and the list knows that it was used"):
        give_password(page, name, "/me/sessions/")
        page.get_by_role("button", name="Use a passkey").click()
        page.wait_for_url("**/me/sessions/")
        page.goto("/me/factors/")
        expect(page.get_by_role("rowheader", name="My laptop")).to_be_visible()
        expect(page.get_by_role("cell", name="never")).to_have_count(0)


def test_a_second_passkey_of_a_device_is_refused_and_the_first_signs_in_by_keyboard_alone(somebody, subtests):
    page, name = somebody()
    can_keep_passkeys(page)
    add_passkey(page)
    with subtests.test("a device that holds one already is told so"):
        ask_for_passkey(page)
        button = page.get_by_role("button", name="Create the passkey")
        button.click()
        expect(page.get_by_role("alert").filter(has_text="already holds one of your passkeys")).to_be_visible()
        expect(button).to_be_enabled()
        assert faults(page) == []
    with subtests.test("a passkey signs in by keyboard alone"):
        give_password(page, name)
        button = page.get_by_role("button", name="Use a passkey")
        for _ in range(20):
            page.keyboard.press("Tab")
            if button.evaluate("button => button === document.activeElement"):
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/me/factors/")


def test_a_browser_without_passkeys_says_so(somebody):
    page, _ = somebody(before="delete window.PublicKeyCredential")
    ask_for_passkey(page)
    expect(page.get_by_text("This browser does not support passkeys here.")).to_be_visible()
    expect(page.get_by_role("button", name="Create the passkey")).to_be_hidden()


def test_without_scripts_one_signs_in_with_an_app_and_not_with_passkeys(somebody, subtests):
    page, name = somebody(java_script_enabled=False)
    with subtests.test("without scripts passkeys are not offered and a sentence says why"):
        ask_for_passkey(page)
        expect(page.get_by_text("Passkeys need JavaScript.")).to_be_visible()
        expect(page.get_by_role("button", name="Create the passkey")).to_be_hidden()
    secret, step, codes = add_app(page)
    with subtests.test("an app signs in without scripts"):
        give_password(page, name)
        page.get_by_label("Code").fill(code_at(secret, max(step + 1, step_at(time.time()))))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/me/factors/")
    with subtests.test("a recovery code signs in without scripts, once"):
        give_password(page, name)
        page.get_by_label("Code").fill(codes[0].lower())
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/me/factors/")
        expect(page.get_by_text("You have 9 recovery codes left.")).to_be_visible()


def test_axe_finds_nothing_and_nothing_sticks_out_of_a_phone(somebody, subtests):
    page, name = somebody(width=320)

    def judge() -> None:
        path = urlsplit(page.url).path
        for width, scheme in in_turn([(320, "light"), (320, "dark")], path):
            with subtests.test("axe finds nothing and nothing sticks out", path=path, scheme=scheme):
                look(page, width, scheme)
                assert faults(page) == []
                assert fits(page)

    can_keep_passkeys(page)
    add_passkey(page)
    judge()
    for path in ("/me/factors/", "/me/factors/app/", "/me/factors/codes/", "/me/factors/passkey/"):
        page.goto(path)
        judge()
    ask_for_passkey(page)
    judge()
    give_password(page, name)
    judge()


def test_the_picture_is_dark_on_light_in_every_look(somebody, subtests):
    page, _ = somebody()
    page.goto("/me/factors/app/")
    picture = page.get_by_role("img", name="QR code")
    for scheme in ("light", "dark"):
        with subtests.test("the picture is dark on light", scheme=scheme):
            look(page, 1280, scheme)
            expect(picture).to_be_visible()
            expect(picture.locator("path").first).to_have_css("fill", "rgb(255, 255, 255)")
            expect(picture.locator("path").last).to_have_css("stroke", "rgb(0, 0, 0)")
