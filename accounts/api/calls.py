"""Carrying out an operation: whose token it is, how often, what was sent, once only, and what has not changed."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from django.core.exceptions import RequestDataTooBig, ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import api_tokens
from accounts.access import Access, View, demands_second_factor
from accounts.api_tokens import ApiToken, Scope
from accounts.models import User
from accounts.rules import Permission
from accounts.visitors import Anonymous
from foundation.acts import features
from foundation.acts.links import absolute_url
from foundation.acts.pause import Paused
from foundation.acts.rate_limits import TEN_MINUTES_IN_SECONDS, Limit, count
from foundation.acts.refusals import NotAllowed
from foundation.acts.retry import run_once
from foundation.acts.storage import log, mark_first_event, table
from foundation.acts.tokens import create_token, read_token
from foundation.pages.client_address import client_network, is_loaded_by_another_site
from foundation.store import keys
from foundation.store.log.events import IDEMPOTENCY_SECONDS
from foundation.store.table import Item, Missing, Put, Refused, Unwritable

from .operations import OPERATIONS, Operation, link, route_name
from .problems import NOT_FOUND, Problem, invalid, of_form_errors, problem_of, problem_response

PER_TOKEN = Limit("api-token", 1200, TEN_MINUTES_IN_SECONDS)
PER_ADDRESS = Limit("api-address", 600, TEN_MINUTES_IN_SECONDS)
MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_KEY_CHARS = 255
KEY = re.compile(rf'"?([\x21-\x7e]{{1,{MAX_KEY_CHARS}}}?)"?')
NO_EFFECT = gettext_lazy("This has no effect here.")
FIELD = re.compile(r" - at `\$\.?(.*)`$")

T = TypeVar("T")


def _number(text: str) -> float:
    """To JSON Schema, 1.0 is an integer."""
    number = float(text)
    return int(number) if number.is_integer() else number


DECODER = msgspec.json.Decoder(float_hook=_number)


class Page(msgspec.Struct, Generic[T]):
    """A part of a list; `next` is the address of the part after it."""

    items: list[T]
    next: str | None


class Call:
    """One request to an operation: who sent it, and what."""

    def __init__(self, request: HttpRequest, operation: Operation):
        self.request, self.operation = request, operation
        self.user: User | Anonymous = Anonymous()
        self.token: ApiToken | None = None
        self.query: Any = None
        self.body: Any = None
        self.mark: str | None = None  # of its Idempotency-Key
        self.is_repeat = False
        self.location = ""  # of what it has made

    # --- who ---

    def check_may(self, scope: Scope, permission: Permission) -> None:
        """Refuse what the token's scopes, or its owner's role at this moment, do not allow."""
        if self.token is None or scope not in self.token.scopes:
            sentence = _("This token does not have the scope “%(scope)s”.") % {"scope": scope}
            challenge = f'Bearer error="insufficient_scope", scope="{scope}"'
            raise Problem("scope", sentence, headers={"WWW-Authenticate": challenge})
        if not self.user.can(permission):
            raise NotAllowed(_("Your role does not allow this."))
        if demands_second_factor(self.user) and not self.user.factors:
            raise NotAllowed(_("Admins of this site need a second step. Add one on your account page first."))

    def may(self, scope: Scope, permission: Permission) -> bool:
        try:
            self.check_may(scope, permission)
        except (Problem, NotAllowed):
            return False
        return True

    # --- changing ---

    def run(self, act: Callable[[], T], *, converges: bool = False) -> T | None:
        """Carry out the change; `None` if it was carried out before under the same Idempotency-Key.

        A change that takes several transactions, and may be made again without harm, converges: it is made again, in
        case it was interrupted.
        """
        if self.mark is None or converges:
            return act()
        if self.is_repeat:
            return None
        with mark_first_event(self.mark):
            return run_once(self.mark, act, None)

    def first_event(self) -> Item:
        """The data of the event recorded when this was carried out before, to find what it made."""
        once = table().get(keys.once(str(self.mark)))
        event = log().find(once["event_id"]) if once else None
        return event["event_data"] if event else {}

    def made(self, read: Callable[..., T], *words: object) -> T:
        """What it has made, as it is read from now on; the answer says where."""
        self.location = link(route_name(next(each.route for each in OPERATIONS if each.run is read)), *words)
        return read(self, *words)

    # --- lists ---

    @property
    def cursor(self) -> str | None:
        """Where the list continues, from a cursor that this very list has handed out."""
        if self.query.cursor is None:
            return None
        values = read_token("api cursor", self.query.cursor, None)
        if values is None or values[0] != self._list_name:
            raise invalid("cursor", _("This cursor does not belong to this list."))
        return values[1]

    def page(self, items: Sequence[T], cursor: str | None) -> Page[T]:
        """The cursor is encrypted: it may contain the name of somebody whom the list leaves out."""
        if cursor is None:
            return Page(list(items), None)
        query = self.request.GET.dict() | {"cursor": create_token("api cursor", self._list_name, cursor)}
        path = absolute_url(quote(self.request.path_info, safe="/~"))
        return Page(list(items), f"{path}?{urlencode(query)}")

    @property
    def _list_name(self) -> str:
        """The address and the filters, of which a cursor is a place."""
        filters = {name: value for name, value in self.request.GET.items() if name not in ("cursor", "limit")}
        return f"{self.request.path_info}?{urlencode(sorted(filters.items()))}"


class Paging(msgspec.Struct, forbid_unknown_fields=True):
    """Where to continue, and how many at most."""

    cursor: Annotated[str | None, msgspec.Meta(description="From `next` of the part before.")] = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=100, description="How many at most.")] = 50


def cleaned(form: Form, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What a page's form makes of the values, or the problem with them; `names` has fields that the API calls
    otherwise. A value for a field that the page does not show is refused, too."""
    if unused := [field for field, value in form.data.items() if value and field not in form.fields]:
        raise of_form_errors({field: [NO_EFFECT] for field in unused})
    if not form.is_valid():
        raise of_form_errors({(names or {}).get(field, field): texts for field, texts in form.errors.items()})
    return form.cleaned_data


