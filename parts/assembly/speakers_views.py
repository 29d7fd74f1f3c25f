"""Buttons of the speakers' list, for players and for hosts: one URL, by POST."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.access import access_response, public, requires
from accounts.rules import Permission
from foundation.acts.refusals import NotNow, Refusal
from parts.live import clock, rules
from parts.live.rules import Game
from parts.live.screens import access
from parts.live.screens.access import ANSWER_RATE

from . import speakers
from .speakers import LIMITS

OF_PLAYERS: dict[str, Callable[[Game, str], Any]] = {"ask": speakers.ask, "back": speakers.take_back}
OF_HOSTS = ("call", "end", "remove", "close", "reopen", "limit")


@public
@require_POST
def speakers_list(request: HttpRequest, game_id: str) -> HttpResponse:
    """A button names its action and its player, as in "call 8fj2…", so that pressing it twice is harmless."""
    act, _space, whom = request.POST.get("act", "").partition(" ")
    if act in OF_HOSTS:
        return _by_host(request, game_id, act, whom)
    return _by_player(request, game_id, act)


# --- players ---


def _by_player(request: HttpRequest, game_id: str, act: str) -> HttpResponse:
    player = access.load_player(request, game_id)
    if isinstance(player, HttpResponse):
        return _refusal_response(str(access.NOT_HERE)) if _is_scripted(request) else player
    game = player.snapshot.game

    def carry_out() -> None:
        if act not in OF_PLAYERS or not game.format.any_order:
            raise NotNow(rules.NOT_NOW)
        ANSWER_RATE.check(f"{game_id} {player.seat.player}", clock.now())
        OF_PLAYERS[act](game, player.seat.player)

    return _answer(request, carry_out, reverse("play", args=[game_id]))


# --- hosts ---


@requires(Permission.USE_APPLICATION)
def _only_hosts(request: HttpRequest) -> HttpResponse:
    raise Http404


def _by_host(request: HttpRequest, game_id: str, act: str, whom: str) -> HttpResponse:
    if (instead := access_response(request, _only_hosts)) is not None:
        return instead
    hosted = access.load_hosted(request.user, game_id)
    if hosted is None:
        raise Http404
    game, who = hosted[0], request.user.name
    minutes = next((each for each in LIMITS if str(each) == request.POST.get("minutes")), -1)  # none of those offered
    acts: dict[str, Callable[[], Any]] = {
        "call": lambda: speakers.call(game, whom),
        "end": lambda: speakers.end(game, whom),
        "remove": lambda: speakers.take_back(game, whom),
        "close": lambda: speakers.close(game, who, is_closed=True),
        "reopen": lambda: speakers.close(game, who, is_closed=False),
        "limit": lambda: speakers.limit(game, who, minutes),
    }
    back = access.return_page(request.POST.get("from", ""), game)
    return _answer(request, acts[act], reverse(back, args=[game_id]))


# --- answers ---


def _answer(request: HttpRequest, act: Callable[[], Any], back: str) -> HttpResponse:
    """A page with scripts is updated by push; without scripts it is loaded again."""
    try:
        act()
    except Refusal as refusal:
        if _is_scripted(request):
            return _refusal_response(str(refusal))
        messages.warning(request, str(refusal))
        return redirect(back)
    return HttpResponse(status=204) if _is_scripted(request) else redirect(back)


def _refusal_response(sentence: str) -> HttpResponse:
    return HttpResponse(sentence, status=409, content_type="text/plain; charset=utf-8")


def _is_scripted(request: HttpRequest) -> bool:
    return request.headers.get("X-Requested-With") == "fetch"
