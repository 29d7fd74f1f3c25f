"""Replay finds whatever the log and the store do not agree in, names it, and finds nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from django.core.management import CommandError, call_command

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from acts.refusals import Refusal
from acts.storage import record
from ballots import services as ballots
from ballots.replay import by_code
from ballots.services.casting import _record_cast
from elections import actions
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing as closing_acts
from elections.lifecycle import deleting
from elections.roll.services import add_voters
from elections.rules import Action
from ranking.candidates import Candidate
from store import keys
from store.backup import Snapshot
from store.connect import connect
from store.log import Event, EventLog, utc_now
from store.log.layout import number_of
from store.log.seal import verify
from store.replay import Difference, Exemptions, Theatre, like
from store.schema import SCHEMA
from store.sqlite import BufferedTable, SqliteTable, rows
from store.table import DATA, LOG, Delete, Item, Key, Put, Refused, Table, Update
from tests.at_once import at_once
from tests.background import finish_background
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.copies import copy_of
from tests.people import enrol
from tests.test_replay_story import APPS, election, kinds_in, someone, told  # noqa: F401 - a fixture
from upkeep import replay
from upkeep.log.figures import site_sealer

check = partial(replay.check, report=replay.quietly)
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


def without(event: Item) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        if name != LOG or item["SK"] != event["SK"]:
            yield item

    return change


def as_it_is(name: str, item: Item) -> Iterator[Item]:
    yield item


def saying(event: Item, **said: Any) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        is_it = name == LOG and item["SK"] == event["SK"]
        yield {**item, "event_data": {**item["event_data"], **said}} if is_it else item

    return change


class Halting(Theatre):
    """A replay of the story that keeps what there is before each of some events."""

    halts: ClassVar[dict[int, Path]]  # by the number of the event, where to keep it

    def take(self, item: Item) -> Iterator[Difference]:
        if path := self.halts.get(number_of(item)):
            self.table.flush()
            forget_figures(copy_of(Path(self.table.path), path))
        return super().take(item)


def forget_figures(path: Path) -> None:
    """They are counted from all events again, also by a replay that goes on from here."""
    pk, sk, _table = keys.FIGURES
    change_file(path, f"DELETE FROM {DATA} WHERE pk = ? AND sk >= ? AND sk < ?", pk, sk, f"{sk}~")


def change_file(path: str | Path, statement: str, *values: str | bytes) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


class GoingOn(Theatre):
    """A replay that goes on from there: what came before was the same."""

    start: ClassVar[int]

    def take(self, item: Item) -> Iterator[Difference]:
        return super().take(item) if number_of(item) >= self.start else iter(())


def copy_log(source: Table, at: Snapshot, there: BufferedTable, *_options: Any) -> None:
    """Where the data there is was copied by an earlier check."""
    there.load([*source.everything()])


@contextmanager
def copied(path: Path) -> Iterator[Table]:
    with TemporaryDirectory() as folder, closing(BufferedTable(str(copy_of(path, Path(folder, "copy"))))) as table:
        table.wait_for_no_disk()
        yield table


class LogOnly(Tampered):
    """All there is to read where the data was copied before."""

    def __init__(self, table: Table, change: Change, log: list[bytes]):
        super().__init__(table, change)
        self._log = log

    def everything(self) -> Iterator[tuple[str, Item]]:
        for body in self._log:
            yield from ((LOG, changed) for changed in self._change(LOG, rows.unpack(body)))


class Found(Exception):
    """The check has found something, and need not go on."""


class Finding(replay._Findings):
    def take(self, differences: Iterable[Difference]) -> None:
        for each in differences:
            raise Found(str(each))


@pytest.fixture(scope="module")
def found_in(told, tmp_path_factory) -> Callable[[Item, Change], bool]:  # noqa: F811
    """Tells whether a check finds anything if one event, the newest of its kind, was tampered with: from that event on,
    as it takes most of the time to come so far, and until something is found. What the store has is copied once."""
    folder = tmp_path_factory.mktemp("halts")
    newest = [number_of(events_of(told, kind)[-1]) for kind in kinds_in(*APPS)]
    there, halts = folder / "there", {number: folder / f"{number}" for number in newest}
    log = [rows.pack(item) for item in told.each(keys.events())]
    settle = replay._settle

    def keep_and_settle(kept: Table, made: Table) -> None:
        kept.flush()
        change_file(copy_of(Path(kept.path), there), f"DELETE FROM {LOG}")
        settle(kept, made)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "Theatre", type("Halting", (Halting,), {"halts": halts}))
        patch.setattr(replay, "_settle", keep_and_settle)
        assert check(told, most=1).count == 0
    assert all(path.exists() for path in (there, *halts.values()))

    def judge(event: Item, change: Change) -> bool:
        stages = iter((copied(there), copied(halts[number_of(event)])))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replay, "stage", lambda kind: next(stages))
            patch.setattr(replay, "copy", copy_log)
            patch.setattr(replay, "Theatre", type("GoingOn", (GoingOn,), {"start": number_of(event)}))
            patch.setattr(replay, "_Findings", Finding)
            try:
                check(LogOnly(told, change, log))
            except Found:
                return True
        return False

    return judge


def named(verdict: replay.Verdict) -> list[tuple[str, str]]:
    return [(each.place, each.attribute) for each in verdict.first]


# --- an event is missing, or says something else ---

ANSWERS = ("Answered", "AnswerShown", "AnswerHidden", "AnswerErased")
ANSWERS += ("QuestionShown", "QuestionHidden", "QuestionErased")
WEBHOOKS = ("Added", "Changed", "Paused", "Resumed", "SecretRenewed", "Disabled", "Deleted")
UNSEEN = {  # all they change is exempt; the chain of the log misses them
    *("PersonInvited", "ResetLinkSent", "UserPasswordChanged", "RecoveryCodesMade", "RecoveryCodeUsed"),
    *("ApiTokenCreated", "ApiTokenRevoked", "RollSourceSet", "RollSourceDropped"),
    *("VotersInvited", "VoterInvitedAgain", "VotersReminded", "VotersMessaged"),
    *("InvitationWorded", "InvitationTested", "ResultMailed", "ElectionNotFilled"),
    *("VotersReaddressed", "LettersPrinted", "AnswerLinkMade", "AnswerLinkRevoked"),
    *("RequestSent", "RequestAnswered"),
    *(f"Webhook{done}" for done in WEBHOOKS),
    "BallotChanged",  # of a secret ballot, unless it was withdrawn before
    *("BookExtended", "BookClosed"),  # what is done to each question has an event of its own
}


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(kinds_in(*APPS) - UNSEEN))
def test_the_loss_of_any_event_is_found(told, found_in, kind):  # noqa: F811
    event = events_of(told, kind)[-1]
    assert found_in(event, without(event))


@pytest.mark.deep
def test_where_nothing_was_changed_nothing_is_found(told, found_in):  # noqa: F811
    """Neither from the first event on nor from a later one, or the two tests around this one would say nothing."""
    newest = sorted((events_of(told, kind)[-1] for kind in kinds_in(*APPS)), key=number_of)
    for event in (newest[0], newest[len(newest) // 2], newest[-1]):
        assert not found_in(event, as_it_is)


LOST = [  # which of its kind, and what it has changed
    ("CandidateEdited", 0, "ELECTION#board / CANDIDATE#ada", "link"),
    ("ProfileChanged", -1, "USER#ada / METADATA", "display_name"),
    ("RemindersDeclined", 0, "ELECTION#board / VOTER#late@example.org", "left_alone"),
    ("UserEmailChanged", 0, "EMAIL#ada@example.org / METADATA", ""),
    ("ElectionClosed", -1, "ELECTION#soon over / METADATA", "allow_vote"),
    ("VotersRemoved", -2, "ELECTION#prize again / VOTER#voter 4", ""),
]
RENAMED = ("ElectionRenamed", -1, "ELECTION#board / METADATA", "name")


@pytest.mark.deep
@pytest.mark.parametrize("lost", [LOST, [RENAMED]])
def test_what_lost_events_have_changed_is_named(told, lost):  # noqa: F811
    """All at once, as none has to do with another; without its new name an election would not be found by the rest."""
    gone = {events_of(told, kind)[which]["SK"] for kind, which, *_ in lost}

    def change(name: str, item: Item) -> Iterator[Item]:
        if name != LOG or item["SK"] not in gone:
            yield item

    found = named(check(Tampered(told, change), most=1000))
    assert [each for each in lost if each[2:] not in found] == []


OTHER_WORDS = [
    ("BallotCast", 3, {"rankings": "2>1"}, "ELECTION#board / BALLOT#voter 3", "rankings"),
    ("CandidatesAdded", -2, {"candidates": []}, "ELECTION#still open / CANDIDATE#ada", ""),
    ("ElectionUpdated", -1, {"remind_before": [24]}, "ELECTION#soon over / METADATA", "remind_before"),
    ("ElectionOwnerChanged", 0, {"new_owner": "Cy"}, "ELECTION#prize again / METADATA", "owner_name"),
    ("UserRoleChanged", -1, {"new_role": "VOTER"}, "USER#bo / METADATA", "role"),
    ("UserRegistered", 0, {"email": "o@example.org"}, "EMAIL#olga@example.org / METADATA", ""),
]


@pytest.mark.deep
def test_what_other_words_in_events_would_change_is_named(told):  # noqa: F811
    said = [saying(events_of(told, kind)[which], **words) for kind, which, words, *_ in OTHER_WORDS]
    found = named(check(Tampered(told, all_of(said)), most=1000))
    assert [each for each in OTHER_WORDS if each[3:] not in found] == []


TOLD_ONLY = {  # words for the reader, which no item repeats; the chain of the log keeps them
    "RecoveryCodesMade": {"count"},
    "ApiTokenCreated": {"token", "scopes", "expires_at"},
    "ApiTokenRevoked": {"token"},
    "RollSourceSet": {"kind", "nightly"},
    "ElectionCreated": {"copied_from"},
    "BallotsSealed": {"parts"},
    "VotersReminded": {"hours_before"},
    "VotersMessaged": {"subject", "message", "on_roll"},
    "InvitationWorded": {"words", "answers_to_organiser"},
    "ElectionNotFilled": {"sentence"},
    "VotersReaddressed": {"voters"},
    "LettersPrinted": {"batch", "letters", "how"},
    **{f"AnswerLink{done}": {"candidate"} for done in ("Made", "Revoked")},
    **{f"Candidate{done}": {"question", "candidate"} for done in ANSWERS},  # their texts are not logged
    "RequestSent": {"request", "kind"},
    "RequestAnswered": {"request", "kind", "outcome", "reason"},
    **{f"Station{done}": {"name"} for done in ("Opened", "Closed")},  # nothing is left of a closed one
    "CandidatesAsked": {"accounts"},  # of candidates who had been asked before
    "PersonInvited": {"email", "role"},
    **{f"Webhook{done}": {"webhook_id", "owner", "host", "types", "reason"} for done in WEBHOOKS},
    "BookExtended": {"no_voting_after"},  # which each question's own event says
    "GroupDeleted": {"at"},  # by which a worker finds it first that has waited longest; then it is gone
    "ResultSealed": {"roll_commitment"},  # its secret is in no log; `verify` holds it against the roll
}


def another(value: Any) -> Any:
    """Something else of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        return [another(each) for each in value[:1]] + value[1:] if value else ["another"]
    if isinstance(value, dict):
        return {name: another(each) for name, each in value.items()}
    return value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.deep
