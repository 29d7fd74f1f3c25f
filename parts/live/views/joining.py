"""Pages for joining a session and for a player's own seat: enter a code, choose a name, leave, come back.

A whole hall shares one address, so joining is not limited.
"""

from __future__ import annotations

import re
from hmac import compare_digest
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import public
from foundation.acts import features, tokens
from foundation.acts.links import absolute_url
from foundation.acts.rate_limits import TooOften
from foundation.acts.refusals import Refusal
from foundation.pages.client_address import client_network, is_loaded_by_another_site
from foundation.pages.forms import form_page
from foundation.pages.messages import confirm_page, message_page
from foundation.pages.qr import qr_svg
from foundation.store import keys
from foundation.store.table import Item
from parts.live import codes, names, players, repository, seats
from parts.live.clock import configured
from parts.live.players import Pass, Player
from parts.live.rules import Game, Names, Phase, State
from parts.live.screens.access import blocked_page, ended_page
from parts.live.screens.formats import SCREENS
from parts.live.seats import Seat
from parts.live.services import joining, seating
from parts.polls.services import normalised_code
from results.front_page.home import show_home

from .formats import PAGES

OFFER = "name offered"  # purpose for which generated names are signed
OFFER_SECONDS = 24 * 3600
OF_NO_SESSION = gettext_lazy("No session has this code. Check it and try again.")
OF_NEITHER = gettext_lazy("No poll or live session has this code. Check it and try again.")


# --- the code ---


@public
@require_safe
def join(request: HttpRequest) -> HttpResponse:
    """A single field; the code goes into the URL, so that it works without JavaScript and can be shared."""
    letters = "letters" in request.GET
    form = CodeForm(request.GET if "code" in request.GET else None, letters=letters)
    if form.is_bound and form.is_valid():
        address = reverse("join_by_code", args=[form.cleaned_data["code"]])
        return redirect(f"{address}?at=home" if _is_at_home(request) else address)
    return _ask(request, form, 422 if form.errors else 200)


def _is_at_home(request: HttpRequest) -> bool:
    """Whether the code was typed on the front page, which then also shows errors."""
    return request.GET.get("at") == "home"


def _ask(request: HttpRequest, form: CodeForm, status: int) -> HttpResponse:
    if _is_at_home(request):
        return show_home(request, status, typed=form["code"].value(), code_problem=form.errors["code"][0])
    return render(
        request, "live/join/code.html", {"form": with_focus(form), "letters": "letters" in request.GET}, status=status
    )


@public
@require_safe
def by_code(request: HttpRequest, code: str) -> HttpResponse:
    """Resolves a code to a session or a poll; for a day after a session's end, says when it ended."""
    if is_loaded_by_another_site(request):
        raise Http404
    code = normalised_code(code) if len(code) <= MAX_CODE_CHARS else ""
    try:
        found = codes.resolve_code(code, client_network(request))
    except TooOften as refusal:
        problem = _("Too many wrong codes were entered from your network. The QR code and the link still work.")
        return _ask_again(request, code, f"{problem} {refusal}", 429)
    if found is None or ("poll" in found and not features.is_on("polls")):
        return _ask_again(request, code, OF_NEITHER if _is_at_home(request) else OF_NO_SESSION, 404)
    return _follow_code(request, found)


def _follow_code(request: HttpRequest, found: Item) -> HttpResponse:
    if "poll" in found:
        return redirect("poll", found["poll"])
    if "ended_at" in found:
        return ended_page(request, found["ended_at"])
    session = repository.find_shown(found["game"])
    if session is None:
        raise Http404
    return redirect("join_game", session[0].id, session[0].token)


def _ask_again(request: HttpRequest, code: str, problem: str | Promise, status: int) -> HttpResponse:
    form = CodeForm({"code": code or "?"}, letters="letters" in request.GET)
    if form.is_valid():
        form.add_error("code", problem)
    return _ask(request, form, status)


# --- the name ---


