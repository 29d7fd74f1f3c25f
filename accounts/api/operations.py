"""Declaring operations. One declaration makes the URL, the checks, the OpenAPI description and the page.

    @operation("POST", "elections/<name:name>/close", AREA, "Close an election", scope=Scope.ORGANISE,
               permission=Permission.USE_APPLICATION, answers=Election)
    def close(call: Call, name: str) -> Election:
        election = load(call, name, Action.CLOSE)
        call.run(lambda: close_and_follow_up(call.user, election))
        return read(call, name)

An operation is *load or 404, run a service, answer*. Rules stay in the services: what they refuse becomes a problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from accounts.api_tokens import Scope
from accounts.rules import Permission
from foundation.acts.features import Features
from foundation.parts import part_of

PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
CHANGES = ("POST", "PUT", "PATCH", "DELETE")

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Area(NamedTuple):
    """What operations are about."""

    prefix: str  # of their ids
    title: str
    about: str


@dataclass(frozen=True)
class Operation:
    method: str
    route: str  # below /api/v1/, as in a urls.py
    area: Area
    summary: str
    run: Callable[..., Any]
    scope: Scope | None = None  # `None`: needs no token
    permission: Permission = Permission.VIEW_APPLICATION  # as the page requires, if there is a scope
    takes: Any = None  # the Struct of the request's body
    query: Any = None  # the Struct of the query
    answers: Any = None  # the type of the answer; `None`: it has no body
    status: int = 200
    edits: Callable[..., Any] | None = None  # the reading operation whose ETag `If-Match` may name
    example: dict[str, Any] = field(default_factory=dict)  # a body that it takes
    refusals: tuple[str, ...] = ()  # problems of its own, by their type

    @property
    def id(self) -> str:
        return f"{self.area.prefix}_{self.run.__name__.strip('_')}"

    @property
    def part(self) -> str:
        """The part it belongs to; empty for the core."""
        return part_of(self.run.__module__)

    @property
    def about(self) -> str:
        return " ".join((self.run.__doc__ or "").split())

    @property
    def path(self) -> str:
        """As OpenAPI writes it."""
        return "/" + PARAMETER.sub(r"{\2}", self.route)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the path, and their converters."""
        return {name: converter or "str" for converter, name in PARAMETER.findall(self.route)}

    @property
    def is_change(self) -> bool:
        return self.method in CHANGES

    @property
    def problems(self) -> Iterator[str]:
        """The types of problems that it may end with."""
        yield from ("bad-token", "not-acceptable", "invalid", "too-often", "unavailable")
        if self.scope:
            yield from ("no-token", "scope", "not-allowed")
        if self.parameters:
            yield "not-found"
        if self.is_change:
            yield from ("bad-request", "too-large", "not-json", "key-reused", "lost-race", "refused")
        if self.edits:
            yield "changed"
        yield from self.refusals


# each app's, in the order of apps
OPERATIONS: list[Operation] = []


def operations_of(site: Features) -> list[Operation]:
    """Those of the core, and of parts that are switched on."""
    return [each for each in OPERATIONS if site.has(each.part)]


def areas(operations: Iterable[Operation]) -> list[Area]:
    return list(dict.fromkeys(each.area for each in operations))


def route_name(route: str) -> str:
    """The name of a route of the API, for `reverse`."""
    return f"api/{PARAMETER.sub('-', route)}"


def operation(method: str, route: str, area: Area, summary: str, **more: Any) -> Callable[[Handler], Handler]:
    def declare(run: Handler) -> Handler:
        OPERATIONS.append(Operation(method, route, area, summary, run, **more))
        return run

    return declare