def each_cleaned(field: str, values: Sequence[str], clean: Callable[[str], str]) -> list[str]:
    """Each of a list as the page stores it, or the problems with some of them."""
    found, errors = [], {}
    for place, value in enumerate(values):
        try:
            found.append(clean(value))
        except ValidationError as error:
            errors[f"{field}[{place}]"] = error.messages
    if errors:
        raise of_form_errors(errors)
    return found


# --- answering ---


def view_of(operations: Mapping[str, Operation]) -> View:
    """The view of a route, for all of its methods."""

    def respond(request: HttpRequest, **parameters: Any) -> HttpResponse:
        method = "GET" if request.method == "HEAD" else str(request.method)
        operation = operations.get(method)
        if operation and features.is_on(operation.part):
            return _Answering(Call(request, operation)).respond(parameters)
        allowed = [each for each, operation in operations.items() if features.is_on(operation.part)]
        if not allowed:
            return problem_response(Problem("not-found", NOT_FOUND))
        allowed += ["HEAD"] if "GET" in allowed else []
        sentence = _("This address does not accept that method.")
        return problem_response(Problem("method", sentence, headers={"Allow": ", ".join(allowed)}))

    respond.access = Access(public=True)  # type: ignore[attr-defined]
    respond.csrf_exempt = True  # type: ignore[attr-defined]
    return respond