def test_another_word_in_any_event_is_found(told, found_in):  # noqa: F811
    """Every word of an event of every kind, one at a time."""
    last = {kind: events_of(told, kind)[-1] for kind in sorted(kinds_in(*APPS))}
    words = [(kind, word) for kind, event in last.items() for word in event["event_data"]]
    passed_over = [
        (kind, word)
        for kind, word in words
        if word not in TOLD_ONLY.get(kind, ()) and not is_found(found_in, last[kind], word)
    ]
    assert passed_over == []


def is_found(found_in: Callable[[Item, Change], bool], event: Item, word: str) -> bool:
    return found_in(event, saying(event, **{word: another(event["event_data"][word])}))


# --- an item is missing, or is another, or is one too many ---


def damageable(table: Table) -> dict[Key, str]:
    """Of every kind of item that is compared wherever it lies the first, and an attribute of it that is compared."""
    exempt, found = Exemptions(SCHEMA.exempt), dict[Key, tuple[Key, str]]()
    for name, item in table.everything():
        rows = exempt.of(item) if name == DATA and item["PK"] != keys.METADATA else None
        if rows is not None and not any(
            row.until or row.within or row.named or row.summed or row.may_be_gone for row in rows
        ):
            key = Key(item["PK"], item["SK"])
            compared = [each for each in item if not each.startswith(("PK", "SK", "GSI1", "ttl"))]
            for attribute in (each for each in compared if not any(row.spares(each) for row in rows)):
                found.setdefault(like(key), (key, attribute))
    return dict(found.values())


