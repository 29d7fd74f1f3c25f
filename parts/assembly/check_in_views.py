"""The check-in page: a button for accounts, a field for a code from the roll.

Following a link or a QR code, even one that contains a code, changes nothing yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.access import public
from accounts.models import User
from foundation.acts.rate_limits import TooOften
from foundation.acts.refusals import Refusal
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_page
from foundation.pages.messages import run_action
from foundation.store import keys
from foundation.store.keys import fold
from parts.live import players, repository, seats
from parts.live.players import Player
from parts.live.rules import Game, Phase, State
from parts.live.screens.access import ended_page
from parts.live.seats import Seat
from parts.live.services import joining
from parts.live.views.joining import with_focus

from . import check_in, roll
from .attendance import own_of
from .forms import PersonalCodeForm
from .roll import Entry


@dataclass(frozen=True, slots=True)
class CheckInSnapshot:
    """Everything the page needs, read in one round trip."""

    game: Game
    state: State
    is_full: bool
    player: Player | None  # who has a seat in this browser
    user: User | None  # who is signed in
    entry: Entry | None  # of the roll, by the name of the signed-in person

    @property
    def is_entitled(self) -> bool:
        """Whether the signed-in person can check in with their account."""
        return self.user is not None and (not self.game.own.has_roll or check_in.is_on_the_roll(self.entry, self.user))

    @property
    def is_seated(self) -> bool:
        """Whether this browser's seat belongs to the signed-in person; a tablet may be passed round."""
        if self.player is None or self.user is None:
            return self.player is not None
        return fold(own_of(self.player.seat).account) == fold(self.user.name)


@public
@form_page
def check_in_page(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    snapshot = _load_snapshot(request, game_id, token)
    if not snapshot.game.format.checks_in:
        return redirect("join_game", game_id, token)
    if snapshot.is_seated:
        return redirect("play", game_id)
    if snapshot.game.ended_at or snapshot.state.phase == Phase.ENDED:
        return ended_page(request, snapshot.game.ended_at or snapshot.state.changed_at)
    if request.method == "POST":
        return _check_in(request, snapshot)
    if snapshot.is_full:
        return _render_page(request, snapshot, problem=str(joining.session_full()), status=409)
    return _render_page(request, snapshot)


def _load_snapshot(request: HttpRequest, game_id: str, token: str) -> CheckInSnapshot:
    user = request.user if request.user.is_authenticated else None
    roster, own = keys.game_roster(game_id), players.seat_key(request, game_id)
    entry = keys.game_roll_entry(game_id, user.name) if user else None
    found, items = repository.find_with(game_id, roster, *filter(None, (own, entry)))
    if found is None or not compare_digest(found[0].token.encode(), token.encode()):
        raise Http404
    listed = roll.entry_of(items[entry]) if entry and entry in items else None
    player = players.from_items(request, game_id, items)
    return CheckInSnapshot(*found, seats.is_full(items.get(roster)), player, user, listed)


def _check_in(request: HttpRequest, snapshot: CheckInSnapshot) -> HttpResponse:
    held = players.pass_of_form(request.POST.get("form", ""))
    by_code = request.POST.get("by") == "code"
    form = PersonalCodeForm(request.POST if by_code else None)
    if held is None or (by_code and not form.is_valid()):
        return _render_page(request, snapshot, form, status=422)
    try:
        if form.is_bound:
            code, network = form.cleaned_data["code"], client_network(request)
            seat_pass = check_in.by_code(snapshot.game, snapshot.state, code, held, network, snapshot.user)
        elif snapshot.user is None:
            raise Refusal(_("Sign in first."))
        else:
            seat_pass = check_in.by_account(snapshot.game, snapshot.state, snapshot.user, held)
    except TooOften as refusal:
        sentence = _("Too many wrong codes were typed at this location. If you have an account, check in with it.")
        return _render_refusal(request, snapshot, form, f"{sentence} {refusal}", 429)
    except Refusal as refusal:
        return _render_refusal(request, snapshot, form, str(refusal), 422 if by_code else 409)
    return players.set_seat_cookie(redirect("play", snapshot.game.id), snapshot.game, seat_pass)


def _render_refusal(
    request: HttpRequest, snapshot: CheckInSnapshot, form: PersonalCodeForm, sentence: str, status: int
) -> HttpResponse:
    if not form.is_bound or snapshot.is_entitled:  # the page has no field for a code
        return _render_page(request, snapshot, form, problem=sentence, status=status)
    form.add_error("code", sentence)
    return _render_page(request, snapshot, form, status=status)


def _render_page(
    request: HttpRequest,
    snapshot: CheckInSnapshot,
    form: PersonalCodeForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Reuses the form token, so that a second click finds what the first one made."""
    sent = request.POST.get("form", "")
    form = form if form and form.is_bound else PersonalCodeForm(initial={"code": request.GET.get("code", "")[:20]})
    context = {
        "game": snapshot.game,
        "form": with_focus(form),
        "form_token": sent if players.pass_of_form(sent) else players.new_form(),
        "is_entitled": snapshot.is_entitled,
        "needs_code": snapshot.entry is not None and not snapshot.is_entitled,
        "seated_name": snapshot.player.seat.name if snapshot.player else "",
    }
    return render(request, "assembly/check_in.html", context | more, status=status)


# --- one seat, two devices ---


def of_another_device(request: HttpRequest, game: Game, state: State) -> HttpResponse:
    """For a browser that had the seat before, or is asking for it during a secret vote."""
    claimed = _claimed_seat(request, game)
    if claimed is not None and (number := check_in.claim_number(claimed, state)):
        return render(request, "assembly/asking.html", {"game": game, "seat": claimed, "number": number})
    if claimed is not None:
        sentence = _("The vote is closed. Check in again to continue on this device.")
    else:
        sentence = _(
            "Another device has your seat. Check in to continue on this one. If it wasn't you, tell the host now."
        )
    messages.info(request, sentence)
    return redirect("check_in", game.id, game.token)


def is_asking(request: HttpRequest, game: Game, state: State) -> bool:
    """Whether this browser may still get the seat for which it asks."""
    claimed = _claimed_seat(request, game)
    return claimed is not None and bool(check_in.claim_number(claimed, state))


def _claimed_seat(request: HttpRequest, game: Game) -> Seat | None:
    """The seat that this browser has claimed but not been granted."""
    held = players.pass_of(request, game.id)
    seat = seats.find(game.id, held.player) if held else None
    is_claimed = held and seat and compare_digest(own_of(seat).claim, players.digest(held.secret))
    return seat if is_claimed else None


def allow(request: HttpRequest, game: Game, held: players.Pass) -> HttpResponse:
    """Hands the seat to the other device."""
    number, done = request.POST.get("number", ""), _("The other device has your seat now.")
    if run_action(request, lambda: check_in.allow(game.id, held, number), done):
        return redirect("check_in", game.id, game.token)
    return redirect("play", game.id)


def refuse(request: HttpRequest, game: Game, held: players.Pass) -> HttpResponse:
    number = request.POST.get("number", "")
    done = _("The other device was refused and cannot ask again during this vote.")
    run_action(request, lambda: check_in.refuse(game.id, held, number), done)
    return redirect("play", game.id)
