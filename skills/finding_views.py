"""The page to search for people by skill."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.rules import Permission
from acts.storage import now_text
from pages.paging import list_context

from . import finding
from .finding import FoundPerson, SkillSearch
from .finding_forms import FindPeopleForm


def _search_form(request: HttpRequest) -> FindPeopleForm:
    """Looks up the skills while the user is still being authenticated."""
    is_asked = any(name in request.GET for name in FindPeopleForm.base_fields)
    form = FindPeopleForm(request.GET if is_asked else None)
    form.is_valid()
    return form


@requires(Permission.VIEW_APPLICATION, ahead=_search_form)
@require_safe
def find_people(request: HttpRequest, form: FindPeopleForm) -> HttpResponse:
    """Criteria are in the URL, so that a search can be shared."""
    context = _results(request, form) if form.is_valid() else {}
    return render(request, "skills/find_people.html", {"form": form, **context}, status=422 if form.errors else 200)


def _results(request: HttpRequest, form: FindPeopleForm) -> dict[str, Any]:
    wish: SkillSearch = form.cleaned_data["wish"]
    context = list_context(request, partial(finding.search, wish), **form.asked)
    return {**context, "wish": wish, "rows": [_row(wish, each) for each in context["rows"]]}


def _row(wish: SkillSearch, found: FoundPerson) -> dict[str, Any]:
    now = now_text()
    pairs = zip(wish.skills, found.held, strict=True)
    entries = [{"skill": skill, "held": held, "stale": held.is_stale(now)} for skill, held in pairs]
    return {"person": found.person, "entries": entries}
