"""Pages of question sets: who may see them, lists, a set with its questions, settings, imports and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form
from foundation.pages.lists import Verdict
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from foundation.pages.paging import read_page

from . import repository, rules, services
from .formats import HELP, LABELS, csv_import
from .formats.exports import COLUMNS, EXAMPLES, EXPLAINED, as_json, questions_csv, questions_gift
from .forms import EditForm, ImportForm, SetForm
from .question import SET_KIND_LABELS, Type
from .rules import MAX_SET_NAME_CHARS, ChangedElsewhere, FullSet, QuestionSet

Part = tuple[FullSet, int]  # a set, and the number of something in it
USAGE_LABELS = {
    Type.CALL_AND_ANSWER: gettext_lazy("%(count)d for best answer"),
    Type.TRIVIA: gettext_lazy("%(count)d for trivia"),
    Type.POLL: gettext_lazy("%(count)d for polls"),
    Type.SURVEY: gettext_lazy("%(count)d for surveys"),
}


def check_visible(user: User, full: FullSet) -> None:
    if not rules.may_see(user.name, user.role, full.set):
        raise Http404


def check_owned(user: User, full: FullSet) -> None:
    check_visible(user, full)
    rules.check_owns(user.name, full.set)


def _withdrawable(user: User, full: FullSet) -> None:
    check_visible(user, full)
    rules.check_may_withdraw(user.name, user.role, full.set)


def _part(set_id: str, number: int) -> Part | None:
    full = repository.find_full(set_id)
    return (full, number) if full else None


visible: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=check_visible)
owned: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=check_owned)
withdrawable: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=_withdrawable)
part_owned: Any = requires(Permission.USE_APPLICATION, load=_part, rule=lambda user, part: check_owned(user, part[0]))


# --- lists ---


@requires(Permission.USE_APPLICATION)
@require_safe
def question_sets(request: HttpRequest) -> HttpResponse:
    """The user's own sets or shared ones, most recently changed first."""
    is_shared = request.GET.get("show") == "shared"
    read = repository.shared if is_shared else partial(repository.owned_by, request.user.name)
    tab = "shared" if is_shared else "mine"
    found, older = read_page(request, read, show=tab)
    rows = [(each, ", ".join(_usage(each))) for each in found]
    return render(request, "questions/sets.html", {"rows": rows, "older": older, "tab": tab})


# --- one set ---


@visible
@require_safe
def question_set(request: HttpRequest, full: FullSet) -> HttpResponse:
    return render(request, "questions/set.html", context_of(request, full, sections=_sections(full)))


def context_of(request: HttpRequest, full: FullSet, **more: Any) -> dict[str, Any]:
    set_, user = full.set, request.user
    is_own = rules.owns(user.name, set_)
    moderates = set_.shared and rules.moderates(user.role)
    start = f"{reverse('make_game')}?{urlencode({'set': set_.id})}" if set_.total_questions else ""
    context = {"full": full, "set": set_, "is_own": is_own, "moderates": moderates}
    return {**context, "usage": _usage(set_), "start": start, **more}


def _usage(set_: QuestionSet) -> list[str]:
    """For which types of session it has questions, and how many."""
    return [str(label) % {"count": set_.suits(type_)} for type_, label in USAGE_LABELS.items() if set_.suits(type_)]


def _sections(full: FullSet) -> list[dict[str, Any]]:
    """Categories with their questions, numbered throughout."""
    places = {each.number: place for place, each in enumerate(full.placed, 1)}
    return [
        {
            "category": category,
            "questions": [
                {
                    "placed": each,
                    "place": places[each.number],
                    "question": each.question,
                    "kind": SET_KIND_LABELS[each.question.kind],
                    "seconds": _("%(seconds)d s") % {"seconds": seconds} if seconds else _("no time limit"),
                    "options": [
                        (option, place in each.question.right) for place, option in enumerate(each.question.options)
                    ],
                }
                for each in full.within(category.number)
                for seconds in [each.question.seconds]
            ],
        }
        for category in full.categories
    ]


# --- making one ---


@requires(Permission.USE_APPLICATION)
@form_page
def make(request: HttpRequest) -> HttpResponse:
    form = SetForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            services.count_making(request.user)
            made = services.make(request.user, **form.values())
            messages.success(request, _("The set is ready. Now add some questions."))
            return redirect("question_set", made.id)
    context = {"form": form, "title": _("New question set"), "button": _("Create the set")}
    return render(request, "questions/form.html", context, status=422 if form.errors else 200)


@visible
@require_POST
def copy(request: HttpRequest, full: FullSet) -> HttpResponse:
    name = (_("Copy of %(name)s") % {"name": full.set.name})[:MAX_SET_NAME_CHARS]
    with refusals_as_messages(request):
        services.count_making(request.user)
        made = services.copy(request.user, full, name)
        messages.success(request, _("This copy is yours. Change it as you like."))
        return redirect("question_set", made.id)
    return redirect("question_set", full.set.id)


# --- changing its words and its state ---


