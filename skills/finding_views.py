"""Pages to find people by skill: the search, and for admins the matrix of people and skills."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.rules import Permission
from acts.storage import now_text, table
from pages.paging import list_context, read_page
from store.parallel import run_parallel

from . import finding, repository
from .finding import FoundPerson, SkillSearch
from .forms import FindPeopleForm
from .matrix import MAX_HOLDERS, as_csv, skill_matrix
from .rules import Skill

PAGE_COLUMNS = 12  # skills on a page of the matrix


def _search_form(request: HttpRequest) -> FindPeopleForm:
    """Looks up the skills while the user is still being authenticated."""
    is_submitted = any(name in request.GET for name in FindPeopleForm.base_fields)
    form = FindPeopleForm(request.GET if is_submitted else None)
    form.is_valid()
    return form


@requires(Permission.VIEW_APPLICATION, ahead=_search_form)
@require_safe
def find_people(request: HttpRequest, form: FindPeopleForm) -> HttpResponse:
    """Criteria are in the URL, so that a search can be shared."""
    context = _results(request, form) if form.is_valid() else {}
    return render(request, "skills/find_people.html", {"form": form, **context}, status=422 if form.errors else 200)


def _results(request: HttpRequest, form: FindPeopleForm) -> dict[str, Any]:
    criteria: SkillSearch = form.cleaned_data["criteria"]
    context = list_context(request, partial(finding.search, criteria), **form.parameters)
    return {**context, "criteria": criteria, "rows": [_row(criteria, each) for each in context["rows"]]}


def _row(criteria: SkillSearch, found: FoundPerson) -> dict[str, Any]:
    now = now_text()
    pairs = zip(criteria.skills, found.held, strict=True)
    entries = [{"skill": skill, "held": held, "stale": held.is_stale(now)} for skill, held in pairs]
    return {"person": found.person, "entries": entries}


# --- the matrix ---


def _columns(category: str, *, limit: int, cursor: str | None) -> tuple[list[Skill], str | None]:
    return repository.catalogue(category=category, limit=min(limit, PAGE_COLUMNS), cursor=cursor)


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix(request: HttpRequest) -> HttpResponse:
    """A page of skills, optionally of one category, and everybody who shows one of them."""
    category = request.GET.get("category", "")
    parameters = {"category": category} if category else {}
    (skills, older), categories = run_parallel(
        table(), lambda: read_page(request, partial(_columns, category), **parameters), repository.categories
    )
    context = {"matrix": skill_matrix(skills, MAX_HOLDERS), "older": older, "category": category}
    return render(request, "skills/matrix.html", {**context, "categories": categories})


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix_csv(request: HttpRequest) -> StreamingHttpResponse:
    response = StreamingHttpResponse(as_csv(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="skills.csv"'
    return response
