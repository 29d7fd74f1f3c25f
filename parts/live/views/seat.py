"""A player's own seat: name, other devices, leaving and coming back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import public
from foundation.acts.links import absolute_url
from foundation.acts.refusals import Refusal
from foundation.pages.forms import form_page
from foundation.pages.messages import confirm_page, message_page
from foundation.pages.qr import qr_svg
from foundation.store import keys
from parts.live import players, repository, seats
from parts.live.players import Pass, Player
from parts.live.rules import Game, State
from parts.live.screens.access import blocked_page
from parts.live.screens.formats import SCREENS
from parts.live.seats import Seat
from parts.live.services import joining, seating

from .formats import PAGES
from .join_forms import PlayerNameForm, with_focus

# --- own page ---


@public
@form_page
def seat(request: HttpRequest, game_id: str) -> HttpResponse:
    game, state, player = _load(request, game_id)
    held = players.pass_of(request, game_id)
    if request.htmx and request.method == "GET":
        return _still_waiting(request, game, state, player)
    if player is None or held is None or player.seat.removed:
        return blocked_page(request, game, state, player) or redirect("play", game.id)
    if request.method == "POST":
        return _act(request, game, state, player, held)
    return blocked_page(request, game, state, player) or _show(request, game, state, player.seat, held)


def _load(request: HttpRequest, game_id: str) -> tuple[Game, State, Player | None]:
    own = players.seat_key(request, game_id)
    found, items = repository.find_shown_with(game_id, *([own] if own else []))
    if found is None:
        raise Http404
    return *found, players.from_items(request, game_id, items)


def _still_waiting(request: HttpRequest, game: Game, state: State, player: Player | None) -> HttpResponse:
    """Polled by pages that wait for the host, or for the device that has the seat."""
    if player is None:
        goes_on = not SCREENS.of(game).may_get_seat(request, game, state)
    else:
        goes_on = player.seat.approved or player.seat.removed or not player.is_newest
    return HttpResponseClientRedirect(reverse("play", args=[game.id])) if goes_on else HttpResponse(status=204)


def _show(
    request: HttpRequest,
    game: Game,
    state: State,
    own: Seat,
    held: Pass,
    form: PlayerNameForm | None = None,
    **more: Any,
) -> HttpResponse:
    address = absolute_url(reverse("take_seat", args=[game.id, players.link_of(game, held)]))
    context = {"game": game, "seat": own, "address": address, "qr": qr_svg(address), **more}
    if seating.may_rename_oneself(game, state):
        context["form"] = with_focus(form) if form else PlayerNameForm(initial={"name": own.name})
    return render(request, "live/join/seat.html", context, status=422 if form else 200)


def _act(request: HttpRequest, game: Game, state: State, player: Player, held: Pass) -> HttpResponse:
    act = request.POST.get("act", "")
    if act == "here":
        return _take_over(request, game, held)
    if not player.is_newest:
        return blocked_page(request, game, state, player) or redirect("play", game.id)
    if act in PAGES.of(game).seat_acts:
        return PAGES.of(game).seat_acts[act](request, game, held)
    if act == "leave":
        joining.leave(game, held)
        return redirect("seat", game.id)
    return _rename(request, game, state, player.seat, held)


def _take_over(request: HttpRequest, game: Game, held: Pass) -> HttpResponse:
    try:
        taken = joining.take_over(game, held)
    except Refusal as refusal:
        return message_page(request, _("Your seat"), str(refusal), status=410)
    return players.set_seat_cookie(redirect("play", game.id), game, taken)


def _rename(request: HttpRequest, game: Game, state: State, own: Seat, held: Pass) -> HttpResponse:
    if not seating.may_rename_oneself(game, state):
        messages.error(request, str(seating.ALREADY_CHANGED))
        return redirect("seat", game.id)
    form = PlayerNameForm({"name": request.POST.get("instead") or request.POST.get("name", "")})
    free: list[str] = []
    if form.is_valid():
        try:
            after = seating.rename_oneself(game.id, own.player, form.cleaned_data["name"])
            messages.success(request, _("You are now called %(name)s.") % {"name": after.name})
            return redirect("seat", game.id)
        except Refusal as refusal:
            form.add_error("name", str(refusal))
            free = getattr(refusal, "instead", [])
    return _show(request, game, state, own, held, form, instead=free)


# --- other devices ---


@public
@form_page
def take_seat(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    """Target of the link shown on the other device. Needs a click, so that following a link takes no seat."""
    linked = players.pass_of_link(game_id, token)
    found = _linked(game_id, linked) if linked else None
    if linked is None or found is None:
        sentence = _("This link has expired. Show a new one on the other device.")
        return message_page(request, _("Continue here"), sentence, status=410)
    game, own = found
    if request.method == "POST":
        return _take_over(request, game, linked)
    lead, button = (
        _("Continue as %(name)s on this device. The other device will be told."),
        _("Continue on this device"),
    )
    return confirm_page(request, _("Continue here"), button, lead=lead % {"name": own.name})


def _linked(game_id: str, linked: Pass) -> tuple[Game, Seat] | None:
    """The seat of a link, unless another device has taken it since the link was shown."""
    place = keys.seat(game_id, linked.player)
    found, items = repository.find_shown_with(game_id, place)
    own = seats.seat_from_item(items[place]) if place in items else None
    if found is None or own is None or own.removed or own.device != linked.device:
        return None
    return (found[0], own) if own.secret == players.digest(linked.secret) else None
