"""Only what is on a list is shown: of every kind of item the attributes that are named, and of other kinds nothing."""

from __future__ import annotations

import re

import pytest

from elections import repository
from elections.rules import Election, Question
from elections.turnout.counts import NOTHING_ALLOWED, Allowed, allowed
from foundation.store import keys
from foundation.store.keys.declared import PATTERNS
from foundation.store.schema import SCHEMA, ItemType, parsed
from foundation.store.table import DATA, LOG, Key, Span
from operations.audit.tables import masks
from operations.audit.tables.masks import HIDDEN
from tests.rows import every_row

ALL = Allowed(ballots=True, published=True, who=True, unread=())
HIDDEN_TYPES = {each.label: each for each in SCHEMA.items if not each.shown}
# In a partition that may be read:
AMONG_OTHERS = {"factors", "request's sender", "poll's vote", "poll's counts", "lot secret", "setup link"}
AMONG_OTHERS |= {
    "live questions",
    "live salt",
    "player's name",
    "live receipts",
    "gathered answers",
    "presence",
    "q&a question",
}
AMONG_OTHERS |= {"mark of the key", "minutes' part", "minutes' note", "live roll", "sorted ideas", "first answers"}
AMONG_OTHERS |= {"letter", "member", "pending members", "moderated texts", "own question upvotes", "question upvotes"}
APART = {
    "session",
    "throttle",
    "registration",
    "short code",
    "submitted form",
    "like",
    "subscriber",
    "seat",
    "live answer",
}
APART |= {"spent token", "live vote", "attendance", "own upvotes", "upvotes", "opted out", "calendar feed"}
APART |= {"multi-question ballot"}
APART |= {"API request", "group at a provider", "station code"}


def a_key_of(item_type: ItemType) -> Key:
    pattern = item_type.pattern
    return Key(re.sub(r"\{\w+\}", "0", pattern.pk), re.sub(r"\{\w+\}", "0", pattern.sk), pattern.table)


@pytest.mark.needs
def test_what_is_hidden_whole_is_hidden_on_purpose():
    assert set(HIDDEN_TYPES) == AMONG_OTHERS | APART


@every_row("declared", [*SCHEMA.items, *SCHEMA.events.values()])
def test_no_field_is_both_shown_and_hidden(declared):
    assert set(parsed(declared.shown)) & set(parsed(declared.hidden)) == set()


@pytest.mark.deep
@every_row("item_type", SCHEMA.items)
def test_every_key_belongs_to_one_type(item_type):
    assert [each.label for each in SCHEMA.items if each.has(a_key_of(item_type))] == [item_type.label]


@pytest.mark.needs
def test_every_key_of_the_store_belongs_to_a_type():
    """A key that is added to foundation/store/keys has to be declared."""
    declared = {each.key for each in SCHEMA.items}
    made = {name: each for name, each in vars(keys).items() if isinstance(each, Key) or callable(each)}
    assert [name for name, each in made.items() if each in PATTERNS and each not in declared] == []
    assert len(declared) > 150


@pytest.mark.needs
@every_row("name", sorted(APART))
def test_a_partition_of_nothing_but_secrets_is_not_even_read(name):
    place = a_key_of(HIDDEN_TYPES[name])
    assert not masks.may_open(Span(place.pk, table=place.table))


@every_row("pk", ["UNHEARD#of", "SESSIONS#ada", "SESSIONS#", "", "#", "VOTES#1", "ONCE#1", "USER"])
def test_an_unknown_partition_is_not_opened(pk):
    assert not masks.may_open(Span(pk))
    assert not masks.may_open(Span(pk, table=LOG))


@every_row("pk", ["VOTES#1", "VOTES#1@x", "UNHEARD", "SESSIONS#ada", ""])
def test_an_unknown_list_of_the_index_is_not_opened(pk):
    assert not masks.may_open(Span(pk, index=True))


def test_an_attribute_nobody_has_thought_of_is_hidden():
    place = keys.user("Ada")
    item = {"PK": place.pk, "SK": place.sk, "name": "Ada", "hash": "h", "salt": "s", "session_salt": "t", "pin": "1234"}
    seen = masks.mask_item(DATA, item)
    assert {name for name, value in seen.items() if value is HIDDEN} == {"hash", "salt", "session_salt", "pin"}
    assert str(HIDDEN) == "hidden"


@pytest.mark.parametrize("place", [keys.user("Ada"), keys.voter("Board", "Ada")])
def test_by_what_a_ballot_knows_its_caster_is_hidden(place):
    assert masks.mask_item(DATA, {"PK": place.pk, "SK": place.sk, "lineage": "0f"}, ALL)["lineage"] is HIDDEN


def test_what_lies_deeper_is_hidden_too():
    place = keys.published("Board", 0)
    ballots = [
        {"confirmation": "C", "rankings": "0>1", "ip": "10.0.0.1", "more": {"rankings": "1>0", "ip": "10.0.0.2"}}
    ]
    (ballot,) = masks.mask_item(DATA, {"PK": place.pk, "SK": place.sk, "ballots": ballots}, ALL)["ballots"]
    assert ballot == {"confirmation": "C", "rankings": "0>1", "ip": HIDDEN, "more": HIDDEN}


def event(event_type: str, **said) -> dict:
    place = keys.event(7, "2026-01-01T00:00:00.000Z")
    return {"PK": place.pk, "SK": place.sk, "event_id": 7, "event_type": event_type, "event_data": said}


