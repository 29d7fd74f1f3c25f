"""No form with a second button beside it loses what was typed: the browser asks before another form is sent."""

from __future__ import annotations

import re

from tests.access import site as sites
from tests.access.table import without_haste
from tests.fuzz.forms import forms_on

MAIN = re.compile(r"<main.*</main>", re.DOTALL)
POSTED = re.compile(r"<form\b[^>]*method=\"post\"[^>]*>.*?</form>", re.DOTALL)
ASKS = re.compile(r"<form\b[^>]*(data-unsaved=|data-sending=)")


def test_every_form_with_something_to_type_beside_another_asks_before_it_is_lost(site):
    """On every page of the table of routes: where two forms can be sent, each one that takes text asks first (page.js),
    stays on the page when another is sent, or warns on leaving as the news editor does."""
    with without_haste():
        built = sites.build()
        looks = [look for look in built.looks if look.form is None]
        pages = [(look, built.browsers[look.who].get(look.address, look.asked)) for look in looks]
    beside, lost = 0, []
    for look, answer in pages:
        if answer.status_code != 200 or "html" not in answer.headers.get("Content-Type", ""):
            continue
        forms = POSTED.findall("".join(MAIN.findall(answer.content.decode())))
        for form in forms if len(forms) > 1 else ():
            if any(field.is_free for field in forms_on(form)[0].fields):
                beside += 1
                lost += [] if ASKS.match(form) else [f"{look.page}: {form[:120]}"]
    assert beside >= 14, "the pages have such forms"
    assert lost == []
