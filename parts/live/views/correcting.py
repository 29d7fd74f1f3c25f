"""Pages on which hosts edit a session: its title, its questions, their order."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.refusals import Refusal
from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors, run_form, show_form
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from parts.live import corrections, repository
from parts.live.formats import ASKED
from parts.live.rules import Game, State
from parts.live.screens import access
from parts.live.screens.access import Hosted, for_hosts
from parts.live.services import correcting
from parts.questions.forms import QuestionForm
from parts.questions.question import Question
from parts.questions.rules import ChangedElsewhere, question_fingerprint

from .formats import PAGES, QuestionEditor
from .forms import AddedQuestionForm, SessionQuestionForm, TitleForm


@for_hosts
@form_page
def title(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game = hosted[0]
    form = TitleForm(form_data(request), initial={"title": game.title})
    done = _("The title has been changed.")

    def retitle() -> None:
        correcting.retitle(game.id, request.user.name, form.cleaned_data["title"])

    if run_form(request, form, retitle, done, "title"):
        return _redirect_to_list(game)
    return show_form(request, form, _("Change the title"), _("Save"))


@for_hosts
@require_safe
def questions(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted
    if game.format.questions_page != "game_questions":
        return redirect(game.format.questions_page, game.id)
    asked = corrections.rows(game, state, repository.read_questions(game.id))
    context = {"game": game, "state": state, "rows": asked, "token": new_token()}
    context["is_mixed"] = any(row.question.play for row in asked)
    return render(request, "live/questions.html", context)


@for_hosts
@form_page
def add_question(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Appends a question of any play."""
    game = hosted[0]
    form = AddedQuestionForm(form_data(request), game=game)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            place = correcting.add(game.id, request.user.name, form.question())
            messages.success(request, _("The question is added."))
            return _redirect_to_list(game, place)
    context = {"form": form, "game": game, "to": request.path, "back": _list_url(game), "heading": _("Add a question")}
    return render(request, "live/question.html", context, status=422 if form.errors else 200)


# --- a single question ---


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    game: Game
    state: State
    place: int
    question: Question


def load_placed(user: User, game_id: str, place: int) -> PlacedQuestion | None:
    found = access.load_hosted(user, game_id)
    asked = repository.read_questions(game_id) if found else ()
    return PlacedQuestion(*found, place, asked[place]) if found and place < len(asked) else None


of_a_question = requires(Permission.USE_APPLICATION, load_for=load_placed)


@of_a_question
@form_page
def question(request: HttpRequest, placed: PlacedQuestion) -> HttpResponse:
    game = placed.game
    form = _form(placed, form_data(request))
    if request.method == "POST" and form.is_valid():
        seen = form.cleaned_data["seen"]
        try:
            correcting.change(game.id, request.user.name, placed.place, seen, form.question())
        except ChangedElsewhere as refusal:
            form = _form_with_problem(request, placed, str(refusal))
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Your changes are saved."))
            return _redirect_to_list(game, placed.place)
    elif request.method != "POST" and not corrections.is_changeable(game, placed.state, placed.place):
        messages.warning(request, str(ASKED))
        return _redirect_to_list(game, placed.place)
    context = {"form": form, "game": game, "placed": placed, "to": request.path, "back": _list_url(game)}
    context["heading"] = _("Edit the question")
    return render(request, game.format.template("question"), context, status=422 if form.errors else 200)


def _form(placed: PlacedQuestion, typed: QueryDict | None) -> QuestionEditor:
    own = PAGES.of(placed.game).question_form(placed.game, placed.question, typed)
    return own or SessionQuestionForm(typed, initial=QuestionForm.initial_of(placed.question))


def _form_with_problem(request: HttpRequest, placed: PlacedQuestion, problem: str) -> QuestionEditor:
    """Keeps what was typed; saving again overwrites the current question."""
    typed = request.POST.copy()
    typed["seen"] = question_fingerprint(placed.question)
    form = _form(placed, typed)
    form.add_error(None, problem)
    return form


@of_a_question
@require_POST
def move_question(request: HttpRequest, placed: PlacedQuestion) -> HttpResponse:
    """The button gives the direction and the fingerprint of the question shown: "up 3f9a…"."""
    way, _space, seen = request.POST.get("move", "").partition(" ")
    game, who = placed.game, request.user.name
    if way not in ("up", "down"):
        raise Http404
    with refusals_as_messages(request):
        correcting.move(game.id, who, placed.place, seen, up=way == "up")
    return _redirect_to_list(game, placed.place)


@of_a_question
@form_page
def remove_question(request: HttpRequest, placed: PlacedQuestion) -> HttpResponse:
    game, seen = placed.game, request.GET.get("seen", "")
    if request.method == "POST":
        done = _("“%(title)s” is removed.") % {"title": placed.question.title}
        run_action(request, lambda: correcting.remove(game.id, request.user.name, placed.place, seen), done)
        return _redirect_to_list(game)
    lead = _("“%(title)s” and everything typed for it will be removed from the list.")
    title = {"title": placed.question.title}
    return confirm_page(request, _("Remove it from the list"), _("Remove it"), lead=lead % title, danger=True)


def _list_url(game: Game) -> str:
    return reverse(game.format.questions_page, args=[game.id])


def _redirect_to_list(game: Game, place: int | None = None) -> HttpResponse:
    return HttpResponseRedirect(_list_url(game) + ("" if place is None else f"#item-{place}"))
