"""Page of a session's players for hosts: find, approve, rename, give time, remove, readmit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from foundation.acts.refusals import NotNow, Refusal
from foundation.pages.forms import form_page
from parts.live import names, seats
from parts.live.clock import PERCENTS
from parts.live.rules import Game, State
from parts.live.screens.access import Hosted, for_hosts, for_hosts_of_seat
from parts.live.seats import Seat
from parts.live.services import joining, seating
from parts.live.services.seating import SeatAction

from .join_forms import FindPlayerForm

PAGE_ROWS = 100  # players


@for_hosts
@form_page
def players(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted
    if game.format.people_page != "game_players":
        return redirect(game.format.people_page, game.id)
    if request.method == "POST":
        return _approve_shown(request, game)
    form = FindPlayerForm(request.GET)
    asked = form.cleaned_data["q"] if form.is_valid() else ""
    everybody = list(seats.read_seats(game.id))  # bypasses the cache, which may be slightly out of date
    found, start = seating.search(everybody, asked), _start(request)
    context = {
        "game": game,
        "form": form,
        "rows": [_row(game, state, each) for each in found[start : start + PAGE_ROWS]],
        "playing": sum(each.plays and not each.left for each in everybody),
        "waiting": sum(not each.approved and not each.removed for each in everybody),
        "percents": PERCENTS,
        "older": _list_url(game, q=asked, after=start + PAGE_ROWS) if len(found) > start + PAGE_ROWS else "",
    }
    return render(request, "live/players/players.html", context)


def _row(game: Game, state: State, seat: Seat) -> tuple[Seat, set[str], int]:
    """A player, the possible actions, and the question from which they were there if they came late."""
    return seat, {act.name for act in seating.offered(seat, game)}, seats.late_since(state, seat)


def _start(request: HttpRequest) -> int:
    after = request.GET.get("after", "")
    return int(after) if after.isdecimal() and len(after) < 6 else 0


def _approve_shown(request: HttpRequest, game: Game) -> HttpResponse:
    """Approves only the names that were on the page: hosts look at every name, and players may have joined since."""
    shown = request.POST.getlist("player")[:PAGE_ROWS]
    number = seating.approve_all(game.id, shown, request.user.name)
    sentence = ngettext("%(number)d player approved.", "%(number)d players approved.", number)
    messages.success(request, sentence % {"number": number})
    return redirect("game_players", game.id)


@for_hosts_of_seat
@require_POST
def change_player(request: HttpRequest, seated: tuple[Game, Seat]) -> HttpResponse:
    """Performs one of the list's actions, as given by the button."""
    game, seat = seated
    try:
        sentence, act = _parse_act(request, game, seat)
        act()
    except joining.SeatNameTaken as refusal:
        messages.error(request, f"{refusal} {_alternatives_text(refusal.instead)}")
    except (Refusal, ValidationError) as refusal:
        messages.error(request, refusal.messages[0] if isinstance(refusal, ValidationError) else str(refusal))
    else:
        messages.success(request, sentence)
    asked = request.POST.get("q", "")[: names.MAX_CODE_POINTS]
    return redirect(_list_url(game, q=asked) if asked else _list_url(game))


def _list_url(game: Game, **words: Any) -> str:
    return reverse(game.format.people_page, args=[game.id]) + (f"?{urlencode(words)}" if words else "")


def _parse_act(request: HttpRequest, game: Game, seat: Seat) -> tuple[str, Callable[[], Any]]:
    """The requested action, and the message to show once it is done."""
    who, wanted, called = request.user.name, request.POST.get("act", ""), {"name": seat.name}
    if wanted == SeatAction.RENAME:
        name = names.clean(request.POST.get("name", ""))
        sentence = _("%(name)s is now called %(new)s.") % {**called, "new": name}
        return sentence, lambda: seating.rename(game.id, seat.player, who, name)
    if wanted == SeatAction.TIME:
        percent = next((each for each in PERCENTS if str(each) == request.POST.get("percent")), 0)
        sentence = _("%(name)s now has %(percent)d%% of the usual time.") % {**called, "percent": percent}
        return sentence, lambda: seating.give_time(game.id, seat.player, who, percent)
    simple = {
        SeatAction.APPROVE: (_("%(name)s can now play."), seating.approve),
        SeatAction.REMOVE: (_("%(name)s has been removed and is told so."), seating.remove),
        SeatAction.READMIT: (_("%(name)s may play again."), seating.readmit),
        SeatAction.CHECK_OUT: (_("%(name)s is no longer present."), seating.check_out),
        SeatAction.CHECK_IN: (_("%(name)s is present again."), seating.check_in),
    }
    if wanted not in simple:
        raise NotNow(seating.ALREADY_CHANGED)
    sentence, act = simple[SeatAction(wanted)]
    return sentence % called, lambda: act(game.id, seat.player, who)


def _alternatives_text(found: list[str]) -> str:
    return _("Available: %(names)s.") % {"names": ", ".join(found)} if found else ""
