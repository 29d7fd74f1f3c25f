"""Pages on which hosts edit a session: its title, its questions, their order, and the ideas of the room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.pages.forms import form_data, form_page, new_token, refusals_as_errors, run_form, show_form
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from parts.live import repository, rules
from parts.live.answer_forms import parse_line
from parts.live.formats import ASKED
from parts.live.plays import ideas_order
from parts.live.plays.ideas_order import MAX_IDEA_CHARS, NO_SUCH, CannotSort, Order, SortedIdeas
from parts.live.rules import Game, Phase, State
from parts.live.screens import access, rendering
from parts.live.screens.access import Hosted, for_hosts
from parts.live.services import closing, correcting
from parts.questions.forms import QuestionForm
from parts.questions.question import MAX_OPTIONS, MIN_OPTIONS, Question
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
    asked = correcting.rows(game, state, repository.read_questions(game.id))
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
    elif request.method != "POST" and not correcting.is_changeable(game, placed.state, placed.place):
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


# --- sorting ideas ---

MAX_TICKED_IDEAS = 6_000  # per request
MAX_WORDED_IDEAS = 200  # in the address of the page on which their common wording is typed


@for_hosts
@form_page
def sort_ideas(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted[0], closing.settled(*hosted)
    found = ideas_order.read(game.id, state.round) if state.phase == Phase.SORTING else None
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
        ideas_order.sort(game_id, round_, act)
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
