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
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.api_tokens import Scope
from accounts.rules import Permission
from foundation.acts.features import Features
from foundation.acts.links import absolute_url
from foundation.pages.names import MAX_NAME_CHARS
from foundation.pages.times import UnknownZone, form_time, from_text
from foundation.parts import part_of
from foundation.store.log import as_text

from .problems import invalid

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


# What pages refuse, as far as a pattern can say it: control characters, and what reverses letters. Only the description
# has it: what a form refuses has a sentence.
NAME_CHARS = r"[^\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f\u202d\u202e]"
NAME_PATTERN = rf"^{NAME_CHARS}*[^\s\u0000-\u001f\u007f-\u009f\u202d\u202e]{NAME_CHARS}*$"
ZONE_PATTERN = "^[A-Za-z][A-Za-z0-9_+/-]*$"


def described(pattern: str, **more: Any) -> msgspec.Meta:
    """Limits, and a pattern that is shown but left to the form."""
    return msgspec.Meta(**more, extra_json_schema={"pattern": pattern})


Name = Annotated[str, described(NAME_PATTERN, min_length=1, max_length=MAX_NAME_CHARS * 2)]
Zone = Annotated[str, described(ZONE_PATTERN, max_length=100, examples=["Europe/Berlin"])]
Markdown = Annotated[str, described(r"^[^\u0000]*$", description="Markdown.")]
Moment = Annotated[datetime, described("^2[01]", tz=True, examples=["2027-03-01T18:00:00+01:00"])]  # 2000 to 2199


def moment(stored: str | None) -> datetime | None:
    return from_text(stored) if stored else None


def link(page: str, *words: object) -> str:
    return absolute_url(reverse(page, args=words))


def given(sent: msgspec.Struct) -> dict[str, Any]:
    """The fields that were sent."""
    fields = {name: getattr(sent, name) for name in sent.__struct_fields__}
    return {name: value for name, value in fields.items() if value is not msgspec.UNSET}


def stored(field: str, at: datetime | None) -> str | None:
    """A moment as it is stored, exactly."""
    try:
        return as_text(at) if at else None
    except OverflowError:
        raise invalid(field, _("This date or time does not exist.")) from None


def typed(field: str, at: datetime | None, zone: str) -> str:
    """A moment as a person would type it into a form in that zone, which then checks it."""
    if at is None:
        return ""
    try:
        return form_time(at.astimezone(UTC), zone).isoformat(timespec="milliseconds")
    except UnknownZone:
        return at.replace(tzinfo=None).isoformat(timespec="milliseconds")  # the form refuses the zone
    except OverflowError:
        raise invalid(field, _("This date or time does not exist.")) from None
