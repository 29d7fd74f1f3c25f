"""The agenda of an assembly: its page for hosts, items typed at the start, run-offs held while it is running."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from foundation.acts.refusals import NotNow
from foundation.acts.retry import retried
from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors
from foundation.pages.messages import run_action
from parts.live import repository, rounds, rules, steps
from parts.live.answer_forms import parse_number
from parts.live.rules import Step
from parts.live.screens import snapshots
from parts.live.screens.access import Hosted, for_hosts, return_page
from parts.live.services import correcting, moving
from parts.live.snapshot import Snapshot
from parts.questions.question import MAX_QUESTIONS, MAX_TITLE_CHARS, Kind, Question, tidied

from . import resolutions, wording
from .forms import ItemForm, with_amendments

TOO_MANY_ITEMS = _("An agenda has at most %(most)d items.")
QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # at the end of a line of an agenda, in any script: it is put to the vote


@retried
def hold_run_off(game_id: str, who: str, number: int) -> int:
    """Call a vote between the options that a round left undecided, and return its position. Once for each round."""
    game, state = repository.load(game_id)
    parts = repository.round_items(game_id, number) if 1 <= number <= len(state.played) and state.counts(number) else []
    if not game.format.any_order or not parts:
        raise NotNow(rules.NOT_NOW)
    place, questions = state.played[number - 1], repository.read_questions(game_id)
    question = questions[place]
    run_off = resolutions.run_off_question(question, rounds.round_from_parts(parts), wording.run_off_title(question))
    if run_off is None:
        raise NotNow(_("This vote was decisive, so no run-off is needed."))
    is_held = any(each.run_off == number and at in state.played for at, each in enumerate(questions))
    if not (is_held or steps.may_call(game, state)):
        raise NotNow(rules.NOT_NOW)
    at = correcting.add(game_id, who, run_off, first=place + 1)
    state = repository.load(game_id)[1]
    if at not in state.played:
        moving.drive(game_id, who, Step.NEXT, state.version, at)
    return at


def parse_agenda(typed: str) -> list[Question]:
    """One item per line: a line that ends with a question mark is a motion, every other one a topic."""
    lines = [" ".join(line.split()) for line in typed.splitlines() if line.strip()]
    if len(lines) > MAX_QUESTIONS:
        raise ValidationError(TOO_MANY_ITEMS % {"most": MAX_QUESTIONS})
    for line in lines:
        if len(line) > MAX_TITLE_CHARS:
            limits = {"most": MAX_TITLE_CHARS, "count": len(line), "line": f"{line[:40]} …"}
            raise ValidationError(_("Shorten this item to %(most)d characters; it has %(count)d: %(line)s") % limits)
    kinds = (Kind.MOTION if line.endswith(QUESTION_MARKS) else Kind.TOPIC for line in lines)
    return [tidied(Question(line, kind, seconds=0)) for line, kind in zip(lines, kinds, strict=True)]


@for_hosts
@form_page
def agenda(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    snapshot = snapshots.current(hosted[0].id)
    if snapshot is None or not snapshot.game.format.any_order:
        raise Http404
    game = snapshot.game
    called, corrected = steps.calls(game, snapshot.state), correcting.rows(game, snapshot.state, snapshot.questions)
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
    run_action(request, lambda: hold_run_off(game.id, request.user.name, number), done)
    return redirect(return_page(request.POST.get("from", ""), game, otherwise="agenda"), game.id)


def _initial_from_motion(request: HttpRequest, snapshot: Snapshot, waiting: list[correcting.Row]) -> dict[str, Any]:
    """Prefills the form with a motion that is about to get amendments, to be called right after it."""
    place = parse_number(request.GET.get("motion", ""), below=len(snapshot.questions))
    motion = None if place is None else snapshot.questions[place]
    if place is None or motion is None or motion.kind != Kind.MOTION:
        return {}
    return with_amendments(motion) | {"before": next((row.edition for row in waiting if row.place > place), "")}
