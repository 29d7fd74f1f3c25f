"""Errors as RFC 9457 has them: a stable type for the program, and the sentence a page would show for the person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from foundation.acts.rate_limits import TooOften
from foundation.acts.refusals import LostRace, NameTaken, NotAllowed, NotNow, NotThere, Refusal, TooMany, TryLater
from foundation.store.table import KeyTooLong

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:plenum:problem:"
RETRY_SECONDS = 5
NOT_FOUND = _("This does not exist, or you do not have access to it.")

# name of the type: (status, title)
TYPES = {
    "bad-request": (400, "The request could not be read"),
    "no-token": (401, "A token is needed"),
    "bad-token": (401, "The token does not work"),
    "not-allowed": (403, "Not allowed"),
    "scope": (403, "The token lacks the scope"),
    "not-found": (404, "Nothing here"),
    "method": (405, "The method is not available here"),
    "not-acceptable": (406, "Only JSON is available"),
    "lost-race": (409, "Someone else was faster"),
    "name-taken": (409, "The name is taken"),
    "not-now": (409, "Not possible in the current state"),
    "try-later": (409, "Not ready yet"),
    "changed": (412, "Changed since it was read"),
    "too-large": (413, "The request is too large"),
    "not-json": (415, "Only JSON is accepted"),
    "invalid": (422, "A value is not valid"),
    "key-reused": (422, "The Idempotency-Key was used for another request"),
    "too-many": (422, "A limit is exceeded"),
    "refused": (422, "Refused"),
    "too-often": (429, "Too many requests"),
    "broken": (500, "Our mistake"),
    "unavailable": (503, "Not available right now"),
}
REFUSALS: dict[type[Refusal], str] = {
    NotAllowed: "not-allowed",
    LostRace: "lost-race",
    NotThere: "not-found",
    NotNow: "not-now",
    NameTaken: "name-taken",
    TooMany: "too-many",
    TryLater: "try-later",
    TooOften: "too-often",
}


class FieldError(msgspec.Struct):
    """What is wrong with one value."""

    field: str
    detail: str


class ProblemDetails(msgspec.Struct, omit_defaults=True):
    """An error: `type` is stable, `detail` is a sentence in the language asked for."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []


class Problem(Exception):
    """Ends an operation with this error."""

    def __init__(
        self,
        kind: str,
        detail: Any,
        errors: Iterable[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ):
        super().__init__(kind)
        self.kind, self.detail, self.errors, self.headers = kind, str(detail), list(errors), dict(headers or {})


def invalid(field: str, detail: Any) -> Problem:
    return Problem("invalid", detail, [FieldError(field, str(detail))])


def problem_of(error: Exception) -> Problem | None:
    """The problem that an exception of an operation is; `None` if it is our mistake."""
    match error:
        case Problem():
            return error
        case TooOften():
            return Problem("too-often", error, headers={"Retry-After": str(error.seconds)})
        case TryLater():
            return Problem("try-later", error, headers={"Retry-After": str(RETRY_SECONDS)})
        case Refusal():
            return Problem(next((REFUSALS[kind] for kind in type(error).__mro__ if kind in REFUSALS), "refused"), error)
        case ValidationError():
            return of_form_errors({"": error.messages})
        case Http404() | KeyTooLong():
            return Problem("not-found", NOT_FOUND)
    return None


def of_form_errors(errors: Mapping[str, Iterable[str]]) -> Problem:
    """What a form says about its fields; errors of the form as a whole have no field."""
    found = [
        FieldError("" if field == "__all__" else field, str(text)) for field, texts in errors.items() for text in texts
    ]
    return Problem("invalid", " ".join(dict.fromkeys(each.detail for each in found)), found)


def problem_response(problem: Problem) -> HttpResponse:
    status, title = TYPES[problem.kind]
    details = ProblemDetails(TYPE + problem.kind, title, status, problem.detail, problem.errors)
    response = HttpResponse(msgspec.json.encode(details), status=status, content_type=MEDIA_TYPE)
    for name, value in problem.headers.items():
        response[name] = value
    return response


def problem_page(status: int, sentence: Any) -> HttpResponse:
    """For errors outside of operations: unknown paths, a paused site, a store in trouble."""
    kinds = {status: kind for kind, (status, _title) in reversed(TYPES.items())}
    return problem_response(Problem(kinds[status], sentence))


PREFIX = "/api/v1/"


def is_api_request(request: HttpRequest) -> bool:
    """Whether a program asks; the description of the API is a page like others."""
    path: str = request.path_info
    return path.startswith(PREFIX) and path != PREFIX


def ignore_cookies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def respond(request: HttpRequest) -> HttpResponse:
        if is_api_request(request):
            request.META.pop("HTTP_COOKIE", None)
        return get_response(request)

    return respond