def lost(item: Item, attribute: str) -> list[Item]:
    return []


def changed(item: Item, attribute: str) -> list[Item]:
    return [item | {attribute: "something else" if item[attribute] != "something else" else ""}]


def one_too_many(item: Item, attribute: str) -> list[Item]:
    return [item, item | {"SK": f"{item['SK']}~"}]


@pytest.mark.few(2)
@pytest.mark.parametrize("damage", [lost, changed, one_too_many])
def test_damage_to_any_kind_of_item_is_named(told, damage):  # noqa: F811
    """All kinds at once: replay compares what is not the very same, so that no kind has a check of its own."""
    items = damageable(told)
    assert len(items) > 20

    def change(name: str, item: Item) -> Iterator[Item]:
        attribute = items.get(Key(item["PK"], item["SK"])) if name == DATA else None
        yield from damage(item, attribute) if attribute else [item]

    found = {place for place, _attribute in named(check(Tampered(told, change), most=100_000))}
    ending = "~" if damage is one_too_many else ""
    assert [key for key in items if f"{key.pk} / {key.sk}{ending}" not in found] == []


def test_an_event_nobody_knows_is_named(told):  # noqa: F811
    event = events_of(told, "ManagerAdded")[0]

    def change(name: str, item: Item) -> Iterator[Item]:
        yield item | ({"event_type": "ThingMade"} if item["SK"] == event["SK"] else {})

    first = check(Tampered(told, change)).first[0]
    assert str(first) == f"event {event['event_id']} (ThingMade): is of a kind that nobody here knows."


