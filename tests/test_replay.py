"""Replay finds whatever the log and the store do not agree in, names it, and finds nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts import repository as people
from accounts import services as accounts
from ballots import services as ballots
from ballots.sealing import seal_closed
from ballots.services import _record_cast
from elections import actions
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing as closing_acts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action
from foundation.acts.refusals import Refusal
from foundation.acts.storage import record
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import Event, utc_now
from foundation.store.log.seal import verify
from foundation.store.schema import SCHEMA, ItemType
from foundation.store.table import DATA, LOG, Item, Key, Refused, Table, Update
from operations.upkeep import erasure
from operations.upkeep.figures import site_sealer
from operations.upkeep.replay import EFFECTS, Verdict, check
from tests.at_once import at_once
from tests.background import finish_background
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.copies import copy_of
from tests.people import enrol
from tests.stories import ROOT, kinds_in
from tests.stories.core import APPS, election, someone, told  # noqa: F401 - a fixture

# Backups of stores that earlier revisions wrote in a short story: people who were given roles and removed, public and
# secret elections in every state, a deleted one. That of the evening (8c8bce75) has each type of item that is compared,
# with weights, groups of voters and several questions on one ballot, which that of the morning (77d0de26) did not know.
STORES = Path(__file__).parent / "upkeep" / "stores"
MORNING, EVENING = STORES / "2026-11-18-morning.jsonl.gz", STORES / "2026-11-18-evening.jsonl.gz"
Change = Callable[[str, Item], Iterator[Item]]  # the table's name and an item, to what is there instead


class Tampered:
    """A store as it is after somebody was at its files."""

    def __init__(self, table: Table, change: Change):
        self._table = table
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def everything(self) -> Iterator[tuple[str, Item]]:
        for name, item in self._table.everything():
            yield from ((name, changed) for changed in self._change(name, item))


def events_of(table: Table, kind: str) -> list[Item]:
    return [event for event in table.each(keys.events()) if event["event_type"] == kind]


def without(*events: Item) -> Change:
    gone = {event["SK"] for event in events}

    def change(name: str, item: Item) -> Iterator[Item]:
        if name != LOG or item["SK"] not in gone:
            yield item

    return change


def saying(event: Item, **said: Any) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        is_it = name == LOG and item["SK"] == event["SK"]
        yield {**item, "event_data": {**item["event_data"], **said}} if is_it else item

    return change


def changed(place: str, **attributes: Any) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        is_it = name == DATA and f"{item['PK']} / {item['SK']}" == place
        yield item | (attributes if is_it else {})

    return change


def all_of(changes: Iterable[Change]) -> Change:
    changes = list(changes)

    def change(name: str, item: Item) -> Iterator[Item]:
        for each in changes:
            (item,) = each(name, item)
        yield item

    return change


def named(verdict: Verdict) -> list[tuple[str, str]]:
    return [(each.place, each.attribute) for each in verdict.first]


def compared(table: Table) -> Iterator[tuple[Key, ItemType, Item]]:
    for name, item in table.everything():
        key = Key(item["PK"], item["SK"])
        item_type = SCHEMA.type_of(key) if name == DATA else None
        if item_type and item_type.replayed and (item_type.label != "ballot" or "voter_name" in item):
            yield key, item_type, item


# --- the log makes the state there is ---


@pytest.mark.seconds(4)
def test_the_log_makes_the_state_there_is(told):  # noqa: F811
    verdict = check(told)
    assert verdict.first == ()
    assert verdict.events > 100


@pytest.mark.seconds(2)
def test_it_does_so_too_when_it_has_forgotten_who_somebody_was(told, tmp_path, settings):  # noqa: F811
    settings.STORE_URL = f"sqlite://{copy_of(told.path, tmp_path / 'copy.sqlite3')}"
    copy, then = connect(settings.STORE_URL), lambda: utc_now() + timedelta(days=31)
    site_sealer().seal()
    while erasure.is_due(then):
        erasure.erase_names(then)
        site_sealer().seal()
    verdict = verify(copy)
    assert (verdict.flaw, verdict.index_flaw) == (None, None)
    assert verdict.rewritten > 5
    assert check(copy).first == ()
    copy.close()


@pytest.mark.deep
def test_the_story_tells_of_every_kind_of_event_there_is(told):  # noqa: F811
    kinds = {event["event_type"] for event in told.each(keys.events())}
    told_of = "foundation/mail", "parts/letters", "parts/stations"
    assert kinds - kinds_in("parts/skills") == kinds_in(*APPS, *told_of)


OF_EARLIER_VERSIONS = {"InterruptionRecorded", "PollReported", "PollReportsDismissed"}
OF_EARLIER_VERSIONS |= {f"Book{what}" for what in ("Made", "Changed", "TakenApart", "Opened", "Extended", "Closed")}


@pytest.mark.seconds(4)
def test_every_kind_of_event_in_the_code_is_declared():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert kinds_in(*packages) | OF_EARLIER_VERSIONS == set(SCHEMA.events)
    assert EFFECTS.keys() <= SCHEMA.events.keys()


def test_what_is_compared_is_declared():
    for each in SCHEMA.items:
        assert each.defaults.keys() <= each.fields.keys(), each.label


# --- a store of an earlier version ---


@pytest.fixture
def earlier(site) -> Table:
    call_command("restore", str(EVENING), stdout=StringIO(), stderr=StringIO())
    return site


@pytest.mark.parametrize("path", [MORNING, EVENING], ids=["morning", "evening"])
def test_a_store_of_an_earlier_version_is_what_its_log_says(site, path):
    call_command("restore", str(path), stdout=StringIO(), stderr=StringIO())
    call_command("verify", stdout=StringIO())
    verdict = check(site)
    assert verdict.first == ()
    assert verdict.events > 70


def test_the_store_has_every_type_that_is_compared(earlier):
    assert {item_type.label for _key, item_type, _item in compared(earlier)} == {
        each.label for each in SCHEMA.items if each.replayed
    }


def test_a_field_that_an_earlier_version_did_not_have_has_its_default(earlier):
    """As if each field with a default had been added since."""
    found = {(key.pk, key.sk): item_type for key, item_type, _item in compared(earlier)}
    left_out = set()

    def change(name: str, item: Item) -> Iterator[Item]:
        item_type = found.get((item["PK"], item["SK"])) if name == DATA else None
        gone = {field for field, value in item_type.defaults.items() if value == item.get(field)} if item_type else {}
        left_out.update(gone & item.keys() if gone else ())
        yield {field: value for field, value in item.items() if field not in gone}

    assert check(Tampered(earlier, change)).first == ()
    assert left_out >= {"kind", "seats", "method", "changeable", "time_zone"}


def test_a_field_that_is_missing_and_was_not_its_default_is_named(earlier):
    def change(name: str, item: Item) -> Iterator[Item]:
        yield {field: value for field, value in item.items() if field != "secret_ballot"}

    assert named(check(Tampered(earlier, change))) == [
        (f"ELECTION#{name} / METADATA", "secret_ballot") for name in ("board", "board again", "running")
    ]


# --- an event is missing, or says something else ---

UNSEEN = {"BallotChanged", *OF_EARLIER_VERSIONS}  # of a secret ballot, unless it was withdrawn before


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(EFFECTS.keys() - UNSEEN - OF_EARLIER_VERSIONS))
def test_the_loss_of_any_event_is_found(told, kind):  # noqa: F811
    assert check(Tampered(told, without(events_of(told, kind)[-1]))).count > 0


LOST = [  # which of its kind, and what it has changed
    ("CandidateEdited", 0, "ELECTION#board / CANDIDATE#ada", "link"),
    ("ProfileChanged", -1, "USER#ada / METADATA", "display_name"),
    ("UserEmailChanged", 0, "EMAIL#ada@example.org / METADATA", ""),
    ("ElectionClosed", -1, "ELECTION#soon over / METADATA", "allow_vote"),
    ("VotersRemoved", -2, "ELECTION#prize again / VOTER#voter 4", ""),
]


OTHER_WORDS = [
    ("BallotCast", 3, {"rankings": "2>1"}, "ELECTION#board / BALLOT#voter 3", "rankings"),
    ("CandidatesAdded", -2, {"candidates": []}, "ELECTION#still open / CANDIDATE#ada", ""),
    ("ElectionUpdated", -1, {"remind_before": [24]}, "ELECTION#soon over / METADATA", "remind_before"),
    ("ElectionOwnerChanged", 0, {"new_owner": "Cy"}, "ELECTION#prize again / METADATA", "owner_name"),
    ("UserRoleChanged", -1, {"new_role": "VOTER"}, "USER#bo / METADATA", "role"),
    ("UserRegistered", 0, {"email": "o@example.org"}, "EMAIL#olga@example.org / METADATA", ""),
]


@pytest.mark.seconds(1)
def test_what_lost_events_and_other_words_have_changed_is_named(told):  # noqa: F811
    """All at once, as none has to do with another."""
    gone = without(*(events_of(told, kind)[which] for kind, which, *_ in LOST))
    said = all_of(saying(events_of(told, kind)[which], **words) for kind, which, words, *_ in OTHER_WORDS)

    def change(name: str, item: Item) -> Iterator[Item]:
        for each in gone(name, item):
            yield from said(name, each)

    found = named(check(Tampered(told, change), most=1000))
    assert [each for each in LOST if each[2:] not in found] == []
    assert [each for each in OTHER_WORDS if each[3:] not in found] == []


@pytest.mark.parametrize("word", ["ballots", "digest", "withdrawn", "winners", "lots_secret", "report_digest"])
def test_another_word_about_a_result_is_found(earlier, word):
    """The ballots are counted again."""
    event = events_of(earlier, "ResultSealed")[0]
    value = event["event_data"].get(word, 0)
    other = ["Nobody"] if word == "winners" else value + 1 if isinstance(value, int) else f"{value}0"
    assert check(Tampered(earlier, saying(event, **{word: other}))).count > 0


def test_a_secret_ballot_that_is_another_in_the_log_is_found(earlier):
    event = next(each for each in events_of(earlier, "BallotsSealed") if each["event_data"]["ballots"])
    first, *others = event["event_data"]["ballots"]
    other = "0>1>2" if first["rankings"] != "0>1>2" else "2>1>0"
    verdict = check(Tampered(earlier, saying(event, ballots=[first | {"rankings": other}, *others])))
    assert "tells another result than the ballots in the log give" in str(verdict.first[0])


# --- an item is missing, or is another, or is one too many ---


def lost(item: Item, attribute: str) -> list[Item]:
    return []


def another(item: Item, attribute: str) -> list[Item]:
    return [item | {attribute: "something else"}]


def one_too_many(item: Item, attribute: str) -> list[Item]:
    return [item, item | {"SK": f"{item['SK']}~"}]


@pytest.mark.parametrize("damage", [lost, another, one_too_many])
def test_damage_to_any_field_that_is_compared_is_named(earlier, damage):
    """As many fields of as many types as there are items for, all at once."""
    places: dict[Key, str] = {}
    for key, item_type, item in sorted(compared(earlier), key=lambda found: found[0]):
        if damage is one_too_many and "#" not in key.sk:
            continue
        known = {(SCHEMA.type_of(other).label, field) for other, field in places.items()}
        untried = [field for field in item_type.defaults if field in item and (item_type.label, field) not in known]
        if untried:
            places[key] = untried[0]
    assert len(places) > (2 if damage is one_too_many else 20)

    def change(name: str, item: Item) -> Iterator[Item]:
        attribute = places.get(Key(item["PK"], item["SK"])) if name == DATA else None
        yield from damage(item, attribute) if attribute else [item]

    found = {place for place, _attribute in named(check(Tampered(earlier, change), most=100_000))}
    ending = "~" if damage is one_too_many else ""
    assert [key for key in places if f"{key.pk} / {key.sk}{ending}" not in found] == []


BEHIND_OUR_BACK = [
    ("USER#ada / METADATA", "role", "OWNER"),
    ("METADATA / OWNER", "name", "Eve"),
    ("ELECTION#board / METADATA", "allow_vote", True),
    ("ELECTION#board / METADATA", "seats", True),
    ("ELECTION#board / VOTER#voter 0", "voted", False),
    ("ELECTION#board / VOTER#voter 0", "weight", 9),
    ("ELECTION#board / BALLOT#voter 0", "rankings", "0"),
    ("ELECTION#prize / RESULT", "digest", "0" * 64),
]


def test_every_change_behind_our_back_is_named_and_nothing_else(earlier):
    changes = [changed(place, **{name: value}) for place, name, value in BEHIND_OUR_BACK]
    found = named(check(Tampered(earlier, all_of(changes)), most=100))
    assert sorted(found) == sorted((place, name) for place, name, _value in BEHIND_OUR_BACK)


# --- nothing is found while the site is at work ---


def test_a_shut_ballot_box_of_which_the_log_does_not_say_so_yet(site, person, opened):  # noqa: F811
    for number, secret in enumerate((True, False)):
        made = opened("Eve", name=f"Election {number}", secret_ballot=secret, electorate="everyone")
        ballots.cast(people.find("Eve") or person("Eve"), made.name, ranks(Ada=1), made.name)
        begun = closing_acts.CLOSING.begin(elections.find(made.name), "the organiser")
        assert check(site).first == (), "it is said, and all gates are open"
        closing_acts.CLOSING.shut_gates(begun)
        assert check(site).first == ()


def test_an_election_that_is_moving_to_its_new_name(site, person):
    ada = person("Ada")
    made = drafts.create(ada, "Bord")
    add_candidates(ada, made, [Candidate("Bo"), Candidate("Cy")])
    enrol("Eve")
    add_voters(ada, made, ["Eve"])
    moving = drafts.renaming(elections.find("Bord"), "Board", site.get(keys.election("Bord")))
    record(Event("Ada", "ElectionRenamed", {"election_name": "Bord", "new_name": "Board"}), *moving)
    assert elections.RENAMING.find("Bord") is not None
    assert check(site).first == ()
    assert elections.RENAMING.find("Bord") is not None, "the check changes nothing"
    finish_background("rename election")
    assert check(site).first == ()


def test_what_a_deleted_election_has_left_behind(site, person):
    ada = person("Ada")
    made = drafts.create(ada, "Board")
    add_voters(ada, made, ["eve@example.org"])
    lifecycle.delete(ada, elections.find("Board"))
    assert site.get(keys.voter("Board", "eve@example.org")) is not None
    assert check(site).first == ()
    assert finish_background("delete election") == 1
    assert check(site).first == ()


def test_ballots_that_are_published_and_not_counted_yet(site, person, opened, monkeypatch):  # noqa: F811
    monkeypatch.setattr("ballots.sealing.COUNTING", [])
    for number, secret in enumerate((True, False)):
        made = opened("Eve", name=f"Election {number}", secret_ballot=secret)
        ballots.cast(people.find("Eve") or person("Eve"), made.name, ranks(Ada=1), made.name)
        closing_acts.close(someone("the organiser"), election(made.name))
    seal_closed()
    assert check(site).first == ()


def test_what_many_do_at_once_is_in_the_log_as_it_happened(site, person, opened):  # noqa: F811
    voters = [person(f"voter {number}") for number in range(5)]
    opened(*(voter.name for voter in voters), secret_ballot=False, results_visible="live", editable=True)

    def vote(number: int) -> None:
        for turn in range(4):
            ballots.cast(voters[number], "Board", ranks(Ada=turn + 1, Bo=number + 1), f"{number} {turn}")
        ballots.withdraw(voters[number], "Board", f"{number} withdraws")

    def organise(number: int) -> None:
        ada = someone("the organiser")
        for turn in range(4):
            with suppress(Refusal):
                accounts.change_profile(someone("voter 0"), f"{number}", f"{turn}")
                actions.change(ada, election("Board"), Action.DESCRIBE, description=f"{number}{turn}")
                add_voters(ada, election("Board"), [f"{number}.{turn}@example.org", f"both.{turn}@example.org"])

    acts = [*(partial(vote, number) for number in range(5)), *(partial(organise, number) for number in range(3))]
    *_, meanwhile = at_once(*acts, lambda: check(site))
    assert meanwhile.first == ()
    closing_acts.close(someone("the organiser"), election("Board"))
    seal_closed()
    assert check(site).first == ()


@pytest.mark.parametrize("secret", [True, False])
def test_nothing_happens_any_more_to_an_election_that_is_deleted(site, person, opened, secret):  # noqa: F811
    """Not even by somebody who has looked at it before, while what is left of it is still being deleted."""
    eve, made = person("Eve"), opened("Eve", secret_ballot=secret)
    context, ada = ballots.voter_context(eve, "Board"), someone("the organiser")
    lifecycle.delete(ada, made)
    with pytest.raises(Refused):
        _record_cast(eve, context, {1: "0"}, utc_now(), "form", paper=False)
    for act in (partial(mailing.invite, ada, made), partial(add_voters, ada, made, ["bo@example.org"])):
        with pytest.raises(Refusal):
            act()
    mailing.unsubscribe("Board", "Eve")
    assert events_of(site, "ElectionDeleted")[0]["event_id"] == max(
        event["event_id"] for event in site.each(keys.events())
    )


# --- the command ---


def test_the_command_says_that_log_and_store_agree(earlier):
    out = StringIO()
    call_command("replay", stdout=out, stderr=StringIO())
    assert out.getvalue().splitlines()[-1] == "The log and the store agree."


def test_the_command_names_the_first_differences_and_fails(earlier):
    earlier.write(Update(keys.voter("Board", "voter 0"), set={"voted": False}))
    out = StringIO()
    with pytest.raises(CommandError, match=r"differ\. Differences: 1") as failure:
        call_command("replay", stdout=out, stderr=StringIO())
    assert failure.value.returncode == 1
    assert "ELECTION#board / VOTER#voter 0, voted: is not what follows from the log." in out.getvalue()


def test_no_event_tells_a_secret(told):  # noqa: F811
    """Nothing that opens a door, no text of a mail, and of secret ballots only what is sealed."""
    texts = [repr(event["event_data"]) for event in told.each(keys.events())]
    secrets = [
        item[name]
        for _, item in told.everything()
        for name in ("hash", "salt", "session_salt", "secret")
        if item.get(name)
    ]
    assert secrets
    assert not any(repr(secret) in text for secret in secrets for text in texts)
    assert not any("another* one" in text for text in texts), "the text of a message"
    cast = [event["event_data"] for event in events_of(told, "BallotCast")]
    secret = [said for said in cast if said["election_name"] == "Prize"]
    assert secret
    assert not any({"rankings", "confirmation"} & said.keys() for said in secret)
