"""Elections, candidates and rolls by the API: the same rules and sentences as on the pages."""

from __future__ import annotations

from functools import partial

import pytest

from accounts import repository as people
from accounts.api_tokens import Scope
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository
from elections.lifecycle import services as lifecycle
from foundation.acts.storage import log
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.clock import at_its_own_moment, stands_at
from tests.people import enrol

NEW = {"name": "Board 2027", "description": "Who *leads* us.", "time_zone": "Europe/Berlin"}
CANDIDATES = {"candidates": [{"name": "Ada", "statement": "I *will*."}, {"name": "Bo", "link": "https://bo.example"}]}
LUNCH = {"title": "Lunch?", "options": ["Pizza", "Sushi"]}
ENDS = "2099-03-01T18:00:00+01:00"


@pytest.fixture
def board(otto):
    """A draft with candidates and voters."""
    assert otto.post("elections", NEW).status_code == 201
    assert otto.post("elections/Board%202027/candidates", CANDIDATES).status_code == 200
    voters = [{"voter": "ann@example.org", "name": "Ann"}, {"voter": "Otto"}]
    assert otto.post("elections/Board%202027/voters", {"voters": voters}).json() == {
        "voters": ["ann@example.org", "Otto"]
    }
    return "elections/Board%202027"


def problem(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


def test_a_draft_of_every_kind_of_ballot(otto):
    """The method of the kind is filled in, or named; what does not fit is refused, and an edit keeps the rest."""
    kept = ("kind", "method", "seats", "fewest", "most", "majority")

    def made(name: str, **settings):
        answer = otto.post("elections", {"name": name, **settings})
        assert answer.status_code == 201, answer.json()
        return tuple(answer.json()[each] for each in kept)

    assert made("Ranked") == ("ranked", "schulze", 1, 0, 0, "")
    assert made("Rules", kind="yes-no", majority="4/6 cast") == ("yes-no", "majority", 1, 0, 0, "2/3 cast")
    assert made("Chosen", kind="choose", seats=3, fewest=1) == ("choose", "most-votes", 3, 1, 3, "")
    assert made("Scored", kind="score", method="score") == ("score", "score", 1, 0, 0, "")
    assert made("Points", kind="points", most=7) == ("points", "cumulative", 1, 0, 7, "")
    edited = otto.patch("elections/Scored", {"seats": 2}).json()
    assert (edited["kind"], edited["method"], edited["seats"]) == ("score", "score", 2)
    for wrong in (
        {"kind": "yes-no", "majority": "1/3 cast"},
        {"kind": "yes-no", "majority": "2/3 entitled", "electorate": "everyone"},
        {"kind": "choose", "fewest": 3, "most": 2},
        {"kind": "x"},
    ):
        assert otto.post("elections", {"name": "Wrong", **wrong}).status_code in (400, 422)


def test_an_election_from_draft_to_result(otto, board, stranger, person, program):
    draft = otto.get(board).json()
    assert draft["state"] == "draft"
    assert (draft["description"], draft["time_zone"]) == ("Who *leads* us.", "Europe/Berlin")
    assert draft["organiser"]["voters"] == 2
    edited = otto.patch(board, {"results_public": True, "secret_ballot": False, "ends": ENDS})
    assert edited.json()["ends"] == "2099-03-01T17:00:00Z"
    assert otto.post(f"{board}/open", {}).json()["state"] == "open"
    voting.cast(person("Otto"), "Board 2027", {"0": ["1"], "1": ["2"]}, "form")
    counted = {"voters": 2, "voted": 1, "paper": 0, "percent": 50, "votes": 1, "groups": []}
    assert otto.get(f"{board}/turnout").json() == counted
    seen = program(person("Olga", Role.OBSERVER)).get(board).json()
    assert (seen["state"], seen["organiser"]) == ("open", None)
    assert stranger.get("results/Board%202027").json()["outcome"] is None
    assert otto.post(f"{board}/extend", {"ends": "2099-04-01T18:00:00+02:00"}).json()["ends"] == "2099-04-01T16:00:00Z"
    assert otto.post(f"{board}/close").json()["state"] == "closed"
    seal_closed()
    result = stranger.get("results/Board%202027").json()["outcome"]
    assert result["winners"] == ["Ada"]
    assert result["turnout"]["voted"] == 1
    assert result["bundle"].endswith("/election/Board%202027/results/bundle.zip")
    assert stranger.client.get(result["files"]["ballots.csv"].removeprefix("http://localhost:8000")).status_code == 200
    assert [each["name"] for each in stranger.get("results").json()["items"]] == ["Board 2027"]


def calendar(stranger, query="") -> list[tuple[str, str]]:
    return [(each["name"], each["state"]) for each in stranger.get(f"calendar{query}").json()["items"]]


def test_the_calendar_has_what_anyone_may_see_and_nothing_else(otto, board, stranger, monkeypatch):
    assert calendar(stranger) == []
    otto.patch(board, {"results_public": True, "begins": "2099-02-01T18:00:00+01:00", "ends": ENDS})
    otto.post("elections", {**NEW, "name": "Members only"})
    for each in ("candidates", "voters"):
        sent = CANDIDATES if each == "candidates" else {"voters": [{"voter": "Otto"}]}
        otto.post(f"elections/Members%20only/{each}", sent)
    otto.post("elections/Members%20only/open", {})
    assert calendar(stranger) == []
    assert otto.post(f"{board}/open", {}).status_code == 200
    (entry,) = stranger.get("calendar").json()["items"]
    assert (entry["begins"], entry["ends"]) == ("2099-02-01T17:00:00Z", "2099-03-01T17:00:00Z")
    assert (entry["state"], entry["time_zone"]) == ("scheduled", "Europe/Berlin")
    assert stranger.client.get(entry["page"].removeprefix("http://localhost:8000")).status_code == 200
    for moment, state in (("2099-02-01T17:00:00Z", "open"), ("2099-03-01T17:00:00Z", "closed")):
        with monkeypatch.context() as later:
            stands_at(later, moment)
            assert calendar(stranger) == [("Board 2027", state)]
    otto.post(f"{board}/close")
    (entry,) = stranger.get("calendar").json()["items"]
    assert entry["state"] == "closed"
    assert entry["ends"] < "2099", "when it really ended"
    assert stranger.get("calendar", If_None_Match=stranger.get("calendar")["ETag"]).status_code == 304
    lifecycle.delete(people.find("Otto"), repository.find("Board 2027"))
    assert calendar(stranger) == []


def test_the_calendar_comes_in_parts(stranger, opened):  # noqa: F811
    for name in ("One", "Two", "Three"):
        at_its_own_moment(partial(opened, "Ann", name=name, results_public=True))
    first = stranger.get("calendar?limit=2").json()
    rest = stranger.get(first["next"]).json()
    assert [each["name"] for each in (*first["items"], *rest["items"])] == ["Three", "Two", "One"]
    assert rest["next"] is None


def test_what_a_page_would_hide_is_not_there(otto, board, stranger, person, program):
    other = program(person("Uwe"))
    for path in (board, f"{board}/candidates", f"{board}/voters", f"{board}/turnout", "elections/No%20such"):
        assert problem(other.get(path)) == (404, "not-found"), path
    assert problem(stranger.get("results/Board%202027")) == (404, "not-found")
    assert problem(otto.get("results/Board%202027")) == (404, "not-found")
    assert other.get("elections").json()["items"] == []
    assert [each["name"] for each in otto.get("elections?show=run").json()["items"]] == ["Board 2027"]
    otto.post(f"{board}/open", {})
    assert problem(other.get(f"{board}/voters")) == (403, "not-allowed")
    assert problem(stranger.get("results/Board%202027")) == (404, "not-found")
    assert other.get("results/Board%202027").json()["state"] == "open"
    assert problem(program(person("Uwe"), Scope.ORGANISE).get("results/Board%202027")) == (404, "not-found")


def test_stricter_rules_for_voting_are_settings_like_any_other(otto, board):
    assert otto.get(board).json()["safeguards"] == []
    strict = otto.patch(board, {"safeguards": ["strict"], "changeable": False}).json()
    assert (strict["safeguards"], strict["changeable"]) == (["no-drafts", "leave", "confirm", "counts"], False)
    assert otto.patch(board, {"description": "New", "seats": 1}).json()["safeguards"] == strict["safeguards"]
    assert otto.patch(board, {"safeguards": ["leave"]}).json()["safeguards"] == ["leave"]
    assert problem(otto.patch(board, {"safeguards": ["sealed"]})) == (422, "invalid")


def test_a_service_refuses_in_the_words_of_the_page(otto, board):
    assert problem(otto.post("elections", NEW)) == (409, "name-taken")
    assert problem(otto.post(f"{board}/close")) == (409, "not-now")
    assert problem(otto.patch(board, {"seats": 2})) == (422, "invalid")
    assert "For several seats, choose an STV method." in otto.patch(board, {"seats": 2}).json()["detail"]
    assert problem(otto.patch(board, {"time_zone": "Mars/Crater", "ends": ENDS})) == (422, "invalid")
    wrong = otto.patch(board, {"time_zone": "Mars/Crater", "ends": ENDS}).json()["errors"]
    assert [each["field"] for each in wrong] == ["time_zone"]
    otto.post(f"{board}/open", {})
    answer = otto.patch(board, {"method": "irv"})
    assert problem(answer) == (409, "not-now")
    assert answer.json()["detail"].startswith("Nobody can change the settings")
    assert problem(otto.post(f"{board}/extend", {"ends": "2001-01-01T00:00:00Z"})) == (409, "not-now")
    assert problem(otto.delete(f"{board}/candidates/Ada")) == (409, "not-now")
    german = otto.get("elections/No%20such", Accept_Language="de")
    assert german["Content-Language"] == "de"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"name": "A", "colour": "red"}, "colour"),
        ({"name": 7}, "name"),
        ({}, "name"),
        ({"name": "\u202eA"}, "name"),
        ({"name": "A", "ends": "tomorrow"}, "ends"),
        ({"name": "A", "ends": "2099-01-01T00:00:00"}, "ends"),
        ({"name": "A", "ends": "9999-12-31T23:59:59-12:00"}, "ends"),
        ({"name": "A", "ends": "0001-01-01T00:00:00+12:00"}, "ends"),
        ({"name": "A", "remind_before": [5]}, "remind_before[0]"),
        ({"name": "A", "method": "dice"}, "method"),
    ],
)
def test_a_wrong_value_is_named(otto, sent, field):
    answer = otto.post("elections", sent)
    assert problem(answer) == (422, "invalid")
    assert [each["field"] for each in answer.json()["errors"]] == [field]


