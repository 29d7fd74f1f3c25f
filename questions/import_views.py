"""Questions from a file: first a preview that gives each row its verdict, then one button."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pages.forms import form_page, posted
from pages.lists import Verdict
from pages.saying import refusals_said

from . import services
from .access import owned
from .csv_out import COLUMNS, EXAMPLES, questions_csv
from .forms import ImportedForm, ImportForm
from .rows import Read
from .rules import Whole
from .views import context_of
from .words import COLUMNS as EXPLAINED
from .words import FORMATS, READ_OF


@owned
@form_page
def import_set(request: HttpRequest, whole: Whole) -> HttpResponse:
    if "questions" in request.POST:
        return _import(request, whole)
    form = ImportForm(posted(request), request.FILES if request.method == "POST" else None, whole=whole)
    if request.method == "POST" and form.is_valid():
        return _preview(request, whole, form.cleaned_data["read"], FORMATS[form.cleaned_data["read_as"]])
    example = "".join(questions_csv(EXAMPLES[:2])).removeprefix("\ufeff")
    context = context_of(request, whole, form=form, formats=READ_OF, columns=EXPLAINED, names=COLUMNS, example=example)
    return render(request, "questions/import.html", context, status=422 if form.errors else 200)


def _preview(request: HttpRequest, whole: Whole, read: Read, read_as: Any) -> HttpResponse:
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
    with refusals_said(request):
        services.add(request.user, whole.set.id, read.new)
        messages.success(request, _("Questions added: %(count)d.") % {"count": len(read.new)})
        if left := len(read.rows) - len(read.new):
            messages.warning(request, _("Left out, because the set has them by now: %(count)d.") % {"count": left})
        return redirect("question_set", whole.set.id)
    return redirect("import_set", whole.set.id)
