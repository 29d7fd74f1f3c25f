"""The matrix of people and skills, for admins."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.rules import Permission
from acts.storage import table
from pages.paging import read_page
from store.parallel import run_parallel

from . import repository
from .matrix import MAX_HOLDERS, as_csv
from .matrix import skill_matrix as matrix_of
from .rules import Skill

PAGE_COLUMNS = 12  # skills on a page


def _columns(category: str, *, limit: int, cursor: str | None) -> tuple[list[Skill], str | None]:
    return repository.catalogue(category=category, limit=min(limit, PAGE_COLUMNS), cursor=cursor)


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix(request: HttpRequest) -> HttpResponse:
    """A page of skills, optionally of one category, and everybody who shows one of them."""
    category = request.GET.get("category", "")
    asked = {"category": category} if category else {}
    (skills, older), categories = run_parallel(
        table(), lambda: read_page(request, partial(_columns, category), **asked), repository.categories
    )
    context = {"matrix": matrix_of(skills, MAX_HOLDERS), "older": older, "category": category}
    return render(request, "skills/matrix.html", {**context, "categories": categories})


@requires(Permission.MANAGE_USERS)
@require_safe
def matrix_csv(request: HttpRequest) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(as_csv(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="skills.csv"'
    return answer
