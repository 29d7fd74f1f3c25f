"""The description of the API, made from the declared operations: for programs as OpenAPI 3.1, for people as a page."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import msgspec
import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.api_tokens import Scope
from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.links import absolute_url
from foundation.pages.fragments import shared_page
from foundation.pages.http_cache import cached_for_anonymous
from foundation.pages.paths import NameConverter

from . import problems
from .calls import MAX_BODY_BYTES, MAX_KEY_CHARS
from .operations import Operation, areas, operations_of
from .problems import ProblemDetails

REF = "#/components/schemas/{name}"
PATH_TYPES = {"int": {"type": "integer", "minimum": 0}, "uuid": {"type": "string", "format": "uuid"}}
ABOUT = f"""Reading public things needs no token. For everything else, create a token on your account page and send it
as `Authorization: Bearer plenum_…`. It allows at most what you may do yourself, and only within its scopes.

Every change takes an `Idempotency-Key`: sent again with the same key within a day, it is carried out once, and answered
as before. Reading answers an `ETag`: send it as `If-None-Match` to get 304 while nothing has changed, or as `If-Match`
with a change to be refused if something has; one that begins with `W/` will do. What was created is at `Location`.
Nothing that you send is ignored: it takes effect, or it is refused with its field. Lists have parts; `next` is the
address of the part after it.

`RateLimit` says how many requests are left. Errors are `application/problem+json` (RFC 9457): `type` is stable,
`detail` is a sentence for people. Unknown fields are refused. A request has at most {MAX_BODY_BYTES // 2**20} MB.

Names in addresses are percent-encoded; a slash, dot, backslash or tilde in a name is written as `~2F`, `~2E`,
`~5C` or `~7E`."""


@lru_cache(4)
def description(site_url: str, site: Features) -> dict[str, Any]:
    """The whole document, for a site at this address with these features."""
    operations = operations_of(site)
    types = {kind for each in operations for kind in (each.takes, each.answers) if kind is not None}
    ordered = sorted(types, key=str)
    schemas, components = msgspec.json.schema_components([*ordered, ProblemDetails], ref_template=REF)
    schema_of = dict(zip(ordered, schemas, strict=False))
    paths: dict[str, Any] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schema_of)
    scheme = {"type": "http", "scheme": "bearer", "description": f"Scopes: {', '.join(Scope)}."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Plenum API", "version": "1", "description": ABOUT},
        "servers": [{"url": f"{site_url}/api/v1"}],
        "tags": [{"name": area.title, "description": area.about} for area in areas(operations)],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": scheme}},
    }


def current() -> dict[str, Any]:
    return description(absolute_url(""), features.current())


def document() -> bytes:
    """The description as JSON."""
    return _written(absolute_url(""), features.current())


@lru_cache(4)
def _written(site_url: str, site: Features) -> bytes:
    return orjson.dumps(description(site_url, site))


def _operation(operation: Operation, schema_of: dict[Any, Any]) -> dict[str, Any]:
    security = [{"token": [str(operation.scope)]}] if operation.scope else [{}, {"token": []}]
    found = {
        "operationId": operation.id,
        "tags": [operation.area.title],
        "summary": operation.summary,
        "security": security,
        "parameters": list(_parameters(operation)),
        "responses": _responses(operation, schema_of),
    }
    if operation.about:
        found["description"] = operation.about
    if operation.takes:
        body: dict[str, Any] = {"schema": schema_of[operation.takes]}
        if operation.example:
            body["example"] = operation.example
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
    return found


def _parameters(operation: Operation) -> Any:
    for name, converter in operation.parameters.items():
        schema = PATH_TYPES.get(converter, {"type": "string", "minLength": 1})
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if operation.query:
        query = msgspec.json.schema(operation.query)["$defs"][operation.query.__name__]
        for name, schema in query["properties"].items():
            yield {"name": name, "in": "query", "required": name in query.get("required", []), "schema": schema}
    if operation.is_change:
        schema = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS, "pattern": "^[\\x21-\\x7e]+$"}
        yield {"name": "Idempotency-Key", "in": "header", "required": False, "schema": schema}
    if operation.edits:
        yield {"name": "If-Match", "in": "header", "required": False, "schema": {"type": "string"}}


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}


def _responses(operation: Operation, schema_of: dict[Any, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {"description": operation.summary}
    if operation.answers is not None:
        success["content"] = {"application/json": {"schema": schema_of[operation.answers]}}
        if not operation.is_change or operation.edits or operation.status == 201:
            success["headers"] = {"ETag": _header("Of the answer, to be sent as `If-None-Match` or `If-Match`.")}
        if operation.status == 201:
            success["headers"]["Location"] = _header("Where to read it.")
    found = {str(operation.status): success}
    if not operation.is_change:
        found["304"] = {"description": "Not changed since it was read"}
    titles: dict[int, list[str]] = {}
    for kind in dict.fromkeys(operation.problems):
        status, title = problems.TYPES[kind]
        titles.setdefault(status, []).append(f"{title} (`{problems.TYPE}{kind}`)")
    content = {problems.MEDIA_TYPE: {"schema": {"$ref": REF.format(name="ProblemDetails")}}}
    for status in sorted(titles):
        found[str(status)] = {"description": "; ".join(titles[status]), "content": content}
    return found


EXAMPLES = {"name": "Board 2027", "candidate": "Ada Lovelace", "number": "1"}


@public
@require_safe
def openapi_document(request: HttpRequest) -> HttpResponse:
    return HttpResponse(document(), "application/json")


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
    document, operations = current(), operations_of(features.current())

    def make_context() -> dict[str, Any]:
        described = [
            (area.title, slugify(area.title), [_described(each, document) for each in operations if each.area == area])
            for area in areas(operations)
        ]
        return {"areas": described, "about": ABOUT.split("\n\n"), "types": problems.TYPES}

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
