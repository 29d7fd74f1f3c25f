"""Sealing: once, from the ballots, the same bytes whoever does it, and announced in the log."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from datetime import timedelta
from random import Random

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import services as ballots
from ballots.repository import every_published
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.lifecycle import closing
from elections.rules import Election
from foundation.acts import background
from foundation.store import keys, splitting
from foundation.store.log import as_text, utc_now
from foundation.store.table import Delete, Key, Put
from foundation.tally.ballots import Ballots
from operations.upkeep.jobs import BALLOTS, Leases, run_job
from results import repository, running_count, services
from results.repository import Report
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.clock import stands_at
from tests.voting import secret_for


@pytest.fixture
def voted(opened, person):  # noqa: F811
    """Cast ballots of as many voters as there are rankings, and answer the election."""

    def cast(*rankings: dict[str, int], **settings):
        names = [f"voter {number}" for number in range(len(rankings))]
        election = opened(*names, **settings)
        for name, ranking in zip(names, rankings, strict=True):
            ballots.cast(person(name), election.name, ranks(**ranking), name, secret=secret_for(name))
        return election

    return cast


@pytest.fixture
def close():
    def close(name: str = "Board") -> None:
        closing.close(people.find("the organiser"), elections.find(name))

    return close


def sealed(site) -> list[dict]:
    return [event["event_data"] for event in site.each(keys.events()) if event["event_type"] == "ResultSealed"]


@pytest.mark.parametrize("secret", [True, False])
def test_a_closed_election_is_counted_once_and_announced(site, voted, close, secret):
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1, "Ada": 1}, secret_ballot=secret)
    assert services.find("Board").report is None
    close()
    found = services.find("Board")
    assert found.report.result.winners == ("Ada",)
    assert found.seal.ballots == 3
    (said,) = sealed(site)
    assert said["digest"] == found.seal.digest == found.report.result.digest
    assert services.find("Board") == found
    assert len(sealed(site)) == 1


def test_ballots_are_published_in_the_order_of_their_codes(site, voted, close):
    """Not in that in which they lie in the store, or were cast."""
    voted(*[{"Ada": 1}] * 20)
    close()
    services.find("Board")
    seal_closed()
    codes = [ballot["confirmation"] for ballot in every_published("Board")]
    assert len(codes) == 20
    assert codes == sorted(codes)


def test_what_takes_long_to_count_is_left_to_the_worker(site, voted, close, monkeypatch):
    monkeypatch.setattr(services, "MAX_STEPS_IN_REQUEST", 1)
    voted({"Ada": 1, "Bo": 2}, {"Bo": 1})
    close()
    assert services.find("Board").seal is None
    assert seal_closed() == 1
    assert services.find("Board").seal is not None


def test_a_window_that_has_passed_is_enough(site, voted, monkeypatch):
    voted({"Ada": 1}, no_voting_after=as_text(utc_now() + timedelta(seconds=60)))
    later = as_text(utc_now() + timedelta(seconds=61))
    stands_at(monkeypatch, later)
    assert services.find("Board").report.result.winners == ("Ada",)


def test_nothing_is_counted_while_it_is_open(site, voted):
    voted({"Ada": 1})
    found = services.find("Board")
    assert found.seal is None
    assert list(site.each(keys.counted_parts("Board"))) == []


def test_a_long_report_and_many_rankings_are_stored_in_parts(site, voted, close, monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 12)
    voted({"Ada": 1}, {"Bo": 1}, {"Cy": 1}, {"Cy": 1, "Bo": 2}, {"Cy": 1})
    close()
    found = services.find("Board")
    assert found.seal.parts > 1
    assert repository.counted(found.election, found.seal.candidates).counts == {"0": 1, "1": 1, "2": 2, "2>1": 1}
    assert repository.counted(found.election, found.seal.candidates).digest == found.seal.digest


def rankings_of(candidates: int, count: int) -> dict[str, int]:
    drawn = Random(candidates)
    return {">".join(map(str, drawn.sample(range(candidates), candidates))): 1 for _ in range(count)}


def test_what_many_candidates_and_long_rankings_need_is_stored_in_parts_that_fit(site):
    """Of 60 candidates, all of them ranked by 2,450 voters: parts of so many rankings each were too large."""
    names = tuple(f"{number:02}" for number in range(60))
    counted = Ballots(names, rankings_of(60, 2_450))
    board = Election("Board", "Ada", "2026-01-01T00:00:00.000Z")
    repository.write_parts(board, "", counted)
    assert repository.counted(board, names).counts == counted.counts


@pytest.mark.parametrize("letter", ["a", "é", "名", "\U0001f600"])
def test_a_report_is_split_by_its_bytes_whatever_its_script(site, letter):
    text = letter * 450_000
    board = Election("Board", "Ada", "2026-01-01T00:00:00.000Z")
    parts = repository.write_parts(board, text, Ballots((), {}))
    assert parts == len(list(site.each(keys.result_parts("Board")))) == -(-len(text.encode()) // splitting.PART_BYTES)
    assert repository._text(board) == text


def test_a_ballot_lost_behind_our_back_is_not_sealed_over(site, voted, close):
    voted({"Ada": 1}, {"Bo": 1})
    close()
    first = next(site.each(*keys.ballots("Board")))
    site.write(Delete(Key(first["PK"], first["SK"])))
    with pytest.raises(services.Disagreement, match="1 votes, but the gates have counted 2"):
        services.seal_result(elections.find("Board"))
    assert services.find("Board").report is None
    assert sealed(site) == []


LIVE = {"secret_ballot": False, "results_visible": "live"}


def test_the_seal_says_that_the_running_count_has_come_to_the_same(site, voted, close, monkeypatch):
    monkeypatch.setattr(running_count, "BATCH_BALLOTS", 2)
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1, "Ada": 1}, {}, {"Bo": 1}, **LIVE)
    ballots.cast(people.find("voter 1"), "Board", ranks(Cy=1), "changed")
    ballots.withdraw(people.find("voter 4"), "Board", "withdrawn")
    close()
    assert services.find("Board").seal.ballots == 4
    assert [said["summary"] for said in sealed(site)] == ["agrees"]


@pytest.mark.parametrize("chosen", [{}, {"secret_ballot": False}])
def test_where_there_is_no_running_count_the_seal_says_nothing_of_one(site, voted, close, chosen):
    voted({"Ada": 1}, **chosen)
    close()
    assert services.find("Board").report is not None
    assert ["summary" in said for said in sealed(site)] == [False]


def test_a_ballot_that_the_index_has_lost_keeps_the_result_from_being_sealed_until_it_is_back(
    site, voted, close, caplog
):
    voted({"Ada": 1}, {"Bo": 1, "Cy": 2}, {"Bo": 1}, **LIVE)
    close()
    whole = next(site.each(*keys.ballots("Board")))
    site.write(Put({name: value for name, value in whole.items() if not name.startswith("GSI1")}))
    with pytest.raises(services.Disagreement, match="by the time they were cast"):
        services.seal_result(elections.find("Board"))
    assert services.find("Board").report is None
    assert sealed(site) == []
    words = [record.words for record in caplog.records if record.msg == "not sealed"]
    assert ["by the time they were cast" in each for each in words] == [True]
    site.write(Put(whole))
    seal_closed()
    assert [said["summary"] for said in sealed(site)] == ["agrees"]
    assert services.find("Board").report is not None


@pytest.mark.parametrize("secret", [True, False])
def test_the_roll_is_sealed_with_the_result(site, voted, close, secret):
    voted({"Ada": 1}, {"Bo": 1}, {"Bo": 1}, secret_ballot=secret)
    close()
    assert services.find("Board").report is not None
    (said,) = sealed(site)
    secret_of_roll = bytes.fromhex(site.get(keys.result("Board"))["roll_secret"])
    entries = b""
    for name in ("voter 0", "voter 1", "voter 2"):
        nonce = hmac.digest(secret_of_roll, name.encode(), "sha256")
        entries += hashlib.sha256(nonce + f'["{name}",true]'.encode()).digest()
    assert said["roll_commitment"] == hashlib.sha256(entries).hexdigest()


def test_many_entries_of_a_roll_at_once_are_what_they_are_one_by_one():
    """Also where a name looks like the end of an entry."""
    names = ["Eve", 'Flo","', "Gus],[", '],["Hal', "\\", "Zoë"]
    secret = secrets.token_hex(32)
    for some in (names, names[:2], names[:1]):
        together, alone = services.RollCommitment(secret), services.RollCommitment(secret)
        entries = [services.roll_entry(name, len(name) > 3, len(name) % 3 or 1) for name in some]
        nonces, commitments = together.add_all(entries)
        assert list(zip(nonces, commitments, strict=True)) == [alone.add(each) for each in entries]
        assert together.text == alone.text
        expected = [
            hashlib.sha256(nonce + json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode()).digest()
            for nonce, each in zip(nonces, entries, strict=True)
        ]
        assert commitments == expected


def test_two_rolls_that_are_the_same_are_sealed_as_something_else(site, opened, close):  # noqa: F811
    for name in ("Board", "Other"):
        opened("Eve", "Flo", name=name)
        close(name)
        assert services.find(name).report is not None
    first, second = sealed(site)
    assert first["roll_commitment"] != second["roll_commitment"]


def test_the_secret_of_the_roll_is_in_no_event_and_on_no_page(site, voted, close, signed_in):
    voted({"Ada": 1})
    close()
    assert services.find("Board").report is not None
    secret = site.get(keys.result("Board"))["roll_secret"]
    assert not any(secret in repr(event) for event in site.each(keys.events()))
    auditor = signed_in("Grace", Role.AUDITOR)
    place = keys.result("Board")
    whole = auditor.get("/admin/tables/raw/item/", {"table": "data", "pk": place.pk, "sk": place.sk}).content.decode()
    assert "roll_secret" in whole
    listed = auditor.get("/admin/tables/raw/", {"table": "data", "pk": place.pk}).content.decode()
    assert "RESULT" in listed
    assert secret not in whole + listed
    assert secret not in repr(services.find("Board"))


def test_pages_of_a_result_that_cannot_be_counted_still_work(site, voted, close, signed_in, monkeypatch, caplog):
    """Whatever is wrong; the worker says so, too."""

    def fails(*_words, **_more):
        raise KeyError("a ranking it did not foresee")

    voted({"Ada": 1}, {"Bo": 1})
    close()
    with monkeypatch.context() as patch:
        patch.setattr(services, "report_on", fails)
        assert signed_in(people.find("the organiser")).get("/election/Board/results/").status_code == 202, (
            "It is still being counted."
        )
        assert [each.error for each in caplog.records if each.getMessage() == "failure"] == ["KeyError"]
        with pytest.raises(KeyError):
            seal_closed()
    assert services.find("Board").seal is not None


def test_one_that_cannot_be_sealed_does_not_hold_up_the_others(site, voted, opened, close):  # noqa: F811
    voted({"Ada": 1}, {"Bo": 1})
    opened("Eve", name="Other")
    close()
    close("Other")
    first = next(site.each(*keys.ballots("Board")))
    site.write(Delete(Key(first["PK"], first["SK"])))
    assert run_job(BALLOTS, Leases(site)).done == 2
    assert [said["election_name"] for said in sealed(site)] == ["Other"]
    (failing,) = background.failing()
    assert (failing.subject, failing.reason) == ("Board", "There are 1 votes, but the gates have counted 2.")


def test_an_election_in_which_nobody_voted_has_a_result_too(site, opened, close):  # noqa: F811
    opened("Eve")
    close()
    found = services.find("Board")
    assert found.seal.ballots == 0
    assert found.report.result.winners == ("Ada", "Bo", "Cy")
    assert "nothing to count" in str(found.report.sentences[0])


def test_a_report_is_the_same_value_after_being_stored(site, voted, close):
    voted({"Ada": 1, "Bo": 2}, {"Bo": 1, "Cy": 2}, {"Cy": 1, "Ada": 2}, method="irv")
    close()
    found = services.find("Board")
    assert Report.from_json(found.report.as_json()) == found.report