def test_several_seats_need_a_method_that_fills_them(otto, board):
    for method in ("schulze", "irv"):
        for answer in (
            otto.post("elections", {"name": "Two", "method": method, "seats": 2}),
            otto.patch(board, {"method": method, "seats": 2}),
        ):
            assert problem(answer) == (422, "invalid")
            assert "This method elects one winner." in answer.content.decode()
    for answer in (
        otto.post("elections", {"name": "Yes", "kind": "yes-no", "seats": 2}),
        otto.patch(board, {"kind": "yes-no", "seats": 2}),
    ):
        assert [(each["field"], each["detail"]) for each in answer.json()["errors"]] == [
            ("seats", "This has no effect here.")
        ]
    assert otto.post("elections", {"name": "Two", "method": "stv-meek", "seats": 2}).status_code == 201


def test_candidates_are_added_changed_and_removed(otto, board):
    assert otto.get(f"{board}/candidates").json()["candidates"][0] == {
        "name": "Ada", "statement": "I *will*.", "link": "",
    }  # fmt: skip
    assert otto.post(f"{board}/candidates", CANDIDATES).status_code == 200, "those who are there stay"
    wrong = otto.post(f"{board}/candidates", {"candidates": [{"name": "Cy"}, {"name": "\u202e"}]})
    assert [each["field"] for each in wrong.json()["errors"]] == ["candidates[1]"]
    changed = otto.patch(f"{board}/candidates/Ada", {"link": "https://ada.example"}).json()
    assert changed == {"name": "Ada", "statement": "I *will*.", "link": "https://ada.example"}
    assert problem(otto.patch(f"{board}/candidates/Ada", {"link": "javascript:alert(1)"})) == (422, "invalid")
    assert otto.delete(f"{board}/candidates/Ada").status_code == 204
    assert problem(otto.get(f"{board}/candidates/Ada")) == (404, "not-found")


