"""The host's roll page: who is entitled to vote, who is present, and cards with codes to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections import voter_lists
from foundation.acts.links import absolute_url
from foundation.acts.refusals import Refusal
from foundation.pages import lists
from foundation.pages.fields import new_names
from foundation.pages.forms import form_page, refusals_as_errors
from foundation.pages.lists import Verdict
from foundation.pages.messages import refusals_as_messages
from foundation.pages.names import natural_sort_key
from foundation.pages.qr import qr_svg
from foundation.store.keys import fold
from parts.live import seats
from parts.live.clock import configured
from parts.live.rules import Game, Phase, State
from parts.live.screens.access import Hosted, for_hosts
from parts.live.seats import Seat
from parts.live.services import seating
from parts.live.views.joining import FindPlayerForm

from . import attendance, roll
from .forms import EntitledForm, NamesForm, join_line
from .roll import Entry

PAGE_ROWS = 100  # people
CARDS_PER_SHEET = 40  # on a page to print: drawing a QR picture takes a while
MAX_QUERY_CHARS = 200
HERE, MISSING = "here", "missing"  # what the page shows of them


@dataclass(frozen=True, slots=True)
class Line:
    """Someone on the roll, present, or both."""

    name: str
    entry: Entry | None = None
    seat: Seat | None = None
    acts: frozenset[str] = frozenset()

    @property
    def is_here(self) -> bool:
        return self.seat is not None and self.seat.is_there

    @property
    def is_missing(self) -> bool:
        return self.entry is not None and not self.is_here

    @property
    def has_code(self) -> bool:
        return self.entry is not None and bool(self.entry.turn)

    @property
    def has_new_code(self) -> bool:
        return self.entry is not None and self.entry.has_new_code


@for_hosts
@form_page
def roll_page(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted
    if not game.format.checks_in:
        raise Http404
    if request.method == "POST":
        return _act(request, game, state)
    return _show(request, game, state)


# --- looking ---


def _show(request: HttpRequest, game: Game, state: State, status: int = 200, **more: Any) -> HttpResponse:
    find = FindPlayerForm(request.GET)
    query = find.cleaned_data["q"] if find.is_valid() else ""
    everybody = _lines(game)
    show, after = request.GET.get("show", ""), request.GET.get("after", "")
    start = int(after) if after.isdecimal() and len(after) < 6 else 0
    here, missing = [each for each in everybody if each.is_here], [each for each in everybody if each.is_missing]
    shown = {HERE: here, MISSING: missing}.get(show, everybody)
    found = [each for each in shown if fold(query) in fold(each.name)]
    context = {
        "game": game,
        "kept_days": configured().retention.days,
        "presence": attendance.presence(game, len(here)),
        "missing": len(missing),
        "new_codes": sum(each.has_new_code for each in everybody),
        "coming": sum(each.has_code and each.seat is None for each in everybody),
        "everybody": len(everybody),
        "rows": found[start : start + PAGE_ROWS],
        "find": find,
        "show": show,
        "names": NamesForm(),
        "entitled": EntitledForm(game=game),
        "max_weight": voter_lists.MAX_WEIGHT,
        "voting": state.phase == Phase.VOTING,
        "older": _page(game, show=show, q=query, after=start + PAGE_ROWS) if len(found) > start + PAGE_ROWS else "",
    }
    return render(request, "assembly/roll.html", context | more, status=status)


def _lines(game: Game) -> list[Line]:
    """Everyone on the roll and everyone present without being on it, sorted by name."""
    seated = {each.player: each for each in seats.read_seats(game.id)}  # not from a cache, which may be a moment old
    listed = list(roll.each_entry(game.id)) if game.own.has_roll else []
    lines = [_line(game, each.name, each, seated.pop(roll.player_of_entry(game.id, each), None)) for each in listed]
    lines += [_line(game, each.name, None, each) for each in seated.values()]
    return sorted(lines, key=lambda each: natural_sort_key(each.name))


def _line(game: Game, name: str, entry: Entry | None, seat: Seat | None) -> Line:
    acts = (act.name for act in seating.offered(seat, game)) if seat and not game.ended_at else ()
    return Line(name, entry, seat, frozenset(acts))


def _page(game: Game, **parameters: Any) -> str:
    query = urlencode({name: value for name, value in parameters.items() if value})
    return reverse("game_roll", args=[game.id]) + (f"?{query}" if query else "")


# --- cards ---


def _cards(request: HttpRequest, game: Game, entries: Sequence[Entry]) -> HttpResponse:
    """Rendered in response to the button: reloading the page does not show the codes again."""
    link = absolute_url(reverse("check_in", args=[game.id, game.token]))
    codes = [(each.name, roll.code_of(game.id, each)) for each in entries]
    context = {
        "game": game,
        "cards": [(name, code, qr_svg(f"{link}?{urlencode({'code': code})}")) for name, code in codes],
        "left": sum(each.has_new_code for each in roll.each_entry(game.id)),
        "address": absolute_url(reverse("join")).partition("://")[2].rstrip("/"),
    }
    return render(request, "assembly/cards.html", context)


# --- acts ---


def _act(request: HttpRequest, game: Game, state: State) -> HttpResponse:
    """Dispatches by the button that was pressed."""
    act = request.POST.get("act", "")
    if act in ("look", "add"):
        return _add(request, game, state, is_sure=act == "add")
    if act == "entitled":
        return _say_how_many(request, game, state)
    name = request.POST.get("name", "")
    who = request.user.name
    with refusals_as_messages(request):
        if act == "renew":
            return _cards(request, game, [roll.renew(game.id, who, name)])
        if act == "cards":
            return _cards(request, game, roll.show_new_codes(game.id, who, CARDS_PER_SHEET))
        if act == "renew_missing":
            number = roll.renew_missing(game.id, who)
            sentence = ngettext(
                "%(count)d person has a new code. The old one no longer works.",
                "%(count)d people have new codes. The old ones no longer work.",
                number,
            )
            messages.success(request, sentence % {"count": number})
        elif act == "weigh":
            roll.weigh(game.id, who, name, _weight(request.POST.get("weight", "")))
            messages.success(request, _("Your changes are saved."))
        elif act == "remove":
            roll.remove(game.id, who, name)
            messages.success(request, _("%(name)s is no longer on the roll.") % {"name": name})
        else:
            messages.error(request, str(seating.ALREADY_CHANGED))
    return redirect(_page(game, q=request.POST.get("q", "")[:MAX_QUERY_CHARS]))


def _weight(typed: str) -> int:
    try:
        return voter_lists.clean_weight(typed.strip())
    except ValidationError as error:
        raise Refusal(error.messages[0]) from None


def _add(request: HttpRequest, game: Game, state: State, *, is_sure: bool) -> HttpResponse:
    """First a preview of each line, then a button to confirm."""
    form = NamesForm(request.POST)
    if not form.is_valid():
        return _show(request, game, state, 422, names=form)
    rows = form.cleaned_data["names"]
    if not is_sure:
        return _preview(request, game, rows, form)
    with refusals_as_errors(form, "names"):
        number = roll.add(game.id, request.user.name, new_names(rows), form.addresses, form.weights)
        done = ngettext("%(count)d person was added to the roll.", "%(count)d people were added to the roll.", number)
        messages.success(request, done % {"count": number})
        return redirect("game_roll", game.id)
    return _show(request, game, state, 422, names=form)


def _preview(request: HttpRequest, game: Game, rows: Sequence[lists.Row], form: NamesForm) -> HttpResponse:
    there, entries = roll.match_names(game.id, new_names(rows), form.addresses, form.weights)
    is_there = [row.verdict == Verdict.NEW and fold(row.value or "") in there for row in rows]
    judged = [(row, Verdict.THERE if on_it else row.verdict) for row, on_it in zip(rows, is_there, strict=True)]
    new = [row for row, verdict in judged if verdict == Verdict.NEW]
    context = {
        "game": game,
        "rows": [(row, verdict, entries.get(fold(row.value or ""))) for row, verdict in judged],
        "counts": {each: sum(verdict == each for _row, verdict in judged) for each in Verdict},
        "coded": sum(not entry.account for entry in entries.values()),
        "new": new,
        "text": "\n".join(
            join_line(name, form.addresses.get(fold(name), ""), form.weights.get(fold(name), 1))
            for row in new
            if (name := row.value)
        ),
        "too_many": len(new) + (game.own.entitled if game.own.has_roll else 0) > roll.MAX_ROLL_PEOPLE,
        "most": roll.MAX_ROLL_PEOPLE,
        "begins": not game.own.has_roll,
    }
    return render(request, "assembly/roll_preview.html", context)


def _say_how_many(request: HttpRequest, game: Game, state: State) -> HttpResponse:
    form = EntitledForm(request.POST, game=game)
    if form.is_valid():
        entitled = game.own.entitled if game.own.has_roll else form.cleaned_data["entitled"] or 0
        with refusals_as_errors(form):
            roll.change_quorum(game.id, request.user.name, entitled, form.quorum_text)
            messages.success(request, _("Your changes are saved."))
            return redirect("game_roll", game.id)
    return _show(request, game, state, 422, entitled=form)