@owned
@form_page
def edit(request: HttpRequest, full: FullSet) -> HttpResponse:
    set_ = full.set
    form = SetForm(form_data(request), initial=SetForm.initial_of(set_))

    def save(fingerprint: str) -> None:
        services.edit(request.user, set_.id, fingerprint, **form.values())

    if run_edit(request, form, save, rules.set_fingerprint(set_)):
        return redirect("question_set", set_.id)
    context = context_of(request, full, form=form, title=_("Name and instructions"), button=_("Save"))
    return render(request, "questions/form.html", context, status=422 if form.errors else 200)


def run_edit(request: HttpRequest, form: EditForm, save: Callable[[str], Any], fingerprint: str) -> bool:
    """Save what was typed, unless it has changed since the form was opened; saving again then overwrites it."""

    def act() -> None:
        try:
            save(form.cleaned_data["seen"])
        except ChangedElsewhere:
            form.accept_changes(fingerprint)
            raise

    return run_form(request, form, act, _("Your changes are saved."))


@owned
@require_POST
def activate(request: HttpRequest, full: FullSet) -> HttpResponse:
    on = request.POST.get("on") == "yes"
    done = _("The set can be used in sessions.") if on else _("The set is archived and not offered for new sessions.")
    run_action(request, lambda: services.activate(request.user, full.set.id, on=on), done)
    return redirect("question_set", full.set.id)


@withdrawable
@require_POST
def share(request: HttpRequest, full: FullSet) -> HttpResponse:
    """Administrators may only stop sharing."""
    on = request.POST.get("on") == "yes"
    done = _("Everyone who can host sessions can use the set now.") if on else _("The set is no longer shared.")
    run_action(request, lambda: services.share(request.user, full.set.id, on=on), done)
    is_own = rules.owns(request.user.name, full.set)
    return redirect("question_set", full.set.id) if is_own or on else redirect("question_sets")


@withdrawable
@form_page
def delete(request: HttpRequest, full: FullSet) -> HttpResponse:
    name = {"name": full.set.name}
    if request.method == "POST":
        gone = run_action(request, lambda: services.delete(request.user, full.set.id), _("%(name)s is deleted.") % name)
        return redirect("question_sets") if gone else redirect("question_set", full.set.id)
    lead = (
        _("“%(name)s” and all its questions will be deleted for good. Sessions already made with it keep theirs.")
        % name
    )
    return confirm_page(request, _("Delete the question set"), _("Delete it for good"), lead=lead, danger=True)


# --- files in: first a preview that gives each row its verdict, then one button ---


@owned
@form_page
def import_set(request: HttpRequest, full: FullSet) -> HttpResponse:
    if "questions" in request.POST:
        return _import(request, full)
    form = ImportForm(form_data(request), request.FILES if request.method == "POST" else None, full=full)
    if request.method == "POST" and form.is_valid():
        read = form.cleaned_data["read"]
        context = context_of(request, full, read=read, read_as=LABELS[form.cleaned_data["read_as"]], new=len(read.new))
        context |= {"counts": {verdict: read.count(verdict) for verdict in Verdict}}
        context |= {"questions": "".join(questions_csv(read.new))}
        return render(request, "questions/preview.html", context)
    example = "".join(questions_csv(EXAMPLES[:2])).removeprefix("\ufeff")
    context = context_of(
        request, full, form=form, formats=HELP.items(), columns=EXPLAINED, names=COLUMNS, example=example
    )
    return render(request, "questions/import.html", context, status=422 if form.errors else 200)


def _import(request: HttpRequest, full: FullSet) -> HttpResponse:
    """Skips what the set has by now, so that pressing the button twice adds nothing twice."""
    with refusals_as_messages(request):
        read = csv_import.read(request.POST["questions"].encode(), full)
        services.add(request.user, full.set.id, read.new)
        messages.success(request, _("Questions added: %(count)d.") % {"count": len(read.new)})
        if left := len(read.rows) - len(read.new):
            messages.warning(request, _("Skipped, because the set already has them: %(count)d.") % {"count": left})
        return redirect("question_set", full.set.id)
    return redirect("import_set", full.set.id)


# --- files out ---


@visible
@require_safe
def export_csv(request: HttpRequest, full: FullSet) -> HttpResponse:
    return _file(questions_csv(full.questions), "text/csv; charset=utf-8", "questions.csv")


@visible
@require_safe
def export_json(request: HttpRequest, full: FullSet) -> HttpResponse:
    dumping = {"ensure_ascii": False, "indent": 1}
    return JsonResponse(as_json(full), json_dumps_params=dumping, headers=_as_file("questions.json"))


@visible
@require_safe
def export_gift(request: HttpRequest, full: FullSet) -> HttpResponse:
    """Moodle recognises the format by the file name."""
    return _file(questions_gift(full), "text/plain; charset=utf-8", "questions.gift.txt")


@requires(Permission.USE_APPLICATION)
@require_safe
def template(request: HttpRequest) -> HttpResponse:
    """A template file with a question of each kind."""
    return _file(questions_csv(EXAMPLES), "text/csv; charset=utf-8", "template.csv")


def _file(lines: Iterable[str], content_type: str, name: str) -> HttpResponse:
    return StreamingHttpResponse(lines, content_type=content_type, headers=_as_file(name))


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
