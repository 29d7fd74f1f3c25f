"""The sandbox and its links in a browser: ballots travel in a part of the address that no server sees."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .test_access import faults, fits, in_turn, look

BALLOTS = "3: Zoë > Bo = 木\n2: Bo > Zoë\n"


def link_of(page: Page) -> str:
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#sandbox-link")).not_to_be_empty()
    return page.locator("#sandbox-link").inner_text()


def test_a_link_carries_ballots_and_settings_and_counts_nothing_by_itself(visit, server):
    page = visit("/sandbox/")
    page.get_by_label("Ballots", exact=True).fill(BALLOTS)
    page.get_by_label("Method").select_option("irv")
    page.get_by_label("Seed").fill("a & b")
    link = link_of(page)
    assert link.startswith(f"{server}/sandbox/#z.")

    other = visit(link)
    expect(other.locator("#from-link")).to_contain_text("Press “Count”")
    expect(other.get_by_label("Ballots", exact=True)).to_have_value(BALLOTS)
    expect(other.get_by_label("Method")).to_have_value("irv")
    expect(other.get_by_label("Seed")).to_have_value("a & b")
    expect(other.locator(".winners")).to_have_count(0)
    other.get_by_role("button", name="Count", exact=True).click()
    expect(other.locator(".winners")).to_have_text("Zoë")
    assert link_of(other) == link, "what was counted is what the link said"


def test_a_browser_that_cannot_deflate_makes_links_too(visit):
    page = visit("/sandbox/?example=cycle", before="delete window.CompressionStream")
    link = link_of(page)
    assert "/sandbox/#t." in link
    expect(visit(link).get_by_label("Ballots", exact=True)).to_have_value(
        page.get_by_label("Ballots", exact=True).input_value()
    )


DAMAGED = ("z.AAAA", "t._____", "z.q1bKSMzJyS8uUbJSMjQyNjE1M7ewNDC", "t.bnVsbA", "z.")


def test_a_damaged_link_is_said_to_be_one(visit, subtests):
    page = visit("/sandbox/#tables")
    with subtests.test("a fragment of the page is no link"):
        expect(page.locator("#from-link")).to_be_hidden()
    for fragment in DAMAGED:
        with subtests.test("a damaged link is said to be one", fragment=fragment):
            page.goto("/healthz")
            page.goto(f"/sandbox/#{fragment}")
            expect(page.locator("#from-link")).to_contain_text("damaged or incomplete")


def test_ballots_too_long_for_a_link_are_refused_in_words(visit):
    page = visit("/sandbox/")
    page.get_by_label("Ballots", exact=True).evaluate(
        """field => {
            const names = crypto.getRandomValues(new Uint32Array(6000));
            field.value = [...names].map((name) => `1: ${name.toString(36)} > B`).join("\\n");
        }"""
    )
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#no-link")).to_contain_text("too long for a link")
    expect(page.locator("#link-made")).to_be_hidden()


def test_it_counts_without_scripts(visit):
    page = visit("/sandbox/", java_script_enabled=False)
    page.get_by_role("link", name="The capital of Tennessee").click()
    page.get_by_role("button", name="Count", exact=True).click()
    expect(page.locator(".winners")).to_have_text("Nashville")
    expect(page.get_by_role("button", name="Make a link")).to_be_hidden()


def test_axe_finds_nothing_and_nothing_sticks_out(visit, subtests):
    page = visit("/sandbox/?example=capital")
    link_of(page)
    looks = [(360, "dark"), (1280, "light")]
    for state in ("not yet counted", "counted"):
        for width, scheme in looks:
            with subtests.test("axe finds nothing and nothing sticks out", state=state, width=width, scheme=scheme):
                look(page, width, scheme)
                assert fits(page)
                if (width, scheme) in in_turn(looks, state):
                    assert faults(page) == []
        page.get_by_role("button", name="Count", exact=True).click()
        expect(page.locator(".winners")).to_have_text("Nashville")


def test_ten_thousand_million_votes_fit_a_phone(visit):
    """As many as weights may add up to: no number covers another."""
    page = visit("/sandbox/", width=320)
    page.get_by_label("Ballots", exact=True).fill("4000000001: Zoë > Bo\n3999999999: Bo > Zoë\n2000000000: Li > Zoë\n")
    page.get_by_label("Method").select_option("irv")
    page.get_by_role("button", name="Count", exact=True).click()
    expect(page.locator(".margin-ends")).to_be_visible()
    assert fits(page)
    boxes = page.locator(".margin-ends .number").evaluate_all(BOXES)
    assert len(boxes) == 2
    (first, second) = boxes
    assert first["right"] <= second["left"] or first["bottom"] <= second["top"]


BOXES = """numbers => numbers.map(number => {
  const words = document.createRange();
  words.selectNodeContents(number);
  const {left, right, top, bottom} = words.getBoundingClientRect();
  return {left, right, top, bottom};
})"""
