"""What was sealed stays what was sealed: whoever edits a ballot, a count, a result or the roll is found out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from accounts import repository as people
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls
from elections.lifecycle import services as lifecycle
from foundation.store import keys, splitting
from foundation.store.table import Delete, Item, Key, Put
from results import proof, services
from tests import voting
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures

BALLOTS = ({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1, "Ada": 1}, {"Bo": 1}, {})
BOTH = pytest.mark.parametrize("secret", [True, False])


@pytest.fixture
def sealed(voted, close) -> Callable[..., None]:  # noqa: F811
    """An election with a sealed result. In a public one, somebody has changed and somebody has withdrawn a ballot."""

    def seal(secret: bool) -> None:
        voted(*BALLOTS, {"Bo": 1}, secret_ballot=secret)
        voting.cast(people.find("voter 3"), "Board", ranks(Cy=1), "changed")
        voting.withdraw(people.find("voter 5"), "Board", "withdrawn")
        close()
        assert services.find("Board").report is not None

    return seal


def flaw() -> str | None:
    return proof.check_sealed(elections.find("Board"))


@contextmanager
def changed(site, place: Key, **fields) -> Iterator[None]:
    """Behind our back, and afterwards as it was."""
    before = site.get(place)
    site.write(Put(before | fields))
    yield
    site.write(Put(before))


def published(site) -> list[Item]:
    return site.get(keys.published("Board", 0))["ballots"]


@BOTH
def test_what_nobody_touched_is_as_it_was_sealed(site, sealed, secret):
    sealed(secret)
    assert flaw() is None


@pytest.mark.few(1)
@BOTH
def test_ballots_in_many_parts_are_compared_too(site, sealed, secret, monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 1)
    sealed(secret)
    assert len(list(site.each(keys.all_published("Board")))) > 1
    assert flaw() is None


def test_what_is_not_sealed_yet_has_nothing_to_check(site, voted, close):  # noqa: F811
    voted({"Ada": 1})
    assert flaw() is None
    close()
    assert flaw() is None


@BOTH
def test_an_edited_published_ballot_is_named(site, sealed, secret):
    sealed(secret)
    for number in (0, 3):
        ballots = published(site)
        ballots[number]["rankings"] = "1>2"
        code = ballots[number]["confirmation"]
        with changed(site, keys.published("Board", 0), ballots=ballots):
            assert flaw() == f"Election “Board”: the ballot {code} among the published ballots is not what was sealed."


def test_a_published_ballot_in_the_name_of_another_is_named(site, sealed):
    sealed(False)
    ballots = published(site)
    ballots[1]["voter_name"] = "somebody else"
    with changed(site, keys.published("Board", 0), ballots=ballots):
        assert f"ballot {ballots[1]['confirmation']} among" in flaw()


@BOTH
def test_a_removed_published_ballot_is_named(site, sealed, secret):
    sealed(secret)
    for number in (0, 2, 4):
        ballots = published(site)
        gone = ballots.pop(number)["confirmation"]
        with changed(site, keys.published("Board", 0), ballots=ballots):
            assert flaw() == f"Election “Board”: the ballot {gone} was sealed, but is not among the published ballots."


@BOTH
def test_an_added_published_ballot_is_named(site, sealed, secret):
    sealed(secret)
    for code in ("0000-0000-0000-0000", "ZZZZ-ZZZZ-ZZZZ-ZZZZ"):
        added = [*published(site), {"confirmation": code, "rankings": "0"}]
        ballots = sorted(added, key=lambda each: each["confirmation"])
        with changed(site, keys.published("Board", 0), ballots=ballots):
            assert flaw() == f"Election “Board”: the ballot {code} is among the published ballots, but was not sealed."


def test_a_removed_ballot_in_the_box_of_a_public_election_is_named(site, sealed):
    sealed(False)
    item = next(site.each(*keys.ballots("Board")))
    site.write(Delete(Key(item["PK"], item["SK"])))
    code = item["confirmation"]
    assert flaw() == f"Election “Board”: the ballot {code} was sealed, but is not in the ballot box."


def test_the_emptied_box_of_a_secret_election_is_as_it_should_be(site, sealed):
    sealed(True)
    item = next(each for each in site.each(*keys.ballots("Board")) if "withdrawn" not in each)
    site.write(Delete(Key(item["PK"], item["SK"])))
    assert flaw() is None
    site.write(Put(item))
    seal_closed()
    assert list(site.each(*keys.ballots("Board"))) == []
    assert flaw() is None
    site.write(Put(item | {"confirmation": "ZZZZ-ZZZZ-ZZZZ-ZZZZ"}))
    assert flaw() == "Election “Board”: the ballot ZZZZ-ZZZZ-ZZZZ-ZZZZ is in the ballot box, but was not sealed."


@BOTH
def test_an_edited_ballot_in_the_box_is_named(site, sealed, secret):
    sealed(secret)
    item = next(each for each in site.each(*keys.ballots("Board")) if "withdrawn" not in each)
    code = item["confirmation"]
    with changed(site, Key(item["PK"], item["SK"]), rankings="2>1>0"):
        assert flaw() == f"Election “Board”: the ballot {code} in the ballot box is not what was sealed."


@BOTH
def test_an_edited_counted_ranking_is_named_by_a_ballot_that_says_so(site, sealed, secret):
    sealed(secret)
    place = keys.counted_part("Board", 0)
    counts = json.loads(site.get(place)["text"])
    counts["1>0"] = counts.pop("0>1")
    (code,) = (each["confirmation"] for each in published(site) if each["rankings"] == "0>1")
    with changed(site, place, text=json.dumps(counts)):
        assert flaw() == f"Election “Board”: the ballot {code} is not among the counted rankings as it was sealed."


def test_a_counted_ranking_that_nobody_cast_is_noticed(site, sealed):
    sealed(True)
    place = keys.counted_part("Board", 0)
    with changed(site, place, text=json.dumps(json.loads(site.get(place)["text"]) | {"2>0": 1})):
        assert flaw() == "Election “Board”: a ranking was counted that nobody has cast."
    with changed(site, place, text="[1, 2]"):
        assert flaw() == "Election “Board”: the rankings as they were counted cannot be read any more."


def test_an_edited_result_is_noticed(site, sealed):
    sealed(True)
    place = keys.result_part("Board", 0)
    text = site.get(place)["text"]
    with changed(site, place, text=text.replace("Ada", "Bo")):
        assert flaw() == "Election “Board”: the text of its result is not what was sealed."
    with changed(site, keys.result("Board"), report_digest="0" * 64):
        assert flaw() == "Election “Board”: the digests kept with its result are not those that were sealed."
    assert flaw() is None


def test_a_result_that_is_gone_is_noticed(site, sealed):
    sealed(True)
    site.write(Delete(keys.result("Board")))
    assert flaw() == "Election “Board”: the result that was sealed is gone."


@BOTH
def test_a_changed_roll_is_noticed(site, sealed, secret):
    sealed(secret)
    sentence = "Election “Board”: the roll is not what was sealed: who is on it, or who has voted."
    with changed(site, keys.voter("Board", "voter 0"), voted=False):
        assert flaw() == sentence
    site.write(rolls.new_voter(elections.find("Board"), "a stranger"))
    assert flaw() == sentence


def test_an_earlier_election_of_the_same_name_makes_no_difference(site, opened, close, sealed, person):  # noqa: F811
    opened("Eve", secret_ballot=False)
    voting.cast(person("Eve"), "Board", ranks(Ada=1), "form")
    close()
    lifecycle.delete(people.find("the organiser"), elections.find("Board"))
    sealed(False)
    assert flaw() is None
