"""The host's agenda page: the outcome of each item, calling one, adding one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from acts.refusals import Refusal
from live import corrections
from live.screens import host_screens, snapshots
from live.screens.access import Hosted, for_hosts, return_page
from live.services import correcting
from live.snapshot import Snapshot
from pages.forms import form_data, form_page, new_token
from pages.messages import run_action
from questions.question import Kind

from . import agenda as services
from . import wording
from .forms import ItemForm, with_amendments


@for_hosts
@form_page
def agenda(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    snapshot = snapshots.current(hosted[0].id)
    if snapshot is None or not snapshot.game.format.has_agenda:
        raise Http404
    form = ItemForm(form_data(request), game=snapshot.game, initial=_initial_from_motion(request, snapshot))
    if request.method == "POST" and form.is_valid() and _add_item(request, snapshot, form):
        return redirect("agenda", snapshot.game.id)
    called, corrected = (
        host_screens.calls(snapshot),
        corrections.rows(snapshot.game, snapshot.state, snapshot.questions),
    )
    context = {
        "game": snapshot.game,
        "state": snapshot.state,
        "form": form,
        "token": new_token(),
        "rows": [(each, called.get(each.place), corrected[each.place]) for each in wording.agenda(snapshot)],
        "quorum": wording.quorum_text(snapshot.game.quorum),
    }
    return render(request, "assembly/agenda.html", context, status=422 if form.errors else 200)


@for_hosts
@require_POST
def run_off(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Adds a run-off for the round that the button names."""
    game, typed = hosted[0], request.POST.get("round", "")
    number = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else 0
    done = _("The run-off is now the next item on the agenda.")
    run_action(request, lambda: services.add_run_off(game.id, request.user.name, number), done)
    return redirect(return_page(request.POST.get("from", ""), game, otherwise="agenda"), game.id)


def _initial_from_motion(request: HttpRequest, snapshot: Snapshot) -> dict[str, Any]:
    """Prefills the form with a motion that is about to get amendments."""
    typed = request.GET.get("motion", "")
    place = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else -1
    motion = snapshot.questions[place] if 0 <= place < len(snapshot.questions) else None
    return with_amendments(motion) if motion and motion.kind == Kind.MOTION else {}


def _add_item(request: HttpRequest, snapshot: Snapshot, form: ItemForm) -> bool:
    question = form.question()
    try:
        correcting.add(snapshot.game.id, request.user.name, question)
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("“%(title)s” is on the agenda.") % {"title": question.title})
    return True