@pytest.mark.needs("live")
def test_of_a_live_session_neither_its_doors_nor_its_players_are_shown():
    place = keys.game("g")
    hidden = {"code": "1234", "token": "t", "screen_token": "s", "context": "my notes"}
    seen = masks.mask_item(DATA, {"PK": place.pk, "SK": place.sk, "title": "Friday", **hidden})
    assert seen["title"] == "Friday"
    assert {name for name, value in seen.items() if value is HIDDEN} == set(hidden)
    part = keys.round_part("g", 1, 1)
    said = {"PK": part.pk, "SK": part.sk, "count": 3, "entries": [{"said": "words"}], "result": {"answers": []}}
    assert [name for name, value in masks.mask_item(DATA, said).items() if value is HIDDEN] == ["entries", "result"]
    for place in (keys.seat("g", "p"), keys.live_answer("g", 1, "p", 1), keys.live_vote("g", 1, "p", 1)):
        assert masks.mask_item(DATA, {"PK": place.pk, "SK": place.sk, "name": "Ada"}) is None
        assert not masks.may_open(Span(place.pk))


def test_what_an_event_says_is_shown_by_its_type():
    said = {"election_name": "Board", "rankings": "0>1", "confirmation": "C", "vote_id": "digest", "token": "t"}
    cast = masks.mask_item(LOG, event("BallotCast", **said))["event_data"]
    polled = masks.mask_item(LOG, event("PollVoteCast", **said))["event_data"]
    unknown = masks.mask_item(LOG, event("NeverDeclared", **said))["event_data"]
    assert cast == said | dict.fromkeys(("confirmation", "vote_id", "token"), HIDDEN)
    assert polled == unknown == dict.fromkeys(said, HIDDEN)


def test_attributes_come_by_name_whatever_order_they_were_written_in():
    place = keys.voter("Board", "Ada")
    item = {"voted": True, "SK": place.sk, "acts": 3, "voter_name": "Ada", "PK": place.pk, "election_name": "Board"}
    assert list(masks.mask_item(DATA, item, ALL)) == sorted(item)
    assert masks.mask_item(DATA, item, ALL)["acts"] is HIDDEN


def test_where_it_is_not_told_who_voted_not_even_the_names_of_attributes_tell():
    place = keys.voter("Board", "Ada")
    waits = {"PK": place.pk, "SK": place.sk, "voter_name": "Ada", "voted": False, "acts": 0, "reminded": "1"}
    voted = {"PK": place.pk, "SK": place.sk, "voter_name": "Ada", "voted": True, "acts": 1, "paper": False}
    assert masks.mask_item(DATA, waits) == masks.mask_item(DATA, voted)


def test_gates_of_an_open_secret_election_do_not_count():
    place = keys.gate("Board", 3)
    gate = {"PK": place.pk, "SK": place.sk, "open": True, "voted": 2}
    assert set(masks.mask_item(DATA, gate)) == {"PK", "SK", "open"}
    assert masks.mask_item(DATA, gate, ALL)["voted"] == 2


def test_when_people_vote_in_an_open_secret_election_is_not_shown():
    place = keys.turnout("Board")
    item = {"PK": place.pk, "SK": place.sk, "since": 3, "counted": 9, "ends": None, "h495000": 2}
    assert set(masks.mask_item(DATA, item)) == {"PK", "SK", "since", "ends"}
    assert masks.mask_item(DATA, item, ALL)["h495000"] is masks.HIDDEN


def test_a_ballot_without_a_voter_is_hidden_wherever_it_lies():
    place = keys.ballot("Board", "f" * 64)
    secret = {"PK": place.pk, "SK": place.sk, "rankings": "0>1", "confirmation": "C"}
    assert masks.mask_item(DATA, secret, ALL) is None
    assert masks.mask_item(DATA, secret | {"voter_name": "Ada"}, Allowed(published=True, who=True)) is None
    assert masks.mask_item(DATA, secret | {"voter_name": "Ada"}, ALL)["confirmation"] is HIDDEN


@pytest.mark.parametrize(
    "prefix", ["B", "BALLOT", "BALLOT#", "BALLOT#ab", "Q", "QUESTION#02#", "QUESTION#02#BALLOT#ab"]
)
def test_nobody_asks_for_secret_ballots_by_prefix(prefix):
    span = Span(keys.election("Board").pk, prefix=prefix)
    assert masks.readable_parts(span, NOTHING_ALLOWED) == []
    assert masks.readable_parts(span, ALL) == [span]


@pytest.mark.parametrize("secret", [True, False])
def test_no_part_of_an_election_that_is_read_holds_a_secret_ballot_of_any_question(secret):
    more = tuple(Question(number, f"Question {number}") for number in (2, 12))
    item = repository.fields_of(Election("Board", "Ada", "2026", secret_ballot=secret, more=more))
    parts = masks.readable_parts(Span(keys.election("Board").pk), allowed(item))
    ballots = [keys.ballot("Board", "ab", question=number).sk for number in (1, 2, 12)]
    assert [any(part.holds(each) for part in parts) for each in ballots] == [not secret] * 3
    others = [keys.candidate("Board", "Bo", number).sk for number in (1, 2, 12)]
    others += ["METADATA", "RESULT", *(keys.result("Board", number).sk for number in (2, 12))]
    assert all(sum(part.holds(each) for part in parts) == 1 for each in others)


def test_votes_in_polls_are_not_read_either():
    pk = keys.poll("1").pk
    assert not any(part.holds(keys.vote("1", "").sk) for part in masks.readable_parts(Span(pk), ALL))
    assert masks.readable_parts(Span(pk, prefix="VOTE#0"), ALL) == []
    assert masks.readable_parts(Span(pk, prefix="GATE#"), ALL) == [Span(pk, prefix="GATE#")]


def test_an_election_that_is_not_there_is_as_secret_as_any():
    assert allowed(None, 100) == NOTHING_ALLOWED
