"""At most one primary button on every page: the one thing that most people came to do."""

from __future__ import annotations

from html.parser import HTMLParser
from unittest.mock import patch

from django.test import override_settings

from polls import voters
from tests.access.site import PRESENTED, build

OTHER_LOOKS = {"quiet", "plain", "icon", "danger"}  # of buttons that do not compete for attention
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LEFT_OUT = {"style"}  # which shows every button on purpose


class Buttons(HTMLParser):
    """The primary buttons of a page that can be seen: not in dialogs, nor in what is folded or hidden."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[str] = []
        self.hidden: list[bool] = []  # of each open element, whether it hides what is in it
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        classes = set((values.get("class") or "").split())
        is_primary = "button" in classes and not classes & OTHER_LOOKS
        if is_primary and not any(self.hidden) and "hidden" not in values and "disabled" not in values:
            self.found.append("")
        if tag not in VOID:
            folded = tag == "details" and "open" not in values
            self.hidden.append(folded or tag in ("dialog", "template", "noscript") or "hidden" in values)
            self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.names and self.names:
            self.hidden.pop()
            if self.names.pop() == tag:
                break

    def handle_data(self, data: str) -> None:
        if self.found and not self.found[-1].strip():
            self.found[-1] = data.strip()


def test_no_page_has_two_primary_buttons(site):
    with override_settings(**PRESENTED), patch.object(voters, "MIN_VOTING_SECONDS", 0):
        built = build()
        many: list[str] = []
        for look in built.looks:
            answer = built.browsers[look.who].get(look.address, look.asked)
            if look.page not in LEFT_OUT and "html" in answer.get("Content-Type", "") and not answer.streaming:
                buttons = Buttons(answer.content.decode()).found
                many += [f"{look.page} of {look.of or look.who}: {buttons}"] if len(buttons) > 1 else []
    assert not many, "\n".join(many)
