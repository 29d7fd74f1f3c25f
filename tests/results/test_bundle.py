"""The bundle: always the same bytes; its own program says yes to it, and no to anything that was changed."""

from __future__ import annotations

import ast
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts import repository as people
from ballots import services as voting
from elections import repository as elections
from elections.candidates import add_candidates, remove_candidates
from elections.drafts import services as drafts
from elections.invitations import messages
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters, remove_voter
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event, EventLog, seal
from foundation.store.log.publish import public_hash
from foundation.store.table import Update
from foundation.tally.ballots import Ballots, groups_of, ranking_of
from foundation.tally.methods import KIND_OF, count
from results import services
from results.exports import bundle, verify, verify_stv
from tests.clock import at_its_own_moment
from tests.people import confirm, enrol
from tests.tally.examples import random_marks
from tests.tally.published_marks import CASES

PROGRAM = Path(verify.__file__)
CYCLE = ["0>1>2", "0>1>2", "1>2>0", "1>2>0", "2>0>1", "2>0>1", "0"]
Files = dict[str, bytes]


@pytest.fixture
def held(person) -> Callable[..., str]:
    """Hold an election from draft to sealed result; rankings are by number, in the order of the candidates."""

    def hold(rankings, candidates=("Ada", "Bo", "Cy"), name="Board", voters=None, **rules) -> str:
        owner = people.find("the organiser") or person("the organiser")
        names = voters or [f"voter {number}" for number in range(len(rankings))]
        election = drafts.create(owner, name, **rules)
        add_candidates(owner, election, [Candidate(each) for each in candidates])
        enrol(*names, "idle")
        add_voters(owner, elections.find(name), [*names, "idle"])
        lifecycle.open_(owner, elections.find(name), editable=False)
        for voter, ranking in zip(names, rankings, strict=True):
            cast(person, name, voter, ranking)
        finish(name)
        return name

    return hold


def cast(person, election: str, voter: str, ranking: str, form: str = "") -> None:
    by_address = "@" in voter
    user = people.find_by_email(voter) if by_address else people.find(voter)
    user = user or person(voter.partition("@")[0], email=voter if by_address else None)
    boxes = {str(n): [str(rank)] for rank, group in enumerate(groups_of(ranking), 1) for n in group}
    voting.cast(user, election, boxes, form or f"{election} {voter} {ranking}")


def finish(name: str) -> None:
    closing.close(people.find("the organiser"), elections.find(name))
    assert services.find(name).report is not None
    seal.Sealer(table()).seal()


def taken(name: str = "Board") -> bytes:
    with bundle.bundle(services.find(name)) as file:
        return file.read()


