"""Pages of the Q&A: players send and upvote questions, hosts moderate them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.access import public
from foundation.acts.refusals import NotNow, Refusal
from foundation.pages.forms import form_page
from foundation.qa import rules as question_rules
from foundation.qa import store
from foundation.qa.rules import Fate
from foundation.store import keys
from foundation.store.table import StoreError
from parts.live import clock, players, room_questions
from parts.live.moderation import QaAction, QaQuestion
from parts.live.screens import access, qa_display, rendering, snapshots
from parts.live.screens.access import ANSWER_RATE, Hosted, RateLimit, TooFast, for_hosts, push_urls
from parts.live.screens.formats import Role
from parts.live.screens.presence import PRESENCE
from parts.live.screens.qa_display import QuestionLine
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

from .forms import QaForm
from .playing import NOT_SAVED

WAITING = "waiting"  # all texts awaiting approval
QUESTION_RATE = RateLimit(5, 60_000)  # per player and minute
NOT_HERE = gettext_lazy("You cannot do this from here at the moment. Reload the page to see why.")


# --- players ---


@dataclass(frozen=True, slots=True)
class QaContext:
    """All that a player's Q&A page, or one of its actions, needs."""

    snapshot: Snapshot
    seat: Seat
    own: list[QaQuestion]
    upvoted: frozenset[str]
    wanted: QaQuestion | None = None  # the question that the button refers to


def _load(request: HttpRequest, game_id: str, question: str = "") -> QaContext | HttpResponse:
    """Loads everything in one round trip; returns a page instead if the visitor cannot play now."""
    held, place = players.pass_of(request, game_id), players.seat_key(request, game_id)
    player, board = held.player if held else "", room_questions.board(game_id)
    also = [place, *store.viewer_keys(board, player, question)] if place else []
    snapshot, items = snapshots.current_with(game_id, *also, *keys.all_upvotes(game_id))
    if snapshot is None:
        raise Http404
    found = players.from_items(request, game_id, items)
    instead = access.blocked_page(request, snapshot.game, snapshot.state, found)
    if found is None or instead is not None:
        return instead or redirect("join")
    viewer = store.viewer(QaQuestion, board, player, question, items)
    mine = frozenset() if found.seat.taken_over_at else viewer.upvoted
    return QaContext(snapshots.with_upvotes(snapshot, items), found.seat, viewer.own, mine, viewer.wanted)


@public
@form_page
def qa(request: HttpRequest, game_id: str) -> HttpResponse:
    """Lists the questions, with a form to send one; also accepts questions and upvotes."""
    question = (request.POST.get("upvote") or request.POST.get("back") or "")[: question_rules.MAX_ID_CHARS]
    viewer = _load(request, game_id, question)
    if isinstance(viewer, HttpResponse):
        is_by_script = request.method == "POST" and request.htmx
        return (
            render(request, "live/qa/send_status.html", {"problem": NOT_HERE}, status=409) if is_by_script else viewer
        )
    if request.method != "POST":
        return _page(request, viewer)
    return _upvote(request, viewer) if question else _send(request, viewer, clock.now())


def _page(request: HttpRequest, viewer: QaContext, status: int = 200, **own: Any) -> HttpResponse:
    snapshot, seat = viewer.snapshot, viewer.seat
    context = {
        "game": snapshot.game,
        "seat": seat,
        "role": Role.QA,
        **push_urls(Role.QA, snapshot),
        "status": rendering.render_status(Role.QA, snapshot),
        "screen": qa_display.render_questions(
            Role.QA, snapshot, lines=qa_display.player_lines(snapshot, seat, viewer.upvoted)
        ),
        "mine": qa_display.render_own_questions(snapshot, seat, qa_display.own_lines(snapshot, seat, viewer.own)),
        "upvoted": " ".join(sorted(viewer.upvoted)),
        "longest": question_rules.MAX_QUESTION_CHARS,
    }
    return render(request, "live/qa/qa.html", context | own, status=status)


# --- sending ---


