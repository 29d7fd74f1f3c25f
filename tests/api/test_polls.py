"""Polls by the API."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.rules import Role
from foundation.store.log import utc_now
from parts.polls import services, voters
from tests.api.test_elections import events, problem
from tests.clock import at_its_own_moment

pytestmark = pytest.mark.needs("polls")

LUNCH = {"title": "Lunch?", "options": ["Pizza", "Sushi"]}
RANKS = {"0": ["1"], "1": ["2"]}


def soon(days: int) -> str:
    return (utc_now() + timedelta(days=days)).isoformat()


def vote(poll_id: str, who: str) -> None:
    services.cast(poll_id, voters.id_of(poll_id, who), RANKS, f"form of {who}")


def test_a_poll_from_the_first_vote_to_the_result(otto, stranger):
    made = otto.post("polls", LUNCH | {"ends": None, "description": "*Where*"})
    poll = made.json()
    assert (made.status_code, poll["state"], poll["options"]) == (201, "open", ["Pizza", "Sushi"])
    path = f"polls/{poll['id']}"
    assert stranger.get(path).json() == poll
    vote(poll["id"], "Ann")
    assert otto.post(f"{path}/close").json()["state"] == "closed"
    result = stranger.get(f"{path}/results").json()
    assert result["is_final"]
    assert {tuple(each["leaders"]) for each in result["counts"]} == {("Pizza",)}
    assert problem(otto.post(f"{path}/close")) == (409, "not-now")


def test_the_kind_of_ballot_is_chosen_and_counted(otto, stranger):
    poll = otto.post("polls", LUNCH | {"kind": "choose", "most": 2}).json()
    assert (poll["kind"], poll["most"]) == ("choose", 2)
    services.cast(poll["id"], voters.id_of(poll["id"], "Ann"), {"0": ["1"], "1": ["1"]}, "form")
    services.cast(poll["id"], voters.id_of(poll["id"], "Ben"), {"0": ["1"]}, "form")
    (count,) = stranger.get(f"polls/{poll['id']}/results").json()["counts"]
    assert (count["method"], count["leaders"]) == ("most-votes", ["Pizza"])
    plain = otto.post("polls", LUNCH).json()
    assert (plain["kind"], plain["most"]) == ("ranked", 0)


def test_hidden_results_stay_hidden(otto, stranger):
    poll = otto.post("polls", LUNCH | {"results_hidden": True}).json()
    assert problem(otto.get(f"polls/{poll['id']}/results")) == (403, "not-allowed")
    assert problem(stranger.get("polls/00000000-0000-4000-8000-000000000000")) == (404, "not-found")


def test_only_those_who_run_a_poll_close_it(otto, person, program):
    poll = otto.post("polls", LUNCH).json()
    assert problem(program(person("Uwe")).post(f"polls/{poll['id']}/close")) == (403, "not-allowed")
    assert program(person("Ada", Role.ADMIN)).post(f"polls/{poll['id']}/close").status_code == 200


def test_one_s_own_polls_are_listed(otto, person, program):
    made = [at_its_own_moment(lambda: otto.post("polls", LUNCH).json()["id"]) for _ in range(3)]
    program(person("Uwe")).post("polls", LUNCH)
    otto.post(f"polls/{made[0]}/close")
    first = otto.get("polls?limit=2").json()
    rest = otto.get(first["next"]).json()
    found = [*first["items"], *rest["items"]]
    assert [each["id"] for each in found] == made[::-1]
    assert [each["state"] for each in found] == ["open", "open", "closed"]
    assert rest["next"] is None
    assert otto.get("polls?limit=2", If_None_Match=otto.get("polls?limit=2")["ETag"]).status_code == 304
    assert program(person("Olga", Role.OBSERVER)).get("polls").json()["items"] == []


def test_a_poll_is_extended_closed_and_reopened(otto, stranger):
    made = otto.post("polls", LUNCH | {"ends": soon(1)})
    path, tag = f"polls/{made.json()['id']}", made["ETag"]
    later = otto.post(f"{path}/extend", {"ends": soon(2)}, If_Match=tag)
    assert later.json()["ends"] > made.json()["ends"]
    assert problem(otto.post(f"{path}/extend", {"ends": None}, If_Match=tag)) == (412, "changed")
    assert problem(otto.post(f"{path}/extend", {"ends": soon(1)})) == (409, "not-now"), "not earlier than announced"
    assert problem(otto.post(f"{path}/reopen", {"ends": None})) == (409, "not-now")
    otto.post(f"{path}/close")
    assert problem(otto.post(f"{path}/extend", {"ends": None})) == (409, "not-now")
    opened = [otto.post(f"{path}/reopen", {"ends": None}, Idempotency_Key="k") for _ in range(2)]
    assert [(each.status_code, each.json()["state"]) for each in opened] == [(200, "open")] * 2
    assert opened[0].json()["ends"] is None
    assert events("PollReopened") == 1
    assert stranger.get(path).json() == opened[0].json()


@pytest.mark.parametrize("ends", ["tomorrow", "2099-01-01T00:00:00", "1999-01-01T00:00:00Z", 7])
def test_a_wrong_end_is_named(otto, ends):
    path = f"polls/{otto.post('polls', LUNCH).json()['id']}"
    for act in ("extend", "reopen"):
        answer = otto.post(f"{path}/{act}", {"ends": ends})
        assert problem(answer) == (422, "invalid")
        assert [each["field"] for each in answer.json()["errors"]] == ["ends"]


def test_a_poll_is_deleted_by_those_who_run_it(otto, stranger, person, program):
    made = otto.post("polls", LUNCH)
    path = f"polls/{made.json()['id']}"
    assert problem(program(person("Uwe")).delete(path)) == (403, "not-allowed")
    assert problem(otto.delete(path, If_Match='"other"')) == (412, "changed")
    for _ in range(2):
        assert otto.delete(path, If_Match=made["ETag"], Idempotency_Key="k").status_code == 204
    assert events("PollDeleted") == 1
    assert problem(stranger.get(path)) == (404, "not-found")
    assert otto.get("polls").json()["items"] == []
    assert problem(otto.delete(path)) == (404, "not-found")


def test_moderators_close_and_delete_but_do_not_reopen(otto, person, program):
    path = f"polls/{otto.post('polls', LUNCH).json()['id']}"
    ada = program(person("Ada", Role.ADMIN))
    assert problem(ada.post(f"{path}/extend", {"ends": None})) == (409, "not-now")
    otto.post(f"{path}/close")
    assert problem(ada.post(f"{path}/reopen", {"ends": None})) == (409, "not-now")
    assert ada.delete(path).status_code == 204


def test_a_poll_sent_again_is_made_once(otto):
    made = [otto.post("polls", LUNCH, Idempotency_Key="k") for _ in range(2)]
    assert made[0].json() == made[1].json()
    assert events("PollCreated") == 1
    closed = [otto.post(f"polls/{made[0].json()['id']}/close", Idempotency_Key="c") for _ in range(2)]
    assert closed[0].json() == closed[1].json()