def unpacked(name: str = "Board") -> Files:
    with zipfile.ZipFile(io.BytesIO(taken(name))) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def run(path: Path, name: str = "verify.py") -> tuple[int, str]:
    """As anybody would: an interpreter with nothing installed, and nothing of ours in reach."""
    program = path / name if path.is_dir() else PROGRAM.with_name(name)
    arguments = [sys.executable, "-I", "-S", str(program), *([] if path.is_dir() else [str(path)])]
    done = subprocess.run(
        arguments, capture_output=True, text=True, encoding="utf-8", cwd=path.parent, timeout=240, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.fixture
def verdict(tmp_path) -> Callable[..., tuple[int, str]]:
    """What the program in the bundle says of it; here, where it need not be started each time, unless `as_anybody`."""

    def judge(files: Files, as_anybody: bool = False) -> tuple[int, str]:
        folder = tmp_path / "bundle"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        if as_anybody or files["verify.py"] != PROGRAM.read_bytes():
            return run(folder)
        with redirect_stdout(io.StringIO()) as said:
            return verify.main(folder), said.getvalue()

    return judge


def events_in(files: Files) -> list[dict]:
    return [json.loads(line) for line in files["events.jsonl"].splitlines()]


def told_in(files: Files) -> list[dict]:
    """Those of which not only the digest is there."""
    return [event for event in events_in(files) if "event_type" in event]


def roll_in(files: Files) -> list[tuple[str, bool | None]]:
    return [(each["name"], each["voted"]) for each in json.loads(files["roll.json"])["voters"]]


# --- it says yes ---


@pytest.mark.parametrize("secret", [True, False])
def test_the_public_gets_one_without_the_names_of_voters_that_checks_all_the_same(held, verdict, secret):
    held(CYCLE, secret_ballot=secret, voters=[*(f"voter {number}" for number in range(6)), "ann@example.org"])
    with bundle.bundle(services.find("Board"), names_voters=False) as file, zipfile.ZipFile(file) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    for name, content in files.items():
        assert b"voter 1" not in content, name
        assert b"example.org" not in content, name
        assert b"idle" not in content, name
    status, said = verdict(files)
    assert status == 0, said
    assert "8 are on the roll, and 7 of them have voted" in said
    roll = json.loads(files["roll.json"])
    roll["voters"][0]["commitment"] = roll["voters"][1]["commitment"]
    assert verdict(files | {"roll.json": json.dumps(roll).encode()})[0] == 1


HELD = {
    "secret, a cycle": (CYCLE, {}),
    "public": (CYCLE, {"secret_ballot": False}),
    "ranked pairs": ([*CYCLE, "1=2", ""], {"method": "ranked-pairs"}),
    "no opinion": (["0>1", "2", "2>0", "1"], {"unranked": "no-opinion"}),
    "instant runoff, by lot": (["0>1", "1>2", "2>0"], {"method": "irv"}),
    "instant runoff, equals": (["0=1", "1=2>0", "2>0", "0>2", ""], {"method": "irv", "secret_ballot": False}),
    "Borda": (["0>1=2", "2", "1>0", ""], {"method": "borda"}),
    "a tie": (["0", "1", "0=1"], {}),
    "nobody came": ([], {}),
    "names from right to left": (
        ["0>1>2", "2>1", "1=0"],
        {"candidates": ("דוד בן־גוריון", "نجيب محفوظ", "Ægir “the” <b>"), "name": "בחירות 2026"},
    ),
    "everybody": (CYCLE, {"electorate": "everyone"}),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", HELD)
def test_the_program_in_the_bundle_says_yes(held, verdict, kind):
    rankings, rules = HELD[kind]
    files = unpacked(held(rankings, **rules))
    status, said = verdict(files, as_anybody=True)
    assert status == 0, said
    assert said.splitlines()[-1].startswith("YES")
    assert "counted again by the rules of" in said
    assert verdict(files) == (status, said), "it says the same where it need not be started"


@pytest.mark.parametrize("method", ["stv-scottish", "stv-meek"])
def test_of_stv_it_says_that_only_the_digest_is_checked(held, verdict, method):
    status, said = verdict(unpacked(held(["0>1", "0>1", "0>2", "2", "1"], method=method, seats=2)))
    assert status == 0, said
    assert f"NOT MADE AGAIN here: of {method}" in said


STV = ["0>1", "0>1", "0>2", "0=1>2", "2", "1", "3>2", "3>1"]


@pytest.mark.deep
def test_scottish_stv_is_counted_again_by_a_program_of_its_own(held, verdict, tmp_path):
    files = unpacked(held(STV, candidates=("Ada", "Bo", "Cy", "Dee"), method="stv-scottish", seats=2))
    (tmp_path / "bundle").mkdir()
    assert verdict(files)[0] == 0
    status, said = run(tmp_path / "bundle", "verify_stv.py")
    assert (status, said[:4]) == (0, "YES "), said
    verdict(changed(files, "rules.json", lambda rules: rules.update(seats=1)))
    status, said = run(tmp_path / "bundle", "verify_stv.py")
    assert (status, said[:4]) == (1, "NO  ")
    (tmp_path / "bundle" / "rules.json").unlink()
    status, said = run(tmp_path / "bundle", "verify_stv.py")
    assert (status, said[:60]) == (1, "NO  rules.json, ballots.json or result.json is missing or br")


def test_it_also_reads_the_zip_as_it_is(held, tmp_path):
    held(STV, candidates=("Ada", "Bo", "Cy", "Dee"), method="stv-scottish", seats=2)
    (tmp_path / "bundle.zip").write_bytes(taken())
    for program in ("verify.py", "verify_stv.py"):
        status, said = run(tmp_path / "bundle.zip", program)
        assert status == 0, said


def test_the_same_election_gives_the_same_bytes(held, site):
    held(CYCLE)
    first = taken()
    EventLog(site).record(Event("somebody", "SomethingElse"))
    seal.Sealer(site).seal()
    assert taken() == first


@pytest.mark.parametrize("program", [verify, verify_stv])
def test_the_programs_are_short_and_need_nothing(program):
    source = Path(program.__file__).read_text()
    assert len(source.splitlines()) < 680
    tree = ast.parse(source, feature_version=(3, 8))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


# --- the extract ---


def test_events_are_found_among_those_of_others_over_many_checkpoints(held, site, verdict, monkeypatch):
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 5)
    log = EventLog(site)
    for number in range(12):
        log.record(Event("somebody", "SomethingElse", {"number": number}))
    held(["0", "1"], name="Other")
    log.void(site.increment(keys.EVENT_NUMBER, "last"))
    held(CYCLE)
    held(["2"], name="Later")
    files = unpacked()
    assert {event["event_data"]["election_name"] for event in told_in(files)} == {"Board"}
    status, said = verdict(files)
    assert status == 0, said


def test_an_earlier_election_of_the_same_name_is_another_one(held, site, verdict):
    held(["2", "2"])
    at_its_own_moment(lambda: lifecycle.delete(people.find("the organiser"), elections.find("Board")))
    held(CYCLE, voters=[f"new {number}" for number in range(len(CYCLE))])
    files = unpacked()
    assert [event["event_type"] for event in told_in(files)].count("ElectionCreated") == 1
    status, said = verdict(files)
    assert status == 0, said


def test_an_election_keeps_its_events_through_a_change_of_name(person, site, verdict):
    owner = person("the organiser")
    draft = drafts.create(owner, "Bored", secret_ballot=False)
    add_candidates(owner, draft, [Candidate("Ada"), Candidate("Bo"), Candidate("Typo")])
    enrol("Eve", "Fay")
    add_voters(owner, elections.find("Bored"), ["Eve", "Fay"])
    drafts.rename(owner, elections.find("Bored"), "Board")
    remove_candidates(owner, elections.find("Board"), "typo")
    add_candidates(owner, elections.find("Board"), [Candidate("Cy")])
    remove_voter(owner, elections.find("Board"), "Fay")
    lifecycle.open_(owner, elections.find("Board"), editable=True)
    cast(person, "Board", "Eve", "0")
    finish("Board")
    files = unpacked()
    assert [event["event_type"] for event in events_in(files)][:2] == ["ElectionCreated", "CandidatesAdded"]
    status, said = verdict(files)
    assert status == 0, said


def test_changed_and_withdrawn_ballots_are_told_as_they_were(person, site, verdict):
    owner = person("the organiser")
    enrol("Eve", "Fay")
    drafts.create(owner, "Board", secret_ballot=False, electorate="everyone")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Bo")])
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    cast(person, "Board", "Eve", "0")
    cast(person, "Board", "Eve", "1")
    cast(person, "Board", "Fay", "0")
    voting.withdraw(people.find("Fay"), "Board", "form")
    finish("Board")
    files = unpacked()
    assert [(each["voter_name"], each["rankings"]) for each in json.loads(files["ballots.json"])] == [("Eve", "1")]
    assert roll_in(files) == [("Eve", True), ("Fay", False)]
    status, said = verdict(files)
    assert status == 0, said


def test_there_is_no_bundle_before_the_log_is_sealed(held, site, monkeypatch):
    monkeypatch.setattr(seal.Sealer, "seal", lambda self: 0)
    held(["0"])
    with pytest.raises(bundle.NotSealedYet):
        taken()


# --- what is not told ---


def test_addresses_are_not_told(held, verdict):
    files = unpacked(held(CYCLE[:3], voters=["eve@example.org", "Fay", "gil@example.org"], secret_ballot=False))
    assert not any(b"eve@" in content or b"gil@" in content for content in files.values())
    assert [name for name, voted in roll_in(files) if voted] == [
        "e…@example.org",
        "Fay",
        "g…@example.org",
    ]
    status, said = verdict(files)
    assert status == 0, said
    assert "(3 by digest only)" in said  # the roll with the addresses, and two ballots


def test_of_very_few_in_secret_it_is_not_told_who_they_were(held, verdict):
    files = unpacked(held(["0", "1>0"]))
    assert not any(event.get("event_type") == "BallotCast" for event in events_in(files))
    assert [voted for name, voted in roll_in(files)] == [None] * 3
    assert json.loads(files["roll.json"])["voted"] == 2
    status, said = verdict(files)
    assert status == 0, said


def test_an_entry_of_the_roll_has_its_nonce_only_if_it_is_told_in_full(held):
    files = unpacked(held(CYCLE[:3], voters=["eve@example.org", "Fay", "gil@example.org"], secret_ballot=False))
    kept = {each["name"]: {"nonce", "commitment"} & set(each) for each in json.loads(files["roll.json"])["voters"]}
    by_name, by_address = {"nonce"}, {"commitment"}
    assert kept == {"e…@example.org": by_address, "Fay": by_name, "g…@example.org": by_address, "idle": by_name}


def test_where_it_is_not_told_who_has_voted_no_entry_can_be_opened(held):
    files = unpacked(held(["0", "1>0"]))
    assert not any("nonce" in each for each in json.loads(files["roll.json"])["voters"])


def test_nothing_tells_of_the_checkpoints_of_every_few_seconds(held, site, verdict, monkeypatch):
    """However many there were, and whatever their times."""
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 1)
    files = unpacked(held(CYCLE))
    (point,) = map(json.loads, files["checkpoints.jsonl"].splitlines())
    fine = list(site.each(keys.checkpoints()))
    assert len(fine) > len(CYCLE)
    hash_ = public_hash(fine[-1]["hash"], point["sealed_by"])
    assert (point["first_event_id"], point["event_id"], point["hash"]) == (1, len(fine), hash_)
    own = {each["when_occurred"] for each in site.each(keys.events())}  # one may be of the same millisecond
    times = [each["when_sealed"].encode() for each in fine if each["when_sealed"] not in own]
    assert not any(moment in content for moment in times for content in files.values())
    assert not any(each["hash"].encode() in content for each in fine[:-1] for content in files.values())
    status, said = verdict(files)
    assert status == 0, said


