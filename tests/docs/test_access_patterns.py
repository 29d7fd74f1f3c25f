"""The table of access patterns in docs/reference/access-patterns.md is what requests really ask of the store."""

from __future__ import annotations

import pytest

from foundation.store import keys
from foundation.store.table import Key
from tests.access import table
from tests.access.asking import in_words, listening, name_of, name_of_all
from tests.test_routes import ROUTES

OFTEN_OPENED = {"home", "dashboard", "history", "admin"}  # which wait for few round trips in a row
MOST_IN_A_ROW = {  # of what else people wait for
    "drive, its close": 4,
    "find_people, one skill": 7,
    "find_people, several skills": 7,
    "find_people, with years": 7,
    "history": 4,
    "log, of one election": 4,
    "sign_in, by address": 5,
    "sign_in, by name": 5,
    "sign_in, on a known device": 5,
    "skill_matrix": 4,
}


def test_the_table_is_what_requests_ask(site):
    rows = table.measured(site)
    in_a_row = {row.title: row.in_a_row for row in rows}
    assert {title: in_a_row[title] for title, most in MOST_IN_A_ROW.items() if in_a_row[title] > most} == {}
    shown = {name for name, (_whom, methods, _words) in ROUTES.items() if "GET" in methods}
    assert {row.page for row in rows if not row.is_act} == shown
    told, heard = table.in_document(table.DOCUMENT.read_text()).splitlines(), table.as_text(rows).splitlines()
    assert [row for row in heard if row not in told] == [], "make access-patterns writes the table anew"
    assert told == heard
    waiting = {row.title: row.in_a_row for row in rows if row.page in OFTEN_OPENED and not row.is_act}
    assert {page.partition(",")[0] for page in waiting} == OFTEN_OPENED
    assert {title: row for title, row in waiting.items() if row > table.MAX_USUAL_ROUND_TRIPS} == {}


def test_what_is_asked_is_told_by_kind(site):
    with listening(site) as ear:
        site.get(keys.election("Board"))
        site.get_many(iter([keys.gate("Board", 1), keys.gate("Board", 2), keys.lots("Board")]))
        list(site.each(keys.candidates("Board")))
        list(site.values(*keys.ballots("Board"), "rankings"))
        site.page(keys.users_by_email("ada@example.org"))
        site.count(*keys.voters("Board"))
        site.increment(keys.throttle("mark", 1), "tries")
    assert ear.take() == [
        "get election",
        "get gate + lot secret",
        "list candidate",
        "list ballot",
        "index person",
        "count voter",
        "add throttle",
    ]
    assert in_words(["list event", "list event", "get poll"]) == "2 × list event; get poll"


def test_every_key_and_every_span_has_a_kind():
    assert name_of(keys.result("Board")) == "result"
    assert name_of(keys.result_part("Board", 0)) == "result's text"
    assert name_of(keys.poll_gate("id", 3)) == "poll's gate"
    assert name_of(keys.event(1, "2026-01-01")) == "event"
    assert name_of_all(keys.events(7)) == "event"
    assert name_of_all(keys.run_by("Ada")) == "manager"
    assert name_of_all(keys.all_of_election("Board")) == "all of ELECTION"
    with pytest.raises(AssertionError, match="No type is declared"):
        name_of(Key("ELECTION#board", "MADE#UP"))