def test_the_roll_shows_who_voted_only_where_its_page_does(otto, board, person):
    assert problem(otto.post(f"{board}/voters", {"voters": [{"voter": "Nobody here"}]})) == (422, "refused")
    enrol("Ann", "Ben", "Cleo")
    more = {"voters": [{"voter": name} for name in ("Ann", "Ben", "Cleo")]}
    assert otto.post(f"{board}/voters", more).status_code == 200
    first = otto.get(f"{board}/voters?limit=3").json()
    rest = otto.get(first["next"]).json()
    assert [each["voter"] for each in first["items"] + rest["items"]] == [
        "Ann",
        "ann@example.org",
        "Ben",
        "Cleo",
        "Otto",
    ]
    assert rest["next"] is None
    assert otto.delete(f"{board}/voters/Otto").status_code == 204
    assert problem(otto.delete(f"{board}/voters/Otto")) == (404, "not-found")
    otto.post(f"{board}/open", {})
    for voted, name in enumerate(("Ann", "Ben", "Cleo")):
        assert {each["voted"] for each in otto.get(f"{board}/voters").json()["items"]} == {None}, voted
        voting.cast(person(name), "Board 2027", {"0": ["1"], "1": ["2"]}, f"form {name}")
    assert [each["voted"] for each in otto.get(f"{board}/voters").json()["items"]] == [True, False, True, True]


