"""The OpenAPI description: complete, without collisions, and as tight as the site."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from django.conf import settings

from accounts.api import openapi
from accounts.api.operations import OPERATIONS, areas
from tests.api.program import validator
from tests.api.test_elections import problem

LUNCH = {"title": "Lunch?", "options": ["Pizza", "Sushi"]}


@pytest.fixture
def schemas():
    return openapi.current()["components"]["schemas"]


def fits(value, name: str) -> bool:
    return validator(json.dumps({"$ref": f"#/components/schemas/{name}"})).is_valid(value)


def test_each_schema_has_a_title_of_its_own_and_is_used(site, schemas):
    """Generators of clients name classes by the titles, and drop what they cannot name."""
    titles = Counter(each["title"] for each in schemas.values())
    assert [title for title, count in titles.items() if count > 1] == []
    assert {name for name in schemas if not re.fullmatch(r"\w+", name)} == set(), "a module in the name"
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(openapi.current())))
    assert referred == set(schemas)


def test_programs_get_what_the_page_describes_and_it_is_written_once(site, client):
    assert client.get("/api/v1/openapi.json").json() == json.loads(json.dumps(openapi.current()))
    assert openapi.document() is openapi.document()


def test_each_area_is_described(site):
    tags = openapi.current()["tags"]
    assert [each["name"] for each in tags] == [area.title for area in areas(OPERATIONS)]
    assert all(each["description"] for each in tags)


def test_the_description_says_what_needs_no_token(site):
    paths = openapi.current()["paths"]
    assert {} in paths["/news"]["get"]["security"]
    assert paths["/news"]["post"]["security"] == [{"token": ["organise"]}]


@pytest.mark.needs("polls")
@pytest.mark.parametrize("name", ["Bo\x07", "\u202eoB", "\x00", " \t "])
def test_names_that_the_site_refuses_do_not_fit(otto, name):
    assert not fits({"name": name}, "NewElection")
    assert problem(otto.post("elections", {"name": name})) == (422, "invalid")
    assert not fits({"candidates": [{"name": name}]}, "NewCandidates")
    assert not fits(LUNCH | {"title": name}, "NewPoll")
    assert not fits(LUNCH | {"options": ["Pizza", name]}, "NewPoll")
    assert problem(otto.post("polls", LUNCH | {"options": ["Pizza", name]})) == (422, "invalid")


@pytest.mark.parametrize("name", ["Bo", "Vorstand 2027 – Köln", "A\tB", "👩‍💻", "عربي"])
def test_names_that_the_site_takes_fit(otto, name):
    assert fits({"name": name}, "NewElection")
    assert otto.post("elections", {"name": name}).status_code == 201


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ("NewPoll", LUNCH | {"options": ["Pizza", "Pizza"]}),
        ("NewPoll", LUNCH | {"days": 0}),
        ("NewPoll", LUNCH | {"time_zone": "?"}),
        ("NewElection", {"name": "A", "ends": "1999-01-01T00:00:00Z"}),
        ("NewPost", {"title": "A", "text": "B", "slug": "Not A Slug"}),
        ("NewPost", {"title": "A", "text": "B", "tags": ["a\x07"]}),
        ("CandidateChange", {"link": "javascript:alert(1)"}),
    ],
)
def test_other_values_that_the_site_refuses_do_not_fit(site, schema, wrong):
    assert not fits(wrong, schema)


def test_a_whole_number_may_have_a_point(otto):
    """To JSON Schema, 1.0 is an integer."""
    assert fits({"name": "A", "seats": 1.0}, "NewElection")
    assert otto.post("elections", {"name": "A", "seats": 1.0}).json()["seats"] == 1
    assert problem(otto.post("elections", {"name": "B", "seats": 1.5})) == (422, "invalid")
    assert problem(otto.post("elections", {"name": "B", "seats": float("inf")})) in (
        (422, "invalid"),
        (400, "bad-request"),
    )


@pytest.mark.needs("polls", "questions")
def test_what_is_made_says_where_it_is(otto):
    """Its address and its ETag, so that it can be changed without reading it first."""
    made = otto.post("elections", {"name": "Board / 2027"}, Idempotency_Key="k")
    assert made["Location"] == f"{settings.SITE_URL}/api/v1/elections/Board%20~2F%202027"
    assert otto.get(made["Location"])["ETag"] == made["ETag"]
    again = otto.post("elections", {"name": "Board / 2027"}, Idempotency_Key="k")
    assert (again["Location"], again["ETag"]) == (made["Location"], made["ETag"])
    assert otto.patch(made["Location"], {"seats": 1}, If_Match=made["ETag"]).status_code == 200
    poll = otto.post("polls", LUNCH)
    assert otto.get(poll["Location"]).json() == poll.json()
    questions = otto.post("question-sets", {"name": "Evening", "questions": []})
    assert otto.get(questions["Location"])["ETag"] == questions["ETag"]


def test_every_operation_that_makes_something_announces_where(site):
    for operation in OPERATIONS:
        answers = openapi.current()["paths"][operation.path][operation.method.lower()]["responses"]
        if operation.status == 201:
            assert set(answers["201"]["headers"]) == {"ETag", "Location"}, operation.id