def _send(request: HttpRequest, viewer: QaContext, at: int) -> HttpResponse:
    """A refusal shows the question as typed."""
    snapshot, seat = viewer.snapshot, viewer.seat
    try:
        text = question_rules.parse_question(request.POST.get("text", ""))
        shows_names = snapshot.qa.is_on and snapshot.qa.named
        question_rules.check_knows_names(shows_names=shows_names, knows=request.POST.get("named", ""))
        QUESTION_RATE.check(f"{snapshot.game.id} {seat.player}", at)
        question = room_questions.send(snapshot.game, snapshot.state, snapshot.qa, seat, viewer.own, text, at)
    except Refusal as refusal:
        return _show_problem(request, viewer, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _show_problem(request, viewer, str(NOT_SAVED), 503)
    message = str(qa_display.sent_message(question))
    if request.htmx:
        return render(request, "live/qa/send_status.html", {"message": message})
    messages.success(request, message)
    return redirect("qa", snapshot.game.id)


def _show_problem(request: HttpRequest, viewer: QaContext, problem: str, status: int) -> HttpResponse:
    if request.htmx:
        return render(request, "live/qa/send_status.html", {"problem": problem}, status=status)
    return _page(request, viewer, status, problem=problem, text=request.POST.get("text", ""))


# --- upvoting ---


def _upvote(request: HttpRequest, viewer: QaContext) -> HttpResponse:
    """Sends the updated button to scripts. Otherwise the page is reloaded at the question."""
    snapshot, asked, on = viewer.snapshot, viewer.wanted, "upvote" in request.POST
    problem, status, changed = "", 200, False
    try:
        ANSWER_RATE.check(f"{snapshot.game.id} {viewer.seat.player} upvotes", clock.now())
        is_gone = asked is not None and qa_display.is_of_removed(snapshot, asked)
        changed = room_questions.upvote(
            snapshot.game, snapshot.state, snapshot.qa, viewer.seat, None if is_gone else asked, on=on
        )
    except Refusal as refusal:
        problem, status = str(refusal), 429 if isinstance(refusal, TooFast) else 422
    except StoreError:
        problem, status = str(NOT_SAVED), 503
    if problem and request.htmx:
        return render(request, "live/qa/send_status.html", {"problem": problem}, status=status)
    if problem:
        messages.warning(request, problem)
        return redirect("qa", snapshot.game.id)
    assert asked is not None  # since it could be upvoted
    if not request.htmx:
        return redirect(f"{reverse('qa', args=[snapshot.game.id])}#{asked.id}")
    number = snapshot.upvotes.get(asked.id, 0) + (changed and (1 if on else -1))
    return render(
        request, "qa/upvote.html", {"line": QuestionLine(asked, number, is_upvoted=on), "takes_questions": True}
    )


# --- hosts ---


@for_hosts
@form_page
def manage(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """All questions, those awaiting approval first, and the settings."""
    game = hosted[0]
    if request.method != "POST":
        return _manage_page(request, _load_snapshot(game.id), None)
    if request.POST.get("act") in ("on", "off", "settings"):
        return _set_up(request, game.id)
    return _moderate(request, game.id)


def _load_snapshot(game_id: str) -> Snapshot:
    snapshot, items = snapshots.current_with(game_id, *keys.all_upvotes(game_id))
    if snapshot is None:
        raise Http404
    return snapshots.with_upvotes(snapshot, items)


def _manage_page(request: HttpRequest, snapshot: Snapshot, form: QaForm | None, **more: Any) -> HttpResponse:
    PRESENCE.host_looks(snapshot)
    asked = [
        each for each in snapshot.qa_questions if each.id == request.GET.get("answer") and each.fate != Fate.HIDDEN
    ]
    wanted = more.get("answering") or next(iter(asked), None)  # the question to write an answer to
    context = {
        "game": snapshot.game,
        "qa": snapshot.qa,
        "role": Role.MANAGE_QA,
        **push_urls(Role.MANAGE_QA, snapshot),
        "status": rendering.render_status(Role.MANAGE_QA, snapshot),
        "screen": rendering.render_screen(Role.MANAGE_QA, snapshot),
        "form": form or QaForm(initial=QaForm.initial_of(snapshot.qa)),
        "answering": wanted,
        "longest": question_rules.MAX_ANSWER_CHARS,
    }
    refused = bool(form and form.errors) or "problem" in more
    return render(request, "live/qa/manage.html", context | more, status=422 if refused else 200)


def _set_up(request: HttpRequest, game_id: str) -> HttpResponse:
    """Every button saves what was typed; questions are turned off even if it cannot be saved."""
    form = QaForm(request.POST)
    is_valid = form.is_valid()
    done, switched = {
        "on": (_("Questions are on. Players find them on their phones."), {"is_on": True}),
        "off": (_("Questions are off and no longer visible. They are kept for the report."), {"is_on": False}),
        "settings": (_("Saved."), {}),
    }[request.POST["act"]]
    if is_valid or request.POST["act"] == "off":
        room_questions.set_up(game_id, request.user.name, **(form.chosen() if is_valid else {}), **switched)
        messages.success(request, done)
    return redirect("manage_qa", game_id) if is_valid else _manage_page(request, _load_snapshot(game_id), form)


def _moderate(request: HttpRequest, game_id: str) -> HttpResponse:
    """The button gives the action and the question: "hide q1"."""
    word, _space, question = request.POST.get("act", "").partition(" ")
    is_by_script = request.headers.get("X-Requested-With") == "fetch"
    try:
        if word not in set(QaAction):
            raise NotNow(question_rules.ALREADY_CHANGED)
        if question.startswith("t") or question == WAITING:
            _moderate_texts(request, game_id, question, QaAction(word))
            return HttpResponse(status=204) if is_by_script else redirect("manage_qa", game_id)
        answer = question_rules.parse_answer(request.POST.get("text", ""))
        room_questions.moderate(
            game_id, question[: question_rules.MAX_ID_CHARS], request.user.name, QaAction(word), answer
        )
    except Refusal as refusal:
        if is_by_script:
            return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")
        return _not_moderated(request, game_id, str(refusal))
    return HttpResponse(status=204) if is_by_script else redirect("manage_qa", game_id)


def _moderate_texts(request: HttpRequest, game_id: str, wanted: str, act: QaAction) -> None:
    """Decides on one text of a round, or on all that await approval."""
    snapshot = _load_snapshot(game_id)
    texts = [each for each in qa_display.texts_to_moderate(snapshot) if not each.is_of_removed]
    some = [each for each in texts if each.id == wanted or (wanted == WAITING and each.fate == Fate.WAITING)]
    if act not in (QaAction.SHOW, QaAction.HIDE) or not some:
        raise NotNow(question_rules.ALREADY_CHANGED)
    for number in {each.round for each in some}:
        room_questions.moderate_texts(
            game_id, number, [each.mark for each in some if each.round == number], request.user.name, act
        )


def _not_moderated(request: HttpRequest, game_id: str, problem: str) -> HttpResponse:
    """Keeps the answer as typed."""
    snapshot, typed = _load_snapshot(game_id), request.POST.get("text", "")
    question = request.POST.get("act", "").partition(" ")[2]
    wanted = next((each for each in snapshot.qa_questions if each.id == question), None)
    if typed and wanted:
        return _manage_page(request, snapshot, None, answering=wanted, text=typed, problem=problem)
    messages.warning(request, problem)
    return redirect("manage_qa", game_id)