# --- the store says something else ---


def changed(place: str, **attributes: Any) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        is_it = name == DATA and f"{item['PK']} / {item['SK']}".startswith(place)
        yield item | (attributes if is_it else {})

    return change


def all_of(changes: Iterable[Change]) -> Change:
    def change(name: str, item: Item) -> Iterator[Item]:
        for each in changes:
            (item,) = each(name, item)
        yield item

    return change


BEHIND_OUR_BACK = [
    ("USER#ada / METADATA", "role", "OWNER"),
    ("USER#ada / METADATA", "planted", None),
    ("PEOPLE / bo", "email", "eve@example.org"),
    ("METADATA / OWNER", "name", "Eve"),
    ("ELECTION#board / METADATA", "allow_vote", True),
    ("ELECTION#board / METADATA", "seats", True),
    ("ELECTION#board / VOTER#voter 0", "voted", False),
    ("ELECTION#board / BALLOT#voter 0", "rankings", "0"),
    ("ELECTION#board / GATE#", "voted", 7),
    ("ELECTION#board / GATE#", "open", True),
    ("ELECTION#prize / BALLOT#", "rankings", "1>0>2"),
    ("ELECTION#prize / PUBLISHED#0000", "ballots", []),
    ("ELECTION#prize / RESULT", "digest", "0" * 64),
    ("ELECTION#prize / RESULT#0000", "text", "{}"),
    ("ELECTION#prize / COUNTED#0000", "text", "{}"),
]


