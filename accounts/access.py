"""Access control: every view declares who may open it, and a view without a declaration stays closed.

A view declares `public`, `requires(None)` (signed in) or `requires(Permission...)`. A view about one thing also says
how to load it and which rule allows it, or how to load it for this person; it then gets the thing instead of the URL's
parameters. Such a view may also admit guests, who hold something other than an account for this one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from foundation.acts import features
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import table
from foundation.parts import part_of
from foundation.store import wait_budget
from foundation.store.parallel import capture, run_parallel

from .models import User
from .rules import Permission, Role

View = Callable[..., HttpResponse]
LostSession = Callable[[HttpRequest], HttpResponse]
PROFILE_VISIBILITY = Hooks[[User, str], bool]("whether a person may see another's profile")
Guests = Callable[..., Any]  # gets the request and the URL's parameters; returns a guest or `None`


@dataclass(frozen=True, slots=True)
class Access:
    """What a view requires of its visitors."""

    public: bool = False
    permission: Permission | None = None
    of_a_thing: bool = False
    lost: LostSession | None = None  # response to a form whose sender's session is gone
    guests: Guests | None = None  # admits visitors by something other than an account
    organises: bool = False  # for those who run the thing; voters must not crowd them out
    load: Callable[..., Any] | None = None  # loads the thing, independent of the visitor
    ahead: Callable[[HttpRequest], Any] | None = None  # read from the request in parallel with the session


def public(view: View) -> View:
    """Open to everyone, signed in or not. The view itself stays as it is: it may be Django's."""

    @wraps(view)
    def opened(request: HttpRequest, *arguments: Any, **parameters: Any) -> HttpResponse:
        return view(request, *arguments, **parameters)

    opened.access = Access(public=True)  # type: ignore[attr-defined]
    return opened


def requires(
    permission: Permission | None,
    *,
    load: Callable[..., Any] | None = None,
    rule: Callable[[User, Any], None] | None = None,
    load_for: Callable[..., Any] | None = None,
    lost: LostSession | None = None,
    guests: Guests | None = None,
    ahead: Callable[[HttpRequest], Any] | None = None,
    organises: bool = False,
) -> Callable[[View], View]:
    """Require this permission.

    With `load` and `rule`, the thing must exist and the rule must allow it. `load_for` gets the person first and loads
    the thing only if it exists for them. `lost` responds to a form sent without a valid session or cookies, so that the
    input can be preserved. A visitor recognised by `guests` is admitted as a guest, and the thing is loaded for them.

    `load` and `ahead` run before the visitor is known, so they may only read, or finish what others have begun. The
    view gets the result of `ahead` after the request.
    """

    def declare(view: View) -> View:
        @wraps(view)
        def opened(request: HttpRequest, **parameters: Any) -> HttpResponse:
            if ahead:
                return view(request, request.read_ahead() if hasattr(request, "read_ahead") else ahead(request))
            if load_for:
                thing = load_for(current_person(request), **parameters)
            elif load:
                thing = request.read_ahead() if hasattr(request, "read_ahead") else load(**parameters)
            else:
                return view(request, **parameters)
            if thing is None:
                raise Http404
            if rule:
                rule(current_person(request), thing)
            return view(request, thing)

        opened.access = Access(False, permission, bool(load or load_for), lost, guests, organises, load, ahead)  # type: ignore[attr-defined]
        return opened

    return declare


def current_person(request: HttpRequest) -> Any:
    """The visitor: a guest of this page, or the signed-in person."""
    return getattr(request, "guest", None) or request.user


def access_response(
    request: HttpRequest, view: View, parameters: Mapping[str, Any] | None = None
) -> HttpResponse | None:
    """The response to send instead of the view's, or `None` if the view may run. Raises `NotAllowed` for a refusal,
    and `Http404` for a page of a part that is switched off."""
    if not features.is_on(part_of(view.__module__)):
        raise Http404
    access: Access | None = getattr(view, "access", None)
    if access is None:
        raise NotAllowed(_("This page has no access rule, so it stays closed."))
    if access.public:
        return None
    if access.organises:
        wait_budget.insist()
    if access.load:
        _read_ahead(request, partial(access.load, **parameters or {}))
    elif access.ahead:
        _read_ahead(request, partial(access.ahead, request))
    if access.guests and (guest := access.guests(request, **parameters or {})) is not None:
        request.guest = guest
        return None
    if not request.user.is_authenticated:
        return lost_session_response(request, view) or redirect_to_login(request.get_full_path())
    if access.permission is None:
        return None
    user = request.user  # resolved, no longer lazy
    if user.role == Role.NO_ACCESS:
        return redirect("waiting")
    if not user.can(access.permission):
        raise NotAllowed(_("Your role does not allow this."))
    is_strong = request.session.get("source", {}).get("is_strong")  # a provider that used a second factor
    if demands_second_factor(user) and not user.factors and not is_strong:
        return redirect("factors")
    return None


def _read_ahead(request: HttpRequest, load: Callable[[], Any]) -> None:
    """Load the person and the thing in parallel; permissions and errors are checked once the person is known.

    Without a session cookie nothing is read ahead.
    """
    if settings.SESSION_COOKIE_NAME in request.COOKIES:
        _known, request.read_ahead = run_parallel(table(), lambda: request.user.is_authenticated, lambda: capture(load))


def lost_session_response(request: HttpRequest, view: View) -> HttpResponse | None:
    """The view's own response to a form whose sender's session is gone, if it has one."""
    access: Access | None = getattr(view, "access", None)
    return access.lost(request) if access and access.lost and request.method == "POST" else None


def demands_second_factor(user: User) -> bool:
    """Whether the site requires a second factor for this person's role."""
    return bool(settings.SECOND_FACTOR_FOR_ADMINS) and user.role >= Role.ADMIN


def allow_everyone(user: User, thing: Any) -> None:
    """A rule for views where the permission alone decides."""
