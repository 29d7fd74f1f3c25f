"""A type that is declared once is known everywhere: what docs/how-to/add-an-item-type.md shows, really done."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator

import pytest

from accounts.models import User
from accounts.personal_data import export_personal_data
from accounts.rules import Role
from foundation.acts.storage import log, table
from foundation.store import keys
from foundation.store.keys.declared import index, key
from foundation.store.log import Event
from foundation.store.schema import EventType, Export, ItemType, Sheet
from foundation.store.table import DATA, LOG, Item, Put, Update
from operations.audit.tables import masks, relations
from operations.audit.tables.masks import HIDDEN
from operations.audit.tables.relations import TableQuery
from operations.upkeep import erasure
from operations.upkeep.erasure import Alias
from tests.docs.types_table import event_row, item_row
from tests.schema import with_types

reading_tip = key("TIP", "TIP#{tip}", keys.METADATA, keys.escape, about="A book that somebody recommends.")
tips_of = index("TIPS#{reader}", "{tip}", keys.part)


def tip(tip_id: str, reader: str, title: str) -> Item:
    place = reading_tip(tip_id)
    index = {"GSI1PK": tips_of(reader).pk, "GSI1SK": place.pk}
    return {"PK": place.pk, "SK": place.sk, **index, "id": tip_id, "title": title, "reader": reader}


def own_tips(user: User) -> Iterator[Item]:
    for item in table().each(tips_of(user.name)):
        yield {"title": item["title"], "notes": item.get("notes", "")}


TIP = ItemType(
    "reading tip",
    reading_tip,
    "id title reader:person",
    "notes",
    lists=(tips_of(""),),
    sheets=(
        Sheet(
            *("reading-tips", "Reading tips", "What one person recommends."),
            *("id title reader:person", "id", "name"),
            lambda asked: tips_of(asked.name),
        ),
    ),
    exports=(Export("reading_tips", "reading_tips.json: your reading tips.", own_tips),),
)
RECOMMENDED = EventType("TipRecommended", "tip_id title reader:person", "why")


@pytest.fixture
def declared() -> Iterator[None]:
    with with_types([TIP], [RECOMMENDED]):
        yield


@pytest.fixture
def ada(declared, person) -> User:
    """She recommends a book, and has noted something beside it."""
    ada = person("Ada")
    said = {"tip_id": "1", "title": "Emma", "reader": "Ada", "why": "private"}
    log().record(Event("Ada", "TipRecommended", said), Put(tip("1", "Ada", "Emma")))
    table().write(Update(reading_tip("1"), set={"notes": "read twice"}))
    return ada


def the_event() -> Item:
    return next(event for event in log().since(0) if event["event_type"] == "TipRecommended")


def test_auditors_see_what_is_declared_as_shown_and_nothing_else(ada):
    seen = masks.mask_item(DATA, table().get(reading_tip("1")))
    assert (seen["title"], seen["reader"], seen["notes"]) == ("Emma", "Ada", HIDDEN)
    told = masks.mask_item(LOG, the_event())["event_data"]
    assert told == {"tip_id": "1", "title": "Emma", "reader": "Ada", "why": HIDDEN}
    assert masks.may_open(tips_of("Ada"))


def test_its_pages_are_there(ada, signed_in):
    auditor = signed_in("the auditor", Role.AUDITOR)
    assert "Reading tips" in auditor.get("/admin/tables/").content.decode()
    assert "Emma" in auditor.get("/admin/tables/reading-tips/", {"name": "Ada"}).content.decode()
    (row,) = relations.page(TIP.sheets[0], TableQuery(name="Ada")).rows
    assert [cell.value for cell in row.cells] == ["1", "Emma", "Ada"]
    assert row.cells[2].href.endswith("users/?name=Ada")


def test_whoever_asks_for_their_data_gets_it(ada):
    packed = zipfile.ZipFile(export_personal_data(ada))
    assert json.loads(packed.read("reading_tips.json")) == [{"title": "Emma", "notes": "read twice"}]
    assert "your reading tips" in packed.read("README.txt").decode()


def test_the_log_can_forget_whom_its_events_name(ada):
    event = the_event()
    ada_then = erasure.with_placeholders([Alias("ada", 1, event["event_id"], event["event_id"])], lambda size: "0f")
    after = ada_then.without(event, is_gone=False)
    assert (after["actor"], after["event_data"]["reader"]) == ("removed person 0f", "removed person 0f")
    assert after["event_data"]["title"] == "Emma"


def test_the_documents_have_a_row_of_it(declared):
    what = "| reading tip | A book that somebody recommends. | TIP | data | `TIP#{tip}` / `METADATA` |"
    assert item_row(TIP) == f"{what} `TIPS#{{reader}}` / `{{tip}}` | id title reader:person | notes |"
    assert event_row(RECOMMENDED) == "| TipRecommended | tip_id title reader:person | why | reader |"


def test_without_its_declaration_nobody_knows_it(person, site):
    person("Ada")
    site.write(Put(tip("1", "Ada", "Emma")))
    assert masks.mask_item(DATA, site.get(reading_tip("1"))) is None
    assert not masks.may_open(tips_of("Ada"))
