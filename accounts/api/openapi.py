"""The OpenAPI 3.1 description, made from the declared operations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
import orjson

from accounts.api_tokens import Scope
from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.links import absolute_url

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