class _Answering:
    """The steps of a request, in the order of what they reveal."""

    def __init__(self, call: Call):
        self.call, self.request, self.operation = call, call.request, call.operation
        self.limit: Limit | None = None
        self.left = self.ends = 0

    def respond(self, parameters: Mapping[str, Any]) -> HttpResponse:
        try:
            response = self._respond(parameters)
        except Exception as error:
            if (problem := problem_of(error)) is None:
                raise
            response = problem_response(problem)
        if "ETag" in response and not self.operation.is_change:
            response["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Authorization"])
        if self.limit is not None:  # as draft-ietf-httpapi-ratelimit-headers has them
            name, seconds = self.limit.kind.removeprefix("api-"), max(0, self.ends - int(time.time()))
            response["RateLimit-Policy"] = f'"{name}";q={self.limit.most};w={self.limit.seconds}'
            response["RateLimit"] = f'"{name}";r={self.left};t={seconds}'
        return response

    def _respond(self, parameters: Mapping[str, Any]) -> HttpResponse:
        call, operation = self.call, self.operation
        failure = self._authenticate()
        self._count()
        if failure:
            raise failure
        if not self.request.accepts("application/json"):
            raise Problem("not-acceptable", _("The answer is JSON: send “Accept: application/json”, or nothing."))
        if operation.scope is not None:
            call.check_may(operation.scope, operation.permission)
        call.query = self._read_query()
        if operation.is_change:
            content = self._read_body()
            self._recognise(content)
            if call.is_repeat and operation.answers is None:
                return HttpResponse(status=operation.status)
            if not call.is_repeat:
                self._check_unchanged(parameters)
        answer = operation.run(call, **parameters)
        if operation.answers is None:
            return HttpResponse(status=operation.status)
        content = msgspec.json.encode(answer)
        response = HttpResponse(content, status=operation.status, content_type="application/json")
        if call.location:
            response["Location"] = call.location
        if not operation.is_change or operation.edits or call.location:
            response["ETag"] = _etag(answer)
        if operation.is_change:
            return response
        return get_conditional_response(self.request, etag=response["ETag"], response=response) or response

    # --- who ---

    def _authenticate(self) -> Problem | None:
        """Find the owner of the token; a failure is reported after it was counted."""
        given = self.request.headers.get("Authorization")
        if given is None:
            if self.operation.scope is None:
                return None
            sentence = _("Send a token: “Authorization: Bearer plenum_…”. You can create one on your account page.")
            return Problem("no-token", sentence, headers={"WWW-Authenticate": "Bearer"})
        kind, _space, text = given.partition(" ")
        found = api_tokens.authenticate(text.strip()) if kind.lower() == "bearer" else None
        if found is None:
            sentence = _("This token does not work: it was mistyped or revoked, or it has expired.")
            return Problem("bad-token", sentence, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        self.call.user, self.call.token = found
        self.request.api_token = found[1].id  # for the log of requests
        return None

    # --- how often ---

    def _count(self) -> None:
        token = self.call.token
        if token is None and is_loaded_by_another_site(self.request):
            raise Problem("not-allowed", _("Pages of other sites cannot load this. Ask with a program."))
        self.limit = PER_TOKEN if token else PER_ADDRESS
        self.ends = (int(time.time()) // self.limit.seconds + 1) * self.limit.seconds
        with suppress(Paused, Unwritable):  # what cannot be counted can still be read
            counted = count(self.limit, token.id if token else client_network(self.request))
            self.left = self.limit.most - counted.tries

    # --- what ---

    def _read_query(self) -> Any:
        given = self.request.GET
        if self.operation.query is None:
            if given:
                raise invalid(next(iter(given)), _("This operation has no such parameter."))
            return None
        return _converted(lambda: msgspec.convert(given.dict(), self.operation.query, strict=False))

    def _read_body(self) -> bytes:
        too_large = Problem("too-large", _("The request is larger than %(bytes)d bytes.") % {"bytes": MAX_BODY_BYTES})
        length = self.request.headers.get("Content-Length") or "0"
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            raise too_large
        try:
            content = self.request.body
        except RequestDataTooBig:
            raise too_large from None
        if len(content) > MAX_BODY_BYTES:
            raise too_large
        if self.operation.takes is None:
            if content.strip() not in (b"", b"{}"):
                raise invalid("", _("This operation takes no values."))
            return content
        if self.request.content_type != "application/json":
            raise Problem("not-json", _("Send JSON, with “Content-Type: application/json”."))
        self.call.body = _converted(lambda: msgspec.convert(DECODER.decode(content), self.operation.takes))
        return content

    # --- once, and only if unchanged ---

    def _recognise(self, content: bytes) -> None:
        """An Idempotency-Key belongs to one request of one token, for a day."""
        call, given = self.call, self.request.headers.get("Idempotency-Key")
        if given is None or call.token is None:
            return
        if (key := KEY.fullmatch(given)) is None:
            raise Problem("bad-request", _("An Idempotency-Key has up to 255 letters, digits and signs, no spaces."))
        call.mark = f"api {_digest(call.token.id, key[1])}"
        digest = _digest(str(self.request.method), self.request.get_full_path(), content.decode(errors="replace"))
        place = keys.api_request(_digest(call.mark))
        item = {**place.item, "digest": digest, "ttl": int(time.time()) + IDEMPOTENCY_SECONDS}
        try:
            table().write(Put(item, when=Missing()))
        except Refused:
            before = table().get(place)
            if before is not None and before["digest"] != digest:
                raise Problem(
                    "key-reused", _("This Idempotency-Key was used for another request. Choose a new one for each.")
                ) from None
            call.is_repeat = table().get(keys.once(call.mark)) is not None

    def _check_unchanged(self, parameters: Mapping[str, Any]) -> None:
        """A weak ETag is accepted: compression with bytes of random length makes ours weak, though it is a digest of
        all values."""
        expected = self.request.headers.get("If-Match")
        if self.operation.edits is None or expected is None or expected.strip() == "*":
            return
        now = _etag(self.operation.edits(self.call, **parameters))
        if now not in [each.strip().removeprefix("W/") for each in expected.split(",")]:
            raise Problem("changed", _("This has changed since you read it. Read it again, then decide."))


def _converted(convert: Callable[[], T]) -> T:
    try:
        return convert()
    except msgspec.ValidationError as error:
        text = str(error)
        place = FIELD.search(text)
        detail = text[: place.start()] if place else text
        unknown = re.search(r"unknown field `(.*)`|missing required field `(.*)`", detail)
        inner = next(filter(None, unknown.groups()), "") if unknown else ""
        raise invalid(".".join(filter(None, (place[1] if place else "", inner))), detail) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Problem("bad-request", _("The request is not valid JSON.")) from None


def _etag(answer: Any) -> str:
    """A weak one for a part of a list, whose cursor is encrypted anew each time."""
    content, kind = (answer, "") if not isinstance(answer, Page) else ((answer.items, answer.next is None), "W/")
    return f'{kind}"{hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:32]}"'


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
