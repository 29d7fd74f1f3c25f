"""Page that turns a round, or those present, into a quick poll or a draft election."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_page
from foundation.pages.messages import refusals_as_messages
from parts.live.follow_up_store import FollowUp, linked
from parts.live.rules import Game, State
from parts.live.screens import access
from parts.live.services import closing, follow_ups
from parts.live.services.follow_ups import FOLLOW_UPS

POLL, ELECTION, OF_THOSE_PRESENT = "poll", "election", "electorate"


@dataclass(frozen=True, slots=True)
class FollowUpRequest:
    """A session and a round; round 0 means those present as a whole."""

    game: Game
    state: State
    round: int


def load_request(user: User, game_id: str, round: int) -> FollowUpRequest | None:
    found = access.load_hosted(user, game_id)
    return FollowUpRequest(found[0], closing.settled(*found), round) if found else None


@requires(Permission.USE_APPLICATION, load_for=load_request)
@form_page
def follow_up(request: HttpRequest, wanted: FollowUpRequest) -> HttpResponse:
    """Previews what can be created, with a button for each; creates it at most once."""
    if request.method != "POST":
        return _page(request, wanted)
    try:
        make = _making(request, wanted)
    except ValidationError as error:
        return _page(request, wanted, problem=error.messages[0], status=422)
    if make is None:
        return _page(request, wanted, problem=_("Choose what to create."), status=422)
    with refusals_as_messages(request):
        made = make()
        return _made_response(request, wanted, made)
    return _back(request, wanted) or redirect("follow_up", wanted.game.id, wanted.round)


def _making(request: HttpRequest, wanted: FollowUpRequest) -> Callable[[], FollowUp] | None:
    host, game, chosen = request.user, wanted.game, request.POST.get("make")
    if chosen == POLL:
        return lambda: follow_ups.make_poll(host, client_network(request), game.id, wanted.round)
    if chosen in (ELECTION, OF_THOSE_PRESENT):
        present = chosen == OF_THOSE_PRESENT
        typed = FOLLOW_UPS.of(game).typed(game, request.POST) if present else None
        return lambda: follow_ups.make_election(host, game.id, wanted.round, of_those_present=present, typed=typed)
    return None


def _made_response(request: HttpRequest, wanted: FollowUpRequest, made: FollowUp) -> HttpResponse:
    """The projector stays on the session; all other pages lead to the new poll or election."""
    sentence = (
        _("The draft election “%(title)s” has been created.")
        if made.is_election
        else _("The poll “%(title)s” is open.")
    )
    messages.success(request, sentence % {"title": made.title})
    there = redirect("dashboard", made.what) if made.is_election else redirect("manage_poll", made.what)
    return _back(request, wanted) or there


def _back(request: HttpRequest, wanted: FollowUpRequest) -> HttpResponse | None:
    page = access.return_page(request.POST.get("from", ""), wanted.game, otherwise="")
    return redirect(page, wanted.game.id) if page else None


def _page(request: HttpRequest, wanted: FollowUpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    game = wanted.game
    context: dict[str, Any] = {"game": game, "round": wanted.round, "made": linked(game.id, request.user)}
    try:
        context["subject"] = follow_ups.subject(game, wanted.state, wanted.round)
    except follow_ups.NoFollowUp as refusal:
        problem, status = str(refusal), 409
    context |= FOLLOW_UPS.of(game).page_context(game, request.POST)
    return render(request, "live/follow_up.html", context | {"problem": problem}, status=status)
