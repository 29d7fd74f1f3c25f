"""What is asked of every page that a walk opens; each judge answers what is wrong, by page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

from foundation.pages import served_files
from tests.fuzz.forms import Form, forms_on

EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
MAIN = re.compile(r"<main.*</main>", re.DOTALL)
POSTED = re.compile(r"<form\b[^>]*method=\"post\"[^>]*>.*?</form>", re.DOTALL)
ASKS = re.compile(r"<form\b[^>]*(data-unsaved=|data-sending=)")


class Reader(HTMLParser):
    """Reads a whole page; what it looks for is in `found`."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(html)


# --- where its addresses lead ---


class Addresses(Reader):
    """Whatever looks like an address in any attribute."""

    def handle_starttag(self, tag, attributes):
        self.found += [value for _name, value in attributes if value and re.match(r"/(?!/)|https?://", value)]


# --- what it loads ---


class Loaded(HTMLParser):
    """Scripts and stylesheets of a page: addresses and digests; without an address if the page has them itself."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        is_data = tag == "script" and (values.get("type") or "").startswith("application/")
        if (tag == "script" and not is_data) or (tag == "link" and "stylesheet" in values.get("rel", "")):
            self.found.append((values.get("src") or values.get("href") or "", values.get("integrity", "")))
        if tag == "style" or any(name.startswith("on") for name in values):
            self.found.append(("", "a style or a handler of its own"))
        if later := values.get("data-program") or values.get("data-script"):
            self.found.append((later, values["data-integrity"]))


class ServedFiles(dict[str, str]):
    """The digest of what each address serves."""

    def __init__(self, fetch: Callable[[str], bytes]):
        super().__init__()
        self.fetch = fetch

    def __missing__(self, address: str) -> str:
        self[address] = served_files.digest_of(self.fetch(address))
        return self[address]


# --- one primary button ---

OTHER_LOOKS = {"quiet", "plain", "icon", "danger"}  # of buttons that do not compete for attention


class PrimaryButtons(Reader):
    """Those that can be seen: not in dialogs, nor in what is folded or hidden."""

    def __init__(self, html: str):
        self.hidden: list[bool] = []  # of each open element, whether it hides what is in it
        self.names: list[str] = []
        super().__init__(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        classes = set((values.get("class") or "").split())
        is_primary = "button" in classes and not classes & OTHER_LOOKS
        if is_primary and not any(self.hidden) and "hidden" not in values and "disabled" not in values:
            self.found.append("")
        if tag not in EMPTY:
            folded = tag == "details" and "open" not in values
            self.hidden.append(folded or tag in ("dialog", "template", "noscript") or "hidden" in values)
            self.names.append(tag)

    def handle_endtag(self, tag):
        while tag in self.names:
            self.hidden.pop()
            if self.names.pop() == tag:
                break

    def handle_data(self, data):
        if self.found and not self.found[-1].strip():
            self.found[-1] = data.strip()


# --- forms whose text a second button could lose ---


def forms_that_do_not_ask(main: str) -> list[str]:
    """Where two forms can be sent, each one that takes text asks first (page.js), stays on the page when another is
    sent, or warns on leaving as the news editor does."""
    forms = POSTED.findall(main)
    with_text = [form for form in forms if forms_on(form)[0].free] if len(forms) > 1 else []
    return [form[:120] for form in with_text if not ASKS.match(form)]


class _Unscripted(Reader):
    """Leaves out what is not shown without scripts."""

    def __init__(self, html: str):
        self.depth = 0  # within something left out
        super().__init__(html)

    def handle_starttag(self, tag, attributes):
        if self.depth or "data-needs-script" in dict(attributes):
            self.depth += tag not in EMPTY
        else:
            self.found.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag):
        if self.depth:
            self.depth -= tag not in EMPTY
        else:
            self.found.append(f"</{tag}>")

    def handle_data(self, data):
        self.found += [] if self.depth else [data]


def unscripted_forms(main: str) -> list[Form]:
    """Forms that can be sent without scripts."""
    return [form for form in forms_on("".join(_Unscripted(main).found)) if form.method == "post"]


def several_buttons(forms: list[Form]) -> Iterator[tuple[Form, dict[str, str]]]:
    """Each button of the forms with text that have several."""
    for form in forms:
        if form.free and len(form.buttons) > 1:
            yield from ((form, button) for button in form.buttons)
