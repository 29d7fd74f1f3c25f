"""Every operation gets what its description allows, and much that it does not, and never breaks."""

from __future__ import annotations

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis import GenerationMode

from accounts.rules import Role
from api import openapi
from api.resources import OPERATIONS
from skills.services import add as add_skill
from tests.api.program import check, program_of
from tests.people import make_person

EXAMPLES = 12  # of each operation, valid and invalid
MAKERS = {
    "elections": {"name": "Board"},
    "polls": {"title": "Lunch?", "options": ["Pizza", "Sushi"]},
    "news": {"title": "Hello", "text": "*World*"},
    "question-sets": {"name": "Evening", "questions": [{"title": "Who?"}]},
}


@pytest.fixture
def fuzzed(site, settings):
    """A client of an auditor who runs an election with candidates, voters and a poll; and what it knows."""
    settings.API_REQUESTS_PER_TOKEN = 1_000_000
    settings.POLLS_A_DAY = 10_000
    otto = make_person("Otto", Role.AUDITOR)
    program = program_of(otto)
    made = {path: program.post(path, body).json() for path, body in MAKERS.items()}
    program.post("elections/Board/candidates", {"candidates": [{"name": "Ada"}, {"name": "Bo"}]})
    program.post("elections/Board/voters", {"voters": [{"voter": "ann@example.org"}]})
    add_skill(otto, "Python", "Programming", "")
    program.post("people/Otto/skills", {"skill": "python", "level": 3})
    known = {"candidate": "Ada", "voter": "ann@example.org", "skill_id": "python", "number": 1}
    known |= {"post_id": made["news"]["id"], "set_id": made["question-sets"]["id"], "poll_id": made["polls"]["id"]}
    return program, known


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.id)
def test_an_operation_never_breaks(fuzzed, operation):
    schema = schemathesis.openapi.from_dict(openapi.current())
    schema.config.generation.update(modes=list(GenerationMode))
    described = schema[operation.path][operation.method]
    program, known = fuzzed
    known |= {"name": "Otto" if operation.route.startswith("people") else "Board"}

    @hypothesis.settings(
        max_examples=EXAMPLES,
        phases=[Phase.explicit, Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @hypothesis.given(case=described.as_strategy(), at_home=hypothesis.strategies.booleans())
    def send(case, at_home):
        if at_home:
            case.path_parameters = {name: known.get(name, value) for name, value in case.path_parameters.items()}
        sent = case.as_transport_kwargs(base_url="http://localhost:8000/api/v1")
        path = sent["url"].partition("/api/v1/")[2]
        headers = {name: str(value) for name, value in sent["headers"].items() if name.lower() in TOUCHED}
        body = sent.get("json") if "json" in sent else None
        answer = program.send(operation.method, path, body, **headers)
        assert answer.status_code < 500
        check(operation.method, answer)

    send()


TOUCHED = ("idempotency-key", "if-match")
