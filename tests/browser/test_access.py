"""Pages everybody can read and use: judged by axe, at every width, in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page

PAGES = ("/", "/style/", "/nowhere")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AXE = Axe().axe_script
# Most of what axe asks is about what a page is made of, and is answered when the same of it is seen in another look.
# These are asked again; by its look axe guesses, too, what a table is.
BY_LOOK = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]
BY_LOOK += ["th-has-data-cells", "td-headers-attr", "empty-table-header"]
JUDGE = """async ([within, rules, byLook, many, framed]) => {
  const place = within ?? (framed ? {exclude: [[".site-header"], [".site-footer"]]} : document);
  const judge = (options, where = place) => axe.run(where, {resultTypes: ["violations"], ...options});
  const seen = within ? "" : seenBeside(framed ? ".site-header *, .site-footer *" : ":not(*)");
  const asked = {runOnly: pleased.has(seen) ? {type: "rule", values: byLook} : rules};
  const hidden = alike(document).map(element => [element, element.style.display]);
  const separately = hidden.length > many;
  const {violations: found} = await judge({...asked, rules: {"color-contrast": {enabled: !separately}}});
  if (separately) {
    for (const [element] of hidden) element.style.display = "none";
    found.push(...(await judge({runOnly: {type: "rule", values: ["color-contrast"]}})).violations);
    for (const [element, display] of hidden) element.style.display = display;
  }
  if (framed) {
    const between = {runOnly: {type: "rule", values: ["accesskeys", "landmark-unique"]}};
    found.push(...(await judge(between, document)).violations);
  }
  if (seen && !found.length) pleased.add(seen);
  return found.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 160)}`));
}"""
# What a page is made of, and what of it can be seen.
SEEN = """
window.pleased = new Set();
window.seenBeside = leftOut => document.documentElement.outerHTML + [...document.querySelectorAll("*")]
  .filter(element => !element.matches(leftOut)).map(element => {
    const {clip, clipPath} = getComputedStyle(element);
    return element.checkVisibility({visibilityProperty: true, opacityProperty: true}) ? clip + clipPath : "hidden";
  });
"""
# Contrast takes most of axe's time. Of very many neighbours that are made alike, in all that could give them a colour,
# the first three and the last are judged: rows of a table, cells of a row, items of a list. And what a colour's name
# means is worked out once for all the text that has it.
MANY = 60
CONTRAST = """
const made = element => [element.tagName, ...[...element.attributes].map(({name, value}) =>
    /^(id|href|name|value|data-label|aria-label(ledby)?|datetime|title|d|x|y|x1|y1|x2|y2|cx|cy|points|transform|for)$/
      .test(name) ? name : `${name}=${value}`),
  ...[...element.children].map(made)].join(" ");
window.alike = root => [...root.querySelectorAll("tbody, tr, ul, ol, svg, g")].flatMap(parent => {
  const groups = new Map();
  for (const child of parent.children) {
    const kind = made(child);
    groups.set(kind, [...(groups.get(kind) ?? []), child]);
  }
  return [...groups.values()].flatMap(group => group.slice(3, -1));
});
const {Color} = axe.commons.color, {parseString} = Color.prototype, known = new Map();
Color.prototype.parseString = function (text) {
  if (!known.has(text)) known.set(text, parseString.call(new Color(), text));
  const {r, g, b, alpha} = known.get(text);
  return Object.assign(this, {r, g, b, alpha});
};
"""


AT_REST = """() => Promise.allSettled(document.getAnimations()
  .filter(animation => animation.effect.getComputedTiming().iterations !== Infinity)
  .map(animation => (animation.finish(), animation.finished)))"""
# Most pages stand in the same frame. One that pleased axe, to the letter, in the same look, is not judged on every page
# in it; only what compares it with the rest of the page is.
FRAME = """() => {
  const parts = [...document.querySelectorAll(".site-header, .site-footer")];
  if (!parts.length) return "";
  const around = [document.documentElement, document.body];
  const written = [...around.map(part => part.cloneNode()), ...parts.map(part => part.cloneNode(true))];
  for (const token of written.flatMap(part => [...part.querySelectorAll("input[type=hidden]")])) token.remove();
  const colours = element => {
    const style = getComputedStyle(element);
    return ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "textShadow",
      "fontSize", "fontWeight", "display", "visibility", "clip", "clipPath", "overflow", "textDecoration",
      "borderBottom", "position", "zIndex", "pointerEvents"].map(name => style[name]);
  };
  const placed = part => [part, ...part.querySelectorAll("*")].map(element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return width || height ? [x, y - part.getBoundingClientRect().y, width, height].map(Math.round) : "nowhere";
  });
  const all = [...around, ...parts.flatMap(part => [part, ...part.querySelectorAll("*")])];
  const looks = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"];
  const open = document.querySelectorAll(":popover-open, details[open], dialog[open]").length;
  return JSON.stringify([innerWidth, innerHeight, open, ...looks.map(look => matchMedia(look).matches),
    all.map(colours), parts.map(placed), written.map(({outerHTML}) => outerHTML)]);
}"""
PLEASED: set[str] = set()


def faults(page: Page | Frame, within: str | None = None) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE};{{{SEEN}{CONTRAST}}} undefined")
    frame = "" if within else page.evaluate(f"({AT_REST})().then({FRAME})")
    found = page.evaluate(JUDGE, [within, RULES, BY_LOOK, MANY, frame in PLEASED])
    if frame and not found:
        PLEASED.add(frame)
    return found


def look(page: Page, width: int, scheme: str = "light") -> None:
    """See the same page on another screen, in another look, when its colours have come to rest."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.evaluate(AT_REST)


LOOKS = [(width, scheme) for width in (320, 1280) for scheme in ("light", "dark")]


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(visit, subtests, path):
    page = visit(path)
    for width, scheme in LOOKS:
        with subtests.test("axe finds nothing", width=width, scheme=scheme):
            look(page, width, scheme)
            assert faults(page) == []


def test_axe_finds_nothing_with_more_contrast_wanted(visit):
    page = visit("/style/", contrast="more")
    assert page.evaluate("matchMedia('(prefers-contrast: more)').matches")
    assert faults(page) == []


OPENERS = {".nav-opener": ".site-nav", "#sample-menu > summary": "#sample-menu", "a[data-opens]": "dialog[open]"}


def test_axe_finds_nothing_in_what_opens(visit, subtests):
    page = visit("/style/", width=375)
    for opener, part in OPENERS.items():
        page.click(opener)
        for scheme in ("light", "dark"):
            with subtests.test("axe finds nothing in what opens", opener=opener, scheme=scheme):
                look(page, 375, scheme)
                assert faults(page, part) == []
        page.keyboard.press("Escape")


def test_axe_notices_a_fault(visit):
    page = visit("/")
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")
    page.evaluate("document.querySelector('h1').style.color = 'silver'")
    assert {"button-name", "color-contrast"} <= kinds_of(faults(page))


SECOND_NAVIGATION = """() => {
  const second = document.querySelector("main").appendChild(document.querySelector(".site-nav").cloneNode(true));
  for (const name of ["id", "popover"]) second.removeAttribute(name);
}"""


STYLED = """rules => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}"""


def test_axe_notices_a_fault_in_the_frame_and_between_it_and_the_page(visit):
    """Also if it has seen the frame before."""
    page = visit("/")
    assert faults(page) == faults(page) == []
    page.evaluate("document.querySelector('h1').remove()")
    page.evaluate("document.title = ''")
    page.evaluate(SECOND_NAVIGATION)
    assert {"document-title", "page-has-heading-one", "landmark-unique"} <= kinds_of(faults(page))
    page.evaluate(STYLED, ".site-footer a { color: silver !important }")
    assert "color-contrast" in kinds_of(faults(page))


ONLY_THERE = """
  @media (prefers-color-scheme: dark) { h1 { color: #333 !important } }
  @media (width > 400px) { h1 + button { display: none !important } }
"""


def test_axe_notices_what_only_another_look_shows(visit):
    page = visit("/nowhere")
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")
    page.evaluate(STYLED, ONLY_THERE)
    for width, scheme, expected in (
        (1280, "light", set()),
        (1280, "dark", {"color-contrast"}),
        (320, "light", {"button-name"}),
        (1280, "light", set()),
    ):
        look(page, width, scheme)
        assert kinds_of(faults(page)) == expected


def kinds_of(faults: list[str]) -> set[str]:
    return {fault.partition(":")[0] for fault in faults}


# --- nothing sticks out ---

WIDTH = "[document.documentElement.scrollWidth, innerWidth]"
TURN = "direction => document.documentElement.dir = direction"
ENLARGE = "document.documentElement.style.fontSize = '200%'"
SET_WIDER_APART = """for (const element of document.querySelectorAll("body *")) {
  Object.assign(element.style, {lineHeight: 1.5, letterSpacing: "0.12em", wordSpacing: "0.16em"});
}"""


def fits(page: Page) -> bool:
    needed, there = page.evaluate(WIDTH)
    return needed <= there


@pytest.mark.parametrize("path", PAGES)
def test_nothing_sticks_out(visit, subtests, path):
    page = visit(path, width=320)
    for direction in ("rtl", "ltr"):
        with subtests.test("nothing sticks out of a page of 320 pixels", direction=direction):
            page.evaluate(TURN, direction)
            assert fits(page)
    with subtests.test("words and lines set wider apart fit"):
        page.evaluate(SET_WIDER_APART)
        assert fits(page)
    with subtests.test("text of twice the size fits"):
        page.reload()
        look(page, 1024)
        page.evaluate(ENLARGE)
        assert fits(page)


def test_longer_german_words_fit_too(visit, subtests):
    page = visit(PAGES[0], width=320, locale="de-DE")
    for path in PAGES:
        with subtests.test("longer German words fit too", path=path):
            page.goto(path)
            assert page.evaluate("document.documentElement.lang") == "de"
            assert fits(page)


def test_tables_fit_a_phone(visit, subtests):
    page = visit("/style/", width=320)
    with subtests.test("a table too wide scrolls in its own box"):
        box = page.locator(".table-box.scrolls")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    with subtests.test("a stacked table shows what each value is"):
        cell = page.locator(".stacks td[data-label='Ballots']").first
        assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Ballots"'
        assert page.locator(".table-box:has(.stacks)").evaluate("box => box.scrollWidth <= box.clientWidth")


# --- large enough to touch ---

TARGETS = """selector => [...document.querySelectorAll(selector)]
  .filter(element => element.checkVisibility({visibilityProperty: true}) && !element.closest(".skip, .out-of-sight"))
  .filter(element => getComputedStyle(element).display !== "inline")
  .map(element => ({what: element.outerHTML.slice(0, 120), box: element.getBoundingClientRect().toJSON()}))"""


def smaller_than(page: Page, selector: str, pixels: float) -> list[str]:
    targets = page.evaluate(TARGETS, selector)
    assert targets
    return [target["what"] for target in targets if min(target["box"]["width"], target["box"]["height"]) < pixels - 0.5]


@pytest.mark.parametrize("path", PAGES)
def test_everything_to_press_is_large_enough(visit, subtests, path):
    page = visit(path)
    for width in (320, 1280):
        with subtests.test("everything to press is large enough", width=width):
            look(page, width)
            assert smaller_than(page, "a[href], button, input:not([type=hidden]), select, textarea, summary", 24) == []
            assert smaller_than(page, ".wordmark, .site-nav a, .button:not(.small), .choices label, .tabs a", 44) == []
