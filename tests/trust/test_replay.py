"""Notices and served code in the log: replaying it makes what there is, and a change without an event is found."""

from __future__ import annotations

from functools import partial

from accounts.rules import Role
from acts.storage import table
from store import keys
from store.table import Update
from trust import notices, serving
from trust.notices import Subject
from upkeep import replay

check = partial(replay.check, report=replay.quietly)


def test_what_the_log_makes_of_it_is_what_there_is(site, person, static_files, monkeypatch):
    ada = person("Ada", Role.OWNER)
    notices.edit(ada, Subject.PRIVACY, 0, "We keep *nothing*.")
    notices.edit(ada, Subject.PRIVACY, 1, "")
    notices.edit(ada, Subject.IMPRINT, 0, "Us")
    serving.record_code()
    monkeypatch.setattr("pages.served_code.digests", lambda: {"js/other.1a.js": "sha384-x"})
    serving.record_code()
    assert check(site).count == 0
    for place in (keys.notice("imprint"), keys.SERVED_CODE):
        table().write(Update(place, set={"changed_at" if "NOTICES" in place.pk else "since": "2026"}))
    assert check(site).count == 2
