"""Pages of question sets: lists, a set with its questions, what becomes of the set as a whole, and files."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.rules import Permission
from acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from pages.forms import form_data, form_page, refusals_as_errors
from pages.lists import Verdict
from pages.messages import confirm_page, refusals_as_messages, run_action
from pages.paging import read_page

from . import repository, rules, services
from .access import owned, seen, taken_away
from .formats import HELP, LABELS
from .formats.csv_out import COLUMNS, EXAMPLES, EXPLAINED, as_json, questions_csv
from .formats.gift_out import questions_gift
from .formats.rows import Read
from .forms import ImportedForm, ImportForm, SetForm
from .question import IN_A_SET, Type
from .rules import ELSEWHERE, MAX_SET_NAME_CHARS, Elsewhere, QuestionSet, Whole

MADE = Limit("question-sets", 60, SECONDS_PER_HOUR)
CSV, JSON, GIFT = "questions.csv", "questions.json", "set.gift"
SERVES = {
    Type.CALL_AND_ANSWER: gettext_lazy("%(count)d for call and answer"),
    Type.TRIVIA: gettext_lazy("%(count)d for trivia"),
    Type.POLL: gettext_lazy("%(count)d for polls"),
    Type.SURVEY: gettext_lazy("%(count)d for surveys"),
}


# --- lists ---


@requires(Permission.USE_APPLICATION)
@require_safe
def question_sets(request: HttpRequest) -> HttpResponse:
    """One's own sets, and those that others share; the one changed last first."""
    is_shared = request.GET.get("show") == "shared"
    read = repository.shared if is_shared else partial(repository.mine, request.user.name)
    tab = "shared" if is_shared else "mine"
    found, older = read_page(request, read, show=tab)
    rows = [(each, ", ".join(_serves(each))) for each in found]
    return render(request, "questions/sets.html", {"rows": rows, "older": older, "tab": tab})


# --- one set ---


@seen
@require_safe
def question_set(request: HttpRequest, whole: Whole) -> HttpResponse:
    return render(request, "questions/set.html", context_of(request, whole, sections=_sections(whole)))


def context_of(request: HttpRequest, whole: Whole, **more: Any) -> dict[str, Any]:
    """What every page about one set shows."""
    set_, user = whole.set, request.user
    is_own = rules.owns(user.name, set_)
    looks_after = set_.shared and rules.looks_after(user.role)
    said = {"serves": _serves(set_), "start": start_of(set_)}
    return {"whole": whole, "set": set_, "is_own": is_own, "looks_after": looks_after, **said, **more}


def _serves(set_: QuestionSet) -> list[str]:
    """For which types of session it has questions, and how many."""
    return [str(words) % {"count": set_.suits(type_)} for type_, words in SERVES.items() if set_.suits(type_)]


def _seconds(seconds: int) -> str:
    return _("%(seconds)d s") % {"seconds": seconds} if seconds else _("no time limit")


def start_of(set_: QuestionSet) -> str:
    """Where a session with the set is made; nothing for a set without questions."""
    return f"{reverse('make_game')}?{urlencode({'set': set_.id})}" if set_.total_questions else ""


def _sections(whole: Whole) -> list[dict[str, Any]]:
    """Categories with their questions, which are numbered through."""
    places = {each.number: place for place, each in enumerate(whole.placed, 1)}
    return [
        {
            "category": category,
            "questions": [
                {
                    "placed": each,
                    "place": places[each.number],
                    "question": each.question,
                    "kind": IN_A_SET[each.question.kind],
                    "seconds": _seconds(each.question.seconds),
                    "options": [
                        (option, place in each.question.right) for place, option in enumerate(each.question.options)
                    ],
                }
                for each in whole.within(category.number)
            ],
        }
        for category in whole.categories
    ]


# --- making one ---


@requires(Permission.USE_APPLICATION)
@form_page
def make(request: HttpRequest) -> HttpResponse:
    form = SetForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            count(MADE, request.user.name)
            made = services.make(request.user, **form.words())
            messages.success(request, _("The set is made. Now it wants questions."))
            return redirect("question_set", made.id)
    context = {"form": form, "title": _("New question set"), "button": _("Make the set")}
    return render(request, "questions/form.html", context, status=422 if form.errors else 200)


@seen
@require_POST
def copy(request: HttpRequest, whole: Whole) -> HttpResponse:
    """Make it one's own."""
    name = (_("Copy of %(name)s") % {"name": whole.set.name})[:MAX_SET_NAME_CHARS]
    with refusals_as_messages(request):
        count(MADE, request.user.name)
        made = services.copy(request.user, whole, name)
        messages.success(request, _("This copy is yours: change it as you like."))
        return redirect("question_set", made.id)
    return redirect("question_set", whole.set.id)


# --- changing its words and its state ---


@owned
@form_page
def edit(request: HttpRequest, whole: Whole) -> HttpResponse:
    set_ = whole.set
    form = SetForm(form_data(request), initial=SetForm.initial_of(set_))
    if request.method == "POST" and form.is_valid():
        try:
            services.edit(request.user, set_.id, form.cleaned_data["seen"], **form.words())
        except Elsewhere:
            form = once_more(request, SetForm, rules.edition_of_set(set_))
        else:
            messages.success(request, _("Your changes are saved."))
            return redirect("question_set", set_.id)
    context = context_of(request, whole, form=form, title=_("Name and instructions"), button=_("Save"))
    return render(request, "questions/form.html", context, status=422 if form.errors else 200)


