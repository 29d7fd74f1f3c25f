"""The journey of somebody who checks: an auditor looks something up. What anybody may read is in test_dashboards."""

from __future__ import annotations

from playwright.sync_api import expect

from .test_access import faults
from .test_people import wide


def test_an_auditor_finds_an_event_and_its_proof(visit):
    page = visit(
        "/admin/log/?since=2026-02-02T10:00&until=2026-02-01T10:00", who="Grace Hopper", width=390, color_scheme="dark"
    )
    expect(page.locator(".error-summary")).to_contain_text("Choose an end after the start.")
    expect(page.locator("[name=since]")).to_have_value("2026-02-02T10:00")
    assert faults(page) + wide(page) == []
    page.goto("/admin/log/")
    page.fill("[name=election]", "colour of the front door")
    page.fill("[name=event_type]", "ElectionOpened")
    page.click("main form button.button")
    expect(page.locator("tbody tr")).to_have_count(1)
    assert faults(page) + wide(page) == []
    page.click("tbody tr th a")
    expect(page.locator(".badge")).to_have_text("ElectionOpened")
    expect(page.locator("main")).to_contain_text("the digest matches")
    assert faults(page) + wide(page) == []
    page.click("main >> text=/^at event/")
    expect(page.locator("main h1")).to_contain_text("The checkpoint at event")
