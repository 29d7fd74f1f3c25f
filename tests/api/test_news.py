"""Posts by the API."""

from __future__ import annotations

import pytest

from accounts.api_tokens import Scope
from accounts.rules import Role
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from tests.api.test_elections import events, problem

pytestmark = pytest.mark.needs("news")

HELLO = {"title": "Hello", "text": "*World*", "tags": ["board", "Ada & Bo"]}
LATER = "2099-03-01T18:00:00+01:00"


@pytest.fixture
def olga(person, program):
    return program(person("Olga", Role.ADMIN))


def test_a_post_from_draft_to_public_and_back(olga, stranger):
    made = olga.post("news", HELLO)
    assert made.status_code == 201
    post = made.json()
    assert (post["state"], post["tags"], post["slug"]) == ("draft", ["board", "Ada & Bo"], "hello")
    path = f"news/{post['id']}"
    assert problem(stranger.get(path)) == (404, "not-found")
    later = olga.post(f"{path}/publish", {"at": LATER, "time_zone": "Europe/Berlin"}).json()
    assert (later["state"], later["published_at"]) == ("scheduled", "2099-03-01T17:00:00Z")
    assert problem(stranger.get(path)) == (404, "not-found")
    assert [each["id"] for each in olga.get("news/unpublished?state=scheduled").json()["items"]] == [post["id"]]
    now = olga.post(f"{path}/publish", {}).json()
    assert (now["state"], now["time_zone"]) == ("published", "Europe/Berlin")
    seen = stranger.get(path)
    assert seen.json() == now
    assert stranger.get(path, If_None_Match=seen["ETag"]).status_code == 304
    for query in ("", "?tag=BOARD", "?author=olga"):
        assert [each["id"] for each in stranger.get(f"news{query}").json()["items"]] == [post["id"]]
    assert stranger.get("news?tag=other").json()["items"] == []
    edited = olga.patch(path, {"text": "*Everybody*", "revised": True}, If_Match=seen["ETag"]).json()
    assert (edited["text"], edited["title"], edited["tags"]) == ("*Everybody*", "Hello", HELLO["tags"])
    assert edited["revised_at"] is not None
    assert problem(olga.patch(path, {"text": "x"}, If_Match=seen["ETag"])) == (412, "changed")
    assert olga.post(f"{path}/withdraw").json()["state"] == "draft"
    assert problem(olga.post(f"{path}/withdraw")) == (409, "not-now")
    assert problem(stranger.get(path)) == (404, "not-found")
    assert olga.delete(path).status_code == 204
    assert problem(olga.get(path)) == (404, "not-found")


def test_a_post_is_found_by_its_slug_and_by_earlier_ones(olga, stranger):
    post = olga.post("news", HELLO | {"slug": "grüße"}).json()
    assert olga.get("news/grüße").json() == post
    assert problem(stranger.get("news/grüße")) == (404, "not-found")
    olga.post(f"news/{post['id']}/publish", {})
    assert stranger.get("news/grüße").json()["id"] == post["id"]
    assert problem(olga.patch("news/grüße", {"slug": "greetings"})) == (404, "not-found"), "changed by its id alone"
    assert olga.patch(f"news/{post['id']}", {"slug": "greetings"}).json()["slug"] == "greetings"
    for slug in ("greetings", "grüße"):
        assert stranger.get(f"news/{slug}").json()["slug"] == "greetings"
    assert problem(stranger.get(f"news/{'x' * 300}")) == (404, "not-found")
    assert olga.delete(f"news/{post['id']}").status_code == 204
    assert problem(stranger.get("news/greetings")) == (404, "not-found")


def test_a_post_sent_again_is_written_once(olga):
    made = [olga.post("news", HELLO, Idempotency_Key="k").json() for _ in range(2)]
    assert made[0] == made[1]
    path = f"news/{made[0]['id']}"
    said = [olga.post(f"{path}/publish", {}, Idempotency_Key="p").json() for _ in range(2)]
    assert said[0] == said[1]
    assert (events("PostWritten"), events("PostPublished")) == (1, 1)
    for _ in range(2):
        assert olga.delete(path, Idempotency_Key="d").status_code == 204


def test_organisers_write_about_elections_they_run(person, program, olga):
    otto, uwe = program(person("Otto")), program(person("Uwe"))
    assert problem(otto.post("news", HELLO)) == (403, "not-allowed")
    draft = drafts.create(person("Otto"), "Board")
    assert problem(otto.post("news", HELLO | {"election": "Board"})) == (409, "not-now")
    add_candidates(person("Otto"), draft, [Candidate("Ada"), Candidate("Bo")])
    add_voters(person("Otto"), draft, ["Otto"])
    lifecycle.open_(person("Otto"), drafts.repository.find("Board"), editable=False)
    path = f"news/{otto.post('news', HELLO | {'election': 'Board'}).json()['id']}"
    assert [each["title"] for each in otto.get("news/unpublished").json()["items"]] == ["Hello"]
    assert uwe.get("news/unpublished").json()["items"] == []
    for method, more in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/publish"), ("POST", "/withdraw")):
        body = {} if method != "GET" and more != "/withdraw" and method != "DELETE" else None
        assert problem(uwe.send(method, path + more, body)) == (404, "not-found"), method
    assert problem(otto.post(f"{path}/publish", {"mails": True})) == (403, "not-allowed")
    otto.post(f"{path}/publish", {})
    assert problem(uwe.patch(path, {"title": "Mine"})) == (403, "not-allowed")
    assert olga.patch(path, {"title": "Ours"}).json()["title"] == "Ours"


def test_a_draft_needs_a_scope(person, program, olga):
    path = f"news/{olga.post('news', HELLO).json()['id']}"
    admin = person("Olga", Role.ADMIN)
    assert problem(program(admin, Scope.PEOPLE).get(path)) == (404, "not-found")
    assert program(admin, Scope.READ).get(path).status_code == 200
    assert program(admin, Scope.ORGANISE).patch(path, {"title": "New"}).status_code == 200


def test_wrong_dates_and_filters(olga, stranger):
    path = f"news/{olga.post('news', HELLO).json()['id']}"
    assert problem(olga.post(f"{path}/publish", {"at": LATER, "time_zone": "Mars"})) == (422, "invalid")
    assert problem(olga.post(f"{path}/publish", {"time_zone": "Mars"})) == (422, "invalid")
    assert problem(stranger.get("news?tag=a&author=b")) == (422, "invalid")
    assert problem(olga.post("news", HELLO | {"election": "Nothing"})) == (409, "not-now")
    olga.post("news", HELLO | {"slug": "mine"})
    assert problem(olga.post("news", HELLO | {"slug": "mine"})) == (422, "refused")
