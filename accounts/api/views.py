"""The description of the API: for programs as OpenAPI, for people as a page."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts import features
from foundation.acts.links import absolute_url
from foundation.pages.http_cache import cached_for_anonymous
from foundation.pages.page_cache import shared_page
from foundation.pages.paths import NameConverter

from . import openapi, problems
from .operations import Operation, areas, operations_of

EXAMPLES = {"name": "Board 2027", "candidate": "Ada Lovelace", "number": "1"}


@public
@require_safe
def openapi_document(request: HttpRequest) -> HttpResponse:
    return HttpResponse(openapi.document(), "application/json")


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Described:
    """An operation as the page shows it."""

    operation: Operation
    parameters: list[Field]
    takes: list[Field]
    answers: list[Field]
    problems: list[tuple[int, str, str]]
    curl: str


@public
@cached_for_anonymous
@require_safe
def api(request: HttpRequest) -> HttpResponse:
    document, operations = openapi.current(), operations_of(features.current())

    def make_context() -> dict[str, Any]:
        described = [
            (area.title, slugify(area.title), [_described(each, document) for each in operations if each.area == area])
            for area in areas(operations)
        ]
        return {"areas": described, "about": openapi.ABOUT.split("\n\n"), "types": problems.TYPES}

    return shared_page(request, "api/api.html", "api/operations.html", make_context, document)


def _described(operation: Operation, document: dict[str, Any]) -> Described:
    described = document["paths"][operation.path][operation.method.lower()]
    schemas = document["components"]["schemas"]
    query = [each for each in described["parameters"] if each["in"] == "query"]
    parameters = [_field(each["name"], each["schema"], schemas, each["required"]) for each in query]
    body, answer = (
        part.get("content", {}).get("application/json", {}).get("schema", {})
        for part in (described.get("requestBody", {}), described["responses"][str(operation.status)])
    )
    kinds = [(kind, *problems.TYPES[kind]) for kind in dict.fromkeys(operation.problems)]
    ordered = sorted((status, kind, title) for kind, status, title in kinds)
    takes, answers = _fields(body, schemas), _fields(answer, schemas)
    return Described(operation, parameters, takes, answers, ordered, _curl(operation))


def _fields(schema: dict[str, Any], schemas: dict[str, Any], before: str = "") -> list[Field]:
    """The fields of an object, and below each those of the objects in it."""
    found = []
    resolved = _resolved(schema, schemas)
    for name, each in resolved.get("properties", {}).items():
        found.append(_field(before + name, each, schemas, name in resolved.get("required", [])))
        inner = each.get("items", next((part for part in each.get("anyOf", ()) if "$ref" in part), each))
        found += _fields(inner, schemas, f"{before}{name}{'[]' * ('items' in each)}.") if "$ref" in inner else []
    return found


def _field(name: str, schema: dict[str, Any], schemas: dict[str, Any], required: bool) -> Field:
    return Field(name, _kind(schema, schemas), required, schema.get("description", ""))


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The type of a value, in a few words."""
    schema = _resolved(schema, schemas)
    if "anyOf" in schema:
        return " or ".join(_kind(each, schemas) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), schemas)}"
    return str(schema.get("format") or schema.get("type", "any"))


def _curl(operation: Operation) -> str:
    path = operation.path
    for name in operation.parameters:
        path = path.replace(f"{{{name}}}", quote(NameConverter().to_url(EXAMPLES.get(name, name)), safe="~"))
    lines = ["curl" + ("" if operation.method == "GET" else f" -X {operation.method}")]
    if operation.scope:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if operation.is_change:
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    if operation.takes:
        lines += ['-H "Content-Type: application/json"', f"-d {shlex.quote(json.dumps(operation.example))}"]
    address = absolute_url(f"/api/v1{path}")
    return f"{lines[0]} {address}" if len(lines) == 1 else " \\\n  ".join([*lines, address])
