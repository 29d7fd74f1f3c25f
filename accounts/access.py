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

from acts.hooks import Hooks
from acts.refusals import NotAllowed
from acts.storage import table
from store import wait_budget
from store.parallel import capture, run_parallel

from .models import User
from .rules import Permission, Role

View = Callable[..., HttpResponse]
LostSession = Callable[[HttpRequest], HttpResponse]
PROFILE_VISIBILITY = Hooks[[User, str], bool]("whether somebody may see what another shows of themselves")
Guests = Callable[..., Any]  # gets the request and the address's words; answers a guest, or `None`


@dataclass(frozen=True, slots=True)
class Access:
    """What a view requires of its visitors."""

    public: bool = False
    permission: Permission | None = None
    of_a_thing: bool = False
    lost: LostSession | None = None  # what to answer to a form whose sender is not known any more
    guests: Guests | None = None  # whom it lets in by something else than their account
    organises: bool = False  # whether those who run the thing come here, whom voters must not keep out
    load: Callable[..., Any] | None = None  # how to load its thing, whoever asks
    ahead: Callable[[HttpRequest], Any] | None = None  # what is read meanwhile of what the request says


def public(view: View) -> View:
    """Anybody may open this, signed in or not."""
    return _declare(view, Access(public=True))


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
    """Only with this permission; with `load` and `rule`, only at a thing that is there and that the rule allows; with
    `load_for`, which gets the person first, only at a thing that is there for this person. `lost` answers a form that
    was sent when the session or its cookies were gone: it can keep what was typed. Whoever is among the `guests` comes
    in as that, and the thing is loaded for them. `load` is asked while it is not known yet who has come: it reads, or
    brings to its end what others have begun, and does nothing else; so is `ahead`, whose answer the view gets after the
    request."""

    def declare(view: View) -> View:
        access = Access(False, permission, bool(load or load_for), lost, guests, organises, load, ahead)
        if ahead:
            return _declare(_with_ahead(view, ahead), access)
        if load and rule:
            return _declare(_with_rule(view, load, rule), access)
        return _declare(_with_loaded(view, load_for) if load_for else view, access)

    return declare


def _with_rule(view: View, load: Callable[..., Any], rule: Callable[[User, Any], None]) -> View:
    @wraps(view)
    def opened(request: HttpRequest, **parameters: Any) -> HttpResponse:
        thing = request.read_ahead() if hasattr(request, "read_ahead") else load(**parameters)
        if thing is None:
            raise Http404
        rule(current_person(request), thing)
        return view(request, thing)

    return opened


def _with_ahead(view: View, ahead: Callable[[HttpRequest], Any]) -> View:
    @wraps(view)
    def opened(request: HttpRequest) -> HttpResponse:
        return view(request, request.read_ahead() if hasattr(request, "read_ahead") else ahead(request))

    return opened


def _declare(view: View, access: Access) -> View:
    @wraps(view)
    def declared(request: HttpRequest, *arguments: Any, **parameters: Any) -> HttpResponse:
        return view(request, *arguments, **parameters)

    declared.access = access  # type: ignore[attr-defined]
    return declared


def _with_loaded(view: View, load_for: Callable[..., Any]) -> View:
    @wraps(view)
    def opened(request: HttpRequest, **parameters: Any) -> HttpResponse:
        if (thing := load_for(current_person(request), **parameters)) is None:
            raise Http404
        return view(request, thing)

    return opened


def current_person(request: HttpRequest) -> Any:
    """Who has come: a guest of this page, or the person who is signed in."""
    return getattr(request, "guest", None) or request.user


def access_response(
    request: HttpRequest, view: View, parameters: Mapping[str, Any] | None = None
) -> HttpResponse | None:
    """What to answer instead of the view, or `None` if the view may answer. A refusal rises as `NotAllowed`."""
    access: Access | None = getattr(view, "access", None)
    if access is None:
        raise NotAllowed(_("This page has no access rule, so it stays closed."))
    if access.public:
        return None
    if access.organises:
        wait_budget.insist()
    if access.guests and (guest := access.guests(request, **parameters or {})) is not None:
        request.guest = guest
        return None
    if access.load:
        _read_ahead(request, partial(access.load, **parameters or {}))
    elif access.ahead:
        _read_ahead(request, partial(access.ahead, request))
    if not request.user.is_authenticated:
        return lost_session_response(request, view) or redirect_to_login(request.get_full_path())
    if access.permission is None:
        return None
    user = request.user  # resolved, no longer lazy
    if user.role == Role.NO_ACCESS:
        return redirect("waiting")
    if not user.can(access.permission):
        raise NotAllowed(_("Your role does not allow this."))
    if demands_second_factor(user) and not user.factors:
        return redirect("factors")
    return None


def _read_ahead(request: HttpRequest, load: Callable[[], Any]) -> None:
    """Ask who has come and what they ask for at the same time. Whether they may see it, and what is wrong with it, is
    said once they are known; whoever has no session has nothing read for them."""
    if settings.SESSION_COOKIE_NAME in request.COOKIES:
        _known, request.read_ahead = run_parallel(table(), lambda: request.user.is_authenticated, lambda: capture(load))


def lost_session_response(request: HttpRequest, view: View) -> HttpResponse | None:
    """What a view wants answered to a form whose sender is not known any more, if it has anything to say."""
    access: Access | None = getattr(view, "access", None)
    return access.lost(request) if access and access.lost and request.method == "POST" else None


def demands_second_factor(user: User) -> bool:
    """Whether the site demands a second factor of somebody with this role."""
    return bool(settings.SECOND_FACTOR_FOR_ADMINS) and user.role >= Role.ADMIN


def allow_everyone(user: User, thing: Any) -> None:
    """A rule for views on which the permission alone decides."""
