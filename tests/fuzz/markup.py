"""Every page open in Chromium for every role, on a site on which every text and every field is markup.

`make fuzz` runs it; the ordinary suite reads the same pages without opening them (tests/browser/test_markup.py).
"""

from __future__ import annotations

from django.test import Client
from playwright.sync_api import Browser

from tests.access.site import Look

from .browsing import Window, window
from .sweep import Sweep, every_role, swept


def test_no_page_has_or_asks_for_anything_that_we_did_not_make(site, static_files, browser: Browser, capsys):
    page = browser.new_page()
    with swept(page) as sweep, window(browser) as opened:
        sweep.look()
        sweep.act()
        sweep.ask()
        sweep.fill()
        wrong = _open_all(sweep, opened)
        sweep.read_mails()
        with capsys.disabled():
            print(f"\n{opened.pages} pages opened, {len(sweep.forms)} forms met, {len(sweep.marks)} texts read.")
        assert sweep.wrong + wrong == []


def _open_all(sweep: Sweep, opened: Window) -> list[str]:
    found = []
    for who, client in every_role(sweep.site).items():
        for look in sweep.looks:
            if look.form is None and _is_page(client, look):
                found += [f"{look.page} for {who}: {each}" for each in opened.open(client, look.address, look.asked)]
    return found


def _is_page(client: Client, look: Look) -> bool:
    """Whether they may see it: what refuses is the same page everywhere."""
    answer = client.get(look.address, look.asked)
    return answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")
