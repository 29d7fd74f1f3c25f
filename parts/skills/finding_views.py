"""Pages to find people by skill: the search, and for admins the matrix of people and skills."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.storage import table
from foundation.pages.paging import read_page
from foundation.store.parallel import run_parallel

from . import finding, repository
from .access import profile_for
from .endorse_views import endorsed_rows, rows_of
from .finding import SkillSearch
from .forms import FindPeopleForm
from .matrix import MAX_HOLDERS, as_csv, skill_matrix
from .rules import Skill

PAGE_CARDS = 12
MAX_OTHER_SKILLS = 4  # on a card, besides those searched for
PAGE_COLUMNS = 12  # skills on a page of the matrix


def _search_form(request: HttpRequest) -> FindPeopleForm:
    """Looks up the skills while the user is still being authenticated."""
    is_submitted = any(name in request.GET for name in FindPeopleForm.base_fields)
    form = FindPeopleForm(request.GET if is_submitted else None)
    run_parallel(table(), form.is_valid, lambda: form.known)
    return form


@requires(Permission.VIEW_APPLICATION, ahead=_search_form)
@require_safe
def find_people(request: HttpRequest, form: FindPeopleForm) -> HttpResponse:
    """Criteria are in the URL, so that a search can be shared."""
    criteria = form.cleaned_data["criteria"] if form.is_valid() else None
    context = found_people(request, criteria, **form.parameters) if criteria else {}
    return render(request, "skills/find_people.html", {"form": form, **context}, status=422 if form.errors else 200)


def found_people(request: HttpRequest, criteria: SkillSearch, **parameters: str) -> dict[str, Any]:
    """A page of cards."""
    names, older = read_page(request, partial(finding.search, criteria), PAGE_CARDS, **parameters)
    cards = run_parallel(table(), *(partial(_card, request.user, name, criteria.skills) for name in names))
    return {"criteria": criteria, "older": older, "cards": list(filter(None, cards))}


def _card(viewer: User, name: str, wanted: Sequence[Skill]) -> dict[str, Any] | None:
    """The skills searched for, and the best of the others; None for somebody who has just hidden them, or left."""
    profile = profile_for(viewer, name)
    if profile is None:
        return None
    rows = {row["skill"].id: row for row in endorsed_rows(viewer, profile, rows_of(profile.own))}
    first = [rows.pop(each.id) for each in wanted if each.id in rows]
    return {"person": profile.person, "wanted": first, "others": list(rows.values())[:MAX_OTHER_SKILLS]}


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