def test_a_cursor_belongs_to_one_list(otto, board):
    found = otto.get(f"{board}/voters?limit=1").json()["next"]
    cursor = found.partition("?")[2]
    otto.post("elections", NEW | {"name": "Other"})
    answer = otto.get(f"elections/Other/voters?{cursor}")
    assert problem(answer) == (422, "invalid")
    assert problem(otto.get(f"{board}/voters?cursor=made-up")) == (422, "invalid")
    assert problem(otto.get(f"{board}/voters?prefix=o&{cursor}")) == (422, "invalid")
    tag = otto.get(f"{board}/voters?limit=1")["ETag"]
    assert otto.get(f"{board}/voters?limit=1", If_None_Match=tag).status_code == 304
    assert otto.get(f"{board}/voters?limit=2", If_None_Match=tag).status_code == 200


def test_an_etag_tells_what_has_changed(otto, board):
    first, new = otto.get(board), "New. " * 200 + "Long enough to be compressed."
    assert otto.get(board, If_None_Match=first["ETag"]).status_code == 304
    assert otto.patch(board, {"description": new}, If_Match=first["ETag"]).status_code == 200
    assert problem(otto.patch(board, {"description": "Newer."}, If_Match=first["ETag"])) == (412, "changed")
    assert otto.get(board, If_None_Match=first["ETag"]).status_code == 200
    assert repository.description_of("Board 2027").description == new
    compressed = otto.client.get(f"/api/v1/{board}", headers={"Accept-Encoding": "gzip"})["ETag"]
    assert compressed == f"W/{otto.get(board)['ETag']}"
    assert otto.patch(board, {"description": "Newest."}, If_Match=f'"other", {compressed}').status_code == 200


# --- once ---


def events(kind: str) -> int:
    return sum(event["event_type"] == kind for event in log().since(0))


