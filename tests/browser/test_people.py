"""Journeys of people: joining, signing in by name and by email, forgetting, roles, handing over, leaving everywhere."""

from __future__ import annotations

import email
import re
import time
from collections.abc import Iterable
from email import policy
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.demo import PASSWORD as DEMO_PASSWORD
from tests.people import PASSWORD

from .conftest import TIMEOUT_SECONDS, come_in, sign_out
from .test_access import faults, fits, in_turn, look


def fill(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.fill(f"main [name={name}]", value)
    page.click("main form button.button")


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/sign-in/")
    fill(page, name_or_email=name, password=password)


def mailed_link(folder: Path, to: str, start: str) -> str:
    """The path of the newest link to somebody, out of the files that mail goes to in the local profile."""
    latest = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < latest:
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


def set_up(page: Page, folder: Path) -> None:
    """Become the owner of a new site, by the link that its server has printed."""
    (printed,) = re.findall(r"http://\S+/setup/\S+", (folder / "server.log").read_text())
    page.goto(printed)
    assert faults(page) == []
    fill(page, name="Ada", email="ada@example.org", password=PASSWORD)
    expect(page.locator("main")).to_contain_text("You are the owner of this site")


def join(page: Page, folder: Path, name: str, to: str) -> None:
    page.goto("/register/")
    fill(page, name=name, email=to, password=PASSWORD)
    expect(page.locator("main h1")).to_have_text("Check your inbox")
    page.goto(mailed_link(folder, to, "/register/"))
    expect(page.locator(".site-header")).to_contain_text(name)


@pytest.fixture
def somebody(visit, newcomer) -> tuple[Page, str]:
    """A page of somebody who has joined and signed in, and their name."""
    page, name = visit("/"), newcomer()
    come_in(page.request, name, PASSWORD)
    page.goto("/")
    expect(page.locator(".site-header")).to_contain_text(name)
    return page, name


NEW_PASSWORD = "a brand new pass"


def address_of(name: str) -> str:
    return f"{name.replace(' ', '.')}@example.org"


@pytest.mark.journey
def test_somebody_signs_in_by_name_and_email_and_forgets_their_password(somebody, server_folder, subtests):
    page, name = somebody
    sign_out(page)
    with subtests.test("one signs in by name, and by email once the password is right"):
        sign_in(page, name.lower())
        expect(page.locator(".site-header")).to_contain_text(name)
        sign_out(page)
        sign_in(page, address_of(name).upper(), "wrong")
        expect(page.locator(".error-summary")).to_contain_text("Wrong name or password")
        assert page.input_value("[name=name_or_email]") == address_of(name).upper()
        fill(page, password=PASSWORD)
        expect(page.locator(".site-header")).to_contain_text(name)
        sign_out(page)
    with subtests.test("a forgotten password is reset by a link that works once"):
        page.goto("/sign-in/")
        page.click("text=Forgotten your password?")
        fill(page, name_or_email=name)
        link = mailed_link(server_folder, address_of(name), "/password/reset/")
        page.goto(link)
        fill(page, password=NEW_PASSWORD)
        expect(page.locator("main")).to_contain_text("Your new password is set")
        fill(page, name_or_email=name, password=NEW_PASSWORD)
        expect(page.locator(".site-header")).to_contain_text(name)
        page.goto(link)
        expect(page.locator("main")).to_contain_text("This link no longer works")


def test_one_signs_out_everywhere_else_and_here(somebody, visit):
    (page, name), phone = somebody, visit("/sign-in/")
    sign_in(phone, name)
    expect(phone.locator(".site-header")).to_contain_text(name)
    page.goto("/me/sessions/")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.click("text=Sign out everywhere else")
    phone.goto("/me/")
    expect(phone.locator("main h1")).to_have_text("Sign in")
    sign_in(phone, name)
    expect(phone.locator(".site-header")).to_contain_text(name)
    page.goto("/me/sessions/")
    page.click("main button.danger")
    phone.goto("/me/")
    expect(phone.locator("main h1")).to_have_text("Sign in")


def test_joining_and_signing_in_work_without_scripts(visit, server_folder):
    page = visit("/register/", java_script_enabled=False)
    join(page, server_folder, "عائشة 🦊", "aisha@example.org")
    sign_out(page)
    sign_in(page, "عائشة 🦊")
    page.goto("/me/")
    expect(page.locator(".facts")).to_contain_text("عائشة 🦊")


def test_a_new_site_gets_its_owner_who_gives_roles_and_hands_it_over(visit, subtests, fresh_server, tmp_path):
    owner = visit("/", address=fresh_server)
    with subtests.test("a fresh site says that nothing has happened"):
        expect(owner.get_by_role("heading", name="Try the sandbox")).to_be_visible()
        expect(owner.locator(".shared-winner")).to_have_count(0)
        owner.goto("/checkpoints/")
        expect(owner.get_by_role("heading", name="Nothing has been sealed yet")).to_be_visible()
    with subtests.test("whoever visits first becomes nothing"):
        owner.goto("/register/")
        expect(owner.locator("main h1")).to_have_text("This site is not set up yet")
        expect(owner.locator("main form")).to_have_count(0)
    set_up(owner, tmp_path)

    bo = visit("/", address=fresh_server)
    join(bo, tmp_path, "Bo", "bo@example.org")
    with subtests.test("a change of role gives and takes access at once"):
        assert bo.goto("/people/").status == 403
        owner.goto("/people/Bo/")
        owner.select_option("[name=role]", "ADMIN")
        owner.click("text=Change role")
        expect(owner.locator("main")).to_contain_text("Bo now has the role “Admin”.")
        assert bo.goto("/people/").status == 200
        owner.select_option("[name=role]", "OBSERVER")
        owner.click("text=Change role")
        expect(owner.locator("main")).to_contain_text("Bo now has the role “Observer”.")
        assert bo.goto("/people/").status == 403
    with subtests.test("ownership is handed over"):
        owner.goto("/people/Bo/")
        owner.select_option("[name=role]", "OWNER")
        owner.click("text=Change role")
        expect(owner.locator("main")).to_contain_text("Bo now has the role “Owner”.")
        assert bo.goto("/mails/").status == 200
        assert owner.goto("/mails/").status == 403
        owner.goto("/me/")
        expect(owner.locator(".facts")).to_contain_text("Auditor")


@pytest.mark.journey
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
    expect(summary).to_contain_text("A name cannot contain @")
    page.click(".error-summary a >> nth=0")
    expect(page.locator("main [name=name]")).to_be_focused()


STRANGERS = ("/register/", "/sign-in/", "/password/forgotten/", "/register/made-up/", "/setup/made-up/")
OWNERS = (
    "/me/",
    "/me/password/",
    "/me/email/",
    "/me/sessions/",
    "/me/data/",
    "/me/leave/",
    "/people/",
    "/people/?q=nobody",
    "/people/Hypatia/",
    "/people/Emmy Noether/",
    "/people/Hypatia/password/",
    "/people/Hypatia/remove/",
    "/invitations/",
    "/invitations/new/",
    "/mails/",
)


def test_axe_finds_nothing_on_pages_about_people(visit, subtests):
    judge(visit("/"), subtests, STRANGERS)
    judge(visit("/", who="Ada Lovelace"), subtests, OWNERS)


def judge(page: Page, subtests: pytest.Subtests, paths: Iterable[str]) -> None:
    """On a phone and on a desk, in light and dark: nothing for axe to find, and nothing that sticks out."""
    looks = [(320, "light"), (1280, "dark")]
    for path in paths:
        page.goto(path)
        judged_in = in_turn(sorted(looks), path)
        looks.reverse()  # the look of the page before comes first
        for width, scheme in looks:
            with subtests.test("axe finds nothing and nothing sticks out", path=path, width=width, scheme=scheme):
                look(page, width, scheme)
                assert wide(page) == []
                if (width, scheme) in judged_in:
                    assert faults(page) == []


def wide(page: Page) -> list[str]:
    scrolls = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return ["scrolls sideways"] if scrolls else []


# --- what somebody can do ---

TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_a_profile_on_a_phone(somebody):
    """Found while one types, said how well, seen by others; and every page of it fits, and can be read by everybody."""
    page, name = somebody
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto("/me/skills/")
    page.get_by_role("link", name="Add a skill").click()
    page.locator("[name=q]").press_sequentially("gola")
    page.get_by_role("link", name="Go", exact=True).click()
    page.get_by_label("Advanced: handles hard cases").check()
    page.fill("[name=years]", "7")
    page.fill("[name=last_used]", "2026-10")
    page.get_by_label("I want to use it more").check()
    page.get_by_role("button", name="Add to my profile").click()
    expect(page.locator("main")).to_contain_text("Go is now in your profile.")
    page.get_by_role("button", name="Confirm Go").click()
    expect(page.locator("main")).to_contain_text("is confirmed")
    page.goto("/skill/go/")
    expect(page.get_by_role("link", name=name)).to_have_count(1)
    page.get_by_role("link", name="By level and experience").click()
    expect(page.locator("[name=skill]")).to_have_value("Go")
    page.get_by_text("More skills, level and experience").click()
    page.fill("[name=skill2]", "golang")
    page.select_option("[name=level]", "3")
    page.get_by_role("button", name="Find").first.click()
    expect(page.get_by_role("link", name=name)).to_have_count(1)
    found = page.url
    paths = ("/skills/", "/skill/go/", "/me/skills/", "/me/skill/go/", f"/profile/{name}/", "/help/skills/", found)
    for path in paths:
        page.goto(path)
        assert (path, faults(page), page.evaluate(TOO_WIDE)) == (path, [], False)
    endorse_somebody(page)
    page.goto("/me/skills/")
    page.get_by_label("Only me").check()
    page.get_by_role("button", name="Save").click()
    page.goto(f"/profile/{name}/")
    expect(page.locator("main")).to_contain_text("Visible to: Only me.")


def endorse_somebody(page) -> None:
    """A member of the demo, whom others have endorsed as well; and take it back."""
    page.goto("/profile/Hannah Weiss/")
    page.get_by_role("link", name="Endorse Chairing meetings").click()
    assert (faults(page), page.evaluate(TOO_WIDE)) == ([], False)
    page.get_by_label("We worked together").check()
    page.get_by_label("I saw the result").check()
    page.get_by_role("button", name="Endorse").click()
    expect(page.locator("main")).to_contain_text("You have endorsed Hannah Weiss.")
    for path in ("/profile/Hannah Weiss/", "/profile/Hannah Weiss/skill/chairing-meetings/", "/me/endorsements/"):
        page.goto(path)
        assert (path, faults(page), page.evaluate(TOO_WIDE)) == (path, [], False)
    page.get_by_role("button", name="Withdraw my endorsement of Hannah Weiss").click()
    expect(page.locator("main")).to_contain_text("is withdrawn")


def test_names_in_the_list_of_people_are_not_squeezed_by_addresses(visit):
    page = visit("/people/", who="Ada Lovelace", width=768, locale="de")
    lines = page.get_by_role("link", name="Ada Lovelace", exact=True).evaluate("each => each.getClientRects().length")
    assert lines == 1
    assert fits(page)
