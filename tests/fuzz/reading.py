"""Pages as Chromium's parser understands them: what became markup that should be text, and which forms there are.

A document that is only parsed runs nothing and asks for nothing, so this takes milliseconds; what pages do when they
are open, `tests/fuzz/markup.py` sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson
from playwright.sync_api import Page

KINDS = {"text/html": "text/html", "image/svg+xml": "image/svg+xml", "application/atom+xml": "application/xml"}
KINDS |= {"application/xml": "application/xml", "text/xml": "application/xml"}
HTML_IN_JSON = ("html", "content_html")  # of live screens, and of feeds and embeds

# `wrong` gets every element and attribute that a text has made: its mark in a name, or its act as a value. `marks` gets
# the texts that can be read. What stands in a link is no proof that a text is shown.
WALK = r"""
const MARK = /zq\d+z/, ACT = /^[\s/]*xqa\d+aqx/, RUNS = /^\s*(javascript|vbscript|data):/i;
const LEADING = new Set(["href", "src", "action", "formaction", "xlink:href", "ping", "poster", "background"]);
const HIDDEN = new Set(["href", "src", "action", "content", "hx-get", "hx-post"]);
function walk(root, wrong, marks) {
  const config = root.querySelector("meta[name='htmx-config']");
  const left = config && JSON.parse(config.content).disableSelector;
  for (const element of root.querySelectorAll("*")) {
    if (MARK.test(element.localName) || element.localName === "parsererror") wrong.add(`<${element.localName}>`);
    for (const {name, value} of element.attributes) {
      const runs = name.startsWith("on") || (LEADING.has(name) && RUNS.test(value));
      if (MARK.test(name) || ACT.test(value) || runs)
        wrong.add(`<${element.localName} ${name}="${value.slice(0, 60)}">`);
      if (!HIDDEN.has(name)) for (const [mark] of value.matchAll(/zq\d+z/g)) marks.add(mark);
      if (name === "srcdoc") walk(new DOMParser().parseFromString(value, "text/html"), wrong, marks);
    }
    if (left && element.matches("[hx-get], [hx-post]") && element.closest(left))
      wrong.add(`<${element.localName}> is ours, and htmx would leave it alone`);
    if (element.localName === "template") walk(element.content, wrong, marks);
  }
  for (const [mark] of (root.textContent ?? root.documentElement.textContent).matchAll(/zq\d+z/g)) marks.add(mark);
}
"""
READ = (
    "(contents) => {"
    + WALK
    + r"""
  const fieldOf = (each) => ({
    name: each.name,
    kind: each.inputMode === "url" ? "url" : each.type,
    room: each.maxLength >= 0 ? each.maxLength : 100_000,
    values: each.options ? [...each.selectedOptions].map((option) => option.value) : [each.value],
    chosen: !["checkbox", "radio"].includes(each.type) || each.checked,
  });
  const formOf = (form) => ({
    action: form.getAttribute("action") ?? "",
    method: form.getAttribute("method") ?? "get",
    pressed: [...form.elements].find((each) => each.type === "submit")?.name ?? "",
    fields: [...form.elements].filter((each) => each.name).map(fieldOf),
  });
  return contents.map(([content, kind]) => {
    const page = new DOMParser().parseFromString(content, kind), wrong = new Set(), marks = new Set();
    walk(page, wrong, marks);
    return {wrong: [...wrong], marks: [...marks], forms: [...page.querySelectorAll("form")].map(formOf)};
  });
}"""
)


class Read(NamedTuple):
    wrong: list[str]
    marks: list[str]
    forms: list[dict[str, Any]]


def read(page: Page, *answers: Any) -> list[Read]:
    """What Chromium makes of each answer, whatever it is."""
    documents = [list(_documents(answer)) for answer in answers]
    found = iter([Read(**each) for each in page.evaluate(READ, [each for some in documents for each in some])])
    return [_together([next(found) for _each in some]) for some in documents]


def _together(parts: list[Read]) -> Read:
    wrong, marks, forms = ([each for part in parts for each in part[at]] for at in range(3))
    return Read(wrong, marks, forms)


def _documents(answer: Any) -> Iterator[tuple[str, str]]:
    """The answer itself, or the HTML that is in it, each with the kind that a parser is told."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    content = (answer.getvalue() if answer.streaming else answer.content).decode(errors="replace")
    if kind in KINDS:
        yield content, KINDS[kind]
    for html in _fragments(kind, content):
        yield html, "text/html"


def _fragments(kind: str, content: str) -> Iterator[str]:
    """HTML inside what is not HTML: in JSON, and in events that are pushed."""
    if kind == "text/event-stream":
        lines = [line.removeprefix("data: ") for line in content.splitlines() if line.startswith("data: ")]
        for line in lines:
            yield from _html_in(orjson.loads(line))
    elif kind.endswith("json"):
        yield from _html_in(orjson.loads(content))


def _html_in(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _html_in(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in HTML_IN_JSON and isinstance(each, str):
                yield each
            yield from _html_in(each)
