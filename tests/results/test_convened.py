"""What an assembly said when it convened an election is in the bundle, and whoever changes a number of it is named."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from accounts import repository as people
from elections import repository as elections
from elections.convening import Convened
from elections.drafts import copying
from elections.lifecycle import services as lifecycle
from foundation.tally.majorities import Quorum
from parts.assembly.wording import QUORUMS
from results.exports import verify
from tests.people import enrol

from .test_bundle import Files, cast, changed, events_in, finish, run, unpacked

ROOM = Convened("Spring meeting", "g1", "2026-03-01T18:30:00.000Z", 5, 12, "1/3", True, 4, 1, "ab" * 32)
VOTERS = ("Eve", "Fay", "Gus", "Hal")
MADE: list[Files] = []


def held(person, room: Convened) -> Files:
    owner = person("the organiser")
    enrol(*VOTERS)
    accounts = {each: people.find(each).created_at for each in VOTERS}
    copying.make(owner, "Board", ["Ada", "Bo"], voters=accounts, convened=room)
    lifecycle.open_(owner, elections.find("Board"), editable=False)
    cast(person, "Board", "Eve", "0>1")
    finish("Board")
    return unpacked()


@pytest.fixture
def judged(tmp_path, capsys):
    """As its own program says, without a process of its own."""

    def judge(files: Files) -> tuple[int, str]:
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        capsys.readouterr()
        return verify.main(tmp_path), capsys.readouterr().out

    return judge


@pytest.fixture
def files(person) -> Files:
    if not MADE:
        MADE.append(held(person, ROOM))
    return dict(MADE[0])


def test_it_is_told_and_proved(files, judged, tmp_path):
    status, said = judged(files)
    assert (status, said) == run(tmp_path)
    assert status == 0
    line = "ok  convened by “Spring meeting” at 2026-03-01T18:30:00.000Z: 5 of 12 present, quorum of 1/3 met"
    assert line in said.splitlines()
    assert "ok  4 are on the roll" in said
    (made,) = (each for each in events_in(files) if each.get("event_type") == "ElectionCreated")
    assert made["event_data"]["convened"] == asdict(ROOM)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("present", 6), ("entitled", 11), ("quorum", "1/4"), ("quorate", False), ("listed", 5), ("unlisted", 0)),
        *(("assembly", "Another"), ("assembly_id", "g2"), ("at", "2026-03-02T18:30:00.000Z"), ("round_digest", "")),
    ],
)
def test_a_change_is_named(files, judged, key, value):
    status, said = judged(changed(files, "rules.json", lambda rules: rules["convened"].update({key: value})))
    words = f"NO  rules.json says of who convened it: {key} is “{value}”; by the log it is “{asdict(ROOM)[key]}”."
    assert (status, said.splitlines()[-1]) == (1, words)


def test_so_is_leaving_it_out(files, judged):
    status, said = judged(changed(files, "rules.json", lambda rules: rules.pop("convened")))
    assert (status, said.splitlines()[-1][:41]) == (1, "NO  rules.json says of who convened it: a")
    status, said = judged(changed(files, "rules.json", lambda rules: rules.update(convened=None)))
    assert (status, said) == (1, "NO  rules.json has a value of another kind in “convened” than any bundle.\n")


def test_and_so_is_making_it_up(person, judged):
    files = held(person, None)
    assert "convened" not in judged(files)[1]
    status, said = judged(changed(files, "rules.json", lambda rules: rules.update(convened=asdict(ROOM))))
    assert (status, said.splitlines()[-1][:41]) == (1, "NO  rules.json says of who convened it: a")


def test_a_number_changed_in_the_event_itself_is_not_what_was_sealed(files, judged):
    (made,) = (each for each in events_in(files) if each.get("event_type") == "ElectionCreated")
    lines = files["events.jsonl"].replace(b'"present":5', b'"present":6')
    assert lines != files["events.jsonl"]
    status, said = judged(files | {"events.jsonl": lines})
    assert (status, said.splitlines()[-1]) == (1, f"NO  Event {made['event_id']} is not what was sealed.")


def told(room: Convened) -> str:
    """A bundle whose log and rules agree on it, without its files."""
    bundle = verify.Bundle.__new__(verify.Bundle)
    bundle.rules = {"convened": asdict(room)}
    history = verify.History.__new__(verify.History)
    history.convened = asdict(room)
    return bundle.check_convening(history, None)


def test_that_the_quorum_was_not_met_is_told_as_well():
    assert told(replace(ROOM, quorum="6", quorate=False)).endswith("5 of 12 present, quorum of 6 NOT MET")
    assert told(replace(ROOM, entitled=0, quorum="")).endswith(": 5 present, quorum of one met")


@pytest.mark.parametrize("changes", [{"quorate": False}, {"quorum": "6"}, {"quorum": "1/2"}, {"listed": 5}])
def test_numbers_that_do_not_fit_each_other_are_refused_whoever_wrote_them(changes):
    with pytest.raises(verify.Wrong, match="Of 12 entitled 5 were present"):
        told(replace(ROOM, **changes))


def test_nobody_says_it_a_second_time():
    history = verify.History.__new__(verify.History)
    history.name, history.closed, history.result = "Board", False, None
    with pytest.raises(verify.Wrong, match="says anew who convened"):
        history.take("Event 9", "ElectionUpdated", {"election_name": "Board", "convened": {}})


def test_the_second_rule_of_quorums_agrees_with_the_first():
    for text in ("", "1", "3", "25", *QUORUMS):
        for entitled in (0, 1, 2, 3, 4, 9, 10, 11, 30):
            for present in range(entitled + 3):
                ours = Quorum(text).is_met(present, entitled)
                assert verify.is_quorate(text, present, entitled) == ours, (text, present, entitled)
