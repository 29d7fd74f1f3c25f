"""The command that moves the log, and the site while it is half moved."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.rules import Role
from acts.site import log
from store import keys
from store.log import Event, layout, moving
from store.table import LOG
from tests.test_interruptions import Interrupted, Killed


def said(*arguments: str) -> str:
    words = StringIO()
    call_command(*arguments, stdout=words, stderr=words)
    return words.getvalue()


@pytest.fixture
def told(site, person):
    """A site with a few events, sealed."""
    for name in ("Ada", "Bo", "Cy"):
        person(name)
    log().record(Event("ada", "SomethingElse"))
    said("seal")
    return site


def lying(site) -> set[str]:
    return {item["PK"] for name, item in site.everything() if name == LOG and keys.holds_events(item["PK"])}


def test_there_and_back_the_log_verifies_as_before(told):
    before = said("verify")
    assert "Events lie in 16 partitions now." in said("spread_log")
    assert all(pk.startswith("EVENTS#") for pk in lying(told))
    assert said("verify") == before
    assert said("spread_log") == "There is nothing to move: events lie in 16 partitions.\n"
    said("spread_log", "--partitions", "1")
    assert lying(told) == {"EVENTS"}
    assert said("verify") == before
    with pytest.raises(CommandError, match="1 to 64"):
        said("spread_log", "--partitions", "65")


def test_half_moved_nothing_is_served_and_the_command_goes_on(told, client):
    before = said("verify")
    with pytest.raises(Killed):
        moving.move(Interrupted(told, 2, "killed"), 4)
    layout.forget(told)
    for command in ("verify", "seal", "backup", "create_tables", "worker"):
        with pytest.raises(CommandError, match="spread_log"):
            said(command, *(["-"] if command == "backup" else []))
    answer = client.get(reverse("readyz"))
    assert (answer.status_code, answer.content.decode()) == (503, "The event log is being moved.\n")
    assert "goes on" in said("spread_log")
    assert layout.partitions_of(told) == 4
    assert said("verify") == before


def test_auditors_find_an_event_where_it_lies(told, person, signed_in):
    moving.move(told, 4)
    auditor = signed_in(person("Aki", Role.AUDITOR))
    event = log().find(2)
    place = keys.event(2, event["when_occurred"], 4)
    assert place.pk == "EVENTS#02"
    sheet = auditor.get("/admin/tables/events/?number=2").content.decode()
    assert "EVENTS%2302" in sheet
    item = auditor.get("/admin/tables/raw/item/", {"table": "log", "pk": place.pk, "sk": place.sk})
    assert item.status_code == 200
    whole = auditor.get("/admin/tables/raw/", {"table": "log", "pk": "EVENTS"}).content.decode()
    assert all(f"EVENTS%230{part}" in whole for part in range(4))
    found = auditor.get("/admin/tables/raw/", {"table": "log", "pk": "EVENTS", "prefix": keys.sequence(2)})
    assert place.sk in found.content.decode()
