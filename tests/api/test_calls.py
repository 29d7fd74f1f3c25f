"""What every operation does around its own work: limits, formats, errors, the pause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.api import calls
from foundation.acts import pause
from foundation.acts.storage import table
from foundation.store import keys
from tests.api.program import Program
from tests.api.test_elections import problem


def test_requests_are_limited_by_token_and_by_address(otto, stranger, monkeypatch):
    monkeypatch.setattr(calls, "PER_TOKEN", replace(calls.PER_TOKEN, most=2))
    monkeypatch.setattr(calls, "PER_ADDRESS", replace(calls.PER_ADDRESS, most=2))
    for client, name in ((otto, "token"), (stranger, "address")):
        left = [client.get("checkpoints")["RateLimit"].split(";") for _ in range(2)]
        assert [each[:2] for each in left] == [[f'"{name}"', "r=1"], [f'"{name}"', "r=0"]]
        answer = client.get("checkpoints")
        assert problem(answer) == (429, "too-often")
        assert 0 < int(answer["Retry-After"]) <= 600
        assert answer["RateLimit-Policy"] == f'"{name}";q=2;w=600'
        assert answer["RateLimit"].startswith(f'"{name}";r=0;')


def test_pictures_on_another_site_use_up_nothing(otto, stranger, client, monkeypatch):
    monkeypatch.setattr(calls, "PER_ADDRESS", replace(calls.PER_ADDRESS, most=1))
    by_picture = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}
    for _ in range(2):
        assert problem(client.get("/api/v1/checkpoints", headers=by_picture)) == (403, "not-allowed")
    assert stranger.get("checkpoints").status_code == 200


def test_wrong_tokens_count_for_the_address(stranger, monkeypatch):
    monkeypatch.setattr(calls, "PER_ADDRESS", replace(calls.PER_ADDRESS, most=1))
    assert Program("plenum_wrong").get("elections").status_code == 401
    assert stranger.get("checkpoints").status_code == 429


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        ("{", "application/json", (400, "bad-request")),
        (b"\xff", "application/json", (400, "bad-request")),
        ('{"name": "\\ud800"}', "application/json", (400, "bad-request")),
        ("[" * 100_000, "application/json", (400, "bad-request")),
        ("[]", "application/json", (422, "invalid")),
        ('{"name": "A", "name": 7}', "application/json", (422, "invalid")),
        ("name=A", "application/x-www-form-urlencoded", (415, "not-json")),
        (" " * (calls.MAX_BODY_BYTES + 1), "application/json", (413, "too-large")),
    ],
)
def test_only_json_of_some_size_is_read(otto, content, kind, expected):
    assert problem(otto.client.generic("POST", "/api/v1/elections", content, kind)) == expected


def test_only_json_is_answered(otto):
    assert problem(otto.get("elections", Accept="text/html")) == (406, "not-acceptable")
    assert otto.get("elections", Accept="text/html, */*;q=0.1").status_code == 200


def test_an_operation_without_values_takes_none(otto):
    otto.post("elections", {"name": "A"})
    assert problem(otto.post("elections/A/close", {"really": True})) == (422, "invalid")
    assert problem(otto.get("elections/A?x=1")) == (422, "invalid")


def test_unknown_paths_and_long_names_are_not_there(otto):
    assert problem(otto.get("nothing")) == (404, "not-found")
    assert problem(otto.get(f"elections/{'x' * 3000}")) == (404, "not-found")


def test_a_head_request_has_the_headers_alone(otto):
    answer = otto.client.head("/api/v1/elections")
    assert answer.status_code == 200
    assert answer.content == b""
    assert "ETag" in answer


def test_while_the_site_is_paused_it_can_be_read(otto, person, monkeypatch):
    monkeypatch.setattr(pause, "wait_until_known", lambda: None)
    pause.pause("owner", 10, "Moving house.")
    assert otto.get("elections").status_code == 200
    answer = otto.post("elections", {"name": "A"})
    assert problem(answer) == (503, "unavailable")
    assert "Moving house." in answer.json()["detail"]
    assert int(answer["Retry-After"]) >= 30
    pause.resume("owner")
    assert otto.post("elections", {"name": "A"}).status_code == 201


def test_a_repeat_of_a_race_is_answered_alike(otto):
    """The mark of the first event decides, even if two requests with one key run at once."""
    first = otto.post("elections", {"name": "A"}, Idempotency_Key="k")
    request = next(item for item in [table().get(keys.api_request(_place(otto)))] if item)
    assert set(request) == {"PK", "SK", "entity_type", "digest", "ttl"}
    assert otto.post("elections", {"name": "A"}, Idempotency_Key="k").json() == first.json()


def _place(program: Program) -> str:
    from accounts import api_tokens, repository

    (token,) = api_tokens.tokens_of(repository.find("Otto"))
    return calls._digest(f"api {calls._digest(token.id, 'k')}")


def test_the_page_describes_every_operation(client, site, signed_in):
    from accounts.api.operations import OPERATIONS

    page = client.get("/api/v1/").content.decode()
    assert page.count('<details class="operation"') == len(OPERATIONS)
    assert 'script src="http' not in page
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    ids = [each["operationId"] for methods in document["paths"].values() for each in methods.values()]
    assert len(ids) == len(set(ids)) == len(OPERATIONS)
    assert signed_in("Ann").get("/api/v1/").status_code == 200
