"""The host's agenda page: the outcome of each item, calling one, adding one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors
from foundation.pages.messages import run_action
from parts.live import corrections, steps
from parts.live.answer_forms import parse_number
from parts.live.screens import snapshots
from parts.live.screens.access import Hosted, for_hosts, return_page
from parts.live.services import correcting
from parts.live.snapshot import Snapshot
from parts.questions.question import Kind

from . import agenda as services
from . import wording
from .forms import ItemForm, with_amendments


@for_hosts
@form_page
def agenda(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    snapshot = snapshots.current(hosted[0].id)
    if snapshot is None or not snapshot.game.format.any_order:
        raise Http404
    game = snapshot.game
    called, corrected = steps.calls(game, snapshot.state), corrections.rows(game, snapshot.state, snapshot.questions)
    waiting = [each for each in corrected if each.is_movable]
    items = [(each.edition, f"{snapshot.numbers[each.place]}. {each.question.title[:60]}") for each in waiting]
    initial = _initial_from_motion(request, snapshot, waiting)
    form = ItemForm(form_data(request), game=game, waiting=items, initial=initial)
    with refusals_as_errors(form):
        if request.method == "POST" and form.is_valid():
            question = form.question()
            correcting.add(game.id, request.user.name, question, before=form.cleaned_data["before"])
            messages.success(request, _("“%(title)s” is on the agenda.") % {"title": question.title})
            another = "?add#add" if "another" in request.POST else ""
            return redirect(reverse("agenda", args=[game.id]) + another)
    context = {
        "game": game,
        "state": snapshot.state,
        "form": form,
        "token": new_token(),
        "rows": [(each, called.get(each.place), corrected[each.place]) for each in wording.agenda(snapshot)],
        "quorum": wording.quorum_text(game.own.quorum),
    }
    return render(request, "assembly/agenda.html", context, status=422 if form.errors else 200)


@for_hosts
@require_POST
def run_off(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Calls the run-off of the round that the button names."""
    game, number = hosted[0], parse_number(request.POST.get("round", ""), below=10_000) or 0
    done = _("The run-off is called.")
    run_action(request, lambda: services.hold_run_off(game.id, request.user.name, number), done)
    return redirect(return_page(request.POST.get("from", ""), game, otherwise="agenda"), game.id)


def _initial_from_motion(request: HttpRequest, snapshot: Snapshot, waiting: list[corrections.Row]) -> dict[str, Any]:
    """Prefills the form with a motion that is about to get amendments, to be called right after it."""
    place = parse_number(request.GET.get("motion", ""), below=len(snapshot.questions))
    motion = None if place is None else snapshot.questions[place]
    if place is None or motion is None or motion.kind != Kind.MOTION:
        return {}
    return with_amendments(motion) | {"before": next((row.edition for row in waiting if row.place > place), "")}
