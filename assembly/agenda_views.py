"""The agenda of an assembly, for those who run it: what became of each item, calling one, adding one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from acts.refusals import Refusal
from live import corrections
from live.room import Room
from live.services import correcting
from live.show import hall, rooms
from live.show.access import Hosted, of_hosts, page_to
from pages.forms import form_data, form_page, new_token
from pages.messages import run_action
from questions.question import Kind

from . import agenda as services
from . import wording
from .forms import ItemForm, with_amendments


@of_hosts
@form_page
def agenda(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    room = rooms.current(hosted[0].id)
    if room is None or not room.game.format.has_agenda:
        raise Http404
    form = ItemForm(form_data(request), game=room.game, initial=_initial_from_motion(request, room))
    if request.method == "POST" and form.is_valid() and _add_item(request, room, form):
        return redirect("agenda", room.game.id)
    called, corrected = hall.calls(room), corrections.rows(room.game, room.state, room.questions)
    context = {
        "game": room.game,
        "state": room.state,
        "form": form,
        "token": new_token(),
        "rows": [(each, called.get(each.place), corrected[each.place]) for each in wording.agenda(room)],
        "quorum": wording.quorum_text(room.game.quorum),
    }
    return render(request, "assembly/agenda.html", context, status=422 if form.errors else 200)


@of_hosts
@require_POST
def run_off(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """One press after a tie; which round, the button says."""
    game, typed = hosted[0], request.POST.get("round", "")
    number = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else 0
    done = _("The run-off is now the next item on the agenda.")
    run_action(request, lambda: services.add_run_off(game.id, request.user.name, number), done)
    return redirect(page_to(request.POST.get("from", ""), game, otherwise="agenda"), game.id)


def _initial_from_motion(request: HttpRequest, room: Room) -> dict[str, Any]:
    """Of a motion to which amendments have come up."""
    typed = request.GET.get("motion", "")
    place = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 5 else -1
    motion = room.questions[place] if 0 <= place < len(room.questions) else None
    return with_amendments(motion) if motion and motion.kind == Kind.MOTION else {}


def _add_item(request: HttpRequest, room: Room, form: ItemForm) -> bool:
    question = form.question()
    try:
        correcting.add(room.game.id, request.user.name, question)
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("“%(title)s” is on the agenda.") % {"title": question.title})
    return True
