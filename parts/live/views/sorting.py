"""Page on which hosts sort the ideas of the room."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from foundation.acts.refusals import LostRace, NotNow
from foundation.pages.forms import form_page
from foundation.pages.messages import refusals_as_messages
from parts.live import rules
from parts.live.answer_forms import parse_line
from parts.live.plays import ideas_store as orders
from parts.live.plays.ideas_order import MAX_IDEA_CHARS, NO_SUCH, CannotSort, Order, SortedIdeas
from parts.live.rules import Phase
from parts.live.screens import rendering
from parts.live.screens.access import Hosted, for_hosts
from parts.live.services import closing
from parts.questions.question import MAX_OPTIONS, MIN_OPTIONS

MAX_TICKED_IDEAS = 6_000  # per request
MAX_WORDED_IDEAS = 200  # in the address of the page on which their common wording is typed


@for_hosts
@form_page
def sort_ideas(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted[0], closing.settled(*hosted)
    found = orders.read(game.id, state.round) if state.phase == Phase.SORTING else None
    if found is None:
        messages.info(request, _("There are no ideas to sort at the moment."))
        return redirect("host_game", game.id)
    views = found[1].idea_views()
    if request.method == "POST":
        return _sorted(request, game.id, state.round, [each.number for each in views])
    context = {
        "game": game,
        "state": state,
        "ideas": [each for each in views if not each.out],
        "left_out": [each for each in views if each.out],
        "worded": [each for each in views if str(each.number) in request.GET.getlist("idea")],
        "going": found[1].going,
        "fewest": MIN_OPTIONS,
        "most": MAX_OPTIONS,
        "longest": MAX_IDEA_CHARS,
        "steps": rendering.buttons(game, state)[:2],
    }
    return render(request, "live/sort/sort.html", context)


def _sorted(request: HttpRequest, game_id: str, round_: int, shown: list[int]) -> HttpResponse:
    """The button gives the action and the idea: “out 3”. The page continues where it was."""
    back = reverse("sort_ideas", args=[game_id])
    ticked = request.POST.getlist("idea")
    if request.POST.get("act") == "merge_as" and 1 < len(ticked) <= MAX_WORDED_IDEAS:
        return redirect(f"{back}?{urlencode({'idea': ticked}, doseq=True)}")
    with refusals_as_messages(request):
        if request.POST.get("round") != str(round_):
            raise LostRace(rules.STALE)
        number, act = _act(request)
        orders.sort(game_id, round_, act)
        return HttpResponseRedirect(f"{back}#idea-{_goes_on_at(request, number, shown)}")
    return redirect(back)


def _goes_on_at(request: HttpRequest, number: int, shown: list[int]) -> int:
    """An idea left out moves to the end of the page, so the host continues with the next one."""
    if not request.POST.get("act", "").startswith("out ") or number not in shown:
        return number
    return shown[min(shown.index(number) + 1, len(shown) - 1)]


def _act(request: HttpRequest) -> tuple[int, Callable[[SortedIdeas], Order]]:
    name, _space, typed = request.POST.get("act", "").partition(" ")
    words = parse_line(request.POST.get("words", ""), MAX_IDEA_CHARS)
    if name in ("merge", "merge_as"):
        ticked = [_number(each) for each in request.POST.getlist("idea")[:MAX_TICKED_IDEAS]]
        return min(ticked, default=0), lambda found: found.merged(ticked, words)
    number = _number(typed)
    acts: dict[str, Callable[[SortedIdeas], Order]] = {
        "apart": lambda found: found.split(number),
        "out": lambda found: found.left_out(number, out=True),
        "in": lambda found: found.left_out(number, out=False),
        "goes": lambda found: found.chosen(number, goes=True),
        "stays": lambda found: found.chosen(number, goes=False),
        "leads": lambda found: found.led_by(number),
        "words": lambda found: found.worded(number, words),
    }
    if name not in acts:
        raise NotNow(rules.NOT_NOW)
    return number, acts[name]


def _number(typed: str) -> int:
    if not (typed.isascii() and typed.isdigit()) or len(typed) > 5:
        raise CannotSort(NO_SUCH)
    return int(typed)
