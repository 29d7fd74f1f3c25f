"""Download of the winners' skills as CSV."""

from __future__ import annotations

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from .coverage import as_csv, coverage_of
from .repository import Found, Sealed
from .views import not_yet, of_results


@of_results
@require_safe
def board_skills(request: HttpRequest, found: Found) -> HttpResponseBase:
    if not isinstance(found, Sealed):
        return not_yet(request, found)
    if (coverage := coverage_of(found)) is None:
        raise Http404
    answer = StreamingHttpResponse(as_csv(coverage), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="skills.csv"'
    return answer
