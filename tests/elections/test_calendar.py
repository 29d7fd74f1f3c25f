"""Calendars, of which earlier versions gave people an address."""

from __future__ import annotations

from accounts import services as accounts
from foundation.store.table import Put


def test_the_address_of_a_calendar_that_an_earlier_version_made_leaves_with_the_person(site, person):
    otto = person("Otto")
    site.write(Put({"PK": "CALENDAR#e50c63bf83cceb47a3e5", "SK": "METADATA", "name": "Otto"}))
    accounts.remove_self(otto)
    assert not [item for _name, item in site.everything() if item["PK"].startswith("CALENDAR#")]