@public
@form_page
def join_game(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    """Target of the QR code and the link. Seated players continue playing; some formats have a different way in."""
    game, state, roster, player = _load(request, game_id, token)
    if game.format.joining_page != "join_game":
        return redirect(game.format.joining_page, game.id, token)
    if player is not None:
        return redirect("play", game.id)
    if game.ended_at or state.phase == Phase.ENDED:
        return ended_page(request, game.ended_at or state.changed_at)
    if request.method == "POST" and "another" not in request.POST:
        return _join(request, game, state, roster)
    if seats.is_full(roster):
        return _show(request, game, PlayerNameForm(), problem=str(joining.session_full()), status=409)
    return _show(request, game, PlayerNameForm())


def _load(request: HttpRequest, game_id: str, token: str) -> tuple[Game, State, Item | None, Player | None]:
    """Loads all that the page needs in one round trip."""
    roster, own = keys.game_roster(game_id), players.seat_key(request, game_id)
    found, items = repository.find_shown_with(game_id, roster, *([own] if own else []))
    if found is None or not compare_digest(found[0].token.encode(), token.encode()):
        raise Http404
    return *found, items.get(roster), players.from_items(request, game_id, items)


def _join(request: HttpRequest, game: Game, state: State, roster: Item | None) -> HttpResponse:
    form, held = _name_form(request, game), players.pass_of_form(request.POST.get("form", ""))
    if held is None or not form.is_valid():
        return _show(request, game, form, status=422)
    try:
        joining.join(game, state, roster, form.cleaned_data["name"], held)
    except joining.SeatNameTaken as refusal:
        is_drawn = game.names == Names.GENERATED
        form.add_error(
            "name", _("Somebody else just took this name. Here is another one.") if is_drawn else str(refusal)
        )
        return _show(request, game, form, instead=refusal.instead, status=422)
    except Refusal as refusal:
        return _show(request, game, form, problem=str(refusal), status=409)
    return players.set_seat_cookie(redirect("play", game.id), game, held)


def _name_form(request: HttpRequest, game: Game) -> PlayerNameForm:
    """With the name typed, or a suggested alternative; if names are generated, only one that we have signed."""
    if game.names != Names.GENERATED:
        return PlayerNameForm({"name": request.POST.get("instead") or request.POST.get("name", "")})
    words = tokens.read_token(OFFER, request.POST.get("offer", ""), OFFER_SECONDS)
    return PlayerNameForm({"name": words[1] if words is not None and words[0] == game.id else ""})


def _show(request: HttpRequest, game: Game, form: PlayerNameForm, status: int = 200, **more: Any) -> HttpResponse:
    """Reuses the form token, so that a second click finds what the first has created."""
    sent = request.POST.get("form", "")
    context = {
        "game": game,
        "kept_days": configured().retention.days,
        "form": with_focus(form),
        "form_token": sent if players.pass_of_form(sent) else players.new_form(),
    }
    if game.names == Names.GENERATED:
        name = names.offer_name(game.id)
        context |= {"offered": name, "offer": tokens.create_token(OFFER, game.id, name)}
    return render(request, "live/join/name.html", context | more, status=status)


# --- forms ---

NOT_A_CODE = re.compile(r"[^0-9A-Za-z]")
MAX_CODE_CHARS = 20


class CodeForm(forms.Form):
    """The code shown or read out by the host; a poll's code has letters, and is accepted as well."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=MAX_CODE_CHARS,
        error_messages={"required": gettext_lazy("Enter the code from the big screen.")},
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )

    def __init__(self, *arguments: Any, letters: bool = False):
        super().__init__(*arguments)
        self.fields["code"].widget.attrs["inputmode"] = "text" if letters else "numeric"

    def clean_code(self) -> str:
        digits = re.sub(r"\d", lambda found: str(int(found[0])), self.cleaned_data["code"])  # digits of any script
        code = normalised_code(NOT_A_CODE.sub("", digits))
        if not code:
            raise forms.ValidationError(self.fields["code"].error_messages["required"])
        return code


def with_focus(form: forms.Form) -> forms.Form:
    """Focuses the form's only field if it has an error, so that screen readers announce it."""
    for field in form.fields.values() if form.errors else ():
        field.widget.attrs["autofocus"] = True
    return form


class PlayerNameField(forms.CharField):
    """A player's name, cleaned as it will be stored."""

    def __init__(self) -> None:
        widget = forms.TextInput({"autocomplete": "nickname", "spellcheck": "false", "dir": "auto"})
        asks = {"required": gettext_lazy("Enter a name.")}
        super().__init__(
            label=gettext_lazy("Your name"), max_length=names.MAX_CODE_POINTS, widget=widget, error_messages=asks
        )

    def clean(self, value: Any) -> str:
        return names.clean(super().clean(value))


class PlayerNameForm(forms.Form):
    name = PlayerNameField()


class FindPlayerForm(forms.Form):
    q = forms.CharField(label=gettext_lazy("Name"), required=False, max_length=names.MAX_CODE_POINTS)


# --- a player's own seat ---


@public
@form_page
def seat(request: HttpRequest, game_id: str) -> HttpResponse:
    game, state, player = _load_seat(request, game_id)
    held = players.pass_of(request, game_id)
    if request.htmx and request.method == "GET":
        return _still_waiting(request, game, state, player)
    if player is None or held is None or player.seat.removed:
        return blocked_page(request, game, state, player) or redirect("play", game.id)
    if request.method == "POST":
        return _act(request, game, state, player, held)
    return blocked_page(request, game, state, player) or _show_seat(request, game, state, player.seat, held)


def _load_seat(request: HttpRequest, game_id: str) -> tuple[Game, State, Player | None]:
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


def _show_seat(
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
    return _show_seat(request, game, state, own, held, form, instead=free)


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
