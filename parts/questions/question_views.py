"""Pages for adding, editing, moving and removing questions of a set. Nothing that was typed is lost."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from foundation.acts.refusals import LostRace, NotThere
from foundation.pages.forms import form_data, form_page, refusals_as_errors
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action

from . import rules, services
from .forms import CategoryForm, QuestionForm
from .rules import QUESTION_GONE, FullSet, PlacedQuestion
from .views import Part, context_of, owned, part_owned, run_edit

# --- typing ---


@owned
@form_page
def add(request: HttpRequest, full: FullSet) -> HttpResponse:
    initial = {name: request.GET[name] for name in ("kind", "category", "seconds") if request.GET.get(name)}
    form = QuestionForm(form_data(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            after = services.add(request.user, full.set.id, [form.question()])
            messages.success(request, _("The question is added."))
            if "another" not in request.POST:
                return _to(after, after.set.last_number)
            question = form.question()  # the next is of the same kind
            carried_over = {"kind": str(question.kind), "category": question.category, "seconds": question.seconds}
            return HttpResponseRedirect(f"{reverse('add_question', args=[full.set.id])}?{urlencode(carried_over)}")
    return _show(request, full, form, _("New question"), to=reverse("add_question", args=[full.set.id]))


def _to(full: FullSet, number: int) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('question_set', args=[full.set.id])}#question-{number}")


@part_owned
@form_page
def edit(request: HttpRequest, part: Part) -> HttpResponse:
    full, number = part
    placed = _placed(full, number)
    if placed is None:
        return _gone(request, full)
    saved = placed.question
    # several may be open on one page, so that each needs its own ids
    form = QuestionForm(form_data(request), initial=QuestionForm.initial_of(saved), auto_id=f"q{number}_%s")
    if request.htmx:
        form.fields["title"].widget.attrs["autofocus"] = True  # in place, the form opens on a click

    def save(fingerprint: str) -> None:
        services.change_question(request.user, full.set.id, number, form.question(), fingerprint)

    if run_edit(request, form, save, rules.question_fingerprint(saved)):
        return _to(full, number)
    to = reverse("edit_question", args=[full.set.id, number])
    now = saved if form.is_outdated else None
    return _show(request, full, form, _("Edit the question"), to=to, placed=placed, now=now)


def _placed(full: FullSet, number: int) -> PlacedQuestion | None:
    try:
        return full.find(number)
    except NotThere:
        return None


def _gone(request: HttpRequest, full: FullSet) -> HttpResponse:
    """The question was removed while someone edited it: what they typed can become a new one."""
    if request.method != "POST" or not request.POST.get("title"):
        raise Http404
    form = QuestionForm(request.POST)
    problem = _(
        "This question was removed in the meantime. What you typed is still here: save it to add it as a new question."
    )
    form.add_error(None, problem)
    return _show(request, full, form, _("New question"), to=reverse("add_question", args=[full.set.id]))


def _show(request: HttpRequest, full: FullSet, form: QuestionForm, title: str, **more: Any) -> HttpResponse:
    names = [each.name for each in full.categories if each.name]
    context = context_of(request, full, form=form, title=title, names=names, **more)
    return render(request, "questions/question.html", context, status=422 if form.errors else 200)


# --- moving and removing ---


@part_owned
@require_POST
def move(request: HttpRequest, part: Part) -> HttpResponse:
    """One place up or down, unless the set has changed: a double click moves it once."""
    full, number = part
    _moved(request, full, lambda up: services.move_question(request.user, full.set.id, number, up=up))
    return _to(full, number)


def _moved(request: HttpRequest, full: FullSet, act: Any) -> None:
    with refusals_as_messages(request):
        if request.POST.get("version") != str(full.set.version):
            raise LostRace
        act(request.POST.get("way") == "up")


@part_owned
@form_page
def remove(request: HttpRequest, part: Part) -> HttpResponse:
    full, number = part
    placed = _placed(full, number)
    if placed is None:
        if request.method != "POST":
            raise Http404
        messages.error(request, str(QUESTION_GONE))
        return redirect("question_set", full.set.id)
    if request.method == "POST":
        fingerprint = request.POST.get("token", "")
        done = _("“%(title)s” is removed.") % {"title": placed.question.title}
        run_action(request, lambda: services.remove_question(request.user, full.set.id, number, fingerprint), done)
        return redirect("question_set", full.set.id)
    lead = _("“%(title)s” will be removed for good. Sessions already made with this set keep it.")
    return confirm_page(
        request,
        _("Remove the question"),
        _("Remove it"),
        lead=lead % {"title": placed.question.title},
        token=rules.question_fingerprint(placed.question),
        danger=True,
    )


# --- categories ---


@part_owned
@form_page
def edit_category(request: HttpRequest, part: Part) -> HttpResponse:
    full, number = part
    try:
        category = full.category(number)
    except NotThere:
        raise Http404 from None
    form = CategoryForm(form_data(request), initial=CategoryForm.initial_of(category))

    def save(fingerprint: str) -> None:
        name, description = form.cleaned_data["name"], form.cleaned_data["description"]
        services.change_category(request.user, full.set.id, number, name, description, fingerprint)

    if run_edit(request, form, save, rules.category_fingerprint(category)):
        return redirect("question_set", full.set.id)
    context = context_of(request, full, form=form, title=_("Category"), button=_("Save"))
    return render(request, "questions/form.html", context, status=422 if form.errors else 200)


@part_owned
@require_POST
def move_category(request: HttpRequest, part: Part) -> HttpResponse:
    full, number = part
    _moved(request, full, lambda up: services.move_category(request.user, full.set.id, number, up=up))
    return redirect("question_set", full.set.id)