def test_every_change_behind_our_back_is_named_and_nothing_else(told):  # noqa: F811
    changes = [changed(place, **{name: value}) for place, name, value in BEHIND_OUR_BACK]
    found = named(check(Tampered(told, all_of(changes)), most=100))
    unnamed = [each for each in BEHIND_OUR_BACK if not any(_is_about(*found_, each) for found_ in found)]
    assert unnamed == []
    assert [each for each in found if not any(_is_about(*each, one) for one in BEHIND_OUR_BACK)] == []


def _is_about(place: str, attribute: str, planted: tuple[str, str, Any]) -> bool:
    return place.startswith(planted[0]) and attribute == planted[1]


def test_an_item_that_is_gone_is_named(told):  # noqa: F811
    def change(name: str, item: Item) -> Iterator[Item]:
        if item["SK"] != "VOTER#voter 3":
            yield item

    places = [(each.place, each.message) for each in check(Tampered(told, change)).first]
    gone = "follows from the log, but is not in the store."
    assert ("ELECTION#board / VOTER#voter 3", gone) in places


def test_a_secret_ballot_that_is_there_twice_is_named(told):  # noqa: F811
    def change(name: str, item: Item) -> Iterator[Item]:
        yield item
        if name == DATA and item["PK"] == "ELECTION#prize" and item["SK"].startswith("BALLOT#"):
            yield {**item, "SK": "BALLOT#planted"}

    verdict = check(Tampered(told, change))
    assert verdict.count > 0
    assert {each.message for each in verdict.first} == {"is in the store more than once."}


def test_a_secret_ballot_that_was_put_in_is_named(told):  # noqa: F811
    def change(name: str, item: Item) -> Iterator[Item]:
        is_one = name == DATA and item["PK"] == "ELECTION#prize" and item["SK"].startswith("BALLOT#")
        yield item | ({"confirmation": f"{item['SK'][7:11]}-MADE-UP"} if is_one else {})

    words = {each.message for each in check(Tampered(told, change)).first}
    assert words == {"is in the store, but does not follow from the log."}


def test_a_box_may_be_emptied_once_its_ballots_are_published(told):  # noqa: F811
    def change(name: str, item: Item) -> Iterator[Item]:
        if not (name == DATA and item["PK"] == "ELECTION#prize" and item["SK"].startswith("BALLOT#")):
            yield item

    assert check(Tampered(told, change)).first == ()


def in_the_file(table: Table, change: Change, path: Path) -> SqliteTable:
    """A copy of the store in whose file an item is what the change makes of it."""
    copy = SqliteTable(str(copy_of(Path(table.path), path)), clock=table.clock)
    for name, item in table.everything():
        after = [*change(name, item)]
        if after != [item]:
            copy.write(Delete(Key(item["PK"], item["SK"], name)))
            copy.load([(name, each) for each in after])
    return copy


def test_what_was_changed_in_the_file_itself_is_named(told, tmp_path):  # noqa: F811
    """The rows of the embedded store are copied as they are, which no wrapper around it sees."""
    changes = [changed(place, **{name: value}) for place, name, value in BEHIND_OUR_BACK]
    event = events_of(told, "ProfileChanged")[-1]
    every = all_of([*changes, saying(event, display_name="Somebody else")])
    with closing(in_the_file(told, every, tmp_path / "changed")) as store:
        found = named(check(store, most=100))
    planted = [*BEHIND_OUR_BACK, ("USER#", "display_name", None)]
    assert [each for each in planted if not any(_is_about(*one, each) for one in found)] == []


@pytest.mark.deep
def test_a_lost_event_and_a_lost_item_in_the_file_are_found(told, tmp_path):  # noqa: F811
    event = events_of(told, "VotersRemoved")[-1]

    def lose_item(name: str, item: Item) -> Iterator[Item]:
        if item["SK"] != "VOTER#voter 3":
            yield item

    for number, change in enumerate((without(event), lose_item)):
        with closing(in_the_file(told, change, tmp_path / str(number))) as store:
            assert check(store).count > 0