def test_a_change_sent_again_is_made_once(otto, board):
    made = [otto.post("elections", NEW | {"name": "Twice"}, Idempotency_Key="a-key") for _ in range(2)]
    assert [each.status_code for each in made] == [201, 201]
    assert made[0].content == made[1].content
    assert events("ElectionCreated") == 2
    answers = [otto.post(f"{board}/open", {}, Idempotency_Key='"quoted"') for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert problem(otto.post(f"{board}/open", {}, Idempotency_Key="another")) == (409, "not-now")


def test_a_removal_sent_again_is_answered_alike(otto, board):
    sent = [otto.delete(f"{board}/candidates/Ada", Idempotency_Key="k") for _ in range(2)]
    assert [each.status_code for each in sent] == [204, 204]
    assert events("CandidatesRemoved") == 1


def test_a_change_with_a_condition_sent_again_is_answered_alike(otto, board):
    tag = otto.get(board)["ETag"]
    sent = [otto.patch(board, {"seats": 1, "method": "irv"}, If_Match=tag, Idempotency_Key="k") for _ in range(2)]
    assert [each.status_code for each in sent] == [200, 200]
    assert sent[0].json() == sent[1].json()


def test_a_key_belongs_to_one_request_of_one_token(otto, board, person, program):
    otto.post("elections", NEW | {"name": "One"}, Idempotency_Key="k")
    assert problem(otto.post("elections", NEW | {"name": "Two"}, Idempotency_Key="k")) == (422, "key-reused")
    assert problem(otto.post(f"{board}/close", None, Idempotency_Key="k")) == (422, "key-reused")
    assert problem(otto.post("elections", NEW | {"name": "Two"}, Idempotency_Key="a b")) == (400, "bad-request")
    uwe = program(person("Uwe"))
    assert uwe.post("elections", NEW | {"name": "Uwe's"}, Idempotency_Key="k").status_code == 201


def test_a_list_that_was_cut_off_is_completed_when_it_is_sent_again(otto, board):
    """As after a crash: the key is known, but not all of it was carried out."""
    more = {"voters": [{"voter": f"voter{number}@example.org"} for number in range(3)]}
    otto.post(f"{board}/voters", more, Idempotency_Key="k")
    otto.delete(f"{board}/voters/voter1@example~2Eorg")
    assert otto.post(f"{board}/voters", more, Idempotency_Key="k").status_code == 200
    assert repository.find("Board 2027").voter_count == 5


def test_a_key_whose_act_was_refused_can_be_used_again(otto, board):
    otto.delete(f"{board}/candidates/Ada")
    assert problem(otto.post(f"{board}/open", {}, Idempotency_Key="k")) == (422, "refused")
    otto.post(f"{board}/candidates", CANDIDATES)
    assert otto.post(f"{board}/open", {}, Idempotency_Key="k").status_code == 200


def test_voter_groups_and_for_whom_an_election_is(otto, board):
    voters = [
        {"voter": "ann@example.org", "groups": ["Staff"]},
        {"voter": "ben@example.org", "groups": ["staff", "Board"]},
    ]
    assert otto.post(f"{board}/voters", {"voters": voters}).status_code == 200
    assert otto.post(f"{board}/voters", {"voters": [{"voter": "ann@example.org"}]}).status_code == 200
    groups = {each["voter"]: each["groups"] for each in otto.get(f"{board}/voters").json()["items"]}
    assert groups == {"ann@example.org": ["Staff"], "ben@example.org": ["Staff", "Board"], "Otto": []}
    assert otto.get(board).json()["organiser"]["voter_groups"] == ["Staff", "Board"]
    long = {"voters": [{"voter": "cay@example.org", "groups": ["x" * 61]}]}
    assert otto.post(f"{board}/voters", long).status_code == 422
    assert otto.patch(board, {"for_groups": ["Nobody"]}).status_code == 422
    changed = otto.patch(board, {"for_groups": ["Staff"], "secret_ballot": False}).json()
    assert changed["for_groups"] == ["Staff"]
    otto.post(f"{board}/open", {})
    assert otto.get(f"{board}/turnout").json()["voters"] == 2
