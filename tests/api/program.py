"""A client of the API. It checks every answer against the OpenAPI description."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import jsonschema_rs
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from accounts import api_tokens
from accounts.api import openapi
from accounts.api_tokens import Scope
from accounts.models import User

PATHS = "/api/v1/"


class Program:
    """Sends JSON with a token, or without one."""

    def __init__(self, token: str = ""):
        self.client = Client(headers={"Authorization": f"Bearer {token}"} if token else {})
        self.token = token

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.send("GET", path, None, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> HttpResponse:
        return self.send("PATCH", path, body, **headers)

    def put(self, path: str, body: Any, **headers: str) -> HttpResponse:
        return self.send("PUT", path, body, **headers)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self.send("DELETE", path, None, **headers)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        content = "" if body is None else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        path = path.removeprefix(settings.SITE_URL).removeprefix(PATHS)
        answer = self.client.generic(method, PATHS + path, content, "application/json", headers=named)
        check(method, answer)
        return answer


def check(method: str, answer: Any) -> None:
    """The answer is one that the description announces."""
    match = answer.wsgi_request.resolver_match
    template = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route.removeprefix("api/v1/")) if match else ""
    described = openapi.current()["paths"].get(template, {}).get(method.lower())
    if described is None:
        assert answer.status_code in (404, 405), f"{method} {template} is not described"
        assert_fits(answer, {"$ref": "#/components/schemas/ProblemDetails"})
        return
    announced = described["responses"].get(str(answer.status_code))
    assert announced is not None, f"{method} {template} must not answer {answer.status_code}: {answer.content[:300]}"
    content = announced.get("content", {})
    if not content:
        assert answer.content == b""
        return
    kind = answer["Content-Type"].partition(";")[0]
    assert kind in content, f"{method} {template}: {kind}"
    assert_fits(answer, content[kind]["schema"])
    assert "RateLimit" in answer or answer.status_code == 503


def assert_fits(answer: Any, schema: dict[str, Any]) -> None:
    validator(json.dumps(schema)).validate(json.loads(answer.content))


@cache
def validator(schema: str) -> jsonschema_rs.Validator:
    """Of values of this schema, which may refer to components of the description."""
    return jsonschema_rs.validator_for({**json.loads(schema), "components": openapi.current()["components"]})


def program_of(user: User, *scopes: Scope) -> Program:
    """With a token of this person: with all scopes that they can use, or these."""
    return Program(api_tokens.create(user, "A program", scopes or api_tokens.offered_scopes(user), 30))