@pytest.mark.few(1)
@pytest.mark.parametrize("has_lost", [True, False])
def test_a_second_secret_ballot_under_its_code_is_named(told, tmp_path, has_lost):  # noqa: F811
    """There it lies in the rebuilt store, so that it is the very same; unless the first is gone, there is one too
    many."""

    def change(name: str, item: Item) -> Iterator[Item]:
        is_ballot = name == DATA and item["PK"] == "ELECTION#prize" and item["SK"].startswith("BALLOT#")
        is_ballot = is_ballot and "confirmation" in item
        if not is_ballot or not has_lost:
            yield item
        if is_ballot:
            yield {**item, "SK": by_code(item).sk}

    with closing(in_the_file(told, change, tmp_path / "copy")) as store:
        words = {each.message for each in check(store).first}
    assert words == (set() if has_lost else {"is in the store more than once."})


# --- nothing is found while the site is at work ---


def test_a_shut_ballot_box_of_which_the_log_does_not_say_so_yet(site, person, opened):  # noqa: F811
    for number, secret in enumerate((True, False)):
        made = opened("Eve", name=f"Election {number}", secret_ballot=secret, electorate="everyone")
        ballots.cast(people.find("Eve") or person("Eve"), made.name, ranks(Ada=1), made.name)
        begun = closing_acts.CLOSING.begin(elections.find(made.name), "the organiser")
        assert check(site).first == (), "it is said, and all gates are open"
        site.write(elections.shut_gates(begun)[3])
        assert check(site).first == (), "some gates are shut"
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
    deleting.delete(ada, elections.find("Board"))
    assert site.get(keys.voter("Board", "eve@example.org")) is not None
    assert check(site).first == ()
    assert finish_background("delete election") == 1
    assert check(site).first == ()


def test_ballots_that_are_published_and_not_counted_yet(site, person, opened, monkeypatch):  # noqa: F811
    monkeypatch.setattr("ballots.services.sealing.COUNTING", [])
    for number, secret in enumerate((True, False)):
        made = opened("Eve", name=f"Election {number}", secret_ballot=secret)
        ballots.cast(people.find("Eve") or person("Eve"), made.name, ranks(Ada=1), made.name)
        closing_acts.close(someone("the organiser"), election(made.name))
    ballots.seal_closed()
    verdict = check(site)
    assert verdict.first == ()
    assert verdict.lost == ("Election 0",)


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
    ballots.seal_closed()
    assert check(site).first == ()


@pytest.mark.parametrize("secret", [True, False])
def test_nothing_happens_any_more_to_an_election_that_is_deleted(site, person, opened, secret):  # noqa: F811
    """Not even by somebody who has looked at it before, while what is left of it is still being deleted."""
    eve, made = person("Eve"), opened("Eve", secret_ballot=secret)
    standing, ada = ballots.standing_of(eve, "Board"), someone("the organiser")
    deleting.delete(ada, made)
    with pytest.raises(Refused):
        _record_cast(eve, standing, "0", utc_now(), "form", paper=False)
    for act in (partial(mailing.invite, ada, made), partial(add_voters, ada, made, ["bo@example.org"])):
        with pytest.raises(Refusal):
            act()
    mailing.unsubscribe("Board", "Eve")
    assert events_of(site, "ElectionDeleted")[0]["event_id"] == max(
        event["event_id"] for event in site.each(keys.events())
    )


# --- counts ---


@pytest.mark.deep
def test_what_the_sealer_counts_is_counted_again(told, settings):  # noqa: F811
    settings.STORE_URL = f"sqlite://{told.path}"
    site_sealer().seal()
    assert check(told).first == ()
    accounts.make_demo_person("Later", Role.VOTER, "", "correct horse battery")
    assert check(told).first == (), "what is not sealed yet is not counted yet"
    told.write(Update(keys.COUNTS, add={"user_count": 1}), Update(keys.FIGURES, add={"role_OWNER": 1}))
    wrong = [("METADATA / COUNTS", "user_count"), ("METADATA / FIGURES", "role_OWNER")]
    assert named(check(told)) == wrong
    told.write(Update(keys.COUNTS, add={"user_count": -1}), Update(keys.FIGURES, add={"role_OWNER": -1}))


