"""Every operation gets what its description allows, and much that it does not, and never breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import hypothesis
import pytest
from django.test import override_settings
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from accounts.api import calls, openapi
from accounts.api.operations import OPERATIONS
from accounts.rules import Role
from foundation.acts.storage import table
from parts.live.services import making
from parts.polls import services as polls
from parts.questions.question import Type
from parts.skills.services import add as add_skill
from tests.api.program import Program, program_of
from tests.copies import copy_of
from tests.live.conftest import QUESTIONS
from tests.people import make_person

EXAMPLES = {"positive": 15, "negative": 8}  # of each operation
HEADERS = ("idempotency-key", "if-match")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, empty_store) -> tuple[Path, Program, dict[str, str]]:
    """A client of an auditor who runs an election with candidates, voters and a poll; and the names of these."""
    path = copy_of(empty_store, tmp_path_factory.mktemp("prepared") / "plenum.sqlite3")
    with override_settings(STORE_URL=f"sqlite://{path}"):
        otto = make_person("Otto", Role.AUDITOR)
        program = program_of(otto)
        program.post("elections", {"name": "Board"})
        program.post("elections/Board/candidates", {"candidates": [{"name": "Ada"}, {"name": "Bo"}]})
        program.post("elections/Board/voters", {"voters": [{"voter": "ann@example.org"}]})
        poll = program.post("polls", {"title": "Lunch?", "options": ["Pizza", "Sushi"]}).json()
        add_skill(otto, "Python", "Programming", "")
        program.post("people/Otto/skills", {"skill": "python", "level": 3})
        program.post("elections/Board/questions", {"title": "The budget", "kind": "approval"})
        session = making.make(otto, Type.TRIVIA, QUESTIONS[Type.TRIVIA], title="Evening")
        post = program.post("news", {"title": "Hello", "text": "*World*"}).json()
        questions = program.post("question-sets", {"name": "Evening", "questions": [{"title": "Who?"}]}).json()
    known = {"candidate": "Ada", "voter": "ann@example~2Eorg", "poll_id": poll["id"], "skill_id": "python"}
    known |= {"question": "2", "session_id": session.id}
    known |= {"post_id": post["id"], "set_id": questions["id"], "number": "1"}
    return path, program, known


@pytest.fixture
def fuzzed(prepared, settings, tmp_path, monkeypatch) -> Iterator[tuple[Program, dict[str, str]]]:
    path, program, known = prepared
    settings.STORE_URL = f"sqlite://{copy_of(path, tmp_path / 'plenum.sqlite3')}"
    monkeypatch.setattr(calls, "PER_TOKEN", replace(calls.PER_TOKEN, most=1_000_000))
    monkeypatch.setattr(polls, "MADE_IN_A_DAY", replace(polls.MADE_IN_A_DAY, most=10_000))
    yield program, known
    table().close()


@cache
def described() -> Any:
    import schemathesis  # which `make test` collects, and does not install

    return schemathesis.openapi.from_dict(openapi.current())


@pytest.mark.deep
@pytest.mark.parametrize("mode", EXAMPLES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.id)
def test_an_operation_never_breaks(fuzzed, operation, mode):
    from schemathesis import GenerationMode

    program, known = fuzzed
    known = {"name": "Otto" if operation.route.startswith("people/") else "Board", **known}
    cases = described()[operation.path][operation.method].as_strategy(generation_mode=GenerationMode(mode))

    @hypothesis.settings(
        max_examples=EXAMPLES[mode], phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
    )
    @hypothesis.given(case=cases, is_known=st.integers(0, 3))
    def send(case, is_known):
        """Most are about things that are there. The client checks the answer against the description."""
        if is_known:
            case.path_parameters = {name: known.get(name, value) for name, value in case.path_parameters.items()}
        sent = case.as_transport_kwargs(base_url="http://localhost:8000/api/v1")
        query = urlencode(sent.get("params") or {}, doseq=True)
        path = sent["url"].partition("/api/v1/")[2] + (f"?{query}" if query else "")
        headers = {name: str(value) for name, value in sent["headers"].items() if name.lower() in HEADERS}
        assert program.send(operation.method, path, sent.get("json"), **headers).status_code < 500

    try:
        send()
    except hypothesis.errors.Unsatisfiable:
        assert mode == "negative", "there is nothing that it refuses"