def test_the_words_of_a_message_cannot_be_tried_out(person, site, verdict):
    owner = confirm(person("the organiser"))
    person("Eve")
    drafts.create(owner, "Board")
    add_candidates(owner, elections.find("Board"), [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, elections.find("Board"), ["Eve"])
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    messages.send(owner, elections.find("Board"), "The room", "It is room 5.")
    finish("Board")
    (sent,) = site.each(keys.messages("Board"))
    files = unpacked()
    assert not any(sent["SK"].partition("#")[2].encode() in content for content in files.values())
    status, said = verdict(files)
    assert status == 0, said


def test_of_a_secret_election_nobody_is_told_how_or_when_somebody_voted(held):
    files = unpacked(held(CYCLE))
    assert "BallotCast" not in {event["event_type"] for event in told_in(files)}
    assert len(events_in(files)) - len(told_in(files)) == len(CYCLE)
    assert all(set(each) == {"confirmation", "rankings"} for each in json.loads(files["ballots.json"]))


# --- it says no ---


def changed(files: Files, name: str, change: Callable) -> Files:
    content = json.loads(files[name])
    change(content)
    return files | {name: json.dumps(content, ensure_ascii=False).encode()}


def without_event(files: Files, kind: str) -> tuple[Files, int]:
    lines = files["events.jsonl"].splitlines(keepends=True)
    kinds = [json.loads(line).get("event_type", "BallotCast") for line in lines]  # a secret election's are not told
    place = kinds.index(kind)
    return files | {"events.jsonl": b"".join(lines[:place] + lines[place + 1 :])}, json.loads(lines[place])["event_id"]


MADE: dict[bool, Files] = {}  # holding an election takes longer than looking at its bundle


@pytest.fixture(params=[True, False], ids=["secret", "public"])
def files(request) -> Files:
    if request.param not in MADE:
        held = request.getfixturevalue("held")
        MADE[request.param] = unpacked(held(CYCLE, method="irv", secret_ballot=request.param))
    return dict(MADE[request.param])


def test_a_changed_ballot_is_named(files, verdict):
    code = json.loads(files["ballots.json"])[3]["confirmation"]
    status, said = verdict(changed(files, "ballots.json", lambda each: each[3].update(rankings="2>1>0=3"[:5])))
    assert (status, said.splitlines()[-1]) == (1, f"NO  Ballot {code} is not in ballots.json as in the log.")


def test_a_removed_ballot_is_named(files, verdict):
    code = json.loads(files["ballots.json"])[2]["confirmation"]
    status, said = verdict(changed(files, "ballots.json", lambda each: each.pop(2)))
    assert (status, said.splitlines()[-1]) == (1, f"NO  Ballot {code} is not in ballots.json as in the log.")


def test_an_added_ballot_is_named(files, verdict):
    extra = {"confirmation": "ZZZZ-ZZZZ-ZZZZ-ZZZZ", "rankings": "1"}
    status, said = verdict(changed(files, "ballots.json", lambda each: each.append(extra)))
    assert (status, said.splitlines()[-1]) == (
        1,
        "NO  Ballot ZZZZ-ZZZZ-ZZZZ-ZZZZ is not in ballots.json as in the log.",
    )


@pytest.mark.parametrize("kind", ["ElectionCreated", "CandidatesAdded", "BallotCast", "ElectionClosed", "ResultSealed"])
def test_a_removed_event_is_named(files, verdict, kind):
    tampered, number = without_event(files, kind)
    status, said = verdict(tampered)
    assert (status, said.splitlines()[-1]) == (1, f"NO  Event {number} is missing.")


def test_a_changed_event_is_named(files, verdict):
    number = next(event["event_id"] for event in events_in(files) if event["event_type"] == "ElectionOpened")
    lines = files["events.jsonl"].replace(b'"editable":false', b'"editable":true')
    status, said = verdict(files | {"events.jsonl": lines})
    assert (status, said.splitlines()[-1]) == (1, f"NO  Event {number} is not what was sealed.")


def test_swapped_candidates_are_named(files, verdict):
    def swap(rules):
        first, second = rules["candidates"][:2]
        first["name"], second["name"] = second["name"], first["name"]

    status, said = verdict(changed(files, "rules.json", swap))
    assert status == 1
    assert said.splitlines()[-1].startswith("NO  The candidate “Ada” is not in rules.json as in the log")


def test_a_changed_winner_is_named(files, verdict):
    true = json.loads(files["result.json"])["result"]["winners"]
    (other,) = {"Cy"} - set(true) or {"Bo"}
    status, said = verdict(changed(files, "result.json", lambda report: report["result"].update(winners=[other])))
    assert (status, said.splitlines()[-1]) == (1, f"NO  Counted again, {true[0]} won; result.json says {other}.")


def test_a_changed_reason_does_not_have_the_sealed_digest(files, verdict):
    status, said = verdict(changed(files, "result.json", lambda report: report["result"]["rounds"][0].update(number=9)))
    assert (status, said.splitlines()[-1]) == (1, "NO  result.json does not have the digest that was sealed.")


@pytest.mark.parametrize(("key", "value"), [("seed", "chosen"), ("method", "borda"), ("unranked", "no-opinion")])
def test_a_changed_rule_is_named(files, verdict, key, value):
    status, said = verdict(changed(files, "rules.json", lambda rules: rules.update({key: value})))
    assert status == 1
    assert said.splitlines()[-1].startswith(f"NO  rules.json says that {key} is “{value}”; by the log it is “")


def test_somebody_said_to_have_voted_is_named(files, verdict):
    status, said = verdict(changed(files, "roll.json", lambda roll: roll["voters"][0].update(voted=True)))
    assert (status, said.splitlines()[-1]) in (
        (1, "NO  “idle” is not on the roll as in the log: there, and having voted or not."),
        (1, "NO  The roll is not as long as it says, or not so many on it have voted."),  # where the log is silent
    )


@pytest.mark.parametrize("name", ["idle", "voter 3"])
def test_an_entry_of_the_roll_that_is_not_what_was_sealed_is_noticed(files, verdict, name):
    def another(roll):
        entry = next(each for each in roll["voters"] if each["name"] == name)
        entry["nonce"] = "00" * 32

    status, said = verdict(changed(files, "roll.json", another))
    assert (status, said.splitlines()[-1]) == (1, "NO  The roll is not what was sealed with the result.")


def test_an_address_put_in_the_place_of_another_is_noticed(held, verdict):
    files = unpacked(held(CYCLE[:3], voters=["eve@example.org", "Fay", "gil@example.org"]))

    def swap(roll):
        eve, gil = (each for each in roll["voters"] if "commitment" in each)
        eve["commitment"], gil["commitment"] = gil["commitment"], eve["commitment"]

    status, said = verdict(changed(files, "roll.json", swap))
    assert (status, said.splitlines()[-1]) == (1, "NO  The roll is not what was sealed with the result.")


def test_a_checkpoint_that_was_made_up_is_noticed(files, verdict):
    point = json.loads(files["checkpoints.jsonl"])
    tampered = json.dumps(point | {"hash": "0" * 64}).encode()
    status, said = verdict(files | {"checkpoints.jsonl": tampered})
    assert status == 1
    assert "does not lead to its hash" in said


# What is done to a file, and the sentence about it.
CONTENT = ("rules.json", "roll.json", "ballots.json", "result.json", "events.jsonl", "checkpoints.jsonl")
LATER = "2026-11-15T23:59:59.000Z"
ASTRAY = "The check of the {} met with something that is not in any bundle."


def rules(**values) -> tuple[str, Callable]:
    return "rules.json", lambda content: content.update(values)


def text(name: str, change: Callable[[bytes], bytes | None]) -> tuple[str, Callable]:
    """Done to the bytes; `None` if the file goes."""
    return f"{name} as bytes", change


def line(name: str, **values) -> tuple[str, Callable]:
    """Done to the last line of a file of lines."""

    def change(content: bytes) -> bytes:
        *lines, last = content.splitlines()
        return b"\n".join([*lines, json.dumps(json.loads(last) | values).encode()])

    return text(name, change)


DAMAGES: dict[str, tuple[tuple[str, Callable], str]] = {
    **{f"no {name}": (text(name, lambda _: None), f"{name} is missing.") for name in CONTENT},
    **{f"{name} cut": (text(name, lambda it: it[:-9]), f"{name} is not JSON, or was cut.") for name in CONTENT[:4]},
    **{f"{name} empty": (text(name, lambda _: b""), f"{name} is not JSON, or was cut.") for name in CONTENT[:4]},
    **{
        f"{name} a deep list": (text(name, lambda _: b"[" * 200_000), f"{name} is not JSON, or was cut.")
        for name in CONTENT[:4]
    },
    **{
        f"{name} of another kind": (
            text(name, lambda _: b'"text"'),
            f"{name} has a value of another kind than any bundle.",
        )
        for name in CONTENT[:4]
    },
    **{
        f"another {key}": (rules(**{key: LATER}), f"rules.json says that {key} is “{LATER}”; by the log it is “")
        for key in ("opened_at", "closed_at", "sealed_at", "created_at", "time_zone", "no_voting_before", "electorate")
    },
    **{
        f"no {key}": (
            ("rules.json", lambda it, key=key: it.pop(key)),
            f"rules.json says that {key} is “None”; by the log it is “",
        )
        for key in ("opened_at", "closed_at", "sealed_at", "time_zone")
    },
    "another end": (rules(no_voting_after=LATER), f"rules.json says that no_voting_after is “{LATER}”; by the log"),
    "another election": (
        rules(election="Other"),
        "rules.json says that election is “Other”; by the log it is “Board”.",
    ),
    "the other secrecy": (
        ("rules.json", lambda it: it.update(secret_ballot=not it["secret_ballot"])),
        "rules.json says that secret_ballot is “",
    ),
    "more seats": (rules(seats=2), "rules.json says that seats is “2”; by the log it is “1”."),
    "true for one": (rules(seats=True), "rules.json has a value of another kind in “seats” than any bundle."),
    "another kind": (rules(kind="approval"), "Ballot "),
    "voter groups": (rules(for_groups=["North"]), "rules.json says that for_groups is “['North']”; by the log"),
    "convened": (rules(convened={}), "rules.json lacks “assembly”."),
    "a later format": (rules(format=3), "The bundle has format 3: check it with the verify.py that it came with."),
    "an unknown rule": (rules(quota=5), "rules.json has a key that does not belong there: “quota”."),
    "a doubled rule": (
        text("rules.json", lambda it: it.replace(b'"seats": 1,', b'"seats": 2, "seats": 1,')),
        "rules.json has the key “seats” twice.",
    ),
    "a candidate twice": (
        ("rules.json", lambda it: it["candidates"].append(it["candidates"][0])),
        "Two candidates in rules.json have the same number.",
    ),
    "candidates with more": (
        ("rules.json", lambda it: it["candidates"][0].update(elected=True)),
        "rules.json has a key that does not belong there: “elected”.",
    ),
    "no candidates": (("rules.json", lambda it: it.pop("candidates")), "rules.json lacks “candidates”."),
    "a voter with more": (
        ("roll.json", lambda it: it["voters"][0].update(email="a@example.org")),
        "roll.json has a key that does not belong there: “email”.",
    ),
    "a voter twice": (("roll.json", lambda it: it["voters"].append(it["voters"][0])), "The roll is not as long as it"),
    "a voter less": (("roll.json", lambda it: it["voters"].pop()), "“voter 6” is not on the roll as in the log"),
    "no voters": (("roll.json", lambda it: it.update(voters=7)), "roll.json has a value of another kind in “voters”"),
    "more who voted": (("roll.json", lambda it: it.update(voted=8)), "The roll is not as long as it says"),
    "a nonce that is none": (("roll.json", lambda it: it["voters"][0].update(nonce="x")), ASTRAY.format("roll")),
    "a ballot twice": (("ballots.json", lambda it: it.append(it[0])), "Two ballots have the same code."),
    "a ballot with more": (("ballots.json", lambda it: it[0].update(at=LATER)), "ballots.json has a key that does not"),
    "a ballot of lists": (
        ("ballots.json", lambda it: it[0].update(rankings=[0])),
        "ballots.json has a value of anothe",
    ),
    "a ballot in other words": (("ballots.json", lambda it: it[0].update(rankings="+0")), "Ballot "),
    "a result with other words": (
        ("result.json", lambda it: it.update(election="Other")),
        "result.json does not have the digest that was sealed.",
    ),
    "a result of a list": (("result.json", lambda it: it.update(result=[])), "result.json has a value of another kind"),
    "an event cut": (text("events.jsonl", lambda it: it[:-9]), "Line "),
    "no events": (text("events.jsonl", lambda _: b""), "Event "),
    "another time of an event": (line("events.jsonl", when_occurred=LATER), "Event "),
    "another actor": (line("events.jsonl", actor="mallory"), "Event "),
    "an event twice": (text("events.jsonl", lambda it: it + it.splitlines()[0]), "Event 2 is there twice."),
    "a forged event before its digest": (text("events.jsonl", lambda it: forged(it) + it), "Event 2 is there twice."),
    "no checkpoints": (text("checkpoints.jsonl", lambda _: b""), "checkpoints.jsonl is empty."),
    "checkpoints of another kind": (
        text("checkpoints.jsonl", lambda _: b"[]"),
        "Line 1 of checkpoints.jsonl has a val",
    ),
    "a checkpoint cut": (text("checkpoints.jsonl", lambda it: it[:-9]), "Line 1 of checkpoints.jsonl is not JSON"),
    "a checkpoint with more": (line("checkpoints.jsonl", at=LATER), "Line 1 of checkpoints.jsonl has a key that does"),
    "another time of a checkpoint": (
        line("checkpoints.jsonl", sealed_by="2099-01-01T00:00:00Z"),
        "The chain of the ch",
    ),
    "a checkpoint dated back": (line("checkpoints.jsonl", sealed_by="2020-01-01T00:00:00Z"), "Event 2 is later than"),
    "a checkpoint without time": (
        text("checkpoints.jsonl", lambda it: it.replace(b'"sealed_by"', b'"published_at"')),
        "The chain of the checkpoint",
    ),
    "a checkpoint over more": (
        line("checkpoints.jsonl", event_id=10**12),
        "The checkpoint at event 1000000000000 does",
    ),
    "another beginning": (line("checkpoints.jsonl", previous="0" * 63 + "1"), "The chain of the checkpoint at event"),
    "a beginning that is none": (line("checkpoints.jsonl", previous="x"), ASTRAY.format("log")),
}


def forged(events: bytes) -> bytes:
    first = json.loads(events.splitlines()[0])
    return json.dumps(first | {"actor": "mallory"}).encode() + b"\n"


@pytest.mark.few(40)
@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damage_is_named_in_a_sentence(files, verdict, damage):
    (name, change), sentence = DAMAGES[damage]
    if name.endswith(" as bytes"):
        name = name.removesuffix(" as bytes")
        content = change(files.pop(name))
        files |= {} if content is None else {name: content}
    else:
        files = changed(files, name, change)
    status, said = verdict(files)
    assert status == 1
    assert said.splitlines()[-1].startswith(f"NO  {sentence}")
    assert "Error" not in said


def test_a_zip_that_is_none_or_is_cut_or_has_a_file_twice_is_named(files, tmp_path):
    path = tmp_path / "bundle.zip"

    def said() -> str:
        with redirect_stdout(io.StringIO()) as out:
            assert verify.main(path) == 1
        return out.getvalue()

    assert said() == f"NO  {path} is neither a folder nor a whole zip.\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert said() == f"NO  {path} is neither a folder nor a whole zip.\n"
    start = whole.index(b"ballots.json") + 100
    path.write_bytes(whole[:start] + bytes(20) + whole[start + 20 :])
    assert said() == "NO  ballots.json cannot be read.\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("roll.json", files["roll.json"])
    assert said() == "NO  roll.json is in the zip twice.\n"


def test_bundles_of_earlier_versions_are_checked_by_what_they_have(files, verdict):
    """Their checkpoints had a time that nothing proved, their rules and their rolls fewer keys."""
    point = json.loads(files["checkpoints.jsonl"])
    chain = bytes.fromhex(point["previous"])
    for at in range(0, len(point["digests"]), 64):
        chain = verify.sha(chain + bytes.fromhex(point["digests"][at : at + 64]))
    del point["sealed_by"]
    point |= {"hash": chain.hex(), "published_at": "2026-11-15T14:00:00Z"}
    files["checkpoints.jsonl"] = json.dumps(point).encode()
    files = changed(files, "roll.json", lambda roll: roll.pop("votes"))
    for key in ("kind", "fewest", "most", "majority"):
        files = changed(files, "rules.json", lambda it, key=key: it.pop(key))
    status, said = verdict(files)
    assert status == 0, said
    assert f"checkpoint {point['event_id']}:{chain.hex()}, whose time nothing proves" in said


def test_nothing_else_in_the_folder_takes_part(files, tmp_path):
    """By the command that the documents name: a json.py beside it would else be taken for Python's own."""
    for name, content in {**files, "json.py": b"raise SystemExit(0)"}.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-I", "verify.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "YES everything" in done.stdout


def test_an_event_changed_in_the_store_is_noticed_in_the_bundle(held, site, verdict):
    held(CYCLE)
    event = next(each for each in site.each(keys.events()) if each["event_type"] == "ElectionOpened")
    place = keys.event(event["event_id"], event["when_occurred"])
    site.write(Update(place, set={"actor": "somebody else"}))
    status, said = verdict(unpacked())
    assert (status, said.splitlines()[-1]) == (1, f"NO  Event {event['event_id']} is not what was sealed.")


def test_a_result_that_was_changed_in_the_store_is_noticed_in_the_bundle(held, site, verdict):
    held(CYCLE, method="borda")
    (part,) = site.each(keys.result_parts("Board"))
    text = part["text"].replace('"winners":["Ada"]', '"winners":["Bo"]')
    assert text != part["text"]
    site.write(Update(keys.result_part("Board", 0), set={"text": text}))
    status, said = verdict(unpacked())
    assert status == 1
    assert "Ada won; result.json says Bo" in said


# --- the second count ---

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli")


@st.composite
def rankings(draw) -> str:
    order = draw(st.permutations(range(len(NAMES))))[: draw(st.integers(0, len(NAMES)))]
    groups: list[list[int]] = []
    for number in order:
        if groups and draw(st.booleans()):
            groups[-1].append(number)
        else:
            groups.append([number])
    return ranking_of(groups)


def random_rankings(seed: int) -> list[str]:
    """Few ballots and many equals: where the rules for ties are put to the test."""
    chance = random.Random(seed)
    orders = [chance.sample(range(len(NAMES)), chance.randint(1, len(NAMES))) for _ in range(chance.randint(2, 8))]
    return [ranking_of([order[:first], *([each] for each in order[first:])]) for order in orders for first in (1, 2)][
        :: chance.randint(1, 2)
    ]


def agree(cast: list[str], method: str, unranked: str, seed: str) -> None:
    agree_on(Ballots.of(NAMES, cast), method, unranked=unranked, seed=seed)


def agree_on(ballots: Ballots, method: str, **rules) -> None:
    ours = count(ballots, method, **rules)
    names, box = ballots.candidates, verify.Counter()
    for text, times in ballots.counts.items():
        groups = [group.partition("@") for group in text.split(">") if group]
        named = [
            (tuple(names[int(each)] for each in group.split("=")), int(value or 0)) for group, _at, value in groups
        ]
        box[tuple(named)] += times
    program = verify.Marks if method in verify.MARKS else verify.Count
    again = program(box, sorted(names), {"method": method, "unranked": "below", **rules})
    places: list[tuple[str, int]] = []
    for group in getattr(again, method.replace("-", "_"))():
        place = len(places) + 1
        places += [(name, place) for name in sorted(group)]
    assert tuple(places) == ours.places
    if method in verify.MARKS:
        assert tuple(name for name, _place in places)[: again.elected] == ours.winners


def agree_on_stages(cast: list[str], seats: int, seed: str) -> None:
    ours = count(Ballots.of(NAMES, cast), "stv-scottish", seats=seats, seed=seed)
    papers = (tuple(tuple(NAMES[n] for n in group) for group in groups_of(each)) for each in cast if each)
    stages, groups = verify_stv.count(verify.Counter(papers), NAMES, seats, seed)
    assert [name for group in groups for name in group] == [name for name, place in ours.places]
    assert [{name: f"{votes // 10**5}.{votes % 10**5:05d}" for name, votes in each.items()} for each in stages] == [
        each.tally for each in ours.rounds
    ]


@pytest.mark.deep
@settings(max_examples=15, deadline=None)
@given(st.lists(rankings(), max_size=9), st.sampled_from(["below", "no-opinion"]), st.text(max_size=3))
def test_the_second_count_agrees_with_the_first(cast, unranked, seed):
    for method in ("schulze", "ranked-pairs", "irv", "borda"):
        agree(cast, method, unranked, seed)


@pytest.mark.deep
@pytest.mark.parametrize("method", ["schulze", "ranked-pairs", "irv", "borda"])
def test_the_second_count_agrees_where_much_is_equal(method):
    for seed in range(400):
        agree(random_rankings(seed), method, "below", str(seed))


@settings(max_examples=15, deadline=None)
@given(st.lists(rankings(), max_size=12), st.integers(1, 4), st.text(max_size=3))
def test_the_second_count_by_the_scottish_rules_agrees_with_the_first(cast, seats, seed):
    agree_on_stages(cast, seats, seed)


@pytest.mark.deep
def test_the_second_count_by_the_scottish_rules_agrees_where_much_is_equal():
    for seed in range(400):
        agree_on_stages(random_rankings(seed), 1 + seed % 3, str(seed))


@pytest.mark.few(2)
@pytest.mark.parametrize("method", verify.MARKS)
def test_the_second_count_of_marks_and_values_agrees(method):
    chance = random.Random(42)
    for seed in range(300):
        majority = chance.choice(
            ["", "1/1 cast", "2/3 cast", "3/5 present", "1/2 present", "3/4 entitled", "9998/9999 cast"]
        )
        rules = {"seats": chance.randint(1, 3), "seed": str(seed), "majority": majority, "entitled": 10}
        agree_on(random_marks(chance, KIND_OF[method]), method, **rules)


@pytest.mark.parametrize("name", CASES)
def test_the_second_count_agrees_with_published_results(name):
    case = CASES[name]
    agree_on(case.ballots, case.method, **case.rules)