# --- the command ---


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("replay", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def voted(site, person, opened):  # noqa: F811
    """A sealed secret election and an open public one, with a ballot each."""
    for name, secret in (("Prize", True), ("Board", False)):
        opened("Eve", name=name, secret_ballot=secret)
        ballots.cast(people.find("Eve") or person("Eve"), name, ranks(Ada=1, Bo=2), name)
    closing_acts.close(someone("the organiser"), election("Prize"))
    ballots.seal_closed()
    site_sealer().seal()
    return site


def test_the_command_says_that_log_and_store_agree(voted):
    assert run("--check").splitlines()[-1] == "The log and the store agree."


def test_the_command_names_the_first_differences_and_fails(voted):
    voted.write(Update(keys.voter("Board", "Eve"), set={"voted": False}))
    out = StringIO()
    with pytest.raises(CommandError, match=r"differ\. Differences: 1") as failure:
        call_command("replay", "--check", stdout=out, stderr=StringIO())
    assert failure.value.returncode == 1
    assert "ELECTION#board / VOTER#eve, voted: is not what follows from the log." in out.getvalue()


def test_the_command_leaves_a_rebuilt_store_that_goes_on(voted, tmp_path, settings):
    settings.STORE_URL, live = f"sqlite://{tmp_path}/rebuilt.sqlite3", settings.STORE_URL
    settings.STORE_URL, rebuilt = live, settings.STORE_URL
    run("--into", rebuilt)
    settings.STORE_URL = rebuilt
    table = connect(rebuilt)
    assert table.get(keys.RESTORING) is None
    assert verify(table) == verify(voted)
    assert run("--check").splitlines()[-1] == "The log and the store agree."
    assert not someone("Eve").check_password("correct horse battery")
    ballots.cast(someone("Eve"), "Board", ranks(Cy=1), "again")
    closing_acts.close(someone("the organiser"), election("Board"))
    ballots.seal_closed()
    assert site_sealer().seal() > 0
    assert verify(table).flaw is None
    assert check(table).first == ()


def test_the_command_says_whose_secret_ballots_no_log_has(site, person, opened, tmp_path):  # noqa: F811
    opened("Eve", name="Prize")
    ballots.cast(person("Eve"), "Prize", ranks(Ada=1), "form")
    told = StringIO()  # noqa: F811
    call_command("replay", "--into", f"sqlite://{tmp_path}/rebuilt.sqlite3", stdout=StringIO(), stderr=told)
    assert "secret ballots are not in the log: Prize" in told.getvalue()


def test_nothing_is_rebuilt_over_something(voted, tmp_path):
    url = f"sqlite://{tmp_path}/other.sqlite3"
    connect(url).create()
    EventLog(connect(url)).record(Event("Ada", "ThingMade"), Put({"PK": "THING", "SK": "METADATA"}))
    with pytest.raises(CommandError, match="not empty"):
        run("--into", url)


def test_a_store_rebuilt_from_a_log_that_does_not_fit_stays_marked(voted, tmp_path):
    (event,) = events_of(voted, "BallotsSealed")
    voted.write(Delete(keys.event(event["event_id"], event["when_occurred"])))
    url = f"sqlite://{tmp_path}/rebuilt.sqlite3"
    with pytest.raises(CommandError, match="differ"):
        run("--into", url)
    assert connect(url).get(keys.RESTORING) is not None


def test_the_exceptions_are_told_with_their_reasons(site):
    lines = run("--exceptions").splitlines()
    assert len(lines) == len(SCHEMA.exempt) + len(replay.STEPS)
    assert any(
        line.startswith("USER# / METADATA: hash, salt, session_salt, last_login - The log contains") for line in lines
    )


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
