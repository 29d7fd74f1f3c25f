"""Pages everybody can read and use: judged by axe, at every width, in light and dark, in turn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from weakref import WeakSet
from zlib import crc32

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Frame, Page

PAGES = ("/", "/style/", "/nowhere")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AXE = Axe().axe_script
# Most of what axe asks is about what a page is made of, and is answered when the same of it is seen in another look.
# These are asked again; by its look axe guesses, too, what a table is.
BY_LOOK = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]
BY_LOOK += ["th-has-data-cells", "td-headers-attr", "empty-table-header"]
JUDGE = """async ([within, rules, byLook, framed]) => {
  const place = within ?? (framed ? {exclude: [[".site-header"], [".site-footer"]]} : document);
  const judge = (options, where = place) => axe.run(where, {resultTypes: ["violations"], ...options});
  const seen = within ? "" : seenBeside(framed ? ".site-header *, .site-footer *" : ":not(*)");
  const asked = {runOnly: pleased.has(seen) ? {type: "rule", values: byLook} : rules};
  lookAround();
  const {violations: found} = await judge(asked);
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
# Contrast takes most of axe's time. Text that is written like other text which was easy enough to read, and stands on
# the same grounds, is as easy to read: only what has passed is remembered, by all that its contrast depends on. And
# what a colour's name means is worked out once for all the text that has it.
CONTRAST = """
const passed = new Set(), graphics = "img, svg, canvas, video, iframe, object, embed, progress, meter";
let grounds = [];
const groundOf = element => {
  const style = getComputedStyle(element);
  const its = ["backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode"].map(name => style[name]);
  if (its.join() === "rgba(0, 0, 0, 0),none,1,none,normal" && !element.matches(graphics)) return [];
  const how = [element.localName, ...its, style.position, style.zIndex].join();
  return [{element, how, boxes: [...element.getClientRects()], all: element === document.documentElement}];
};
window.lookAround = () => { grounds = [...document.querySelectorAll("*")].flatMap(groundOf); };
const covers = (x, y) => box => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
const writtenIn = element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...element.getClientRects(), ...range.getClientRects()];
};
const contrastOf = element => {
  const style = getComputedStyle(element);
  const written = ["color", "fontSize", "fontWeight", "textShadow", "webkitTextStroke"].map(name => style[name]);
  const behind = new Set(writtenIn(element).map(({x, y, width, height}) => {
    const here = covers(x + width / 2, y + height / 2);
    return grounds.filter(({all, boxes}) => all || boxes.some(here))
      .map(ground => [ground.how, ground.element.contains(element)].join()).join(";");
  }));
  return JSON.stringify([element.localName, written, [...behind]]);
};
const contrast = axe._audit.checks["color-contrast"], {evaluate} = contrast;
contrast.evaluate = function (element, options, virtual, ...more) {
  if (!axe.commons.dom.isVisibleOnScreen(virtual)) return evaluate.call(this, element, options, virtual, ...more);
  const kind = contrastOf(element);
  if (passed.has(kind)) return true;
  const verdict = evaluate.call(this, element, options, virtual, ...more);
  if (verdict) passed.add(kind);
  return verdict;
};
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
        bring_axe(page)
    frame = "" if within else page.evaluate(f"({AT_REST})().then({FRAME})")
    found = page.evaluate(JUDGE, [within, RULES, BY_LOOK, frame in PLEASED])
    if frame and not found:
        PLEASED.add(frame)
    return found


PROGRAM = f"{AXE};{{{SEEN}{CONTRAST}}} undefined"
KEPT: WeakSet[Page] = WeakSet()


def bring_axe(page: Page | Frame) -> None:
    """Half a million letters take longer to send than to run, so that Chromium keeps them for all that is opened in the
    page. Where scripts are off it runs nothing by itself, and they are sent."""
    if isinstance(page, Page) and page not in KEPT:
        KEPT.add(page)
        session = BrowserContext.new_cdp_session(page.context, page)  # which outlasts the test, as the page does
        session.send("Page.enable")
        kept = {"source": f"window.bringAxe = () => {{{PROGRAM}}}", "runImmediately": True}
        session.send("Page.addScriptToEvaluateOnNewDocument", kept)
    if not page.evaluate("'bringAxe' in window && (bringAxe(), true)"):
        page.evaluate(PROGRAM)


IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"


def look(page: Page, width: int, scheme: str = "light") -> None:
    """See the same page on another screen, in another look, when its colours have come to rest."""
    size = {"width": width, "height": 800}
    if page.viewport_size != size:
        page.set_viewport_size(size)
    if page.evaluate(IS_DARK) != (scheme == "dark"):
        page.emulate_media(color_scheme=scheme)
    page.evaluate(AT_REST)


Look = tuple[int, str]  # a width and a scheme


def in_turn(looks: Sequence[Look], name: str) -> Sequence[Look]:
    """Those looks of a page that axe judges: one, each page another, as contrast takes long; in `make fuzz` all."""
    return looks if os.environ.get("EVERY_LOOK") else [looks[crc32(name.encode()) % len(looks)]]


LOOKS = [(width, scheme) for width in (320, 1280) for scheme in ("light", "dark")]


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(visit, subtests, path):
    page = visit(path)
    for width, scheme in in_turn(LOOKS, path):
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
        for width, scheme in in_turn([(375, "light"), (375, "dark")], opener):
            with subtests.test("axe finds nothing in what opens", opener=opener, scheme=scheme):
                look(page, width, scheme)
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


MANY_ALIKE = """() => {
  const lines = Array.from({length: 60}, (_, at) => `<p${at === 30 ? ' class="one"' : ""}>Candidate ${at}</p>`);
  document.querySelector("h1").insertAdjacentHTML("afterend", `<div class="many"><div></div>${lines.join("")}</div>`);
}"""
MADE_ALIKE = ".many { position: relative } .many p { position: relative; z-index: 1 } .many div { position: absolute }"
ONE_DIFFERS_IN = {
    "colour": ".one { color: silver }",
    "size": ".many p { color: #8a8a8a; font-size: 25px } .many .one { font-size: 14px }",
    "being faded": ".one { opacity: 0.4 }",
    "its ground": ".one { background: #444 }",
    "what was laid behind it": ".many div { inset: 50% 0 45% 0; background: #444 }",
}


def test_axe_notices_the_one_that_is_hard_to_read_among_many_alike(visit, subtests):
    page = visit("/nowhere")
    page.evaluate(MANY_ALIKE)
    page.evaluate(STYLED, MADE_ALIKE)
    assert faults(page) == []
    for what, rules in ONE_DIFFERS_IN.items():
        with subtests.test("axe notices the one that is hard to read", what=what):
            page.evaluate(STYLED, rules)
            found = faults(page)
            assert kinds_of(found) == {"color-contrast"}
            assert '<p class="one">' in " ".join(found)
            assert len(found) < 10, "only the one, and whatever else is on the same ground"
            page.evaluate("document.adoptedStyleSheets.pop()")


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


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_is_one_line_whatever_the_site_is_called(visit, language):
    page = visit("/elections/", who="Ada Lovelace", locale=language)
    for name in ("Plenum", "Gemeinnütziger Verein der Freunde e. V. Süd"):
        page.evaluate("name => (document.querySelector('.wordmark span').textContent = name)", name)
        for width in (320, 390, 768, 993, 1024, 1280):
            look(page, width)
            tops = (
                "all => all.map(each => each.getBoundingClientRect()).filter(each => each.width).map(each => each.top)"
            )
            parts = page.locator(".site-nav a, .account > a, .account > button, .nav-opener").evaluate_all(tops)
            assert parts, (name, width)
            assert max(parts) - min(parts) < 20, (name, width)
            assert fits(page), (name, width)
