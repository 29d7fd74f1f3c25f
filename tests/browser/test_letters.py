"""Letters on paper: one sheet each, the address in the window of an envelope, and the code never cut off."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as people
from elections import repository as elections
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.rules import MAX_QUESTIONS
from elections.voter_lists import MAX_NUMBER_CHARS, MAX_POSTAL_CHARS, MAX_POSTAL_LINES, Details
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.qr import qr_svg
from tests.background import finish_background
from tests.ballots.conftest import draft_asking

from .conftest import NUMBERS
from .test_elections import ORGANISER
from .test_results import PAGES

HEBREW, CHINESE = (
    "\u05e9\u05e8\u05d4 \u05d1\u05ea\u05be\u05d0\u05d1\u05e8\u05d4\u05dd",
    "\u6771\u4eac\u90fd\u6e2f\u533a",
)
LONGEST = "Mm" * (MAX_POSTAL_CHARS // 2)
MEMBERS = {
    "1@": Details("Ada Lovelace", postal=("52062 Aachen",)),
    "2@": Details("Nobody's Address"),
    "3@": Details("Karl", postal=("Institut", "c/o Schmidt", "Aufgang C", "Hauptstra\u00dfe 127", "52062 Aachen", "D")),
    "4@": Details(HEBREW, postal=(f"{HEBREW} 5", "61000", "ISRAEL"), language="de"),
    "\u4f1a5@": Details(CHINESE, postal=(CHINESE * 5, CHINESE * 3, "105-0011 TOKYO", "JAPAN")),
    "#" * MAX_NUMBER_CHARS + "@": Details("Ww" * (MAX_NAME_CHARS // 2), postal=(LONGEST,) * MAX_POSTAL_LINES),
}  # fmt: skip
WINDOW = {"left": 20, "top": 45, "right": 110, "bottom": 90}  # millimetres: DIN 5008 (form B), in an envelope DL
MEASURED = """sheets => sheets.map(sheet => {
  const from = sheet.getBoundingClientRect(), mm = 25.4 / 96;
  return Object.fromEntries(["address > *", ".sheet-sender", ".sheet-symbols", ".sheet-qr svg", ".sheet-text"].map(
    each => [each, [...sheet.querySelectorAll(each)].map(part => {
      const box = part.getBoundingClientRect();
      return {left: (box.left - from.left) * mm, top: (box.top - from.top) * mm,
              right: (box.right - from.left) * mm, bottom: (box.bottom - from.top) * mm};
    })]));
})"""


@pytest.fixture
def letters(settings, server, server_folder) -> str:
    """The page for printing letters of a ballot with as many questions, and as long names, as there can be."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    settings.SECRET_KEY = (server_folder / "secret_key").read_text()
    owner, name = people.find(ORGANISER), f"Spring assembly {next(NUMBERS)} " + "W" * 40
    titles = (f"Question {number} " + "Mm " * 40 for number in range(MAX_QUESTIONS))
    add_voters(owner, draft_asking(owner, name, *titles), list(MEMBERS), MEMBERS)
    open_(owner, elections.find(name))
    finish_background()
    return f"/election/{quote(name)}/letters/"


def print_all(page: Page) -> None:
    page.get_by_label("Sender").fill(
        "Verein der Freundinnen und Freunde des Schwimmens \u00b7 Hauptstra\u00dfe 127 b \u00b7 52062 Aachen"
    )
    page.get_by_role("button", name="Print the letters").click()
    expect(page.locator(".sheet")).to_have_count(len(MEMBERS))


@pytest.mark.parametrize("scripts", [True, False])
def test_each_letter_is_one_sheet_with_its_address_in_the_window(visit, letters, scripts):
    page = visit(f"{letters}?print", who=ORGANISER, java_script_enabled=scripts)
    print_all(page)
    assert [len(PAGES.findall(page.pdf(format=paper))) for paper in ("A4", "Letter")] == [len(MEMBERS)] * 2
    expect(page.get_by_role("button", name="Print", exact=True)).to_be_visible(visible=scripts)
    if scripts:
        look_at_the_sheets(page)


def look_at_the_sheets(page: Page) -> None:
    page.emulate_media(media="print")
    for sheet in page.locator(".sheet").evaluate_all(MEASURED):
        lines = [*sheet[".sheet-sender"], *sheet["address > *"]]
        for line in lines:
            assert WINDOW["left"] <= line["left"] < line["right"] <= WINDOW["right"]
            assert WINDOW["top"] - 0.5 <= line["top"] < line["bottom"] <= WINDOW["bottom"]
        assert all(above["bottom"] <= below["top"] + 0.1 for above, below in pairwise(lines))
        (text,), (symbols,), (qr,) = (sheet[each] for each in (".sheet-text", ".sheet-symbols", ".sheet-qr svg"))
        assert text["bottom"] < 290
        assert symbols["bottom"] < text["bottom"] - 30
        assert qr["bottom"] < text["bottom"] - 30
        assert qr["right"] - qr["left"] > 40


@pytest.mark.journey
def test_a_phone_opens_the_ballot_by_the_address_in_the_qr_code_or_by_typing(visit, server, letters):
    """Without scripts, too."""
    page = visit(f"{letters}?print", who=ORGANISER)
    print_all(page)
    codes = page.locator(".sheet-symbols").all_inner_texts()  # of member #######…, of member 1 and so on
    drawn = page.locator(".sheet-qr path:last-child").evaluate_all("all => all.map(each => each.getAttribute('d'))")
    for code, path in zip(codes, drawn, strict=True):
        assert f'd="{path}"' in qr_svg(f"{server}/code/{code}/")
    phone = visit(f"/code/{codes[0]}/", width=390, java_script_enabled=False)
    expect(phone.get_by_label("Code")).to_have_value(codes[0])
    phone.get_by_role("button", name="Go to the ballot").click()
    expect(phone.get_by_text("Voting as")).to_be_visible()
    phone.wait_for_load_state()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390, "the longest name, in the bar"
    phone = visit("/code", width=390, java_script_enabled=False)
    phone.get_by_label("Code").fill(codes[1].lower().replace("-", " "))
    phone.get_by_label("Code").press("Enter")
    expect(phone.get_by_text("Voting as Ada Lovelace (member 1)")).to_be_visible()
    assert phone.url.endswith("/ballot/")
