"""Pages before a session runs: the user's own sessions, and creating one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors
from foundation.pages.messages import refusals_as_messages
from foundation.qa.rules import Mode
from parts.live import repository, room_questions, rules
from parts.live.clock import configured
from parts.live.play import registered_plays
from parts.live.services import hosting, making
from parts.questions import repository as sets
from parts.questions.question import Kind, Question, Type

from .formats import PAGES
from .forms import GameForm, session_types, set_reference

PAGE_ROWS = 10  # of ended sessions; the rest is in the history


@public
@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """Everybody can join with a code; hosts also see their sessions and can create one."""
    user = request.user
    context: dict[str, Any] = {"may_host": may_host(request), "types": session_types()}
    if context["may_host"]:
        newest, _older = repository.history(user.name, limit=repository.MAX_RECENT_SESSIONS)
        past = [each for each in newest if each.ended_at]
        context |= {"running": repository.running_of(user.name, newest), "past": past[:PAGE_ROWS]}
        context |= {"kept_days": configured().retention.days, "token": new_token()}
    if user.is_authenticated:
        context["of_formats"] = [each.visitor_html(user) for each in PAGES.values()]
    if user.is_authenticated and rules.moderates(user.role):
        context["all_running"], _cursor = repository.all_running(limit=50)
    return render(request, "live/games.html", context)


def may_host(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.can(Permission.USE_APPLICATION)


@requires(Permission.USE_APPLICATION)
@form_page
def make(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and "rehearse" in request.POST:
        return _rehearse(request)
    chosen = request.GET.get("set", "")
    form = GameForm(form_data(request), offered=sets.usable_by(request.user.name), initial=_initial(chosen))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            hosting.check_makes_another(request.user)
            game = making.make(request.user, form.cleaned_data["engagement_type"], form.questions, **form.values())
            texts = Mode.APPROVED if game.is_public else Mode.OPEN
            room_questions.set_up(game.id, request.user.name, is_on=form.cleaned_data["takes_questions"], texts=texts)
            return redirect(game.format.first_page, game.id)
    context = {"form": form, "waiting_days": configured().waiting.days}
    return render(request, "live/make.html", context, status=422 if form.errors else 200)


def _initial(set_id: str) -> dict[str, str]:
    """Preselects a set chosen elsewhere, with a type that suits its questions."""
    found = sets.find_set(set_id) if set_id else None
    suits = [each.name for each in registered_plays() if found and each.count_suiting(found)]
    return {"question_set": set_id, "engagement_type": suits[0]} if suits else {}


def _rehearse(request: HttpRequest) -> HttpResponse:
    """Uses a suitable set shared with everybody, if there is one, or else the built-in questions."""
    with refusals_as_messages(request):
        hosting.check_makes_another(request.user)
        usable = sets.usable_by(request.user.name)
        shared = next((each for each in usable if each.is_offered and each.suits(Type.TRIVIA)), None)
        set_, questions = (sets.find(shared.id) if shared else None) or (None, built_in_questions())
        chosen: dict[str, Any] = {"debug_mode": REHEARSAL_ROBOTS, "time_zone": settings.SITE_TIME_ZONE or "UTC"}
        chosen |= set_reference(set_)
        game = making.make(request.user, Type.TRIVIA, questions, title=_("Rehearsal"), **chosen)
        messages.info(request, _("Twenty robots are joining. Start when you like; people may join as well."))
        return redirect("host_game", game.id)
    return redirect("games")


REHEARSAL_ROBOTS = 20


def built_in_questions() -> tuple[Question, ...]:
    """In the active language."""
    return (
        Question(
            _("Who wins an instant-runoff count?"),
            Kind.CHOICE,
            options=(
                _("The option with the most first places"),
                _("The option with more than half once others are out"),
                _("The option that is nobody's last choice"),
            ),
            right=(1,),
            seconds=20,
        ),
        Question(
            _("Which of these are names of voting methods?"),
            Kind.CHOICE,
            options=(_("Borda"), _("Schulze"), _("Archimedes"), _("Ranked pairs")),
            right=(0, 1, 3),
            seconds=30,
        ),
        Question(
            _("How many people does a meeting need to make a decision?"),
            Kind.CHOICE,
            options=(_("One is enough"), _("Two are enough"), _("As many as its rules say")),
            right=(2,),
            seconds=20,
        ),
    )
