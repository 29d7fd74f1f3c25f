"""Questions beside a session: what the room asks on its phones, and what those who host do with it."""

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
from acts.refusals import NotNow, Refusal
from live import clock, players
from live import room_questions as rules
from live import room_questions_store as repository
from live.pace import PACE, Pace, TooFast
from live.qa import services, showing
from live.qa.showing import Line
from live.room import Room
from live.room_questions import Act, Asked, mark_of
from live.seats import Seat
from live.show import access, rooms, screens
from live.show.access import Hosted, of_hosts
from live.show.presence import PRESENCE
from live.show.screens import Role
from pages.forms import form_page
from store import keys
from store.table import StoreError

from .qa_forms import QaForm, initial

MAX_ID_CHARS = 40
WAITING = "waiting"  # all texts that wait, in place of one
ASKING = Pace(5, 60_000)  # questions of one player within a minute
NOT_SAVED = gettext_lazy("This could not be saved just now. It is still here: please send it again in a moment.")
NOT_HERE = gettext_lazy("You cannot do this from here now. Load the page again to see why.")
NAMED_NOW = gettext_lazy("From now on everybody sees who asks. If that is fine with you, send it again.")


# --- the phone ---


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a page of somebody with a seat, or a decision about what they do, needs."""

    room: Room
    seat: Seat
    own: list[Asked]
    upvoted: frozenset[str]
    wanted: Asked | None = None  # the question that a button is about


def _look(request: HttpRequest, game_id: str, question: str = "") -> Seen | HttpResponse:
    """In one round trip; or what to answer to whoever cannot play here now."""
    held, place = players.pass_of(request, game_id), players.seat_key(request, game_id)
    player = held.player if held else ""
    upvoted, wanted = keys.upvoted(game_id, mark_of(game_id, player)), keys.asked(game_id, question)
    also = [place, upvoted, wanted, *repository.own_places(game_id, player)] if place else []
    room, items = rooms.current_with(game_id, *also, *keys.all_upvotes(game_id))
    if room is None:
        raise Http404
    found = players.of_items(request, game_id, items)
    instead = access.instead(request, room.game, room.state, found)
    if found is None or instead is not None:
        return instead or redirect("join")
    asked = repository.asked_of(items[wanted]) if wanted in items else None
    own = repository.own(game_id, player, items)
    mine = frozenset() if found.seat.taken_over_at else repository.upvoted(items.get(upvoted))
    return Seen(rooms.upvoted(room, items), found.seat, own, mine, asked)


@public
@form_page
def qa(request: HttpRequest, game_id: str) -> HttpResponse:
    """What the room asks, and a field to ask with; the same address takes questions and upvotes."""
    question = (request.POST.get("upvote") or request.POST.get("back") or "")[:MAX_ID_CHARS]
    seen = _look(request, game_id, question)
    if isinstance(seen, HttpResponse):
        is_by_script = request.method == "POST" and request.htmx
        return render(request, "live/qa/told.html", {"problem": NOT_HERE}, status=409) if is_by_script else seen
    if request.method != "POST":
        return _page(request, seen)
    return _upvote(request, seen) if question else _send(request, seen, clock.now())


def _page(request: HttpRequest, seen: Seen, status: int = 200, **own: Any) -> HttpResponse:
    room, seat = seen.room, seen.seat
    context = {
        "game": room.game,
        "seat": seat,
        "role": Role.QA,
        **_hears(Role.QA, room),
        "status": screens.status(Role.QA, room),
        "screen": screens.questions(Role.QA, room, lines=showing.lines_for(room, seat, seen.upvoted)),
        "mine": screens.questions_of(room, seat, showing.own_lines(room, seat, seen.own)),
        "upvoted": " ".join(sorted(seen.upvoted)),
        "longest": rules.MAX_QUESTION_CHARS,
    }
    return render(request, "live/qa/qa.html", context | own, status=status)


def _hears(role: Role, room: Room) -> dict[str, Any]:
    ways = {"stream": "game_stream", "now": "game_now"}
    told = {name: reverse(way, args=[room.game.id, role]) for name, way in ways.items()}
    return {**told, "version": room.state.version}


# --- sending ---


def _send(request: HttpRequest, seen: Seen, at: int) -> HttpResponse:
    """A refusal shows the question as it was typed."""
    room, seat = seen.room, seen.seat
    try:
        text = rules.question_from(request.POST.get("text", ""))
        _check_knows_names(request, room)
        ASKING.check(f"{room.game.id} {seat.player}", at)
        asked = services.send(room.game, room.state, room.qa, seat, seen.own, text, at)
    except Refusal as refusal:
        return _again(request, seen, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _again(request, seen, str(NOT_SAVED), 503)
    words = str(showing.sent_words(asked))
    if request.htmx:
        return render(request, "live/qa/told.html", {"words": words})
    messages.success(request, words)
    return redirect("qa", room.game.id)


def _check_knows_names(request: HttpRequest, room: Room) -> None:
    """Nobody is named who was told, when they wrote, that nobody is."""
    if room.qa.is_on and room.qa.named and request.POST.get("named") != "yes":
        raise NotNow(NAMED_NOW)


def _again(request: HttpRequest, seen: Seen, problem: str, status: int) -> HttpResponse:
    if request.htmx:
        return render(request, "live/qa/told.html", {"problem": problem}, status=status)
    return _page(request, seen, status, problem=problem, text=request.POST.get("text", ""))


# --- upvoting ---


def _upvote(request: HttpRequest, seen: Seen) -> HttpResponse:
    """A script gets the button as it is then. Without one the page is loaded anew at the question."""
    room, asked, on = seen.room, seen.wanted, "upvote" in request.POST
    try:
        PACE.check(f"{room.game.id} {seen.seat.player} upvotes", clock.now())
        is_gone = asked is not None and showing.is_of_removed(room, asked)
        changed = services.upvote(room.game, room.state, room.qa, seen.seat, None if is_gone else asked, on=on)
    except Refusal as refusal:
        return _not_upvoted(request, seen, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _not_upvoted(request, seen, str(NOT_SAVED), 503)
    assert asked is not None  # as it could be upvoted
    if not request.htmx:
        return redirect(f"{reverse('qa', args=[room.game.id])}#{asked.id}")
    number = room.upvotes.get(asked.id, 0) + (changed and (1 if on else -1))
    return render(request, "live/qa/upvote.html", {"line": Line(asked, number, is_upvoted=on), "takes_questions": True})


def _not_upvoted(request: HttpRequest, seen: Seen, problem: str, status: int) -> HttpResponse:
    if request.htmx:
        return render(request, "live/qa/told.html", {"problem": problem}, status=status)
    messages.warning(request, problem)
    return redirect("qa", seen.room.game.id)


# --- those who host ---


@of_hosts
@form_page
def manage(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """All that was asked, what waits first; and how questions are taken."""
    game = hosted[0]
    if request.method != "POST":
        return _manage_page(request, _room(game.id), None)
    if request.POST.get("act") in ("on", "off", "settings"):
        return _set_up(request, game.id)
    return _moderate(request, game.id)


def _room(game_id: str) -> Room:
    room, items = rooms.current_with(game_id, *keys.all_upvotes(game_id))
    if room is None:
        raise Http404
    return rooms.upvoted(room, items)


def _manage_page(request: HttpRequest, room: Room, form: QaForm | None, **more: Any) -> HttpResponse:
    PRESENCE.host_looks(room)
    wanted = more.get("answering") or _to_answer(request, room)
    context = {
        "game": room.game,
        "qa": room.qa,
        "role": Role.MANAGE_QA,
        **_hears(Role.MANAGE_QA, room),
        "status": screens.status(Role.MANAGE_QA, room),
        "screen": screens.screen(Role.MANAGE_QA, room),
        "form": form or QaForm(initial=initial(room.qa)),
        "answering": wanted,
        "longest": rules.MAX_ANSWER_CHARS,
    }
    refused = bool(form and form.errors) or "problem" in more
    return render(request, "live/qa/manage.html", context | more, status=422 if refused else 200)


def _to_answer(request: HttpRequest, room: Room) -> Asked | None:
    """The question that a written answer is for."""
    wanted = request.GET.get("answer", "")
    return next((each for each in room.asked if each.id == wanted and each.fate != rules.Fate.HIDDEN), None)


def _set_up(request: HttpRequest, game_id: str) -> HttpResponse:
    act = request.POST["act"]
    if act == "off":
        services.set_up(game_id, request.user.name, is_on=False)
        messages.success(request, _("Questions are off: nobody sees them any more. They are kept, and in the report."))
        return redirect("manage_qa", game_id)
    form = QaForm(request.POST)
    if not form.is_valid():
        return _manage_page(request, _room(game_id), form)
    services.set_up(game_id, request.user.name, **form.chosen(), **({"is_on": True} if act == "on" else {}))
    done = _("Questions are on. Players find them on their phones.") if act == "on" else _("Saved.")
    messages.success(request, done)
    return redirect("manage_qa", game_id)


def _moderate(request: HttpRequest, game_id: str) -> HttpResponse:
    """A button says what is to be done with which question, "hide q1"."""
    word, _space, question = request.POST.get("act", "").partition(" ")
    is_by_script = request.headers.get("X-Requested-With") == "fetch"
    try:
        if word not in set(Act):
            raise NotNow(rules.NOT_SO)
        if question.startswith("t") or question == WAITING:
            _decide(request, game_id, question, Act(word))
            return HttpResponse(status=204) if is_by_script else redirect("manage_qa", game_id)
        answer = rules.answer_from(request.POST.get("text", ""))
        services.moderate(game_id, question[:MAX_ID_CHARS], request.user.name, Act(word), answer)
    except Refusal as refusal:
        if is_by_script:
            return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")
        return _not_moderated(request, game_id, str(refusal))
    return HttpResponse(status=204) if is_by_script else redirect("manage_qa", game_id)


def _decide(request: HttpRequest, game_id: str, wanted: str, act: Act) -> None:
    """About a text of a round, or about all that wait."""
    room = _room(game_id)
    seen = [each for each in showing.written(room) if not each.is_of_removed]
    some = [each for each in seen if each.id == wanted or (wanted == WAITING and each.fate == rules.Fate.WAITING)]
    if act not in (Act.SHOW, Act.HIDE) or not some:
        raise NotNow(rules.NOT_SO)
    for number in {each.round for each in some}:
        services.decide(game_id, number, [each.mark for each in some if each.round == number], request.user.name, act)


def _not_moderated(request: HttpRequest, game_id: str, problem: str) -> HttpResponse:
    """A written answer is shown again as it was typed."""
    room, typed = _room(game_id), request.POST.get("text", "")
    question = request.POST.get("act", "").partition(" ")[2]
    wanted = next((each for each in room.asked if each.id == question), None)
    if typed and wanted:
        return _manage_page(request, room, None, answering=wanted, text=typed, problem=problem)
    messages.warning(request, problem)
    return redirect("manage_qa", game_id)