def once_more(request: HttpRequest, form_class: Any, edition: str, **options: Any) -> Any:
    """The form with what was typed, which saved again takes the place of what is saved now."""
    words = request.POST.copy()
    words["seen"] = edition
    form = form_class(words, **options)
    form.add_error(None, str(ELSEWHERE))
    return form


@owned
@require_POST
def activate(request: HttpRequest, whole: Whole) -> HttpResponse:
    on = request.POST.get("on") == "yes"
    done = _("The set can be used in sessions.") if on else _("The set is put away: no session is made with it.")
    run_action(request, lambda: services.activate(request.user, whole.set.id, on=on), done)
    return redirect("question_set", whole.set.id)


@taken_away
@require_POST
def share(request: HttpRequest, whole: Whole) -> HttpResponse:
    """With everybody who may make sessions here; who looks after the site may only end it."""
    on = request.POST.get("on") == "yes"
    done = _("Everybody who may host can use the set now.") if on else _("The set is on the shared list no more.")
    run_action(request, lambda: services.share(request.user, whole.set.id, on=on), done)
    is_own = rules.owns(request.user.name, whole.set)
    return redirect("question_set", whole.set.id) if is_own or on else redirect("question_sets")


@taken_away
@form_page
def delete(request: HttpRequest, whole: Whole) -> HttpResponse:
    name = {"name": whole.set.name}
    if request.method == "POST":
        gone = run_action(
            request, lambda: services.delete(request.user, whole.set.id), _("%(name)s is deleted.") % name
        )
        return redirect("question_sets") if gone else redirect("question_set", whole.set.id)
    lead = _("“%(name)s” goes for good with all its questions. Sessions that were made with it keep theirs.") % name
    return confirm_page(request, _("Delete the question set"), _("Delete it for good"), lead=lead, danger=True)


# --- files in: first a preview that gives each row its verdict, then one button ---


@owned
@form_page
def import_set(request: HttpRequest, whole: Whole) -> HttpResponse:
    if "questions" in request.POST:
        return _import(request, whole)
    form = ImportForm(form_data(request), request.FILES if request.method == "POST" else None, whole=whole)
    if request.method == "POST" and form.is_valid():
        return _preview(request, whole, form.cleaned_data["read"], LABELS[form.cleaned_data["read_as"]])
    example = "".join(questions_csv(EXAMPLES[:2])).removeprefix("\ufeff")
    context = context_of(
        request, whole, form=form, formats=HELP.items(), columns=EXPLAINED, names=COLUMNS, example=example
    )
    return render(request, "questions/import.html", context, status=422 if form.errors else 200)


def _preview(request: HttpRequest, whole: Whole, read: Read, read_as: str) -> HttpResponse:
    """What would become of each row; nothing is written yet."""
    counts = {verdict: read.count(verdict) for verdict in Verdict}
    back = ImportedForm(initial={"questions": "".join(questions_csv(read.new))}, whole=whole)
    context = context_of(request, whole, read=read, read_as=read_as, counts=counts, form=back, new=len(read.new))
    return render(request, "questions/preview.html", context)


def _import(request: HttpRequest, whole: Whole) -> HttpResponse:
    """What is there by now is left out, so that the same button pressed twice adds nothing twice."""
    form = ImportedForm(request.POST, whole=whole)
    if not form.is_valid():
        messages.error(request, _("That list could not be imported. Please start again with the file."))
        return redirect("import_set", whole.set.id)
    read: Read = form.cleaned_data["questions"]
    with refusals_as_messages(request):
        services.add(request.user, whole.set.id, read.new)
        messages.success(request, _("Questions added: %(count)d.") % {"count": len(read.new)})
        if left := len(read.rows) - len(read.new):
            messages.warning(request, _("Left out, because the set has them by now: %(count)d.") % {"count": left})
        return redirect("question_set", whole.set.id)
    return redirect("import_set", whole.set.id)


# --- files out ---


@seen
@require_safe
def export_csv(request: HttpRequest, whole: Whole) -> HttpResponse:
    return _csv(questions_csv(whole.questions), CSV)


@seen
@require_safe
def export_json(request: HttpRequest, whole: Whole) -> HttpResponse:
    answer = JsonResponse(as_json(whole), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{JSON}"'
    return answer


@seen
@require_safe
def export_gift(request: HttpRequest, whole: Whole) -> HttpResponse:
    """Moodle takes a text for one by the end of its name."""
    answer = StreamingHttpResponse(questions_gift(whole), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="questions.gift.txt"'
    return answer


@requires(Permission.USE_APPLICATION)
@require_safe
def template(request: HttpRequest) -> HttpResponse:
    """A file to begin with: a question of each kind."""
    return _csv(questions_csv(EXAMPLES), "template.csv")


def _csv(lines: Any, name: str) -> HttpResponse:
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
