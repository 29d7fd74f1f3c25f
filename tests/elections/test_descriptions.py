"""What an election says of itself lies beside it, is read where it is shown, and in old stores where it was."""

from __future__ import annotations

import pytest

from accounts import repository as people
from acts.refusals import Overtaken
from ballots import services as ballots
from elections import copying, descriptions, repository, services
from elections.rules import Action
from pages import rendered
from store import keys
from store.limits import check_item
from store.table import Delete, Exists, Key, Table, Update
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from upkeep import replay

LONG = "Who *leads* us?\n\n" * 1180  # 20,060 characters


def as_before(store: Table, name: str = "Board") -> None:
    """As earlier versions wrote it: all in one item."""
    item = store.get(keys.description(name))
    words = {each: item[each] for each in descriptions.IN_THE_ELECTION}
    store.write(Update(keys.election(name), set=words), Delete(keys.description(name)))


def text_of(name: str = "Board") -> str:
    return descriptions.of(name).description


@pytest.fixture
def draft(site, person):
    return services.create(person("Kim"), "Board", description="Who *leads*?")


# --- where it lies ---


def test_the_election_is_small_whatever_it_says_of_itself(site, person):
    services.create(person("Kim"), "Board", description=LONG)
    assert check_item(site.get(keys.election("Board"))) < 1024
    assert check_item(site.get(keys.description("Board"))) > 20_000
    as_before(site)
    assert check_item(site.get(keys.election("Board"))) > 50_000


def test_one_that_says_nothing_has_no_such_item(site, draft):
    assert site.get(keys.description("Board")) is not None
    services.change(people.find("Kim"), draft, Action.DESCRIBE, description="")
    assert site.get(keys.description("Board")) is None
    assert text_of() == ""
    services.create(people.find("Kim"), "Silent")
    assert site.get(keys.description("Silent")) is None


def test_the_log_says_it_as_it_always_did(site, draft):
    services.change(people.find("Kim"), draft, Action.DESCRIBE, description="Who?")
    said = {event["event_type"]: event["event_data"] for event in site.each(keys.events())}
    assert said["ElectionCreated"]["description"] == "Who *leads*?"
    assert said["ElectionUpdated"] == {"election_name": "Board", "description": "Who?"}


def test_what_it_says_already_is_no_change(site, draft):
    kim = people.find("Kim")
    assert services.change(kim, draft, Action.DESCRIBE, description="Who *leads*?") == draft
    assert services.change(kim, draft, Action.SET_UP, seats=1) == draft


def test_two_who_change_it_at_once_do_not_overwrite_each_other(site, draft):
    kim = people.find("Kim")
    services.change(kim, draft, Action.DESCRIBE, description="first")
    with pytest.raises(Overtaken):
        services.change(kim, draft, Action.DESCRIBE, description="second")
    assert text_of() == "first"


# --- who reads it ---


READ_BY = ("/election/Board/", "/election/Board/ballot/", "/election/Board/calendar.ics", "/")
NOT_READ_BY = ("/election/Board/receipt/", "/election/Board/results/", "/election/Board/history/")


@pytest.fixture
def asked(site, monkeypatch) -> set[Key]:
    keys_, many, one = set[Key](), type(site).get_many, type(site).get
    monkeypatch.setattr(type(site), "get_many", lambda s, wanted: many(s, [keys_.add(w) or w for w in wanted]))
    monkeypatch.setattr(type(site), "get", lambda s, wanted: keys_.add(wanted) or one(s, wanted))
    return keys_


def test_only_pages_that_show_it_read_it(opened, person, signed_in, asked):  # noqa: F811
    opened("Eve", description="Who *leads*?", no_voting_after="2199-01-01T12:00:00.000Z")
    eve = signed_in(person("Eve"))
    for path in READ_BY:
        asked.clear()
        assert eve.get(path).status_code == 200
        assert keys.description("Board") in asked, path
    asked.clear()
    ballots.cast(people.find("Eve"), "Board", ranks(Ada=1), "form")
    for path in NOT_READ_BY:
        eve.get(path)
    assert keys.election("Board") in asked
    assert keys.description("Board") not in asked


# --- in a store of earlier times ---


def test_it_is_read_where_it_was_until_it_is_changed(site, draft):
    as_before(site)
    assert (text_of(), descriptions.of("Board").place) == ("Who *leads*?", keys.election("Board"))
    services.change(people.find("Kim"), draft, Action.SET_UP, seats=2)
    assert site.get(keys.election("Board"))["description"] == "Who *leads*?"
    services.change(people.find("Kim"), repository.find("Board"), Action.DESCRIBE, description="Who?")
    assert not set(descriptions.IN_THE_ELECTION) & set(site.get(keys.election("Board")))
    assert (text_of(), descriptions.of("Board").place) == ("Who?", keys.description("Board"))


def test_it_can_be_emptied_and_copied_and_renamed_from_there(site, draft):
    kim = people.find("Kim")
    as_before(site)
    copying.copy(kim, draft, "Copy")
    services.rename(kim, repository.find("Board"), "Council")
    assert text_of("Copy") == text_of("Council") == "Who *leads*?"
    services.change(kim, repository.find("Council"), Action.DESCRIBE, description="")
    assert text_of("Council") == ""


def test_html_is_kept_where_the_text_is(site, draft):
    as_before(site)
    site.write(Update(keys.election("Board"), remove=("description_html", "html_version"), when=Exists()))
    assert "<em>leads</em>" in rendered.description_of(descriptions.of("Board"))
    assert "<em>leads</em>" in site.get(keys.election("Board"))["description_html"]


def test_both_kinds_replay_as_they_are(site, draft):
    services.create(people.find("Kim"), "Other", description="Another.")
    as_before(site)
    assert replay.check(site).first == ()
    site.write(Update(keys.description("Other"), set={"description": "Forged."}))
    (difference,) = replay.check(site).first
    assert (difference.place, difference.attribute) == ("ELECTION#other / DESCRIPTION", "description")


def test_moving_them_may_be_cut_off_and_done_again_and_loses_no_change(site, draft):
    kim = people.find("Kim")
    for number in range(3):
        services.create(kim, f"Board {number}", description=f"Text {number}")
        as_before(site, f"Board {number}")
    before = {name: text_of(name) for name in ("Board", "Board 0", "Board 1", "Board 2")}
    with pytest.raises(CutOff):
        descriptions.move_all(Mortal(site, 1))
    assert {name: text_of(name) for name in before} == before
    board = repository.find("Board 1")
    descriptions.move_all(Overtaking(site, lambda: services.change(kim, board, Action.DESCRIBE, description="New")))
    descriptions.move_all(site)
    assert {name: text_of(name) for name in before} == before | {"Board 1": "New"}
    assert all("description" not in site.get(keys.election(name)) for name in before)
    assert replay.check(site).first == ()


class CutOff(Exception):
    pass


class Mortal:
    """A table that lets so many writes happen, and then no more."""

    def __init__(self, store: Table, writes: int):
        self.store, self.left = store, writes

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)

    def write(self, *writes: object, **options: object) -> None:
        if not self.left:
            raise CutOff
        self.left -= 1
        self.store.write(*writes, **options)


class Overtaking:
    """A table on which somebody acts just before the first write."""

    def __init__(self, store: Table, act):
        self.store, self.act = store, act

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)

    def write(self, *writes: object, **options: object) -> None:
        act, self.act = self.act, lambda: None
        act()
        self.store.write(*writes, **options)
