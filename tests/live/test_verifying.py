"""Sealed rounds: what of them is in the log, and how `verify` compares the two."""

from __future__ import annotations

import hashlib
import json

import pytest

from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.log.seal import Sealer, verify
from foundation.store.table import Delete, Key, Put
from parts.live import repository, rounds, verifying
from parts.live.rounds import Entry, Round
from parts.live.rules import Step
from parts.live.services import deleting
from parts.questions.question import Type
from tests.live.conftest import drive
from tests.live.test_play import Phone


@pytest.fixture
def polled(made):
    """A poll of three phones that is sealed and revealed."""
    game = made(Type.POLL)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    for place, phone in enumerate(phones):
        phone.answer(**{f"rank-{place}": 1})
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    return game


def sealed(site) -> dict:
    (event,) = (each for each in EventLog(site).since(0) if each["event_type"] == "LiveRoundSealed")
    return event["event_data"]


def test_the_event_has_digests_of_round_receipts_and_question(site, polled):
    told, round_ = sealed(site), rounds.round_from_parts(repository.round_items(polled.id, 1))
    assert told["digest"] == hashlib.sha256(rounds.round_as_bytes(round_)).hexdigest()
    receipts = [each.receipt for each in round_.entries]
    assert receipts == sorted(receipts) == repository.read_receipts(polled.id, 1, "question")
    for name, content in (
        ("heard", receipts),
        ("asked", [each.as_item() for each in repository.read_questions(polled.id)[:1]]),
    ):
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        assert told[name] == hashlib.sha256(text.encode()).hexdigest(), name
    assert not any(each.player for each in round_.entries)


def test_bytes_are_the_same_however_they_were_stored():
    entries = tuple(Entry("", f"{place % 3}>{(place + 1) % 3}", receipt=f"R{place:04d}") for place in range(2000))
    sealed = Round(7, 2, 2000, {"winners": [1], "places": [[1, 1]], "text": "Überall", "no": 0}, entries)
    again = rounds.round_from_parts(json.loads(json.dumps(rounds.round_as_parts(sealed))))
    assert rounds.round_as_bytes(again) == rounds.round_as_bytes(sealed)
    canonical = json.dumps(
        json.loads(rounds.round_as_bytes(sealed)), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    assert rounds.round_as_bytes(sealed) == canonical.encode()


def test_the_log_holds_and_keeps_the_digest_when_the_session_is_gone(site, polled):
    before = sealed(site)["digest"]
    drive(polled, Step.END)
    deleting.delete(polled.id, "Hana")
    assert sealed(site)["digest"] == before
    Sealer(site).seal()
    assert verify(site).flaw is None


def test_verify_names_a_round_that_was_changed_and_knows_what_is_gone_by_itself(site, polled):
    game = polled
    assert verifying.check_rounds() == (1, [])
    head, entries = repository.round_items(game.id, 1)
    heard = site.get(keys.round_heard(game.id, 1, "question"))
    where = f"Round 1 of the live session {game.id}: "
    changes = {
        "its result or what was given in it is not what was sealed.": [Put(head | {"count": 4})],
        "the receipts of what counts are not those that were sealed.": [Put(heard | {"receipts": []})],
        "the list of receipts that was sealed is gone.": [Delete(Key(heard["PK"], heard["SK"]))],
        "the round that was sealed is gone.": [Delete(Key(each["PK"], each["SK"])) for each in (head, entries)],
    }
    for words, writes in changes.items():
        site.write(*writes)
        assert verifying.check_rounds() == (1, [where + words])
        site.write(Put(head), Put(entries), Put(heard))
    site.write(Put(heard | {"event": 7}))
    assert verifying.check_rounds() == (1, []), "An earlier version noted the number of the event, too."
    drive(game, Step.END)
    deleting.delete(game.id, "Hana")
    assert verifying.check_rounds() == (0, [])
